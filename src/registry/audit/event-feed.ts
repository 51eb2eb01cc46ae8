// Following what happens: every event once, in the order of its asset, from any replica.

import type { AuditEvent } from '../../core/event.ts';
import type { Outcome } from '../../core/failure.ts';
import type { AssetId } from '../../core/id.ts';

/**
 * Between two looks at the database: what `through` sees and `before` did not, behind the event
 * `after`. A snapshot knows which transactions it saw, so what commits late is never passed over.
 */
export interface StreamQuestion {
  /** Null: nothing happened before. */
  readonly before: string | null;
  /** Null: as it is now. */
  readonly through: string | null;
  readonly after: number;
  readonly limit: number;
  /** Whether any will do where there are more than the limit, rather than the first of them. */
  readonly inAnyOrder?: boolean;
}

export interface StreamedPage {
  /** The look that was taken. */
  readonly through: string;
  /** A snapshot of another database, or of this one before it was restored: it says nothing. */
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

/** A follower. It gets no events after its end. */
export interface Follower {
  /** `place` is where to go on behind it. False: no more before it has `drained`. */
  readonly tell: (streamed: StreamedEvent, place: string) => boolean;
  readonly drained: () => Promise<void>;
  /** What happened since the place it came from is not known: it reads again. */
  readonly reset: () => void;
  /** Everything up to the moment of its coming has been told. */
  readonly caughtUp: () => void;
  readonly end: () => void;
}

export interface Following {
  /** Where it is now, whether anything happened or not. */
  readonly place: () => string;
  /** Starts the delivery of events. */
  readonly start: () => void;
  readonly stop: () => void;
}
