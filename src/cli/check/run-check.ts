// Runs a plan on a source: one pass that counts, a few samples of what fails, and the values that the
// validator has to see.

import { type CheckedValue, checkValue } from '../../core/checks/find-faults.ts';
import { type CheckedTerms, openCheck } from '../../core/checks/open-check.ts';
import { rowChangeRule } from '../../core/checks/row-change.ts';
import { duckdbDialect } from '../../core/checks/sql/dialect.ts';
import {
  type CheckPlan,
  describesColumn,
  type PlannedRule,
  planCheck,
} from '../../core/checks/sql/plan-check.ts';
import { keysOfTable, planTable, type TableRule } from '../../core/checks/sql/plan-table.ts';
import type { SourceColumn } from '../../core/checks/sql/source-column.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../core/value/json.ts';
import { stepText } from '../../core/value/json-path.ts';
import { CommandFailure, wrongUsage } from '../exit-code.ts';
import { unread } from './read-values.ts';
import { type Cell, OutOfMemory, type Source, sourceFailure } from './source.ts';
import {
  type CheckedRule,
  maxSamples,
  maxSamplesOfRule,
  type NamedFault,
  namedFault,
  openTally,
  type Sample,
  type Samples,
  undecided,
} from './tally.ts';

export interface CheckResult {
  readonly rows: number;
  readonly rules: readonly CheckedRule[];
  /** The columns whose values were read one by one; `*` stands for whole rows. */
  readonly readByValue: readonly string[];
  /** What of the source was read, where that is not plain. */
  readonly read?: string;
  /** Whether the source has more rows than these. */
  readonly isPart?: true;
}

interface CheckOptions {
  /** Columns whose values are not shown, beside those that the contract marks. */
  readonly redact: readonly string[];
}

/** Rows that break a rule may be rare, so each takes a while to find. */
const sampledRows = 100;

export function runCheck(
  terms: CheckedTerms,
  source: Source,
  options: CheckOptions,
): Promise<CheckResult> {
  const { columns } = source;
  if (columns.length === 0) throw sourceFailure('SOURCE_UNREADABLE', 'The source has no columns.');
  if (openCheck(terms) === null) throw describesNo(terms.part);
  const plan = planCheck(terms, source);
  if (!plan.isRelated) {
    const message = `The source has none of the columns of the contract, such as ${plan.absent[0]}. Check --table, or that the file begins with the names of its columns.`;
    throw sourceFailure('SOURCE_UNREADABLE', message);
  }
  refuseUnknown(options.redact, (name) => columns.some((column) => column.name === name), terms);
  return runPlan(plan, terms, source, options);
}

function describesNo(part: CheckedTerms['part']): CommandFailure {
  return sourceFailure('SOURCE_NOT_SUPPORTED', `The contract describes no ${part}.`);
}

/** A name that is misspelt would hide nothing, and nobody would see it before the values are out. */
function refuseUnknown(
  redact: Iterable<string>,
  isKnown: (name: string) => boolean,
  terms: CheckedTerms,
): void {
  const unknown = [...redact].find((name) => !isKnown(name) && !describesColumn(terms, name));
  if (unknown === undefined) return;
  throw wrongUsage(
    `--redact names ${unknown}, and neither the source nor the contract has a column of this name. Write it as the source does, small and capital letters too.`,
  );
}

