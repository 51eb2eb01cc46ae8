// `concordat check`: holds the data of a table or of files against a contract, where the data is.

import { createReadStream } from 'node:fs';
import files, { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { CheckedTerms } from '../../core/checks/open-check.ts';
import {
  judgeRowChange,
  limitOfRowChange,
  type RowsBefore,
  rowChangeRule,
} from '../../core/checks/row-change.ts';
import { rowName } from '../../core/checks/row-name.ts';
import { columnTakesText } from '../../core/checks/sql/plan-check.ts';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, wrongUsage } from '../exit-code.ts';
import { counted, type Paint, paintFor, printable, writeText } from '../output.ts';
import { mustAnswer } from '../registry/connection/connect.ts';
import { checkValues } from './check-values.ts';
import { checkCounts, printQuery, type WarehouseOptions } from './check-warehouse.ts';
import { concludeCheck, type FoundTerms, findTerms, type TermsOptions } from './find-terms.ts';
import { readValues } from './read-values.ts';
import { type CheckResult, type RowValue, runCheck } from './run-check.ts';
import { type Source, sourceFailure } from './source.ts';
import { withCertificates } from './source-certificates.ts';
import type { CheckedRule, Sample } from './tally.ts';

export interface CheckOptions extends TermsOptions, Partial<WarehouseOptions> {
  readonly counts?: string;
  readonly contract: string;
  readonly source?: string;
  readonly sourceCa?: string;
  readonly sourceCert?: string;
  readonly sourceCertKey?: string;
  readonly query?: string;
  readonly since?: Date;
  readonly newest?: number;
  readonly redact?: readonly string[];
  readonly rowsBefore?: number;
  readonly report?: boolean;
  readonly runId?: string;
  readonly triggeredBy: string;
  readonly sourceTimeout: number;
  readonly format: 'text' | 'json';
}

export async function runCheckCommand(options: CheckOptions, io: CommandLineIo): Promise<ExitCode> {
  const { printSql, counts } = options;
  if (printSql !== undefined && counts === undefined) {
    const { terms, unread } = await findTerms(options.contract, options, io);
    await printQuery(terms, { ...options, printSql }, io);
    return concludeCheck(true, unread, io);
  }
  const { result, unread } = await check(options, io);
  const text =
    options.format === 'json'
      ? `${JSON.stringify(result, null, 2)}\n`
      : `${textOf(result, paintFor(io.stdout, io.env))}${options.report === true ? recorded(options) : ''}`;
  await writeText(io.stdout, text);
  const code = await concludeCheck(isPassed(result), unread, io);
  refuseOtherType(result);
  return code;
}

/** The run is recorded before, because consumers should hear of it. */
function refuseOtherType({ rules }: CheckResult): void {
  const [first, ...others] = rules.filter((rule) => rule.isOfOtherType && rule.status === 'failed');
  if (first === undefined) return;
  const column = first.name.replace(/ type$/, '');
  const more = others.length === 0 ? '' : ` ${counted(others.length, 'other column')} as well.`;
  const message = `${column} ${first.message}.${more} Correct the column, or the contract.`;
  throw sourceFailure('SOURCE_COLUMN_TYPE', message);
}

/** Records the result, if that is asked for. */
export async function check(
  options: CheckOptions,
  io: CommandLineIo,
): Promise<{ readonly result: CheckResult; readonly unread: readonly string[] }> {
  const { printSql, counts } = options;
  if ((counts === undefined) !== (printSql === undefined)) {
    throw wrongUsage('--counts goes with --print-sql, which says how the query was printed.');
  }
  const ask =
    printSql === undefined || counts === undefined
      ? await openAddress(options, io)
      : (terms: CheckedTerms) => checkCounts(terms, { ...options, printSql }, counts);
  const found = await findTerms(options.contract, options, io);
  if (options.report === true && found.published === null) {
    throw wrongUsage(
      '--report needs a contract of a registry. Name the asset with --contract, and the registry with --registry.',
    );
  }
  const startedAt = new Date();
  const result = await withRowChange(await ask(found.terms), found, options);
  if (options.report === true) {
    await report(found, result, { runId: io.env.CONCORDAT_RUN_ID, ...options, startedAt });
  }
  return { result, unread: found.unread };
}

/** Judges what only an earlier run can tell, if one is known. */
async function withRowChange(
  result: CheckResult,
  found: FoundTerms,
  options: CheckOptions,
): Promise<CheckResult> {
  const limit = limitOfRowChange(found.terms.guarantees);
  if (limit === null || result.isPart) return result;
  const before = await rowsBefore(found, options);
  if (before === null) return result;
  const judged = judgeRowChange(limit, result.rows, before);
  const rules = result.rules.map((rule) =>
    rule.name === rowChangeRule ? { ...rule, ...judged } : rule,
  );
  return { ...result, rules };
}

/** How many runs are looked through for one that did not break the rule. */
const maxRunsRead = 100;

