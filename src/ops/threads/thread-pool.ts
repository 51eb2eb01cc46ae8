// Threads in front of work that would hold up every request: a queue, a limit for each task, and a
// thread that is replaced when its task is late, is called off, or breaks it.

import { Worker } from 'node:worker_threads';
import { RegistryUnavailable } from '../../core/unavailable.ts';
import { openFairQueue } from './fair-queue.ts';

interface ThreadPoolOptions {
  readonly entry: URL;
  readonly workerData: unknown;
  readonly threads: number;
  /** The name of the tasks in messages about a full queue, such as `imports`. */
  readonly tasks?: string;
  /** Tasks that may wait; one more is refused. */
  readonly queueLimit: number;
  /** The limits for the tasks of one caller; by default, the whole pool. */
  readonly shareOfOne?: { readonly threads: number; readonly queued: number };
  /** `at_once` has every thread ready from the start; `when_needed` hires as tasks come. */
  readonly hires: 'at_once' | 'when_needed';
  /** The most that a thread may hold; one that wants more is ended, and its task fails. */
  readonly heapBytes?: number;
  /** Called with the notes of a thread. */
  readonly onNote?: (note: unknown) => void;
}

interface TaskOptions {
  readonly limitMs: number;
  /**
   * Where it is said, this is the limit by the clock, and the other one of the thread's processor.
   */
  readonly clockLimitMs?: number;
  /** Whose share it takes. */
  readonly caller?: string;
  /** Given away, not copied: nobody may look at them afterwards. */
  readonly transfer?: readonly ArrayBuffer[];
  /** Takes the thread with it: whatever it was doing is undone. */
  readonly signal?: AbortSignal;
  /**
   * One of these at a time; afterwards the thread is let go, and the next one waits until its
   * memory is free.
   */
  readonly isLarge?: boolean;
}

interface ThreadPool {
  /** The result of the thread; `late` if it was stopped. */
  readonly ask: (message: unknown, options: TaskOptions) => Promise<Answered>;
  /**
   * Has an idle thread ready from then on, while there may be one more: loading it is not the next
   * caller's to wait for.
   */
  readonly stayReady: () => void;
  readonly figures: () => ThreadFigures;
  readonly stop: () => Promise<void>;
}

/** The present state of a pool. */
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

/** The task was called off by who asked. */
export class TaskCalledOff extends Error {
  override name = 'TaskCalledOff';
}

/** The queue is full: nothing is broken, there are only too many tasks at once. */
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
  /** Threads that were let go and still hold their memory. */
  let leaving = 0;

  const hire = (): Thread => {
    const worker = new Worker(options.entry, {
      workerData: options.workerData,
      ...(options.heapBytes !== undefined && { resourceLimits: heapOf(options.heapBytes) }),
    });
    const thread: Thread = { worker, task: null, timers: [] };
    threads.add(thread);
    // The process may end while threads idle: stop() is for those who care.
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
   * A machine that is busy gives a thread less than a processor, which is no fault of its task. What it
   * used is first asked when half of the limit is over, so that it costs a quick task nothing.
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

/** Of its whole life; of a thread that has just ended there is nothing to say. */
async function processorMsOf(worker: Worker): Promise<number> {
  const used = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (used.user + used.system) / 1000;
}

function heapOf(bytes: number): { readonly maxOldGenerationSizeMb: number } {
  return { maxOldGenerationSizeMb: Math.ceil(bytes / 2 ** 20) };
}

/** Whether a thread was ended because its task wanted more memory than it may hold. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
