// The thread pool in front of the engine. Requests are served while schemas are compared, and a
// comparison that never ends costs only its own thread.

import type { Comparison } from '../core/comparison.ts';
import { accept, refuse } from '../core/failure.ts';
import type { ConsumerVerdict } from '../core/need.ts';
import type { ContractFields } from '../core/needs/list-fields.ts';
import { parseJson } from '../core/value/json.ts';
import { isOutOfMemory, openThreadPool, type ThreadFigures } from '../ops/threads/thread-pool.ts';
import type { Engine } from '../registry/ports.ts';

interface ComparePoolOptions {
  readonly workers: number;
  readonly stepBudget: number;
  /** A task that takes more processor time loses its thread, and its answer is undecided. */
  readonly taskLimitMs?: number;
  /** A task that exceeds this memory loses its thread, too. */
  readonly heapBytes?: number;
  /** Tasks that may wait; one more is refused. */
  readonly queueLimit?: number;
  /** Starts threads only when needed, for processes that may never compare. */
  readonly isLazy?: boolean;
  /**
   * Returns the current caller: the tasks of one caller take at most half of the threads and of the
   * queue.
   */
  readonly callerOf?: () => string;
}

interface ComparePool extends Engine {
  readonly figures: () => ThreadFigures;
  readonly stop: () => Promise<void>;
}

export interface Asked {
  readonly question: Question;
  readonly text: string;
}

export type Question =
  | 'compare'
  | 'compareMany'
  | 'check'
  | 'examine'
  | 'examineNeed'
  | 'findVerdicts'
  | 'listFields'
  | 'checkValues';

/** The limit by the clock, for a busy machine, and for a thread that waits for ever. */
const clockPerProcessor = 3;
/** The step budget ends a comparison in well under a second; this limit is for everything else. */
const defaultTaskLimitMs = 10_000;
/** The step budget keeps a thread below half of it; this limit is for everything else. */
const defaultHeapBytes = 512 * 1024 * 1024;
/** Ten seconds of work for two threads at 20 ms each. */
const defaultQueueLimit = 1_000;
const answerDepthLimit = 700;

export function startComparePool(options: ComparePoolOptions): ComparePool {
  const { taskLimitMs = defaultTaskLimitMs, queueLimit = defaultQueueLimit, callerOf } = options;
  const pool = openThreadPool({
    entry: new URL('./compare-worker.ts', import.meta.url),
    workerData: { stepBudget: options.stepBudget },
    threads: options.workers,
    tasks: 'comparisons',
    heapBytes: options.heapBytes ?? defaultHeapBytes,
    queueLimit,
    ...(callerOf !== undefined && {
      shareOfOne: { threads: half(options.workers), queued: half(queueLimit) },
    }),
    hires: options.isLazy === true ? 'when_needed' : 'at_once',
  });

  const ask = async (question: Question, asked: unknown): Promise<unknown> => {
    const message: Asked = { question, text: JSON.stringify(asked) };
    const limits = {
      limitMs: taskLimitMs,
      clockLimitMs: clockPerProcessor * taskLimitMs,
      ...(callerOf && { caller: callerOf() }),
    };
    const answered = await pool.ask(message, limits).catch((error: unknown) => {
      if (isOutOfMemory(error)) return 'too_much' as const;
      throw error;
    });
    if (answered === 'late') return new GivenUp(`it took more than ${taskLimitMs / 1000} seconds`);
    if (answered === 'too_much') return new GivenUp('it exceeded the memory limit');
    return readAnswer(String(answered.answer));
  };

  const checkSchema: Engine['checkSchema'] = async (schema, dialect) => {
    const answer = await ask('check', { schema, dialect });
    if (!(answer instanceof GivenUp)) return answer as Awaited<ReturnType<Engine['checkSchema']>>;
    const message = `The schema could not be checked: ${answer.reason}. Simplify the schema.`;
    return refuse('SCHEMA_TOO_LARGE', message);
  };

  const compareOne: Engine['compare'] = async (old, next, more = {}) => {
    const answer = await ask('compare', { old, next, options: more });
    // The cast is safe: the worker and this file are compiled together.
    return answer instanceof GivenUp ? undecided(answer) : (answer as Comparison);
  };

  return {
    checkSchema,
    examine: async (question) => {
      const answer = await ask('examine', question);
      if (!(answer instanceof GivenUp)) return answer as Awaited<ReturnType<Engine['examine']>>;
      const { schema, dialect } = question.next;
      const checked = await checkSchema(schema, dialect);
      if (!checked.ok) return checked;
      const comparison = question.old === null ? null : undecided(answer);
      return accept({ ...checked.value, comparison });
    },
    examineNeed: async (question) => {
      const answer = await ask('examineNeed', question);
      if (!(answer instanceof GivenUp)) {
        return answer as Awaited<ReturnType<Engine['examineNeed']>>;
      }
      const message = `The need could not be examined: ${answer.reason}. State fewer fields, or a simpler schema.`;
      return refuse('SCHEMA_TOO_LARGE', message, { field: 'needs' });
    },
    findVerdicts: async (question) => {
      const answer = await ask('findVerdicts', question);
      if (!(answer instanceof GivenUp)) return answer as readonly ConsumerVerdict[];
      const reason = `The comparison was stopped: ${answer.reason}.`;
      return question.needs.map(() => ({ verdict: 'may_break', reason }));
    },
    listFields: async (question) => {
      const answer = await ask('listFields', question);
      return answer instanceof GivenUp ? { fields: [], isCut: true } : (answer as ContractFields);
    },
    checkValues: async (question) => {
      const answer = await ask('checkValues', question);
      if (!(answer instanceof GivenUp)) return answer as Awaited<ReturnType<Engine['checkValues']>>;
      const message = `The values could not be checked: ${answer.reason}. Send fewer values at once.`;
      return refuse('PAYLOAD_TOO_LARGE', message, { field: 'values' });
    },
    compare: compareOne,
    compareMany: async (tasks) => {
      const answer = await ask('compareMany', tasks);
      if (!(answer instanceof GivenUp)) return answer as readonly Comparison[];
      // One of them used up the others' time or memory, so each is repeated separately.
      return Promise.all(
        tasks.map(({ old, next, guaranteeMode }) => compareOne(old, next, { guaranteeMode })),
      );
    },
    figures: pool.figures,
    stop: pool.stop,
  };
}

/** Rounded up: one thread is shared by all, and of two, one is left to others. */
function half(count: number): number {
  return Math.ceil(count / 2);
}

function readAnswer(text: string): unknown {
  const parsed = parseJson(text, answerDepthLimit);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

/** A task that lost its thread. */
class GivenUp {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Undecided counts as breaking, so consumers are asked. */
function undecided({ reason }: GivenUp): Comparison {
  const description = `The comparison was stopped: ${reason}. Breaking changes cannot be ruled out.`;
  return {
    changes: [{ type: 'compatibility_undecided', path: '$', description, breaking: true }],
    isBreaking: true,
    breaksBackward: true,
    bump: 'major',
    bumpReason: description,
    undecidedCount: 1,
    steps: 0,
  };
}
