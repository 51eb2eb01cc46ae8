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
