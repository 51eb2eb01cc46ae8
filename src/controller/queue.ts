// The work queue. Each object has one entry, however often it is added, and one worker at a time;
// the delay grows with each failure. Answers come before changes, and changes before resyncs.

import { backoffMs, type Clock } from './clock.ts';

/** `answered` comes first: somebody answered in the registry and expects to see the result here. */
const priorities = ['answered', 'changed', 'resync'] as const;
export type Priority = (typeof priorities)[number];

export type WorkResult =
  | { readonly kind: 'done' }
  /** Runs again after this delay although nothing failed. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly priority?: Priority }
  | { readonly kind: 'failed'; readonly error: unknown };

export const done: WorkResult = { kind: 'done' };

interface QueueOptions {
  readonly clock: Clock;
  /** The number of objects reconciled at the same time. */
  readonly concurrency: number;
  /** An exception counts as `failed`. */
  readonly work: (key: string) => Promise<WorkResult>;
  readonly observe?: (event: QueueEvent) => void;
  readonly backoff?: { readonly firstMs: number; readonly capMs: number };
}

/** For metrics and logs. */
export type QueueEvent =
  | { readonly kind: 'added'; readonly depth: number }
  | { readonly kind: 'started'; readonly key: string; readonly queuedMs: number }
  | {
      readonly kind: 'finished';
      readonly key: string;
      readonly tookMs: number;
      readonly result: WorkResult['kind'];
    }
  | {
      readonly kind: 'retrying';
      readonly key: string;
      readonly failures: number;
      readonly afterMs: number;
      readonly error: unknown;
    };

/**
 * Thirteen doublings of 5 ms reach the cap: an object that keeps failing is tried twice a minute.
 */
const defaultBackoff = { firstMs: 5, capMs: 30_000 };

interface Waiting {
  readonly priority: Priority;
  readonly sinceMs: number;
}

export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #backoff: { readonly firstMs: number; readonly capMs: number };
  /** A Map keeps the order of insertion: the first key has waited longest. */
  readonly #waiting: Readonly<Record<Priority, Map<string, Waiting>>> = {
    answered: new Map(),
    changed: new Map(),
    resync: new Map(),
  };
  readonly #working = new Map<string, Promise<void>>();
  /** Added while being worked on: runs once more as soon as that ends. */
  readonly #againAfterwards = new Map<string, Priority>();
  readonly #delayed = new Map<string, { cancel: () => void; atMs: number }>();
  readonly #failures = new Map<string, number>();
  #state: 'idle' | 'running' | 'stopped' = 'idle';

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? defaultBackoff;
  }

  get depth(): number {
    return priorities.reduce((sum, priority) => sum + this.#waiting[priority].size, 0);
  }

  get activeWorkers(): number {
    return this.#working.size;
  }

  /** The number of objects that wait for a delay, after a failure or on request. */
  get delayed(): number {
    return this.#delayed.size;
  }

  start(): void {
    if (this.#state === 'idle') this.#state = 'running';
    this.#fillWorkers();
  }

  /** Drops waiting objects, and waits for running ones. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    for (const priority of priorities) this.#waiting[priority].clear();
    await Promise.all(this.#working.values());
  }

  /**
   * A change skips the delay of an earlier failure. A resync does not, otherwise resyncs would undo
   * every delay.
   */
  add(key: string, priority: Priority): void {
    if (this.#state === 'stopped') return;
    if (this.#working.has(key)) {
      const before = this.#againAfterwards.get(key);
      if (before === undefined || isAhead(priority, before)) {
        this.#againAfterwards.set(key, priority);
      }
      return;
    }
    if (priority === 'resync' && this.#delayed.has(key)) return;
    const before = priorities.find((held) => this.#waiting[held].has(key));
    if (before !== undefined && !isAhead(priority, before)) return;
    this.#dropDelay(key);
    const held = before === undefined ? undefined : this.#waiting[before].get(key);
    if (before !== undefined) this.#waiting[before].delete(key);
    const sinceMs = held?.sinceMs ?? this.#options.clock.monotonicMs();
    this.#waiting[priority].set(key, { priority, sinceMs });
    this.#options.observe?.({ kind: 'added', depth: this.depth });
    this.#fillWorkers();
  }

  /** Adds the object after the delay, unless it is added, or due, earlier. */
  addAfter(key: string, delayMs: number, priority: Priority = 'changed'): void {
    if (this.#state === 'stopped') return;
    const atMs = this.#options.clock.monotonicMs() + delayMs;
    const earlier = this.#delayed.get(key);
    if (earlier !== undefined && earlier.atMs <= atMs) return;
    this.#dropDelay(key);
    const cancel = this.#options.clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key, priority);
    });
    this.#delayed.set(key, { cancel, atMs });
  }

  /** Clears the failures and the delay of an object that is gone. */
  forget(key: string): void {
    this.#failures.delete(key);
    this.#dropDelay(key);
  }

  #dropDelay(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }

  #fillWorkers(): void {
    while (this.#state === 'running' && this.#working.size < this.#options.concurrency) {
      const next = this.#takeNext();
      if (next === null) return;
      const [key, waiting] = next;
      this.#working.set(key, this.#workOn(key, waiting));
    }
  }

  #takeNext(): readonly [string, Waiting] | null {
    for (const priority of priorities) {
      const next = this.#waiting[priority].entries().next();
      if (next.done) continue;
      this.#waiting[priority].delete(next.value[0]);
      return next.value;
    }
    return null;
  }

  async #workOn(key: string, waiting: Waiting): Promise<void> {
    const { clock, observe, work } = this.#options;
    const startedMs = clock.monotonicMs();
    observe?.({ kind: 'started', key, queuedMs: startedMs - waiting.sinceMs });
    const result = await runWork(work, key);
    observe?.({
      kind: 'finished',
      key,
      tookMs: clock.monotonicMs() - startedMs,
      result: result.kind,
    });
    this.#working.delete(key);
    this.#settle(key, waiting.priority, result);
    this.#fillWorkers();
  }

  #settle(key: string, priority: Priority, result: WorkResult): void {
    const again = this.#againAfterwards.get(key);
    this.#againAfterwards.delete(key);
    if (result.kind === 'failed') {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      const afterMs = backoffMs(this.#backoff, failures);
      const { error } = result;
      this.#options.observe?.({ kind: 'retrying', key, failures, afterMs, error });
      this.addAfter(key, afterMs, priority);
    } else {
      this.#failures.delete(key);
      if (result.kind === 'again') {
        this.addAfter(key, result.afterMs, result.priority ?? 'resync');
      }
    }
    if (again !== undefined) this.add(key, again);
  }
}

function isAhead(priority: Priority, of: Priority): boolean {
  return priorities.indexOf(priority) < priorities.indexOf(of);
}

async function runWork(work: QueueOptions['work'], key: string): Promise<WorkResult> {
  try {
    return await work(key);
  } catch (error) {
    return { kind: 'failed', error };
  }
}
