import { expect, test } from 'vitest';
import * as rule from '../../../src/core/decide/asking.ts';
import { askingMutants } from './asking-mutants.ts';
import { breachOfAsking } from './breach-of-asking.ts';
import { loadAsking } from './load-engine.ts';

test('whom a change asks is as docs/asking.md says', () => {
  expect(breachOfAsking(rule)).toBeNull();
});

test.each(askingMutants.map((mutant) => [mutant.family, mutant] as const))(
  'the cases of asking find the mutant %s',
  async (_family, mutant) => {
    expect(breachOfAsking(await loadAsking(mutant))).not.toBeNull();
  },
);
