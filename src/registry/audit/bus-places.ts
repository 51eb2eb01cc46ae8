// How far the events have been sent to a bus. One process at a time sends them, for the time of a lease.

export interface BusPlaces {
  /**
   * The place to continue from; null while another process holds the lease. A topic that is new begins with
   * what happens from now on.
   */
  readonly take: (lease: BusLease) => Promise<string | null>;
  /** False if another process holds the lease by now, or somebody sent the place back. */
  readonly advance: (lease: BusLease, step: BusStep) => Promise<boolean>;
  readonly giveBack: (lease: BusLease) => Promise<void>;
  /** Sends everything again that happened since. False if nothing was ever sent to this topic. */
  readonly rewind: (topic: string, since: Date) => Promise<boolean>;
}

export interface BusLease {
  readonly topic: string;
  readonly holder: string;
  readonly forMs: number;
}

interface BusStep {
  readonly from: string;
  readonly to: string;
}
