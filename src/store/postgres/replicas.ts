// Chooses the replica of Postgres that a request reads from: one that has everything that was
// committed before the request asked. docs/decisions/read-replicas.md

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { startRepeating } from '../../ops/repeat.ts';
import { askTogether } from './ask-together.ts';
import { whileAvailable } from './database-errors.ts';
import {
  databaseId,
  isOfSameLog,
  type LogPlace,
  openReplica,
  type PrimaryLog,
  type Replica,
  type ReplicaFigures,
} from './replica.ts';

/** Why a request reads where it does. */
export type ReadOutcome = 'replica' | 'behind' | 'none';

interface Replicas {
  readonly all: readonly Replica[];
  /** Null for the primary. */
  readonly choose: () => Promise<Replica | null>;
  readonly figures: () => readonly ReplicaFigures[];
  readonly stop: () => Promise<void>;
}

interface ReplicasOptions {
  /** The pools of each replica. */
  readonly replicas: readonly { readonly pool: DatabasePool; readonly probe: DatabasePool }[];
  /** A connection to the primary, for this alone. */
  readonly primary: DatabasePool;
  readonly lagLimitMs: number;
  readonly onChange: (figures: ReplicaFigures) => void;
  readonly onChosen: (outcome: ReadOutcome) => void;
}

const lookEveryMs = 1_000;
const askPatienceMs = 2_000;

const clock = () => performance.now();

export function openReplicas(options: ReplicasOptions): Replicas {
  const { primary, lagLimitMs, onChange, onChosen } = options;
  const log = openPrimaryLog(lagLimitMs);
  const askPrimary = askTogether((_: null) =>
    whileAvailable(() => primary.one(primaryQuery), askPatienceMs),
  );
  const all = options.replicas.map((pools, index) =>
    openReplica({ ...pools, number: index + 1, primary: log, lagLimitMs, clock, onChange }),
  );
  let turn = 0;
  const inTurn = (used: readonly Replica[]) => {
    const first = turn++ % used.length;
    return [...used.slice(first), ...used.slice(0, first)];
  };
  const choose = async (): Promise<Replica | null> => {
    const used = all.filter((each) => each.figures().state === 'used');
    if (used.length === 0) {
      onChosen('none');
      return null;
    }
    // Without an answer of the primary, nobody knows what was committed.
    const wanted = await askPrimary(null).catch(() => null);
    const chosen = wanted === null ? null : await findAt(wanted, inTurn(used));
    onChosen(chosen === null ? 'behind' : 'replica');
    return chosen;
  };
  const ignore = () => {};
  const lookAtPrimary = async () => log.note(await askPrimary(null));
  const looks = [
    startRepeating(lookAtPrimary, lookEveryMs, ignore),
    ...all.map(({ look }) => startRepeating(look, lookEveryMs, ignore)),
  ];
  return {
    all,
    choose,
    figures: () => all.map((each) => each.figures()),
    stop: async () => {
      await Promise.all(looks.map((each) => each.stop()));
      const { replicas } = options;
      await Promise.all([
        primary.end(),
        ...replicas.flatMap(({ pool, probe }) => [pool.end(), probe.end()]),
      ]);
    },
  };
}

async function findAt(wanted: LogPlace, replicas: readonly Replica[]): Promise<Replica | null> {
  const there = replicas.find((each) => each.isAt(wanted));
  if (there !== undefined) return there;
  for (const each of replicas) {
    if (await each.hasReached(wanted).catch(() => false)) return each;
  }
  return null;
}

/** Remembers which place the primary had at which time, for somewhat longer than the limit. */
function openPrimaryLog(
  limitMs: number,
): PrimaryLog & { readonly note: (place: LogPlace) => void } {
  let seen: readonly { readonly at: number; readonly place: LogPlace }[] = [];
  return {
    newest: () => seen.at(-1)?.place ?? null,
    passedAtMs: ({ place }) => seen.find((each) => each.place.place > place)?.at ?? null,
    note: (place) => {
      const at = clock();
      const isOld = seen[1] !== undefined && at - seen[1].at > 2 * limitMs;
      const last = seen.at(-1)?.place;
      const isSame = last !== undefined && isOfSameLog(last, place);
      const kept = isSame ? seen.slice(isOld ? 1 : 0) : [];
      // A quiet primary stays at one place, which counts from when it was first seen.
      if (kept.at(-1)?.place.place !== place.place) seen = [...kept, { at, place }];
    },
  };
}

const primaryRow = z.object({ database: z.string(), timeline: z.int(), place: z.number() });

/**
 * Every acknowledged commit is below this place. With synchronous_commit off, a commit is
 * acknowledged before it is flushed. Fails on a server that is no primary.
 */
const primaryQuery = sql.type(primaryRow)`
  select ${databaseId} as database,
    ((case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end) - '0/0'::pg_lsn)::bigint as place,
    ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline`;