export async function runPlan(
  plan: CheckPlan,
  terms: CheckedTerms,
  source: Source,
  { redact }: CheckOptions,
): Promise<CheckResult> {
  const { columns, dialect, from, runsCustomSql } = source;
  const redacted = new Set(redact);
  const tableRules = planTable(terms.guarantees, { columns, dialect, from, runsCustomSql });
  const { rows, counts, aggregates } = await countRows(plan, tableRules, source);
  const countOf = ({ failing }: PlannedRule) => counts.get(failing) ?? 0;
  const samples: Samples = {
    left: maxSamples,
    ofRule: shareOf(
      plan.rules.filter((rule) => rule.failing !== true && countOf(rule) > 0).length +
        plan.streamed.length +
        tableRules.filter(({ found }) => found !== undefined).length,
    ),
    inParts: new Set([...plan.partlyPersonal, ...redacted]),
  };
  const key = rowKey(terms, source, samples, plan);
  const isPlaced = key === source.place && source.placedFrom !== undefined;
  const keyed = { ...source, key, from: isPlaced ? source.placedFrom : source.from };
  const rules: CheckedRule[] = [];
  for (const rule of plan.rules) {
    rules.push(await checkedRule(rule, countOf(rule), keyed, samples));
  }
  rules.push(...plan.absent.map(absentRule));
  for (const rule of tableRules) {
    rules.push(await checkedTable(rule, { rows, aggregates }, source, samples));
  }
  const byValue = plan.needsRows
    ? (await tallyValues(terms, rowsOf(keyed), { samples, redacted })).rules
    : await streamColumns(plan, keyed, { samples, redacted });
  return {
    ...{ rows, rules: [...rules, ...byValue] },
    readByValue: plan.needsRows ? ['*'] : plan.streamed.map(({ column }) => column.name),
  };
}

/** How many samples each of these rules may show. Each shows at least one while there are any left. */
function shareOf(rules: number): number {
  return Math.max(1, Math.min(maxSamplesOfRule, Math.floor(maxSamples / Math.max(rules, 1))));
}

interface KeyedSource extends Source {
  /** The columns that name a row. */
  readonly key: readonly SourceColumn[];
}

/**
 * The primary key, or what the contract says is unique, unless a part of it is not shown; else the place of
 * the row in the source; else the first of its values that may be shown. What the contract does not
 * describe may be personal data that nobody has marked.
 */
function rowKey(
  { guarantees }: CheckedTerms,
  { columns, primaryKey, place }: Source,
  { inParts }: Samples,
  { described }: Pick<CheckPlan, 'described'>,
): readonly SourceColumn[] {
  for (const names of [primaryKey, ...keysOfTable(guarantees)]) {
    const key = names.map((name) => columns.find((column) => column.name === name));
    const isShown = key.every((column) => column !== undefined && !inParts.has(column.name));
    if (key.length > 0 && isShown) return key.flatMap((column) => column ?? []);
  }
  if (place.length > 0) return place;
  return columns
    .filter(({ name, type }) => type.kind !== 'json' && described.has(name) && !inParts.has(name))
    .slice(0, maxNaming);
}

/** How many values name a row that has neither key nor place. */
const maxNaming = 5;
/** Longer parts of a key are not repeated. */
const maxKeyText = 200;

function namedRow(key: readonly SourceColumn[], cells: readonly Cell[]): JsonObject | null {
  const parts = key.flatMap(({ name }, index): readonly (readonly [string, Json])[] => {
    const cell = cells[index] ?? null;
    return (cell?.length ?? 0) > maxKeyText ? [] : [[name, toJson(cell)]];
  });
  return parts.length === 0 ? null : Object.fromEntries(parts);
}

/** Counts everything in one pass over the table, or in a few if there are very many rules or columns. */
async function countRows(plan: CheckPlan, tableRules: readonly TableRule[], source: Source) {
  const asked = [...new Set(plan.rules.map(({ failing }) => failing))].filter(
    (each) => each !== true,
  );
  const { countIf, countsAtOnce } = source.dialect;
  const ofTable = tableRules.flatMap(({ aggregate }) => aggregate ?? []);
  const numbers = [...ofTable, ...asked.map((each) => countIf(String(each)))];
  const cells: Cell[] = [];
  let rows = 0;
  let atOnce = countsAtOnce;
  do {
    const part = numbers.slice(cells.length, cells.length + atOnce);
    const sql = `SELECT ${['count(*)', ...part].join(', ')} FROM ${source.from}`;
    const [[count = null, ...answer] = []] = await source.ask(sql).catch((error) => {
      if (!(error instanceof OutOfMemory) || part.length < 2) throw error;
      // Each column takes memory while it is read.
      atOnce = Math.ceil(part.length / 2);
      return [[String(rows)]];
    });
    rows = Number(count);
    cells.push(...answer);
  } while (cells.length < numbers.length);
  const aggregates = new Map(ofTable.map((each, index) => [each, cells[index] ?? null]));
  const counts = new Map<PlannedRule['failing'], number>(
    asked.map((each, index) => [each, Number(cells[ofTable.length + index])]),
  );
  counts.set(true, rows);
  return { rows, counts, aggregates };
}

