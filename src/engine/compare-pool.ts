// The worker pool in front of the engine: requests go on being served while schemas are compared,
// and a comparison that never ends takes its thread with it, nothing else.

import type { Comparison } from '../core/comparison.ts';
import { accept, refuse } from '../core/failure.ts';
import { parseJson } from '../core/value/json.ts';
import { isOutOfMemory, openThreadPool, type ThreadFigures } from '../ops/threads/thread-pool.ts';
import type { Engine } from '../registry/ports.ts';

interface ComparePoolOptions {
  readonly workers: number;
  readonly stepBudget: number;
  /** A task that takes more of a processor loses its thread, and is answered as undecided. */
  readonly taskLimitMs?: number;
  /** A task that wants more memory loses its thread too. */
  readonly heapBytes?: number;
  /** Tasks that may wait; one more is refused. */
  readonly queueLimit?: number;
  /** Threads come as they are needed: for who may never ask. */
  readonly isLazy?: boolean;
  /** Where many ask: nobody's questions take up more than half of the threads and of the queue. */
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

export type Question = 'compare' | 'compareMany' | 'check' | 'examine';

/** By the clock, for a machine that has much else to do, and for a thread that waits for ever. */
const clockPerProcessor = 3;
/** The step budget ends a comparison in well under a second; this is for what it cannot see. */
const defaultTaskLimitMs = 10_000;
/** The step budget keeps a thread under half of it; this is for what it cannot see. */
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
    // The worker's answer, compiled together with this file.
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
    compare: compareOne,
    compareMany: async (tasks) => {
      const answer = await ask('compareMany', tasks);
      if (!(answer instanceof GivenUp)) return answer as readonly Comparison[];
      // One of them took the others' time or memory: each gets its own.
      return Promise.all(
        tasks.map(({ old, next, guaranteeMode }) => compareOne(old, next, { guaranteeMode })),
      );
    },
    figures: pool.figures,
    stop: pool.stop,
  };
}

/** Rounded up: of one thread it is the whole, of two it leaves one to the others. */
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

/** Undecided counts as breaking: who cannot tell asks the consumers. */
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
