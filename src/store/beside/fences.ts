// The lease and the fence of each source, and the records that only its leader writes.

import {
  type CommonQueryMethods,
  type DatabasePool,
  type DatabaseTransactionConnection,
  type FragmentSqlToken,
  sql,
} from 'slonik';
import { z } from 'zod';
import type { SecretCipher } from '../../core/secret-cipher.ts';
import type { SourceDescription } from '../../core/source.ts';
import {
  type Fence,
  Fenced,
  type Fences,
  type NamespaceBindings,
  NameTaken,
  unknownAsset,
} from '../../registry/sources/fencing.ts';
import { transactionPatienceMs, whileAvailable } from '../postgres/database-errors.ts';
import { id, nothingRow, writtenRow } from '../postgres/rows.ts';
import { transactions } from '../transact.ts';
import { isAlive, lockOf, lockOut } from './leases.ts';

type Connection = DatabaseTransactionConnection;

const fenceRow = z.object({ fence: z.int(), database: z.string() });
const confirmedRow = z.object({ isConfirmed: z.boolean() });
const placeRow = z.object({ place: z.string() });
const boundRow = z.object({ teamId: id });
const bindingRow = z.object({ namespace: z.string(), slug: z.string(), teamId: id });

/** The longest time for which a leader that froze in the middle of a transaction delays others. */
const idleInTransaction = '5s';

export function fencesOf(pool: DatabasePool, cipher: SecretCipher | null): Fences {
  return {
    take: (source, holder) =>
      whileAvailable(() =>
        pool.transaction(async (connection) => {
          await lockOut(connection, source.identity);
          return take(
            connection,
            source,
            holder,
            sql.fragment`
            lease.cluster is not distinct from excluded.cluster or not ${isAlive}`,
          );
        }),
      ).then((fence) => {
        if (fence === null) throw new NameTaken(source.identity);
        return fence;
      }),

    takeIfExpired: (source, holder, leaseMs) =>
      whileAvailable(async () => {
        // Read before it is locked, because locking would delay the leader at every check.
        if (!(await isExpired(pool, source.identity, leaseMs))) return null;
        return pool.transaction(async (connection) => {
          await lockOut(connection, source.identity);
          return take(connection, source, holder, expired(leaseMs));
        });
      }),

    renew: ({ identity, number }, reading = null) =>
      whileAvailable(async () => {
        const row = await pool.maybeOne(sql.type(confirmedRow)`
          with before as (
            select is_confirmed from controller_lease
            where identity = ${identity} and fence = ${number}
            for update)
          update controller_lease
          set renewed_at = clock_timestamp(), is_confirmed = false,
            read_at = coalesce(${timeAgo(reading?.msAgo ?? null)}, read_at),
            unsettled = coalesce(
              ${reading === null ? null : sql.array([...reading.unsettled], 'text')}::text[],
              unsettled)
          from before
          where identity = ${identity} and fence = ${number}
          returning before.is_confirmed as "isConfirmed"`);
        if (row === null) return 'lost';
        return row.isConfirmed ? 'confirmed' : 'held';
      }),

    listUnread: ({ identity }, identities, asset, withinMs) =>
      whileAvailable(async () => {
        const rows = await pool.any(sql.type(placeRow)`
          select coalesce(lease.place, other.identity) as place
          from (
            select unnest(${sql.array([...identities], 'text')}) as identity
            union
            -- A process of an earlier release does not note what it has read.
            select identity from controller_lease as lease
            where ${isAlive} and read_at is not null) as other
          left join controller_lease as lease on lease.identity = other.identity
          where other.identity <> ${identity}
            and (coalesce(lease.read_at, '-infinity') < ${timeAgo(withinMs)}
              or lease.unsettled && ${sql.array([asset, unknownAsset], 'text')})
          order by 1`);
        return rows.map(({ place }) => place);
      }),

    note: (fence, problem) =>
      asLeader(pool, fence, async (connection) => {
        await connection.query(sql.type(nothingRow)`
          update controller_lease set problem = ${problem}
          where identity = ${fence.identity} and problem is distinct from ${problem}`);
      }),

    giveBack: ({ identity, number }) =>
      whileAvailable(async () => {
        await pool.query(sql.type(nothingRow)`
          update controller_lease set renewed_at = '-infinity'
          where identity = ${identity} and fence = ${number}`);
      }),

    guard: (ports, fence) => {
      const { transact, attempt } = transactions(pool, cipher, (connection) =>
        check(connection, fence),
      );
      return {
        ...ports,
        transact: (context, body) =>
          whileAvailable(() => transact(context, body), transactionPatienceMs),
        attempt: (context, body) =>
          whileAvailable(() => attempt(context, body), transactionPatienceMs),
      };
    },

    bindings: (fence) => bindingsOf(pool, fence),
  };
}

