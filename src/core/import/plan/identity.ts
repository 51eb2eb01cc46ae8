// Which endpoint, table, type or object an import took an asset from. Two of these can get the same
// FQN, because an FQN allows fewer characters than their names.

import type { JsonObject } from '../../value/json.ts';
import { toFqn } from '../import-fqn.ts';
import { pathForm } from '../openapi/path-names.ts';
import { textAt } from '../read-json.ts';

/**
 * The endpoint of an asset; undefined if it is none. The names of parameters are no part of it.
 *
 * @example endpointOf({ method: 'get', path: '/users/{id}' }) // 'get /users/{}'
 */
export function endpointOf(metadata: JsonObject): string | undefined {
  if (textAt(metadata, 'resource_type') !== 'endpoint') return undefined;
  const [method, path] = [textAt(metadata, 'method'), textAt(metadata, 'path')];
  return method === undefined || path === undefined ? undefined : `${method} ${pathForm(path)}`;
}

/**
 * Whether the metadata of an asset and that of a candidate with its FQN describe two things. What
 * one of them does not say is no difference.
 *
 * @example isOther(asset.metadata, candidate.metadata) // GET /Users, and GET /users
 */
export function isOther(before: JsonObject, now: JsonObject): boolean {
  const [endpoint, nextEndpoint] = [endpointOf(before), endpointOf(now)];
  if (endpoint !== undefined && nextEndpoint !== undefined) return endpoint !== nextEndpoint;
  return isOtherTable(before, now) || isOtherObject(before, now);
}

/** A table has a name of its own only if its FQN does not say it. */
function isOtherTable(before: JsonObject, now: JsonObject): boolean {
  const [node, nextNode] = [textAt(before, 'build_node_id'), textAt(now, 'build_node_id')];
  if (node === undefined || nextNode === undefined) return false;
  const [table, nextTable] = [textAt(before, 'table'), textAt(now, 'table')];
  // Assets from before the name was stored have none.
  if (table === undefined && node === nextNode) return false;
  return table !== nextTable;
}

/** An object may be renamed while its table stays; here only the spelling differs. */
function isOtherObject(before: JsonObject, now: JsonObject): boolean {
  const [name, nextName] = [textAt(before, 'object_name'), textAt(now, 'object_name')];
  if (name === undefined || nextName === undefined || name === nextName) return false;
  return toFqn([name]) === toFqn([nextName]);
}

/**
 * The name of what the metadata describes, for people.
 *
 * @example labelOf({ method: 'get', path: '/users', ... }) // 'GET /users'
 */
export function labelOf(metadata: JsonObject): string {
  const [method, path] = [textAt(metadata, 'method'), textAt(metadata, 'path')];
  if (method !== undefined) return `${method.toUpperCase()} ${path ?? ''}`;
  const table = textAt(metadata, 'table');
  const node = textAt(metadata, 'build_node_id');
  if (node !== undefined) return table === undefined ? node : `${node} (${table})`;
  return textAt(metadata, 'object_name') ?? 'another asset';
}
