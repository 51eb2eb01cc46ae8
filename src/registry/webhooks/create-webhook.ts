import { decideAccess } from '../../core/decide/access.ts';
import type { CreateWebhook } from '../../core/decide/webhooks/commands.ts';
import { decideWebhook } from '../../core/decide/webhooks/webhook.ts';
import type { Webhook } from '../../core/webhook.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Creates a webhook, which receives events from now on. */
export const createWebhook: Verb<CreateWebhook, Webhook> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_webhooks', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const heldTeams = await transaction.holdTeams(command.teamIds);
    const refusedAddress = ports.refusedAddressOf?.(command.url) ?? null;
    const decided = decideWebhook(
      { heldTeams, refusedAddress },
      command,
      byOf(context, transaction),
    );
    return applyDecided(transaction, decided);
  });
};
