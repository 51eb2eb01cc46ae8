// The metaschemas, for schemas that refer to them ("a value here is itself a schema"): the one kind of
// external reference that needs no fetching. Each is its dialect's, annotations apart; those of
// 2019-09 and 2020-12 are written as one schema instead of one for each vocabulary.

import type { Dialect } from '../containment/containment.types.ts';
import type { Json, JsonObject } from '../json.ts';
import { dialectOfUri } from './dialects.ts';

type Draft = 'draft-04' | 'draft-06' | 'draft-07' | '2019-09' | '2020-12';

/** The metaschema that a URI (without fragment) names, and the dialect it is written in. */
export function findMetaschema(
  uri: string,
): { readonly schema: JsonObject; readonly dialect: Dialect } | undefined {
  const dialect = dialectOfUri(uri);
  if (dialect === undefined || dialect === 'openapi-3.0' || dialect === 'openapi-3.1') {
    return undefined;
  }
  return { schema: metaschemaOf(dialect), dialect };
}

const drafts: readonly Draft[] = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'];

function metaschemaOf(draft: Draft): JsonObject {
  const at = drafts.indexOf(draft);
  const properties = Object.fromEntries(
    keywordShapes
      .filter(([, , from, to]) => drafts.indexOf(from) <= at && at <= drafts.indexOf(to))
      .map(([keyword, shape]) => [keyword, shape]),
  );
  const isFirst = draft === 'draft-04';
  const pairs = { exclusiveMaximum: ['maximum'], exclusiveMinimum: ['minimum'] };
  return {
    type: isFirst ? 'object' : ['object', 'boolean'],
    properties,
    ...(isFirst ? { dependencies: pairs } : {}),
    definitions: definitionsOf(draft),
  };
}

function definitionsOf(draft: Draft): JsonObject {
  const isFirst = draft === 'draft-04';
  const count = isFirst ? 'positiveInteger' : 'nonNegativeInteger';
  const definitions = {
    schemaArray: { type: 'array', minItems: 1, items: self },
    [count]: { type: 'integer', minimum: 0 },
    [`${count}Default0`]: { allOf: [{ $ref: `#/definitions/${count}` }] },
    simpleTypes: { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] },
    stringArray: {
      ...{ type: 'array', items: { type: 'string' }, uniqueItems: true },
      ...(isFirst ? { minItems: 1 } : {}),
    },
  };
  return definitions;
}

