// What differs between dialects, and rewritings that mean the same.

import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { checkPairs } from './check-pairs.ts';

checkPairs(
  'draft-04',
  [
    [{ minimum: 3, exclusiveMinimum: true }, { minimum: 3 }, 'yes', 'no'],
    [{ minimum: 3, exclusiveMinimum: false }, { minimum: 3 }, 'yes', 'yes'],
    [
      { maximum: 3, exclusiveMaximum: true, type: 'integer' },
      { maximum: 2, type: 'integer' },
      'yes',
      'yes',
    ],
    [
      { type: 'array', items: [{ type: 'string' }], additionalItems: false },
      { type: 'array', maxItems: 1 },
      'yes',
      'no',
    ],
    [
      { type: 'array', items: [{ type: 'string' }] },
      { type: 'array', items: { type: 'string' } },
      'no',
      'yes',
    ],
    [
      { type: 'array', items: { type: 'string' }, additionalItems: false },
      { type: 'array', items: { type: 'string' } },
      'yes',
      'yes',
    ],
    [
      { type: 'object', dependencies: { a: ['b'] } },
      { type: 'object', dependencies: { a: { required: ['b'] } } },
      'yes',
      'yes',
    ],
    [
      { $ref: '#/definitions/a', type: 'integer', definitions: { a: { type: 'string' } } },
      { type: 'string' },
      'yes',
      'undecided',
    ],
    [{ const: 1 }, {}, 'yes', 'yes'],
    [
      { id: 'http://x.test/root', definitions: { a: { id: '#a', type: 'string' } }, $ref: '#a' },
      { type: 'string' },
      'yes',
      'yes',
    ],
    [
      { type: 'object', properties: { id: { type: 'string' } } },
      { type: 'object', properties: { id: { type: ['string', 'null'] } } },
      'yes',
      'no',
    ],
  ],
  { dialect: 'draft-04', formats: false, skipsAjv: true },
);

checkPairs(
  'draft-07',
  [
    [{ const: 1 }, { enum: [1] }, 'yes', 'yes'],
    [{ if: { type: 'string' }, else: false }, { type: 'string' }, 'yes', 'yes'],
    [
      { $ref: '#/definitions/a', minLength: 5, definitions: { a: { type: 'string' } } },
      { type: 'string' },
      'yes',
      'undecided',
    ],
    [
      { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'integer' } },
      { type: 'array', items: { type: ['string', 'integer'] } },
      'yes',
      'no',
    ],
    [
      { contains: { type: 'integer' }, minContains: 5, type: 'array' },
      { contains: { type: 'integer' }, type: 'array' },
      'yes',
      'yes',
    ],
    [{ unevaluatedProperties: false, type: 'object' }, { type: 'object' }, 'yes', 'yes'],
    [{ dependentRequired: { a: ['b'] } }, {}, 'yes', 'yes'],
    [
      { type: 'object', dependencies: { a: ['b'] }, required: ['a'] },
      { required: ['b'] },
      'yes',
      'no',
    ],
    [
      {
        $id: 'http://x.test/r',
        definitions: { a: { $id: '#a', type: 'string' } },
        allOf: [{ $ref: '#a' }],
      },
      { type: 'string' },
      'yes',
      'yes',
    ],
  ],
  { dialect: 'draft-07' },
);

checkPairs(
  '2019-09',
  [
    [
      { type: 'array', items: [{ type: 'string' }], additionalItems: false },
      { type: 'array', maxItems: 1 },
      'yes',
      'no',
    ],
    [
      { type: 'array', contains: { type: 'integer' }, minContains: 2 },
      { type: 'array', minItems: 2 },
      'yes',
      'no',
    ],
    // The text says that contains evaluates nothing; the validators that there are do otherwise.
    [
      { type: 'array', contains: { type: 'integer' }, unevaluatedItems: false },
      false,
      'undecided',
      'yes',
    ],
    [
      { type: 'array', contains: { type: 'integer' }, unevaluatedItems: { type: 'string' } },
      { type: 'array', contains: { type: 'integer' } },
      'yes',
      'undecided',
    ],
    [
      {
        type: 'array',
        items: [{}],
        contains: { type: 'string' },
        unevaluatedItems: false,
      },
      { type: 'array', maxItems: 1 },
      'undecided',
      'no',
    ],
    [
      { $recursiveAnchor: true, type: 'object', properties: { a: { $recursiveRef: '#' } } },
      { type: 'object', properties: { a: { type: 'object' } } },
      'yes',
      'no',
    ],
    [
      { type: 'object', unevaluatedProperties: false, properties: { a: true } },
      { type: 'object', additionalProperties: false, properties: { a: true } },
      'yes',
      'yes',
    ],
  ],
  { dialect: '2019-09' },
);

const needsB = { dependencies: { a: ['b'] } };

