// What `concordat needs` finds in SQL, beside sqlglot: queries of TPC-H and TPC-DS, and dbt projects with
// their compiled SQL. And how many consumers a change asks by that, along the history of such a project.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openSqlParser, openSqlTokens } from '../src/cli/needs/parse-sql.ts';
import { type SqlDialect, sqlDialects } from '../src/cli/needs/sql-dialects.ts';
import type { ContractTerms } from '../src/core/comparison.ts';
import { compare } from '../src/core/diff/compare.ts';
import { parseDbtManifest } from '../src/core/import/dbt/dbt.ts';
import { schemaOfSqlType } from '../src/core/import/sql-type.ts';
import { findDbtReads } from '../src/core/needs/find/dbt/find-dbt-reads.ts';
import { gatherReads } from '../src/core/needs/find/gather-reads.ts';
import { findSqlReads } from '../src/core/needs/find/sql/find-sql-reads.ts';
import { findVerdicts } from '../src/core/needs/find-verdicts.ts';
import { makeNeed } from '../src/core/needs/make-need.ts';
import type { Json, JsonObject } from '../src/core/value/json.ts';
import {
  askSqlglot,
  publishedProject,
  type QueryAsked,
  sqlglotQueries,
} from './peers/installed-peers.ts';
import type { Benchmark, Figure } from './support/figure.ts';

const run = promisify(execFile);

const projects = [
  { name: 'dbt_pinterest', commit: 'ae8f9473cefca3f7c0d10904894ea7e3b0dd44a6' },
  { name: 'dbt_zendesk', commit: 'd4a8aa378862c51f0c6136eb16f87bef8c34e908' },
] as const;

export const benchmark: Benchmark = { name: 'Found needs', run: measure };

async function measure(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const suite of await sqlglotQueries()) figures.push(...(await measureQueries(suite)));
  const [kept, all] = [emptyTally(), emptyTally()];
  for (const { name, commit } of projects) {
    const project = await publishedProject(name);
    const files = await filesAt(project, commit);
    if (files === null) throw new Error(`${name} has no documentation at ${commit}.`);
    figures.push(...(await measureProject(name, files)), await measureMemory(name, files));
  }
  const time: Figure = {
    name: 'processor time a column that is found',
    ...{ unit: 'ms', value: spent.micros / 1_000 / spent.columns, targetValue: 5 },
    note: `${spent.columns} columns, with what V8 compiles for it`,
  };
  for (const { name, commit } of projects) {
    await tallyHistory(await publishedProject(name), commit, { kept, all });
  }
  const history = (what: string, { asked, consumers, changes, versions }: Tally): Figure => ({
    name: `consumers that breaking changes ask along the histories of two dbt projects${what}`,
    ...{ unit: 'consumers', value: asked, targetRatio: 0.2 },
    against: { name: 'all consumers', value: consumers },
    note: `${changes} breaking changes of tables that models read, in ${versions} versions`,
  });
  return [...figures, time, history('', kept), history(', other test data included', all)];
}

interface Tally {
  asked: number;
  consumers: number;
  changes: number;
  versions: number;
}

const emptyTally = (): Tally => ({ asked: 0, consumers: 0, changes: 0, versions: 0 });

/** A column as `table.column`. */
type Columns = ReadonlySet<string>;

interface Compared {
  readonly question: QueryAsked;
  readonly found: Columns;
  /** What a model writes to is no input of it. */
  readonly own: string | null;
}

async function compareWithSqlglot(
  name: string,
  compared: readonly Compared[],
  of: string,
): Promise<readonly Figure[]> {
  const answers = await askSqlglot(compared.map(({ question }) => question));
  const tally = { used: 0, hit: 0, found: 0, named: 0, unread: 0 };
  for (const [index, { found, own }] of compared.entries()) {
    const answer = answers[index] ?? null;
    if (answer === null) {
      tally.unread++;
      continue;
    }
    const columnsOf = (list: typeof answer.used) =>
      new Set(list.filter(([table]) => table !== own).map((each) => each.join('.')));
    const [used, named] = [columnsOf(answer.used), columnsOf(answer.named)];
    tally.used += used.size;
    tally.hit += used.intersection(found).size;
    tally.found += found.size;
    spent.columns += found.size;
    tally.named += found.intersection(named).size;
  }
  const note = `${compared.length} ${of}${tally.unread > 0 ? `, of which sqlglot reads ${tally.unread} not` : ''}`;
  return [
    {
      name: `${name}: columns that sqlglot says are used, and that are found`,
      ...{ unit: 'columns', value: tally.hit, higherIsBetter: true, targetRatio: 0.99, note },
      against: { name: 'sqlglot', value: tally.used },
    },
    {
      name: `${name}: columns that are found, and that sqlglot says are named`,
      ...{ unit: 'columns', value: tally.named, higherIsBetter: true },
      against: { name: 'found', value: tally.found },
    },
  ];
}

