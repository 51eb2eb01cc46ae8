// The metaschemas, for schemas that refer to them ("a value here is itself a schema"): the only
// external references that need no fetching. Each is made from the table of keywords, without
// annotations; those of 2019-09 and 2020-12 are one schema instead of one for each vocabulary.

import type { Json, JsonObject } from '../value/json.ts';
import type { Dialect } from './dialects.ts';
import { dialectOfUri } from './dialects.ts';
import {
  hasBooleanExclusive,
  hasBooleanSchemas,
  isOpenApi,
  keywordsOf,
  type Shape,
} from './keywords.ts';

/** The metaschema with this URI (without fragment), and its dialect. */
export function findMetaschema(
  uri: string,
): { readonly schema: JsonObject; readonly dialect: Dialect } | undefined {
  const dialect = dialectOfUri(uri);
  if (dialect === undefined || isOpenApi(dialect)) return undefined;
  return { schema: metaschemaOf(dialect), dialect };
}

function metaschemaOf(dialect: Dialect): JsonObject {
  const isFirst = !hasBooleanSchemas(dialect);
  const keywords = [...keywordsOf(dialect).values()];
  const properties = Object.fromEntries(
    keywords.map(({ name, shape }) => [name, schemaOf(shape, dialect)]),
  );
  // draft-04 does not specify the form of its own references.
  if (isFirst) delete properties.$ref;
  const pairs = { exclusiveMaximum: ['maximum'], exclusiveMinimum: ['minimum'] };
  return {
    type: isFirst ? 'object' : ['object', 'boolean'],
    properties,
    ...(isFirst ? { dependencies: pairs } : {}),
    definitions: definitionsOf(isFirst),
  };
}

function definitionsOf(isFirst: boolean): JsonObject {
  const count = isFirst ? 'positiveInteger' : 'nonNegativeInteger';
  return {
    schemaArray: { type: 'array', minItems: 1, items: self },
    [count]: { type: 'integer', minimum: 0 },
    [`${count}Default0`]: { allOf: [{ $ref: `#/definitions/${count}` }] },
    simpleTypes: { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] },
    stringArray: {
      ...{ type: 'array', items: { type: 'string' }, uniqueItems: true },
      ...(isFirst ? { minItems: 1 } : {}),
    },
  };
}

const self = { $ref: '#' };
const boolean = { type: 'boolean' };
const string = { type: 'string' };
const stringArray = { $ref: '#/definitions/stringArray' };
const schemaArray = { $ref: '#/definitions/schemaArray' };
const simpleTypes = { $ref: '#/definitions/simpleTypes' };
const mapOf = (member: Json): JsonObject => ({ type: 'object', additionalProperties: member });
const uri = { type: 'string', format: 'uri' };
const uriReference = { type: 'string', format: 'uri-reference' };

const shapeSchemas: Readonly<Record<Shape, Json>> = {
  anything: {},
  components: {},
  text: string,
  flag: boolean,
  number: { type: 'number' },
  positive: { type: 'number', exclusiveMinimum: 0 },
  count: { type: 'integer', minimum: 0 },
  small_count: { type: 'integer', minimum: 0 },
  list: { type: 'array' },
  distinct_list: { type: 'array', minItems: 1, uniqueItems: true },
  texts: stringArray,
  some_texts: stringArray,
  pattern: { type: 'string', format: 'regex' },
  type_name: simpleTypes,
  type_names: {
    anyOf: [simpleTypes, { type: 'array', items: simpleTypes, minItems: 1, uniqueItems: true }],
  },
  schema: self,
  schema_or_flag: { anyOf: [boolean, self] },
  schemas: schemaArray,
  schema_or_schemas: { anyOf: [self, schemaArray] },
  schema_map: mapOf(self),
  pattern_map: { ...mapOf(self), propertyNames: { format: 'regex' } },
  early_pattern_map: mapOf(self),
  texts_map: mapOf(stringArray),
  dependencies: mapOf({ anyOf: [self, stringArray] }),
  some_dependencies: mapOf({ anyOf: [self, stringArray] }),
  dialect: uri,
  old_id: uriReference,
  id: { type: 'string', format: 'uri-reference', pattern: '^[^#]*#?$' },
  anchor: { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' },
  early_anchor: { type: 'string', pattern: '^[A-Za-z][-A-Za-z0-9.:_]*$' },
  flag_map: { type: 'object', propertyNames: uri, additionalProperties: boolean },
  reference: uriReference,
};

function schemaOf(shape: Shape, dialect: Dialect): Json {
  const isFlagged = shape === 'positive' && hasBooleanExclusive(dialect);
  return isFlagged ? { type: 'number', minimum: 0, exclusiveMinimum: true } : shapeSchemas[shape];
}