for (const dialect of ['2019-09', '2020-12', 'openapi-3.1'] as const) {
  checkPairs(
    `dependencies in ${dialect}, which has it no more`,
    [
      [{ type: 'object', required: ['a'], ...needsB }, { required: ['b'] }, 'undecided', 'no'],
      [{ type: 'object', required: ['a'] }, needsB, 'undecided', 'no'],
      [needsB, {}, 'yes', 'undecided'],
      [needsB, { maxProperties: 9, ...needsB }, 'no', 'yes'],
      [{ type: 'object', properties: { a: false } }, needsB, 'yes', 'no'],
      [{ type: 'array' }, needsB, 'yes', 'no'],
      [
        { dependencies: { a: { properties: { b: {} } } }, unevaluatedProperties: false },
        { maxProperties: 0 },
        'undecided',
        'undecided',
      ],
    ],
    { dialect, skipsAjv: true },
  );
}

for (const dialect of ['draft-04', 'openapi-3.0'] as const) {
  checkPairs(
    `an integer of ${dialect} is written without a fraction`,
    [
      [{ type: 'number', multipleOf: 1 }, { type: 'integer' }, 'undecided', 'yes'],
      [{ type: 'number', multipleOf: 3, minimum: 3 }, { type: 'integer' }, 'undecided', 'no'],
      [{ enum: [1, 2] }, { type: 'integer' }, 'undecided', 'no'],
      [{ type: 'integer', enum: [1, 2] }, { type: 'integer', enum: [1, 2, 3] }, 'yes', 'no'],
      [{ type: 'integer', minimum: 3 }, { type: 'integer', minimum: 2 }, 'yes', 'no'],
      [{ type: 'integer' }, { type: 'number', multipleOf: 1 }, 'yes', 'undecided'],
      [{ type: 'integer' }, { not: { type: 'string' } }, 'yes', 'no'],
      [{ type: 'number' }, { type: 'integer' }, 'no', 'yes'],
      [
        { type: 'object', properties: { a: { type: 'integer', maximum: 5 } } },
        { type: 'object', properties: { a: { type: 'integer', maximum: 6 } } },
        'yes',
        'no',
      ],
    ],
    { dialect, skipsAjv: true },
  );
}

checkPairs(
  'an integer of draft-04 beside one of a later dialect',
  [
    [
      { $schema: 'http://json-schema.org/draft-04/schema#', type: 'integer' },
      { type: 'integer' },
      'yes',
      'undecided',
    ],
    [
      {
        $schema: 'http://json-schema.org/draft-04/schema#',
        properties: { a: { type: 'integer' } },
      },
      { properties: { a: { type: 'integer' } } },
      'yes',
      'undecided',
    ],
  ],
  { skipsAjv: true },
);

const named = (more: JsonObject): JsonObject => ({
  $ref: '#/$defs/a',
  $defs: { a: { ...more, type: 'object', properties: { c: { const: 'x' } } } },
});
const draft04 = { $schema: 'http://json-schema.org/draft-04/schema#' };

checkPairs(
  'a definition that names another dialect than what is around it',
  [
    [named({}), named(draft04), 'undecided', 'undecided'],
    [named({}), named({ $id: 'https://example.com/a', ...draft04 }), 'undecided', 'undecided'],
    [named(draft04), named(draft04), 'yes', 'yes'],
  ],
  { skipsAjv: true },
);

checkPairs(
  'openapi-3.0',
  [
    [
      { type: 'string', nullable: true },
      { anyOf: [{ type: 'string' }, { enum: [null] }] },
      'yes',
      'yes',
    ],
    [{ type: 'string' }, { type: 'string', nullable: true }, 'yes', 'no'],
    [{ nullable: true }, {}, 'yes', 'yes'],
    [
      { type: 'integer', minimum: 0, exclusiveMinimum: true },
      { type: 'integer', minimum: 1 },
      'yes',
      'yes',
    ],
    [
      { type: 'object', patternProperties: { a: { type: 'string' } } },
      { type: 'object' },
      'yes',
      'yes',
    ],
    [
      { type: 'string', nullable: true, enum: ['a', 'b'] },
      { type: 'string', enum: ['a', 'b'] },
      'yes',
      'yes',
    ],
    [
      { type: 'string', nullable: true, enum: ['a', null] },
      { type: 'string', enum: ['a'] },
      'no',
      'yes',
    ],
    [
      { oneOf: [{ type: 'string' }], discriminator: { propertyName: 'x' } },
      { type: 'string' },
      'yes',
      'yes',
    ],
  ],
  { dialect: 'openapi-3.0', skipsAjv: true },
);

