// Identifies the assets that an earlier import of the same source made. This tells assets that
// vanished from the file from those that were never in it, such as another project's models or
// another API's endpoints.

import type { JsonObject } from '../value/json.ts';
import type { Candidate } from './candidate.ts';
import { textAt } from './read-json.ts';

/** Selects assets by a metadata key whose value is one of these, or starts with one of these. */
export interface ImportSource {
  readonly metadataKey: 'build_node_id' | 'api_title' | 'resource_type' | 'contract_id';
  readonly values: readonly string[];
  readonly match: 'equals' | 'starts_with';
  /** The prefix of the FQN, including its dot; empty for any. */
  readonly fqnPrefix: string;
  /**
   * For each installed package, the database schemas that it fills here; elsewhere it belongs to
   * other projects.
   */
  readonly packageSchemas?: Readonly<Record<string, readonly string[]>>;
}

/**
 * What the store has to search for; null if the file names nothing to search for.
 *
 * @example importSourceOf(candidates)
 * // { metadataKey: 'build_node_id', values: ['model.shop.'], match: 'starts_with', fqnPrefix: '' }
 */
export function importSourceOf(all: readonly Candidate[]): ImportSource | null {
  const candidates = all.filter(({ isReference }) => isReference !== true);
  const [first] = candidates;
  if (first === undefined) return null;
  const values = (key: string) => [
    ...new Set(candidates.flatMap(({ metadata }) => textAt(metadata, key) ?? [])),
  ];
  switch (first.label.kind) {
    case 'dbt':
      return {
        metadataKey: 'build_node_id',
        values: nodeNamespaces(values('build_node_id')),
        match: 'starts_with',
        fqnPrefix: '',
        packageSchemas: packageSchemasOf(candidates),
      };
    case 'openapi':
      return {
        metadataKey: 'api_title',
        values: values('api_title'),
        match: 'equals',
        fqnPrefix: prefixOf(first.fqn),
      };
    case 'graphql':
      return {
        metadataKey: 'resource_type',
        values: ['graphql_type'],
        match: 'equals',
        fqnPrefix: first.fqn.slice(0, first.fqn.lastIndexOf('.') + 1),
      };
    case 'odcs':
      return {
        metadataKey: 'contract_id',
        values: values('contract_id'),
        match: 'equals',
        fqnPrefix: '',
      };
    default:
      return first.label satisfies never;
  }
}

function packageSchemasOf(candidates: readonly Candidate[]) {
  const installed = candidates.flatMap(({ packageName, fqn }) =>
    packageName === undefined ? [] : [{ packageName, schema: schemaOf(fqn) }],
  );
  const byName = Map.groupBy(installed, ({ packageName }) => packageName);
  return Object.fromEntries(
    [...byName].map(([name, group]) => [name, [...new Set(group.map(({ schema }) => schema))]]),
  );
}

/** @example schemaOf('db.public.orders') // 'db.public' */
function schemaOf(fqn: string): string {
  return fqn.slice(0, fqn.lastIndexOf('.'));
}

function packageOf(nodeId: string): string {
  return nodeId.split('.')[1] ?? '';
}

/** `model.shop.orders` belongs to the package shop, and so do its sources, seeds and snapshots. */
function nodeNamespaces(nodeIds: readonly string[]): readonly string[] {
  const packages = new Set(nodeIds.map(packageOf));
  return [...packages].flatMap((name) =>
    ['model', 'source', 'seed', 'snapshot'].map((type) => `${type}.${name}.`),
  );
}

function prefixOf(fqn: string): string {
  return fqn.slice(0, fqn.indexOf('.') + 1);
}

/** @example isOfSource(asset, source) // true for the models of the same project */
export function isOfSource(
  asset: { readonly fqn: string; readonly metadata: JsonObject },
  source: ImportSource,
): boolean {
  const value = textAt(asset.metadata, source.metadataKey);
  if (value === undefined || !asset.fqn.startsWith(source.fqnPrefix)) return false;
  if (source.match === 'equals') return source.values.includes(value);
  const schemas = source.packageSchemas?.[packageOf(value)];
  const isFilledHere = schemas === undefined || schemas.includes(schemaOf(asset.fqn));
  return isFilledHere && source.values.some((prefix) => value.startsWith(prefix));
}
