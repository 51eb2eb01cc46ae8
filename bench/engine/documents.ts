// Large documents: two OpenAPI documents of 12 MB, two SDLs of 1.2 MB, a thousand dbt models.

import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchNpmPackage } from '../../scripts/tools/npm-package.ts';
import type { ContractTerms } from '../../src/core/comparison.ts';
import { compare, shareComparisons } from '../../src/core/diff/compare.ts';
import type { Candidate } from '../../src/core/import/candidate.ts';
import { parseGraphql } from '../../src/core/import/graphql/graphql.ts';
import { parseOpenApi } from '../../src/core/import/openapi/openapi.ts';
import { isJsonObject, type Json, parseJson } from '../../src/core/value/json.ts';
import { installedInspector } from '../peers/installed-peers.ts';
import type { Peer } from '../peers/peer-process.ts';
import type { Figure } from '../support/figure.ts';
import { paymentApi } from '../support/payment-api.ts';
import { askEngine, askPeer } from './questions.ts';

const run = promisify(execFile);

const rounds = 5;

export async function measureDocuments(peers: readonly Peer[]): Promise<readonly Figure[]> {
  return [
    ...(await measureOpenApi(peers)),
    ...measurePaymentApi(),
    ...(await measureSdl()),
    measureDbt(),
  ];
}

/**
 * The milliseconds of processor time of the best round, including garbage collection threads. This
 * is at least the wall clock of an idle machine, and the same on a busy one.
 */
function bestMs(work: () => void): number {
  return Math.min(...Array.from({ length: rounds }, () => cpuMs(work)));
}

interface Compared {
  readonly pairs: number;
  readonly changes: number;
  readonly undecided: number;
}

/** Every asset that both have, as an import compares them. */
function compareAll(before: readonly Candidate[], after: readonly Candidate[]): Compared {
  const known = new Map(after.map((each) => [each.fqn, each.terms]));
  let [pairs, changes, undecided] = [0, 0, 0];
  for (const { fqn, terms } of before) {
    const next = known.get(fqn);
    if (terms === null || next === null || next === undefined) continue;
    const found = compare(toTerms(terms), toTerms(next));
    pairs++;
    changes += found.changes.length;
    undecided += found.undecidedCount;
  }
  return { pairs, changes, undecided };
}

function toTerms(terms: NonNullable<Candidate['terms']>): ContractTerms {
  const { schema, direction, dialect } = terms;
  const common = { schema, direction, compatibilityMode: 'backward', guarantees: null } as const;
  return dialect === undefined ? common : { ...common, dialect };
}

function noteOf({ pairs, changes, undecided }: Compared, more = ''): string {
  return `${pairs} pairs, ${changes} changes, ${undecided} undecided${more}`;
}

/** An enterprise release and the one before; the public document and the cloud's. */
const openApiPairs = [
  ['ghes-3.15', 'ghes-3.16'],
  ['api.github.com', 'ghec'],
] as const;

async function measureOpenApi(peers: readonly Peer[]): Promise<readonly Figure[]> {
  const folder = join(await fetchNpmPackage('@octokit/openapi', '19.0.0'), 'generated');
  const figures: Figure[] = [];
  for (const [old, next] of openApiPairs) {
    const [before, after] = [old, next].map((name) => readJson(join(folder, `${name}.json`)));
    if (before === undefined || after === undefined) continue;
    const [was, is] = [before, after].map((each) => parseOpenApi(each).candidates);
    let compared: Compared = { pairs: 0, changes: 0, undecided: 0 };
    const value = bestMs(() => {
      compared = compareAll(was ?? [], is ?? []);
    });
    const size = (statSync(join(folder, `${next}.json`)).size / 1e6).toFixed(1);
    figures.push({
      ...{ name: `${old} to ${next}, ${size} MB: operations compared`, unit: 'ms of cpu', value },
      ...{ targetValue: 1_000, note: noteOf(compared) },
    });
    figures.push(...(await measureBundle(`${old} to ${next}`, [before, after], peers)));
  }
  return figures;
}

/** Every tenth operation is compared alone, too. */
const alonePart = 10;

