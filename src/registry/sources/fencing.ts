// A lease says who leads; a fence keeps who led before from writing. Every transaction of a leader
// looks whether its fence is still the newest, and whoever takes over waits for those under way.

import type { TeamId } from '../../core/id.ts';
import type { SourceDescription } from '../../core/source.ts';
import type { Ports } from '../ports.ts';

/** Somebody else leads by now: nothing was written. */
export class Fenced extends Error {
  override readonly name = 'Fenced';

  constructor(identity: string) {
    super(`Another process now leads for ${identity}. Nothing was changed.`);
  }
}

export interface Fence {
  readonly identity: string;
  readonly number: number;
}

interface NamespaceBinding {
  readonly namespace: string;
  readonly slug: string;
  readonly teamId: TeamId;
}

/** Which teams a source's namespaces were found to act for. */
export interface NamespaceBindings {
  readonly load: () => Promise<readonly NamespaceBinding[]>;
  /** Answers the team that it was bound to first. */
  readonly bind: (binding: NamespaceBinding) => Promise<TeamId>;
  readonly unbind: (namespace: string, slugs: readonly string[]) => Promise<void>;
}

export interface Fences {
  /** Takes over from whoever led: for who holds a lease elsewhere. */
  readonly take: (source: SourceDescription, holder: string) => Promise<Fence>;
  /** Where this is the lease: null while another holds it and has renewed it. */
  readonly takeIfExpired: (
    source: SourceDescription,
    holder: string,
    leaseMs: number,
  ) => Promise<Fence | null>;
  /** `lost` where somebody took over; `confirmed`, once, after an administrator confirmed it. */
  readonly renew: (fence: Fence) => Promise<'held' | 'confirmed' | 'lost'>;
  /** Why nothing is concluded from the source at the moment; null where all is well. */
  readonly note: (fence: Fence, problem: string | null) => Promise<void>;
  /** Lets the next one begin at once. */
  readonly giveBack: (fence: Fence) => Promise<void>;
  /** The same ports, for as long as nobody takes over. */
  readonly guard: <P extends Pick<Ports, 'transact' | 'attempt'>>(ports: P, fence: Fence) => P;
  readonly bindings: (fence: Fence) => NamespaceBindings;
}
