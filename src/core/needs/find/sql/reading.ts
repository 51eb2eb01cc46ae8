// What is collected while the statements of a file are read.

import {
  type KnownColumns,
  knows,
  type Relation,
  readColumn,
  readEverything,
  relationsOf,
  type Scope,
  type Shape,
  type Source,
} from './sources.ts';
import { isNode, nameAt, type SqlNode } from './sql-tree.ts';

export interface Reading {
  readonly dialect: string;
  readonly columnsOf: (name: readonly string[]) => KnownColumns | null;
  readonly relations: Map<string, Relation>;
  /** Of the statement that is being read. */
  readonly touched: Set<Relation>;
  /** Each source of the statement by its name, wherever it is. */
  readonly named: Map<string, Set<Shape>>;
  /** The nodes of tables, columns and stars that have been understood. */
  readonly understood: Set<SqlNode>;
  /** Of columns that may belong to several relations. */
  readonly doubts: Map<string, ReadonlySet<Relation>>;
  /** Why a part cannot be read at all. */
  readonly unread: Set<string>;
}

/** The relation that a table reference names. BigQuery quotes whole names: `shop.public.orders`. */
export function relationOf(reading: Reading, table: SqlNode): Relation {
  const parts = ['catalog', 'schema', 'name'].flatMap((key) => nameAt(table, key) ?? []);
  const name = parts.flatMap((part) => splitName(reading, part));
  const key = JSON.stringify(name.map((part) => part.toLowerCase()));
  const known = reading.relations.get(key);
  const relation: Relation = known ?? {
    ...{ kind: 'relation', name, known: reading.columnsOf(name) },
    ...{ columns: new Map(), everything: null },
  };
  reading.relations.set(key, relation);
  reading.touched.add(relation);
  return relation;
}

function splitName({ dialect }: Reading, name: string): readonly string[] {
  return dialect === 'bigquery' ? name.split('.') : [name];
}

export function sourceOf(reading: Reading, shape: Shape, name: string | null): Source {
  const path = shape.kind === 'relation' ? shape.name.map((part) => part.toLowerCase()) : [];
  const own = (name ?? path.at(-1) ?? null)?.toLowerCase() ?? null;
  if (own !== null) {
    const all = reading.named.get(own) ?? new Set();
    reading.named.set(own, all.add(shape));
  }
  return { name: own, path, shape };
}

/** These take either of two columns of the same name in the result of a query. */
const dialectsWithRepeatedNames = new Set(['duckdb', 'sqlite', 'clickhouse', 'mysql']);

function note(reading: Reading, shape: Shape, column: string): void {
  readColumn(shape, column, { namesHide: !dialectsWithRepeatedNames.has(reading.dialect) });
}

/**
 * A column as it is written, with all its qualifiers: `id`, `o.id`, `public.orders.id`, or a column
 * with a field of it, `address.city`.
 */
export function resolveColumn(
  reading: Reading,
  parts: readonly string[],
  scope: Scope | null,
): void {
  const [first = '', second] = parts;
  if (second !== undefined) {
    if (resolveQualified(reading, parts, scope)) return;
    // A name that is not in sight: the query may be one that only its database understands.
    for (const shape of reading.named.get(first.toLowerCase()) ?? []) note(reading, shape, second);
  }
  resolveName(reading, first, scope);
}

function resolveQualified(
  reading: Reading,
  parts: readonly string[],
  scope: Scope | null,
): boolean {
  const lower = parts.map((part) => part.toLowerCase());
  for (let at = scope; at !== null; at = at.parent) {
    const [, column = ''] = parts;
    const named = at.sources.filter(({ name }) => name === lower[0]);
    for (const { shape } of named) note(reading, shape, column);
    if (named.length > 0) return true;
    for (const length of [2, 3]) {
      const prefix = lower.slice(0, length);
      const meant = at.sources.filter(({ path }) => endsWith(path, prefix));
      const below = parts[length];
      if (below === undefined || meant.length === 0) continue;
      for (const { shape } of meant) note(reading, shape, below);
      return true;
    }
  }
  return false;
}

function endsWith(path: readonly string[], end: readonly string[]): boolean {
  return (
    path.length >= end.length && end.every((part, i) => path[path.length - end.length + i] === part)
  );
}

/**
 * A column without a qualifier belongs to the nearest query with a source that is known to have it.
 * Each source on the way there that may have it counts as read, too.
 */
function resolveName(reading: Reading, column: string, scope: Scope | null): void {
  const name = column.toLowerCase();
  const candidates = new Set<Shape>();
  let isKnown = false;
  let isAlias = false;
  for (let at = scope; at !== null && !isKnown; at = at.parent) {
    const known = at.sources.map(({ shape }) => [shape, knows(shape, name)] as const);
    const has = known.filter(([, what]) => what === 'has');
    isKnown = has.length > 0;
    for (const [shape, what] of isKnown ? has : known) if (what !== 'lacks') candidates.add(shape);
    isAlias ||= at.aliases.has(name);
    if (isKnown) break;
    const whole = at.sources.filter((source) => source.name === name);
    for (const { shape } of whole) readEverything(shape, `${column} is used as a whole row`);
    if (whole.length > 0) isAlias = true;
  }
  const relations = new Set([...candidates].flatMap((shape) => [...relationsOf(shape)]));
  if (!isKnown && !isAlias && relations.size > 1) reading.doubts.set(name, relations);
  for (const shape of candidates) note(reading, shape, column);
  if (candidates.size > 0 || isAlias) return;
  // What is known of the columns may be older than the query.
  for (let at = scope; at !== null; at = at.parent) {
    for (const { shape } of at.sources) note(reading, shape, column);
  }
}

/** `*`, or `o.*`: the sources whose columns it stands for. Null if its name is not one of a source. */
export function sourcesOfStar(
  reading: Reading,
  star: SqlNode,
  scope: Scope | null,
): readonly Source[] | null {
  const table = nameAt(star, 'table');
  if (table === null) return scope?.sources ?? [];
  const path = table.toLowerCase().split('.');
  for (let at = scope; at !== null; at = at.parent) {
    const named = at.sources.filter(
      (source) =>
        source.name === table.toLowerCase() ||
        (path.length === 1 && source.name === path[0]) ||
        (path.length > 1 && endsWith(source.path, path)),
    );
    if (named.length > 0) return named;
  }
  resolveColumn(reading, table.split('.'), scope);
  return null;
}

/** The names of a chain such as `a.b.c`; null if something else is at its start. */
export function chainOf(reading: Reading, dot: SqlNode): readonly string[] | null {
  const names: string[] = [];
  for (let at: unknown = dot; ; ) {
    if (!isNode(at)) return null;
    const field = nameAt(at, 'field');
    if (field === null) return null;
    names.unshift(field);
    const inner: unknown = at.this;
    if (!isNode(inner)) return null;
    const column = inner.column;
    if (isNode(column) && nameAt(column, 'name') !== null) {
      reading.understood.add(column);
      return [...columnParts(reading, column), ...names];
    }
    at = inner.dot;
  }
}

export function columnParts(reading: Reading, column: SqlNode): readonly string[] {
  const table = nameAt(column, 'table');
  const name = nameAt(column, 'name') ?? '';
  return table === null ? [name] : [...splitName(reading, table), name];
}