/** Runs one or several statements as the leader that holds this fence. */
export function asLeader<T>(
  pool: DatabasePool,
  fence: Fence,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  return whileAvailable(() =>
    pool.transaction(async (connection) => {
      await check(connection, fence);
      return run(connection);
    }),
  );
}

/** A backup brings back the fence, but not all of these: the start of the server, the database and its file. */
const databaseNow = sql.fragment`(
  select concat_ws('/', extract(epoch from pg_postmaster_start_time()), oid,
    pg_relation_filenode('controller_lease'))
  from pg_database where datname = current_database())`;

/** Stops a leader that was frozen past its lease and wakes up in the middle of its work. */
async function check(connection: Connection, fence: Fence): Promise<void> {
  const { identity, number } = fence;
  await connection.query(sql.type(writtenRow)`
    select set_config('idle_in_transaction_session_timeout', ${idleInTransaction}, true),
      pg_advisory_xact_lock_shared(${lockOf(identity)})`);
  // A separate statement: one that waited for the lock would see the fence from before the wait.
  const row = await connection.maybeOne(sql.type(fenceRow)`
    select fence, ${databaseNow} as database from controller_lease where identity = ${identity}`);
  if (row?.fence !== number) throw new Fenced(identity);
  if (row.database !== fence.database) throw new Fenced(identity, 'database');
}

async function take(
  connection: Connection,
  { identity, kind, place, cluster }: SourceDescription,
  holder: string,
  when: FragmentSqlToken,
): Promise<Fence | null> {
  const row = await connection.maybeOne(sql.type(fenceRow)`
    insert into controller_lease as lease
      (identity, kind, place, cluster, fence, holder, renewed_at)
    values (${identity}, ${kind}, ${place}, ${cluster ?? null}, 1, ${holder}, clock_timestamp())
    on conflict (identity) do update
    set fence = lease.fence + 1, holder = excluded.holder, renewed_at = excluded.renewed_at,
      kind = excluded.kind, place = excluded.place, cluster = excluded.cluster, problem = null
    where ${when}
    returning fence, ${databaseNow} as database`);
  return row === null ? null : { identity, number: row.fence, database: row.database };
}

function expired(leaseMs: number): FragmentSqlToken {
  return sql.fragment`lease.renewed_at < ${timeAgo(leaseMs)}`;
}

/** Before the statement was sent, so that waiting for a lock makes nothing look newer. */
function timeAgo(ms: number | null): FragmentSqlToken {
  const seconds = ms === null ? null : ms / 1000;
  return sql.fragment`(statement_timestamp() - make_interval(secs => ${seconds}::float8))`;
}

async function isExpired(
  connection: CommonQueryMethods,
  identity: string,
  leaseMs: number,
): Promise<boolean> {
  const held = await connection.maybeOne(sql.type(nothingRow)`
    select from controller_lease as lease
    where identity = ${identity} and not (${expired(leaseMs)})`);
  return held === null;
}

function bindingsOf(pool: DatabasePool, fence: Fence): NamespaceBindings {
  const { identity } = fence;
  return {
    load: () =>
      whileAvailable(() =>
        pool.any(sql.type(bindingRow)`
          select namespace, slug, team_id as "teamId" from namespace_team
          where identity = ${identity}`),
      ),
    bind: ({ namespace, slug, teamId }) =>
      asLeader(pool, fence, async (connection) => {
        const row = await connection.one(sql.type(boundRow)`
          insert into namespace_team as bound (identity, namespace, slug, team_id)
          values (${identity}, ${namespace}, ${slug}, ${teamId})
          on conflict (identity, namespace, slug) do update set team_id = bound.team_id
          returning team_id as "teamId"`);
        return row.teamId;
      }),
    unbind: (namespace, slugs) =>
      asLeader(pool, fence, async (connection) => {
        await connection.query(sql.type(nothingRow)`
          delete from namespace_team
          where identity = ${identity} and namespace = ${namespace}
            and slug = any(${sql.array([...slugs], 'text')})`);
      }),
  };
}