function absentRule(name: string): CheckedRule {
  const message = 'is not a column of the source, and the contract does not require it';
  return { name: `$${stepText(name)} column`, status: 'skipped', rows: null, message, samples: [] };
}

async function checkedRule(
  { name, message, column, failing, isOfOtherType }: PlannedRule,
  rows: number,
  source: KeyedSource,
  samples: Samples,
): Promise<CheckedRule> {
  // A column that is missing is wrong, whether or not there are rows.
  const status = rows === 0 && failing !== true ? 'passed' : 'failed';
  const told = { name, status, rows, message, ...(isOfOtherType && { isOfOtherType }) } as const;
  const { key, dialect, from } = source;
  const isSampled = rows > 0 && column !== null && failing !== true;
  const shown = isSampled ? source.columns.find((each) => each.name === column) : undefined;
  const isHidden = column !== null && samples.inParts.has(column);
  const limit = Math.min(samples.left, samples.ofRule);
  if (shown === undefined || limit === 0 || (isHidden && key.length === 0)) {
    return { ...told, samples: [] };
  }
  const keys = key.map((each, index) => `${dialect.json(each)} AS key_${index}`);
  const asked = isHidden ? keys : [`${dialect.json(shown)} AS found`, ...keys];
  const first = `SELECT ${asked.join(', ')} FROM ${from} WHERE ${failing} LIMIT ${sampledRows}`;
  // Of the first rows that fail, the different values, each with one row that has it.
  const distinct = isHidden ? 'DISTINCT' : 'DISTINCT ON (found)';
  const found = await source.ask(`SELECT ${distinct} * FROM (${first}) AS failing LIMIT ${limit}`);
  samples.left -= found.length;
  const shownSamples = found.map((cells): Sample => {
    if (isHidden) return { row: namedRow(key, cells) };
    const [value = null, ...ofKey] = cells;
    return { value: toJson(value), row: namedRow(key, ofKey) };
  });
  return { ...told, samples: shownSamples };
}

interface Counted {
  readonly rows: number;
  /** What one pass over the table has computed already. */
  readonly aggregates: ReadonlyMap<string, Cell>;
}

async function checkedTable(
  rule: TableRule,
  { rows, aggregates }: Counted,
  source: Source | null,
  samples: Samples,
): Promise<CheckedRule> {
  const { name, message, aggregate, question, atMost = 0, atLeast } = rule;
  if (atLeast !== undefined) {
    const status = rows < atLeast ? 'failed' : 'passed';
    return { name, status, rows: null, message, samples: [] };
  }
  if ((aggregate ?? question) === undefined || source === null) {
    return { name, status: 'skipped', rows: null, message, samples: [] };
  }
  const known = aggregates.get(aggregate ?? '');
  const asked = question ?? `SELECT ${aggregate} FROM ${source.from}`;
  const cell = known === undefined ? await askOne(asked, name, source) : known;
  const isFailed = cell === null ? rule.failsOnNull === true : Number(cell) > atMost;
  return {
    ...{ name, message, samples: isFailed ? await repeatedRows(rule, source, samples) : [] },
    status: isFailed ? 'failed' : 'passed',
    rows: rule.countsRows === true ? Number(cell ?? 0) : null,
  };
}

