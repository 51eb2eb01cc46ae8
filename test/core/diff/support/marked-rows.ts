// Changes of requests that break, where what OpenAPI marks depends on the branch of a value, or something else on it.

import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { object } from './terms.ts';

export const text = { type: 'string' } as const;
export const shown = { type: 'string', readOnly: true } as const;
const open = { readOnly: true } as const;
// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
const demandsQ = { then: { required: ['q'] } };
export const request = { direction: 'request' } as const;

export const of = (kind: string, more: JsonObject, required: readonly string[] = []): Json =>
  object({ k: { const: kind }, ...more }, ['k', ...required]);
export const either = (
  a: JsonObject,
  b: JsonObject,
  required: readonly string[],
  more: JsonObject = {},
) => ({ anyOf: [of('a', a, required), of('b', b, required)], ...more }) as Json;

const inMap = (each: Json): Json => ({
  ...(of('a', {}) as JsonObject),
  additionalProperties: each,
});

export type Row = readonly [name: string, old: Json, next: Json];

export const breakingMarks: readonly Row[] = [
  [
    'where one of two branches loses its mark',
    either({ p: shown }, { p: text }, ['p']),
    either({ p: text }, { p: text }, ['p']),
  ],
  [
    'where the mark goes to the other branch',
    either({ p: shown }, { p: text }, ['p']),
    either({ p: text }, { p: shown }, ['p']),
  ],
  [
    'where what is around the branches demands it',
    either({ p: shown }, { p: text }, [], { required: ['p'] }),
    either({ p: text }, { p: text }, [], { required: ['p'] }),
  ],
  [
    'where it comes with another name',
    either({ p: shown }, { p: text }, [], { dependentRequired: { k: ['p'] } }),
    either({ p: text }, { p: text }, [], { dependentRequired: { k: ['p'] } }),
  ],
  [
    'where a branch within a branch has the mark',
    { anyOf: [either({ p: shown }, { p: text }, ['p']), of('c', { p: text }, ['p'])] },
    { anyOf: [either({ p: text }, { p: text }, ['p']), of('c', { p: text }, ['p'])] },
  ],
  [
    'where a condition has the mark',
    {
      ...(object({ k: text, p: text }, ['k', 'p']) as JsonObject),
      if: { properties: { k: { const: 'a' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      ...{ then: { properties: { p: shown } } },
    },
    object({ k: text, p: text }, ['k', 'p']),
  ],
  [
    'where what a branch contains is marked, too',
    either({ p: shown, s: object({ z: shown }, ['z']) }, { p: text }, ['p']),
    either({ p: text, s: object({ z: shown }, ['z']) }, { p: text }, ['p']),
  ],
  [
    'where all values lose one name, and one branch marks another name',
    object({ q: {} }, ['k', 'p'], {
      anyOf: [object({ k: {}, p: text }), object({ p: {}, q: {} })],
    }),
    object({ q: open }, ['k', 'p'], {
      anyOf: [object({ k: {}, p: text }), object({ p: open, q: open })],
    }),
  ],
  [
    'where a pattern loses its mark',
    object({ k: text }, ['p'], { patternProperties: { '^p': shown } }),
    object({ k: text }, ['p'], { patternProperties: { '^p': text } }),
  ],
  [
    'where a map of one variant loses its mark',
    { required: ['p'], anyOf: [inMap(shown), of('b', { p: text })] },
    { required: ['p'], anyOf: [inMap(text), of('b', { p: text })] },
  ],
  [
    'where a count has properties of a map in it that is marked',
    object({ q: text, r: text }, [], { additionalProperties: shown, minProperties: 2 }),
    object({ q: text, r: text }, ['q', 'r'], { additionalProperties: shown }),
  ],
  [
    'where exactly one branch may hold, and which one depends on what is marked',
    { ...(object({ p: open }, ['p']) as JsonObject), oneOf: [{}, { properties: { p: text } }] },
    object({ p: text }, ['p']),
  ],
  [
    'where a count has what is marked in it',
    object({ q: text, r: text, p: shown }, ['p'], { minProperties: 2 }),
    object({ q: text, r: text, p: shown }, ['p', 'q', 'r']),
  ],
  [
    'where something must not hold of what is marked',
    object({ q: text, p: open }, [], { not: { properties: { p: text }, required: ['q'] } }),
    object({ q: text, p: open }, [], { not: { required: ['q'] } }),
  ],
  [
    'where a condition looks at what is marked',
    object({ q: text, p: open }, [], { if: { properties: { p: text } }, ...demandsQ }),
    object({ q: text, p: open }, ['q']),
  ],
  [
    'where items are told apart by what is marked',
    { type: 'array', items: object({ q: text, p: shown }), uniqueItems: true },
    { type: 'array', items: object({ q: text }), uniqueItems: true },
  ],
  [
    'where counted items depend on what is marked',
    {
      ...{ type: 'array', items: object({ q: text, p: open }) },
      ...{ contains: object({ q: text, p: text }, ['q', 'p']), maxContains: 1 },
    },
    {
      ...{ type: 'array', items: object({ q: text, p: open }) },
      ...{ contains: object({ q: text }, ['q']), maxContains: 1 },
    },
  ],
  [
    'where the values are listed',
    { ...(object({ q: {}, p: open }) as JsonObject), enum: [{ q: 1, p: 1 }] },
    { ...(object({ q: {}, p: {} }) as JsonObject), enum: [{ q: 1, p: 1 }] },
  ],
];

const tagged = (kind: Json, more: JsonObject): JsonObject => ({
  properties: { k: kind, ...more },
  required: ['k'],
});
const others = tagged({ const: 'b' }, { p: text });
const variants = (more: JsonObject): Json => ({ type: 'object', ...more });

interface VariantRow {
  readonly name: string;
  /** The same schema with this in one variant. */
  readonly with: (p: Json) => Json;
  /** Whether that one variant has no `p` breaks, and the path if it does. */
  readonly response: string | null;
  readonly request: string | null;
}

/** An optional property of one variant, which others have, too. */
export const variantRows: readonly VariantRow[] = [
  {
    name: 'told apart by a tag',
    with: (p) => variants({ oneOf: [tagged({ const: 'a' }, { p }), others] }),
    response: '$.oneOf[0].properties.p',
    request: '$.oneOf[0].properties.p',
  },
  {
    name: 'that may overlap, in exactly one of which a value is',
    with: (p) =>
      variants({ oneOf: [tagged(text, { p }), object({ k: text, p: text, q: text }, ['k', 'q'])] }),
    response: '$.oneOf[0].properties.p',
    request: '$.oneOf[0].properties.p',
  },
  {
    name: 'that overlap',
    with: (p) => variants({ anyOf: [{ properties: { p } }, { properties: { p: text, q: text } }] }),
    response: '$.anyOf[0].properties.p',
    request: null,
  },
  {
    name: 'beside a description of it for all values',
    with: (p) =>
      object({ k: text, p: text }, [], {
        anyOf: [tagged({ const: 'a' }, { p }), tagged({ const: 'b' }, {})],
      }),
    response: '$.anyOf[0].properties.p',
    request: '$.anyOf[0].properties.p',
  },
  {
    name: 'in a map of anything else',
    with: (p) =>
      variants({ additionalProperties: text, oneOf: [tagged({ const: 'a' }, { p }), others] }),
    response: '$.oneOf[0].properties.p',
    request: '$.oneOf[0].properties.p',
  },
  {
    name: 'that are closed',
    with: (p) =>
      variants({
        oneOf: [tagged({ const: 'a' }, { p }), others].map((each) => ({
          ...each,
          additionalProperties: false,
        })),
      }),
    response: '$.oneOf[0].properties.p',
    request: '$.oneOf[0].properties.p',
  },
  {
    name: 'of a property',
    with: (p) => object({ v: variants({ oneOf: [tagged({ const: 'a' }, { p }), others] }) }),
    response: '$.properties.v.oneOf[0].properties.p',
    request: '$.properties.v.oneOf[0].properties.p',
  },
];

/** Schemas for properties that are not listed. */
export const mapRows: readonly (readonly [name: string, with_: (p: Json) => Json])[] = [
  ['of a pattern', (p) => object({ k: text }, [], { patternProperties: { '^p': p } })],
  [
    'of a pattern that a listed one matches, too',
    (p) => object({ pa: text }, ['pa'], { patternProperties: { '^p': p } }),
  ],
  [
    'of a pattern, beside a map',
    (p) =>
      object({}, [], { patternProperties: { '^p': p }, additionalProperties: { type: 'integer' } }),
  ],
  [
    'of a pattern, where all others are refused',
    (p) => object({ k: text }, [], { patternProperties: { '^p': p }, additionalProperties: false }),
  ],
  ['of a map', (p) => variants({ additionalProperties: p })],
  ['of a map that is left over', (p) => object({ k: text }, [], { unevaluatedProperties: p })],
  [
    'of a map in which another part lists one',
    (p) => ({ allOf: [object({ k: text }, ['k']), { additionalProperties: p }] }),
  ],
  [
    'of a map in one variant',
    (p) =>
      variants({
        oneOf: [
          { ...tagged({ const: 'a' }, {}), additionalProperties: p },
          { ...tagged({ const: 'b' }, {}), additionalProperties: text },
        ],
      }),
  ],
  [
    'of a pattern in one variant',
    (p) =>
      variants({
        oneOf: [
          { ...tagged({ const: 'a' }, { pa: text }), patternProperties: { '^p': p } },
          tagged({ const: 'b' }, { pa: text }),
        ],
      }),
  ],
];

/** A change in which something gets a mark, for the mutants. */
export const newMarks: readonly (readonly [...Row, 'request' | 'response'])[] = (
  ['request', 'response'] as const
).flatMap((direction) => [
  ...variantRows.flatMap((row) => {
    if (row[direction] === null) return [];
    return [[row.name, row.with(text), row.with(markedFor(direction)), direction] as const];
  }),
  ...mapRows.map(([name, withMap]) => {
    return [name, withMap(text), withMap(markedFor(direction)), direction] as const;
  }),
]);

export function markedFor(direction: 'request' | 'response'): Json {
  return { ...text, [direction === 'request' ? 'readOnly' : 'writeOnly']: true };
}

/** Validators see that both branches hold, so exactly one may not. */
export const overlapping: Row = [
  'where a value is in two branches, of which one marks what it has',
  object({ k: text, p: text }, ['p']),
  variants({ oneOf: [object({ k: text, p: shown }), object({ k: text, p: text }, ['p'])] }),
];