/** Objects that expand into each other: what all operations cost together beside each of them alone. */
function measurePaymentApi(): readonly Figure[] {
  const { old, next } = paymentApi({ objects: 30, operations: 40, fields: 9 });
  const [before, after] = [old, next].map((each) => parseOpenApi(each).candidates);
  const pairs = (before ?? []).flatMap(({ terms }, index) => {
    const later = after?.[index]?.terms;
    return terms == null || later == null ? [] : [[toTerms(terms), toTerms(later)] as const];
  });
  const some = pairs.filter((_, index) => index % alonePart === 0);
  const aloneMs = cpuMs(() => {
    for (const [was, is] of some) compare(was, is);
  });
  const heapBefore = process.memoryUsage().heapUsed;
  const sharing = shareComparisons();
  let changes = 0;
  const togetherMs = cpuMs(() => {
    for (const [was, is] of pairs) changes += compare(was, is, {}, sharing).changes.length;
  });
  const heapMebibytes = (process.memoryUsage().heapUsed - heapBefore) / 1024 ** 2;
  const size = (JSON.stringify(next).length / 1e6).toFixed(1);
  const name = `a payment API, ${size} MB: ${pairs.length} operations compared`;
  return [
    {
      ...{ name: `${name}, each`, unit: 'ms of cpu', value: togetherMs / pairs.length },
      ...{ against: { name: 'one alone', value: aloneMs / some.length }, targetRatio: 0.5 },
      note: `${changes} changes, ${togetherMs.toFixed(0)} ms together`,
    },
    { name: `${name}: memory that is in use then`, unit: 'MiB', value: heapMebibytes },
  ];
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** All named schemas of a document as one schema, a question that peers can answer, too. */
async function measureBundle(
  name: string,
  documents: readonly Json[],
  peers: readonly Peer[],
): Promise<readonly Figure[]> {
  const [old = null, next = null] = documents.map(bundleOf);
  const terms = (schema: Json): ContractTerms => ({
    ...{ schema, direction: 'data', compatibilityMode: 'backward', guarantees: null },
    dialect: 'openapi-3.0',
  });
  let changes = 0;
  const value = bestMs(() => {
    changes = compare(terms(old), terms(next)).changes.length;
  });
  const question = { a: old, b: next, dialect: 'draft-07', formats: true } as const;
  const own = askEngine(question, { rounds: 3 });
  const figures: Figure[] = [
    {
      ...{ name: `${name}: all components as one schema, compared`, unit: 'ms of cpu', value },
      ...{ targetValue: 1_000, note: `${changes} changes` },
    },
  ];
  for (const peer of peers) {
    const theirs = await askPeer(peer, question, { rounds: 1 });
    figures.push({
      ...{ name: `${name}: all components, contained, beside ${peer.name}`, unit: 'ms' },
      ...{ value: own.micros / 1000, against: { name: peer.name, value: theirs.micros / 1000 } },
      ...{ targetValue: 1_000, note: `${own.verdict}; ${peer.name}: ${theirs.verdict}` },
    });
  }
  return figures;
}

function bundleOf(document: Json): Json {
  const components = isJsonObject(document) ? document.components : null;
  const schemas = isJsonObject(components ?? null)
    ? (components as { schemas?: Json }).schemas
    : {};
  const names = isJsonObject(schemas ?? null) ? Object.keys(schemas as object) : [];
  const properties = Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
  );
  return { type: 'object', properties, components: { schemas: schemas ?? {} } };
}

function readJson(file: string): Json {
  const parsed = parseJson(readFileSync(file, 'utf8'));
  if (!parsed.ok) throw new Error(`${file}: ${parsed.message}`);
  return parsed.value;
}

async function measureSdl(): Promise<readonly Figure[]> {
  const versions = ['15.20.0', '15.26.1'];
  const files = await Promise.all(
    versions.map(async (version) =>
      join(await fetchNpmPackage('@octokit/graphql-schema', version), 'schema.graphql'),
    ),
  );
  const [old = '', next = ''] = files.map((file) => readFileSync(file, 'utf8'));
  let compared: Compared = { pairs: 0, changes: 0, undecided: 0 };
  const value = bestMs(() => {
    compared = compareAll(parseGraphql(old, {}).candidates, parseGraphql(next, {}).candidates);
  });
  const script = join(import.meta.dirname, '../peers/graphql-inspector-peer.ts');
  const args = [script, await installedInspector(), ...files, String(rounds)];
  const peer = JSON.parse((await run(process.execPath, args)).stdout) as {
    readonly milliseconds: number[];
    readonly changeCount: number;
  };
  const theirs = Math.min(...peer.milliseconds);
  return [
    {
      ...{
        name: 'two SDLs of 1.2 MB, parsing included',
        unit: 'ms of cpu',
        value,
        targetValue: 300,
      },
      against: { name: '@graphql-inspector/core', value: theirs },
      note: noteOf(compared, `; the peer tells ${peer.changeCount} changes`),
    },
  ];
}

const modelCount = 1_000;
const columnCount = 20;
const columnTypes = ['string', 'integer', 'number', 'boolean'] as const;

/** Every fifth model has one column with another type. */
function measureDbt(): Figure {
  const models = (isChanged: (model: number) => boolean) =>
    Array.from({ length: modelCount }, (_, model) => modelSchema(model, isChanged(model)));
  const before = models(() => false);
  const after = models((model) => model % 5 === 0);
  const terms = (schema: Json): ContractTerms => ({
    ...{ schema, direction: 'data', compatibilityMode: 'backward', guarantees: null },
  });
  let changes = 0;
  const value = bestMs(() => {
    changes = 0;
    for (const [index, schema] of before.entries()) {
      changes += compare(terms(schema), terms(after[index] ?? null)).changes.length;
    }
  });
  const name = `${modelCount} dbt models of ${columnCount} columns compared`;
  return { name, unit: 'ms of cpu', value, targetValue: 100, note: `${changes} changes` };
}

function modelSchema(model: number, isChanged: boolean): Json {
  const columns = Array.from({ length: columnCount }, (_, column) => {
    const type = columnTypes[(model + column) % columnTypes.length] ?? 'string';
    const kept = isChanged && column === 7 ? 'object' : type;
    const description = `Column ${column} of model ${model}`;
    return [`column_${column}`, { type: column % 3 === 0 ? kept : [kept, 'null'], description }];
  });
  const required = ['column_0', 'column_3'];
  return { type: 'object', properties: Object.fromEntries(columns) as Json, required };
}