const self = { $ref: '#' };
const boolean = { type: 'boolean' };
const number = { type: 'number' };
const string = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const stringArray = { $ref: '#/definitions/stringArray' };
const schemaArray = { $ref: '#/definitions/schemaArray' };
const schemaMap = { type: 'object', additionalProperties: self };
const anchor = { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' };
const earlyAnchor = { type: 'string', pattern: '^[A-Za-z][-A-Za-z0-9.:_]*$' };
const uri = { type: 'string', format: 'uri' };
const uriReference = { type: 'string', format: 'uri-reference' };
const plainReference = { type: 'string', format: 'uri-reference', pattern: '^[^#]*#?$' };

type Row = readonly [keyword: string, shape: Json, from: Draft, to: Draft];

const keywordShapes: readonly Row[] = [
  ['id', string, 'draft-04', 'draft-04'],
  ['$id', uriReference, 'draft-06', 'draft-07'],
  ['$id', plainReference, '2019-09', '2020-12'],
  ['$schema', string, 'draft-04', 'draft-04'],
  ['$schema', uri, 'draft-06', '2020-12'],
  ['$ref', uriReference, 'draft-06', '2020-12'],
  ['$anchor', earlyAnchor, '2019-09', '2019-09'],
  ['$anchor', anchor, '2020-12', '2020-12'],
  ['$recursiveRef', uriReference, '2019-09', '2019-09'],
  ['$recursiveAnchor', boolean, '2019-09', '2020-12'],
  ['$dynamicRef', uriReference, '2020-12', '2020-12'],
  ['$dynamicAnchor', anchor, '2020-12', '2020-12'],
  [
    '$vocabulary',
    { type: 'object', propertyNames: uri, additionalProperties: boolean },
    '2019-09',
    '2020-12',
  ],
  ['$comment', string, 'draft-07', '2020-12'],
  ['$defs', schemaMap, '2019-09', '2020-12'],
  ['title', string, 'draft-04', '2020-12'],
  ['description', string, 'draft-04', '2020-12'],
  ['default', {}, 'draft-04', '2020-12'],
  ['examples', { type: 'array' }, 'draft-06', '2020-12'],
  ['readOnly', boolean, 'draft-07', '2020-12'],
  ['writeOnly', boolean, '2019-09', '2020-12'],
  ['deprecated', boolean, '2019-09', '2020-12'],
  ['contentMediaType', string, 'draft-07', '2020-12'],
  ['contentEncoding', string, 'draft-07', '2020-12'],
  ['contentSchema', self, '2019-09', '2020-12'],
  ['multipleOf', { type: 'number', minimum: 0, exclusiveMinimum: true }, 'draft-04', 'draft-04'],
  ['multipleOf', { type: 'number', exclusiveMinimum: 0 }, 'draft-06', '2020-12'],
  ['maximum', number, 'draft-04', '2020-12'],
  ['minimum', number, 'draft-04', '2020-12'],
  ['exclusiveMaximum', boolean, 'draft-04', 'draft-04'],
  ['exclusiveMinimum', boolean, 'draft-04', 'draft-04'],
  ['exclusiveMaximum', number, 'draft-06', '2020-12'],
  ['exclusiveMinimum', number, 'draft-06', '2020-12'],
  ['maxLength', count, 'draft-04', '2020-12'],
  ['minLength', count, 'draft-04', '2020-12'],
  ['pattern', { type: 'string', format: 'regex' }, 'draft-04', '2020-12'],
  ['format', string, 'draft-04', '2020-12'],
  ['prefixItems', schemaArray, '2020-12', '2020-12'],
  ['items', { anyOf: [self, schemaArray] }, 'draft-04', '2019-09'],
  ['items', self, '2020-12', '2020-12'],
  ['additionalItems', { anyOf: [boolean, self] }, 'draft-04', 'draft-04'],
  ['additionalItems', self, 'draft-06', '2019-09'],
  ['contains', self, 'draft-06', '2020-12'],
  ['minContains', count, '2019-09', '2020-12'],
  ['maxContains', count, '2019-09', '2020-12'],
  ['maxItems', count, 'draft-04', '2020-12'],
  ['minItems', count, 'draft-04', '2020-12'],
  ['uniqueItems', boolean, 'draft-04', '2020-12'],
  ['unevaluatedItems', self, '2019-09', '2020-12'],
  ['maxProperties', count, 'draft-04', '2020-12'],
  ['minProperties', count, 'draft-04', '2020-12'],
  ['required', stringArray, 'draft-04', '2020-12'],
  ['additionalProperties', { anyOf: [boolean, self] }, 'draft-04', 'draft-04'],
  ['additionalProperties', self, 'draft-06', '2020-12'],
  ['unevaluatedProperties', self, '2019-09', '2020-12'],
  ['definitions', schemaMap, 'draft-04', '2020-12'],
  ['properties', schemaMap, 'draft-04', '2020-12'],
  ['patternProperties', schemaMap, 'draft-04', 'draft-06'],
  [
    'patternProperties',
    { ...schemaMap, propertyNames: { format: 'regex' } },
    'draft-07',
    '2020-12',
  ],
  ['propertyNames', self, 'draft-06', '2020-12'],
  [
    'dependencies',
    { type: 'object', additionalProperties: { anyOf: [self, stringArray] } },
    'draft-04',
    '2020-12',
  ],
  ['dependentSchemas', schemaMap, '2019-09', '2020-12'],
  [
    'dependentRequired',
    { type: 'object', additionalProperties: stringArray },
    '2019-09',
    '2020-12',
  ],
  ['const', {}, 'draft-06', '2020-12'],
  ['enum', { type: 'array', minItems: 1, uniqueItems: true }, 'draft-04', 'draft-06'],
  ['enum', { type: 'array' }, 'draft-07', '2020-12'],
  [
    'type',
    {
      anyOf: [
        { $ref: '#/definitions/simpleTypes' },
        {
          ...{ type: 'array', items: { $ref: '#/definitions/simpleTypes' } },
          ...{ minItems: 1, uniqueItems: true },
        },
      ],
    },
    'draft-04',
    '2020-12',
  ],
  ['if', self, 'draft-07', '2020-12'],
  ['then', self, 'draft-07', '2020-12'],
  ['else', self, 'draft-07', '2020-12'],
  ['allOf', schemaArray, 'draft-04', '2020-12'],
  ['anyOf', schemaArray, 'draft-04', '2020-12'],
  ['oneOf', schemaArray, 'draft-04', '2020-12'],
  ['not', self, 'draft-04', '2020-12'],
];