async function askOne(question: string, rule: string, { ask }: Source): Promise<Cell> {
  const [[cell = null] = []] = await ask(question).catch((error) => {
    // The question may be SQL of the contract, and whoever reads this has to find it.
    if (!(error instanceof CommandFailure)) throw error;
    throw new CommandFailure(error.code, `${error.message} This is about the rule ${rule}.`);
  });
  return cell;
}

async function repeatedRows(
  { found }: TableRule,
  source: Source,
  samples: Samples,
): Promise<readonly Sample[]> {
  const limit = Math.min(samples.left, samples.ofRule);
  if (found === undefined || limit === 0) return [];
  if (found.key.some(({ name }) => samples.inParts.has(name))) return [];
  const rows = await source.ask(found.sql(limit));
  const named = rows.map((cells) => namedRow(found.key, cells));
  const shown = named.flatMap((row) => (row === null ? [] : [{ row }]));
  samples.left -= shown.length;
  return shown;
}

function toJson(cell: Cell): Json {
  if (cell === null) return null;
  const parsed = parseJson(cell);
  return parsed.ok ? parsed.value : cell;
}

/** The value of a column in a row; null if the row has no such member. */
type Member = ReturnType<typeof parseJson> | null;

const nothing: Member = { ok: true, value: null, hasExactNumbers: false };

/** What asks for the columns of each row, and for what names it, and what the answer says. */
function readingOf({ dialect, from, key }: KeyedSource, columns: readonly SourceColumn[]) {
  const isMissing = columns.flatMap(({ missing }) => missing?.rows ?? []);
  const asked = [...[...columns, ...key].map((column) => dialect.json(column)), ...isMissing];
  return {
    sql: `SELECT ${asked.join(', ')} FROM ${from}`,
    membersOf: (row: readonly Cell[]): readonly Member[] => {
      let at = columns.length + key.length;
      return columns.map(({ missing }, index) => {
        if (missing !== undefined && row[at++] === 'true') return null;
        const cell = row[index] ?? null;
        return cell === null ? nothing : parseJson(cell);
      });
    },
    nameOf: (row: readonly Cell[]) => namedRow(key, row.slice(columns.length)),
  };
}

/** What may be shown of the values that the validator refuses. */
interface Showing {
  readonly samples: Samples;
  readonly redacted: ReadonlySet<string>;
}

async function streamColumns(
  { streamed, root }: CheckPlan,
  source: KeyedSource,
  { samples, redacted }: Showing,
): Promise<readonly CheckedRule[]> {
  const tally = openTally(samples);
  for (const isCertain of [true, false]) {
    const part = streamed.filter(({ certain }) => (certain !== null) === isCertain);
    if (part.length === 0) continue;
    const reading = readingOf(
      source,
      part.map(({ column }) => column),
    );
    const certain = part.flatMap((each) => each.certain ?? []);
    // Rows with a value that has to be seen.
    const which = isCertain ? ` WHERE NOT (${certain.join(' AND ')})` : '';
    for await (const batch of source.stream(`${reading.sql}${which}`)) {
      for (const row of batch) {
        const members = reading.membersOf(row);
        for (const [index, one] of part.entries()) {
          const faults = faultsOf(one, members[index] ?? null, { root, redacted });
          if (faults.length > 0) tally.add(faults, reading.nameOf(row));
        }
      }
    }
  }
  return tally.rules(streamed.map(({ column }) => column.name));
}

function faultsOf(
  { column, demands }: CheckPlan['streamed'][number],
  member: Member,
  { root, redacted }: Pick<CheckPlan, 'root'> & Pick<Showing, 'redacted'>,
): readonly NamedFault[] {
  if (member === null) return [];
  const place = { root, steps: [column.name], redacted };
  return demands.flatMap(({ node, guarantee }): readonly NamedFault[] => {
    const { verdict, faults } = member.ok
      ? checkValue(node, member.value, place)
      : unread(`is not JSON: ${member.message}`);
    if (verdict === 'undecided') return [undecided(column.name)];
    return faults.map((fault) => namedFault(fault, column.name, guarantee));
  });
}

