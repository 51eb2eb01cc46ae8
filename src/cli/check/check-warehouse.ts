// Checks of a warehouse: the query is printed, whoever may ask the warehouse runs it, and the row that it
// answers is judged here. So credentials of a warehouse never reach this program.

import { hash } from 'node:crypto';
import type { CheckedTerms } from '../../core/checks/open-check.ts';
import { type PrintedRule, printCheck } from '../../core/checks/sql/print-check.ts';
import { warehouses } from '../../core/checks/sql/warehouse-dialects.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../core/value/json.ts';
import type { CommandLineIo } from '../command-line.ts';
import { wrongUsage } from '../exit-code.ts';
import { readTextFile } from '../input/read-text.ts';
import { printable, writeText } from '../output.ts';
import { UnreadableInput } from '../read-input.ts';
import type { CheckResult } from './run-check.ts';
import type { CheckedRule } from './tally.ts';

type WarehouseName = keyof typeof warehouses;
export const warehouseNames = Object.keys(warehouses) as readonly WarehouseName[];

export interface WarehouseOptions {
  readonly printSql: WarehouseName;
  readonly columns?: string;
  readonly table?: string;
}

/** What is not said by the query stands in it as a comment, and on standard error. */
export async function printQuery(
  terms: CheckedTerms,
  options: WarehouseOptions,
  { stdout, stderr }: Pick<CommandLineIo, 'stdout' | 'stderr'>,
): Promise<void> {
  const { sql, left } = await printed(terms, options);
  for (const { name, message } of left) {
    await writeText(stderr, `Not checked: ${printable(`${name}, ${message}`)}\n`);
  }
  await writeText(stdout, sql);
}

/** The row that the query answered, as the client of the warehouse writes it as JSON. */
export async function checkCounts(
  terms: CheckedTerms,
  options: WarehouseOptions,
  path: string,
): Promise<CheckResult> {
  const { rules, left, id } = await printed(terms, options);
  const [row, another] = await readObjects(path);
  if (row === undefined || another !== undefined) {
    throw new UnreadableInput(`${path}: the query of --print-sql answers one row.`);
  }
  const answers = membersOf(row);
  if (answers.get('check_id') !== id) {
    throw new UnreadableInput(
      `${path}: this answers another query. Print the query for this contract, table and columns, run it, and give the row that it answers.`,
    );
  }
  const numberOf = (name: string) => {
    const answer = answers.get(name);
    const number = typeof answer === 'string' ? Number(answer || 'none') : answer;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    throw new UnreadableInput(
      `${path}: there is no number ${name}. Give the row that the query answers, printed for this contract.`,
    );
  };
  const checked = rules.map((rule, index) => judge(rule, numberOf(`rule_${index + 1}`)));
  const skipped = left.map((rule): CheckedRule => {
    return { ...rule, status: 'skipped', rows: null, samples: [] };
  });
  return { rows: numberOf('checked_rows'), rules: [...checked, ...skipped], readByValue: [] };
}

function judge(rule: PrintedRule, found: number): CheckedRule {
  const { name, message, failsAbove, countsRows, isOfOtherType } = rule;
  const status = found > failsAbove ? 'failed' : 'passed';
  const rows = countsRows ? found : null;
  return { name, message, status, rows, samples: [], ...(isOfOtherType && { isOfOtherType }) };
}

async function printed(terms: CheckedTerms, { printSql, columns, table }: WarehouseOptions) {
  if (columns === undefined || table === undefined) {
    throw wrongUsage(
      '--print-sql needs --table, and --columns with the names and types of its columns as the warehouse tells them.',
    );
  }
  const { dialect, column } = warehouses[printSql];
  const described = (await readObjects(columns)).map((each) => {
    const members = membersOf(each);
    const [name, type] = [
      members.get('column_name') ?? members.get('name'),
      members.get('data_type') ?? members.get('type'),
    ];
    if (typeof name === 'string' && typeof type === 'string') return column(name, type);
    throw new UnreadableInput(
      `${columns}: each column has column_name and data_type, or name and type.`,
    );
  });
  if (described.length === 0) throw new UnreadableInput(`${columns}: there is no column.`);
  const sha256 = (text: string) => hash('sha256', text, 'hex');
  return printCheck(terms, described, { dialect, table, sha256 });
}

/** Clients of warehouses write a list, or an object a line; some in capital letters. */
async function readObjects(path: string): Promise<readonly JsonObject[]> {
  const text = await readTextFile(path);
  const whole = parseJson(text);
  const values: readonly Json[] = whole.ok
    ? [whole.value].flat()
    : text.split('\n').flatMap((line) => {
        if (line.trim() === '') return [];
        const parsed = parseJson(line);
        if (!parsed.ok) throw new UnreadableInput(`${path}: ${parsed.message}`);
        return [parsed.value];
      });
  return values.map((value) => {
    if (isJsonObject(value)) return value;
    throw new UnreadableInput(`${path}: this is no object.`);
  });
}

function membersOf(value: JsonObject): ReadonlyMap<string, Json> {
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}
