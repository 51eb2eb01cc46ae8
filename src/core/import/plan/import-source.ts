// Identifies the assets that an earlier import of the same source made. This tells assets that
// vanished from the file from those that were never in it, such as another project's models or
// another API's endpoints.

import { type ImportedAs, identityOf } from '../../asset.ts';
import type { Candidate, ImportKind, ParsedImport } from '../candidate.ts';

/** Selects the assets of a kind that belong to one of these, or whose node starts with one of these. */
export interface ImportSource {
  readonly kind: ImportKind;
  readonly values: readonly string[];
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
  /** The unique_ids of the file. They show that the table of a model only moved. */
  readonly nodes?: readonly string[];
}

/**
 * What the store has to search for; null if the file names nothing to search for.
 *
 * @example importSourceOf(parsed)
 * // { kind: 'dbt', values: ['model.shop.', ...], fqnPrefix: '' }
 */
export function importSourceOf(
  parsed: Pick<ParsedImport, 'candidates' | 'origin'>,
): ImportSource | null {
  const { origin } = parsed;
  if (origin === undefined) return null;
  const candidates = parsed.candidates.filter(({ isReference }) => isReference !== true);
  const { name, fqnPrefix } = origin;
  const { kind } = origin;
  const named = name === null ? [] : [identityOf(name, '', '').of];
  switch (kind) {
    case 'dbt': {
      const packages = new Set([
        ...named,
        ...candidates.map(({ identity }) => packageOf(identity.of)),
      ]);
      if (packages.size === 0) return null;
      const values = nodeNamespaces([...packages]);
      const nodes = candidates.map(({ identity }) => identity.of);
      return { kind, values, fqnPrefix, packageSchemas: packageSchemasOf(candidates), nodes };
    }
    case 'openapi': {
      const values = named.flatMap((of) => [of, of.slice(prefixOf(of).length)]);
      return { kind, values, fqnPrefix, described: candidates.map(describedBy) };
    }
    case 'odcs':
      return { kind, values: named, fqnPrefix, described: candidates.map(describedBy) };
    case 'graphql':
      return { kind, values: [...named, ''], fqnPrefix };
    default:
      return kind satisfies never;
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

/**
 * The prefix of an API, up to its title. What a migration stored has none, and belongs to each.
 *
 * @example prefixOf('api.v1 shop') // 'api.v1 '
 */
function prefixOf(of: string): string {
  return of.slice(0, of.indexOf(' ') + 1);
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
  asset: { readonly fqn: string; readonly importedAs: ImportedAs },
  source: ImportSource,
): boolean {
  const of = asset.importedAs[source.kind]?.of;
  if (of === undefined || !asset.fqn.startsWith(source.fqnPrefix)) return false;
  if (source.kind !== 'dbt') return source.values.includes(of);
  const schemas = source.packageSchemas?.[packageOf(of)];
  const isFilledHere = schemas === undefined || schemas.includes(schemaOf(asset.fqn));
  return isFilledHere && source.values.some((prefix) => of.startsWith(prefix));
}

interface Brought {
  readonly asset: {
    readonly fqn: string;
    readonly environment: string;
    readonly importedAs: ImportedAs;
  };
  /** The team whose import made it. */
  readonly team: string;
}

/** What an asset is to a file with another title or id: its endpoint, or its FQN. */
export function describedAs(
  { fqn, importedAs }: { readonly fqn: string; readonly importedAs: ImportedAs },
  { kind }: ImportSource,
): string {
  return kind === 'openapi' ? (importedAs.openapi?.thing ?? '') : fqn;
}

function describedBy({ fqn, label, identity }: Candidate): string {
  return label.kind === 'openapi' ? identity.thing : fqn;
}

/**
 * The assets of an API that has another title in this file, or of a data contract that has another
 * id. At least half of them are in the file. At least one has no asset under the new title yet:
 * otherwise these are two APIs with endpoints in common, such as two versions.
 *
 * @example listRetitled(assets, source, isKnownUnderNewTitle)
 */
export function listRetitled<Each extends Brought>(
  assets: readonly Each[],
  source: ImportSource,
  hasAsset: (described: string, environment: string) => boolean,
): readonly Each[] {
  const { described = [], fqnPrefix, kind } = source;
  const inFile = new Set(described);
  const others = assets.filter(({ asset: { fqn, importedAs } }) => {
    const of = importedAs[kind]?.of;
    if (of === undefined || source.values.includes(of) || !fqn.startsWith(fqnPrefix)) return false;
    const isPrefixed = kind === 'openapi' && prefixOf(of) !== '';
    return !isPrefixed || prefixOf(of) === prefixOf(source.values[0] ?? '');
  });
  const titles = Map.groupBy(others, ({ asset: { environment, importedAs }, team }) =>
    JSON.stringify([team, environment, importedAs[kind]?.of]),
  );
  return [...titles.values()].flatMap((group) => {
    const kept = group.filter(({ asset }) => inFile.has(describedAs(asset, source)));
    const moves = kept.some(
      ({ asset }) => !hasAsset(describedAs(asset, source), asset.environment),
    );
    return moves && kept.length * 2 >= group.length ? group : [];
  });
}
