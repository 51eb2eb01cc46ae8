// Reads a query: which columns of which relations it names, and which columns its result has.

import {
  type Call,
  callOf,
  mayNameRelation,
  namesInTexts,
  passingFunctions,
  readAll,
  readOddPart,
  standsInText,
  takesValues,
} from './read-functions.ts';
import {
  chainOf,
  columnParts,
  type Reading,
  relationOf,
  resolveColumn,
  sourceOf,
  sourcesOfStar,
} from './reading.ts';
import {
  type Derived,
  openShape,
  readColumn,
  readEverything,
  type Scope,
  type Shape,
  type Source,
  starOf,
} from './sources.ts';
import {
  expressionOf,
  isColumn,
  isNode,
  isStar,
  isTable,
  listAt,
  nameAt,
  namesAt,
  nodeAt,
  nodesBelow,
  type SqlNode,
} from './sql-tree.ts';

/** A query that has a name in the queries after it. */
interface NamedQuery {
  readonly name: string;
  readonly isQuoted: boolean;
  readonly shape: Derived;
  readonly next: NamedQuery | null;
}

/** Where a query stands: what it may refer to. */
interface Around {
  readonly queries: NamedQuery | null;
  readonly scope: Scope | null;
}

export const nothingAround: Around = { queries: null, scope: null };

function openScope(parent: Scope | null): Scope {
  return { sources: [], aliases: new Set(), parent };
}

const setOperations = ['union', 'intersect', 'except'];
const changes = ['insert', 'update', 'delete', 'merge'];
const pivots = ['pivot', 'unpivot'];
const queryKinds = ['select', ...setOperations, ...pivots, 'subquery', 'values'];

export function isQuery(value: unknown): boolean {
  const found = expressionOf(value);
  if (found?.kind === 'paren') return isQuery(found.body.this);
  return found !== null && queryKinds.includes(found.kind);
}

export function readQuery(reading: Reading, query: unknown, around: Around): Derived {
  const { kind = 'nothing', body = {} } = expressionOf(query) ?? {};
  if (kind === 'select') return readSelect(reading, body, around);
  if (setOperations.includes(kind)) return readSetOperation(reading, query, around);
  if (kind === 'paren') return readQuery(reading, body.this, around);
  if (kind === 'subquery') return readSubquery(reading, body, around);
  if (pivots.includes(kind)) {
    // DuckDB's `pivot orders on status` is a query of its own.
    return joined(readSources(reading, query, { ...around, to: openScope(around.scope) }));
  }
  if (changes.includes(kind)) {
    readChange(reading, body, around);
    return openShape;
  }
  if (kind !== 'values') reading.unread.add(`"${kind}" is no query that is understood`);
  walk(reading, body, around);
  return openShape;
}

function readSubquery(reading: Reading, body: SqlNode, around: Around): Derived {
  const inside = addQueries(reading, nodeAt(body, 'with'), around);
  const scope = openScope(around.scope);
  const { this: query, ...rest } = body;
  if (isQuery(query) || changes.includes(expressionOf(query)?.kind ?? '')) {
    scope.sources.push(sourceOf(reading, readQuery(reading, query, inside), null));
  } else {
    scope.sources.push(...readSources(reading, query, { ...inside, to: scope }));
  }
  walk(reading, rest, { ...inside, scope });
  return renamed(joined(scope.sources), namesAt(body, 'column_aliases'));
}

function joined(sources: readonly Source[]): Derived {
  const [only, ...others] = sources.map(({ shape }) => shape);
  if (only?.kind === 'derived' && others.length === 0) return only;
  const stars = sources.map(({ shape }) => starOf(shape));
  return { kind: 'derived', names: new Set(), stars, isOpen: false };
}

/** Gives columns other names, by their position: which are which is known if all have names. */
function renamed(shape: Derived, names: readonly string[]): Derived {
  if (names.length === 0) return shape;
  readEverything(shape, 'its columns get other names by their position');
  const all = [...names, ...shape.names].map((name) => name.toLowerCase());
  return { kind: 'derived', names: new Set(all), stars: [], isOpen: true };
}

