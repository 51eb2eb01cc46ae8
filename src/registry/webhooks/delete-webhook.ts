import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { webhookEvent } from '../../core/decide/events.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { accept } from '../../core/failure.ts';
import type { Verb } from '../commands.ts';
import type { DeleteWebhook } from './webhooks.ts';

/** With everything that was delivered to it, and what still waits. */
export const deleteWebhook: Verb<DeleteWebhook, Deleted> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_webhooks', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const webhook = await transaction.lockWebhook(command.webhookId);
    if (webhook === null) return notFound('WEBHOOK', command.webhookId);
    if (command.precondition?.(webhook) === false) return preconditionFailed();
    const event = webhookEvent('webhook.deleted', webhook);
    await transaction.apply([{ kind: 'delete_webhook', id: webhook.id, events: [event] }]);
    return accept({ deleted: true });
  });
};
