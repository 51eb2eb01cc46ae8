import { expect, test } from 'vitest';
import { breachOfEdit, type Compare, knownEdit } from '../diff/support/known-edits.ts';
import { diffMutants } from './diff-mutants.ts';
import { loadDiff } from './load-engine.ts';

/** Most are found within a hundred. */
const maxEdits = 3_000;

/** The edit with which a broken diff was found out. */
function findOut(compare: Compare): string | null {
  for (let seed = 0; seed < maxEdits; seed++) {
    const edit = knownEdit(seed);
    const breach = breachOfEdit(compare, edit);
    if (breach !== null) return `${edit.name}: ${breach}`;
  }
  return null;
}

test('every part of the diff has two mutants or more', () => {
  const parts = Map.groupBy(diffMutants, ({ family }) => family.split(':')[0]);
  const few = [...parts].filter(([, mutants]) => mutants.length < 2).map(([part]) => part);
  expect(few).toEqual([]);
});

const isAsked = process.env.LARGE_TESTS === 'true';

test.runIf(isAsked).each(diffMutants.map((mutant) => [mutant.family, mutant] as const))(
  'known edits find the mutant %s',
  async (_family, mutant) => {
    expect(findOut(await loadDiff(mutant))).not.toBeNull();
  },
  300_000,
);
