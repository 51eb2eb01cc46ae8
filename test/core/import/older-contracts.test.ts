import { describe, expect, test } from 'vitest';
import { parseOdcs } from '../../../src/core/import/odcs/odcs.ts';
import type { Json } from '../../../src/core/value/json.ts';

const specification = {
  dataContractSpecification: '1.2.0',
  id: 'orders-latest',
  info: { title: 'Orders', version: '2.0.0', owner: 'Checkout' },
  servers: { production: { type: 's3', location: 's3://orders' } },
  models: {
    orders: {
      type: 'table',
      description: 'One record per order.',
      fields: {
        id: { $ref: '#/definitions/order_id', required: true, primaryKey: true },
        total: { type: 'long', minimum: 0 },
        placed_at: { type: 'timestamp', required: true },
        state: { type: 'text', enum: ['open', 'paid'] },
        address: { type: 'object', fields: { city: { type: 'text', maxLength: 9 } } },
        tags: { type: 'array', items: { type: 'string', required: true } },
        labels: { type: 'map', keys: { type: 'string' }, values: { type: 'int' } },
        raw: { type: 'variant' },
      },
      quality: [{ type: 'sql', query: 'SELECT 1', mustBe: 1 }],
    },
  },
  definitions: { order_id: { type: 'text', format: 'uuid', description: 'An id.' } },
  servicelevels: { freshness: { threshold: '25h', timestampField: 'orders.placed_at' } },
};

const termsOf = (document: Json) =>
  parseOdcs(document).candidates.map(({ fqn, place, terms }) => ({
    fqn,
    place,
    schema: terms?.schema,
    guarantees: terms?.guarantees,
  }));

describe('the Data Contract Specification is read by converting it to ODCS 3', () => {
  test('models, fields, definitions, keys and service levels', () => {
    expect(parseOdcs(specification).problems).toEqual([]);
    expect(termsOf(specification)).toEqual([
      {
        fqn: 'orders-latest.orders',
        place: '$.models.orders',
        schema: {
          type: 'object',
          description: 'One record per order.',
          properties: {
            id: { type: 'string', format: 'uuid', description: 'An id.' },
            total: { type: ['integer', 'null'], minimum: 0 },
            placed_at: { type: 'string', format: 'date-time' },
            state: { type: ['string', 'null'], enum: ['open', 'paid', null] },
            address: {
              type: ['object', 'null'],
              properties: { city: { type: ['string', 'null'], maxLength: 9 } },
            },
            tags: { type: ['array', 'null'], items: { type: 'string' } },
            labels: {
              type: ['object', 'null'],
              additionalProperties: { type: ['integer', 'null'] },
            },
            raw: {},
          },
        },
        guarantees: {
          freshness: { max_staleness_minutes: 1500, measured_by: 'placed_at' },
          nullability: { id: 'never' },
          custom: [
            { type: 'sql', config: { query: 'SELECT 1', mustBe: 1 } },
            { type: 'unique', column: 'id', config: {} },
          ],
        },
      },
    ]);
  });

  test('what is not read is a problem at its place in the file', () => {
    const orders = { fields: { id: { $ref: 'other.yaml#/id' }, at: { type: 'moment' } } };
    const { problems } = parseOdcs({ ...specification, models: { orders } });
    expect(problems).toEqual([
      {
        code: 'UNREADABLE_PART',
        message: expect.stringContaining('"other.yaml#/id" has no target'),
        place: '$.models.orders.fields.id',
        fatal: false,
      },
      {
        code: 'UNKNOWN_TYPE',
        message: expect.stringContaining('"moment" is unknown'),
        place: '$.models.orders.fields.at',
        fatal: false,
      },
    ]);
  });

  test.each<Json>([
    { models: {} },
    { models: [] },
    { models: { a: 1, b: { fields: [] }, c: { fields: { d: null, e: { type: 7, items: 1 } } } } },
    {
      models: { a: { fields: { b: { $ref: '#/definitions/b' } } } },
      definitions: { b: { $ref: '#/definitions/b' } },
    },
    { servers: 1, servicelevels: { freshness: 1 }, info: [] },
  ])('whatever its parts are, nothing is thrown: %j', (parts) => {
    expect(() => parseOdcs({ dataContractSpecification: '1.2.0', ...Object(parts) })).not.toThrow();
  });
});

describe('ODCS 2 is read by converting it to ODCS 3', () => {
  const contract = {
    kind: 'DataContract',
    apiVersion: 'v2.2.2',
    quantumName: 'my quantum',
    uuid: '53581432-6c55-4ba2-a65f-72344a91553a',
    version: '1.1.0',
    datasetProject: 'edw',
    datasetName: 'access_views',
    dataset: [
      {
        table: 'tbl',
        physicalName: 'tbl_1',
        columns: [
          { column: 'day', logicalType: 'date', physicalType: 'date', isNullable: false },
          { column: 'id', logicalType: 'String', isPrimary: true, primaryKeyPosition: 1 },
          { column: 'area', logicalType: 'polygon', physicalType: 'numeric(9,2)' },
          { column: 'code', quality: [{ code: 'nullCheck', type: 'dataQuality' }] },
        ],
      },
    ],
    slaProperties: [{ property: 'latency', value: 4, unit: 'd', column: 'tbl.day' }],
  };

  test.each<[string, Json]>([
    ['2.2', contract],
    ['2.1, which had another kind', { ...contract, kind: 'virtualDataset', apiVersion: '2.1.0' }],
  ])('tables, columns, keys, rules and service levels of %s', (_version, document) => {
    expect(parseOdcs(document).problems).toEqual([]);
    expect(termsOf(document)).toEqual([
      {
        fqn: 'edw.access_views.tbl',
        place: '$.dataset[0]',
        schema: {
          type: 'object',
          properties: {
            day: { type: 'string', format: 'date' },
            id: { type: ['string', 'null'] },
            area: { type: ['number', 'null'] },
            code: {},
          },
        },
        guarantees: {
          freshness: { max_staleness_minutes: 5760, measured_by: 'day' },
          nullability: { code: 'never', id: 'never' },
          custom: [{ type: 'unique', column: 'id', config: {} }],
        },
      },
    ]);
  });

  test.each<Json>([
    { dataset: [] },
    { dataset: [1, null, { table: 7 }, { table: 'a', columns: [1, { column: 'b', quality: 1 }] }] },
    { dataset: [{ table: 'a', quality: [1, null, { code: 7 }] }], slaProperties: [1], tags: 1 },
  ])('whatever its parts are, nothing is thrown: %j', (document) => {
    expect(() => parseOdcs(document)).not.toThrow();
  });
});
