// What finds a broken answer about needs: the tables first, then the laws.

import fc from 'fast-check';
import type { Direction } from '../../../src/core/comparison.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import { object, termsOf } from '../diff/support/terms.ts';
import type { NeedEngine } from '../laws/needs-laws.ts';
import { breachOfNarrowing, breachOfProjection, breachOfVerdict } from '../laws/needs-laws.ts';
import { pair } from '../laws/schemas.ts';
import { breachOfNested, nestedCase } from '../needs/nested-law.ts';
import { apart, fields, halves, order, type Row, read, sent } from '../needs/rows.ts';

const tables: readonly (readonly [Direction, readonly Row[]])[] = [
  ['data', read],
  ['response', read],
  ['request', sent],
  ['operation', halves],
];

/** The tables find nearly all; the laws look at more elsewhere. */
const pairs = 100;
const nestedCases = 150;

/** The first row or law that the engine breaks. */
export function breachOfNeeds(engine: NeedEngine): string | null {
  for (const [direction, rows] of tables) {
    for (const row of rows) {
      const breach = breachOfRow(engine, row, direction);
      if (breach !== null) return breach;
    }
  }
  return breachOfMissing(engine) ?? breachOfNewParts(engine) ?? breachOfLaws(engine);
}

function breachOfRow(
  { findVerdicts, makeNeed }: NeedEngine,
  [name, schema, proposed, stated, expected]: Row,
  direction: Direction,
): string | null {
  const [old, next] = [termsOf(schema, { direction }), termsOf(proposed, { direction })];
  const made = stated === null ? null : makeNeed(stated, old);
  if (made?.ok === false) return name;
  const needs = [made === null ? null : made.need];
  const [found] = findVerdicts({ old, next, comparison: compare(old, next) }, needs);
  const isSame =
    found?.verdict === expected.verdict &&
    found.path === expected.path &&
    JSON.stringify(found.witness) === JSON.stringify(expected.witness);
  return isSame ? null : name;
}

/** What was added to a field that is read whole, and goes again. */
function breachOfNewParts({ findVerdicts, makeNeed }: NeedEngine): string | null {
  const [first, second] = [{ a: {} }, { a: {}, b: {} }].map((parts) =>
    termsOf(object({ whole: object(parts) })),
  );
  if (first === undefined || second === undefined) return 'no contract';
  const made = makeNeed(fields('$.whole'), first);
  if (!made.ok) return 'a field that is an object';
  const change = { old: second, next: first, comparison: compare(second, first) };
  const [found] = findVerdicts(change, [made.need]);
  return found?.path === '$.whole.b' ? null : 'a part that was added to a field';
}

function breachOfMissing({ findUnmet, makeNeed }: NeedEngine): string | null {
  for (const direction of ['data', 'request'] as const) {
    const terms = termsOf(order, { direction });
    const made = makeNeed(fields('$.total'), terms);
    if (!made.ok || findUnmet(made.need, terms)?.path !== '$.total')
      return 'a field that is missing';
    const optional = termsOf(object({ a: { type: 'string' }, b: {} }), { direction });
    const known = makeNeed(fields('$.a'), optional);
    if (!known.ok || findUnmet(known.need, optional) !== null) return 'a field that is there';
  }
  const beside = makeNeed(fields('$.a'), termsOf(apart));
  if (!beside.ok || findUnmet(beside.need, termsOf(apart)) !== null) return 'a part beside others';
  return null;
}

function breachOfLaws(engine: NeedEngine): string | null {
  for (const one of fc.sample(pair, { numRuns: pairs, seed: 20_261_125 })) {
    const breach =
      breachOfProjection(engine, one) ??
      breachOfVerdict(engine, { pair: one, stated: one.a }, 'data') ??
      breachOfNarrowing(engine, one, 'data');
    if (breach !== null) return breach;
  }
  for (const one of fc.sample(nestedCase, { numRuns: nestedCases, seed: 20_261_125 })) {
    const breach =
      breachOfNested(engine, one, 'response') ?? breachOfNested(engine, one, 'request');
    if (breach !== null) return breach;
  }
  return null;
}
