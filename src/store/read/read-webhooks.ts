// Reads webhooks and their deliveries for people who view and edit them. Sending is in outbox.ts.

import { type CommonQueryMethods, type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { accept } from '../../core/failure.ts';
import type { SecretCipher } from '../../core/secret-cipher.ts';
import {
  type Delivery,
  deliveryStates,
  maxCountedDeliveries,
  type Webhook,
  webhookFormats,
} from '../../core/webhook.ts';
import type { Reads } from '../../registry/ports.ts';
import type { Transaction } from '../../registry/transaction.ts';
import { id, notifiedEventType, timestamp } from '../postgres/rows.ts';
import { encryptedTarget, readUrl, userUrl } from '../postgres/webhook-secrets.ts';
import { defineList, listPage } from './list.ts';

const webhookRow = z.object({
  id,
  url: z.string(),
  format: z.enum(webhookFormats),
  teamId: id.nullable(),
  events: z.array(notifiedEventType),
  teamIds: z.array(id),
  userId: id.nullable(),
  userUrl: z.string().nullable(),
  dailyAt: z.int().nullable(),
  stoppedAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  encrypted: z.string().nullable(),
});

type WebhookRow = z.infer<typeof webhookRow>;

const webhookColumns = sql.fragment`
  webhook.id, webhook.url, webhook.format, webhook.team_id as "teamId", webhook.events, webhook.team_ids as "teamIds",
  webhook.daily_at as "dailyAt", webhook.user_id as "userId", ${userUrl} as "userUrl",
  webhook.stopped_at as "stoppedAt",
  webhook.created_at as "createdAt", webhook.updated_at as "updatedAt",
  ${encryptedTarget} as encrypted`;

function webhookOf(
  cipher: SecretCipher | null,
  { encrypted, userUrl: own, ...row }: WebhookRow,
): Webhook {
  const url = own ?? readUrl(cipher, row.id, { url: row.url, encrypted });
  return { ...row, url, teamIds: own === null ? row.teamIds : [] };
}

const listedRow = webhookRow.extend({
  pending: z.int(),
  parked: z.int(),
  failingSince: timestamp.nullable(),
  lastError: z.string().nullable(),
});

type ListedRow = z.infer<typeof listedRow>;

/** Found by the index of a webhook's deliveries by state, and never more than are counted. */
const health = sql.fragment`
  select count(*) as pending, min(created_at) filter (where attempts > 0) as "failingSince",
    (array_agg(last_error order by created_at, id) filter (where attempts > 0))[1] as "lastError",
    (select count(*) from (
      select from delivery where delivery.webhook_id = webhook.id and delivery.state = 'parked'
      limit ${maxCountedDeliveries}) as one) as parked
  from (
    select delivery.id, delivery.created_at, delivery.attempts, delivery.last_error from delivery
    where delivery.webhook_id = webhook.id and delivery.state = 'pending'
    order by delivery.created_at, delivery.id
    limit ${maxCountedDeliveries}) as waiting`;

const isFailing = sql.fragment`exists (
  select from delivery
  where delivery.webhook_id = webhook.id
    and (delivery.state = 'parked' or (delivery.state = 'pending' and delivery.attempts > 0)))`;

const deliveryRow = z.object({
  id,
  webhookId: id,
  eventId: id,
  eventType: notifiedEventType,
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
  shape: listedRow,
  columns: sql.fragment`${webhookColumns},
    health.pending, health.parked, health."failingSince", health."lastError"`,
  tables: sql.fragment`webhook cross join lateral (${health}) as health`,
  countedTables: sql.fragment`webhook`,
  id: sql.fragment`webhook.id`,
  sorts: { created_at: { column: sql.fragment`webhook.created_at`, type: 'timestamptz' } },
  defaultSort: { field: 'created_at', direction: 'descending' },
  toEntity: (row): ListedRow => row,
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

type WebhookReads = Pick<
  Reads,
  'getWebhook' | 'findChoice' | 'listWebhooks' | 'getDelivery' | 'listDeliveries'
>;

export function readWebhooks(pool: DatabasePool, cipher: SecretCipher | null): WebhookReads {
  return {
    getWebhook: async (webhookId) => {
      const row = await pool.maybeOne(
        sql.type(webhookRow)`select ${webhookColumns} from webhook where id = ${webhookId}`,
      );
      return row === null ? null : webhookOf(cipher, row);
    },
    findChoice: async (userId) => {
      const row = await pool.maybeOne(sql.type(webhookRow)`
        select ${webhookColumns} from webhook where webhook.user_id = ${userId}`);
      return row === null ? null : webhookOf(cipher, row);
    },
    listWebhooks: async ({ ofTeams, teamId, isFailing: failing, ...query }) => {
      const conditions: FragmentSqlToken[] = [];
      if (ofTeams === 'any_team') conditions.push(sql.fragment`webhook.team_id is not null`);
      else if (ofTeams !== 'all') {
        conditions.push(sql.fragment`webhook.team_id = any(${sql.array([...ofTeams], 'uuid')})`);
      }
      if (teamId !== undefined) conditions.push(sql.fragment`webhook.team_id = ${teamId}`);
      if (failing !== undefined) {
        conditions.push(failing ? isFailing : sql.fragment`not ${isFailing}`);
      }
      const page = await listPage(pool, webhooks, conditions, query);
      if (!page.ok) return page;
      const { results, ...rest } = page.value;
      return accept({
        ...rest,
        results: results.map(({ pending, parked, failingSince, lastError, ...row }) => ({
          ...webhookOf(cipher, row),
          health: { pending, parked, failingSince, lastError },
        })),
      });
    },
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

/** Through the asset's events, which have an index; deliveries have none by asset. */
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

type WebhookFacts = Pick<Transaction, 'lockWebhook' | 'lockChoice' | 'findDelivery'>;

export function webhookFactsOf(
  connection: CommonQueryMethods,
  cipher: SecretCipher | null,
): WebhookFacts {
  return {
    // Two editors at once; and deleting against messages being handed to it meanwhile.
    lockWebhook: async (webhookId) => {
      const row = await connection.maybeOne(sql.type(webhookRow)`
        select ${webhookColumns} from webhook where id = ${webhookId} for update`);
      return row === null ? null : webhookOf(cipher, row);
    },
    lockChoice: async (userId) => {
      const row = await connection.maybeOne(sql.type(webhookRow)`
        select ${webhookColumns} from webhook where webhook.user_id = ${userId} for update`);
      return row === null ? null : webhookOf(cipher, row);
    },
    findDelivery: (webhookId, deliveryId) => findDelivery(connection, webhookId, deliveryId),
  };
}

/** Those that the team set up. */
export async function webhooksOfTeam(
  connection: CommonQueryMethods,
  cipher: SecretCipher | null,
  teamId: string,
): Promise<readonly Webhook[]> {
  const rows = await connection.any(sql.type(webhookRow)`
    select ${webhookColumns} from webhook where webhook.team_id = ${teamId} order by webhook.id for update`);
  return rows.map((row) => webhookOf(cipher, row));
}
