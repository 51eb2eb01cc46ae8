// Fields that are lost though they are named: old, new, and the path of the loss.

import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { object, type Setting } from './terms.ts';

export const text: Json = { type: 'string' };
export const whole: Json = { type: 'integer' };
export const response: Setting = { mode: 'backward', direction: 'response' };

export const withMore = (schema: Json, more: JsonObject): Json => ({
  ...(schema as JsonObject),
  ...more,
});
export const both = object({ k: text, p: whole });
const nested = object({ a: object({ b: whole, c: whole }) });
export const list = (more: JsonObject): Json =>
  object({ l: { type: 'array', items: both, ...more } as JsonObject });
export const kind = (name: string, more: { readonly [key: string]: Json } = {}): Json =>
  object({ k: { const: name }, ...more }, ['k']);

const named: Json = { $ref: '#/$defs/d' };
const twice = withMore(object({ a: named, b: named }), { $defs: { d: object({ x: text }) } });
const listTwice = object({ l: { type: 'array', prefixItems: [both], items: both } as JsonObject });

export const shutOut: readonly (readonly [string, Json, Json, string])[] = [
  ['not', both, withMore(both, { not: { required: ['p'] } }), 'p'],
  ['propertyNames', both, withMore(both, { propertyNames: { enum: ['k'] } }), 'p'],
  [
    'propertyNames by length',
    object({ k: text, pp: whole }),
    withMore(object({ k: text, pp: whole }), { propertyNames: { maxLength: 1 } }),
    'pp',
  ],
  ['maxProperties', both, withMore(both, { maxProperties: 1, required: ['k'] }), 'p'],
  [
    'maxProperties 0, deeper',
    nested,
    object({ a: withMore(object({ b: whole, c: whole }), { maxProperties: 0 }) }),
    'a.properties.b',
  ],
  ['dependentSchemas', both, withMore(both, { dependentSchemas: { p: false } }), 'p'],
  [
    'a property that it needs and cannot have',
    both,
    withMore(both, { dependentRequired: { p: ['z'] }, propertyNames: { enum: ['k', 'p'] } }),
    'p',
  ],
  [
    'a condition',
    both,
    withMore(both, JSON.parse('{"if": {"required": ["p"]}, "then": false}')),
    'p',
  ],
  ['allOf with false', both, withMore(both, { allOf: [{ properties: { p: false } }] }), 'p'],
  ['allOf with another type', both, withMore(both, { allOf: [{ properties: { p: text } }] }), 'p'],
  [
    'a reference to nothing',
    both,
    withMore(both, {
      allOf: [{ properties: { p: { $ref: '#/$defs/n' } } }],
      $defs: { n: { not: {} } },
    }),
    'p',
  ],
  ['a list of values', both, withMore(both, { enum: [{ k: 'x' }] }), 'p'],
  [
    'one of two places of a definition',
    twice,
    withMore(twice, { not: { required: ['b'], properties: { b: { required: ['x'] } } } }),
    'b.properties.x',
  ],
  [
    'the rest of a list whose first item is of the same definition',
    listTwice,
    withMore(listTwice, { not: { properties: { l: { minItems: 2 } } } }),
    'l.items.properties.k',
  ],
  [
    'a branch that nothing enters',
    both,
    {
      anyOf: [
        withMore(both, { required: ['z'], properties: { k: text, p: whole, z: false } }),
        withMore(object({ k: text }), { additionalProperties: false }),
      ],
    },
    'p',
  ],
  [
    'a variant that nothing enters, beside one with the same field in another form',
    { anyOf: [kind('a', { p: text }), kind('b', { p: object({ x: whole }), z: false })] },
    {
      anyOf: [
        kind('a', { p: text }),
        withMore(kind('b', { p: object({ x: whole }), z: false }), { required: ['k', 'z'] }),
      ],
    },
    'p.properties.x',
  ],
  ['what is above it', nested, withMore(nested, { not: { required: ['a'] } }), 'a'],
  [
    'what is above it, deeper',
    nested,
    withMore(nested, { not: { required: ['a'], properties: { a: { required: ['b'] } } } }),
    'a.properties.b',
  ],
  ['a list without items', list({}), list({ maxItems: 0 }), 'l.items.properties.k'],
  ['items that cannot be', list({}), list({ not: { minItems: 1 } }), 'l.items.properties.k'],
  ['items that are refused', list({}), list({ items: false }), 'l.items.properties.k'],
  [
    'items that are not described either',
    list({}),
    object({ l: { type: 'array', maxItems: 0 } }),
    'l.items.properties.k',
  ],
  [
    'an item that is refused by its position',
    list({ prefixItems: [text, both] }),
    list({ prefixItems: [text, false] }),
    'l.prefixItems[1].properties.k',
  ],
  [
    'items before it that would have to be equal',
    list({ prefixItems: [{ const: 1 }, { const: 1 }] }),
    list({ prefixItems: [{ const: 1 }, { const: 1 }], uniqueItems: true }),
    'l.items.properties.k',
  ],
  [
    'items that are refused in a nested list',
    object({ n: { type: 'array', items: { type: 'array', items: both } } }),
    object({ n: { type: 'array', items: { type: 'array', items: false } } }),
    'n.items.items.properties.k',
  ],
  [
    'a demand of old that a new one meets',
    withMore(both, { not: { required: ['p', 'q'] } }),
    withMore(both, { not: { required: ['p', 'q'] }, required: ['q'] }),
    'p',
  ],
];

