// Leader election with a Lease. Another process's lease has expired when this process has not seen
// it change for its duration; clocks of two machines are never compared.

import { isJsonObject, type JsonObject } from '../../core/value/json.ts';
import { type Clock, pause } from '../clock.ts';
import { type ApiClient, ApiError } from './api-client.ts';

interface LeaderElectionOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process. */
  readonly identity: string;
  /** Runs while this process leads; the signal aborts when it no longer does. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown, during: string) => void;
  readonly times?: LeaseTimes;
}

interface LeaseTimes {
  /** How long a lease holds without renewal. */
  readonly leaseMs: number;
  /** A leader that could not renew for this long stops leading, before others may take over. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

const defaultTimes: LeaseTimes = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

interface Observed {
  readonly lease: JsonObject;
  readonly seenAtMs: number;
}

interface Term {
  readonly ending: AbortController;
  readonly over: Promise<void>;
}

export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #times: LeaseTimes;
  readonly #path: string;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;
  #observed: Observed | null = null;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #term: Term | null = null;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#times = options.times ?? defaultTimes;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${options.namespace}/leases`;
  }

  /**
   * Whether this process leads now. Called before every write: a process that was suspended past
   * its lease finds out here, before its timers have run.
   */
  isLeading(): boolean {
    return this.#term !== null && !this.#term.ending.signal.aborted && this.#isFresh();
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the term, waits for the work to end, and releases the lease. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, onError } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        // After a suspension the old term is over, whoever holds the lease now.
        if (!this.#isFresh()) await this.#endTerm();
        const holds = await this.#acquireOrRenew();
        if (holds && this.#term === null) this.#beginTerm();
        if (!holds) await this.#endTerm();
      } catch (error) {
        if (!isConflict(error)) onError(error, 'renewing the lease');
        if (!this.#isFresh()) await this.#endTerm();
      }
      await pause(clock, this.#times.retryMs, signal);
    }
    const led = this.#term !== null;
    await this.#endTerm();
    if (led) await this.#release();
  }

  #isFresh(): boolean {
    return this.#options.clock.monotonicMs() - this.#renewedAtMs < this.#times.renewDeadlineMs;
  }

  #beginTerm(): void {
    const ending = new AbortController();
    const over = this.#options.lead(ending.signal).catch((error: unknown) => {
      this.#options.onError(error, 'leading');
      // The next round ends this term, and the one after it may begin another.
      ending.abort();
    });
    this.#term = { ending, over };
  }

  async #endTerm(): Promise<void> {
    const term = this.#term;
    if (term === null) return;
    term.ending.abort();
    await term.over;
    this.#term = null;
  }

  /** Whether this process holds the lease. Throws if the API server refuses or is unreachable. */
  async #acquireOrRenew(): Promise<boolean> {
    const { clock, identity } = this.#options;
    if (this.#term?.ending.signal.aborted) return false;
    // Taken before the request, because the lease may hold from then on.
    const askedAtMs = clock.monotonicMs();
    const observed = this.#term === null ? await this.#observe() : this.#observed;
    if (observed === null) {
      await this.#write('POST', this.#newLease());
    } else {
      const holder = specOf(observed.lease).holderIdentity;
      const isTaken = typeof holder === 'string' && holder !== '' && holder !== identity;
      if (isTaken && askedAtMs < observed.seenAtMs + this.#durationOf(observed.lease)) return false;
      try {
        await this.#write('PUT', this.#renewedLease(observed.lease));
      } catch (error) {
        if (!isConflict(error)) throw error;
        // Another process wrote the lease in the meantime; read it again to see whether this
        // process still holds it.
        const now = await this.#observe();
        if (now === null || specOf(now.lease).holderIdentity !== identity) return false;
        await this.#write('PUT', this.#renewedLease(now.lease));
      }
    }
    this.#renewedAtMs = askedAtMs;
    return true;
  }

  async #observe(): Promise<Observed | null> {
    const { client, clock, name } = this.#options;
    const asked = { method: 'GET', path: `${this.#path}/${name}` } as const;
    const answer = await client.request({ ...asked, deadlineMs: this.#deadlineMs() });
    if (answer.status === 404) {
      this.#observed = null;
      return null;
    }
    if (answer.status !== 200 || !isJsonObject(answer.body)) {
      throw new ApiError(`GET ${asked.path}`, answer);
    }
    const isSame =
      this.#observed !== null && versionOf(this.#observed.lease) === versionOf(answer.body);
    if (this.#observed === null || !isSame) {
      this.#observed = { lease: answer.body, seenAtMs: clock.monotonicMs() };
    }
    return this.#observed;
  }

  async #write(method: 'POST' | 'PUT', lease: JsonObject): Promise<void> {
    const { client, clock, name } = this.#options;
    const path = method === 'POST' ? this.#path : `${this.#path}/${name}`;
    const written = await client.expect({
      method,
      path,
      body: lease,
      deadlineMs: this.#deadlineMs(),
    });
    this.#observed = { lease: written, seenAtMs: clock.monotonicMs() };
  }

  /** A leader never waits for a response longer than it may lead without one. */
  #deadlineMs(): number {
    if (this.#term === null) return this.#times.renewDeadlineMs;
    const leftMs =
      this.#times.renewDeadlineMs - (this.#options.clock.monotonicMs() - this.#renewedAtMs);
    return Math.max(1, Math.floor(leftMs));
  }

  #newLease(): JsonObject {
    const { name, namespace } = this.#options;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace },
      spec: { ...this.#holding(), acquireTime: this.#microTime(), leaseTransitions: 0 },
    };
  }

  #renewedLease(lease: JsonObject): JsonObject {
    const spec = specOf(lease);
    if (spec.holderIdentity === this.#options.identity) {
      return { ...lease, spec: { ...spec, ...this.#holding() } };
    }
    const transitions = typeof spec.leaseTransitions === 'number' ? spec.leaseTransitions : 0;
    const acquireTime = this.#microTime();
    return {
      ...lease,
      spec: { ...spec, ...this.#holding(), acquireTime, leaseTransitions: transitions + 1 },
    };
  }

  #holding() {
    return {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(this.#times.leaseMs / 1000),
      renewTime: this.#microTime(),
    };
  }

  #durationOf(lease: JsonObject): number {
    const seconds = specOf(lease).leaseDurationSeconds;
    return typeof seconds === 'number' ? seconds * 1000 : this.#times.leaseMs;
  }

  async #release(): Promise<void> {
    const lease = this.#observed?.lease;
    if (lease === undefined) return;
    const { holderIdentity: _, ...spec } = specOf(lease);
    try {
      const renewTime = this.#microTime();
      await this.#write('PUT', { ...lease, spec: { ...spec, leaseDurationSeconds: 1, renewTime } });
    } catch (error) {
      // The lease expires by itself.
      this.#options.onError(error, 'giving the lease back');
    }
  }

  #microTime(): string {
    return toMicroTime(this.#options.clock.wallTime());
  }
}

/** The API server requires six digits, and a Date has three. */
export function toMicroTime(time: Date): string {
  return time.toISOString().replace('Z', '000Z');
}

function specOf(lease: JsonObject): JsonObject {
  const spec = lease.spec ?? null;
  return isJsonObject(spec) ? spec : {};
}

function versionOf(lease: JsonObject): unknown {
  const metadata = lease.metadata ?? null;
  return isJsonObject(metadata) ? metadata.resourceVersion : undefined;
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}
