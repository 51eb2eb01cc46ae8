// Follows events: each event once, in the order of its asset, from any replica.

import type { AuditEvent } from '../../core/event.ts';
import type { Outcome } from '../../core/failure.ts';
import type { AssetId } from '../../core/id.ts';

/**
 * The events between two snapshots: visible in `through`, not in `before`, and after the event
 * `after`. A snapshot knows which transactions it includes, so late commits are never skipped.
 */
export interface StreamQuestion {
  /** Null starts at the beginning. */
  readonly before: string | null;
  /** Null means the current snapshot. */
  readonly through: string | null;
  readonly after: number;
  readonly limit: number;
  /**
   * Of who comes back: if there are more events than the limit, any of them will do, and a place before
   * events that were archived cannot be used.
   */
  readonly inAnyOrder?: boolean;
}

export interface StreamedPage {
  /** The snapshot that was read. */
  readonly through: string;
  /**
   * The snapshot belongs to another database, or to this one before a restore, so it cannot be
   * used.
   */
  readonly isElsewhere: boolean;
  readonly events: readonly StreamedEvent[];
}

export interface StreamedEvent {
  readonly position: number;
  readonly assetId: AssetId | null;
  readonly event: AuditEvent;
}

export interface EventFeed {
  /** Refused while the process stops. */
  readonly follow: (from: string | null, follower: Follower) => Promise<Outcome<Following>>;
  /** Ends every follower. */
  readonly stop: () => Promise<void>;
}

/** Receives events until it ends. */
export interface Follower {
  /**
   * `place` is the position to resume from after this event. Returns false to pause until
   * `drained`.
   */
  readonly tell: (streamed: StreamedEvent, place: string) => boolean;
  readonly drained: () => Promise<void>;
  /** The events since its position are unknown, so it must read everything again. */
  readonly reset: () => void;
  /** All events up to the moment of its connection were delivered. */
  readonly caughtUp: () => void;
  readonly end: () => void;
}

export interface Following {
  /** The current position, whether or not events arrived. */
  readonly place: () => string;
  /** Starts the delivery of events. */
  readonly start: () => void;
  readonly stop: () => void;
}
