// Whether a stated need is valid, its digest, and whether a contract meets it, in any thread.

import { hash } from 'node:crypto';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import type { ExaminedNeed, StatedNeed } from '../core/need.ts';
import { digestText, findUnmet, knownFields, makeNeed } from '../core/needs/make-need.ts';
import type { NeedExamination } from '../registry/ports.ts';
import { checkSchema } from './check-schema.ts';

export function examineNeed(question: NeedExamination, stepBudget: number): Outcome<ExaminedNeed> {
  const { contract } = question;
  const made =
    'need' in question
      ? { ok: true as const, need: question.need }
      : makeNeed(statedOf(question), contract);
  if (!made.ok) return refuse(made.problem.code, made.problem.message, { field: 'needs' });
  const { need } = made;
  const valid = checkSchema(need.schema, need.dialect);
  if (!valid.ok) return { ok: false, failure: { ...valid.failure, field: 'needs' } };
  const digest = hash('sha256', digestText(need));
  return accept({ need, digest, unmet: findUnmet(need, contract, { stepBudget }) });
}

type Stated = Extract<NeedExamination, { readonly stated: StatedNeed }>;

function statedOf({ stated, leavesOut, contract }: Stated): StatedNeed {
  if (!leavesOut || !('fields' in stated)) return stated;
  return { ...stated, fields: knownFields(contract, stated.fields) };
}
