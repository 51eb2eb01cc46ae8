import type { Deleted } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { DeleteWebhook } from '../../core/decide/webhooks/commands.ts';
import { decideWebhookAccess, decideWebhookDeletion } from '../../core/decide/webhooks/webhook.ts';
import { applyDecided } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Deletes a webhook with its past and pending deliveries. */
export const deleteWebhook: Verb<DeleteWebhook, Deleted> = async (ports, context, command) => {
  return ports.transact(context, async (transaction) => {
    const webhook = await transaction.lockWebhook(command.webhookId);
    if (webhook === null) return notFound('WEBHOOK', command.webhookId);
    const access = decideWebhookAccess(context.actor, webhook);
    if (!access.ok) return access;
    return applyDecided(transaction, decideWebhookDeletion(webhook, command));
  });
};
