// A change, what a consumer states, and its verdict.

import type { ConsumerVerdict, StatedNeed } from '../../../src/core/need.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { object } from '../diff/support/terms.ts';

export const text: Json = { type: 'string' };
const whole: Json = { type: 'integer' };
export const order = object(
  {
    id: text,
    amount: whole,
    note: text,
    lines: { type: 'array', items: object({ sku: text, price: whole }) },
  },
  ['id', 'amount'],
);
export const without = (...keys: readonly string[]): Json => {
  const { properties } = order as { properties: Record<string, Json> };
  const left = Object.entries(properties).filter(([key]) => !keys.includes(key));
  return object(
    Object.fromEntries(left),
    ['id', 'amount'].filter((key) => !keys.includes(key)),
  );
};

export const unaffected: ConsumerVerdict = { verdict: 'unaffected' };
export const gone = (path: string): ConsumerVerdict => ({ verdict: 'breaks', path });
const refused = (path: string, witness: Json): ConsumerVerdict => ({
  ...{ verdict: 'breaks', path, witness },
});
const mayBreak: ConsumerVerdict = { verdict: 'may_break' };

export type Row = readonly [
  name: string,
  old: Json,
  next: Json,
  stated: StatedNeed | null,
  verdict: ConsumerVerdict,
];

export const fields = (...list: readonly string[]): StatedNeed => ({ fields: list });
const optional = object({ a: text, b: whole });

/** One variant has all fields, and the other some of them. */
function variants(some: Record<string, Json>, both: Record<string, Json> = {}): Json {
  const variant = (kind: string, more: Record<string, Json>): Json =>
    object({ kind: { const: kind }, ...more }, ['kind']);
  const all = { total: whole, note: text };
  const oneOf = [variant('a', all), variant('b', some)];
  return { oneOf, properties: { kind: text, ...both } };
}

/** The second variant loses a field that the first one keeps, and forbids it now. */
const strict = (...second: readonly string[]): Json => ({
  anyOf: [['total'], second].map((keys, index) => ({
    ...(object(
      { kind: { const: `k${index}` }, ...Object.fromEntries(keys.map((key) => [key, whole])) },
      ['kind'],
    ) as object),
    additionalProperties: false,
  })),
});

const ofKinds = (kinds: readonly string[], note: Json = text): Json =>
  object({ kind: { enum: [...kinds] } }, ['kind'], {
    anyOf: [
      object({ kind: { const: 'a' }, note }, ['kind']),
      object({ kind: { const: 'b' }, total: whole }, ['kind']),
    ],
  });

