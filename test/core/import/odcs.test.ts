import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ContractTerms, Guarantees } from '../../../src/core/comparison.ts';
import { readingOf } from '../../../src/core/contract.ts';
import { type OdcsExport, toOdcsDocument } from '../../../src/core/export/export-odcs.ts';
import { toContractTerms } from '../../../src/core/import/candidate.ts';
import { parseOdcs } from '../../../src/core/import/odcs/odcs.ts';
import { isSameJson } from '../../../src/core/value/canonical-json.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../../src/core/value/json.ts';

function contractOf(objects: readonly Json[], more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v3.1.0',
    kind: 'DataContract',
    id: 'c-1',
    name: 'sales',
    version: '1.0.0',
    status: 'active',
    schema: objects,
    ...more,
  };
}

function objectOf(properties: readonly Json[], more: JsonObject = {}): JsonObject {
  return { name: 'orders', properties, ...more };
}

function schemaOf(property: JsonObject): Json | undefined {
  const parsed = parseOdcs(contractOf([objectOf([{ name: 'a', required: true, ...property }])]));
  const schema = parsed.candidates[0]?.terms?.schema as JsonObject;
  return (schema.properties as JsonObject).a;
}

function guaranteesOf(property: JsonObject, object: JsonObject = {}, more: JsonObject = {}): Json {
  const contract = contractOf([objectOf([{ name: 'a', ...property }], object)], more);
  return parseOdcs(contract).candidates[0]?.terms?.guarantees ?? null;
}

const yaml = `
apiVersion: v3.1.0
kind: DataContract
id: 53581432-6c55-4ba2-a65f-72344a91553a
name: sales
version: 1.1.0
status: active
domain: commerce
team:
  name: orders-team
  members:
    - {username: ada@example.com, role: Owner}
schema:
  - name: orders
    physicalType: table
    description: One row an order.
    tags: [finance]
    properties:
      - {name: id, logicalType: integer, required: true, unique: true}
      - name: status
        logicalType: string
        logicalTypeOptions: {minLength: 1}
        quality:
          - {metric: nullValues, mustBe: 0}
  - name: customers
    properties:
      - {name: email, logicalType: string}
slaProperties:
  - {property: freshness, value: 4, unit: h, element: orders.updated_at}
customProperties:
  - property: compatibilityMode
    value: full
  - property: consumers
    value: [{team: bi, purpose: dashboards}, ml]
`;

test('a file of YAML becomes an asset for each of its objects', () => {
  const parsed = parseOdcs(yaml);
  expect(parsed.problems).toEqual([]);
  const guarantees = {
    freshness: { max_staleness_minutes: 240, measured_by: 'updated_at' },
    nullability: { status: 'never' },
    custom: [{ type: 'unique', column: 'id', config: {} }],
  };
  expect(parsed.candidates).toEqual([
    {
      fqn: 'commerce.orders',
      ownFqn: 'commerce.orders',
      identity: {
        of: '53581432-6c55-4ba2-a65f-72344a91553a',
        thing: '["commerce","orders"]',
        stem: 'commerce.orders',
      },
      resourceType: 'table',
      metadata: {
        resource_type: 'table',
        description: 'One row an order.',
        tags: ['finance'],
        contract_id: '53581432-6c55-4ba2-a65f-72344a91553a',
        contract_version: '1.1.0',
        object_name: 'orders',
        guarantees,
      },
      ownerTeamName: 'orders-team',
      ownerUserEmail: 'ada@example.com',
      consumers: [{ team: 'bi', purpose: 'dashboards' }, { team: 'ml' }],
      refs: [],
      terms: {
        schema: {
          type: 'object',
          properties: {
            id: { type: 'integer' },
            status: { type: ['string', 'null'], minLength: 1 },
          },
          description: 'One row an order.',
        },
        direction: 'data',
        format: 'odcs',
        guarantees,
        compatibilityMode: 'full',
      },
      label: { kind: 'odcs', object_name: 'orders' },
      place: '$.schema[0]',
    },
    expect.objectContaining({ fqn: 'commerce.customers' }),
  ]);
});

test('JSON is read as YAML is, as text or parsed', () => {
  const contract = contractOf([objectOf([{ name: 'a', logicalType: 'string' }])]);
  const expected = parseOdcs(contract);
  expect(expected.candidates.length).toBe(1);
  expect(parseOdcs(JSON.stringify(contract))).toEqual(expected);
  expect(parseOdcs(stringify(contract))).toEqual(expected);
});

