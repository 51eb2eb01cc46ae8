// Writes webhooks, and schedules deliveries again.

import type { CommonQueryMethods } from 'slonik';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Write, WriteOf } from '../../core/decide/write.ts';
import type { SecretCipher } from '../../core/secret-cipher.ts';
import type { Webhook } from '../../core/webhook.ts';
import { nextSummary, nothingRow } from '../postgres/rows.ts';
import { encryptedTarget, readSecret, storedTarget } from '../postgres/webhook-secrets.ts';

type Of<Kind extends Write['kind']> = readonly WriteOf<Kind>[];

/** They are made and changed one at a time: a loop is a statement. */
export async function insertWebhooks(
  connection: CommonQueryMethods,
  cipher: SecretCipher | null,
  writes: Of<'insert_webhook'>,
) {
  for (const { webhook, secret } of writes) {
    const { userId } = webhook;
    const stored = storedTarget(cipher, webhook.id, { url: storedUrl(webhook), secret });
    await connection.query(sql.type(nothingRow)`
      insert into webhook (id, url, secret, encrypted, format, team_id, events, team_ids,
        user_id, stopped_at, daily_at, summary_due_at, created_at, updated_at)
      values (${webhook.id}, ${stored.url}, ${stored.secret}, ${stored.encrypted},
        ${webhook.format}, ${webhook.teamId},
        ${sql.array([...webhook.events], 'text')},
        ${sql.array(userId === null ? [...webhook.teamIds] : [userId], 'uuid')},
        ${userId}, ${webhook.stoppedAt}, ${webhook.dailyAt},
        ${nextSummary(sql.fragment`${webhook.dailyAt}::integer`)},
        ${webhook.createdAt}, ${webhook.updatedAt})`);
  }
}

export async function updateWebhooks(
  connection: CommonQueryMethods,
  cipher: SecretCipher | null,
  writes: Of<'update_webhook'>,
) {
  for (const { webhook, secret } of writes) {
    const { userId } = webhook;
    const stored = storedTarget(cipher, webhook.id, {
      url: storedUrl(webhook),
      secret: secret ?? (await secretOf(connection, cipher, webhook.id)),
    });
    await connection.query(sql.type(nothingRow)`
      update webhook
      set url = ${stored.url}, secret = ${stored.secret}, encrypted = ${stored.encrypted},
        format = ${webhook.format}, events = ${sql.array([...webhook.events], 'text')},
        team_ids = ${sql.array(userId === null ? [...webhook.teamIds] : [userId], 'uuid')},
        stopped_at = ${webhook.stoppedAt}, daily_at = ${webhook.dailyAt},
        summary_due_at = case when daily_at is distinct from ${webhook.dailyAt}
          then ${nextSummary(sql.fragment`${webhook.dailyAt}::integer`)} else summary_due_at end,
        updated_at = ${webhook.updatedAt}
      where id = ${webhook.id}`);
    if (webhook.stoppedAt !== null) await dropWaiting(connection, webhook.id);
  }
}

/** Lanes before what waits in them, as those who send lock them. */
async function dropWaiting(connection: CommonQueryMethods, webhookId: string) {
  await connection.query(
    sql.type(nothingRow)`delete from delivery_lane where webhook_id = ${webhookId}`,
  );
  await connection.query(sql.type(nothingRow)`
    delete from delivery where webhook_id = ${webhookId} and state = 'pending'`);
}

/** Of a user's own choice, the address is the user's of today. */
function storedUrl({ url, userId }: Webhook): string {
  return userId === null ? url : 'mailto:';
}

/** The update locked the row before. */
async function secretOf(
  connection: CommonQueryMethods,
  cipher: SecretCipher | null,
  webhookId: string,
): Promise<string> {
  const row = await connection.one(sql.type(targetRow)`
    select url, secret, ${encryptedTarget} as encrypted from webhook where id = ${webhookId}`);
  return readSecret(cipher, webhookId, row);
}

const targetRow = z.object({
  url: z.string(),
  secret: z.string(),
  encrypted: z.string().nullable(),
});

export async function deleteWebhooks(connection: CommonQueryMethods, writes: Of<'delete_webhook'>) {
  for (const write of writes) {
    await dropWaiting(connection, write.id);
    await connection.query(sql.type(nothingRow)`delete from webhook where id = ${write.id}`);
  }
}

/** After pending deliveries, in the order of events. Lanes are locked first, as everywhere. */
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
    // Who sends again does not wait for tomorrow. One that is under way looks for more when it ends.
    await connection.query(sql.type(nothingRow)`
      update webhook set summary_due_at = clock_timestamp()
      where id = ${webhookId} and daily_at is not null and summary_claim is null`);
  }
}