export const read: readonly Row[] = [
  [
    'a type that changes in one variant, and is read',
    ...([ofKinds(['a', 'b']), ofKinds(['a', 'b'], whole)] as const),
    ...([fields('$.note'), mayBreak] as const),
  ],
  [
    'a type that changes in one variant, and is not read',
    ...([ofKinds(['a', 'b']), ofKinds(['a', 'b'], whole)] as const),
    ...([fields('$.total'), unaffected] as const),
  ],
  [
    'a variant that becomes possible',
    ...([ofKinds(['a']), ofKinds(['a', 'b'])] as const),
    ...([fields('$.note'), mayBreak] as const),
  ],
  [
    'a field that one strict variant loses and another keeps',
    ...([strict('total', 'tax'), strict('tax')] as const),
    ...([fields('$.total'), mayBreak] as const),
  ],
  [
    'the same field, stated by a schema',
    ...([strict('total', 'tax'), strict('tax')] as const),
    ...([{ schema: { properties: { total: {} } } }, mayBreak] as const),
  ],
  [
    'another field of a strict variant that loses one',
    ...([strict('total', 'tax'), strict('tax')] as const),
    ...([fields('$.tax'), unaffected] as const),
  ],
  [
    'one of the listed objects that another field refused, and that lacks what is read',
    { ...(object({ a: text, b: {} }) as object), enum: [{ b: 1 }, { a: 1 }] },
    { ...(object({ a: {}, b: {} }) as object), enum: [{ b: 1 }, { a: 1 }] },
    ...([fields('$.b'), mayBreak] as const),
  ],
  [
    'an object in the place of a list, by what `not` says of its fields',
    object({ o: { not: { type: 'object' } } }),
    object({ o: { not: { type: 'object', required: ['a'] } } }),
    ...([fields('$.o[*]'), mayBreak] as const),
  ],
  [
    'a list in the place of an object, by what `not` says of its items',
    object({ o: { properties: { a: text }, not: { type: 'array' } } }),
    object({ o: { properties: { a: text }, not: { type: 'array', contains: { const: 1 } } } }),
    ...([fields('$.o.a'), mayBreak] as const),
  ],
  ['a removed field that is not read', order, without('note'), fields('$.amount'), unaffected],
  ['a removed field that is read', order, without('note'), fields('$.note'), gone('$.note')],
  [
    'a removed field that was required and is read',
    order,
    without('amount'),
    fields('$.amount'),
    refused('$.amount', { id: '' }),
  ],
  [
    'a removed field of an item that is read',
    order,
    {
      ...(without('lines') as object),
      properties: { lines: { type: 'array', items: object({ price: whole }) } },
    } as Json,
    fields('$.lines[*].sku'),
    gone('$.lines[*].sku'),
  ],
  ['anything, for a consumer that reads nothing', order, object({}), fields(), unaffected],
  ['a break, for a consumer without a need', order, without('note'), null, mayBreak],
  ['nothing, for a consumer without a need', order, order, null, unaffected],
  [
    'a type that changes, of a field that is read',
    optional,
    object({ a: text, b: text }),
    fields('$.b'),
    refused('$.b', { b: '' }),
  ],
  [
    'a type that changes, of a field that is not read',
    optional,
    object({ a: text, b: text }),
    fields('$.a'),
    unaffected,
  ],
  [
    'a field whose container goes',
    object({ a: object({ b: text }) }),
    object({}),
    fields('$.a.b'),
    gone('$.a'),
  ],
  [
    'a field beside one that goes in the same object',
    object({ a: object({ b: text, c: text }) }),
    object({ a: object({ c: text }) }),
    fields('$.a.c'),
    unaffected,
  ],
  [
    'a map whose values change their type',
    object({ prices: { type: 'object', additionalProperties: whole } }),
    object({ prices: { type: 'object', additionalProperties: text } }),
    fields('$.prices.EUR'),
    refused('$.prices.EUR', { prices: { EUR: '' } }),
  ],
  [
    'a map that lets in no keys any more',
    object({ prices: { type: 'object', additionalProperties: whole } }),
    object({ prices: { type: 'object', properties: { USD: whole } } }),
    fields('$.prices.EUR'),
    gone('$.prices.EUR'),
  ],
  [
    'a shared definition that loses a field, where it is read second',
    {
      $defs: { p: object({ x: text, y: text }) },
      ...(object({ a: { $ref: '#/$defs/p' }, b: { $ref: '#/$defs/p' } }) as object),
    } as Json,
    {
      $defs: { p: object({ x: text }) },
      ...(object({ a: { $ref: '#/$defs/p' }, b: { $ref: '#/$defs/p' } }) as object),
    } as Json,
    fields('$.b.y'),
    gone('$.b.y'),
  ],
  [
    'a field that is named still, and that no value can have',
    optional,
    object({ a: text, b: whole }, [], { not: { required: ['b'] } }),
    fields('$.b'),
    gone('$.b'),
  ],
  [
    'the same, for a consumer of another field',
    optional,
    object({ a: text, b: whole }, [], { not: { required: ['b'] } }),
    fields('$.a'),
    unaffected,
  ],
  [
    'a field that one variant loses, together with a field that all lose',
    variants({ total: whole, note: text }, { x: text }),
    variants({ note: text }),
    fields('$.total'),
    { verdict: 'breaks', path: '$.total', witness: { kind: 'b', total: 0 } },
  ],
  [
    'two fields that one variant loses, for a consumer of the second',
    variants({ total: whole, note: text }),
    variants({}),
    fields('$.note'),
    { verdict: 'breaks', path: '$.note', witness: { kind: 'b', note: '' } },
  ],
  [
    'a field that all variants lose, for a consumer of another',
    variants({ total: whole }, { x: text }),
    variants({ total: whole }),
    fields('$.total'),
    unaffected,
  ],
  [
    'a type that changes, of a field called __proto__',
    object({ a: text, ['__proto__']: whole }),
    object({ a: text, ['__proto__']: text }),
    fields('$.__proto__'),
    refused('$.__proto__', { ['__proto__']: '' }),
  ],
  [
    'a value that a stated schema refuses',
    object({ a: { enum: ['x', 'y'] } }),
    object({ a: { enum: ['x', 'y', 'z'] } }),
    { schema: { properties: { a: { enum: ['x', 'y'] } } } },
    refused('$.a', { a: 'z' }),
  ],
  [
    'a value more, for a consumer that takes any text',
    object({ a: { enum: ['x', 'y'] } }),
    object({ a: { enum: ['x', 'y', 'z'] } }),
    { schema: { properties: { a: text } } },
    unaffected,
  ],
  [
    'a value that the engine does not decide about',
    object({ a: { type: 'string', pattern: '^(aa)+$' } }),
    object({ a: { type: 'string', pattern: '^(a+)\\1$' } }),
    { schema: { properties: { a: { pattern: '^(aa)+$' } } } },
    mayBreak,
  ],
  [
    'a field that neither version has',
    optional,
    object({ b: whole }),
    { schema: { properties: { c: text } } },
    mayBreak,
  ],
];

