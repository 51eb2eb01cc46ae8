// What a change of each member of a document is called. Whatever is taken away from the document,
// or says something else, is a change or is told as not compared, unless it is there for people to read.

import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import {
  asyncapi,
  asyncapi2,
  crd,
  dbt,
  odcs,
  openapi,
  specification,
  swagger,
} from './member-documents.ts';
import { type Folder, makeFolder, run } from './support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

interface Row {
  readonly document: Json;
  /** Members for people, and names. */
  readonly forReaders: readonly string[];
  /** Places of what says the same without it, or that something else says, too. */
  readonly same: readonly string[];
}

const forPeople = ['description', 'summary', 'tags', 'title', 'example', 'examples', 'info'];

const rows: Readonly<Record<string, Row>> = {
  OpenAPI: {
    document: openapi,
    // That bearerFormat is a hint, says OpenAPI.
    forReaders: ['externalDocs', 'operationId', 'bearerFormat', 'openapi'],
    same: [
      ...['paths//orders/{id}/parameters/0/required', 'paths//orders/{id}/get/parameters/0/style'],
      // The mapping leads to the same variants.
      'components/schemas/Order/properties/pay/oneOf',
    ],
  },
  'OpenAPI in several files': {
    document: inParts(openapi as JsonObject),
    forReaders: ['externalDocs', 'operationId', 'bearerFormat', 'openapi'],
    same: [
      ...['x-files/item.yaml/parameters/0/required', 'x-files/item.yaml/get/parameters/0/style'],
      'x-files/parts.yaml/schemas/Order/properties/pay/oneOf',
    ],
  },
  Swagger: {
    document: swagger,
    forReaders: ['operationId', 'swagger'],
    same: [
      // What is in a path is always required, and a file is sent as several parts.
      ...['paths//orders/{id}/parameters/0/required', 'paths//orders/{id}/post/consumes'],
      // The values say the type, and a body has no name.
      'paths//orders/{id}/get/parameters/0/items/type',
      'paths//orders/{id}/put/parameters/0/name',
      // The tags are all that it may be.
      'definitions/Pet/properties',
    ],
  },
  dbt: {
    document: dbt,
    // A node has the name of its table and of its key, and its key says what it is and which version.
    forReaders: [
      'metadata',
      'path',
      'package_name',
      'source_name',
      'name',
      'resource_type',
      'version',
    ],
    same: [
      ...['nodes/model.shop.orders/alias', 'sources/source.shop.raw.carts/identifier'],
      'sources/source.shop.raw.taps/identifier',
      // Each of these says the same of a test.
      ...['state', 'pay', 'totals'].map((name) => `nodes/test.shop.${name}/attached_node`),
      ...['nodes/test.shop.state/depends_on', 'nodes/test.shop.pay/depends_on'],
      ...['nodes/test.shop.pay/column_name', 'nodes/test.shop.pay/test_metadata/kwargs'],
      // A manifest without it may be of a version that does not have it.
      'sources/source.shop.raw.taps/config',
      // A contract keeps its mode if a file names none.
      'nodes/model.shop.orders/meta/concordat/compatibility_mode',
    ],
  },
  AsyncAPI: {
    document: asyncapi,
    // Each version of a language is read as the same one.
    forReaders: ['asyncapi', 'schemaFormat'],
    same: ['components/securitySchemes'],
  },
  'AsyncAPI 2': { document: asyncapi2, forReaders: ['asyncapi'], same: [] },
  CustomResourceDefinition: {
    document: crd,
    forReaders: [
      ...['apiVersion', 'metadata', 'singular', 'listKind', 'shortNames', 'categories'],
      ...['additionalPrinterColumns', 'deprecationWarning'],
    ],
    same: ['spec/versions/0/served', 'spec/versions/1/served', 'spec/versions/0/deprecated'],
  },
  ODCS: {
    document: odcs,
    forReaders: [
      ...['id', 'version', 'status', 'domain', 'tenant', 'dataProduct', 'team', 'roles', 'price'],
      ...['dataGranularityDescription', 'criticalDataElement', 'transformLogic', 'partitioned'],
      'partitionKeyPosition',
    ],
    same: [
      // The object's type for people, and what is so by default.
      ...['name', 'schema/0/physicalType', 'schema/0/logicalType', 'schema/0/quality/0/name'],
      ...['schema/0/quality/0/type', 'schema/0/properties/1/quality/0/type'],
      ...['schema/0/properties/1/quality/0/mustBe', 'schema/0/properties/1/quality/1/mustBe'],
      // Items say that it is an array, and properties an object.
      ...['schema/0/properties/2/logicalType', 'schema/0/properties/2/items/logicalType'],
    ],
  },
  'Data Contract Specification': {
    document: specification,
    forReaders: ['dataContractSpecification', 'terms', 'domain'],
    same: ['models/orders/type'],
  },
};

