// One streaming replica of Postgres: whether it can be used, and how much of the log it has replayed.

import { setTimeout as delay } from 'node:timers/promises';
import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { askTogether } from './ask-together.ts';
import { whileAvailable } from './database-errors.ts';

/** A place in the log, in bytes. Places of different databases or timelines cannot be compared. */
export interface LogPlace {
  /** The ids of the cluster and the database. A replica has those of its primary. */
  readonly database: string;
  readonly timeline: number;
  readonly place: number;
}

type ReplicaState = 'used' | 'gone' | 'promoted' | 'elsewhere' | 'late';

export interface ReplicaFigures {
  /** Its position in DATABASE_READ_URLS, from 1. */
  readonly number: number;
  readonly state: ReplicaState;
  /** Null while it is unknown. */
  readonly lagSeconds: number | null;
  readonly lagBytes: number | null;
}

/** What is known of the primary, and for how long. */
export interface PrimaryLog {
  readonly newest: () => LogPlace | null;
  /** Since when the primary had more than this place, in milliseconds; null if it has no more. */
  readonly passedAtMs: (place: LogPlace) => number | null;
}

export interface Replica {
  readonly pool: DatabasePool;
  readonly figures: () => ReplicaFigures;
  /** Looks how it is. Called once a second. */
  readonly look: () => Promise<void>;
  /** Whether it is known to have replayed the log up to this place. */
  readonly isAt: (wanted: LogPlace) => boolean;
  /** Waits for a moment if it nearly has. */
  readonly hasReached: (wanted: LogPlace) => Promise<boolean>;
  /** Runs a read, and rejects as soon as the replica is gone. */
  readonly whileThere: <T>(run: () => Promise<T>) => Promise<T>;
}

interface ReplicaOptions {
  readonly number: number;
  /** For reads. */
  readonly pool: DatabasePool;
  /** For looks. */
  readonly probe: DatabasePool;
  readonly primary: PrimaryLog;
  readonly lagLimitMs: number;
  readonly clock: () => number;
  readonly onChange: (figures: ReplicaFigures) => void;
}

/** A look takes a millisecond. */
const lookPatienceMs = 2_000;
/** A read of the primary takes less than this plus the read. */
const waitMs = 25;
const pollMs = 2;
/** After a wait in vain, the others do not wait. */
const missedPauseMs = 250;

export function openReplica(options: ReplicaOptions): Replica {
  const { number, pool, probe, primary, lagLimitMs, clock, onChange } = options;
  let state: ReplicaState = 'gone';
  let reached: LogPlace = { database: '', timeline: 0, place: 0 };
  /** When somebody last waited in vain. */
  let missedAt = Number.NEGATIVE_INFINITY;
  const leaving = new Set<(error: Error) => void>();

  const lagMs = () => {
    const passedAt = primary.passedAtMs(reached);
    return passedAt === null ? 0 : clock() - passedAt;
  };
  const figures = (): ReplicaFigures => {
    const newest = primary.newest();
    if (state === 'gone' || state === 'promoted' || newest === null) {
      return { number, state, lagSeconds: null, lagBytes: null };
    }
    const lagBytes = Math.max(0, newest.place - reached.place);
    return { number, state, lagSeconds: lagMs() / 1000, lagBytes };
  };
  const become = (next: ReplicaState) => {
    if (next === state) return;
    state = next;
    if (next === 'gone') {
      for (const leave of leaving) leave(new Error(`Replica ${number} does not answer.`));
      leaving.clear();
    }
    onChange(figures());
  };
  const stateOf = (isReplica: boolean): ReplicaState => {
    if (!isReplica) return 'promoted';
    const newest = primary.newest();
    if (newest === null) return state;
    if (!isOfSameLog(reached, newest)) return 'elsewhere';
    return lagMs() > lagLimitMs ? 'late' : 'used';
  };
  const askPlace = askTogether(async (_: null) => {
    const { place } = await whileAvailable(() => probe.one(placeQuery), lookPatienceMs);
    reached = { ...reached, place };
    return place;
  });

  const isAt = (wanted: LogPlace) =>
    state === 'used' && isOfSameLog(reached, wanted) && reached.place >= wanted.place;

  return {
    pool,
    figures,
    look: async () => {
      try {
        const found = await whileAvailable(() => probe.one(lookQuery), lookPatienceMs);
        const { isReplica, ...place } = found;
        reached = place;
        become(stateOf(isReplica));
      } catch {
        become('gone');
      }
    },
    isAt,
    hasReached: async (wanted) => {
      const { place } = wanted;
      if (isAt(wanted)) return true;
      if (!isOfSameLog(reached, wanted) || clock() - missedAt < missedPauseMs) return false;
      for (const until = clock() + waitMs; ; await delay(pollMs)) {
        if ((await askPlace(null)) >= place) return state === 'used';
        if (clock() > until) break;
      }
      missedAt = clock();
      return false;
    },
    whileThere: (run) =>
      new Promise((done, fail) => {
        leaving.add(fail);
        run()
          .then(done, fail)
          .finally(() => leaving.delete(fail));
      }),
  };
}

export function isOfSameLog(a: LogPlace, b: LogPlace): boolean {
  return a.database === b.database && a.timeline === b.timeline;
}

export const databaseId = sql.fragment`
  (select system_identifier::text from pg_control_system()) || ' ' ||
    (select oid::text from pg_database where datname = current_database())`;

const placeRow = z.object({ place: z.number() });

const placeQuery = sql.type(placeRow)`
  select coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::bigint as place`;

const lookRow = placeRow.extend({
  database: z.string(),
  timeline: z.int(),
  isReplica: z.boolean(),
});

/** The timeline as of its last restart point, or later. */
const lookQuery = sql.type(lookRow)`
  select pg_is_in_recovery() as "isReplica", ${databaseId} as database,
    coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::bigint as place,
    greatest(
      (select timeline_id from pg_control_checkpoint()),
      (select min_recovery_end_timeline from pg_control_recovery())
    ) as timeline`;
