// Opens the pool, and provides the registry's reads and transactions.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { SecretCipher } from '../core/secret-cipher.ts';
import type { AuditPacks, PackReader } from '../registry/audit/archive-trail.ts';
import type { BusPlaces } from '../registry/audit/bus-places.ts';
import { takeTurns } from '../registry/in-turn.ts';
import type { Ports, Reads } from '../registry/ports.ts';
import type { Fence, Fences } from '../registry/sources/fencing.ts';
import type { Outbox } from '../registry/webhooks/outbox.ts';
import { auditPacksOf } from './beside/audit-packs.ts';
import { type Sealing, type SealOptions, sealEvents } from './beside/audit-seals.ts';
import { busPlacesOf } from './beside/bus-places.ts';
import { fencesOf } from './beside/fences.ts';
import { nameMissingFields } from './beside/field-names.ts';
import { outboxOf } from './beside/outbox.ts';
import { type Secrets, secretsOf } from './beside/secrets.ts';
import { type SourceObjects, sourceObjectsOf } from './beside/source-objects.ts';
import {
  backgroundWait,
  openConnectionQueue,
  requestWait,
  type WaitLimits,
} from './postgres/connection-queue.ts';
import {
  transactionPatienceMs,
  whileAnswering,
  whileAvailable,
} from './postgres/database-errors.ts';
import { openMigrationCheck } from './postgres/migration-check.ts';
import { type OnStatement, openPool, poolForReads } from './postgres/pool.ts';
import type { ReplicaFigures } from './postgres/replica.ts';
import { nothingRow } from './postgres/rows.ts';
import { type Figures, type PoolFigures, readFigures, readPool } from './read/read-figures.ts';
import { readsOf } from './reads.ts';
import { openReplicaReads, type ReplicaSettings } from './replica-reads.ts';
import { keepAnswer, transactions } from './transact.ts';

interface StoreOptions {
  readonly url: string;
  readonly maxConnections?: number;
  /** Tests validate every row against its shape. */
  readonly rowChecks?: 'every' | 'none';
  /** Used for traces. */
  readonly onStatement?: OnStatement | undefined;
  readonly observe?: ObserveDatabase | undefined;
  /** How long reads and transactions wait for a connection; chores always wait long. */
  readonly wait?: WaitLimits;
  /** Whether the URL leads to a connection pooler in transaction mode. */
  readonly isPooled?: boolean;
  /** Encrypts secrets; without it they are stored in plain text. */
  readonly cipher?: SecretCipher | null;
  /** Replicas that requests may read from; undefined for none. */
  readonly replicas?: ReplicaSettings | undefined;
  /** Reads months of the audit trail that were moved to an object store. */
  readonly packs?: PackReader | undefined;
  /** For who may be cut off while Postgres is at work, and leaves nothing then. */
  readonly sendsApart?: boolean;
}

/** Called with seconds: how long a statement took, and how long a caller waited for a connection. */
interface ObserveDatabase {
  readonly statement: (seconds: number) => void;
  readonly wait: (seconds: number) => void;
}

export interface Store
  extends Pick<Ports, 'reads' | 'replicaReads' | 'transact' | 'attempt' | 'keepAnswer' | 'inTurn'> {
  readonly fences: Fences;
  readonly secrets: Secrets;
  readonly busPlaces: BusPlaces;
  readonly auditPacks: AuditPacks;
  /** The outbox and the lanes of webhook deliveries. */
  readonly outbox: Outbox;
  /** The records of a source's objects, for the leader that holds this fence. */
  readonly sourceObjects: (fence: Fence) => SourceObjects;
  /**
   * One round trip on a connection reserved for probes, so a pool without a free connection is no
   * outage.
   */
  readonly ping: () => Promise<void>;
  /** Whether this version can serve the current database. Uses the connection of the probes. */
  readonly isMigrated: () => Promise<boolean>;
  /** Counts what waits. The time limit is short, because metrics must not take long. */
  readonly figures: () => Promise<Figures>;
  readonly poolFigures: () => PoolFigures;
  readonly replicaFigures: () => readonly ReplicaFigures[];
  /** Runs now and then: creates next months' partitions, and deletes expired idempotency keys. */
  readonly maintain: () => Promise<Maintained>;
  /** Names the fields of a batch of contracts for the search. Answers whether there may be more. */
  readonly nameFields: () => Promise<boolean>;
  /** Seals one batch of audit events; only one process at a time does. */
  readonly sealEvents: (options: SealOptions) => Promise<Sealing>;
  readonly stop: () => Promise<void>;
}

interface Maintained {
  /** Whether audit events are outside of every month's partition. */
  readonly strayEvents: boolean;
}

const defaultConnections = 10;
/** Scrapes time out after ten seconds, and a probe must not tell for longer what was true before. */
const figuresPatienceMs = 5_000;

