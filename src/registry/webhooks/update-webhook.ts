import { decideAccess } from '../../core/decide/access.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { UpdateWebhook } from '../../core/decide/webhooks/commands.ts';
import { decideWebhookUpdate } from '../../core/decide/webhooks/webhook.ts';
import type { Webhook } from '../../core/webhook.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Pending deliveries go to the new URL. */
export const updateWebhook: Verb<UpdateWebhook, Webhook> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_webhooks', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const webhook = await transaction.lockWebhook(command.webhookId);
    if (webhook === null) return notFound('WEBHOOK', command.webhookId);
    const heldTeams = await transaction.holdTeams(command.teamIds ?? []);
    const refusedAddress =
      command.url === undefined ? null : (ports.refusedAddressOf?.(command.url) ?? null);
    const facts = { webhook, heldTeams, refusedAddress };
    const by = byOf(context, transaction);
    return applyDecided(transaction, decideWebhookUpdate(facts, command, by));
  });
};
