// What a check must say of a table, by the validator and by ajv, which never see the source.

import { runPlan } from '../../../../src/cli/check/run-check.ts';
import type { Source } from '../../../../src/cli/check/source.ts';
import { checkValue } from '../../../../src/core/checks/find-faults.ts';
import { type CheckPlan, planCheck } from '../../../../src/core/checks/sql/plan-check.ts';
import { parseSchema } from '../../../../src/core/schema/parse-schema.ts';
import { canonicalJson } from '../../../../src/core/value/canonical-json.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { ajvOf } from '../../../core/laws/ajv.ts';
import { schemasOf, type Table } from './columns.ts';

interface Held {
  /** The first column whose count is wrong; null if none is. */
  readonly breach: object | null;
  readonly compiled: number;
  readonly streamed: number;
}

/** Holds every column of a table against what the source answers. */
export async function holdTable(
  plan: typeof planCheck,
  table: Table,
  source: Source,
): Promise<Held> {
  const terms = { schema: table.schema, guarantees: null };
  const planned = plan(terms, source);
  const result = await runPlan(planned, terms, source, { redact: [] });
  const failing = await countFailing(planned, source);
  let streamed = 0;
  const columns = schemasOf(table);
  for (const [index, schema] of columns.entries()) {
    const name = `c${index}`;
    // A row of a file without the column has no such member.
    const having = table.rows.filter((row) => index < row.length);
    const values = having.map((row) => row[index]?.[1] ?? null);
    const isValid = validityOf(schema);
    const refused = values.filter((value) => !isValid(value)).length;
    const isStreamed = result.readByValue.includes(name);
    if (isStreamed) streamed++;
    const ofColumn = result.rules.filter((rule) => new RegExp(`^\\$\\.${name}\\b`).test(rule.name));
    const told = isStreamed
      ? rowsOf(
          ofColumn.map(({ rows }) => rows ?? 0),
          refused,
        )
      : (failing.get(name) ?? 0);
    const expected = refused;
    if (told !== expected || result.rows !== table.rows.length) {
      const type = table.types[index]?.duckdb;
      const breach = { name, type, schema, told, expected, rows: result.rows };
      return { breach, compiled: 0, streamed };
    }
  }
  return { breach: null, compiled: columns.length - streamed, streamed };
}

/** Of values that were read, rows are counted for each rule, and a row may break several. */
function rowsOf(ofRules: readonly number[], refused: number): number {
  const most = Math.max(0, ...ofRules);
  const sum = ofRules.reduce((all, rows) => all + rows, 0);
  return most <= refused && refused <= sum ? refused : most;
}

/** Holds a table whose schema relates columns: whether any of its rows is refused. */
export async function holdRows(table: Table, source: Source): Promise<HeldRows> {
  const terms = { schema: table.schema, guarantees: null };
  const plan = planCheck(terms, source);
  const result = await runPlan(plan, terms, source, { redact: [] });
  const isValid = validityOf(table.schema);
  const rows = table.rows.map((row) =>
    Object.fromEntries(row.map((cell, index) => [`c${index}`, cell?.[1] ?? null])),
  );
  const expected = rows.some((row) => !isValid(row));
  const told = result.rules.some(({ status }) => status === 'failed');
  const isBroken = told !== expected || result.rows !== rows.length;
  return {
    breach: isBroken ? { schema: table.schema, rows, told, expected, rules: result.rules } : null,
    isRefused: expected,
    wereRead: plan.needsRows,
  };
}

