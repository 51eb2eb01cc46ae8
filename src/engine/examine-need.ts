// Whether a stated need is valid, its digest, and whether a contract meets it, in any thread.

import { hash } from 'node:crypto';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import { type ExaminedNeed, needKey } from '../core/need.ts';
import { findUnmet, makeNeed } from '../core/needs/make-need.ts';
import type { NeedExamination } from '../registry/ports.ts';
import { checkSchema } from './check-schema.ts';

export function examineNeed(question: NeedExamination, stepBudget: number): Outcome<ExaminedNeed> {
  const { contract } = question;
  const made =
    'need' in question
      ? { ok: true as const, need: question.need }
      : makeNeed(question.stated, contract);
  if (!made.ok) return refuse(made.problem.code, made.problem.message, { field: 'needs' });
  const { need } = made;
  const valid = checkSchema(need.schema, need.dialect);
  if (!valid.ok) return { ok: false, failure: { ...valid.failure, field: 'needs' } };
  const digest = hash('sha256', needKey(need));
  return accept({ need, digest, unmet: findUnmet(need, contract, { stepBudget }) });
}