const search = object({ q: text, page: whole, sort: text }, ['q']);
/** Two addresses by name, of which the first has this `zip`. */
const homes = (zip: Json, required: readonly string[] = []): Json => {
  const address = (zip: Json) => object({ street: text, zip }, required);
  return object({ home: address(zip), work: address(text) });
};
const textsOnly: Json = { additionalProperties: text };

export const sent: readonly Row[] = [
  [
    'a removed parameter that is not sent',
    search,
    object({ q: text, page: whole }, ['q']),
    fields('$.page'),
    unaffected,
  ],
  [
    'a removed parameter that is sent',
    search,
    object({ q: text, sort: text }, ['q']),
    fields('$.page'),
    gone('$.page'),
  ],
  [
    'a parameter that is required now',
    search,
    object({ q: text, page: whole, sort: text, key: text }, ['q', 'key']),
    fields('$.page'),
    refused('$.key', { q: '' }),
  ],
  [
    'a narrower parameter that is not sent',
    search,
    object({ q: text, page: { type: 'integer', maximum: 9 }, sort: text }, ['q']),
    fields('$.sort'),
    unaffected,
  ],
  [
    'a narrower parameter that is required, though it was not stated',
    search,
    object({ q: { type: 'string', minLength: 1 }, page: whole, sort: text }, ['q']),
    fields('$.sort'),
    refused('$.q', { q: '' }),
  ],
  [
    'values of a stated schema that are still taken',
    search,
    object({ q: text, page: { type: 'integer', maximum: 9 }, sort: text }, ['q']),
    { schema: object({ q: text, page: { const: 1 } }, ['q']) },
    unaffected,
  ],
  [
    'a need that sends nothing because nothing fits its required field',
    search,
    object({ q: whole, page: whole }, ['q']),
    { schema: { type: 'object', properties: { page: whole, q: false }, required: ['q'] } },
    mayBreak,
  ],
  [
    'a field that every member of a map demands beside the one that is sent',
    ...([homes(text, ['street', 'zip']), homes(whole, ['street', 'zip'])] as const),
    ...([fields('$.*.street'), refused('$.home.zip', { home: { street: '', zip: '' } })] as const),
  ],
  [
    'a field of every member, where one member sends another field, too',
    ...([homes(text), homes(whole), fields('$.home.street', '$.*.zip')] as const),
    refused('$.home.zip', { home: { zip: '' } }),
  ],
  [
    'a field that is demanded where nothing describes it, beside one that a branch takes by any name',
    object({ o: { oneOf: [textsOnly, {}], required: ['a'] } }),
    object({ o: { oneOf: [textsOnly], required: ['a'] } }),
    ...([fields('$.o.b'), refused('$.o', { o: { a: null } })] as const),
  ],
  ['anything, for a consumer that reads nothing', search, object({}), fields(), unaffected],
];

