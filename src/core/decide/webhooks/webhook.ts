import { accept, type Outcome, refuse } from '../../failure.ts';
import type { TeamId } from '../../id.ts';
import { originOf, type Webhook } from '../../webhook.ts';
import type { Deleted } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { webhookEvent } from '../events.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import type { CreateWebhook, DeleteWebhook, UpdateWebhook } from './commands.ts';

interface NamedFacts {
  /** The address of the new URL, if it is never called. */
  readonly refusedAddress: string | null;
  /** The named teams that exist. */
  readonly heldTeams: readonly TeamId[];
}

export function decideWebhook(
  facts: NamedFacts,
  { url, secret, events, teamIds }: CreateWebhook,
  { newId, at }: By,
): Outcome<Decided<Webhook>> {
  const refused = checkAddress(facts) ?? checkTeams(facts, teamIds);
  if (refused !== null) return refused;
  const webhook: Webhook = {
    id: newId(),
    url,
    events: [...new Set(events)],
    teamIds: [...new Set(teamIds)],
    createdAt: at,
    updatedAt: at,
  };
  const event = webhookEvent('webhook.created', webhook);
  return accept({
    writes: [{ kind: 'insert_webhook', webhook, secret, events: [event] }],
    answer: webhook,
  });
}

interface WebhookFacts extends NamedFacts {
  readonly webhook: Webhook;
}

export function decideWebhookUpdate(
  { webhook, ...facts }: WebhookFacts,
  command: UpdateWebhook,
  { at }: By,
): Outcome<Decided<Webhook>> {
  if (command.precondition?.(webhook) === false) return preconditionFailed();
  const refused = checkAddress(facts) ?? checkTeams(facts, command.teamIds ?? []);
  if (refused !== null) return refused;
  const wanted: Webhook = {
    ...webhook,
    url: command.url ?? webhook.url,
    events: command.events === undefined ? webhook.events : [...new Set(command.events)],
    teamIds: command.teamIds === undefined ? webhook.teamIds : [...new Set(command.teamIds)],
  };
  const { secret } = command;
  if (secret === undefined && JSON.stringify(wanted) === JSON.stringify(webhook)) {
    return accept({ writes: [], answer: webhook });
  }
  const updated = { ...wanted, updatedAt: at };
  const event = webhookEvent('webhook.updated', updated, {
    from: { origin: originOf(webhook.url), events: webhook.events, team_ids: webhook.teamIds },
    url_changed: updated.url !== webhook.url,
    secret_changed: secret !== undefined,
  });
  return accept({
    writes: [{ kind: 'update_webhook', webhook: updated, secret, events: [event] }],
    answer: updated,
  });
}

export function decideWebhookDeletion(
  webhook: Webhook,
  command: DeleteWebhook,
): Outcome<Decided<Deleted>> {
  if (command.precondition?.(webhook) === false) return preconditionFailed();
  const { id } = webhook;
  const event = webhookEvent('webhook.deleted', webhook);
  return accept({
    writes: [{ kind: 'delete_webhook', id, events: [event] }],
    answer: { deleted: true },
  });
}

/** Deliveries to it would wait until they are given up. */
function checkAddress({ refusedAddress }: NamedFacts): Outcome<never> | null {
  if (refusedAddress === null) return null;
  return refuse(
    'VALIDATION_ERROR',
    `${refusedAddress} is a private or special address, which webhooks do not call. Use a public address, or ask an operator to add its network to WEBHOOK_ALLOWED_NETWORKS.`,
    { field: 'url' },
  );
}

/** A filter by a missing team would never match an event. */
function checkTeams({ heldTeams }: NamedFacts, teamIds: readonly TeamId[]): Outcome<never> | null {
  const missing = teamIds.find((teamId) => !heldTeams.includes(teamId));
  return missing === undefined ? null : notFound('TEAM', missing, 'team_ids');
}