async function measureQueries({
  suite,
  queries,
  ...rest
}: Awaited<ReturnType<typeof sqlglotQueries>>[number]): Promise<readonly Figure[]> {
  const dialect = 'duckdb';
  const tables = new Map(Object.entries(rest.tables));
  const parse = await openSqlParser(dialect);
  const columnsOf = (name: readonly string[]) => {
    const names = tables.get(name.join('.'));
    return names === undefined ? null : { names: new Set(names), isComplete: true };
  };
  const found = timed(() =>
    queries.map((sql) => {
      const parsed = parse(sql);
      if (!parsed.ok) throw new Error(parsed.message);
      return columnsIn(
        findSqlReads(parsed.sql, { dialect: sqlDialects[dialect], columnsOf }).reads,
        tables,
      );
    }),
  );
  const compared = queries.map((sql, index) => ({
    ...{ question: { sql, dialect, tables }, own: null },
    found: found[index] ?? new Set<string>(),
  }));
  return compareWithSqlglot(suite.toUpperCase(), compared, 'queries');
}

interface DbtFiles {
  readonly manifest: Json;
  readonly catalog: Json;
  readonly models: readonly Model[];
  readonly tables: readonly Table[];
  readonly dialect: SqlDialect;
}

interface Table {
  /** The id of dbt, which stays when the schema that it is built in has another name. */
  readonly id: string;
  /** In lower case, like the names of columns. */
  readonly relation: string;
  readonly columns: ReadonlyMap<string, string>;
}

interface Model {
  readonly place: string;
  readonly relation: string;
  readonly sql: string;
}

type Project = Awaited<ReturnType<typeof publishedProject>>;

/** Null for a version without a catalog, or of a dbt before 1.0. */
async function filesAt(project: Project, commit: string): Promise<DbtFiles | null> {
  let texts: readonly string[];
  try {
    texts = [
      await project.read(commit, 'docs/manifest.json'),
      await project.read(commit, 'docs/catalog.json'),
    ];
  } catch {
    return null;
  }
  const [manifest, catalog] = texts.map((each) => JSON.parse(each));
  const adapter = manifest.metadata.adapter_type;
  const isTooOld = parseDbtManifest(manifest).problems.some(({ fatal }) => fatal);
  if (isTooOld || !Object.hasOwn(sqlDialects, adapter)) return null;
  const listed = Object.entries({ ...catalog.nodes, ...catalog.sources }) as [
    string,
    CatalogTable,
  ][];
  const tables = listed.map(
    ([
      id,
      {
        metadata: { database, schema, name },
        columns,
      },
    ]) => ({
      id,
      relation: [database, schema, name].filter(Boolean).join('.').toLowerCase(),
      columns: new Map(Object.values(columns).map((each) => [each.name.toLowerCase(), each.type])),
    }),
  );
  const models = (Object.values(manifest.nodes) as ManifestNode[]).flatMap((node): Model[] => {
    const sql = node.compiled_code ?? node.compiled_sql;
    if (node.resource_type !== 'model' || sql === undefined) return [];
    const isOwn = node.package_name === manifest.metadata.project_name;
    const { original_file_path: path, database, schema, alias, name } = node;
    return [
      {
        place: isOwn ? path : `${node.package_name}:${path}`,
        relation: [database, schema, alias ?? name].filter(Boolean).join('.').toLowerCase(),
        sql,
      },
    ];
  });
  return { manifest, catalog, models, tables, dialect: adapter };
}

interface CatalogTable {
  readonly metadata: { readonly database?: string; readonly schema: string; readonly name: string };
  readonly columns: Readonly<Record<string, { readonly name: string; readonly type: string }>>;
}

interface ManifestNode {
  readonly resource_type: string;
  readonly package_name: string;
  readonly original_file_path: string;
  readonly database?: string;
  readonly schema: string;
  readonly alias?: string;
  readonly name: string;
  readonly compiled_code?: string;
  readonly compiled_sql?: string;
}

async function placesIn({ manifest, catalog, dialect }: DbtFiles) {
  const [parse, tokens] = [await openSqlParser(dialect), await openSqlTokens(dialect)];
  const read = timed(() =>
    findDbtReads({ manifest, catalog }, { parse, tokens, dialect: sqlDialects[dialect] }),
  );
  if (!read.ok) throw new Error(read.message);
  return read.places;
}

async function measureProject(name: string, files: DbtFiles): Promise<readonly Figure[]> {
  const places = await placesIn(files);
  const found = new Map(places.map((each) => [each.place, each.found.reads]));
  const tables = new Map(
    files.tables.map(({ relation, columns }) => [relation, [...columns.keys()]]),
  );
  const compared = files.models.map(({ place, relation, sql }) => ({
    question: { sql, dialect: files.dialect, tables },
    found: columnsIn(found.get(place) ?? [], tables),
    own: relation,
  }));
  return compareWithSqlglot(name, compared, 'models');
}