test.each<[string, JsonObject, Json]>([
  [
    'string',
    { logicalType: 'string', logicalTypeOptions: { maxLength: 3, format: 'uuid' } },
    { type: 'string', maxLength: 3, format: 'uuid' },
  ],
  [
    'date',
    { logicalType: 'date', logicalTypeOptions: { format: 'yyyy-MM-dd' } },
    { type: 'string', format: 'date' },
  ],
  ['timestamp', { logicalType: 'timestamp' }, { type: 'string', format: 'date-time' }],
  ['time', { logicalType: 'time' }, { type: 'string', format: 'time' }],
  [
    'number',
    { logicalType: 'number', logicalTypeOptions: { minimum: 0, multipleOf: 0.5 } },
    { type: 'number', minimum: 0, multipleOf: 0.5 },
  ],
  [
    'integer',
    { logicalType: 'integer', logicalTypeOptions: { format: 'i64' } },
    { type: 'integer' },
  ],
  ['boolean', { logicalType: 'boolean' }, { type: 'boolean' }],
  [
    'not required means that it may be null',
    { logicalType: 'string', required: false },
    { type: ['string', 'null'] },
  ],
  [
    'array',
    {
      logicalType: 'array',
      items: { logicalType: 'string', required: true },
      logicalTypeOptions: { minItems: 1 },
    },
    { type: 'array', items: { type: 'string' }, minItems: 1 },
  ],
  [
    'object',
    {
      logicalType: 'object',
      properties: [{ name: 'x', logicalType: 'integer' }],
      logicalTypeOptions: { required: ['x'], minProperties: 1 },
    },
    {
      type: 'object',
      properties: { x: { type: ['integer', 'null'] } },
      required: ['x'],
      minProperties: 1,
    },
  ],
  [
    'map',
    {
      logicalType: 'map',
      map: { key: { logicalType: 'string' }, value: { logicalType: 'number', required: true } },
    },
    { type: 'object', additionalProperties: { type: 'number' } },
  ],
  [
    'vector',
    { logicalType: 'vector', logicalTypeOptions: { dimensions: 3 } },
    { type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 },
  ],
  [
    'enum',
    { logicalType: 'string', enum: [{ value: 'a', label: 'A' }, { value: 'b' }] },
    { type: 'string', enum: ['a', 'b'] },
  ],
  [
    'enum that may be null',
    { logicalType: 'string', enum: [{ value: 'a' }], required: false },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [
    'physicalType alone',
    { physicalType: 'ARRAY<INT64>' },
    { type: 'array', items: { type: 'integer' } },
  ],
  ['neither type', {}, {}],
  [
    'annotations',
    { logicalType: 'string', description: 'Why', deprecated: true },
    { type: 'string', description: 'Why', deprecated: true },
  ],
])('a property becomes a schema: %s', (_what, property, expected) => {
  expect(schemaOf(property)).toEqual(expected);
});

test.each<[string, Json, Json]>([
  ['nullValues', { metric: 'nullValues', mustBe: 0 }, { nullability: { a: 'never' } }],
  ['nullCheck of 3.0', { type: 'library', rule: 'nullCheck' }, { nullability: { a: 'never' } }],
  ['fewer than one', { metric: 'nullValues', mustBeLessThan: 1 }, { nullability: { a: 'never' } }],
  [
    'some nulls are tolerated',
    { metric: 'nullValues', mustBeLessThan: 5 },
    { custom: [{ type: 'nullValues', column: 'a', config: { mustBeLessThan: 5 } }] },
  ],
  [
    'nulls only warn',
    { metric: 'nullValues', mustBe: 0, severity: 'warning' },
    { custom: [{ type: 'nullValues', column: 'a', config: { mustBe: 0, severity: 'warning' } }] },
  ],
  [
    'duplicateValues',
    { metric: 'duplicateValues', mustBe: 0 },
    { custom: [{ type: 'unique', column: 'a', config: {} }] },
  ],
  [
    'invalidValues',
    { metric: 'invalidValues', arguments: { validValues: ['x', 'y'] }, mustBe: 0 },
    { accepted_values: { a: ['x', 'y'] } },
  ],
  [
    'validValues of 3.0',
    { rule: 'validValues', validValues: [1] },
    { accepted_values: { a: [1] } },
  ],
  [
    'sql',
    { type: 'sql', name: 'sum', query: 'select 1', mustBe: 1 },
    {
      custom: [{ type: 'sql', column: 'a', name: 'sum', config: { query: 'select 1', mustBe: 1 } }],
    },
  ],
  [
    'text',
    { type: 'text', description: 'Be good' },
    { custom: [{ type: 'text', column: 'a', config: { description: 'Be good' } }] },
  ],
  ['no object', 7, null],
])('a quality rule becomes a guarantee: %s', (_what, rule, expected) => {
  expect(guaranteesOf({ quality: [rule] })).toEqual(expected);
});

test('a rule on the number of rows of an object is a volume', () => {
  const rule = (operator: string) => ({ quality: [{ metric: 'rowCount', [operator]: 10 }] });
  expect(guaranteesOf({}, rule('mustBeGreaterOrEqualTo'))).toEqual({ volume: { min_rows: 10 } });
  expect(guaranteesOf({}, rule('mustBeGreaterThan'))).toEqual({ volume: { min_rows: 11 } });
  expect(guaranteesOf({}, rule('mustBeLessThan'))).toMatchObject({
    custom: [{ type: 'rowCount' }],
  });
});

test.each<[string, JsonObject, Json]>([
  [
    'hours, of every object',
    { property: 'freshness', value: 2, unit: 'h' },
    { max_staleness_minutes: 120 },
  ],
  [
    'latency, in days',
    { property: 'latency', value: '1', unit: 'd', element: 'orders.at' },
    { max_staleness_minutes: 1440, measured_by: 'at' },
  ],
  [
    'seconds are rounded up',
    { property: 'freshness', value: 61, unit: 'seconds' },
    { max_staleness_minutes: 2 },
  ],
])('a service level on age is a freshness: %s', (_what, level, freshness) => {
  expect(guaranteesOf({}, {}, { slaProperties: [level] })).toEqual({ freshness });
});

test.each<[string, readonly JsonObject[], Guarantees | null]>([
  [
    'of one column',
    [{ name: 'id', primaryKey: true }, { name: 'b' }],
    { nullability: { id: 'never' }, custom: [{ type: 'unique', column: 'id', config: {} }] },
  ],
  [
    'of several, in the order of their positions',
    [
      { name: 'line', primaryKey: true, primaryKeyPosition: 2 },
      { name: 'last', primaryKey: true, primaryKeyPosition: -1 },
      { name: 'order', primaryKey: true, primaryKeyPosition: 1 },
    ],
    {
      nullability: { order: 'never', line: 'never', last: 'never' },
      custom: [{ type: 'unique', columns: ['order', 'line', 'last'], config: {} }],
    },
  ],
  [
    'that is also said to be unique',
    [{ name: 'id', primaryKey: true, unique: true }],
    { nullability: { id: 'never' }, custom: [{ type: 'unique', column: 'id', config: {} }] },
  ],
  ['that says no', [{ name: 'id', primaryKey: false }], null],
])('a primary key %s is never null, and unique', (_what, properties, expected) => {
  const [candidate] = parseOdcs(contractOf([objectOf(properties)])).candidates;
  expect(candidate?.terms?.guarantees ?? null).toEqual(expected);
});

test.each<[string, JsonObject]>([
  ['of another object', { property: 'freshness', value: 2, unit: 'h', element: 'customers.at' }],
  ['in a unit nobody knows', { property: 'freshness', value: 2, unit: 'moons' }],
  ['without a number', { property: 'freshness', value: 'soon', unit: 'h' }],
])('a service level %s is none', (_what, level) => {
  expect(guaranteesOf({}, {}, { slaProperties: [level] })).toBeNull();
});

test.each<[string, JsonObject, string]>([
  [
    'its custom property',
    contractOf(
      [objectOf([], { customProperties: [{ property: 'fqn', value: 'db.public.orders' }] })],
      { domain: 'x' },
    ),
    'db.public.orders',
  ],
  [
    'the table on its server',
    contractOf([objectOf([], { physicalName: 'ORDERS_V1' })], {
      servers: [{ server: 's', type: 'postgres', database: 'DB', schema: 'Public' }],
    }),
    'db.public.orders_v1',
  ],
  [
    'the project and dataset of BigQuery',
    contractOf([objectOf([])], { servers: [{ type: 'bigquery', project: 'p', dataset: 'd' }] }),
    'p.d.orders',
  ],
  [
    'its data product',
    contractOf([objectOf([])], { dataProduct: 'Order Flow', domain: 'x' }),
    'Order_Flow.orders',
  ],
  ['the name of the contract', contractOf([objectOf([])]), 'sales.orders'],
])('an object is named by %s', (_what, contract, fqn) => {
  expect(parseOdcs(contract).candidates.map((candidate) => candidate.fqn)).toEqual([fqn]);
});

test('what cannot be read in an object is told with its place, and the rest goes on', () => {
  const properties = [
    { name: 'a', logicalType: 'strnig' },
    { logicalType: 'string' },
    { name: 'b', logicalType: 'date', logicalTypeOptions: { minimum: '2020-01-01' } },
    { name: 'b', logicalType: 'string' },
  ];
  const mode = {
    customProperties: [
      { property: 'compatibilityMode', value: 'sideways' },
      { property: 'consumers', value: 7 },
    ],
  };
  const parsed = parseOdcs(contractOf([objectOf(properties, mode), { properties: [] }]));
  expect(parsed.candidates).toMatchObject([{ fqn: 'sales.orders', terms: null }]);
  expect(parsed.problems.map(({ code, place }) => [code, place])).toEqual([
    ['UNREADABLE_ITEM', '$.schema[1]'],
    ['UNREADABLE_ITEM', '$.schema[0].customProperties'],
    ['INVALID_META', '$.schema[0].customProperties'],
    ['UNKNOWN_TYPE', '$.schema[0].properties[0].logicalType'],
    ['UNREADABLE_ITEM', '$.schema[0].properties[1]'],
    ['IGNORED_RULE', '$.schema[0].properties[2].logicalTypeOptions'],
    ['DUPLICATE_DEFINITION', '$.schema[0].properties[3]'],
  ]);
});

const bomb = `a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
e: [*d, *d, *d, *d, *d, *d, *d, *d, *d]
`;

test.each<[string, Json, string]>([
  ['an alias bomb', `${bomb}kind: DataContract`, '$'],
  ['YAML that is cut off', 'kind: "Data', expect.stringMatching(/^line \d+, column \d+$/)],
  ['JSON that is cut off', '{"kind": "DataContract", ', expect.stringMatching(/^line \d+/)],
  ['several documents', 'kind: DataContract\n---\nkind: DataContract', expect.any(String)],
  ['a number that JSON cannot say', 'kind: .nan', '$'],
  ['nested without end', '['.repeat(100_000), expect.stringMatching(/^line 1/)],
  ['empty', '', '$'],
  ['a list', [], '$'],
  ['another kind', { kind: 'DataProduct' }, '$.kind'],
  ['version 2', { kind: 'DataContract', apiVersion: 'v2.2.2' }, '$.apiVersion'],
  ['without a version', { kind: 'DataContract' }, '$.apiVersion'],
  ['without a schema', { kind: 'DataContract', apiVersion: 'v3.0.0' }, '$.schema'],
  ['without objects', { kind: 'DataContract', apiVersion: 'v3.0.0', schema: [] }, '$.schema'],
])(
  'a contract that is %s is refused with its place, and nothing of it is imported',
  (_what, input, place) => {
    expect(parseOdcs(input)).toEqual({
      candidates: [],
      problems: [{ code: 'INVALID_ODCS', message: expect.any(String), place, fatal: true }],
    });
  },
);

test('parts of every wrong shape are values, never exceptions', () => {
  const odd: readonly Json[] = [null, 7, 'x', [], {}, [[]], [{}], true];
  const keys = ['properties', 'quality', 'customProperties', 'physicalType', 'tags', 'logicalType'];
  const more = ['servers', 'team', 'slaProperties', 'customProperties', 'tags', 'domain'];
  for (const value of odd) {
    for (const key of keys) {
      const property = {
        name: 'a',
        logicalType: 'object',
        logicalTypeOptions: value,
        items: value,
        map: value,
        enum: value,
        [key]: value,
      };
      expect(() => parseOdcs(contractOf([objectOf([property], { [key]: value })]))).not.toThrow();
    }
    for (const key of more) {
      expect(() => parseOdcs(contractOf([objectOf([])], { [key]: value }))).not.toThrow();
    }
  }
});

function exportOf(terms: Partial<ContractTerms>, more: Partial<OdcsExport> = {}): OdcsExport {
  return {
    id: '0190b5a0-0000-7000-8000-000000000001',
    version: '2.1.0',
    status: 'active',
    fqn: 'db.public.orders',
    environment: 'staging',
    terms: {
      schema: { type: 'object' },
      compatibilityMode: 'backward',
      guarantees: null,
      direction: 'data',
      ...terms,
    },
    format: 'jsonschema',
    ownerTeamName: 'orders-team',
    ownerUserEmail: 'ada@example.com',
    consumers: [{ team: 'bi', purpose: 'dashboards' }, { team: 'ml' }],
    ...more,
  };
}

const guarantees: Guarantees = {
  freshness: { max_staleness_minutes: 60, measured_by: 'at' },
  volume: { min_rows: 5 },
  nullability: { id: 'never' },
  accepted_values: { status: ['a', 'b'] },
  custom: [{ type: 'unique', column: 'id', config: {} }],
};

test('an export says in the words of the standard what it can', () => {
  const schema = {
    type: 'object',
    description: 'One row an order.',
    properties: {
      id: { type: 'integer', minimum: 1 },
      status: { type: ['string', 'null'], enum: ['a', 'b', null] },
      at: { type: 'string', format: 'date-time', description: 'When' },
      lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
    },
  };
  expect(toOdcsDocument(exportOf({ schema, guarantees }, { tags: ['finance'] }))).toEqual({
    apiVersion: 'v3.2.0',
    kind: 'DataContract',
    id: '0190b5a0-0000-7000-8000-000000000001',
    name: 'db.public.orders',
    version: '2.1.0',
    status: 'active',
    tags: ['finance'],
    schema: [
      {
        name: 'orders',
        logicalType: 'object',
        description: 'One row an order.',
        properties: [
          {
            name: 'id',
            logicalType: 'integer',
            logicalTypeOptions: { minimum: 1 },
            required: true,
            unique: true,
            quality: [{ type: 'library', metric: 'nullValues', mustBe: 0 }],
          },
          {
            name: 'status',
            logicalType: 'string',
            enum: [{ value: 'a' }, { value: 'b' }],
            quality: [
              {
                type: 'library',
                metric: 'invalidValues',
                arguments: { validValues: ['a', 'b'] },
                mustBe: 0,
              },
            ],
          },
          { name: 'at', logicalType: 'timestamp', required: true, description: 'When' },
          {
            name: 'lines',
            logicalType: 'array',
            required: true,
            items: {
              logicalType: 'object',
              required: true,
              properties: [{ name: 'sku', logicalType: 'string', required: true }],
            },
          },
        ],
        quality: [{ type: 'library', metric: 'rowCount', mustBeGreaterOrEqualTo: 5 }],
        customProperties: [
          { property: 'fqn', value: 'db.public.orders' },
          { property: 'environment', value: 'staging' },
          { property: 'compatibilityMode', value: 'backward' },
          { property: 'consumers', value: [{ team: 'bi', purpose: 'dashboards' }, { team: 'ml' }] },
          { property: 'format', value: 'jsonschema' },
        ],
      },
    ],
    team: { name: 'orders-team', members: [{ username: 'ada@example.com', role: 'owner' }] },
    slaProperties: [{ property: 'freshness', value: 60, unit: 'minutes', element: 'orders.at' }],
  });
});

/** What comes back, or why nothing does. */
function returned(contract: OdcsExport): Json {
  const { candidates, problems } = parseOdcs(
    stringify(toOdcsDocument(contract), { aliasDuplicateObjects: false }),
  );
  const [candidate] = candidates;
  if (candidate?.terms === null || candidate === undefined || problems.length > 0) {
    return { problems: problems.map(({ message }) => message) };
  }
  return {
    fqn: candidate.fqn,
    environment: candidate.environment ?? null,
    owner: candidate.ownerTeamName ?? null,
    user: candidate.ownerUserEmail ?? null,
    consumers: candidate.consumers as unknown as Json,
    format: candidate.terms.format,
    terms: toContractTerms(candidate.terms, null) as unknown as Json,
  };
}

function expected(contract: OdcsExport): Json {
  return {
    fqn: contract.fqn,
    environment: contract.environment,
    owner: contract.ownerTeamName,
    user: contract.ownerUserEmail ?? null,
    consumers: contract.consumers as unknown as Json,
    format: contract.format,
    terms: { ...contract.terms, ...readingOf(contract.format) } as unknown as Json,
  };
}

test.each<[string, OdcsExport]>([
  [
    'what the standard can say',
    exportOf({
      schema: { type: 'object', properties: { id: { type: 'integer' } } },
      guarantees: { nullability: { id: 'never' } },
    }),
  ],
  ['all of the guarantees', exportOf({ guarantees })],
  [
    'a schema that is not a table',
    exportOf({ schema: { type: 'array', items: { type: 'string' } } }),
  ],
  ['a schema that is true', exportOf({ schema: true })],
  [
    'references in a cycle, unions, required keys, patterns',
    exportOf({
      schema: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { anyOf: [{ type: 'string', pattern: '^a' }, { type: 'integer' }] },
          next: { $ref: '#/$defs/n' },
        },
        $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } },
      },
    }),
  ],
  [
    'an operation of OpenAPI 3.0',
    exportOf(
      {
        schema: { type: 'object', properties: { response: { type: 'string', nullable: true } } },
        direction: 'operation',
        dialect: 'openapi-3.0',
        compatibilityMode: 'full',
      },
      { format: 'openapi' },
    ),
  ],
  [
    'guarantees that no rule can say',
    exportOf({
      guarantees: {
        custom: [{ type: 'dbt_utils.x', config: { a: 1 } }],
        volume: { max_row_delta_pct: 5 },
      },
    }),
  ],
])('a round trip loses nothing of %s', (_what, contract) => {
  expect(returned(contract)).toEqual(expected(contract));
});

