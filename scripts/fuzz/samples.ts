// The initial inputs of the fuzzer: one valid document of each kind with as many features as
// possible.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const team = '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21';

export const manifests = ['dbt-before.json', 'dbt-after-breaking.json'].map(
  (file) => `{"owner_team_id":"${team}","manifest":${read(`test/fixtures/import/${file}`)}}`,
);

export const runResults = [
  JSON.stringify({
    run_results: {
      metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/run-results/v6.json' },
      results: [
        { unique_id: 'test.shop.not_null_orders_id.a1', status: 'pass', failures: 0 },
        {
          unique_id: 'test.shop.unique_orders_id.b2',
          status: 'fail',
          failures: 3,
          message: 'Got 3',
        },
      ],
      elapsed_time: 1.5,
    },
    manifest: { metadata: {}, nodes: {} },
  }),
];

const openApi = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0' },
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  paths: {
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getOrder',
        responses: {
          200: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
          },
          default: { $ref: '#/components/responses/Wrong' },
        },
      },
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                oneOf: [
                  { $ref: '#/components/schemas/Order' },
                  { $ref: '#/components/schemas/Gift' },
                ],
                discriminator: { propertyName: 'kind', mapping: { gift: 'Gift' } },
              },
            },
          },
        },
        responses: { 201: { description: 'Done.' } },
      },
    },
    '/forms': { post: { $ref: '#/components/pathItems/Form' } },
  },
  components: {
    responses: { Wrong: { description: 'Wrong.', content: {} } },
    schemas: {
      Order: {
        type: 'object',
        properties: {
          id: { type: 'integer', readOnly: true },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
          gift: { anyOf: [{ $ref: '#/components/schemas/Gift' }, { type: 'null' }] },
        },
        required: ['id'],
      },
      Gift: {
        $anchor: 'gift',
        allOf: [
          { $ref: '#/components/schemas/Order' },
          { properties: { kind: { const: 'gift' } } },
        ],
        nullable: true,
      },
    },
  },
};
export const openApis = [JSON.stringify({ owner_team_id: team, spec: openApi })];

const sdl = `"""Orders."""
directive @deprecatedBy(reason: String = "none", ids: [ID!]) repeatable on FIELD_DEFINITION | OBJECT
scalar Date @specifiedBy(url: "https://example.com/date")
schema { query: Query }
interface Node { id: ID! }
type Query { order(id: ID!, at: Date = "2026-01-31", filter: Filter = { states: [OPEN], deep: { states: [] } }): Order }
type Order implements Node & Priced { id: ID! total: Float! lines(first: Int = 10): [[Line!]!]! gift: Gift @deprecated(reason: """a
 block""") }
interface Priced implements Node { id: ID! total: Float! }
type Line { order: Order! note: String }
union Gift = Order | Line
enum State { OPEN CLOSED @deprecated }
input Filter { states: [State!] = [OPEN], deep: Filter }
extend type Line { more: Int }
extend enum State { LOST }
`;
export const sdls = [sdl];

const odcs = `apiVersion: v3.0.2
kind: DataContract
id: &id 53581432-6c55-4ba2-a65f-72344a91553a
version: 1.0.0
status: active
name: orders
team: [{username: a@example.com, role: owner}]
schema:
  - name: orders
    physicalName: shop.public.orders
    description: |
      Orders,
      as they were placed.
    properties:
      - {name: id, logicalType: integer, required: true, primaryKey: true, unique: true}
      - name: lines
        logicalType: array
        items: {logicalType: object, properties: [{name: sku, logicalType: string, logicalTypeOptions: {maxLength: 12, pattern: "^[A-Z]+$"}}]}
      - name: at
        logicalType: date
        quality: [{type: library, rule: nullCount, mustBe: 0}]
    quality: [{type: sql, query: "select 1", mustBeGreaterThan: 1e3}]
slaProperties: [{property: latency, value: 4, unit: h, element: orders.at}]
customProperties: [{property: x, value: *id}]
`;
export const odcsTexts = [odcs];

export const schemas = [
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.com/order',
    type: 'object',
    properties: {
      id: { type: 'integer', minimum: 0, multipleOf: 0.01 },
      kind: { enum: ['a', 1, null, [1], { b: 2 }] },
      lines: {
        type: 'array',
        prefixItems: [true],
        items: { $ref: '#/$defs/line' },
        contains: {},
        minContains: 2,
      },
      tree: { $dynamicRef: '#node' },
    },
    patternProperties: { '^x-(?<n>[a-z]+)\\k<n>$': { type: ['string', 'null'], maxLength: 3 } },
    dependentSchemas: { id: { required: ['kind'] } },
    unevaluatedProperties: false,
    if: { properties: { kind: { const: 'a' } } },
    // biome-ignore lint/suspicious/noThenProperty: that is the keyword.
    then: { minProperties: 2 },
    else: { not: { propertyNames: { pattern: '(a+)+$' } } },
    $defs: {
      line: { $anchor: 'line', oneOf: [{ $ref: '#' }, { format: 'date-time' }] },
      node: { $dynamicAnchor: 'node', anyOf: [{ $ref: '#/$defs/node' }, { type: 'string' }] },
    },
  },
  {
    $schema: 'http://json-schema.org/draft-04/schema#',
    id: 'http://example.com/old',
    type: 'object',
    properties: { a: { minimum: 1, exclusiveMinimum: true }, b: { $ref: '#/definitions/c' } },
    definitions: {
      c: { items: [{ type: 'number' }], additionalItems: false, dependencies: { a: ['b'] } },
    },
  },
].map((schema) => JSON.stringify(schema));

const id = '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21';
export const cursors = [
  ['id', 'descending', '', id],
  ['created_at', 'descending', '2026-01-31 12:00:00.12+00', id],
  ['fqn', 'ascending', 'shop.orders', id],
].map((place) => JSON.stringify(place));

export const places = ['7:9:8', '7:9:7,8/12:12:/41'];

export const authorizations = [
  `Bearer cdt_live_${'a'.repeat(43)}`,
  'Bearer bootstrap',
  'Basic YTpi',
];

export const cookies = [`a=b; concordat_session=${'A'.repeat(43)}; c="d; e"`, 'concordat_session='];