async function rowsBefore(
  { published }: FoundTerms,
  { rowsBefore: given, triggeredBy }: CheckOptions,
): Promise<RowsBefore | null> {
  if (given !== undefined) return { rows: given };
  if (published === null) return null;
  const { registry, assetId } = published;
  const asked = { triggered_by: triggeredBy, include_total: false };
  for (const which of [{ limit: maxRunsRead }, { limit: 1, status: 'passed' as const }]) {
    const { results } = mustAnswer(
      await registry.client.listQualityRuns({
        params: { asset_id: assetId },
        query: { ...asked, ...which },
      }),
    );
    for (const { metadata, guarantees, occurred_at: at } of results) {
      const isBroken = guarantees.some(
        (one) => one.name === rowChangeRule && one.status === 'failed',
      );
      // A break that lasts would otherwise be what the next run is compared with.
      if (!isBroken && typeof metadata.rows === 'number') return { rows: metadata.rows, at };
    }
  }
  return null;
}

async function openAddress(options: CheckOptions, io: CommandLineIo) {
  const address = withCertificates(await addressOf(options, io), options, io);
  return (terms: CheckedTerms) => checkSource(address, terms, options, io);
}

/** From the command line, the environment or a file, so that a password need not stand in a list of processes. */
async function addressOf({ source }: CheckOptions, { env }: CommandLineIo): Promise<string> {
  const given = source ?? env.CONCORDAT_SOURCE ?? '';
  if (given === '') {
    throw wrongUsage('No source was given. Use --source, or set CONCORDAT_SOURCE.');
  }
  if (!given.startsWith('@')) return given;
  const path = given.slice(1);
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null)
    throw sourceFailure('SOURCE_NOT_FOUND', `The file ${path} with the source cannot be read.`);
  return text.trim();
}

async function checkSource(
  address: string,
  terms: CheckedTerms,
  { redact = [], ...options }: CheckOptions,
  io: CommandLineIo,
): Promise<CheckResult> {
  if (address === '-') return checkValues(terms, readRows([address], io), { redact });
  if (/^kafka:\/\//i.test(address)) {
    const { checkTopic } = await import('./check-topic.ts');
    const { since, newest, sourceTimeout } = options;
    const target = { address, since, newest, timeoutMs: sourceTimeout * 1000 };
    return checkTopic(terms, target, { redact });
  }
  if (options.since !== undefined || options.newest !== undefined) {
    throw wrongUsage(
      '--since and --newest are for topics of Kafka. Check a part of a table with --query.',
    );
  }
  if (/^postgres(?:ql)?:\/\//.test(address)) {
    const { openPostgres } = await import('./postgres-source.ts');
    const { table, query, sourceTimeout } = options;
    return closing(
      await openPostgres({ url: address, table, query, timeoutMs: sourceTimeout * 1000 }),
      (source) => runCheck(terms, source, { redact }),
    );
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(address)) {
    const scheme = address.slice(0, address.indexOf(':'));
    const message = `Sources of the kind ${scheme}:// cannot be checked. Use postgres://, kafka://, or files of Parquet, CSV or NDJSON.`;
    throw sourceFailure('SOURCE_NOT_SUPPORTED', message);
  }
  const { paths, format } = await filesOf(address);
  for (const cut of paths.filter((each) => /\.gz$/i.test(each))) await refuseCut(cut);
  if (format === 'json') return checkValues(terms, readRows(paths, io), { redact });
  const { openFiles } = await import('./duckdb-source.ts');
  const takesText = (column: string) => columnTakesText(terms, column);
  return closing(await openFiles({ paths, format, takesText }), (source) =>
    runCheck(terms, source, { redact }),
  );
}

