// Reads for requests that replicas of Postgres may answer, with the primary behind each of them.

import type { DatabasePool } from 'slonik';
import type { Reads } from '../registry/ports.ts';
import type { Replica, ReplicaFigures } from './postgres/replica.ts';
import { openReplicas, type ReadOutcome } from './postgres/replicas.ts';

export interface ReplicaSettings {
  /** The URL of each, without a pooler. */
  readonly urls: readonly string[];
  readonly lagLimitMs: number;
  readonly onChange: (figures: ReplicaFigures) => void;
  /** Called for each request, and for each read that a replica did not finish. */
  readonly onRead: (outcome: ReadOutcome | 'failed') => void;
}

interface ReplicaReads {
  /** Opens the reads for one request. They include everything that was acknowledged before this call. */
  readonly open: () => Promise<Reads>;
  readonly figures: () => readonly ReplicaFigures[];
  readonly stop: () => Promise<void>;
}

interface Opening {
  readonly primary: Reads;
  readonly readsOf: (pool: DatabasePool) => Reads;
  readonly openForReads: (url: string) => Promise<DatabasePool>;
  /** A connection for looks, by the URL of a replica; of the primary for null. */
  readonly openForLooks: (url: string | null) => Promise<DatabasePool>;
}

export async function openReplicaReads(
  { urls, lagLimitMs, onChange, onRead }: ReplicaSettings,
  { primary, readsOf, openForReads, openForLooks }: Opening,
): Promise<ReplicaReads> {
  const opening = urls.map(async (url) => ({
    pool: await openForReads(url),
    probe: await openForLooks(url),
  }));
  const replicas = openReplicas({
    replicas: await Promise.all(opening),
    primary: await openForLooks(null),
    lagLimitMs,
    onChange,
    onChosen: onRead,
  });
  const wrapped = new Map(
    replicas.all.map((each) => [each, withPrimary(each, readsOf(each.pool), primary, onRead)]),
  );
  return {
    open: async () => {
      const chosen = await replicas.choose();
      return (chosen === null ? undefined : wrapped.get(chosen)) ?? primary;
    },
    figures: replicas.figures,
    stop: replicas.stop,
  };
}

/** The primary repeats what the replica did not finish, whatever the reason. */
function withPrimary(
  replica: Replica,
  reads: Reads,
  primary: Reads,
  onRead: (outcome: 'failed') => void,
): Reads {
  const entries = Object.entries(reads).map(([name, read]) => [
    name,
    (...all: unknown[]) =>
      replica
        .whileThere(() => read(...all))
        .catch(() => {
          onRead('failed');
          return (primary[name as keyof Reads] as (...all: unknown[]) => Promise<unknown>)(...all);
        }),
  ]);
  // The same names and functions, on two databases.
  return Object.fromEntries(entries) as Reads;
}