test('a number that a double cannot hold comes back as it was', () => {
  const parsed = parseJson('{"type": "integer", "maximum": 9223372036854775807}');
  const contract = exportOf({ schema: parsed.ok ? parsed.value : null });
  const { candidates } = parseOdcs(JSON.stringify(toOdcsDocument(contract)));
  expect(JSON.stringify(candidates[0]?.terms?.schema)).toContain(':9223372036854775807}');
});

test('properties that were edited after the export count, not what was exported beside them', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const document = toOdcsDocument(exportOf({ schema })) as { schema: JsonObject[] };
  const object = {
    ...document.schema[0],
    properties: [{ name: 'b', logicalType: 'integer', required: true }],
  };
  const parsed = parseOdcs({ ...document, schema: [object] } as JsonObject);
  expect(parsed.candidates[0]?.terms?.schema).toEqual({
    type: 'object',
    properties: { b: { type: 'integer' } },
  });
  expect(parsed.problems).toMatchObject([{ code: 'IGNORED_RULE', fatal: false }]);
});

const name = fc.constantFrom('a', 'b', 'id', '__proto__', 'with space', 'Ü');
const scalar = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null') }),
  fc.record({ type: fc.constantFrom(['string', 'null'], ['integer', 'string']) }),
  fc.record({ type: fc.constant('string'), format: fc.constantFrom('date', 'uuid', 'date-time') }),
  fc.record({ type: fc.constant('integer'), minimum: fc.integer(), description: fc.string() }),
  fc.record({
    enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }),
  }),
  fc.constantFrom<Json>(true, false, {}, { $ref: '#' }, { const: 1 }),
);
const { schema: anySchema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    scalar as fc.Arbitrary<Json>,
    fc.record({ type: fc.constant('array'), items: tie('schema'), deprecated: fc.boolean() }),
    fc.record({ type: fc.constant('object'), properties: fc.dictionary(name, tie('schema')) }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
  ),
}));

test('law: any schema comes back from an export as it was', () => {
  const law = fc.property(anySchema, fc.constantFrom(null, guarantees), (schema, promised) => {
    const contract = exportOf({ schema, guarantees: promised });
    const back = returned(contract);
    return isJsonObject(back) && isSameJson(back, expected(contract));
  });
  fc.assert(law, { numRuns: 150 });
});

test.each([
  [{ classification: 'PII' }, 'pii'],
  [{ classification: 'confidential' }, 'confidential'],
  [{ classification: 'confidential', tags: ['pii'] }, 'pii'],
  [{ tags: ['other'] }, undefined],
])(
  'The classification of a column stays with it, and personal data is always pii: %j',
  (stated, kept) => {
    const schema = schemaOf({ logicalType: 'string', ...stated });
    expect(isJsonObject(schema ?? null) && (schema as JsonObject)['x-classification']).toBe(kept);
  },
);