const operation = (request: Json, response: Json): Json =>
  object({ request, response }, ['request', 'response']);
const before = operation(search, order);
const readsNote = object({ note: text }, ['note']);

const letters = { type: 'string' } as const;
/** Two variants with a note, of which the first has this one. */
const kinds = (note: Json): Json => ({
  type: 'object',
  oneOf: [
    { properties: { kind: { const: 'a' }, note }, required: ['kind'] },
    { properties: { kind: { const: 'b' }, note: text }, required: ['kind'] },
  ],
});

export const halves: readonly Row[] = [
  [
    'a response that loses a field that is not read',
    before,
    operation(search, without('note')),
    fields('$.response.amount'),
    unaffected,
  ],
  [
    'a response that loses a field that is read',
    before,
    operation(search, without('note')),
    fields('$.response.note'),
    gone('$.response.note'),
  ],
  [
    'a request that demands more, for a consumer that says what it sends',
    before,
    operation(object({ q: text, page: whole, sort: text, key: text }, ['q', 'key']), order),
    fields('$.request.page', '$.response.amount'),
    refused('$.request.key', { request: { q: '' } }),
  ],
  [
    'a request that demands more, for a consumer that does not say what it sends',
    before,
    operation(object({ q: text, page: whole, sort: text, key: text }, ['q', 'key']), order),
    fields('$.response.amount'),
    mayBreak,
  ],
  [
    'a request that loses a parameter that is not sent',
    before,
    operation(object({ q: text, page: whole }, ['q']), order),
    fields('$.request.page'),
    unaffected,
  ],
  [
    'a response that goes',
    before,
    object({ request: search }, ['request']),
    fields('$.response.amount'),
    gone('$.response'),
  ],
  ...(['false', 'a mark'] as const).flatMap((by): readonly Row[] => {
    const [noRequest, noResponse] =
      by === 'false'
        ? [false, false]
        : [
            { ...letters, readOnly: true },
            { ...letters, writeOnly: true },
          ];
    return [
      [
        `a field that is read, and goes from one variant by ${by}`,
        operation(search, kinds(letters)),
        operation(search, kinds(noResponse)),
        fields('$.response.note'),
        mayBreak,
      ],
      [
        `a field that is not read, and goes from one variant by ${by}`,
        operation(search, kinds(letters)),
        operation(search, kinds(noResponse)),
        fields('$.response.kind'),
        unaffected,
      ],
      [
        `a field that is sent, and goes from one variant by ${by}`,
        operation(kinds(letters), order),
        operation(kinds(noRequest), order),
        fields('$.request.note'),
        refused('$.request', { request: { kind: 'a', note: '' } }),
      ],
    ];
  }),
  [
    'a request of which everything is stated, and a part becomes readOnly',
    operation(object({ note: text }), order),
    operation(object({ note: { ...letters, readOnly: true } }), order),
    fields('$.request.note'),
    gone('$.request.note'),
  ],
  ...of([
    ['a pattern', { patternProperties: { '^response$': readsNote } }],
    ['a negation', { not: { properties: { response: { not: readsNote } } } }],
    ['a condition', { if: { properties: { response: readsNote } }, else: false }],
    [
      'a demand of another',
      { dependentSchemas: { response: { properties: { response: readsNote } } } },
    ],
  ]),
];

/** A need that says by something else than its properties what it reads of the response. */
function of(needs: readonly (readonly [string, Json])[]): readonly Row[] {
  const noted = operation(object({}), object({ note: text }, ['note']));
  const next = operation(object({}), object({ note: whole }));
  return needs.map(([by, schema]) => [
    `a response that is read by ${by}`,
    noted,
    next,
    { schema },
    { verdict: 'breaks', witness: { request: {}, response: {} } },
  ]);
}

/** `a` is evaluated by one part, so the other does not speak of it. */
export const apart: Json = {
  allOf: [{ properties: { a: text } }],
  unevaluatedProperties: whole,
};
