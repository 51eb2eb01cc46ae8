// Answers small questions on the serving thread, because writing one down, waking a thread and
// reading its answer costs more than most answers. Questions that are not small, or not settled in
// a few steps, go to the threads, so no request waits long for another's comparison.

import type { Comparison } from '../core/comparison.ts';
import { compare } from '../core/diff/compare.ts';
import type { Outcome } from '../core/failure.ts';
import type { Dialect } from '../core/schema/dialects.ts';
import { dialectOf } from '../core/schema/keywords.ts';
import type { Json } from '../core/value/json.ts';
import type { ComparisonQuestion, Engine, Examination, Examined } from '../registry/ports.ts';
import { learnMetaschema } from './check-schema.ts';
import { examine } from './examine.ts';

/**
 * The size of both schemas and their guarantees: checking and serializing this much takes some 0.1
 * ms.
 */
const weightLimit = 8_192;
/** About a millisecond, twice as long as questions that are settled here. */
const stepBudget = 1_000;
/** Keywords that need automata, whose cost is not counted in steps. */
const heavyWords: ReadonlySet<string> = new Set(['pattern', 'patternProperties']);

/** Called with the CPU seconds that each answer took on the serving thread. */
export function answerSmallHere(engine: Engine, onAnswered: (seconds: number) => void): Engine {
  const known = new Set<Dialect>();
  /** Runs after an answer, so that nobody waits for it: once for each dialect in use. */
  const learn = (dialect: Dialect) => {
    setImmediate(() => {
      learnMetaschema(dialect);
      known.add(dialect);
    });
  };
  return {
    ...engine,
    examine: async (question) => {
      const { schema, dialect } = question.next;
      const spoken = dialectOf(schema, dialect);
      if (!isSmall(question)) return engine.examine(question);
      const answer = known.has(spoken) ? tryHere(question, onAnswered) : null;
      if (answer !== null) return answer;
      const examined = await engine.examine(question);
      if (!known.has(spoken)) learn(spoken);
      return examined;
    },
  };
}

/**
 * Answers the small ones of many comparisons itself, where nobody else is served: in the thread of
 * an import, a thread for them would first have to be started.
 */
export function compareSmallHere(engine: Engine): Engine {
  return {
    ...engine,
    compareMany: async (tasks) => {
      const here = tasks.map((task) => (isSmall(task) ? compareHere(task) : null));
      const open = tasks.filter((_task, at) => here[at] === null);
      const asked = (open.length === 0 ? [] : await engine.compareMany(open)).values();
      return here.map((answer) => answer ?? nextOf(asked));
    },
  };
}

/** Null if a thread should answer. */
function compareHere({ old, next, guaranteeMode }: ComparisonQuestion): Comparison | null {
  try {
    const comparison = compare(old, next, { stepBudget, guaranteeMode });
    return isSettled(comparison) ? comparison : null;
  } catch {
    // As in tryHere: a question that cannot be answered here goes to a thread, which reports
    // problems.
    return null;
  }
}

function nextOf(answers: Iterator<Comparison, undefined>): Comparison {
  const { value } = answers.next();
  if (value === undefined) throw new Error('The engine left a comparison unanswered.');
  return value;
}

/** Null if a thread should answer. */
function tryHere(
  question: Examination,
  onAnswered: (seconds: number) => void,
): Outcome<Examined> | null {
  const before = process.threadCpuUsage();
  try {
    const examined = examine(question, stepBudget);
    return isAnswered(examined) ? examined : null;
  } catch {
    // The stack overflowed, for example: threads have a larger one. A bug occurs there again and is
    // reported.
    return null;
  } finally {
    const { user, system } = process.threadCpuUsage(before);
    onAnswered((user + system) / 1e6);
  }
}

function isAnswered(examined: Outcome<Examined>): boolean {
  if (!examined.ok || examined.value.comparison === null) return true;
  return isSettled(examined.value.comparison);
}

/** Near the end of the budget, a thread might find a witness that this run did not. */
function isSettled({ undecidedCount, steps }: Comparison): boolean {
  return undecidedCount === 0 && steps < stepBudget / 2;
}

function isSmall({ old, next }: Pick<Examination, 'old' | 'next'>): boolean {
  const parts = [next.schema, next.guarantees, old?.schema ?? null, old?.guarantees ?? null];
  let left = weightLimit;
  for (const part of parts) left = lighten(part as Json, left);
  return left > 0;
}

/** The rest of the weight limit. Stops at the first part that exceeds it. */
function lighten(value: Json, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left - 4;
  let rest = left - 2;
  for (const [key, each] of Object.entries(value)) {
    if (rest <= 0 || heavyWords.has(key)) return 0;
    rest = lighten(each as Json, rest - key.length - 4);
  }
  return rest;
}