checkPairs(
  'openapi-3.1',
  [
    [{ type: ['string', 'null'] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'yes', 'yes'],
    [{ type: 'string', nullable: true }, { type: 'string' }, 'yes', 'yes'],
    [
      { $ref: '#/$defs/a', minLength: 2, $defs: { a: { type: 'string' } } },
      { type: 'string', minLength: 2 },
      'yes',
      'yes',
    ],
  ],
  { dialect: 'openapi-3.1' },
);

checkPairs(
  'the schema names its dialect',
  [
    [
      { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 3, exclusiveMinimum: true },
      { $schema: 'http://json-schema.org/draft-07/schema#', exclusiveMinimum: 3 },
      'yes',
      'yes',
    ],
  ],
  { skipsAjv: true },
);

checkPairs('rewritings', [
  [
    {
      type: 'string',
      title: 'a',
      description: 'b',
      examples: ['c'],
      default: 'd',
      $comment: 'e',
      deprecated: true,
      readOnly: true,
      'x-y': 1,
    },
    { type: 'string' },
    'yes',
    'yes',
  ],
  [
    { type: 'object', properties: { a: {}, b: { type: 'string' } } },
    { properties: { b: { type: ['string'] }, a: true }, type: ['object'] },
    'yes',
    'yes',
  ],
  [
    { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } },
    { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } },
    'yes',
    'yes',
  ],
  [
    {
      allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'string' } } }],
    },
    { properties: { a: { type: 'string' }, b: { type: 'string' } } },
    'yes',
    'yes',
  ],
  [
    { contentEncoding: 'base64', contentMediaType: 'a/b', type: 'string' },
    { type: 'string' },
    'yes',
    'yes',
  ],
]);

checkPairs(
  'what nobody knows',
  [
    [{ $ref: 'https://elsewhere.test/a' }, { $ref: 'https://elsewhere.test/a' }, 'yes', 'yes'],
    [
      { $ref: 'https://elsewhere.test/a' },
      { $ref: 'https://elsewhere.test/b' },
      'undecided',
      'undecided',
    ],
    [{ $ref: 'https://elsewhere.test/a' }, {}, 'yes', 'undecided'],
    [{ $ref: '#/$defs/none' }, { type: 'string' }, 'undecided', 'undecided'],
    [
      { type: 'object', properties: { a: { $ref: '#/$defs/none' } } },
      { type: 'object' },
      'yes',
      'undecided',
    ],
    [{ $ref: '#' }, { type: 'string' }, 'undecided', 'undecided'],
    [{ type: 'string', pattern: '(' }, { type: 'string' }, 'yes', 'undecided'],
    [{ type: 5 }, { type: 'string' }, 'undecided', 'undecided'],
    // What is outside may evaluate anything.
    [
      { $ref: 'https://elsewhere.test/a', unevaluatedProperties: false },
      { maxProperties: 0 },
      'undecided',
      'undecided',
    ],
    [
      { allOf: [{ $ref: 'https://elsewhere.test/a' }], unevaluatedItems: false },
      { maxItems: 0 },
      'undecided',
      'undecided',
    ],
    // A metaschema is extended by a dynamic anchor of its name.
    [
      { properties: { items: { type: 'array' } } },
      {
        $id: 'https://x.test/strict',
        $dynamicAnchor: 'meta',
        $ref: 'https://json-schema.org/draft/2020-12/schema',
      },
      'undecided',
      'undecided',
    ],
  ],
  { skipsAjv: true },
);

const openApi = (format: string, type = 'integer'): Json => ({ type, format });

for (const dialect of ['openapi-3.0', 'openapi-3.1'] as const) {
  checkPairs(
    `formats of ${dialect} that ajv knows`,
    [
      [{ type: 'integer' }, openApi('int32'), 'no', 'yes'],
      [{ type: 'number' }, openApi('int32'), 'no', 'yes'],
      [openApi('int64'), openApi('int32'), 'no', 'yes'],
      [{ minimum: 0, maximum: 255, type: 'integer' }, openApi('int32'), 'yes', 'no'],
      [{ format: 'int32' }, { not: { type: 'number', multipleOf: 0.5 } }, 'no', 'no'],
      [{ type: 'string' }, openApi('byte', 'string'), 'no', 'yes'],
      [openApi('byte', 'string'), { pattern: '^[^-]*$' }, 'yes', 'no'],
      [{ type: 'string' }, openApi('password', 'string'), 'yes', 'yes'],
      [{ type: 'string' }, openApi('binary', 'string'), 'yes', 'yes'],
      [{ type: 'number' }, openApi('double', 'number'), 'yes', 'yes'],
    ],
    { dialect },
  );
  checkPairs(
    `formats of ${dialect} that ajv does not know`,
    [
      [{ type: 'integer' }, openApi('int64'), 'no', 'yes'],
      [openApi('float', 'number'), openApi('double', 'number'), 'yes', 'no'],
      [{ type: 'number' }, openApi('float', 'number'), 'no', 'yes'],
      [openApi('float', 'number'), { maximum: 3.5e38 }, 'yes', 'no'],
    ],
    { dialect, skipsAjv: true },
  );
}

checkPairs(
  'formats of OpenAPI are words in JSON Schema',
  [
    [{ type: 'integer' }, openApi('int32'), 'yes', 'yes'],
    [{ type: 'string' }, openApi('byte', 'string'), 'yes', 'yes'],
    [openApi('float', 'number'), openApi('int64', 'number'), 'yes', 'yes'],
  ],
  { dialect: 'draft-07' },
);