/** Holds each column of a table as one whose values are unique: how many rows have a value that another has. */
export async function holdUnique(table: Table, source: Source): Promise<HeldUnique> {
  const names = table.types.map((_, index) => `c${index}`);
  const custom = names.map((column) => ({ type: 'unique', column }));
  const terms = { schema: {}, guarantees: { custom } };
  const { rules } = await runPlan(planCheck(terms, source), terms, source, { redact: [] });
  const statuses = new Set<string>();
  for (const [index, name] of names.entries()) {
    const rule = rules.find((each) => each.name === `custom.unique.${name}`);
    const values = table.rows.map((row) => row[index]?.[1] ?? null);
    const stated = values.filter((value) => value !== null).map(canonicalJson);
    const groups = [...Map.groupBy(stated, (text) => text).values()];
    const expected = groups.reduce((sum, { length }) => sum + (length > 1 ? length : 0), 0);
    statuses.add(rule?.status ?? 'none');
    if (rule?.status === 'skipped' || rule?.rows === expected) continue;
    const breach = { name, type: table.types[index], told: rule?.rows, expected };
    return { breach, statuses };
  }
  return { breach: null, statuses };
}

interface HeldUnique {
  readonly breach: object | null;
  readonly statuses: ReadonlySet<string>;
}

interface HeldRows {
  readonly breach: object | null;
  readonly isRefused: boolean;
  readonly wereRead: boolean;
}

/** Holds the columns that a query speaks of against what it counts, where nothing else is read. */
export async function holdCounts(
  table: Table,
  { columns, dialect, ask, plan = planCheck }: Counted,
): Promise<Held> {
  const planned = plan({ schema: table.schema, guarantees: null }, { columns, dialect });
  const failing = await countFailing(planned, { dialect, from: dialect.quoteName('hostile'), ask });
  const left = new Set(planned.streamed.map(({ column }) => column.name));
  for (const [index, schema] of schemasOf(table).entries()) {
    const name = `c${index}`;
    if (left.has(name)) continue;
    const values = table.rows.map((row) => row[index]?.[1] ?? null);
    const isValid = validityOf(schema);
    const expected = values.filter((value) => !isValid(value)).length;
    const told = failing.get(name) ?? 0;
    if (told !== expected) {
      const failed = planned.rules.filter(({ column }) => column === name);
      const breach = { name, type: columns[index]?.sqlType, schema, told, expected, failed };
      return { breach, compiled: 0, streamed: left.size };
    }
  }
  return { breach: null, compiled: columns.length - left.size, streamed: left.size };
}

interface Counted extends Pick<Parameters<typeof planCheck>[1], 'columns' | 'dialect'> {
  readonly ask: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  readonly plan?: typeof planCheck;
}

/** How many rows fail any rule of a column. */
async function countFailing(
  { rules }: CheckPlan,
  source: Pick<Counted, 'dialect' | 'ask'> & Pick<Source, 'from'>,
) {
  const ofColumns = Map.groupBy(rules, ({ column }) => column ?? '');
  const counters = [...ofColumns.values()].map((each) =>
    source.dialect.countIf(each.map(({ failing }) => `(${failing})`).join(' OR ')),
  );
  const sql = `SELECT ${['count(*)', ...counters].join(', ')} FROM ${source.from}`;
  const [[, ...counts] = []] = await source.ask(sql);
  return new Map([...ofColumns.keys()].map((name, index) => [name, Number(counts[index])]));
}

function validityOf(schema: JsonObject): (value: Json) => boolean {
  const { root } = parseSchema(schema);
  // Compiling takes ajv longer than anything else here, and the mutants meet each table often.
  const ajv = opinions.get(schema) ?? ajvOf('2020-12', schema);
  opinions.set(schema, ajv);
  return (value) => {
    const isOurs = checkValue(root, value).verdict === 'valid';
    const opinion = mayAskAjv(schema, value) ? (ajv?.(value) ?? null) : null;
    if (opinion !== null && (opinion === 'accepted') !== isOurs) {
      throw new Error(`ajv: ${opinion} ${JSON.stringify({ schema, value })}`);
    }
    return isOurs;
  };
}

const opinions = new WeakMap<JsonObject, ReturnType<typeof ajvOf>>();

/** It rounds numbers to doubles, and is asked without formats. */
function mayAskAjv(schema: JsonObject, value: Json): boolean {
  const text = JSON.stringify([schema, value]);
  const widest = Math.max(...[...text.matchAll(/[\d.]+/g)].map(([digits]) => digits.length), 0);
  return !text.includes('"format"') && widest < 10 && !/\de[+-]?\d/.test(text);
}