/** Long unions are deep trees, so their left sides are not read by recursion. */
function readSetOperation(reading: Reading, query: unknown, around: Around): Derived {
  const operations: SqlNode[] = [];
  let inside = around;
  let first: unknown = query;
  let isByName = true;
  for (;;) {
    const { kind = '', body = {} } = expressionOf(first) ?? {};
    if (!setOperations.includes(kind)) break;
    inside = addQueries(reading, nodeAt(body, 'with'), inside);
    isByName &&= kind === 'union' && body.by_name === true;
    operations.push(body);
    first = body.left;
  }
  const branches = [first, ...operations.map(({ right }) => right).reverse()];
  const results = branches.map((branch) => readQuery(reading, branch, inside));
  if (!isByName) {
    for (const each of results) {
      readEverything(each, 'select * is a branch of a set operation, which goes by position');
    }
  }
  const result: Derived = {
    kind: 'derived',
    names: new Set(isByName ? results.flatMap(({ names }) => [...names]) : results[0]?.names),
    stars: isByName ? results.flatMap(({ stars }) => stars) : [],
    isOpen: results.some(({ isOpen, stars }) => isOpen || stars.length > 0),
  };
  const scope = openScope(around.scope);
  scope.sources.push(sourceOf(reading, result, null));
  for (const { left: _left, right: _right, with: _with, ...rest } of operations) {
    walk(reading, rest, { ...inside, scope });
  }
  return result;
}

/** In these, a query may refer to itself without the word `recursive`. */
const alwaysRecursive = new Set(['tsql', 'oracle', 'snowflake']);

/** With `recursive`, queries may name those after them: each comes after what it names. */
function inOrder(queries: readonly unknown[]): readonly unknown[] {
  const nameOf = (query: unknown) => (nameAt(query, 'alias') ?? '').toLowerCase();
  const ordered = new Set<unknown>();
  const entered = new Set<unknown>();
  const add = (query: unknown) => {
    if (entered.has(query)) return;
    entered.add(query);
    const named = new Set<string>();
    for (const [key, node] of nodesBelow(isNode(query) ? query.this : null)) {
      if (isTable(key, node)) named.add((nameAt(node, 'name') ?? '').toLowerCase());
    }
    for (const each of queries) if (named.has(nameOf(each))) add(each);
    ordered.add(query);
  };
  for (const query of queries) add(query);
  return [...ordered];
}

/** The queries of `with`, for those after them. */
export function addQueries(reading: Reading, node: SqlNode | null, around: Around): Around {
  let queries = around.queries;
  const all = listAt(node, 'ctes');
  for (const each of node?.recursive === true ? inOrder(all) : all) {
    const body = isNode(each) ? each.this : null;
    const name = nameAt(each, 'alias') ?? '';
    const isQuoted = nodeAt(each, 'alias')?.quoted === true;
    const columns = namesAt(each, 'columns');
    const isUnion = setOperations.includes(expressionOf(body)?.kind ?? '');
    const isOwn = node?.recursive === true || (isUnion && alwaysRecursive.has(reading.dialect));
    // Its columns are those of its first branch, which are read there.
    const itself = { name, isQuoted, shape: openShape, next: queries };
    const result = readQuery(reading, body, { ...around, queries: isOwn ? itself : queries });
    queries = { name, isQuoted, shape: renamed(result, columns), next: queries };
  }
  return { ...around, queries };
}

const ownParts = ['expressions', 'from', 'joins', 'lateral_views', 'with', 'into', 'locks'];

function readSelect(reading: Reading, body: SqlNode, around: Around): Derived {
  const scope = openScope(around.scope);
  const inside: Around = { ...addQueries(reading, nodeAt(body, 'with'), around), scope };
  readFrom(reading, body, inside);
  for (const each of listAt(body, 'expressions')) {
    const alias =
      expressionOf(each)?.kind === 'alias' ? nameAt(expressionOf(each)?.body, 'alias') : null;
    if (alias !== null) scope.aliases.add(alias.toLowerCase());
  }
  const result = readResult(reading, listAt(body, 'expressions'), inside);
  for (const [key, value] of Object.entries(body)) {
    if (key === 'order_by') walk(reading, withoutAliases(reading, value, scope), inside);
    else if (!ownParts.includes(key)) walk(reading, { [key]: value }, inside);
  }
  for (const each of ['into', 'locks']) markTables(reading, body[each]);
  const isGrouped = nodeAt(body, 'group_by')?.all === true;
  if (body.distinct === true || isGrouped) readEverything(result, 'distinct compares all columns');
  return result;
}