/** As the command line puts it together, if its components and a path stand in files of their own. */
function inParts(document: JsonObject): JsonObject {
  const { components, paths, ...rest } = document;
  const { securitySchemes = null, ...parts } = components as JsonObject;
  const { '/orders/{id}': item = null, ...others } = paths as JsonObject;
  const whole = {
    ...rest,
    paths: { ...others, '/orders/{id}': { $ref: '#/x-files/item.yaml' } },
    components: { securitySchemes },
    'x-files': { 'item.yaml': item, 'parts.yaml': parts },
  };
  const text = JSON.stringify(whole).replaceAll('#/components/', '#/x-files/parts.yaml/');
  return JSON.parse(text) as JsonObject;
}

type Step = string | number;

/** The places of a value, its own first. */
function* placesIn(value: Json, row: Row, place: readonly Step[] = []): Generator<readonly Step[]> {
  const { forReaders, same } = row;
  if ([...forPeople, ...forReaders].includes(String(place.at(-1)))) return;
  if (same.includes(place.join('/'))) return;
  yield place;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* placesIn(item, row, [...place, index]);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value))
      yield* placesIn(member, row, [...place, key]);
  }
}

/** The value with something else at a place; undefined takes it away. */
function replaced(
  value: Json,
  place: readonly Step[],
  change: (old: Json) => Json | undefined,
): Json {
  const [step, ...rest] = place;
  const inside = (old: Json) => (rest.length === 0 ? change(old) : replaced(old, rest, change));
  if (Array.isArray(value))
    return value.flatMap((item, index) => (index === step ? (inside(item) ?? []) : [item]));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(
    ([key, member]) => [key, key === step ? inside(member) : member] as const,
  );
  return Object.fromEntries(
    members.flatMap(([key, member]) => (member === undefined ? [] : [[key, member]])),
  );
}

function another(value: Json): Json | undefined {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : undefined;
}

async function diff(old: Json, next: Json): Promise<string> {
  const files = [`${folder.path}/old.json`, `${folder.path}/new.json`];
  for (const [index, content] of [old, next].entries()) {
    await writeFile(files[index] ?? '', JSON.stringify(content));
  }
  const { code, stdout } = await run(['diff', ...files, '--format', 'json']);
  return code === 0 ? JSON.parse(stdout).status : `exit ${code}`;
}

const changes: readonly (readonly [name: string, change: (old: Json) => Json | undefined])[] = [
  ['comes or goes', () => undefined],
  ['says something else', another],
];

const cases = Object.entries(rows).flatMap(([name, row]) =>
  changes.map(([what, change]) => [name, what, row, change] as const),
);

test.each(cases)('%s: no member %s without a word', async (_, __, row, change) => {
  const { document } = row;
  const silent = new Set<string>();
  for (const place of placesIn(document, row)) {
    if (place.length === 0) continue;
    const changed = replaced(document, place, change);
    if (JSON.stringify(changed) === JSON.stringify(document)) continue;
    if ((await diff(document, changed)) === 'no_changes') silent.add(place.join('/'));
    if (change === another) continue;
    if ((await diff(changed, document)) === 'no_changes') silent.add(place.join('/'));
  }
  expect([...silent]).toEqual([]);
});