function columnsIn(
  reads: readonly { readonly name: readonly string[]; readonly fields: readonly string[] | null }[],
  tables: ReadonlyMap<string, readonly string[]>,
): Columns {
  return new Set(
    reads.flatMap(({ name, fields }) => {
      const table = name.join('.');
      const columns = fields?.map((field) => field.slice('$.'.length)) ?? tables.get(table) ?? [];
      return columns.map((column) => `${table}.${column}`);
    }),
  );
}

/** Of parsing and finding, and of what V8 compiles for it. */
const spent = { micros: 0, columns: 0 };

function timed<T>(ask: () => T): T {
  const before = process.cpuUsage();
  const value = ask();
  const { user, system } = process.cpuUsage(before);
  spent.micros += user + system;
  return value;
}

/** Of the command, with all that it loads. */
async function measureMemory(name: string, { manifest, catalog }: DbtFiles): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-bench-needs-'));
  try {
    const paths = ['manifest.json', 'catalog.json'].map((file) => join(folder, file));
    await writeFile(paths[0] ?? '', JSON.stringify(manifest));
    await writeFile(paths[1] ?? '', JSON.stringify(catalog));
    const atEnd =
      'process.on("exit", () => process.stderr.write("peak " + process.resourceUsage().maxRSS))';
    const main = join(import.meta.dirname, '../src/main.ts');
    const { stderr } = await run(
      process.execPath,
      [
        ...['--import', `data:text/javascript,${encodeURIComponent(atEnd)}`, main, 'needs'],
        ...['--dbt', paths[0] ?? '', '--catalog', paths[1] ?? ''],
      ],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    const peak = Number(/peak (\d+)$/.exec(stderr)?.[1]) / 1024;
    return {
      name: `${name}: memory of concordat needs`,
      unit: 'MiB',
      value: peak,
      targetValue: 1024,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function contractOf(columns: ReadonlyMap<string, string>): ContractTerms {
  const options = { isIntegerAtScale0: false };
  const properties: JsonObject = Object.fromEntries(
    [...columns].map(([name, type]) => [name, schemaOfSqlType(type, options).schema]),
  );
  const schema = { type: 'object', properties };
  return { schema, compatibilityMode: 'backward', guarantees: null, direction: 'data' };
}

/**
 * From each version of a project to the next one, each table whose columns break is a change. Its
 * consumers are the models that read it in the older version, with what is found that they read. The
 * next version changes them in the same commit, which no other team would see. Some versions were
 * documented with another database than the one before, whose tables have other columns: `all` counts
 * these as changes, too.
 */
async function tallyHistory(
  project: Project,
  newest: string,
  { kept, all }: { readonly kept: Tally; readonly all: Tally },
): Promise<void> {
  let before: DbtFiles | null = null;
  for (const commit of await project.history(newest, 'docs/manifest.json')) {
    const after = await filesAt(project, commit);
    if (after === null) continue;
    all.versions++;
    kept.versions++;
    if (before !== null && before.dialect === after.dialect) {
      await tallyChanges(before, after, { kept, all });
    }
    before = after;
  }
}

async function tallyChanges(
  before: DbtFiles,
  after: DbtFiles,
  { kept, all }: { readonly kept: Tally; readonly all: Tally },
): Promise<void> {
  const databasesOf = ({ tables }: DbtFiles) =>
    new Set(tables.map(({ relation }) => relation.split('.')[0]));
  const isSameData = databasesOf(before).symmetricDifference(databasesOf(after)).size === 0;
  const changed = before.tables.flatMap((was) => {
    const is = after.tables.find(({ id }) => id === was.id);
    if (is === undefined || isSame(was.columns, is.columns)) return [];
    return [{ ...was, old: contractOf(was.columns), next: contractOf(is.columns) }];
  });
  if (changed.length === 0) return;
  const places = await placesIn(before);
  const assets = gatherReads(places, ([fqn = '']) => fqn);
  const models = new Set(before.models.map(({ place }) => place));
  for (const { relation, columns, old, next } of changed) {
    const comparison = compare(old, next);
    const readers = assets.find(({ fqn }) => fqn === relation)?.places ?? [];
    const consumers = readers.filter(({ place }) => models.has(place));
    if (!comparison.isBreaking || consumers.length === 0) continue;
    const needs = consumers.map(({ fields }) => {
      const known = fields?.filter((field) => columns.has(field.slice('$.'.length))) ?? [];
      const made = fields === null ? null : makeNeed({ fields: known }, old);
      return made?.ok === true ? made.need : null;
    });
    const verdicts = findVerdicts({ old, next, comparison }, needs);
    const asked = verdicts.filter(({ verdict }) => verdict !== 'unaffected').length;
    for (const tally of isSameData ? [kept, all] : [all]) {
      tally.changes++;
      tally.consumers += consumers.length;
      tally.asked += asked;
    }
  }
}

function isSame(one: Table['columns'], other: Table['columns']): boolean {
  const textOf = (columns: Table['columns']) => JSON.stringify([...columns].sort());
  return textOf(one) === textOf(other);
}
