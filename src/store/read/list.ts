// Reads a page of a list, by number or by keyset from a cursor. Page 10,000 by cursor costs as much
// as page 1, and the total comes in the same round trip.

import {
  type DatabasePool,
  type FragmentSqlToken,
  type PrimitiveValueExpression,
  type QuerySqlToken,
  sql,
} from 'slonik';
import { z } from 'zod';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Listed, ListQuery, Sort } from '../../registry/lists.ts';
import { plannedEachTime } from '../postgres/rows.ts';

interface ListSource<Row, T, SortField extends string> {
  readonly shape: z.ZodType<Row>;
  readonly columns: FragmentSqlToken;
  readonly tables: FragmentSqlToken;
  /** The tables that conditions and order need. Counting and selecting a page join only these. */
  readonly countedTables: FragmentSqlToken;
  /** For a list whose filters compete for the plan: planned for its values each time. */
  readonly isPlannedEachTime?: boolean;
  readonly id: FragmentSqlToken;
  readonly sorts: Readonly<Record<SortField, SortColumn>>;
  readonly defaultSort: Sort<NoInfer<SortField>>;
  readonly toEntity: (row: Row) => T;
}

interface List<Row, T, SortField extends string> extends ListSource<Row, T, SortField> {
  readonly pageShape: z.ZodType<PageRow<Row>>;
  readonly shapeOfPlanned: z.ZodType<PageRow<Row>>;
  /** Its cached queries, by their shapes. */
  readonly written: Map<string, Written<QuerySqlToken<z.ZodType<PageRow<Row>>>>>;
}

/** A row of a page, or the single row that carries the total of an empty page. */
type PageRow<Row> = (Row | { readonly id: null }) & {
  readonly id: string | null;
  readonly total: number | null;
  readonly sortKey: string | null;
};

export function defineList<Row, T, SortField extends string>(
  source: ListSource<Row, T, SortField>,
): List<Row, T, SortField> {
  const pageShape = z.custom<PageRow<Row>>(
    (row) =>
      typeof row === 'object' &&
      row !== null &&
      'id' in row &&
      (row.id === null || source.shape.safeParse(row).success),
  );
  return { ...source, pageShape, shapeOfPlanned: plannedEachTime(pageShape), written: new Map() };
}

/**
 * Whether several filters compete: any of them may be the one that few rows pass, and only the
 * values tell Postgres which. A single filter has its index, whatever the value.
 */
export function haveRivals(filters: readonly unknown[]): boolean {
  return filters.filter((filter) => filter !== undefined).length > 1;
}

interface SortColumn {
  readonly column: FragmentSqlToken;
  readonly type: 'text' | 'timestamptz' | 'date';
}

export async function listPage<Row, T, SortField extends string>(
  pool: DatabasePool,
  source: List<Row, T, SortField>,
  conditions: readonly FragmentSqlToken[],
  query: ListQuery<SortField>,
): Promise<Outcome<Listed<T>>> {
  const { field, direction } = query.sort ?? source.defaultSort;
  const from = query.cursor === undefined ? null : parseCursor(query.cursor, field, direction);
  const sort = source.sorts[field];
  if (from === 'malformed' || (from !== null && !isKeyOf(sort, from.key))) return refuseCursor();
  const { includeTotal, pageSize } = query;
  // A page number skips the pages before it; a cursor contains the position.
  const skip = from === null ? (query.page - 1) * pageSize : 0;
  const shape = { field, direction, includeTotal, isAfter: from !== null, skips: skip > 0 };
  const values = [...conditions.flatMap((each) => each.values), from?.key ?? '', from?.id ?? ''];
  const rows = await pool.any(
    pageQuery(source, shape, conditions, [...values, pageSize + 1, skip]),
  );
  return accept(toListed(rows, source, { field, direction }, query.pageSize));
}

/** The parts of a page's query that vary, except its conditions. */
interface PageQueryShape<SortField extends string> extends Sort<SortField> {
  readonly includeTotal: boolean;
  readonly isAfter: boolean;
  readonly skips: boolean;
}

/** A query's text, and for each of its values the index of the given value that it comes from. */
interface Written<Query> {
  readonly query: Query;
  readonly places: readonly number[];
}

/**
 * Limits the cache, because filters can be combined in many ways; beyond it texts are built each
 * time.
 */
const writtenLimit = 500;

/**
 * Builds the query of a page. Its text is cached for each shape, with placeholders for the values,
 * because building it takes some 6 us.
 */
function pageQuery<Row, T, SortField extends string>(
  list: List<Row, T, SortField>,
  shape: PageQueryShape<SortField>,
  conditions: readonly FragmentSqlToken[],
  values: readonly PrimitiveValueExpression[],
) {
  const isPlanned = String(list.isPlannedEachTime === true);
  const name = [isPlanned, ...Object.values(shape), ...conditions.map((each) => each.sql)].join(
    '\n',
  );
  let written = list.written.get(name);
  if (written === undefined) {
    written = writePage(list, shape, conditions);
    if (list.written.size < writtenLimit) list.written.set(name, written);
  }
  const { query, places } = written;
  return { ...query, values: places.map((place) => values[place] ?? null) };
}

