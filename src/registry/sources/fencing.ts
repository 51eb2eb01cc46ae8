// A lease elects the leader; a fence stops earlier leaders from writing. Every transaction of a
// leader checks that its fence is still the newest, and a new leader waits for transactions in
// progress.

import type { TeamId } from '../../core/id.ts';
import type { SourceDescription } from '../../core/source.ts';
import type { Ports } from '../ports.ts';

const fencedBecause = {
  leader: (identity: string) => `Another process now leads for ${identity}.`,
  database: (identity: string) =>
    `Postgres was restarted or restored, so ${identity} is read again as a whole.`,
};

/** Another process leads now, or the database may be an older one. Nothing was written. */
export class Fenced extends Error {
  override readonly name = 'Fenced';

  constructor(identity: string, because: keyof typeof fencedBecause = 'leader') {
    super(`${fencedBecause[because](identity)} Nothing was changed.`);
  }
}

/** Another cluster has the name of this one, and was reconciled within the last minute. */
export class NameTaken extends Error {
  override readonly name = 'NameTaken';
  // Thrown every few seconds by the same line, so a stack says nothing new.
  override stack = '';

  constructor(identity: string) {
    super(
      `Another cluster is named ${identity}, and it was reconciled within the last minute, so nothing is reconciled here. Give each cluster a CLUSTER_NAME of its own. A cluster that was rebuilt leads a minute after the old one stopped.`,
    );
  }
}

export interface Fence {
  readonly identity: string;
  readonly number: number;
  /**
   * Differs once Postgres was started again or the table was restored: what is read before may be in the
   * database no more. Absent from a fence that only reads.
   */
  readonly database?: string;
}

interface NamespaceBinding {
  readonly namespace: string;
  readonly slug: string;
  readonly teamId: TeamId;
}

/** The teams that a source's namespaces act for. */
export interface NamespaceBindings {
  readonly load: () => Promise<readonly NamespaceBinding[]>;
  /** Returns the team that the namespace was bound to first. */
  readonly bind: (binding: NamespaceBinding) => Promise<TeamId>;
  readonly unbind: (namespace: string, slugs: readonly string[]) => Promise<void>;
}

/** What a leader has read of its source, and registered. */
export interface SourceReading {
  readonly msAgo: number;
  /** The assets of registrations that cannot register, `production/shop.orders`. */
  readonly unsettled: readonly string[];
}

/** Any asset. */
export const unknownAsset = '*';

export interface Fences {
  /** Takes over from the previous leader, for a process that holds a lease elsewhere. */
  readonly take: (source: SourceDescription, holder: string) => Promise<Fence>;
  /** Takes the lease if it is kept here: null while another process holds and renews it. */
  readonly takeIfExpired: (
    source: SourceDescription,
    holder: string,
    leaseMs: number,
  ) => Promise<Fence | null>;
  /**
   * `lost` if another process took over; `confirmed`, once, after an administrator confirmed the
   * source. The reading is null if the leader has not read everything yet.
   */
  readonly renew: (
    fence: Fence,
    reading?: SourceReading | null,
  ) => Promise<'held' | 'confirmed' | 'lost'>;
  /**
   * Returns the places of other sources that may still ask for a registration of the asset: they were not
   * read within this time, or one of their registrations cannot register. It looks at the sources with these
   * identities, and at all other sources that a process reconciles now.
   */
  readonly listUnread: (
    fence: Fence,
    identities: readonly string[],
    asset: string,
    withinMs: number,
  ) => Promise<readonly string[]>;
  /** Records why the source is not acted upon at the moment; null when all is well. */
  readonly note: (fence: Fence, problem: string | null) => Promise<void>;
  /** Lets the next leader begin at once. */
  readonly giveBack: (fence: Fence) => Promise<void>;
  /** The same ports, which stop working as soon as another process takes over. */
  readonly guard: <P extends Pick<Ports, 'transact' | 'attempt'>>(ports: P, fence: Fence) => P;
  readonly bindings: (fence: Fence) => NamespaceBindings;
}
