import { describe, expect, test } from 'vitest';
import type { ConsumerVerdict, StatedNeed } from '../../../src/core/need.ts';
import { findVerdicts } from '../../../src/core/needs/find-verdicts.ts';
import { digestText } from '../../../src/core/needs/make-need.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { object, type Setting, termsOf } from '../diff/support/terms.ts';
import {
  fields,
  gone,
  halves,
  order,
  type Row,
  read,
  sent,
  text,
  unaffected,
  without,
} from './rows.ts';
import { needFor, verdictFor, verdictsFor } from './support.ts';

function check(rows: readonly Row[], setting: Setting): void {
  test.each(rows)('%s', (_name, old, next, stated, verdict) => {
    expect(verdictFor(termsOf(old, setting), termsOf(next, setting), stated)).toEqual(verdict);
  });
}

describe('for data, the verdict is right about', () => check(read, {}));
describe('for responses, the verdict is right about', () => check(read, { direction: 'response' }));

describe('for requests, the verdict is right about', () => check(sent, { direction: 'request' }));

describe('for operations, the verdict is right about', () =>
  check(halves, { direction: 'operation' }));

describe('a reader of some fields is asked about what was promised of them', () => {
  const response = { direction: 'response' } as const;
  const draft07 = { ...response, dialect: 'draft-07' } as const;
  const listOf = (more: object): Json =>
    object({ l: { type: 'array', items: object({ a: text }), ...more } });
  const wordsOf = (more: object): Json => object({ l: { type: 'array', items: text, ...more } });
  const asText = (maxLength: number): Json => ({
    ...(object({ t: { $ref: '#/definitions/T', maxLength } }) as object),
    definitions: { T: text },
  });
  const both = object({ a: text, b: text });
  const together = (name: string): Json => ({ ...(both as object), [name]: { a: ['b'] } });
  test.each<readonly [string, Json, Json, readonly string[], Setting]>([
    ['there is an item', listOf({ minItems: 1 }), listOf({}), ['$.l[*].a'], response],
    ['there are few items', listOf({ maxItems: 1 }), listOf({}), ['$.l[*].a'], response],
    ['no item is there twice', wordsOf({ uniqueItems: true }), wordsOf({}), ['$.l[*]'], response],
    ['one comes with the other', together('dependentRequired'), both, ['$.a', '$.b'], response],
    ['it did so in draft-07', together('dependencies'), both, ['$.a', '$.b'], draft07],
    ['a keyword next to a reference may count', asText(3), asText(5), ['$.t'], draft07],
    [
      'any name was allowed',
      { type: 'object', additionalProperties: text },
      {
        type: 'object',
        allOf: [object({ a: text }), { ...(object({}) as object), additionalProperties: false }],
      },
      ['$.a'],
      response,
    ],
  ])('%s', (_name, old, next, list, setting) => {
    const verdictIn = (last: Json) =>
      verdictFor(termsOf(old, setting), termsOf(last, setting), fields(...list)).verdict;
    expect(verdictIn(next)).not.toBe('unaffected');
    expect(verdictIn(old)).toBe('unaffected');
  });
});

describe('a field that is read whole has the parts that were added since it was stated', () => {
  const withParts = (...names: readonly string[]) => {
    const parts = object(Object.fromEntries(names.map((name) => [name, text])));
    const address = { anyOf: [parts, { type: 'null' }] };
    return termsOf(object({ id: text, address, lines: { type: 'array', items: parts } }));
  };
  const [first, second] = [withParts('city'), withParts('city', 'zip')];
  const removed = (stated: StatedNeed) => verdictsFor(second, first, [needFor(stated, first)]);
  test.each<readonly [string, ConsumerVerdict]>([
    ['$', gone('$.address.zip')],
    ['$.address', gone('$.address.zip')],
    ['$.lines', gone('$.lines[*].zip')],
    ['$.lines[*]', gone('$.lines[*].zip')],
    ['$.address.city', unaffected],
    ['$.id', unaffected],
  ])('%s', (field, verdict) => {
    expect(removed(fields(field))).toEqual([verdict]);
  });

  test('and its digest is not that of the parts that it had', () => {
    const digests = [
      ...[fields('$.address'), fields('$.address', '$.address'), fields('$.address.city')],
      { schema: needFor(fields('$.address'), first).schema },
    ].map((stated) => digestText(needFor(stated, first)));
    const [whole, twice, part, schema] = digests;
    expect(twice).toBe(whole);
    expect(part).not.toBe(whole);
    expect(schema).not.toBe(whole);
  });
});

