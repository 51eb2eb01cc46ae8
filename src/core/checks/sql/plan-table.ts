// The guarantees that speak of a whole table: how fresh it is, how large, and rules of its own.

import { arrayAt, memberOf, objectAt, textAt } from '../../import/read-json.ts';
import type { JsonObject } from '../../value/json.ts';
import { limitOfRowChange, rowChangeRule } from '../row-change.ts';
import type { SqlDialect } from './dialect.ts';
import type { SourceColumn } from './source-column.ts';

export interface TableRule {
  readonly name: string;
  readonly message: string;
  /** SQL for one number, or null if the table has no rows. One pass over the table computes it for all rules. */
  readonly aggregate?: string;
  /** The same, as a query of its own. Without either, the rule cannot be checked here. */
  readonly question?: string;
  /** The rule fails if the table has fewer rows. */
  readonly atLeast?: number;
  /** The rule fails if the number is greater, or is null and `failsOnNull` is set. */
  readonly atMost?: number;
  readonly failsOnNull?: boolean;
  /** Whether the number counts rows. */
  readonly countsRows?: boolean;
  /** Finds what names the rows that fail, at most as many as asked for. */
  readonly found?: {
    readonly key: readonly SourceColumn[];
    readonly sql: (limit: number) => string;
  };
}

interface TablePlanning {
  readonly columns: readonly SourceColumn[];
  readonly dialect: SqlDialect;
  readonly from: string;
  readonly runsCustomSql: boolean;
}

/** @example planTable({ volume: { min_rows: 1 } }, planning)[0]?.name // 'volume.min_rows' */
export function planTable(
  guarantees: JsonObject | null,
  planning: TablePlanning,
): readonly TableRule[] {
  if (guarantees === null) return [];
  const entries = customOf(guarantees).map((entry, index) => customRule(entry, index, planning));
  return [...freshnessRules(guarantees, planning), ...volumeRules(guarantees), ...entries];
}

/**
 * The columns that these rules read.
 *
 * @example columnsOfTable({ custom: [{ type: 'unique', column: 'id' }] }) // ['id']
 */
export function columnsOfTable(guarantees: JsonObject | null): readonly string[] {
  const measuredBy = textAt(objectAt(guarantees ?? {}, 'freshness'), 'measured_by');
  const keys = customOf(guarantees).flatMap(namesOf);
  return [...new Set([...(measuredBy === undefined ? [] : [measuredBy]), ...keys])];
}

/**
 * The columns of each rule that says what is unique.
 *
 * @example keysOfTable({ custom: [{ type: 'unique', column: 'id' }] }) // [['id']]
 */
export function keysOfTable(guarantees: JsonObject | null): readonly (readonly string[])[] {
  return customOf(guarantees)
    .filter((entry) => textAt(entry, 'type') === 'unique')
    .map(namesOf);
}

function customOf(guarantees: JsonObject | null): readonly JsonObject[] {
  const entries = arrayAt(guarantees ?? {}, 'custom') ?? [];
  return entries.map((entry) => objectAt({ entry }, 'entry') ?? {});
}

function freshnessRules(guarantees: JsonObject, { columns, dialect }: TablePlanning) {
  const freshness = objectAt(guarantees, 'freshness');
  const minutes = memberOf(freshness, 'max_staleness_minutes');
  if (typeof minutes !== 'number') return [];
  const name = 'freshness';
  const measuredBy = textAt(freshness, 'measured_by');
  const column = columns.find((each) => each.name === measuredBy);
  const age = column === undefined ? null : dialect.age(column);
  if (age === null) {
    const message =
      measuredBy === undefined
        ? 'is not checked, because measured_by names no column'
        : `is not checked, because ${measuredBy} is not a column with a date or time`;
    return [{ name, message }];
  }
  const message = `must be at most ${minutes} minutes old by ${measuredBy}`;
  return [{ name, message, aggregate: age, atMost: minutes * 60, failsOnNull: true }];
}

function volumeRules(guarantees: JsonObject): readonly TableRule[] {
  const volume = objectAt(guarantees, 'volume');
  const least = memberOf(volume, 'min_rows');
  return [
    ...(typeof least === 'number'
      ? [
          {
            name: 'volume.min_rows',
            message: `must have at least ${least} rows`,
            atLeast: least,
          },
        ]
      : []),
    ...(limitOfRowChange(guarantees) === null
      ? []
      : [
          {
            name: rowChangeRule,
            message:
              'is not checked, because the rows of an earlier run are not known: give --rows-before, or a contract of a registry that runs are recorded in',
          },
        ]),
  ];
}

function customRule(entry: JsonObject, index: number, planning: TablePlanning): TableRule {
  const type = textAt(entry, 'type') ?? '';
  const columns = namesOf(entry);
  const sql = textAt(entry, 'sql') ?? textAt(entry, 'query');
  const about = textAt(entry, 'name') ?? ([type, ...columns].join('.') || String(index + 1));
  const name = `custom.${about}`;
  if (type === 'unique' && columns.length > 0) return uniqueRule(name, columns, planning);
  if (sql === undefined || sql.includes('{{')) {
    return { name, message: 'is not checked here: it is a test of the tool that it comes from' };
  }
  if (!planning.runsCustomSql) {
    return { name, message: 'is not checked, because SQL of a contract runs only on Postgres' };
  }
  const question = `SELECT count(*) FROM (${sql}\n) AS failing`;
  return {
    name,
    message: 'is a query that must find no rows',
    question,
    atMost: 0,
    countsRows: true,
  };
}

function namesOf(entry: JsonObject): readonly string[] {
  const column = textAt(entry, 'column');
  if (column !== undefined) return [column];
  return (arrayAt(entry, 'columns') ?? []).filter((each) => typeof each === 'string');
}

function uniqueRule(
  name: string,
  columns: readonly string[],
  { columns: known, dialect, from }: TablePlanning,
): TableRule {
  const key = columns.flatMap((name) => known.find((column) => column.name === name) ?? []);
  const missing = columns.find((name) => !key.some((column) => column.name === name));
  if (missing !== undefined) {
    return { name, message: `is not checked, because the table has no column ${missing}` };
  }
  const incomparable = key.find((column) => dialect.same(column) === null);
  if (incomparable !== undefined) {
    const message = `is not checked, because values of the type ${incomparable.sqlType} are not compared here`;
    return { name, message };
  }
  const keys = key.flatMap((column) => dialect.same(column) ?? []);
  const digests = key
    .map((column, index) => dialect.digest?.(column, keys[index] ?? '') ?? keys[index])
    .join(', ');
  const stated = key.map((column) => `NOT (${dialect.isNull(column)})`).join(' AND ');
  const repeated = `FROM ${from} WHERE ${stated} GROUP BY ${digests} HAVING count(*) > 1`;
  const named = key.map((column, index) => `${keys[index]} AS ${dialect.quoteName(column.name)}`);
  const repeatedBelow = (limit: number) =>
    `SELECT ${named.join(', ')} FROM ${from} WHERE ${stated} AND (${digests}) IN (SELECT ${digests} ${repeated} LIMIT ${limit}) GROUP BY ${keys.join(', ')}`;
  const { json } = dialect;
  const shown = json === null ? null : key.map((column) => json(column)).join(', ');
  return {
    name,
    message: 'must not be the same in two rows',
    question: `SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n ${repeated}) AS repeated`,
    ...{ atMost: 0, countsRows: true },
    ...(shown !== null && {
      found: {
        key,
        sql: (limit: number) =>
          `SELECT ${shown} FROM (${repeatedBelow(limit)}) AS repeated LIMIT ${limit}`,
      },
    }),
  };
}