const keeping = kind('a', { p: whole });
const having = kind('b', { p: whole });

/** The second variant of a union, before and after. The first one keeps its property. */
export const forbidden: readonly (readonly [string, Json, Json])[] = [
  ['false', having, kind('b', { p: false })],
  ['no name', having, withMore(kind('b'), { additionalProperties: false })],
  ['not', having, withMore(having, { not: { required: ['p'] } })],
  ['propertyNames', having, withMore(having, { propertyNames: { enum: ['k'] } })],
  ['maxProperties', having, withMore(having, { maxProperties: 1 })],
];

export const inVariants = (union: 'anyOf' | 'oneOf', second: Json): Json => ({
  [union]: [keeping, second],
});

/** Whether the second variant can have `p` still is not known. */
const unknown = { allOf: [whole, { $ref: 'https://example.com/unknown.json' }] };
export const unsure = (union: 'anyOf' | 'oneOf'): readonly [Json, Json] => [
  inVariants(union, kind('b', { p: whole })),
  inVariants(union, kind('b', { p: unknown })),
];

const condition = (p: Json): Json =>
  JSON.parse(`{"if": {"required": ["k"]}, "then": {"properties": {"p": ${JSON.stringify(p)}}}}`);
export const inThen = withMore(object({ k: whole }), condition(text) as JsonObject);
export const inOneBranch = withMore(object({ k: whole }), {
  anyOf: [{ required: ['k'], properties: { p: whole } }, {}],
});

export const undescribed: readonly (readonly [string, Json, Json, string])[] = [
  ['moved from then into one branch', inThen, inOneBranch, 'p'],
  [
    'moved from all values into one variant',
    object({ k: { enum: ['a', 'b'] }, p: whole }, ['k']),
    { anyOf: [kind('a', { p: whole }), kind('b')] },
    'p',
  ],
  ['moved under a condition', object({ k: whole, p: text }), inThen, 'p'],
  [
    'no longer a condition of nothing',
    withMore(object({ k: whole }), { if: { properties: { p: text } }, title: 'old' }),
    withMore(object({ k: whole }), { title: 'new' }),
    'p',
  ],
  [
    'moved into a branch that nothing enters',
    both,
    withMore(object({ k: text }), { anyOf: [{ not: {}, properties: { p: whole } }, {}] }),
    'p',
  ],
  [
    'moved behind what another key brings',
    both,
    withMore(object({ k: text }), { dependentSchemas: { k: { properties: { p: whole } } } }),
    'p',
  ],
  [
    'described inside by one variant alone',
    object({ k: { enum: ['a', 'b'] }, p: object({ x: whole }) }, ['k']),
    { anyOf: [kind('a', { p: object({ x: whole }) }), kind('b', { p: object({}) })] },
    'p.properties.x',
  ],
  [
    'described by one variant alone in the items that contains leaves',
    object({ l: { type: 'array', items: object({ k: { enum: ['a', 'b'] }, p: whole }, ['k']) } }),
    object({
      l: {
        type: 'array',
        contains: text,
        minContains: 0,
        unevaluatedItems: { anyOf: [kind('a', { p: whole }), kind('b')] },
      },
    }),
    'l.items.properties.p',
  ],
];

const strict = { additionalProperties: false };
const either = (...members: readonly Json[]): Json => ({ type: 'object', anyOf: members });
const inMode = (mode: 'backward' | 'forward', direction: 'data' | 'response'): Setting => ({
  mode,
  direction,
});

