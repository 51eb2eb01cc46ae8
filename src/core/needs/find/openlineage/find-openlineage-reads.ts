// Which columns the jobs of OpenLineage's events read. Events tell it in two ways: by the SQL of the job, and
// by the lineage of the columns that it writes. The second names what filters and joins only if the sender
// is new enough; where neither is whole, the job reads everything of its inputs.

import { arrayAt, memberOf, objectAt, textAt } from '../../../import/read-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../value/json.ts';
import { stepText } from '../../../value/json-path.ts';
import type { FoundReads } from '../found-reads.ts';
import type { ReadPlace } from '../gather-reads.ts';
import { findSqlReads, type ParseSql } from '../sql/find-sql-reads.ts';

interface SqlReader {
  readonly parse: ParseSql;
  /** As the parser names it. */
  readonly dialect: string;
}

/** What all events of one run say together, whatever their order, and however often they were sent. */
interface Run {
  /** The job: all its runs together are one reader. */
  readonly place: string;
  readonly inputs: Map<string, Dataset>;
  /** The lineage of the columns of each output, of every event that tells one. */
  readonly outputs: Map<string, readonly JsonObject[]>;
  /** The SQL, with its dialect if the events say it. */
  readonly queries: Map<string, string | null>;
}

interface Dataset {
  readonly namespace: string;
  readonly name: string;
  /** Names of the same table elsewhere: of files, the table of a catalog. */
  readonly aliases: Set<string>;
}

type OpenlineageReads =
  | { readonly ok: true; readonly places: readonly ReadPlace[] }
  | { readonly ok: false; readonly message: string };

/** By the dialect that the events name, or null; null if that dialect is not known. */
type ReaderFor = (dialect: string | null) => SqlReader | null;

/** @example findOpenlineageReads(events, () => null).places[0].place // 'reports/daily-totals' */
export function findOpenlineageReads(
  events: readonly Json[],
  readerFor: ReaderFor,
): OpenlineageReads {
  const runs = new Map<string, Run>();
  for (const [index, event] of events.entries()) {
    const problem = isJsonObject(event) ? addEvent(runs, event) : 'it is no object';
    if (problem !== null) return { ok: false, message: `Event ${index + 1}: ${problem}.` };
  }
  const readSql = rememberedSql(readerFor);
  return {
    ok: true,
    places: [...runs.values()].map((run) => ({ place: run.place, found: readRun(run, readSql) })),
  };
}

/** What is wrong with it, or null. */
function addEvent(runs: Map<string, Run>, event: JsonObject): string | null {
  const job = objectAt(event, 'job');
  // Events about datasets alone say nothing of who reads them.
  if (job === undefined) return isJsonObject(memberOf(event, 'dataset')) ? null : 'it has no job';
  const [namespace, name] = [textAt(job, 'namespace'), textAt(job, 'name')];
  if (namespace === undefined || name === undefined) return 'its job has no namespace or no name';
  const key = JSON.stringify([namespace, name, textAt(objectAt(event, 'run'), 'runId') ?? '']);
  const known = runs.get(key) ?? {
    ...{ place: `${namespace}/${name}`, inputs: new Map(), outputs: new Map() },
    queries: new Map<string, string | null>(),
  };
  runs.set(key, known);
  const query = textAt(sqlOf(event), 'query');
  if (query !== undefined) known.queries.set(query, textAt(sqlOf(event), 'dialect') ?? null);
  for (const source of arrayAt(event, 'inputs') ?? []) {
    const dataset = datasetOf(source);
    if (dataset === null) return 'an input has no namespace or no name';
    const { aliases } = known.inputs.get(keyOf(dataset)) ?? dataset;
    for (const alias of aliasesOf(source)) aliases.add(alias);
    known.inputs.set(keyOf(dataset), { ...dataset, aliases });
  }
  for (const source of arrayAt(event, 'outputs') ?? []) {
    const dataset = datasetOf(source);
    if (dataset === null) return 'an output has no namespace or no name';
    const lineage = objectAt(objectAt(source, 'facets'), 'columnLineage');
    const before = known.outputs.get(keyOf(dataset)) ?? [];
    known.outputs.set(keyOf(dataset), [...before, ...(lineage === undefined ? [] : [lineage])]);
  }
  return null;
}

function sqlOf(event: Json): JsonObject | undefined {
  return objectAt(objectAt(objectAt(event, 'job'), 'facets'), 'sql');
}

/**
 * The dialects of SQL that the events name.
 *
 * @example dialectsOf([{ job: { facets: { sql: { query: 'select 1', dialect: 'spark' } } } }]) // ['spark']
 */
export function dialectsOf(events: readonly Json[]): readonly string[] {
  return [...new Set(events.flatMap((event) => textAt(sqlOf(event), 'dialect') ?? []))];
}

function datasetOf(source: Json): Dataset | null {
  const [namespace, name] = [textAt(source, 'namespace'), textAt(source, 'name')];
  if (namespace === undefined || name === undefined) return null;
  return { namespace, name, aliases: new Set() };
}

function aliasesOf(dataset: Json): readonly string[] {
  const identifiers =
    arrayAt(objectAt(objectAt(dataset, 'facets'), 'symlinks'), 'identifiers') ?? [];
  return identifiers.flatMap((each) => textAt(each, 'name') ?? []);
}

