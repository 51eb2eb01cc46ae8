// What is asked for metrics: how much waits, and for how long. Each count stops at a limit, and each
// age is one look at an index, whatever the tables hold.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { keyWarningMs } from '../../core/decide/people/api-key.ts';
import { anAdministrator, endsBetween, isSending } from '../postgres/rows.ts';
import { countPlain } from '../postgres/webhook-secrets.ts';

/** Counts of what waits in the registry, the same in every replica. */
export type Figures = z.infer<typeof figuresRow>;

/** The state of the pool, without a query. */
export interface PoolFigures {
  readonly busy: number;
  readonly idle: number;
  readonly opening: number;
  readonly waiting: number;
}

/** Nobody needs exact numbers beyond this. */
const countLimit = 10_000;

const figuresRow = z.object({
  pendingProposals: z.int(),
  approvedProposals: z.int(),
  oldestProposalSeconds: z.number(),
  overdueProposals: z.int(),
  failingAssets: z.int(),
  outboxMessages: z.int(),
  outboxOldestSeconds: z.number(),
  pendingDeliveries: z.int(),
  parkedDeliveries: z.int(),
  laneOverdueSeconds: z.number(),
  failingSeconds: z.number(),
  unsealedSeconds: z.number(),
  strayEvents: z.boolean(),
  endingKeys: z.int(),
  plainSecrets: z.int(),
  hasAdministrator: z.boolean(),
  databaseBytes: z.number(),
});

export function readFigures(pool: DatabasePool): Promise<Figures> {
  const now = new Date();
  const warned = new Date(now.getTime() + keyWarningMs);
  const upTo = sql.fragment`limit ${countLimit}`;
  const age = (since: ReturnType<typeof sql.fragment>) =>
    sql.fragment`coalesce(greatest(extract(epoch from clock_timestamp() - ${since}), 0), 0)::float8`;
  return pool.one(sql.type(figuresRow)`
    select
      (select count(*) from (select from proposal where status = 'pending' ${upTo}) counted)::integer
        as "pendingProposals",
      (select count(*) from (select from proposal where status = 'approved' ${upTo}) counted)::integer
        as "approvedProposals",
      ${age(sql.fragment`(
        select proposed_at from proposal where status = 'pending' order by proposed_at limit 1
      )`)} as "oldestProposalSeconds",
      (select count(*) from (
        select from proposal
        where status = 'pending' and answer_by < (clock_timestamp() at time zone 'UTC')::date ${upTo}
      ) counted)::integer as "overdueProposals",
      (select count(*) from (
        select from newest_quality_run
        join asset on asset.id = newest_quality_run.asset_id and asset.deleted_at is null
        where newest_quality_run.status = 'failed' ${upTo}
      ) counted)::integer as "failingAssets",
      (select count(*) from (select from outbox ${upTo}) counted)::integer as "outboxMessages",
      ${age(sql.fragment`(select created_at from outbox order by id limit 1)`)}
        as "outboxOldestSeconds",
      (select count(*) from (select from delivery where state = 'pending' ${upTo}) counted)::integer
        as "pendingDeliveries",
      (select count(*) from (
        select from delivery where state = 'parked' and finished_at is not null ${upTo}
      ) counted)::integer as "parkedDeliveries",
      ${age(sql.fragment`(
        select min(due_at) from (
          select due_at from delivery_lane
          join webhook on webhook.id = delivery_lane.webhook_id and webhook.daily_at is null
            and ${isSending}
          union all
          select summary_due_at from webhook where daily_at is not null
        ) due)`)}
        as "laneOverdueSeconds",
      ${age(sql.fragment`(
        select min(queued_at) from delivery where state = 'pending' and attempts > 0
      )`)} as "failingSeconds",
      ${age(sql.fragment`(
        select occurred_at
        from audit_event
        where transaction_id >= (select pg_snapshot_xmax(snapshot) from audit_seal_state)
        order by transaction_id, id
        limit 1
      )`)} as "unsealedSeconds",
      exists (select from audit_event_default) as "strayEvents",
      (select count(*) from (
        select from api_key where ${endsBetween(now.toISOString(), warned.toISOString())} ${upTo}
      ) counted)::integer as "endingKeys",
      ${countPlain} as "plainSecrets",
      ${anAdministrator} as "hasAdministrator",
      pg_database_size(current_database()) as "databaseBytes"`);
}

export function readPool(pool: DatabasePool): PoolFigures {
  const { acquiredConnections, idleConnections, pendingConnections, waitingClients } = pool.state();
  return {
    busy: acquiredConnections,
    idle: idleConnections,
    opening: pendingConnections,
    waiting: waitingClients,
  };
}