describe('an object that allows further fields from now on', () => {
  const closed = object({ a: text, b: text }, [], { additionalProperties: false });
  const open = object({ a: text, b: text });
  const response = { direction: 'response' } as const;
  const forward = { mode: 'forward' } as const;
  test.each<readonly [string, StatedNeed, Setting, ConsumerVerdict['verdict']]>([
    ['who reads all of it', fields('$'), response, 'may_break'],
    ['who reads no other field', { schema: closed }, response, 'may_break'],
    ['who reads all of it, under forward', fields('$'), forward, 'may_break'],
    ['who reads one field', fields('$.a'), response, 'unaffected'],
    ['who reads all of it, under a mode that allows it', fields('$'), {}, 'unaffected'],
  ])('concerns %s', (_name, stated, setting, verdict) => {
    const [old, next] = [termsOf(closed, setting), termsOf(open, setting)];
    expect(verdictFor(old, next, stated)).toMatchObject({ verdict });
  });
});

describe('an object that allows further fields concerns whoever', () => {
  const next = termsOf(object({ a: text }), { direction: 'response' });
  test.each<readonly [string, Record<string, Json>]>([
    ['reads only so many', { maxProperties: 3 }],
    ['reads only such names', { propertyNames: { pattern: '^[a-z]+$' } }],
    ['reads no other one of a name', { not: { required: ['n'] } }],
    ['reads the one or the other', { oneOf: [{ properties: { a: text } }, { required: ['n'] }] }],
  ])('%s, although the example fits', (_name, schema) => {
    for (const closed of [
      ...[{ additionalProperties: false }, { maxProperties: 1 }],
      ...[{ patternProperties: { '^[^a]': false } }, { propertyNames: { const: 'a' } }],
    ]) {
      const old = termsOf(object({ a: text }, [], closed), { direction: 'response' });
      expect([closed, verdictFor(old, next, { schema }).verdict]).toEqual([closed, 'may_break']);
    }
  });
});

const noBad: JsonObject = { ...(object({ a: text }, ['a']) as object), not: { required: ['bad'] } };
const opened = object({ a: text }, ['a']);
test.each<readonly [string, Json, Json, JsonObject]>([
  ['where one value was listed', { enum: [{ a: 'x' }] }, opened, noBad],
  ['where one value stood', { const: { a: 'x' } }, opened, noBad],
  ['beside null', { type: 'null' }, { anyOf: [{ type: 'null' }, opened] }, noBad],
  ['beside a text', text, { anyOf: [text, opened] }, noBad],
  [
    'beside a number that came with it, which is the example',
    text,
    { anyOf: [text, { type: 'number' }, opened] },
    { anyOf: [{ type: ['string', 'number'] }, noBad] },
  ],
  [
    'in a list beside such a number',
    text,
    { anyOf: [text, { type: 'number' }, { type: 'array', items: opened }] },
    { anyOf: [{ type: ['string', 'number'] }, { type: 'array', items: noBad }] },
  ],
  ['where nothing was', false, opened, noBad],
  [
    'in a list that was empty',
    { type: 'array', maxItems: 0, items: opened },
    { type: 'array', items: opened },
    { items: noBad },
  ],
  [
    'in a list that had no items',
    { type: 'array', items: false },
    { type: 'array', items: opened },
    { items: noBad },
  ],
  [
    'behind the items that a list had',
    { type: 'array', prefixItems: [text], items: false },
    { type: 'array', prefixItems: [text], items: opened },
    { prefixItems: [true], items: noBad },
  ],
])(
  'an object that is open %s concerns whoever reads no field of a name',
  (_name, was, is, read) => {
    const response = { direction: 'response' } as const;
    const old = termsOf(object({ n: was, m: text }), response);
    const next = termsOf(object({ n: is, m: text }), response);
    const n: Json = 'not' in read ? { anyOf: [{ type: ['null', 'string'] }, read] } : read;
    expect(verdictFor(old, next, { schema: { properties: { n } } }).verdict).toBe('may_break');
  },
);

test('a limit of another field opens no object', () => {
  const [old, next] = [3, 5].map((maxLength) =>
    termsOf(object({ a: text, m: { type: 'string', maxLength } }, ['a']), {
      direction: 'response',
    }),
  );
  if (old === undefined || next === undefined) throw new Error('There are two versions.');
  expect(verdictFor(old, next, { schema: noBad }).verdict).toBe('unaffected');
});