function keyOf({ namespace, name }: Pick<Dataset, 'namespace' | 'name'>): string {
  return JSON.stringify([namespace, name]);
}

function readRun(run: Run, readSql: ReadSql): FoundReads {
  const written = readLineage(run);
  const queried = readQueries(run, readSql);
  const reads = [...run.inputs].flatMap(([key, { name, aliases }]) => {
    const read = readInput(run, written.get(key), queried.get(key));
    return [name, ...aliases].map((each) => ({ name: each.split('.'), ...read }));
  });
  return { reads, doubts: [], unread: [] };
}

function readInput(
  run: Run,
  written: LineageReads | undefined,
  inSql: readonly string[] | null | undefined,
) {
  if (inSql === null) return { fields: null, reason: 'its SQL reads everything' };
  if (inSql === undefined && written?.isWhole !== true)
    return { fields: null, reason: whyAll(run) };
  const all = new Set([...(written?.fields ?? []), ...(inSql ?? [])]);
  return { fields: [...all].sort(), reason: null };
}

function whyAll({ queries }: Run): string {
  return queries.size === 0
    ? 'the events do not name all columns that it reads'
    : 'the events do not name all columns that it reads, and its SQL is not understood';
}

interface LineageReads {
  readonly fields: Set<string>;
  /** Whether everything that is read is named, also what filters and joins. */
  readonly isWhole: boolean;
}

/** By input. */
function readLineage({ inputs, outputs }: Run): ReadonlyMap<string, LineageReads> {
  const facets = [...outputs.values()].flat();
  const areAllWhole = outputs.size > 0 && [...outputs.values()].every(areWhole);
  const found = new Map<string, LineageReads>();
  for (const facet of facets) {
    for (const source of sourcesIn(facet)) {
      const [namespace = '', name = ''] = [textAt(source, 'namespace'), textAt(source, 'name')];
      const field = textAt(source, 'field');
      const key = keyOf({ namespace, name });
      if (field === undefined || !inputs.has(key)) continue;
      // An input that no column comes from is not said to be read whole.
      const known = found.get(key) ?? { fields: new Set(), isWhole: areAllWhole };
      found.set(key, known);
      known.fields.add(`$${stepText(field)}`);
    }
  }
  return found;
}

/**
 * A sender that tells direct columns from indirect ones (which filter, join or group) names both. Older ones
 * name only what is written. What an event tells of no column says nothing.
 */
function areWhole(facets: readonly JsonObject[]): boolean {
  const sources = facets.flatMap((facet) => [...sourcesIn(facet)]);
  return sources.length > 0 && sources.every(isTold);
}

function isTold(source: Json): boolean {
  const transformations = arrayAt(source, 'transformations') ?? [];
  const hasKind = transformations.some((each) =>
    /^(?:IN)?DIRECT$/.test(textAt(each, 'type') ?? ''),
  );
  return hasKind && textAt(source, 'field') !== undefined;
}

function* sourcesIn(facet: JsonObject) {
  for (const column of Object.values(objectAt(facet, 'fields') ?? {})) {
    yield* arrayAt(column, 'inputFields') ?? [];
  }
  yield* arrayAt(facet, 'dataset') ?? [];
}

/** Null if it is not understood. */
type ReadSql = (query: string, named: string | null) => FoundReads | null;

/** The runs of a job have the same SQL, mostly. */
function rememberedSql(readerFor: ReaderFor): ReadSql {
  const known = new Map<string, FoundReads | null>();
  return (query, named) => {
    const key = JSON.stringify([query, named]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const reader = readerFor(named);
    const parsed = reader?.parse(query);
    const read =
      reader === null || parsed?.ok !== true
        ? null
        : findSqlReads(parsed.sql, { dialect: reader.dialect });
    known.set(key, read);
    return read;
  };
}

/**
 * By input, what the SQL of the job reads of it; null: everything. Absent: the SQL does not name it, or a
 * part of the SQL is not understood.
 */
function readQueries(
  { inputs, queries }: Run,
  readSql: ReadSql,
): ReadonlyMap<string, readonly string[] | null> {
  const found = new Map<string, readonly string[] | null>();
  for (const [query, named] of queries) {
    const read = readSql(query, named);
    if (read === null || read.unread.length > 0) return new Map();
    for (const { name, fields } of read.reads) {
      for (const [key, dataset] of inputs) {
        if (!isNamed(dataset, name)) continue;
        const before = found.get(key);
        found.set(key, fields === null || before === null ? null : [...(before ?? []), ...fields]);
      }
    }
  }
  return found;
}

/** SQL may name a table without its schema or database. */
function isNamed({ name, aliases }: Dataset, parts: readonly string[]): boolean {
  return [name, ...aliases].some((each) => endsAlike(each, parts));
}

function endsAlike(name: string, parts: readonly string[]): boolean {
  const segments = name.toLowerCase().split('.');
  const length = Math.min(parts.length, segments.length);
  const ends = segments.slice(-length);
  return parts.slice(-length).every((part, index) => part.toLowerCase() === ends[index]);
}
