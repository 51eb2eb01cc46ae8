// Runs the engine in a thread. Messages are JSON text, so that numbers past 2^53 stay exact.

import { parentPort, workerData } from 'node:worker_threads';
import type { CompareOptions, Comparison, ContractTerms } from '../core/comparison.ts';
import { compare } from '../core/diff/compare.ts';
import type { Outcome } from '../core/failure.ts';
import type { ConsumerVerdict, ExaminedNeed } from '../core/need.ts';
import { findVerdicts } from '../core/needs/find-verdicts.ts';
import { type ContractFields, listFields } from '../core/needs/list-fields.ts';
import type { Dialect } from '../core/schema/dialects.ts';
import { type Json, parseJson } from '../core/value/json.ts';
import type { FromThread } from '../ops/threads/thread-pool.ts';
import type {
  CheckedSchema,
  ComparisonQuestion,
  Examination,
  Examined,
  FieldsQuestion,
  HeldValue,
  NeedExamination,
  ValuesQuestion,
  VerdictQuestion,
} from '../registry/ports.ts';
import { checkValues } from './check-values.ts';
import type { Asked, Question } from './compare-pool.ts';
import { check, examine } from './examine.ts';
import { examineNeed } from './examine-need.ts';

/** A message contains both sides of a comparison, each as deep as a schema may be. */
const messageDepthLimit = 600;

const { stepBudget } = workerData as { readonly stepBudget: number };

parentPort?.on('message', (asked: Asked) => {
  parentPort?.postMessage(answer(asked));
});

function answer({ question, text }: Asked): FromThread {
  try {
    const parsed = parseJson(text, messageDepthLimit);
    if (!parsed.ok) throw new Error(parsed.message);
    return { kind: 'answer', answer: JSON.stringify(answers[question](parsed.value)) };
  } catch (error) {
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind: 'error', error: told };
  }
}

const answers: Readonly<Record<Question, (asked: Json) => unknown>> = {
  compare: compared,
  compareMany: comparedMany,
  check: checked,
  examine: examined,
  examineNeed: examinedNeed,
  findVerdicts: foundVerdicts,
  listFields: listedFields,
  checkValues: checkedValues,
};

function compared(asked: Json): Comparison {
  // The cast is safe: the pool in this process wrote the message, and both ends are compiled
  // together.
  const { old, next, options } = asked as unknown as {
    readonly old: ContractTerms;
    readonly next: ContractTerms;
    readonly options: CompareOptions;
  };
  return compare(old, next, { stepBudget, ...options });
}

function comparedMany(asked: Json): readonly Comparison[] {
  const tasks = asked as unknown as readonly ComparisonQuestion[];
  return tasks.map(({ old, next, guaranteeMode }) =>
    compare(old, next, { stepBudget, guaranteeMode }),
  );
}

function checked(asked: Json): Outcome<CheckedSchema> {
  const { schema, dialect } = asked as unknown as {
    readonly schema: Json;
    readonly dialect?: Dialect;
  };
  return check(schema, dialect);
}

function examined(asked: Json): Outcome<Examined> {
  return examine(asked as unknown as Examination, stepBudget);
}

function examinedNeed(asked: Json): Outcome<ExaminedNeed> {
  return examineNeed(asked as unknown as NeedExamination, stepBudget);
}

function listedFields(asked: Json): ContractFields {
  const { contract, needs } = asked as unknown as FieldsQuestion;
  return listFields(contract, needs);
}

function checkedValues(asked: Json): Outcome<readonly HeldValue[]> {
  return checkValues(asked as unknown as ValuesQuestion);
}

function foundVerdicts(asked: Json): readonly ConsumerVerdict[] {
  const { needs, ...change } = asked as unknown as VerdictQuestion;
  return findVerdicts(change, needs, { stepBudget });
}