/** To sort by the name of a result is to sort by what has that name, in every dialect. */
function withoutAliases(reading: Reading, orderBy: unknown, { aliases }: Scope): unknown {
  return listAt(orderBy, 'expressions').flatMap((each) => {
    const column = nodeAt(nodeAt(each, 'this'), 'column');
    const name = nameAt(column, 'name')?.toLowerCase() ?? '';
    if (column === null || nameAt(column, 'table') !== null || !aliases.has(name)) return [each];
    reading.understood.add(column);
    return [];
  });
}

function markTables(reading: Reading, value: unknown): void {
  for (const table of listAt({ all: [value].flat() }, 'all').flatMap((each) => tablesIn(each))) {
    reading.understood.add(table);
  }
}

function tablesIn(value: unknown): readonly SqlNode[] {
  if (Array.isArray(value)) return value.flatMap(tablesIn);
  if (!isNode(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    isNode(each) && isTable(key, each) ? [each] : tablesIn(each),
  );
}

function readFrom(reading: Reading, body: SqlNode, inside: Around): void {
  const to = inside.scope ?? openScope(null);
  const place = { queries: inside.queries, scope: to.parent, to };
  for (const each of listAt(nodeAt(body, 'from'), 'expressions')) {
    to.sources.push(...readSources(reading, each, place));
  }
  for (const join of listAt(body, 'joins')) readJoin(reading, join, place);
  for (const view of listAt(body, 'lateral_views')) {
    walk(reading, isNode(view) ? view.this : null, inside);
    to.sources.push(sourceOf(reading, openShape, nameAt(view, 'table_alias')));
  }
  // Conditions may name every source.
  for (const join of listAt(body, 'joins')) {
    if (!isNode(join)) continue;
    const { this: _joined, using: _using, ...rest } = join;
    walk(reading, rest, inside);
  }
}

/** Where a source stands: queries beside it are in sight only if it is lateral. */
interface Place extends Around {
  /** The scope that it is added to. */
  readonly to: Scope;
}

function readJoin(reading: Reading, join: unknown, place: Place): void {
  if (!isNode(join)) return;
  const kind = String(join.kind).toLowerCase();
  const isLateral = kind.includes('apply') || kind.includes('lateral');
  const before = [...place.to.sources];
  const after = readSources(reading, join.this, isLateral ? { ...place, scope: place.to } : place);
  for (const column of namesAt(join, 'using')) {
    for (const { shape } of after) readColumn(shape, column, { namesHide: true });
    // Of the sources before it, one has the column.
    const scope = { ...openScope(null), sources: before };
    resolveColumn(reading, [column], scope);
  }
  if (kind.includes('natural')) {
    for (const { shape } of [...before, ...after])
      readEverything(shape, 'a natural join compares all columns of the same name');
  }
  place.to.sources.push(...after);
}

function readSources(reading: Reading, node: unknown, place: Place): readonly Source[] {
  const { kind = '', body = {} } = expressionOf(node) ?? {};
  const beside: Around = { queries: place.queries, scope: place.to };
  switch (kind) {
    case 'table':
      return readTable(reading, body, beside);
    case 'paren':
      return readSources(reading, body.this, place);
    case 'subquery': {
      const around = body.lateral === true ? beside : place;
      const { column_aliases: columns, alias, ...query } = body;
      const shape = readSubquery(reading, query, around);
      return named(reading, [sourceOf(reading, shape, null)], { alias, column_aliases: columns });
    }
    case 'alias': {
      const inner = expressionOf(body.this)?.kind ?? '';
      if (
        inner === 'table' ||
        inner === 'joined_table' ||
        inner === 'paren' ||
        isQuery(body.this)
      ) {
        return named(reading, readSources(reading, body.this, place), body);
      }
      return named(reading, [readCall(reading, body.this, beside)], body);
    }
    case 'tuple':
      // `f() as x(a int)`.
      return listAt(body, 'expressions').map((each) => readCall(reading, each, beside));
    case 'joined_table': {
      const scope = openScope(place.to);
      const inside = { ...place, to: scope };
      scope.sources.push(...readSources(reading, body.left, inside));
      readFrom(
        reading,
        { joins: body.joins, lateral_views: body.lateral_views },
        { ...beside, scope },
      );
      return named(reading, scope.sources, body);
    }
    case 'lateral':
      if (isQuery(body.this)) {
        const shape = readQuery(reading, body.this, beside);
        return named(reading, [sourceOf(reading, shape, null)], body);
      }
      walk(reading, body, beside);
      return [sourceOf(reading, openShape, nameAt(body, 'alias'))];
    case 'pivot':
    case 'unpivot':
    case 'match_recognize': {
      const scope = openScope(place.to);
      const held = relationNamed(reading, body.this) ?? body.this;
      scope.sources.push(...readSources(reading, held, { ...place, to: scope }));
      for (const { shape } of scope.sources) readEverything(shape, `${kind} takes all columns`);
      const { this: _source, ...rest } = body;
      walk(reading, rest, { ...beside, scope });
      return [sourceOf(reading, openShape, nameAt(body, 'alias'))];
    }
    default: {
      if (isQuery(node)) return [sourceOf(reading, readQuery(reading, node, place), null)];
      const call = readCall(reading, node, beside);
      const alias = nameAt(body, 'alias');
      return alias === null ? [call] : [sourceOf(reading, call.shape, alias)];
    }
  }
}

/**
 * A function, or data in the query. What it is called on may be a column of a source before it; a name
 * that stands before all sources can only be that of a relation.
 */
function readCall(reading: Reading, node: unknown, around: Around): Source {
  const call = callOf(node);
  const open = sourceOf(reading, openShape, null);
  if (call === null) {
    walk(reading, node, around);
    return open;
  }
  const { name, args } = call;
  if (name === 'table' && args.some((each) => callOf(each) !== null)) {
    const inner = args.map((each) => readCall(reading, each, around));
    return inner.length === 1 ? (inner[0] ?? open) : open;
  }
  if (passingFunctions.has(name)) {
    const passed = readPassed(reading, call, around);
    if (passed !== null) return passed;
  }
  walk(reading, node, around);
  const text = args.find((each) => mayNameRelation(each));
  if (text !== undefined && !takesValues(name)) reading.unread.add(standsInText(name));
  for (const each of hasSources(around.scope) ? [] : args) {
    const table = relationNamed(reading, each)?.table;
    for (const { shape } of table === undefined ? [] : readTable(reading, table, around))
      readEverything(shape, `${name}() takes the relation as a whole`);
  }
  return open;
}

/** What `remote('h', shop, orders)` gives: the rows of one relation, whose name may be two of what it is given. */
function readPassed(reading: Reading, { name, args }: Call, around: Around): Source | null {
  const given = args.map((each) => relationNamed(reading, each)?.table ?? null);
  // The first one of the others is a cluster, or its addresses.
  const names = given.map((table, index) => (index === 0 && name !== 'stream' ? null : table));
  const first = names.findIndex((table) => table !== null);
  const [own = null, next = null] = names.slice(Math.max(0, first));
  if (own === null) return null;
  const isBare = !('schema' in own);
  const isSchema = isBare && next !== null && !('schema' in next);
  const table = isSchema ? { ...next, schema: own.name } : own;
  if (isBare && mayNameRelation(args[first + 1])) reading.unread.add(standsInText(name));
  const [source = null] = readTable(reading, table, around);
  const scope = source && { ...openScope(around.scope), sources: [source] };
  // The key of its shards may be a column.
  walk(reading, args.slice(first + (isSchema ? 2 : 1)), { ...around, scope });
  return source;
}

function hasSources(scope: Scope | null): boolean {
  for (let at = scope; at !== null; at = at.parent) if (at.sources.length > 0) return true;
  return false;
}

/** A column of the tree that stands where a relation does: `pivot main.orders on status`. */
function relationNamed(reading: Reading, node: unknown): { readonly table: SqlNode } | null {
  const { kind = '', body = {} } = expressionOf(node) ?? {};
  const parts =
    kind === 'column' ? columnParts(reading, body) : kind === 'dot' ? chainOf(reading, body) : null;
  if (parts === null) return null;
  reading.understood.add(body);
  const [name = '', schema, catalog] = [...parts].reverse();
  const own = kind === 'column' ? body.name : { name };
  return {
    table: {
      name: own,
      ...(schema !== undefined && { schema: { name: schema } }),
      ...(catalog !== undefined && { catalog: { name: catalog } }),
    },
  };
}

function named(reading: Reading, sources: readonly Source[], node: SqlNode): readonly Source[] {
  const [alias, columns] = [nameAt(node, 'alias'), namesAt(node, 'column_aliases')];
  if (alias === null && columns.length === 0) return sources;
  return [sourceOf(reading, renamed(joined(sources), columns), alias)];
}

/** `table orders` and Databricks' `stream orders` are parsed as relations with another name. */
function readTable(reading: Reading, table: SqlNode, around: Around): readonly Source[] {
  const { alias: relation, ...plain } = table;
  const isBare = nodeAt(table, 'name')?.quoted !== true && nameAt(table, 'schema') === null;
  const word = isBare && isNode(relation) ? nameAt(table, 'name')?.toLowerCase() : undefined;
  if (word === 'table' || (word === 'stream' && sparkDialects.has(reading.dialect))) {
    reading.understood.add(table);
    const meant = readTable(reading, { ...plain, name: relation }, around);
    // There may be a relation called stream.
    return word === 'table' ? meant : [...meant, ...readRelation(reading, table, around)];
  }
  return readRelation(reading, table, around);
}

const sparkDialects = new Set(['databricks', 'spark']);

function readRelation(reading: Reading, table: SqlNode, around: Around): readonly Source[] {
  reading.understood.add(table);
  if (isNode(table.identifier_func)) reading.unread.add('the name of a relation is computed');
  const { name, schema: _schema, catalog: _catalog, alias: _alias, ...rest } = table;
  walk(reading, rest, around);
  const alias = nameAt(table, 'alias');
  if (isColumnOfSource(reading, table, around)) return [sourceOf(reading, openShape, alias)];
  const columns = namesAt(table, 'column_aliases');
  return shapesOf(reading, table, around).flatMap((shape) => {
    const own = sourceOf(reading, shape, alias ?? nameAt({ name }, 'name'));
    if (columns.length === 0) return [own];
    return [{ ...own, shape: renamed(joined([own]), columns) }];
  });
}

/** In these, `from orders o, o.items i` has a row for each item of a column. */
const dialectsWithColumnsAsSources = new Set(['bigquery', 'redshift', 'databricks', 'spark']);

function isColumnOfSource(reading: Reading, table: SqlNode, { scope }: Around): boolean {
  if (!dialectsWithColumnsAsSources.has(reading.dialect)) return false;
  const parts = ['catalog', 'schema', 'name'].flatMap((key) => nameAt(table, key) ?? []);
  const [first = ''] = parts;
  if (parts.length < 2) return false;
  for (let at = scope; at !== null; at = at.parent) {
    if (!at.sources.some(({ name }) => name === first.toLowerCase())) continue;
    resolveColumn(reading, parts, at);
    return true;
  }
  return false;
}

/** A query of `with`, or a relation; both if only their quotes say which of them is meant. */
function shapesOf(reading: Reading, table: SqlNode, around: Around): readonly Shape[] {
  const [name, isQuoted] = [nameAt(table, 'name') ?? '', nodeAt(table, 'name')?.quoted === true];
  const isQualified = nameAt(table, 'schema') !== null || nameAt(table, 'catalog') !== null;
  for (let at = isQualified ? null : around.queries; at !== null; at = at.next) {
    if (at.name.toLowerCase() !== name.toLowerCase()) continue;
    const isSure = at.name === name || (!at.isQuoted && !isQuoted);
    if (isSure) return [at.shape];
    const relation = relationOf(reading, table);
    readEverything(relation, 'only quotes tell its name from that of a query');
    return [at.shape, relation];
  }
  return [relationOf(reading, table)];
}

/** The columns of a result. */
function readResult(reading: Reading, list: readonly unknown[], around: Around): Derived {
  const [names, stars] = [new Set<string>(), [] as Derived['stars'][number][]];
  let isOpen = false;
  const add = (name: string | null) => {
    if (name === null) isOpen = true;
    else names.add(name.toLowerCase());
  };
  for (const each of list) {
    const { kind = '', body = {} } = expressionOf(each) ?? {};
    if (kind === 'star') {
      const read = readStar(reading, body, around);
      for (const name of read.names) names.add(name);
      for (const { shape } of read.sources) stars.push(starOf(shape, read.hides));
      isOpen ||= read.sources.length === 0;
      continue;
    }
    walk(reading, kind === 'alias' ? body.this : each, around);
    if (kind === 'alias') add(nameAt(body, 'alias'));
    else if (kind === 'column') add(nameAt(body, 'name'));
    else add(kind === 'dot' ? nameAt(body, 'field') : null);
  }
  return { kind: 'derived', names, stars, isOpen };
}

/** `*` with what it leaves out, replaces and renames, all of which it names. */
function readStar(reading: Reading, star: SqlNode, around: Around) {
  reading.understood.add(star);
  const sources = sourcesOfStar(reading, star, around.scope) ?? [];
  const [names, hides] = [new Set<string>(), new Set<string>()];
  const take = (column: string) => {
    hides.add(column.toLowerCase());
    const scope: Scope = { ...openScope(null), sources: [...sources] };
    resolveColumn(reading, [column], scope);
  };
  for (const column of namesAt(star, 'except')) take(column);
  for (const each of listAt(star, 'replace')) {
    const alias = nameAt(each, 'alias') ?? '';
    hides.add(alias.toLowerCase());
    names.add(alias.toLowerCase());
    walk(reading, isNode(each) ? each.this : null, around);
  }
  for (const pair of listAt(star, 'rename')) {
    const [from = '', to = ''] = namesAt({ pair }, 'pair');
    take(from);
    names.add(to.toLowerCase());
  }
  return { sources, names, hides };
}

/** A statement that changes a table, and reads others, or the table itself. */
export function readChange(reading: Reading, body: SqlNode, around: Around): void {
  const scope = openScope(around.scope);
  const withQueries = nodeAt(body, 'with') ?? nodeAt(nodeAt(body, 'with_'), 'with');
  const inside: Around = { ...addQueries(reading, withQueries, around), scope };
  const place = { ...inside, scope: around.scope, to: scope };
  const {
    this: merged,
    table,
    query,
    from_clause,
    from_joins,
    table_joins,
    joins,
    ...others
  } = body;
  const { using, extra_tables, tables, with: _with, with_: _with_, ...rest } = others;
  if (isNode(table)) {
    reading.understood.add(table);
    // A row is only added to it, unless something is asked of it.
    const asks = ['returning', 'output', 'on_conflict'];
    const isAsked = !('columns' in body) || asks.some((key) => !isEmpty(body[key]));
    const target = { ...table, alias: table.alias ?? body.alias };
    if (isAsked) scope.sources.push(...readTable(reading, target, inside));
  }
  const more = [merged, ...[using].flat(), ...[extra_tables].flat(), ...[tables].flat()];
  for (const each of more) {
    const isBare = isNode(each) && isTable('table', each);
    scope.sources.push(...readSources(reading, isBare ? { table: each } : each, place));
  }
  const all = [table_joins, from_joins, joins].flat();
  readFrom(reading, { from: from_clause, joins: all }, inside);
  if (isQuery(query)) {
    readEverything(
      readQuery(reading, query, { ...inside, scope: around.scope }),
      'select * is written to a table',
    );
  } else walk(reading, query, inside);
  const { returning, output, ...conditions } = rest;
  walk(reading, conditions, inside);
  const rows = changedRows(reading, scope);
  walk(reading, { returning, output }, { ...inside, scope: { ...scope, sources: rows } });
}

/** What a change gives back may name its rows as they were, and as they are. */
const rowNames: Readonly<Record<string, readonly string[]>> = {
  tsql: ['inserted', 'deleted'],
  postgresql: ['old', 'new'],
};

function changedRows({ dialect }: Reading, { sources }: Scope): Source[] {
  const [target] = sources;
  // In T-SQL, the target may be named by the other name that `from` gives it.
  const changed = sources.filter(({ name }) => name === target?.name);
  const names = (rowNames[dialect] ?? []).filter((name) =>
    sources.every((each) => each.name !== name),
  );
  const rows = names.flatMap((name) => changed.map(({ shape }) => ({ name, path: [], shape })));
  return [...sources, ...rows];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** An expression, or any part of a statement: every column in it is read. */
function walk(reading: Reading, root: unknown, around: Around): void {
  const waiting: { readonly value: unknown; readonly hidden: ReadonlySet<string> }[] = [
    { value: root, hidden: new Set() },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, hidden } = next;
    if (Array.isArray(value)) for (const each of value) waiting.push({ value: each, hidden });
    if (!isNode(value)) continue;
    for (const [key, each] of Object.entries(value)) {
      if (key === 'lambda' && isNode(each)) {
        const parameters = namesAt(each, 'parameters').map((name) => name.toLowerCase());
        waiting.push({ value: each.body, hidden: new Set([...hidden, ...parameters]) });
      } else if (!isNode(each) || !readPart(reading, key, each, { around, hidden })) {
        waiting.push({ value: each, hidden });
      }
    }
  }
}

interface PartPlace {
  readonly around: Around;
  /** The parameters of the lambdas that the part is in: they are no columns. */
  readonly hidden: ReadonlySet<string>;
}

/** Whether the part has been read, with all that is in it. */
function readPart(
  reading: Reading,
  key: string,
  part: SqlNode,
  { around, hidden }: PartPlace,
): boolean {
  const { scope } = around;
  if (isColumn(key, part)) {
    reading.understood.add(part);
    const parts = columnParts(reading, part);
    if (!hidden.has((parts[0] ?? '').toLowerCase())) resolveColumn(reading, parts, scope);
    // DuckDB's `#1` is the first column, Snowflake's `t.$1` that of t.
    const isPosition = parts[0]?.startsWith('#') || /^\$\d+$/.test(parts.at(-1) ?? '');
    if (isPosition) readAll(scope, 'a column is named by position');
    return true;
  }
  if (key === 'dot') {
    const parts = chainOf(reading, part);
    if (parts === null) return false;
    if (!hidden.has((parts[0] ?? '').toLowerCase())) resolveColumn(reading, parts, scope);
    return true;
  }
  if (isStar(key, part)) {
    const { sources } = readStar(reading, part, around);
    for (const { shape } of sources) readEverything(shape, 'an expression takes all columns: *');
    return true;
  }
  if (isTable(key, part)) {
    for (const { shape } of readTable(reading, part, around)) {
      readEverything(shape, 'an expression takes the relation as a whole');
    }
    return true;
  }
  if (key === 'exists' && isQuery(part.this)) {
    readQuery(reading, part.this, around);
    return true;
  }
  if (isQuery({ [key]: part }) && isQueryNode(key, part)) {
    const result = readQuery(reading, { [key]: part }, around);
    readEverything(result, 'select * is the value of an expression');
    return true;
  }
  if (key === 'identifier' && typeof part.name === 'string') {
    if (!hidden.has(part.name.toLowerCase())) resolveColumn(reading, [part.name], scope);
    return true;
  }
  if (key === 'in' && part.is_field === true && reading.dialect === 'clickhouse') {
    // `id in orders` is `id in (select * from orders)`.
    const tables = listAt(part, 'expressions').flatMap(
      (each) => relationNamed(reading, each) ?? [],
    );
    for (const { table } of tables) {
      for (const { shape } of readTable(reading, table, around)) {
        readEverything(shape, 'an expression takes the relation as a whole');
      }
    }
  }
  for (const name of namesInTexts(reading, key, part)) resolveColumn(reading, [name], scope);
  readOddPart(reading, key, part, scope);
  return false;
}

/** A node that is no query may have members that are called as in a query. */
function isQueryNode(kind: string, body: SqlNode): boolean {
  if (kind === 'select') return Array.isArray(body.expressions) && 'from' in body;
  if (kind === 'subquery') return isNode(body.this);
  return setOperations.includes(kind) && isNode(body.left) && isNode(body.right);
}
