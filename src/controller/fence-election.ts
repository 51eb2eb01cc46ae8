// Leader election without a cluster: the row that fences writes is also the lease.

import type { SourceDescription } from '../core/source.ts';
import type { Fence, Fences, SourceReading } from '../registry/sources/fencing.ts';
import { type Clock, pause } from './clock.ts';

interface FenceElectionOptions {
  readonly fences: Pick<Fences, 'takeIfExpired' | 'renew' | 'giveBack'>;
  readonly clock: Clock;
  readonly source: SourceDescription;
  /** Unique to this process. */
  readonly holder: string;
  /** Runs while this process leads; the signal aborts when it no longer does. */
  readonly lead: (signal: AbortSignal, fence: Fence) => Promise<void>;
  /** Null until the source was read as a whole, and each registration in it was handled. */
  readonly reading: () => SourceReading | null;
  /** Called when an administrator has confirmed that the state of the source is intended. */
  readonly onConfirmed: () => void;
  readonly onError: (error: unknown, during: string) => void;
  readonly times?: LeaseTimes;
}

interface LeaseTimes {
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

/** The times of a Lease: see LeaderElection. */
const defaultTimes: LeaseTimes = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

interface Term {
  readonly fence: Fence;
  readonly ending: AbortController;
  readonly over: Promise<void>;
}

export class FenceElection {
  readonly #options: FenceElectionOptions;
  readonly #times: LeaseTimes;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;
  #term: Term | null = null;
  #renewedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FenceElectionOptions) {
    this.#options = options;
    this.#times = options.times ?? defaultTimes;
  }

  isLeading(): boolean {
    return this.#term !== null && !this.#term.ending.signal.aborted && this.#isFresh();
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the term, waits for the work to end, and lets another process take over at once. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, onError, fences } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#takeOrRenew();
      } catch (error) {
        onError(error, 'renewing the lease');
        if (!this.#isFresh()) await this.#endTerm();
      }
      await pause(clock, this.#times.retryMs, signal);
    }
    const fence = this.#term?.fence;
    await this.#endTerm();
    if (fence === undefined) return;
    // If this fails, the lease expires by itself.
    await fences.giveBack(fence).catch((error: unknown) => onError(error, 'giving the lease back'));
  }

  async #takeOrRenew(): Promise<void> {
    const { clock, fences, source, holder, onConfirmed, reading } = this.#options;
    // After a suspension the old term is over, whoever holds the lease now.
    if (this.#term?.ending.signal.aborted || !this.#isFresh()) await this.#endTerm();
    const askedAtMs = clock.monotonicMs();
    if (this.#term === null) {
      const fence = await fences.takeIfExpired(source, holder, this.#times.leaseMs);
      if (fence === null) return;
      this.#renewedAtMs = askedAtMs;
      this.#beginTerm(fence);
      return;
    }
    const renewed = await fences.renew(this.#term.fence, reading());
    if (renewed === 'lost') return this.#endTerm();
    this.#renewedAtMs = askedAtMs;
    if (renewed === 'confirmed') onConfirmed();
  }

  #beginTerm(fence: Fence): void {
    const ending = new AbortController();
    const over = this.#options.lead(ending.signal, fence).catch((error: unknown) => {
      this.#options.onError(error, 'leading');
      // The next round ends this term, and may begin another.
      ending.abort();
    });
    this.#term = { fence, ending, over };
  }

  async #endTerm(): Promise<void> {
    const term = this.#term;
    if (term === null) return;
    term.ending.abort();
    await term.over;
    this.#term = null;
  }

  #isFresh(): boolean {
    return this.#options.clock.monotonicMs() - this.#renewedAtMs < this.#times.renewDeadlineMs;
  }
}
