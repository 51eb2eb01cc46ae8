// Threads for work that would delay every request: a queue, limits for each task, and a replacement
// for a thread whose task is late, is cancelled, or breaks it.

import { Worker } from 'node:worker_threads';
import { RegistryUnavailable } from '../../core/unavailable.ts';
import { openFairQueue } from './fair-queue.ts';

interface ThreadPoolOptions {
  readonly entry: URL;
  readonly workerData: unknown;
  readonly threads: number;
  /** The name of the tasks in messages about a full queue, such as `imports`. */
  readonly tasks?: string;
  /** The number of tasks that may wait; one more is refused. */
  readonly queueLimit: number;
  /** The limits for the tasks of one caller; by default, the whole pool. */
  readonly shareOfOne?: { readonly threads: number; readonly queued: number };
  /** `at_once` starts every thread at the beginning; `when_needed` starts them as tasks arrive. */
  readonly hires: 'at_once' | 'when_needed';
  /** The heap limit of a thread. A thread that exceeds it ends, and its task fails. */
  readonly heapBytes?: number;
  /** Called with the notes of a thread. */
  readonly onNote?: (note: unknown) => void;
}

interface TaskOptions {
  readonly limitMs: number;
  /**
   * If set, this is the limit by the clock, and the other one limits the thread's processor time.
   */
  readonly clockLimitMs?: number;
  /** The caller whose share the task counts for. */
  readonly caller?: string;
  /** Transferred, not copied, so the sender can no longer use them. */
  readonly transfer?: readonly ArrayBuffer[];
  /** Ends the thread as well, which undoes whatever it was doing. */
  readonly signal?: AbortSignal;
  /**
   * Only one such task runs at a time. Afterwards its thread ends, and the next one waits until the
   * memory is free.
   */
  readonly isLarge?: boolean;
}

interface ThreadPool {
  /** The result of the thread; `late` if it was stopped. */
  readonly ask: (message: unknown, options: TaskOptions) => Promise<Answered>;
  /**
   * From now on keeps an idle thread ready, up to the maximum, so that callers do not wait for it
   * to load.
   */
  readonly stayReady: () => void;
  readonly figures: () => ThreadFigures;
  readonly stop: () => Promise<void>;
}

/** The current state of a pool. */
export interface ThreadFigures {
  readonly busy: number;
  readonly idle: number;
  readonly queued: number;
}

type Answered = { readonly answer: unknown } | 'late';

/** The messages of a thread: one result or error for each task, and notes in between. */
export type FromThread =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'error'; readonly error: string }
  | { readonly kind: 'note'; readonly note: unknown };

/** The caller cancelled the task. */
export class TaskCalledOff extends Error {
  override name = 'TaskCalledOff';
}

/** The queue is full. Nothing is broken; there are only too many tasks at once. */
export class QueueFull extends RegistryUnavailable {
  override name = 'QueueFull';

  constructor(waiting: number, tasks: string) {
    super('a full queue', `The queue for ${tasks} is full: ${waiting} are waiting.`);
  }
}

interface Task {
  readonly message: unknown;
  readonly caller: string;
  readonly options: TaskOptions;
  readonly settle: (answered: Answered) => void;
  readonly fail: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  task: Task | null;
  timers: NodeJS.Timeout[];
}

