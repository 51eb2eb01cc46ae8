import { describe, expect, test } from 'vitest';
import { parseCrd } from '../../../src/core/import/parts/crd.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';

const crdOf = (versions: Json, more: JsonObject = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  spec: { group: 'shop.example', names: { kind: 'Order', plural: 'orders' }, versions },
  ...more,
});
const versionOf = (schema: Json, more: JsonObject = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});
const place = '$.spec.versions[0].schema.openAPIV3Schema';
const termsOf = (schema: Json) => ({
  schema,
  direction: 'data',
  format: 'jsonschema',
  dialect: 'openapi-3.0',
});

describe('a CustomResourceDefinition', () => {
  test('has one schema for each version that is served', () => {
    const [id, text] = [{ type: 'integer' }, { type: 'string' }];
    const versions = [
      versionOf(id),
      versionOf(text, { name: 'v1beta1', storage: false }),
      versionOf(text, { name: 'v1alpha1', storage: false, served: false }),
    ];
    expect(parseCrd(crdOf(versions)).parts).toEqual([
      { name: 'Order shop.example/v1', terms: termsOf(id), place },
      {
        name: 'Order shop.example/v1beta1',
        terms: termsOf(text),
        place: '$.spec.versions[1].schema.openAPIV3Schema',
      },
    ]);
  });

  test.each<[string, JsonObject]>([
    ['one list of versions', { versions: [{ name: 'v1', served: true }] }],
    ['a single version', { version: 'v1' }],
  ])('before v1 had one schema for %s', (_name, spec) => {
    const { parts, problems } = parseCrd({
      kind: 'CustomResourceDefinition',
      spec: {
        ...{ group: 'shop.example', names: { kind: 'Order' } },
        ...spec,
        validation: { openAPIV3Schema: { type: 'object' } },
      },
    });
    expect(problems).toEqual([]);
    expect(parts).toEqual([
      {
        name: 'Order shop.example/v1',
        terms: termsOf({ type: 'object' }),
        place: '$.spec.validation.openAPIV3Schema',
      },
    ]);
  });

  test('says by two rules of its own which values are valid', () => {
    const { parts, problems } = parseCrd(
      crdOf([
        versionOf({
          type: 'object',
          properties: {
            port: { 'x-kubernetes-int-or-string': true },
            size: {
              'x-kubernetes-int-or-string': true,
              anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[0-9]+Mi$' }],
            },
            template: { type: 'object', 'x-kubernetes-embedded-resource': true },
            names: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
          },
        }),
      ]),
    );
    expect(problems).toEqual([]);
    expect(parts[0]?.terms?.schema).toEqual({
      type: 'object',
      properties: {
        port: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
        size: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[0-9]+Mi$' }] },
        template: {
          type: 'object',
          properties: {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: { type: 'object' },
          },
          required: ['apiVersion', 'kind'],
        },
        names: { type: 'array', items: { type: 'string' } },
      },
    });
  });

  test('has other rules, which are reported at their places', () => {
    const rules = [{ rule: 'self.min <= self.max' }];
    const schema = {
      type: 'object',
      properties: {
        ranges: {
          type: 'array',
          'x-kubernetes-list-type': 'set',
          items: { type: 'object', 'x-kubernetes-validations': rules },
        },
      },
    };
    expect(parseCrd(crdOf([versionOf(schema)])).problems).toEqual([
      {
        code: 'UNJUDGED_RULE',
        message: 'Order shop.example/v1, .ranges: x-kubernetes-list-type is not judged.',
        place: `${place}.properties.ranges["x-kubernetes-list-type"]`,
        fatal: false,
        unread: 'set',
      },
      {
        code: 'UNJUDGED_RULE',
        message: 'Order shop.example/v1, .ranges[]: x-kubernetes-validations is not judged.',
        place: `${place}.properties.ranges.items["x-kubernetes-validations"]`,
        fatal: false,
        unread: rules,
      },
    ]);
  });

  test('tells which version is stored, and which stored version is lost', () => {
    const versions = [versionOf({}), versionOf({}, { name: 'v2', storage: false })];
    const status = { storedVersions: ['v1alpha1', 'v1'] };
    expect(parseCrd(crdOf(versions, { status })).problems).toMatchObject([
      { code: 'STORED_VERSION', message: expect.stringContaining('are stored as v1.') },
      { code: 'STORED_VERSION', message: expect.stringContaining('be stored as v1alpha1, which') },
    ]);
  });

  test.each<Json>([
    null,
    { spec: 1 },
    crdOf([]),
    crdOf(1),
    crdOf([1, null, { name: 7 }, versionOf(1), versionOf({ properties: [1], allOf: 1, items: 2 })]),
    crdOf([versionOf({ properties: { a: 1, b: { items: [] } } })], { status: [] }),
  ])('whatever its parts are, nothing is thrown: %j', (manifest) => {
    expect(() => parseCrd(manifest)).not.toThrow();
  });
});
