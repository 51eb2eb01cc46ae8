// The long tests load each mutant. This one says at once which of them lost their place when code moved.

import { expect, test } from 'vitest';
import { askingMutants } from './asking-mutants.ts';
import { checkMutants } from './check-mutants.ts';
import { dialectMutants } from './dialect-mutants.ts';
import { diffMutants } from './diff-mutants.ts';
import { digestMutant, keptFieldMutants } from './kept-field-mutants.ts';
import { readUnchanged } from './load-engine.ts';
import { memoryMutants } from './memory-mutants.ts';
import { mutants } from './mutants.ts';
import { needsMutants } from './needs-mutants.ts';

test.each(
  [
    ...[...mutants, ...memoryMutants, ...keptFieldMutants, digestMutant],
    ...[...diffMutants, ...needsMutants, ...askingMutants, ...checkMutants, ...dialectMutants],
  ].map((mutant) => [mutant.family, mutant] as const),
)('the text that the mutant %s changes stands in its file once', (_family, mutant) => {
  expect(readUnchanged(mutant)).toContain(mutant.from);
});
