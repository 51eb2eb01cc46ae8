import { webhookEvent } from '../../core/decide/events.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { ReplayParked } from '../../core/decide/webhooks/commands.ts';
import { decideReplay } from '../../core/decide/webhooks/webhook.ts';
import { accept } from '../../core/failure.ts';
import type { Webhook } from '../../core/webhook.ts';
import type { Verb } from '../commands.ts';

/** Sends every delivery again that was given up, in the order of events for each asset. */
export const replayParked: Verb<ReplayParked, Webhook> = async (ports, context, { webhookId }) => {
  return ports.transact(context, async (transaction) => {
    const webhook = await transaction.lockWebhook(webhookId);
    if (webhook === null) return notFound('WEBHOOK', webhookId);
    const access = decideReplay(context.actor, webhook);
    if (!access.ok) return access;
    const event = webhookEvent('webhook.updated', webhook, { replayed: 'all that was parked' });
    await transaction.apply([
      { kind: 'replay_deliveries', webhookId, which: 'parked', events: [event] },
    ]);
    return accept(webhook);
  });
};
