// Schemas that refer to others in more than one way: each reference counts.

import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/value/json.ts';
import { between, told } from '../diff/support/terms.ts';
import { checkPairs } from './check-pairs.ts';

const text = { type: 'string' };
const long = { minLength: 3 };
const longText = { type: 'string', minLength: 3 };
const $defs = { a: text, b: long };

// ajv takes `$dynamicRef: '#/$defs/b'` for a reference to the root, and overflows.
checkPairs(
  'a $ref beside a $dynamicRef that is not dynamic',
  [
    [text, { $ref: '#/$defs/a', $dynamicRef: '#/$defs/b', $defs }, 'no', 'yes'],
    [longText, { $ref: '#/$defs/a', $dynamicRef: '#/$defs/b', $defs }, 'yes', 'yes'],
    [longText, { $dynamicRef: '#/$defs/b', $ref: '#/$defs/a', $defs }, 'yes', 'yes'],
    [
      longText,
      { $dynamicRef: '#/$defs/b', $ref: '#/$defs/a', allOf: [{ maxLength: 5 }], $defs },
      'no',
      'yes',
    ],
    [
      longText,
      { allOf: [{ maxLength: 5 }], $ref: '#/$defs/a', $dynamicRef: '#/$defs/b', $defs },
      'no',
      'yes',
    ],
  ],
  { skipsAjv: true },
);

checkPairs(
  'a $ref beside a $dynamicRef that is dynamic',
  [
    [
      text,
      {
        $ref: '#/$defs/a',
        $dynamicRef: '#b',
        $defs: { a: text, b: { $dynamicAnchor: 'b', ...long } },
      },
      'no',
      'yes',
    ],
  ],
  { skipsAjv: true },
);

checkPairs(
  'a $ref beside a $recursiveRef that is not recursive',
  [
    [
      { type: 'object', properties: { a: text } },
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/any', $recursiveRef: '#' } },
        $defs: { any: {} },
      },
      'no',
      'no',
    ],
    [
      { type: 'object', properties: { a: { type: 'object', properties: { a: false } } } },
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/any', $recursiveRef: '#' } },
        $defs: { any: {} },
      },
      'yes',
      'no',
    ],
  ],
  { dialect: '2019-09' },
);

const integer = { type: 'integer' };

checkPairs('an empty $id begins no resource: pointers go on from the one around it', [
  [
    integer,
    { allOf: [{ $id: '', $ref: '#/$defs/a', $defs: { a: integer } }], $defs: { a: text } },
    'no',
    'no',
  ],
]);

checkPairs(
  'an empty id of draft-04 begins no resource',
  [
    [
      integer,
      {
        allOf: [{ id: '', allOf: [{ $ref: '#/definitions/a' }], definitions: { a: integer } }],
        definitions: { a: text },
      },
      'no',
      'no',
    ],
  ],
  { dialect: 'draft-04' },
);

// By RFC 3986 %6E is n, and then the reference is dynamic; validators compare the texts.
checkPairs('a $dynamicRef whose name is escaped is left open', [
  [
    integer,
    {
      $ref: 'r',
      $defs: {
        n: { $dynamicAnchor: 'n', ...text },
        r: { $id: 'r', $dynamicRef: '#%6E', $defs: { n: { $dynamicAnchor: 'n', ...integer } } },
      },
    },
    'undecided',
    'undecided',
  ],
]);

test('a $dynamicRef that comes beside a $ref is a change', () => {
  const old: Json = { $ref: '#/$defs/a', $defs };
  const next: Json = { $ref: '#/$defs/a', $dynamicRef: '#/$defs/b', $defs };
  expect(told(between(old, next))).toEqual(['! constraint_tightened $']);
  expect(told(between(next, old))).toEqual(['constraint_relaxed $']);
});

// ajv normalizes ids before it compares them, others do not.
const longAt = (id: string): Json => ({ $id: id, ...long });
checkPairs('two ids that RFC 3986 calls equivalent are one name, which stands twice', [
  ...[
    ['http://x.test/%7Er', 'http://x.test/~r'],
    ['http://x.test/%c3%a9', 'http://x.test/%C3%A9'],
    ['HTTP://X.test/r', 'http://x.test/r'],
    ['http://x.test', 'http://x.test/'],
    ['http://x.test:80/r', 'http://x.test/r'],
  ].map(
    ([one = '', other = '']) =>
      [
        text,
        { $ref: one, $defs: { a: longAt(other), b: { $id: one } } },
        'undecided',
        'undecided',
      ] as const,
  ),
  [longText, { $ref: 'http://x.test/%7Er', $defs: { a: longAt('http://x.test/~r') } }, 'yes', 'no'],
]);

// draft-04 to draft-07 allow a $schema at the root alone. ajv ignores it elsewhere, others obey it.
const needsB = { a: ['b'] };
const younger = {
  ...{ $id: 'http://x.test/y', $schema: 'https://json-schema.org/draft/2020-12/schema' },
  dependentRequired: needsB,
};
checkPairs(
  'a part in another dialect is left open in dialects that allow none',
  [
    [{ allOf: [younger] }, { dependencies: needsB }, 'undecided', 'undecided'],
    [
      {
        allOf: [{ $ref: '#/definitions/a/properties/a' }],
        definitions: { a: { ...younger, properties: { a: { prefixItems: [text] } } } },
      },
      { items: [text] },
      'undecided',
      'undecided',
    ],
    [{ allOf: [younger] }, { anyOf: [false, younger] }, 'yes', 'yes'],
  ],
  { dialect: 'draft-07' },
);
