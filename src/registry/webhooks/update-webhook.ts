import { notFound } from '../../core/decide/not-found.ts';
import type { UpdateWebhook } from '../../core/decide/webhooks/commands.ts';
import { decideWebhookAccess, decideWebhookUpdate } from '../../core/decide/webhooks/webhook.ts';
import type { Webhook } from '../../core/webhook.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Pending deliveries go to the new URL. */
export const updateWebhook: Verb<UpdateWebhook, Webhook> = async (ports, context, command) => {
  return ports.transact(context, async (transaction) => {
    const webhook = await transaction.lockWebhook(command.webhookId);
    if (webhook === null) return notFound('WEBHOOK', command.webhookId);
    const access = decideWebhookAccess(context.actor, webhook);
    if (!access.ok) return access;
    const heldTeams = await transaction.holdTeams(command.teamIds ?? []);
    const refusedUrl = command.url === undefined ? null : (ports.refuseUrl?.(command.url) ?? null);
    const facts = { webhook, heldTeams, refusedUrl };
    const by = byOf(context, transaction);
    return applyDecided(transaction, decideWebhookUpdate(facts, command, by));
  });
};
