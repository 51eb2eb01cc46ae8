// Where it is kept: opens the pool and gives the registry its reads and its transactions.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { takeTurns } from '../registry/in-turn.ts';
import type { Ports, Reads } from '../registry/ports.ts';
import { whileAvailable } from './database-errors.ts';
import { findAssetFacts } from './facts.ts';
import { openPool } from './pool.ts';
import { readAssets } from './read-assets.ts';
import { readContracts } from './read-contracts.ts';
import { readEvents } from './read-events.ts';
import { readProposals } from './read-proposals.ts';
import { readRegistrations } from './read-registrations.ts';
import { readTeams } from './read-teams.ts';
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
    ...readAssets(pool),
    ...readContracts(pool),
    ...readRegistrations(pool),
    ...readProposals(pool),
    ...readEvents(pool),
    findKeptAnswer,
    getAssetFacts: (assetId) => findAssetFacts(pool, assetId),
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

/** A day of keys is kept, and one more for clocks that differ. */
const keysKeptHours = 48;

async function maintain(pool: DatabasePool): Promise<void> {
  await pool.query(sql.type(z.object({}))`select make_audit_partitions()`);
  await pool.query(sql.type(z.object({}))`
    delete from idempotency where created_at < now() - make_interval(hours => ${keysKeptHours})`);
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