test.each<readonly [string, object]>([
  ['other members than one constant', { properties: {}, const: { a: 'x' } }],
  ['a property of no value', { properties: { a: text, secret: { enum: [] } } }],
  ['a property that was forbidden', { properties: { a: text, secret: false } }],
  ['what a property demanded', { dependentRequired: { secret: ['a'] } }],
  ['names that were forbidden', { propertyNames: { enum: ['a'] } }],
  ['as many properties as there are', { maxProperties: 1 }],
])('who reads all of an object may break where it allows %s', (_name, more) => {
  const [old, next] = [{ ...(object({ a: text }) as object), ...more }, object({ a: text })].map(
    (each) => termsOf(each as Json, { direction: 'response' }),
  );
  if (old === undefined || next === undefined) throw new Error('There are two versions.');
  expect(verdictFor(old, next, fields('$')).verdict).not.toBe('unaffected');
});

describe('another discriminator', () => {
  const union = (propertyName: string) => ({ anyOf: [order], discriminator: { propertyName } });
  const terms = (name: string) => termsOf(union(name), { dialect: 'openapi-3.1' });
  test.each<readonly [string, StatedNeed, ConsumerVerdict['verdict']]>([
    ['may break whoever reads a field', fields('$.id'), 'may_break'],
    ['does not concern a consumer that reads nothing', fields(), 'unaffected'],
  ])('%s', (_name, stated, verdict) => {
    expect(verdictFor(terms('id'), terms('note'), stated)).toMatchObject({ verdict });
  });
});

describe('guarantees', () => {
  const terms = { ...termsOf(order), guarantees: { freshness: { max_staleness_minutes: 60 } } };
  const relaxed = { ...terms, guarantees: { freshness: { max_staleness_minutes: 90 } } };
  test.each<readonly [string, StatedNeed, boolean, ConsumerVerdict]>([
    [
      'that are relaxed break a need that names none',
      fields('$.id'),
      true,
      gone('$.guarantees.freshness'),
    ],
    [
      'that are relaxed break a need that names them',
      { fields: ['$.id'], guarantees: ['freshness'] },
      true,
      gone('$.guarantees.freshness'),
    ],
    [
      'that are relaxed break a need that names a part of them',
      { fields: ['$.id'], guarantees: ['freshness.measured_by'] },
      true,
      gone('$.guarantees.freshness'),
    ],
    [
      'do not concern a need that names another',
      { fields: ['$.id'], guarantees: ['volume'] },
      true,
      unaffected,
    ],
    ['do not concern a consumer that reads nothing', fields(), true, unaffected],
    ['that are relaxed with a warning only concern nobody', fields('$.id'), false, unaffected],
  ])('%s', (_name, stated, breaking, verdict) => {
    const change = {
      type: 'freshness_relaxed',
      path: '$.guarantees.freshness',
      description: '',
      breaking,
    } as const;
    const comparison = { changes: [change], isBreaking: breaking, breaksBackward: false };
    const need = needFor(stated, terms);
    expect(findVerdicts({ old: terms, next: relaxed, comparison }, [need])).toEqual([verdict]);
  });
});

test('one need without an answer within its budget leaves the others their answers', () => {
  const old = termsOf(object({ a: text, b: text, c: { type: 'string', pattern: 'a{2,90}b' } }));
  const next = termsOf(object({ a: text, c: { type: 'string', pattern: 'a{3,90}b' } }));
  const stated: StatedNeed = { schema: { properties: { c: { pattern: 'a{1,90}b' } } } };
  const verdicts = findVerdicts(
    { old, next, comparison: { changes: [], isBreaking: true, breaksBackward: false } },
    [needFor(stated, old), needFor(fields('$.a'), old)],
    { stepBudget: 100 },
  );
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['may_break', 'unaffected']);
});

test.each([
  ['describes what is sent, and was read before', { direction: 'request' }, {}, 'may_break'],
  ['was compared in another form', {}, { isAligned: true }, 'may_break'],
  ['was compared as it is', {}, { isAligned: false }, 'unaffected'],
] as const)(
  'a contract that breaks and %s: the answer is safe',
  (_name, setting, more, verdict) => {
    const [old, next] = [termsOf(order), termsOf(without('note'), setting)];
    const comparison = { changes: [], isBreaking: true, breaksBackward: true };
    const needs = [needFor(fields('$.id'), old), needFor(fields(), old)];
    const found = findVerdicts({ old, next, comparison, ...more }, needs);
    expect(found.map((each) => each.verdict)).toEqual([verdict, 'unaffected']);
  },
);

test('equal needs get one answer, in the order of the consumers', () => {
  const need = needFor(fields('$.note'), termsOf(order));
  const verdicts = verdictsFor(termsOf(order), termsOf(without('note')), [need, null, { ...need }]);
  expect(verdicts[0]).toBe(verdicts[2]);
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['breaks', 'may_break', 'breaks']);
});
