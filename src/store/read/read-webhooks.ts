// Webhooks and their deliveries, as people see and change them. Sending them is outbox.ts.

import { type CommonQueryMethods, type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { type Delivery, deliveryStates, toldEventTypes, type Webhook } from '../../core/webhook.ts';
import type { Reads } from '../../registry/ports.ts';
import type { Transaction, Write, WriteOf } from '../../registry/transaction.ts';
import { id, nothingRow, timestamp } from '../postgres/rows.ts';
import { defineList, listPage } from './list.ts';

const webhookRow = z.object({
  id,
  url: z.string(),
  events: z.array(z.enum(toldEventTypes)),
  teamIds: z.array(id),
  createdAt: timestamp,
  updatedAt: timestamp,
}) satisfies z.ZodType<Webhook>;

const webhookColumns = sql.fragment`
  webhook.id, webhook.url, webhook.events, webhook.team_ids as "teamIds",
  webhook.created_at as "createdAt", webhook.updated_at as "updatedAt"`;

const deliveryRow = z.object({
  id,
  webhookId: id,
  eventId: id,
  eventType: z.enum(toldEventTypes),
  assetId: id,
  sequence: z.int(),
  teamIds: z.array(id),
  state: z.enum(deliveryStates),
  attempts: z.int(),
  lastStatus: z.int().nullable(),
  lastError: z.string().nullable(),
  lastAttemptAt: timestamp.nullable(),
  nextAttemptAt: timestamp.nullable(),
  createdAt: timestamp,
  finishedAt: timestamp.nullable(),
}) satisfies z.ZodType<Delivery>;

const deliveryColumns = sql.fragment`
  delivery.id, delivery.webhook_id as "webhookId", delivery.event_id as "eventId",
  delivery.event_type as "eventType", delivery.asset_id as "assetId", delivery.sequence,
  delivery.team_ids as "teamIds", delivery.state, delivery.attempts,
  delivery.last_status as "lastStatus", delivery.last_error as "lastError",
  delivery.last_attempt_at as "lastAttemptAt", delivery.next_attempt_at as "nextAttemptAt",
  delivery.created_at as "createdAt", delivery.finished_at as "finishedAt"`;

const webhooks = defineList({
  shape: webhookRow,
  columns: webhookColumns,
  tables: sql.fragment`webhook`,
  countedTables: sql.fragment`webhook`,
  id: sql.fragment`webhook.id`,
  sorts: { created_at: { column: sql.fragment`webhook.created_at`, type: 'timestamptz' } },
  defaultSort: { field: 'created_at', direction: 'descending' },
  toEntity: (row): Webhook => row,
});

const deliveries = defineList({
  shape: deliveryRow,
  columns: deliveryColumns,
  tables: sql.fragment`delivery`,
  countedTables: sql.fragment`delivery`,
  id: sql.fragment`delivery.id`,
  sorts: { created_at: { column: sql.fragment`delivery.created_at`, type: 'timestamptz' } },
  defaultSort: { field: 'created_at', direction: 'descending' },
  toEntity: (row): Delivery => row,
});

type WebhookReads = Pick<Reads, 'getWebhook' | 'listWebhooks' | 'getDelivery' | 'listDeliveries'>;

export function readWebhooks(pool: DatabasePool): WebhookReads {
  return {
    getWebhook: (webhookId) =>
      pool.maybeOne(
        sql.type(webhookRow)`select ${webhookColumns} from webhook where id = ${webhookId}`,
      ),
    listWebhooks: (query) => listPage(pool, webhooks, [], query),
    getDelivery: (webhookId, deliveryId) => findDelivery(pool, webhookId, deliveryId),
    listDeliveries: (query) => {
      const conditions = [sql.fragment`delivery.webhook_id = ${query.webhookId}`];
      if (query.state !== undefined) {
        conditions.push(sql.fragment`delivery.state = ${query.state}`);
      }
      if (query.assetId !== undefined) conditions.push(about(query.assetId));
      return listPage(pool, deliveries, conditions, query);
    },
  };
}

/** Found by the asset's events, which have an index: what was delivered has none by asset. */
function about(assetId: string): FragmentSqlToken {
  return sql.fragment`delivery.asset_id = ${assetId} and delivery.event_id = any(array(
    select audit_event.id from audit_event where audit_event.asset_id = ${assetId}))`;
}

function findDelivery(
  connection: CommonQueryMethods,
  webhookId: string,
  deliveryId: string,
): Promise<Delivery | null> {
  return connection.maybeOne(sql.type(deliveryRow)`
    select ${deliveryColumns} from delivery
    where delivery.id = ${deliveryId} and delivery.webhook_id = ${webhookId}`);
}

type WebhookFacts = Pick<Transaction, 'lockWebhook' | 'findDelivery'>;

export function webhookFactsOf(connection: CommonQueryMethods): WebhookFacts {
  return {
    // Two editors at once; and deleting against messages being handed to it meanwhile.
    lockWebhook: (webhookId) =>
      connection.maybeOne(sql.type(webhookRow)`
        select ${webhookColumns} from webhook where id = ${webhookId} for update`),
    findDelivery: (webhookId, deliveryId) => findDelivery(connection, webhookId, deliveryId),
  };
}

type Of<Kind extends Write['kind']> = readonly WriteOf<Kind>[];

/** They are made and changed one at a time: a loop is a statement. */
export async function insertWebhooks(connection: CommonQueryMethods, writes: Of<'insert_webhook'>) {
  for (const { webhook, secret } of writes) {
    await connection.query(sql.type(nothingRow)`
      insert into webhook (id, url, secret, events, team_ids, created_at, updated_at)
      values (${webhook.id}, ${webhook.url}, ${secret}, ${sql.array([...webhook.events], 'text')},
        ${sql.array([...webhook.teamIds], 'uuid')}, ${webhook.createdAt}, ${webhook.updatedAt})`);
  }
}

export async function updateWebhooks(connection: CommonQueryMethods, writes: Of<'update_webhook'>) {
  for (const { webhook, secret } of writes) {
    await connection.query(sql.type(nothingRow)`
      update webhook
      set url = ${webhook.url}, secret = coalesce(${secret ?? null}, secret),
        events = ${sql.array([...webhook.events], 'text')},
        team_ids = ${sql.array([...webhook.teamIds], 'uuid')}, updated_at = ${webhook.updatedAt}
      where id = ${webhook.id}`);
  }
}

/** Lanes before what waits in them, as those who send lock them. */
export async function deleteWebhooks(connection: CommonQueryMethods, writes: Of<'delete_webhook'>) {
  for (const write of writes) {
    await connection.query(
      sql.type(nothingRow)`delete from delivery_lane where webhook_id = ${write.id}`,
    );
    await connection.query(sql.type(nothingRow)`delete from webhook where id = ${write.id}`);
  }
}

/** Behind what waits, in the order in which they happened; lanes are locked first, as always. */
export async function replayDeliveries(
  connection: CommonQueryMethods,
  writes: Of<'replay_deliveries'>,
) {
  for (const { webhookId, which } of writes) {
    const chosen =
      which === 'parked'
        ? sql.fragment`state = 'parked'`
        : sql.fragment`state <> 'pending' and id = any(${sql.array([...which], 'uuid')})`;
    const asked = sql.fragment`
      select id, asset_id, sequence from delivery where webhook_id = ${webhookId} and ${chosen}`;
    await connection.query(sql.type(nothingRow)`
      insert into delivery_lane (webhook_id, asset_id, due_at)
      select ${webhookId}::uuid, asset_id, clock_timestamp() from (${asked}) asked
      group by asset_id
      on conflict (webhook_id, asset_id) do update
      set due_at = coalesce(delivery_lane.due_at, excluded.due_at)`);
    await connection.query(sql.type(nothingRow)`
      with placed as materialized (
        select id, nextval(pg_get_serial_sequence('outbox', 'id')) as place
        from (select id from (${asked}) asked order by sequence, id) ordered
      )
      update delivery
      set state = 'pending', is_replay = true, place = placed.place, attempts = 0,
        last_error = null, next_attempt_at = null, finished_at = null,
        queued_at = clock_timestamp()
      from placed
      where delivery.id = placed.id`);
  }
}
