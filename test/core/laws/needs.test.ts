// The laws of needs on small and nasty schemas. NEED_PAIRS asks for more of them, and LAW_SEED for others.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findVerdicts } from '../../../src/core/needs/find-verdicts.ts';
import { findUnmet, makeNeed } from '../../../src/core/needs/make-need.ts';
import { branchCase, breachOfBranches } from '../needs/branch-law.ts';
import { breachOfNested, nestedCase } from '../needs/nested-law.ts';
import {
  breachOfNarrowing,
  breachOfProjection,
  breachOfVerdict,
  emptyNeedTally,
  type NeedCase,
} from './needs-laws.ts';
import { plainPair } from './plain-schemas.ts';
import { type Pair, pair } from './schemas.ts';

const pairCount = Number(process.env.NEED_PAIRS ?? 1_000);
const seed = Number(process.env.LAW_SEED ?? 20_261_125);
/** A pair takes some 10 ms, and five times that on a busy machine. */
const timeoutMs = 60_000 + pairCount * 60;
const engine = { findVerdicts, makeNeed, findUnmet };

/** The need is mostly the old schema, or the new one, after a few edits. */
function casesOf(source: fc.Arbitrary<Pair>): fc.Arbitrary<NeedCase> {
  return fc.tuple(source, source, fc.nat(3)).map(([one, other, which]) => ({
    pair: one,
    stated: [one.a, one.b, other.a, { anyOf: [one.a, one.b] }][which] ?? true,
  }));
}

function holdsFor<T>(share: number, of: fc.Arbitrary<T>, breachOf: (one: T) => string | null) {
  fc.assert(
    fc.property(of, (one) => {
      expect(breachOf(one)).toBeNull();
    }),
    { numRuns: Math.ceil(pairCount * share), seed },
  );
}

describe('where a consumer is unaffected, its need refuses nothing; where it breaks, that is shown', () => {
  test.each([
    ['data', pair, 0.3],
    ['response', pair, 0.1],
    ['request', pair, 0.15],
    ['data', plainPair, 0.1],
    ['request', plainPair, 0.05],
  ] as const)(
    'for %s',
    (direction, source, share) => {
      const tally = emptyNeedTally();
      holdsFor(share, casesOf(source), (one) => breachOfVerdict(engine, one, direction, tally));
      const asked = tally.unaffected + tally.breaks + tally.may_break;
      // The law looks at something.
      expect(tally.unaffected / asked).toBeGreaterThan(0.1);
      expect(tally.breaks / asked).toBeGreaterThan(0.2);
      expect(tally.written).toBeGreaterThan(asked * 0.3);
    },
    timeoutMs,
  );
});

test.each(['data', 'response', 'request'] as const)(
  'for %s, narrowing a need never adds a break',
  (direction) => {
    const tally = emptyNeedTally();
    const both = fc.oneof(pair, plainPair);
    holdsFor(0.1, both, (one) => breachOfNarrowing(engine, one, direction, tally));
    expect(tally.unaffected).toBeGreaterThan(pairCount * 0.005);
  },
  timeoutMs,
);

test(
  'a contract emits nothing that the schema of its own fields refuses',
  () => holdsFor(0.1, fc.oneof(pair, plainPair), (one) => breachOfProjection(engine, one)),
  timeoutMs,
);

test.each(['data', 'response'] as const)(
  'for %s, a reader of fields in branches is unaffected only by what it cannot see',
  (direction) => {
    const tally = { unaffected: 0, asked: 0 };
    holdsFor(0.2, branchCase, (one) => breachOfBranches(engine, one, direction, tally));
    expect(tally.unaffected / tally.asked).toBeGreaterThan(0.05);
    expect(tally.asked).toBeGreaterThan(pairCount * 0.1);
  },
  timeoutMs,
);

test.each([
  ['data', 'reads no more than before', 0.05],
  ['response', 'reads no more than before', 0.1],
  ['request', 'sends nothing that is refused', 0.15],
] as const)(
  'for %s, who is unaffected in what stands within an object %s',
  (direction, _what, share) => {
    const tally = { unaffected: 0, asked: 0, sent: 0 };
    holdsFor(share, nestedCase, (one) => breachOfNested(engine, one, direction, tally));
    expect(tally.unaffected / tally.asked).toBeGreaterThan(0.02);
    expect(tally.asked).toBeGreaterThan(pairCount * share * 0.15);
    expect(tally.sent > tally.asked).toBe(direction === 'request');
  },
  timeoutMs,
);
