// Which endpoint, table, type or object an asset stands for, as an import stored it. Two of these can
// get the same FQN, because an FQN allows fewer characters than their names.

import type { ImportedAs, ImportIdentity } from '../../asset.ts';
import type { JsonObject } from '../../value/json.ts';
import type { Candidate } from '../candidate.ts';
import { textAt } from '../read-json.ts';

/** What earlier files of the kind of this candidate said that the asset is. */
export function knownAs(
  candidate: Pick<Candidate, 'label'>,
  importedAs: ImportedAs,
): ImportIdentity | undefined {
  return importedAs[candidate.label.kind];
}

/**
 * Whether the asset with the FQN of a candidate is another thing. What is not known is no difference.
 *
 * @example isOther({ of: 'shop', thing: 'get /Users' }, identity) // true for GET /users
 */
export function isOther(before: ImportIdentity | undefined, now: ImportIdentity): boolean {
  if (before?.thing === undefined || before.thing === now.thing) return false;
  return before.object === undefined || before.object !== now.object;
}

/** Whether the asset is what the candidate is, and was named in the same way. */
export function isSameThing(before: ImportIdentity | undefined, now: ImportIdentity): boolean {
  return before?.thing === now.thing && before?.stem === now.stem;
}

/**
 * What to store about an asset. The names of parameters in a path go with the contract, so they
 * change only when that does.
 */
export function identityAfter(
  before: ImportIdentity | undefined,
  now: ImportIdentity,
  isPublished: boolean,
): ImportIdentity {
  if (before?.path === undefined || isPublished || isOther(before, now)) return now;
  return { ...now, path: before.path };
}

/**
 * The name of what the metadata describes, for people.
 *
 * @example labelOf({ method: 'get', path: '/users', ... }) // 'GET /users'
 */
export function labelOf(metadata: JsonObject): string {
  const [method, path] = [textAt(metadata, 'method'), textAt(metadata, 'path')];
  if (method !== undefined) return `${method.toUpperCase()} ${path ?? ''}`;
  return (
    textAt(metadata, 'build_node_id') ??
    textAt(metadata, 'object_name') ??
    textAt(metadata, 'type_name') ??
    'another asset'
  );
}