export function openThreadPool(options: ThreadPoolOptions): ThreadPool {
  const threads = new Set<Thread>();
  const queue = openFairQueue<Task>();
  const { threads: threadsOfOne, queued: queuedOfOne } = options.shareOfOne ?? {
    threads: options.threads,
    queued: options.queueLimit,
  };
  let isStopped = false;
  let isReady = false;
  /** Ended threads that still hold their memory. */
  let leaving = 0;

  const hire = (): Thread => {
    const worker = new Worker(options.entry, {
      workerData: options.workerData,
      ...(options.heapBytes !== undefined && { resourceLimits: heapOf(options.heapBytes) }),
    });
    const thread: Thread = { worker, task: null, timers: [] };
    threads.add(thread);
    // Idle threads do not keep the process alive; use stop() to end them properly.
    worker.unref();
    worker.on('message', (said: FromThread) => {
      if (said.kind === 'note') options.onNote?.(said.note);
      else if (said.kind === 'answer') release(thread, (task) => task.settle(said));
      else release(thread, (task) => task.fail(new Error(`A thread failed: ${said.error}`)));
    });
    worker.on('error', (error: Error) => dismiss(thread, (task) => task.fail(error)));
    worker.on('exit', () => {
      dismiss(thread, (task) => task.fail(new Error('A thread ended by itself.')));
    });
    return thread;
  };

  const release = (thread: Thread, settle: (task: Task) => void): void => {
    const { task } = thread;
    for (const timer of thread.timers) clearTimeout(timer);
    thread.task = null;
    thread.timers = [];
    thread.worker.unref();
    if (task?.options.isLarge === true) letGo(thread);
    if (task !== null) settle(task);
    assign();
  };

  const letGo = (thread: Thread): void => {
    if (!threads.delete(thread)) return;
    leaving++;
    void thread.worker.terminate().finally(() => {
      leaving--;
      assign();
    });
    if (isStopped) return;
    if (options.hires === 'at_once') hire();
    else if (isReady) keepSpare();
  };

  const dismiss = (thread: Thread, settle: (task: Task) => void): void => {
    if (!threads.has(thread)) return;
    letGo(thread);
    release(thread, settle);
  };

  const giveUp = (thread: Thread): void => dismiss(thread, (task) => task.settle('late'));

  /**
   * On a busy machine a thread gets less than a processor, through no fault of its task. Its
   * processor time is checked only after half of the limit, so quick tasks pay nothing.
   */
  const watchProcessor = (thread: Thread, task: Task): void => {
    const halfMs = task.options.limitMs / 2;
    const look = async (usedAtHalfMs: number | null): Promise<void> => {
      const usedMs = await processorMsOf(thread.worker);
      if (thread.task !== task) return;
      const leftMs = halfMs - (usedMs - (usedAtHalfMs ?? usedMs));
      if (leftMs <= 0) giveUp(thread);
      else lookIn(Math.max(leftMs, halfMs / 10), usedAtHalfMs ?? usedMs);
    };
    const lookIn = (waitMs: number, usedAtHalfMs: number | null): void => {
      thread.timers.push(setTimeout(() => void look(usedAtHalfMs), waitMs));
    };
    lookIn(halfMs, null);
  };

  const findIdle = (): Thread | undefined => {
    for (const thread of threads) if (thread.task === null) return thread;
    return threads.size < options.threads ? hire() : undefined;
  };

  const mayBegin = (caller: string, next: Task): boolean => {
    let held = 0;
    if (leaving > 0 && next.options.isLarge === true) return false;
    for (const { task } of threads) {
      if (task?.caller === caller) held++;
      if (task?.options.isLarge === true && next.options.isLarge === true) return false;
    }
    return held < threadsOfOne;
  };

  const assign = (): void => {
    while (queue.size() > 0 && !isStopped) {
      const thread = findIdle();
      const task = thread === undefined ? undefined : queue.take(mayBegin);
      if (thread === undefined || task === undefined) return;
      thread.task = task;
      const { limitMs, clockLimitMs, transfer = [] } = task.options;
      thread.timers = [setTimeout(() => giveUp(thread), clockLimitMs ?? limitMs)];
      if (clockLimitMs !== undefined) watchProcessor(thread, task);
      thread.worker.ref();
      thread.worker.postMessage(task.message, transfer);
      if (isReady) keepSpare();
    }
  };

  const keepSpare = (): void => {
    for (const { task } of threads) if (task === null) return;
    if (threads.size < options.threads) hire();
  };

  const callOff = (task: Task): void => {
    if (queue.remove(task.caller, task)) {
      task.fail(new TaskCalledOff());
      return;
    }
    for (const thread of threads) {
      if (thread.task === task) dismiss(thread, (it) => it.fail(new TaskCalledOff()));
    }
  };

  if (options.hires === 'at_once') for (let i = 0; i < options.threads; i++) hire();

  return {
    ask: (message, taskOptions) =>
      new Promise((resolve, reject) => {
        const { signal, caller = '' } = taskOptions;
        if (isStopped) {
          reject(new RegistryUnavailable('stopped'));
          return;
        }
        const tasks = options.tasks ?? 'tasks';
        if (queue.size() >= options.queueLimit) {
          reject(new QueueFull(queue.size(), tasks));
          return;
        }
        if (queue.sizeOf(caller) >= queuedOfOne) {
          reject(new QueueFull(queue.sizeOf(caller), `${tasks} of one caller`));
          return;
        }
        const task: Task = { message, caller, options: taskOptions, settle: resolve, fail: reject };
        if (signal?.aborted === true) {
          reject(new TaskCalledOff());
          return;
        }
        signal?.addEventListener('abort', () => callOff(task), { once: true });
        queue.add(caller, task);
        assign();
      }),
    stayReady: () => {
      isReady = true;
      if (!isStopped) keepSpare();
    },
    figures: () => {
      const busy = [...threads].filter(({ task }) => task !== null).length;
      return { busy, idle: threads.size - busy, queued: queue.size() };
    },
    stop: async () => {
      isStopped = true;
      const underWay = [...threads].flatMap(({ task }) => task ?? []);
      for (const task of [...underWay, ...queue.takeAll()]) {
        task.fail(new RegistryUnavailable('stopped'));
      }
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

/** The total for the thread's life. A thread that has just ended has no value. */
async function processorMsOf(worker: Worker): Promise<number> {
  const used = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (used.user + used.system) / 1000;
}

function heapOf(bytes: number): { readonly maxOldGenerationSizeMb: number } {
  return { maxOldGenerationSizeMb: Math.ceil(bytes / 2 ** 20) };
}

/** Whether a thread ended because its task exceeded the heap limit. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