/** A value that is a row, and what names the row. */
export type RowValue = (
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly checked: CheckedValue }
) & { readonly row: JsonObject | null };

/** Values that are whole rows: of a source, or of a file of NDJSON. */
async function tallyValues(
  terms: CheckedTerms,
  values: AsyncIterable<RowValue>,
  { samples, redacted }: Showing,
) {
  const check = openCheck(terms, redacted);
  if (check === null) throw describesNo(terms.part);
  const tally = openTally(samples);
  let rows = 0;
  const unseen = new Set(redacted);
  for await (const value of values) {
    rows++;
    for (const name of unseen) if (hasMember(value, name)) unseen.delete(name);
    const { verdict, faults } = value.ok ? check(value.value) : value.checked;
    if (verdict === 'valid') continue;
    const named =
      verdict === 'undecided'
        ? [undecided(null)]
        : faults.map((fault) => namedFault(fault, null, null));
    tally.add(named, value.row);
  }
  if (rows > 0) refuseUnknown(unseen, () => false, terms);
  return { rows, rules: tally.rules(['*']) };
}

function hasMember(value: RowValue, name: string): boolean {
  return value.ok && isJsonObject(value.value) && Object.hasOwn(value.value, name);
}

async function* rowsOf(source: KeyedSource): AsyncGenerator<RowValue> {
  const { columns, stream } = source;
  const reading = readingOf(source, columns);
  for await (const batch of stream(reading.sql)) {
    for (const cells of batch) {
      const row = reading.nameOf(cells);
      const members = reading.membersOf(cells);
      const broken = members.find((member) => member?.ok === false);
      if (broken?.ok === false) {
        yield { ok: false, checked: unread(`is not JSON: ${broken.message}`), row };
        continue;
      }
      const entries = columns.flatMap(({ name }, index) => {
        const member = members[index] ?? null;
        return member?.ok === true ? [[name, member.value] as const] : [];
      });
      yield { ok: true, value: Object.fromEntries(entries), row };
    }
  }
}

export interface LinesOptions extends CheckOptions {
  /** Asked once all values were read: the members that rules of the whole table read. */
  readonly openTable?: () => Promise<Source>;
  /** Whether there are more values than these, so that their number says nothing. */
  readonly isPart?: boolean;
}

/** Values that are JSON already, as the validator reads them. */
export async function checkLines(
  terms: CheckedTerms,
  values: AsyncIterable<RowValue>,
  { redact, openTable, isPart = false }: LinesOptions,
): Promise<CheckResult> {
  const redacted = new Set(redact);
  const ofRule = maxSamplesOfRule;
  const samples: Samples = { left: maxSamples, ofRule, inParts: redacted };
  const { rows, rules } = await tallyValues(terms, values, { samples, redacted });
  const source = openTable === undefined ? null : await openTable();
  try {
    const ofTable: CheckedRule[] = [];
    for (const rule of planTable(terms.guarantees, source ?? noTable)) {
      const skipped = isPart ? unknownOfPart(rule, rows) : null;
      const counted = { rows, aggregates: new Map() };
      ofTable.push(skipped ?? (await checkedTable(rule, counted, source, samples)));
    }
    const part = isPart ? { isPart } : {};
    return { rows, rules: [...ofTable, ...rules], readByValue: ['*'], ...part };
  } finally {
    await source?.close();
  }
}

/** A part does not say how many rows there are, and an empty one not how old the newest is. */
function unknownOfPart(
  { name, atLeast, failsOnNull }: TableRule,
  rows: number,
): CheckedRule | null {
  const isAboutRows = atLeast !== undefined || name === rowChangeRule;
  if (!isAboutRows && (failsOnNull !== true || rows > 0)) return null;
  const message = 'is not checked, because only a part of the source was read';
  return { name, status: 'skipped', rows: null, message, samples: [] };
}

const noTable = { columns: [], dialect: duckdbDialect, from: '', runsCustomSql: false };
