// Checks our own kinds with our own tool: manifests for the last release must still be accepted,
// and fields read from it must still exist. `test/fixtures/released-crds` is the last release; only
// a new release replaces it, with `cp crds/*.yaml`.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { kinds, toDefinitionYaml } from '../../../src/controller/crd/kinds.ts';
import type { Change } from '../../../src/core/comparison.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/value/json.ts';

const root = join(import.meta.dirname, '../../..');
const released = join(root, 'test/fixtures/released-crds');

/** Users write specs and read statuses. */
const sides = [
  ['spec', 'request'],
  ['status', 'response'],
] as const;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concordat-crds-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function partOf(yaml: string, side: string): JsonObject {
  const definition: Json = parse(yaml);
  const part = ['spec', 'versions', '0', 'schema', 'openAPIV3Schema', 'properties', side].reduce(
    (inner: Json, key) =>
      Array.isArray(inner)
        ? (inner[Number(key)] ?? null)
        : isJsonObject(inner)
          ? (inner[key] ?? null)
          : null,
    definition,
  );
  if (part === null || !isJsonObject(part)) throw new Error(`no ${side}`);
  return part;
}

/** Like the API server: prunes unknown fields, except where a schema preserves them. */
function asServed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((item: Json) => asServed(item));
  if (!isJsonObject(schema)) return schema;
  const members = Object.entries(schema).map(([key, member]) => [key, asServed(member)] as const);
  const isPruned =
    schema.type === 'object' &&
    schema.properties !== undefined &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true;
  return { ...Object.fromEntries(members), ...(isPruned && { additionalProperties: false }) };
}

/** The output and exit code of `concordat diff`. Readers of a status ignore its new fields. */
async function diff(old: JsonObject, next: JsonObject, direction: string) {
  const files = { old: join(folder, 'old.json'), next: join(folder, 'next.json') };
  const isRead = direction === 'response';
  await writeFile(files.old, JSON.stringify(isRead ? old : asServed(old)));
  await writeFile(files.next, JSON.stringify(asServed(next)));
  const how = [
    '--format',
    'json',
    '--kind',
    'jsonschema',
    '--dialect',
    'openapi-3.0',
    '--no-ignore',
  ];
  const args = ['src/main.ts', 'diff', ...how, '--direction', direction, files.old, files.next];
  return new Promise<{ readonly code: number; readonly said: string }>((resolve) => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, said: stdout + stderr });
    });
  });
}

/**
 * Removed on purpose, before anybody depended on it: see docs/decisions/kinds.md. Older spellings
 * are still accepted, but no longer in the schema; a status contains each fact once.
 */
const takenAway: Readonly<Record<string, readonly string[]>> = {
  'DataContract spec': [
    'guarantees.properties.accepted_values',
    'guarantees.properties.freshness.properties.max_staleness_minutes',
    'guarantees.properties.freshness.properties.measured_by',
    'guarantees.properties.volume.properties.max_row_delta_pct',
    'guarantees.properties.volume.properties.min_rows',
  ],
  'ContractProposal spec': [
    'guarantees.properties.accepted_values',
    'guarantees.properties.freshness.properties.max_staleness_minutes',
    'guarantees.properties.freshness.properties.measured_by',
    'guarantees.properties.volume.properties.max_row_delta_pct',
    'guarantees.properties.volume.properties.min_rows',
  ],
  'DataContract status': [
    'effective.properties.compatibilityMode',
    'lastChange.properties.bump',
    'source.properties.kind',
  ],
};

/** Rules of the last release that now also cover one more spelling or take more, and those of new fields. */
const respelledRules = [
  /self\.format in \['(GraphQL|OpenAPI|Dbt)'/,
  /has\(self\.(consumers|notes)\) && has\(self\.(addConsumers|purpose|reason)\)/,
  /has\(self\.reason\) && self\.reason != ''\) \|\| \(has\(self\.notes\)/,
  /has\(self\.needsMode\) == \(has\(self\.kind\)/,
  /has\(self\.file\) != has\(self\.configMapKeyRef\)/,
  /!has\(oldSelf\.team\) \|\| \(has\(self\.team\)/,
];

/** The places of breaking changes. */
function brokenPlaces(said: string): readonly string[] {
  const report: { readonly items: readonly { readonly changes: readonly Change[] }[] } =
    JSON.parse(said);
  const changes = report.items.flatMap((item) => item.changes);
  return changes
    .flatMap(({ breaking, path }) => (breaking ? [path.replace('$.properties.', '')] : []))
    .sort();
}

/** These came after the last release. */
const newKinds = ['ContractCheck', 'Team'];
const releasedKinds = kinds.filter(({ kind }) => !newKinds.includes(kind));

describe.each(releasedKinds.map((kind) => [kind.kind, kind] as const))('%s', (_, kind) => {
  const releasedYaml = () => readFile(join(released, `${kind.plural}.yaml`), 'utf8');

  test.each(sides)('has a %s that breaks nobody who knew the last release', async (side, way) => {
    const old = partOf(await releasedYaml(), side);
    const { code, said } = await diff(old, partOf(toDefinitionYaml(kind), side), way);
    const expected = takenAway[`${kind.kind} ${side}`] ?? [];
    expect(brokenPlaces(said), said).toEqual(expected);
    expect(code).toBe(expected.length === 0 ? 0 : 1);
  });

  test.each(sides)('has a %s of which nothing could be taken away unseen', async (side, way) => {
    const old = partOf(await releasedYaml(), side);
    const { environment, observedGeneration, ...rest } = propertiesOf(old);
    const gone = environment ?? observedGeneration;
    expect(gone).toBeDefined();
    const { code, said } = await diff(old, { ...old, properties: rest }, way);
    expect([code, said]).toEqual([1, expect.stringMatching(/environment|observedGeneration/)]);
  });

  test('has no rule that refuses what the last release took', async () => {
    // A rule at a new place never applied to manifests of the last release.
    const released: Json = parse(await releasedYaml());
    const known = new Set(rulesOf(released).map(({ rule }) => rule));
    const places = new Set(placesOf(released));
    const added = rulesOf(parse(toDefinitionYaml(kind))).filter(
      ({ place, rule }) =>
        places.has(place) && !known.has(rule) && !respelledRules.some((one) => one.test(rule)),
    );
    expect(added).toEqual([]);
  });
});

function propertiesOf(schema: JsonObject): JsonObject {
  const { properties = {} } = schema;
  return isJsonObject(properties) ? properties : {};
}

interface PlacedRule {
  readonly place: string;
  readonly rule: string;
}

/** Schemas cannot express CEL, so its rules are compared as text. */
function rulesOf(value: Json, place = ''): readonly PlacedRule[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => rulesOf(item, place));
  if (!isJsonObject(value)) return [];
  const own = typeof value.rule === 'string' ? [{ place, rule: value.rule }] : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, member]) =>
      rulesOf(member, key === 'x-kubernetes-validations' ? place : `${place}.${key}`),
    ),
  ];
}

function placesOf(value: Json, place = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => placesOf(item, place));
  if (!isJsonObject(value)) return [];
  return [
    place,
    ...Object.entries(value).flatMap(([key, member]) => placesOf(member, `${place}.${key}`)),
  ];
}
