import { decideAccess } from '../../core/decide/access.ts';
import { webhookEvent } from '../../core/decide/events.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { TeamId } from '../../core/id.ts';
import type { Webhook } from '../../core/webhook.ts';
import type { Verb } from '../commands.ts';
import type { Transaction } from '../transaction.ts';
import type { CreateWebhook } from './webhooks.ts';

/** It is told of what happens from now on. */
export const createWebhook: Verb<CreateWebhook, Webhook> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_webhooks', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const known = await holdNamed(transaction, command.teamIds);
    if (!known.ok) return known;
    const at = transaction.now();
    const webhook: Webhook = {
      id: context.newId(),
      url: command.url,
      events: [...new Set(command.events)],
      teamIds: [...new Set(command.teamIds)],
      createdAt: at,
      updatedAt: at,
    };
    const { secret } = command;
    const event = webhookEvent('webhook.created', webhook);
    await transaction.apply([{ kind: 'insert_webhook', webhook, secret, events: [event] }]);
    return accept(webhook);
  });
};

/** A filter by a team that is not there would never let anything through. */
export async function holdNamed(
  transaction: Transaction,
  teamIds: readonly TeamId[],
): Promise<Outcome<true>> {
  if (teamIds.length === 0) return accept(true);
  const held = new Set(await transaction.holdTeams([...new Set(teamIds)]));
  const missing = teamIds.find((teamId) => !held.has(teamId));
  return missing === undefined ? accept(true) : notFound('TEAM', missing, 'team_ids');
}
