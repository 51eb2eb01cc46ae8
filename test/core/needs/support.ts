import type { ContractTerms } from '../../../src/core/comparison.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import type { ConsumerVerdict, Need, StatedNeed } from '../../../src/core/need.ts';
import { findVerdicts } from '../../../src/core/needs/find-verdicts.ts';
import { makeNeed } from '../../../src/core/needs/make-need.ts';

/** A need that is stated for a contract, whether or not the contract meets it. */
export function needFor(stated: StatedNeed, terms: ContractTerms): Need {
  const made = makeNeed(stated, terms);
  if (!made.ok) throw new Error(made.problem.message);
  return made.need;
}

export function verdictsFor(
  old: ContractTerms,
  next: ContractTerms,
  needs: readonly (Need | null)[],
): readonly ConsumerVerdict[] {
  return findVerdicts({ old, next, comparison: compare(old, next) }, needs);
}

/** The verdict without the sentence that gives the reason. */
export function verdictFor(
  old: ContractTerms,
  next: ContractTerms,
  stated: StatedNeed | null,
): ConsumerVerdict {
  const [found] = verdictsFor(old, next, [stated === null ? null : needFor(stated, old)]);
  if (found === undefined) throw new Error('There is a verdict for each need.');
  const { reason, ...verdict } = found;
  if (found.verdict === 'may_break' && reason === undefined)
    throw new Error('A doubt has a reason.');
  return verdict;
}
