// The worker pool in front of the engine: requests go on being served while schemas are compared,
// and a comparison that never ends takes its thread with it, nothing else.

import { Worker } from 'node:worker_threads';
import type { Comparison } from '../core/diff/diff.types.ts';
import { accept, refuse } from '../core/failure.ts';
import type { ImportKind } from '../core/import/report-kinds.ts';
import { parseJson } from '../core/json.ts';
import type { Engine } from '../registry/ports.ts';
import { RegistryUnavailable } from '../registry/unavailable.ts';

export interface ComparePoolOptions {
  readonly workers: number;
  readonly stepBudget: number;
  /** A task that takes longer loses its thread, and is answered as undecided. */
  readonly taskLimitMs?: number;
  /** Tasks that may wait; one more is refused. */
  readonly queueLimit?: number;
}

export interface ComparePool extends Engine {
  readonly stop: () => Promise<void>;
}

export interface Asked {
  readonly id: number;
  readonly question: Question;
  readonly text: string;
}

/** The body of an import goes over as it came: a thread of its own reads its text. */
export interface AskedToRead {
  readonly id: number;
  readonly question: 'read';
  readonly kind: ImportKind;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type Question = 'compare' | 'compareMany' | 'check' | 'examine';

export type Answered =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly error: string };

/** The step budget ends a comparison in well under a second; this is for what it cannot see. */
const defaultTaskLimitMs = 10_000;
/** Ten seconds of work for two threads at 20 ms each. */
const defaultQueueLimit = 1_000;
const answerDepthLimit = 700;

/** 128 MiB of a manifest take some ten seconds; a small machine takes its time. */
const readLimitMs = 120_000;

interface Task {
  readonly message: Asked | AskedToRead;
  readonly limitMs: number;
  readonly settle: (answer: Answered | 'late') => void;
  readonly fail: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  task: Task | null;
  timer: NodeJS.Timeout | null;
}

export function startComparePool(options: ComparePoolOptions): ComparePool {
  const { taskLimitMs = defaultTaskLimitMs, queueLimit = defaultQueueLimit } = options;
  const threads = new Set<Thread>();
  const queue: Task[] = [];
  let lastId = 0;
  let isStopped = false;

  const hire = (): void => {
    const worker = new Worker(new URL('./compare-worker.ts', import.meta.url), {
      workerData: { stepBudget: options.stepBudget },
    });
    const thread: Thread = { worker, task: null, timer: null };
    threads.add(thread);
    // The process may end while threads idle: stop() is for those who care.
    worker.unref();
    worker.on('message', (answer: Answered) => release(thread, (task) => task.settle(answer)));
    worker.on('error', (error: Error) => dismiss(thread, (task) => task.fail(error)));
    worker.on('exit', () => {
      dismiss(thread, (task) => task.fail(new Error('A comparing thread ended by itself.')));
    });
  };

  const release = (thread: Thread, settle: (task: Task) => void): void => {
    const { task } = thread;
    if (thread.timer !== null) clearTimeout(thread.timer);
    thread.task = null;
    thread.timer = null;
    thread.worker.unref();
    if (task !== null) settle(task);
    assign();
  };

  const dismiss = (thread: Thread, settle: (task: Task) => void): void => {
    if (!threads.delete(thread)) return;
    void thread.worker.terminate();
    if (!isStopped) hire();
    release(thread, settle);
  };

  const assign = (): void => {
    for (const thread of threads) {
      if (thread.task !== null) continue;
      const task = queue.shift();
      if (task === undefined) return;
      thread.task = task;
      thread.timer = setTimeout(() => dismiss(thread, (late) => late.settle('late')), task.limitMs);
      thread.worker.ref();
      const { message } = task;
      // Given away, not copied.
      thread.worker.postMessage(message, message.question === 'read' ? [message.bytes.buffer] : []);
    }
  };

  const ask = (question: Question, asked: unknown, limitMs = taskLimitMs): Promise<unknown> =>
    send({ id: ++lastId, question, text: JSON.stringify(asked) }, limitMs);

  const send = (message: Task['message'], limitMs: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isStopped || queue.length >= queueLimit) {
        reject(new RegistryUnavailable(new Error(`${queue.length} comparisons wait already.`)));
        return;
      }
      queue.push({
        message,
        limitMs,
        settle: (answer) => {
          if (answer === 'late') resolve('late');
          else if ('text' in answer) resolve(readAnswer(answer.text));
          else reject(new Error(`The engine failed: ${answer.error}`));
        },
        fail: reject,
      });
      assign();
    });

  for (let count = 0; count < options.workers; count++) hire();

  const checkSchema: Engine['checkSchema'] = async (schema, dialect) => {
    const answer = await ask('check', { schema, dialect });
    if (answer !== 'late') return answer as Awaited<ReturnType<Engine['checkSchema']>>;
    return refuse('SCHEMA_TOO_LARGE', 'Checking the schema took too long. Make it simpler.');
  };

  const compareOne: Engine['compare'] = async (old, next, more = {}) => {
    const answer = await ask('compare', { old, next, options: more });
    // The worker's answer, compiled together with this file.
    return answer === 'late' ? undecided(taskLimitMs) : (answer as Comparison);
  };

  return {
    checkSchema,
    examine: async (question) => {
      const answer = await ask('examine', question);
      if (answer !== 'late') return answer as Awaited<ReturnType<Engine['examine']>>;
      const { schema, dialect } = question.next;
      const checked = await checkSchema(schema, dialect);
      if (!checked.ok) return checked;
      const comparison = question.old === null ? null : undecided(taskLimitMs);
      return accept({ ...checked.value, comparison });
    },
    compare: compareOne,
    compareMany: async (tasks) => {
      const answer = await ask('compareMany', tasks);
      if (answer !== 'late') return answer as readonly Comparison[];
      // One of them took the others' time: each gets its own.
      return Promise.all(
        tasks.map(({ old, next, guaranteeMode }) => compareOne(old, next, { guaranteeMode })),
      );
    },
    readDocument: async (kind, bytes) => {
      const answer = await send({ id: ++lastId, question: 'read', kind, bytes }, readLimitMs);
      if (answer !== 'late') return answer as Awaited<ReturnType<Engine['readDocument']>>;
      return refuse('PAYLOAD_TOO_LARGE', 'Reading the document took too long. Split it.');
    },
    stop: async () => {
      isStopped = true;
      for (const task of queue.splice(0)) task.fail(new RegistryUnavailable('stopped'));
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

function readAnswer(text: string): unknown {
  const parsed = parseJson(text, answerDepthLimit);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

/** Undecided counts as breaking: who cannot tell asks the consumers. */
function undecided(taskLimitMs: number): Comparison {
  const description = `The comparison was given up after ${taskLimitMs / 1000} seconds, so it cannot be said that nothing breaks.`;
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
