import type { CreateWebhook } from '../../core/decide/webhooks/commands.ts';
import { decideWebhook, decideWebhookAccess } from '../../core/decide/webhooks/webhook.ts';
import type { Webhook } from '../../core/webhook.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Creates a webhook, which receives events from now on. */
export const createWebhook: Verb<CreateWebhook, Webhook> = async (ports, context, command) => {
  const access = decideWebhookAccess(context.actor, command);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const { teamId, teamIds } = command;
    const heldTeams = await transaction.holdTeams(teamId === null ? teamIds : [teamId, ...teamIds]);
    const refusedUrl = ports.refuseUrl?.(command.url) ?? null;
    const decided = decideWebhook({ heldTeams, refusedUrl }, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
};