function writePage<Row, T, SortField extends string>(
  source: List<Row, T, SortField>,
  { field, direction, includeTotal, isAfter, skips }: PageQueryShape<SortField>,
  conditions: readonly FragmentSqlToken[],
): Written<QuerySqlToken<z.ZodType<PageRow<Row>>>> {
  let place = 0;
  const own = conditions.map((each) => ({ ...each, values: each.values.map(() => place++) }));
  const [key, id, limit, offset] = [place, place + 1, place + 2, place + 3];
  const sort = source.sorts[field];
  const order = direction === 'ascending' ? sql.fragment`asc` : sql.fragment`desc`;
  const total = includeTotal
    ? sql.fragment`(select count(*) from ${source.countedTables} where ${all(own)})`
    : sql.fragment`null::bigint`;
  const wanted = all(isAfter ? [...own, after(source, sort, direction, key, id)] : own);
  // Details of a row are looked up only for the page, however many rows the planner expects. An
  // unfiltered page is read directly in the order of an index.
  const isPlain = !skips && own.every(({ values }) => values.length === 0);
  const first = sql.fragment`
    order by ${sort.column} ${order}, ${source.id} ${order}
    limit ${limit}`;
  // Without an order, because for the sake of one Postgres might walk the index of the order to
  // find the rows.
  const picked = isPlain
    ? sql.fragment`${wanted} ${first}`
    : sql.fragment`${source.id} = any(array(
        select ${source.id} from ${source.countedTables} where ${wanted}
        ${first} offset ${offset}))`;
  const pageShape = source.isPlannedEachTime === true ? source.shapeOfPlanned : source.pageShape;
  const query = sql.type(pageShape)`
    select counted.total, page.*
    from (select ${total} as total) counted
    left join (
      select ${source.columns}, (${sort.column})::text as "sortKey"
      from ${source.tables}
      where ${picked}
    ) page on true
    ${sql.fragment`order by page."sortKey" ${order}, page.id ${order}`}`;
  return {
    query: { ...query, sql: query.sql.replaceAll('$slonik_', '$') },
    places: query.values.map(Number),
  };
}

function after(
  source: Pick<ListSource<never, never, never>, 'id'>,
  sort: SortColumn,
  direction: Sort<string>['direction'],
  key: number,
  id: number,
): FragmentSqlToken {
  const comparison = direction === 'ascending' ? sql.fragment`>` : sql.fragment`<`;
  const from = {
    text: sql.fragment`${key}::text`,
    timestamptz: sql.fragment`${key}::timestamptz`,
    date: sql.fragment`${key}::date`,
  }[sort.type];
  return sql.fragment`(${sort.column}, ${source.id}) ${comparison} (${from}, ${id}::uuid)`;
}

/** One row more than the page holds shows that there is another page. */
function toListed<Row, T, SortField extends string>(
  rows: readonly PageRow<Row>[],
  list: List<Row, T, SortField>,
  sort: Sort<SortField>,
  pageSize: number,
): Listed<T> {
  const results: T[] = [];
  let last: CursorPlace | null = null;
  for (const row of rows) {
    if (!isFull(row) || results.length === pageSize) break;
    results.push(list.toEntity(row));
    last = { key: row.sortKey ?? '', id: row.id };
  }
  const goesOn = rows.length > pageSize;
  return {
    results,
    total: rows[0]?.total ?? null,
    nextCursor: goesOn && last !== null ? formatCursor(sort.field, sort.direction, last) : null,
  };
}

function isFull<Row>(row: PageRow<Row>): row is PageRow<Row> & Row & { readonly id: string } {
  return row.id !== null;
}

export function all(conditions: readonly FragmentSqlToken[]): FragmentSqlToken {
  if (conditions.length === 0) return sql.fragment`true`;
  return sql.fragment`${sql.join(conditions, sql.fragment` and `)}`;
}

export function refuseCursor(): Outcome<never> {
  return refuse(
    'VALIDATION_ERROR',
    'The cursor is invalid for this list and sort order. Start again without a cursor.',
    { field: 'cursor' },
  );
}

/** The field, the direction, the last sort key, the last id. */
const cursorShape = z.tuple([z.string(), z.string(), z.string(), z.uuid()]);

interface CursorPlace {
  readonly key: string;
  readonly id: string;
}

export function parseCursor(
  text: string,
  field: string,
  direction: string,
): CursorPlace | 'malformed' {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const [wasField, wasDirection, key, id] = cursorShape.parse(decoded);
    const isOfThis = wasField === field && wasDirection === direction;
    // Postgres stores no NUL, so no list produced this cursor.
    return isOfThis && !key.includes('\0') ? { key, id } : 'malformed';
  } catch {
    return 'malformed';
  }
}

/** Callers can forge a cursor, and Postgres would fail on an invalid time. */
function isKeyOf({ type }: SortColumn, key: string): boolean {
  if (type === 'text') return true;
  // Rows without a time or a day come after all others.
  if (key === 'infinity') return true;
  // Postgres has no such year.
  if (key.startsWith('0000')) return false;
  if (type === 'date') return z.iso.date().safeParse(key).success;
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d{1,6})?\+00$/.exec(key) ?? [];
  const at = new Date(`${day}T${time}Z`);
  // The round trip must give the same date, because JavaScript reads the 31st of February as
  // another day.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${day}T${time}`);
}

export function formatCursor(field: string, direction: string, place: CursorPlace): string {
  const decoded = JSON.stringify([field, direction, place.key, place.id]);
  return Buffer.from(decoded).toString('base64url');
}