export async function openStore(options: StoreOptions): Promise<Store> {
  const open = async (
    maxConnections: number,
    more: Partial<Parameters<typeof openPool>[0]> = {},
  ) => {
    const opened = await openPool({
      url: options.url,
      maxConnections,
      rowChecks: options.rowChecks ?? 'none',
      onStatement: options.onStatement,
      observeStatement: options.observe?.statement,
      sendsApart: options.sendsApart ?? false,
      isPooled: options.isPooled ?? false,
      ...more,
    });
    // An error of an idle connection surfaces at the next query, which opens another one.
    opened.on('error', () => {});
    return opened;
  };
  const { maxConnections = defaultConnections, wait = requestWait } = options;
  const queued = (pool: DatabasePool) =>
    openConnectionQueue(pool, maxConnections, options.observe?.wait ?? (() => {}));
  const queue = queued(
    await whileAvailable(() => open(maxConnections, { readLockMs: wait.lockMs })),
  );
  const pool = queue.poolFor(wait);
  const poolOfReads = poolForReads(pool);
  const background = queue.poolFor(backgroundWait);
  const probe = await whileAvailable(() => open(1));
  const isMigrated = await openMigrationCheck(probe);
  const ping = () =>
    whileAvailable(
      async () => void (await probe.query(sql.type(nothingRow)`select`)),
      figuresPatienceMs,
    );
  const keep = keepAnswer(pool);
  const { cipher = null, packs = null } = options;
  const { transact, attempt } = transactions(pool, cipher);
  const reads = guarded(readsOf(poolOfReads, cipher, packs), ping);
  const replicas =
    options.replicas === undefined
      ? null
      : await openReplicaReads(options.replicas, {
          primary: reads,
          readsOf: (replica) => readsOf(poolForReads(replica), cipher, packs),
          openForReads: async (url) =>
            queued(
              await open(maxConnections, {
                ...{ url, isPooled: false, readLockMs: requestWait.lockMs },
              }),
            ).poolFor(requestWait),
          openForLooks: (url) => open(1, url === null ? {} : { url, isPooled: false }),
        });
  return {
    reads,
    replicaReads: replicas?.open,
    transact: (context, body) =>
      whileAvailable(() => transact(context, body), transactionPatienceMs),
    attempt: (context, body) => whileAvailable(() => attempt(context, body), transactionPatienceMs),
    keepAnswer: (...all) => whileAvailable(() => keep(...all)),
    inTurn: takeTurns(),
    fences: fencesOf(background, cipher),
    secrets: secretsOf(background, cipher),
    busPlaces: busPlacesOf(background),
    auditPacks: auditPacksOf(background),
    outbox: outboxOf(background, cipher),
    sourceObjects: (fence) => sourceObjectsOf(background, fence),
    ping,
    isMigrated: () => whileAvailable(isMigrated, figuresPatienceMs),
    figures: () => whileAvailable(() => readFigures(poolOfReads), figuresPatienceMs),
    poolFigures: () => readPool(pool),
    replicaFigures: () => replicas?.figures() ?? [],
    maintain: () => whileAvailable(() => maintain(background), transactionPatienceMs),
    nameFields: () => whileAvailable(() => nameMissingFields(background), transactionPatienceMs),
    sealEvents: (options) =>
      whileAvailable(() => sealEvents(background, options), transactionPatienceMs),
    stop: async () => {
      await Promise.all([pool.end(), probe.end(), replicas?.stop()]);
    },
  };
}

/** Sessions end after 12 hours without a request; one more hour allows for clock differences. */
const sessionsKeptHours = 13;
/** And after 7 days in any case, plus one. */
const sessionsKeptDays = 8;

/** For whoever follows the audit trail to a key that a trust issued. */
const trustKeysKeptDays = 7;

/** Keys are kept for a day, and another one for clock differences. */
const keysKeptHours = 48;

async function maintain(pool: DatabasePool): Promise<Maintained> {
  await pool.query(sql.type(nothingRow)`select make_audit_partitions()`);
  await pool.query(sql.type(nothingRow)`
    delete from idempotency where created_at < now() - make_interval(hours => ${keysKeptHours})`);
  await pool.query(sql.type(nothingRow)`
    delete from session
    where last_seen_at < now() - make_interval(hours => ${sessionsKeptHours})
      or created_at < now() - make_interval(days => ${sessionsKeptDays})`);
  await pool.query(sql.type(nothingRow)`
    delete from api_key
    where trust_id is not null
      and expires_at < now() - make_interval(days => ${trustKeysKeptDays})`);
  await pool.query(sql.type(nothingRow)`delete from used_token where ends_at < now()`);
  return await pool.one(sql.type(maintainedRow)`
    select exists (select from audit_event_default) as "strayEvents"`);
}

const maintainedRow = z.object({ strayEvents: z.boolean() });

/** Wraps every read, so that an unavailable database is told from a bug in one place. */
function guarded(reads: Reads, ping: () => Promise<void>): Reads {
  const entries = Object.entries(reads).map(([name, read]) => [
    name,
    (...all: unknown[]) => whileAvailable(() => whileAnswering(() => read(...all), ping)),
  ]);
  // The same names and functions; only the errors differ.
  return Object.fromEntries(entries) as Reads;
}