/** Steps of which one has to be asked about, or two would do what one may not. */
export const chains: readonly (readonly [string, Setting, readonly Json[]])[] = [
  [
    'a variant forbids a property, stops to name it, and gets it back with another type',
    response,
    [
      { oneOf: [kind('a', { p: whole }), kind('b', { p: whole })] },
      { oneOf: [kind('a', { p: whole }), kind('b', { p: false })] },
      { oneOf: [kind('a', { p: whole }), kind('b')] },
      { oneOf: [kind('a', { p: whole }), kind('b', { p: text })] },
    ],
  ],
  [
    'a property is described where its content fits, and then elsewhere with another type',
    response,
    [
      object({ p: whole }),
      either(object({ p: whole }), object({})),
      either(object({ p: whole }), object({ p: text })),
    ],
  ],
  [
    'a strict response is opened, and gets a property',
    response,
    [object({ p: whole }, [], strict), object({ p: whole }), object({ p: whole, q: text })],
  ],
  [
    'a response loses a property, and is made strict',
    inMode('forward', 'response'),
    [object({ p: whole, q: text }), object({ p: whole }), object({ p: whole }, [], strict)],
  ],
  [
    'strict data is opened, and gets a property',
    inMode('forward', 'data'),
    [object({ p: whole }, [], strict), object({ p: whole }), object({ p: whole, q: text })],
  ],
  [
    'data inside a list is opened, and gets a property',
    inMode('forward', 'data'),
    [strict, {}, { properties: { k: text, p: whole, q: text } }].map((more) =>
      object({ l: { type: 'array', items: withMore(both, more) } }),
    ),
  ],
  [
    'a variant without a property comes, and gets it with another type',
    inMode('forward', 'data'),
    [
      object({ p: whole }),
      either(object({ p: whole }), object({ q: text })),
      either(object({ p: whole }), object({ q: text, p: text })),
    ],
  ],
  [
    'a property moves into one variant, and the other one gets it with another type',
    inMode('forward', 'data'),
    [
      object({ k: text, p: whole }),
      object({ k: text }, [], { anyOf: [object({ p: whole }), {}] }),
      object({ k: text }, [], { anyOf: [object({ p: whole }), object({ p: text })] }),
    ],
  ],
  [
    'a variant of strict data demands what nothing describes, and describes it',
    inMode('forward', 'data'),
    [
      object({ p: whole }, [], strict),
      either(object({ p: whole }, [], strict), object({ p: whole }, ['p', 'q'])),
      either(object({ p: whole }, [], strict), object({ p: whole, q: text }, ['p', 'q'])),
    ],
  ],
  [
    'a name that is demanded, and described by nothing, is let go, and described',
    inMode('backward', 'data'),
    [object({ p: whole }, ['z']), object({ p: whole }), object({ p: whole, z: text })],
  ],
];

/** Changes of what demands a name that nothing describes. */
export const besideDemands: readonly (readonly [string, Json, Json])[] = [
  ['beside it', object({ p: whole }, ['z']), object({ p: text }, ['z'])],
  [
    'in a part of its own',
    { allOf: [object({ p: whole }), { required: ['z'] }] },
    { allOf: [object({ p: text }), { required: ['z'] }] },
  ],
  [
    'in one variant',
    {
      oneOf: [kind('a', { p: whole }), withMore(kind('b', { p: whole }), { required: ['k', 'z'] })],
    },
    {
      oneOf: [kind('a', { p: whole }), withMore(kind('b', { p: text }), { required: ['k', 'z'] })],
    },
  ],
  [
    'with the property itself',
    object({ p: whole }, [], { dependentRequired: { p: ['z'] } }),
    object({ p: text }, [], { dependentRequired: { p: ['z'] } }),
  ],
  ['below', object({ a: object({ p: whole }, ['z']) }), object({ a: object({ p: text }, ['z']) })],
  [
    'of any names',
    object({ p: whole }, [], { minProperties: 2 }),
    object({ p: text }, [], { minProperties: 2 }),
  ],
  ...[
    { anyOf: [{ required: ['z'] }, { required: ['y'] }] },
    { not: { not: { required: ['z'] } } },
    JSON.parse('{"if": {"required": ["k"]}, "then": {"required": ["z"]}}') as JsonObject,
    {
      enum: [
        { k: '', p: 1, z: 1 },
        { k: '', p: '', z: 1 },
      ],
    },
  ].map((more): readonly [string, Json, Json] => [
    `said by ${Object.keys(more)[0]}`,
    object({ k: text, p: whole }, ['k'], more),
    object({ k: text, p: text }, ['k'], more),
  ]),
  [
    'beside unevaluatedProperties that say nothing',
    object({ p: whole }, ['z'], { unevaluatedProperties: true }),
    object({ p: text }, ['z'], { unevaluatedProperties: true }),
  ],
];
