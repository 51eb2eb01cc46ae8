import { describe, expect, test } from 'vitest';
import { breachOfNeeds } from './breach-of-needs.ts';
import { loadNeeds } from './load-engine.ts';
import { needsMutants } from './needs-mutants.ts';

/** `make mutants` and `make verify` run it. */
const isAsked = process.env.LARGE_TESTS === 'true';

describe.runIf(isAsked)('The tables and laws of needs', () => {
  test.each(needsMutants.map((mutant) => [mutant.family, mutant] as const))(
    'find the mutant %s',
    async (_family, mutant) => {
      expect(breachOfNeeds(await loadNeeds(mutant))).not.toBeNull();
    },
  );

  test('the bundled answers without a change break none of them', async () => {
    const text = 'if (readsNothing(need) || old.direction !== next.direction) return [];';
    const engine = await loadNeeds({ file: 'needs/find-verdicts.ts', from: text, to: text });
    expect(breachOfNeeds(engine)).toBeNull();
  });
});
