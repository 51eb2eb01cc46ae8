// The laws on schemas of strings. TEXT_PAIRS asks for more pairs, and ANY_FROM for others.

import { expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import { emptyTally } from './laws.ts';
import { breachOfTexts, textPair } from './texts.ts';

const pairCount = Number(process.env.TEXT_PAIRS ?? 3_000);
const first = Number(process.env.ANY_FROM ?? 0);

test(
  'no text is an exception to a yes, and a witness is one to a no',
  () => {
    const tally = emptyTally();
    for (let seed = first; seed < first + pairCount; seed++) {
      const breach = breachOfTexts(contains, seed, tally);
      expect({ seed, pair: textPair(seed), breach }).toEqual({
        ...{ seed, pair: textPair(seed), breach: null },
      });
    }
    const asked = tally.yes + tally.no + tally.undecided;
    expect(tally.yes / asked).toBeGreaterThan(0.2);
    expect(tally.no / asked).toBeGreaterThan(0.2);
    expect(tally.undecided / asked).toBeLessThan(0.2);
  },
  60_000 + pairCount * 100,
);
