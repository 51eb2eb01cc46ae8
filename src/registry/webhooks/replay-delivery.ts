import { webhookEvent } from '../../core/decide/events.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { ReplayDelivery, Replayed } from '../../core/decide/webhooks/commands.ts';
import { decideReplay } from '../../core/decide/webhooks/webhook.ts';
import { accept } from '../../core/failure.ts';
import type { Verb } from '../commands.ts';

/**
 * Sends a delivery again, after those that wait for the same asset. An unfinished delivery is left
 * as it is.
 */
export const replayDelivery: Verb<ReplayDelivery, Replayed> = async (ports, context, command) => {
  const { webhookId, deliveryId } = command;
  return ports.transact(context, async (transaction) => {
    const webhook = await transaction.lockWebhook(webhookId);
    if (webhook === null) return notFound('WEBHOOK', webhookId);
    const access = decideReplay(context.actor, webhook);
    if (!access.ok) return access;
    const delivery = await transaction.findDelivery(webhookId, deliveryId);
    if (delivery === null) return notFound('DELIVERY', deliveryId);
    if (delivery.state === 'pending') return accept(delivery);
    const event = webhookEvent('webhook.updated', webhook, { replayed: [deliveryId] });
    await transaction.apply([
      { kind: 'replay_deliveries', webhookId, which: [deliveryId], events: [event] },
    ]);
    const after = await transaction.findDelivery(webhookId, deliveryId);
    return after === null ? notFound('DELIVERY', deliveryId) : accept(after);
  });
};
