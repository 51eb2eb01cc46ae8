// Where it is kept: opens the pool and gives the registry its reads and its transactions.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { takeTurns } from '../registry/in-turn.ts';
import type { Ports, Reads } from '../registry/ports.ts';
import { whileAvailable } from './database-errors.ts';
import { readDependencies } from './dependencies.ts';
import { findAssetFacts } from './facts.ts';
import { readImportFacts } from './import-facts.ts';
import { readLineage } from './lineage.ts';
import { openPool } from './pool.ts';
import { readQualityRuns } from './quality-runs.ts';
import { readAssets } from './read-assets.ts';
import { readContracts } from './read-contracts.ts';
import { readEvents } from './read-events.ts';
import { readProposals } from './read-proposals.ts';
import { readRegistrations } from './read-registrations.ts';
import { readTeams } from './read-teams.ts';
import { readUsers } from './read-users.ts';
import { keptAnswers, transactions } from './transact.ts';

export interface StoreOptions {
  readonly url: string;
  readonly maxConnections?: number;
  /** Tests hold every row against its shape. */
  readonly rowChecks?: 'every' | 'none';
}

export interface Store
  extends Pick<Ports, 'reads' | 'transact' | 'attempt' | 'keepAnswer' | 'inTurn'> {
  /** One round trip, for readiness. */
  readonly ping: () => Promise<void>;
  /** Now and then: next months' partitions, and keys that nobody can replay any more. */
  readonly maintain: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const defaultConnections = 10;

export async function openStore(options: StoreOptions): Promise<Store> {
  const pool = await whileAvailable(() =>
    openPool({
      url: options.url,
      maxConnections: options.maxConnections ?? defaultConnections,
      rowChecks: options.rowChecks ?? 'none',
    }),
  );
  // What happens to an idle connection shows at the next query, which opens another one.
  pool.on('error', () => {});
  const { findKeptAnswer, keepAnswer } = keptAnswers(pool);
  const { transact, attempt } = transactions(pool);
  const reads: Reads = {
    ...readTeams(pool),
    ...readUsers(pool),
    ...readAssets(pool),
    ...readContracts(pool),
    ...readRegistrations(pool),
    ...readDependencies(pool),
    ...readLineage(pool),
    ...readQualityRuns(pool),
    ...readProposals(pool),
    ...readEvents(pool),
    findKeptAnswer,
    getAssetFacts: (assetId) => findAssetFacts(pool, assetId),
    getImportFacts: (question) => readImportFacts(pool, question),
  };
  return {
    reads: guarded(reads),
    transact: (context, body) => whileAvailable(() => transact(context, body)),
    attempt: (context, body) => whileAvailable(() => attempt(context, body)),
    keepAnswer: (...all) => whileAvailable(() => keepAnswer(...all)),
    inTurn: takeTurns(),
    ping: () => whileAvailable(async () => void (await pool.query(sql.type(z.object({}))`select`))),
    maintain: () => whileAvailable(() => maintain(pool)),
    stop: () => pool.end(),
  };
}

/** Sessions end after 12 hours without a request; the rest is for clocks that differ. */
const sessionsKeptHours = 13;

/** A day of keys is kept, and one more for clocks that differ. */
const keysKeptHours = 48;

async function maintain(pool: DatabasePool): Promise<void> {
  await pool.query(sql.type(z.object({}))`select make_audit_partitions()`);
  await pool.query(sql.type(z.object({}))`
    delete from idempotency where created_at < now() - make_interval(hours => ${keysKeptHours})`);
  await pool.query(sql.type(z.object({}))`
    delete from session
    where last_seen_at < now() - make_interval(hours => ${sessionsKeptHours})`);
}

/** Every read, behind the one place that tells an absent database from a bug. */
function guarded(reads: Reads): Reads {
  const entries = Object.entries(reads).map(([name, read]) => [
    name,
    (...all: unknown[]) => whileAvailable(() => read(...all)),
  ]);
  // The same names with the same functions inside: only the errors differ.
  return Object.fromEntries(entries) as Reads;
}
