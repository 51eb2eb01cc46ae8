// Edits of which the page on compatibility says what they are: each is told, breaks where it has to, and
// moves the version. EDITS asks for more of them.

import { expect, test } from 'vitest';
import { compare } from '../../../src/core/diff/compare.ts';
import { breachOfEdit, knownEdit } from './support/known-edits.ts';

const count = Number(process.env.EDITS ?? 1_000);

test('an edit is told where it stands, and breaks exactly where its mode and direction say', () => {
  for (let seed = 0; seed < count; seed++) {
    const edit = knownEdit(seed);
    const breach = breachOfEdit(compare, edit);
    expect({ seed, edit, breach }).toEqual({ seed, edit, breach: null });
  }
});