async function closing<T>(source: Source, use: (source: Source) => Promise<T>): Promise<T> {
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

/** Each value, named by its line; among several files, by its file too. */
async function* readRows(paths: readonly string[], io: CommandLineIo): AsyncGenerator<RowValue> {
  for (const path of paths) {
    const file = paths.length > 1 ? { file: path } : {};
    for await (const { unit, number, ...value } of readValues(path, io)) {
      yield { ...value, row: { ...file, [unit]: number } };
    }
  }
}

const formats = {
  parquet: /\.parquet$/i,
  csv: /\.(?:csv|tsv)(?:\.gz)?$/i,
  json: /\.(?:ndjson|jsonl|json)$/i,
} as const;

/** Files of data by their names, in compressions that are not read, too. */
const anyData =
  /\.(?:parquet|csv|tsv|ndjson|jsonl|json)(?:\.(?:gz|zst|zstd|bz2|xz|lz4|snappy|br|zip))?$/i;

async function filesOf(address: string) {
  const all = await listFiles(address);
  const kinds = (['parquet', 'csv', 'json'] as const).filter((kind) =>
    all.some((path) => formats[kind].test(path)),
  );
  const [format, another] = kinds;
  if (format === undefined || another !== undefined) {
    const message =
      another === undefined
        ? `${address} has no files of Parquet, CSV or NDJSON. Name files that end with .parquet, .csv or .ndjson.`
        : `${address} has files of several formats: ${kinds.join(', ')}. Check each format by itself.`;
    throw sourceFailure('SOURCE_NOT_SUPPORTED', message);
  }
  const unread = all.find((path) => anyData.test(path) && !formats[format].test(path));
  if (unread !== undefined) {
    const message = `${unread} would not be read. Unpack it, or check the other files without it: of compressed files only those of CSV by gzip are read.`;
    throw sourceFailure('SOURCE_NOT_SUPPORTED', message);
  }
  return { format, paths: all.filter((path) => formats[format].test(path)) };
}

/** DuckDB reads what is left of a compressed file that was cut, and says nothing. */
async function refuseCut(path: string): Promise<void> {
  try {
    await pipeline(
      createReadStream(path),
      createGunzip(),
      new Writable({ write: (_, __, next) => next() }),
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw sourceFailure('SOURCE_UNREADABLE', `${path} cannot be read: ${reason}.`);
  }
}

/** The files of a folder or of a pattern, or the file itself. */
async function listFiles(address: string): Promise<readonly string[]> {
  const found = await stat(address).catch(() => null);
  if (found?.isDirectory() === true) {
    const names = await readdir(address, { recursive: true });
    return names.sort().map((name) => join(address, name));
  }
  if (found !== null) return [address];
  const matching: string[] = [];
  for await (const path of files.glob(address)) matching.push(path);
  if (matching.length > 0) return matching.sort();
  throw sourceFailure('SOURCE_NOT_FOUND', `There is no file ${address}.`);
}

function isPassed({ rules }: CheckResult): boolean {
  return rules.every(({ status }) => status !== 'failed');
}

/** The most that a run may list. */
const maxReported = 2_000;

async function report(
  { published }: FoundTerms,
  result: CheckResult,
  {
    runId,
    triggeredBy,
    startedAt,
  }: {
    readonly runId: string | undefined;
    readonly triggeredBy: string;
    readonly startedAt: Date;
  },
): Promise<void> {
  if (published === null) return;
  const { registry, assetId, contractId } = published;
  // What failed comes first, so that it is never cut off.
  const order = { failed: 0, skipped: 1, passed: 2 } as const;
  const rules = [...result.rules].sort((a, b) => order[a.status] - order[b.status]);
  const samples = Object.fromEntries(
    rules.filter((rule) => rule.samples.length > 0).map((rule) => [rule.name, rule.samples]),
  );
  mustAnswer(
    await registry.client.recordQualityRun({
      params: { asset_id: assetId },
      body: {
        status: isPassed(result) ? 'passed' : 'failed',
        triggered_by: triggeredBy,
        ...(runId !== undefined && { run_id: runId }),
        contract_id: contractId,
        started_at: startedAt.toISOString(),
        finished_at: new Date().toISOString(),
        guarantees: rules.slice(0, maxReported).map(({ name, status, rows, message }) => ({
          ...{ name: name.slice(0, 500), status, message },
          ...(rows !== null && { rows }),
        })),
        metadata: {
          rows: result.rows,
          samples,
          ...(result.read !== undefined && { read: result.read }),
        },
      },
    }),
  );
}

function recorded({ contract }: CheckOptions): string {
  return `Recorded as a quality run of ${contract}.\n`;
}

function textOf(result: CheckResult, paint: Paint): string {
  const { rows, rules, readByValue, read } = result;
  const failed = rules.filter(({ status }) => status === 'failed');
  const skipped = rules.filter(({ status }) => status === 'skipped');
  const lines = [
    ...failed.flatMap((rule) => failedLines(rule, paint)),
    ...skipped.map(
      ({ name, message }) => `${paint('yellow', '!')} ${printable(`${name} ${message}`)}`,
    ),
    ...(readByValue.length === 0 ? [] : [paint('dim', byValueText(readByValue))]),
    ...(read === undefined ? [] : [paint('dim', printable(`= ${read}.`))]),
    failed.length === 0
      ? paint('green', `${counted(rows, 'row')}: the data matches the contract.`)
      : paint('red', `${counted(rows, 'row')}: ${counted(failed.length, 'rule')} failed.`),
  ];
  return `${lines.join('\n')}\n`;
}

function failedLines(
  { name, rows, message, samples }: CheckedRule,
  paint: Paint,
): readonly string[] {
  const many = rows === null ? '' : ` in ${counted(rows, 'row')}`;
  const shown = samples.map(sampleText).join(', ');
  const found = samples.length === 0 ? '' : `; for example ${shown}`;
  return [`${paint('red', '✗')} ${printable(`${name}${many}: ${message}${found}`)}`];
}

function sampleText({ value, row }: Sample): string {
  const shown = value === undefined ? [] : [shortened(JSON.stringify(value))];
  const name = rowName(row ?? {});
  return [...shown, ...(name === '' ? [] : [`in ${name}`])].join(' ');
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= 60 ? text : `${characters.slice(0, 60).join('')}…`;
}

function byValueText(columns: readonly string[]): string {
  if (columns.includes('*'))
    return '= every row was read, because the contract speaks of whole rows.';
  const named = columns.slice(0, 5).join(', ');
  const more = columns.length > 5 ? ` and ${columns.length - 5} more` : '';
  return printable(
    `= read value by value where SQL cannot say their rules exactly: ${named}${more}.`,
  );
}
