import { decideAccess } from '../../core/decide/access.ts';
import { webhookEvent } from '../../core/decide/events.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { accept } from '../../core/failure.ts';
import { originOf, type Webhook } from '../../core/webhook.ts';
import type { Verb } from '../commands.ts';
import { holdNamed } from './create-webhook.ts';
import type { UpdateWebhook } from './webhooks.ts';

/** What waits is sent to where it points now. */
export const updateWebhook: Verb<UpdateWebhook, Webhook> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_webhooks', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const webhook = await transaction.lockWebhook(command.webhookId);
    if (webhook === null) return notFound('WEBHOOK', command.webhookId);
    if (command.precondition?.(webhook) === false) return preconditionFailed();
    const known = await holdNamed(transaction, command.teamIds ?? []);
    if (!known.ok) return known;
    const wanted: Webhook = {
      ...webhook,
      url: command.url ?? webhook.url,
      events: command.events === undefined ? webhook.events : [...new Set(command.events)],
      teamIds: command.teamIds === undefined ? webhook.teamIds : [...new Set(command.teamIds)],
    };
    const { secret } = command;
    if (secret === undefined && JSON.stringify(wanted) === JSON.stringify(webhook)) {
      return accept(webhook);
    }
    const updated = { ...wanted, updatedAt: transaction.now() };
    const event = webhookEvent('webhook.updated', updated, {
      from: { origin: originOf(webhook.url), events: webhook.events, team_ids: webhook.teamIds },
      url_changed: updated.url !== webhook.url,
      secret_changed: secret !== undefined,
    });
    await transaction.apply([
      { kind: 'update_webhook', webhook: updated, secret, events: [event] },
    ]);
    return accept(updated);
  });
};
