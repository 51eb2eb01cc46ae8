// Identifies the assets that an earlier import of the same source made. This tells assets that
// vanished from the file from those that were never in it, such as another project's models or
// another API's endpoints.

import type { JsonObject } from '../../value/json.ts';
import type { Candidate, ParsedImport } from '../candidate.ts';
import { textAt } from '../read-json.ts';
import { endpointOf } from './identity.ts';

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
  /**
   * The endpoints of the file, or the FQNs of its objects. They show that an API only has a new title,
   * or a data contract a new id.
   */
  readonly described?: readonly string[];
}

/**
 * What the store has to search for; null if the file names nothing to search for.
 *
 * @example importSourceOf(parsed)
 * // { metadataKey: 'build_node_id', values: ['model.shop.'], match: 'starts_with', fqnPrefix: '' }
 */
export function importSourceOf(
  parsed: Pick<ParsedImport, 'candidates' | 'origin'>,
): ImportSource | null {
  const { origin } = parsed;
  if (origin === undefined) return null;
  const candidates = parsed.candidates.filter(({ isReference }) => isReference !== true);
  const { name, fqnPrefix } = origin;
  const named = name === null ? [] : [name];
  const values = (key: string) => candidates.flatMap(({ metadata }) => textAt(metadata, key) ?? []);
  switch (origin.kind) {
    case 'dbt': {
      const packages = new Set([...named, ...values('build_node_id').map(packageOf)]);
      if (packages.size === 0) return null;
      return {
        metadataKey: 'build_node_id',
        values: nodeNamespaces([...packages]),
        match: 'starts_with',
        fqnPrefix: '',
        packageSchemas: packageSchemasOf(candidates),
      };
    }
    case 'openapi':
      return {
        metadataKey: 'api_title',
        values: named,
        match: 'equals',
        fqnPrefix,
        described: candidates.flatMap(({ metadata }) => endpointOf(metadata) ?? []),
      };
    case 'graphql':
      return {
        metadataKey: 'resource_type',
        values: ['graphql_type'],
        match: 'equals',
        fqnPrefix,
      };
    case 'odcs':
      return {
        metadataKey: 'contract_id',
        values: candidates.length === 0 ? named : [...new Set(values('contract_id'))],
        match: 'equals',
        fqnPrefix,
        described: candidates.map(({ fqn }) => fqn),
      };
    default:
      return origin.kind satisfies never;
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
function nodeNamespaces(packages: readonly string[]): readonly string[] {
  return packages.flatMap((name) =>
    ['model', 'source', 'seed', 'snapshot'].map((type) => `${type}.${name}.`),
  );
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

interface Brought {
  readonly asset: {
    readonly fqn: string;
    readonly environment: string;
    readonly metadata: JsonObject;
  };
  /** The team whose import made it. */
  readonly team: string;
}

/** What an asset is to a file with another title or id: its endpoint, or its FQN. */
export function describedAs(
  { fqn, metadata }: { readonly fqn: string; readonly metadata: JsonObject },
  { metadataKey }: ImportSource,
): string {
  return metadataKey === 'api_title' ? (endpointOf(metadata) ?? '') : fqn;
}

/**
 * The assets of an API that has another title in this file, or of a data contract that has another
 * id. More than half of them are in the file. At least one has no asset under the new title yet:
 * otherwise these are two APIs with endpoints in common, such as two versions.
 *
 * @example listRetitled(assets, source, isKnownUnderNewTitle)
 */
export function listRetitled<Each extends Brought>(
  assets: readonly Each[],
  source: ImportSource,
  hasAsset: (described: string, environment: string) => boolean,
): readonly Each[] {
  const { described = [], fqnPrefix, metadataKey } = source;
  const inFile = new Set(described);
  const others = assets.filter(({ asset: { fqn, metadata } }) => {
    const title = textAt(metadata, metadataKey);
    return title !== undefined && !source.values.includes(title) && fqn.startsWith(fqnPrefix);
  });
  const titles = Map.groupBy(others, ({ asset: { environment, metadata }, team }) =>
    JSON.stringify([team, environment, textAt(metadata, metadataKey)]),
  );
  return [...titles.values()].flatMap((group) => {
    const kept = group.filter(({ asset }) => inFile.has(describedAs(asset, source)));
    const moves = kept.some(
      ({ asset }) => !hasAsset(describedAs(asset, source), asset.environment),
    );
    return moves && kept.length * 2 > group.length ? group : [];
  });
}
