import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { DeleteWebhook } from '../../core/decide/webhooks/commands.ts';
import { decideWebhookDeletion } from '../../core/decide/webhooks/webhook.ts';
import { applyDecided } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Deletes a webhook with its past and pending deliveries. */
export const deleteWebhook: Verb<DeleteWebhook, Deleted> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_webhooks', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const webhook = await transaction.lockWebhook(command.webhookId);
    if (webhook === null) return notFound('WEBHOOK', command.webhookId);
    return applyDecided(transaction, decideWebhookDeletion(webhook, command));
  });
};
