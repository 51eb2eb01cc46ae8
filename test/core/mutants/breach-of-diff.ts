// What finds a broken comparison: rows of fields that are lost, and of terms that differ.

import type { compare as compareTerms } from '../../../src/core/diff/compare.ts';
import type { Json } from '../../../src/core/value/json.ts';
import {
  besideDemands,
  chains,
  response,
  shutOut,
  undescribed,
  unsure,
} from '../diff/support/losses.ts';
import { breakingMarks, newMarks, overlapping, request } from '../diff/support/marked-rows.ts';
import { object, type Setting, termsOf } from '../diff/support/terms.ts';

type Row = readonly [name: string, old: Json, next: Json, setting: Setting];

const defaults = (...values: readonly number[]): Json => ({
  anyOf: values.map((value) => ({ type: 'string', maxLength: 3, default: value })),
});

/** Whether a digest is the same though a default changed. */
export function dropsDefault(canonicalText: (schema: Json) => string): boolean {
  return canonicalText(defaults(1, 1, 2)) === canonicalText(defaults(1, 2, 2));
}

const rows: readonly Row[] = [
  ...shutOut.map(([name, old, next]): Row => [name, old, next, response]),
  ...undescribed.map(([name, old, next]): Row => [name, old, next, {}]),
  ...undescribed.map(([name, old, next]): Row => [name, old, next, response]),
  ...besideDemands.map(([name, old, next]): Row => [name, old, next, {}]),
  ...[...breakingMarks, overlapping].map(([name, old, next]): Row => [name, old, next, request]),
  ...newMarks.map(([name, old, next, direction]): Row => [name, old, next, { direction }]),
  [
    'a demand within a map',
    { type: 'object', additionalProperties: object({ v: {} }, ['v']) },
    object({ k: object({ v: {} }) }),
    { mode: 'forward' },
  ],
  ['a variant that may have lost it', ...unsure('oneOf'), response],
  ['an open place', object({ a: { type: 'object' } }), object({ a: object({}) }), {}],
];

/** The row that is not seen to break. */
export function breachOfDiff(compare: typeof compareTerms): string | null {
  for (const [name, old, next, setting] of rows) {
    if (!compare(termsOf(old, setting), termsOf(next, setting)).isBreaking) return name;
  }
  for (const [name, setting, steps] of chains) {
    const terms = steps.map((step) => termsOf(step, setting));
    const isRefused = terms.some((next, at) => {
      const old = terms[at - 1];
      return old !== undefined && compare(old, next).isBreaking;
    });
    if (!isRefused) return name;
  }
  return null;
}
