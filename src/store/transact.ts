// One transaction around facts, decision and writes; with an Idempotency-Key, its answer too.

import { type DatabasePool, type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { StartOver } from '../core/decide/decided.ts';
import { type Outcome, refuse } from '../core/failure.ts';
import type { Timestamp } from '../core/id.ts';
import type { SecretCipher } from '../core/secret-cipher.ts';
import type { Context, IdempotencyKey, KeptAnswer, Ports, Reads } from '../registry/ports.ts';
import type { Transaction } from '../registry/transaction.ts';
import { factsOf } from './facts/facts.ts';
import { refusalOf } from './postgres/database-errors.ts';
import { isLockTimeout } from './postgres/driver-errors.ts';
import { nothingRow } from './postgres/rows.ts';
import { applyWrites } from './write/apply.ts';

type Connection = DatabaseTransactionConnection;

/** The time that a request waits for another one with the same Idempotency-Key. */
const keyWaitMs = 5_000;
const keepHours = 24;

export function transactions(
  pool: DatabasePool,
  cipher: SecretCipher | null,
  /** Asked first in every transaction; what it throws ends it. */
  begin: (connection: Connection) => Promise<void> = async () => {},
): Pick<Ports, 'transact' | 'attempt'> {
  // slonik closes a connection if its transaction throws, and a new connection costs more than a
  // lost race. A clean rollback is no reason to close it.
  const attempt: Ports['attempt'] = (context, body) =>
    pool.connect(async (session) => {
      try {
        return await session.transaction(async (connection) => {
          await begin(connection);
          if (!(await claimKey(connection, context))) return refuseInFlight();
          const outcome = await runBody({ connection, cipher }, context, body);
          // Thrown, so that the claimed key is given back with everything else.
          if ('startOver' in outcome) throw new Undone(outcome);
          await keepInTransaction(connection, context, outcome);
          return outcome;
        });
      } catch (error) {
        if (error instanceof Undone) return error.outcome;
        if (error instanceof KeyInFlight) return refuseInFlight();
        const refusal = refusalOf(error);
        if (refusal !== null) return refusal;
        throw error;
      }
    });
  return {
    attempt,
    transact: async (context, body) => {
      const outcome = await attempt(context, body);
      if ('startOver' in outcome) throw new Error('A body that never starts over did.');
      return outcome;
    },
  };
}

/** The key's holder took too long; the lock timeout ended this transaction. */
class KeyInFlight extends Error {}

class Undone extends Error {
  readonly outcome: StartOver;

  constructor(outcome: StartOver) {
    super('The comparison is outdated.');
    this.outcome = outcome;
  }
}

async function runBody<T>(
  { connection, cipher }: { readonly connection: Connection; readonly cipher: SecretCipher | null },
  context: Context<T>,
  body: (transaction: Transaction) => Promise<Outcome<T> | StartOver>,
): Promise<Outcome<T> | StartOver> {
  let now: Timestamp | null = null;
  let hasWritten = false;
  const transaction: Transaction = {
    ...factsOf(connection, cipher),
    now: () => {
      now ??= context.now();
      return now;
    },
    apply: async (writes) => {
      hasWritten = true;
      await applyWrites(connection, { context, now: transaction.now(), cipher }, writes);
    },
  };
  const outcome = await body(transaction);
  if (hasWritten && !('startOver' in outcome) && !outcome.ok) {
    throw new Error(`A verb wrote and then refused (${outcome.failure.code}): that is a bug.`);
  }
  return outcome;
}

function refuseInFlight(): Outcome<never> {
  return refuse(
    'IDEMPOTENCY_CONFLICT',
    'Another request with this Idempotency-Key is being answered. Try again in a moment.',
  );
}

/**
 * Returns false if the key is taken. Of two requests with one key, the second waits for the first.
 */
async function claimKey(connection: Connection, context: Context<never>): Promise<boolean> {
  const { idempotency, actor } = context;
  if (idempotency === undefined) return true;
  const now = context.now();
  await setLockTimeout(connection, keyWaitMs);
  const claimed = await connection
    .query(sql.type(nothingRow)`
    insert into idempotency (actor_id, key, method, path, body_digest, created_at)
    values (${actor.id}, ${idempotency.key}, ${idempotency.method}, ${idempotency.path},
      ${idempotency.bodyDigest}, ${now})
    on conflict (actor_id, key, method, path) do update
    set body_digest = excluded.body_digest, created_at = excluded.created_at,
      status = null, body = null
    where idempotency.created_at < ${now}::timestamptz - make_interval(hours => ${keepHours})`)
    .catch((error: unknown) => {
      throw isLockTimeout(error) ? new KeyInFlight() : error;
    });
  // Only the key has this short timeout; an asset's lock may take longer.
  await setLockTimeout(connection, 0);
  return claimed.rowCount === 1;
}

async function setLockTimeout(connection: Connection, timeoutMs: number): Promise<void> {
  await connection.query(
    sql.type(nothingRow)`select set_config('lock_timeout', ${String(timeoutMs)}, true)`,
  );
}

async function keepInTransaction<T>(
  connection: Connection,
  context: Context<T>,
  outcome: Outcome<T>,
): Promise<void> {
  const { idempotency, actor } = context;
  if (idempotency === undefined) return;
  const answer = idempotency.represent(outcome);
  const row = sql.fragment`actor_id = ${actor.id} and key = ${idempotency.key}
    and method = ${idempotency.method} and path = ${idempotency.path}`;
  if (answer === null) {
    await connection.query(sql.type(nothingRow)`delete from idempotency where ${row}`);
    return;
  }
  await connection.query(sql.type(nothingRow)`
    update idempotency set status = ${answer.status}, body = ${answer.body} where ${row}`);
}

const keptRow = z.object({
  bodyDigest: z.string(),
  status: z.int().nullable(),
  body: z.string().nullable(),
});

export function findKeptAnswer(pool: DatabasePool): Reads['findKeptAnswer'] {
  return async (actorId, { key, method, path }, now) => {
    const row = await pool.maybeOne(sql.type(keptRow)`
      select body_digest as "bodyDigest", status, body
      from idempotency
      where actor_id = ${actorId} and key = ${key} and method = ${method} and path = ${path}
        and created_at >= ${now}::timestamptz - make_interval(hours => ${keepHours})`);
    if (row === null || row.status === null) return null;
    return { bodyDigest: row.bodyDigest, answer: { status: row.status, body: row.body ?? '' } };
  };
}

export function keepAnswer(pool: DatabasePool): Ports['keepAnswer'] {
  return (actorId, idempotency, answer, at) => keep(pool, actorId, idempotency, answer, at);
}

async function keep(
  pool: DatabasePool,
  actorId: string,
  { key, method, path, bodyDigest }: IdempotencyKey,
  answer: KeptAnswer,
  at: Timestamp,
): Promise<void> {
  await pool.query(sql.type(nothingRow)`
    insert into idempotency (actor_id, key, method, path, body_digest, status, body, created_at)
    values (${actorId}, ${key}, ${method}, ${path}, ${bodyDigest}, ${answer.status},
      ${answer.body}, ${at})
    on conflict (actor_id, key, method, path) do nothing`);
}
