import type { Actor } from '../../actor.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { TeamId, Timestamp } from '../../id.ts';
import type { User } from '../../user.ts';
import { formatOf, mailTo, originOf, type Webhook } from '../../webhook.ts';
import { decideAccess } from '../access.ts';
import type { Deleted } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { webhookEvent } from '../events.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import type { Write } from '../write.ts';
import type {
  ChooseNotifications,
  Chosen,
  CreateWebhook,
  DeleteWebhook,
  UpdateWebhook,
} from './commands.ts';

/** Members of a team set up its notifications, administrators everybody's. */
export function decideWebhookAccess(
  actor: Actor,
  { teamId }: Pick<Webhook, 'teamId'>,
): Outcome<true> {
  const act = teamId === null ? 'manage_webhooks' : 'manage_team_webhooks';
  return decideAccess(actor, act, teamId);
}

export function decideReplay(actor: Actor, webhook: Webhook): Outcome<true> {
  const access = decideWebhookAccess(actor, webhook);
  if (!access.ok || webhook.stoppedAt === null) return access;
  const message = 'Nothing is sent, because this webhook was stopped. Start it first.';
  return refuse('VALIDATION_ERROR', message);
}

interface NamedFacts {
  /** Why nothing is ever sent to the new URL; null if it is. */
  readonly refusedUrl: string | null;
  /** The named teams that exist. */
  readonly heldTeams: readonly TeamId[];
}

export function decideWebhook(
  facts: NamedFacts,
  { secret, ...command }: CreateWebhook,
  { newId, at }: By,
): Outcome<Decided<Webhook>> {
  const { teamId } = command;
  if (teamId !== null && !facts.heldTeams.includes(teamId)) {
    return notFound('TEAM', teamId, 'team_id');
  }
  const webhook: Webhook = {
    ...command,
    id: newId(),
    events: [...new Set(command.events)],
    teamIds: teamIdsOf(command, command.teamIds),
    userId: null,
    stoppedAt: null,
    createdAt: at,
    updatedAt: at,
  };
  const refused = checkWebhook(facts, webhook, command.teamIds);
  if (refused !== null) return refused;
  return accept({ writes: [insertionOf(webhook, secret)], answer: webhook });
}

function insertionOf(webhook: Webhook, secret: string): Write {
  const events = [webhookEvent('webhook.created', webhook)] as const;
  return { kind: 'insert_webhook', webhook, secret, events };
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
  const { webhookId: _, precondition: __, stopped, ...terms } = command;
  const changesTerms = Object.values(terms).some((each) => each !== undefined);
  if (webhook.userId !== null && (changesTerms || stopped === false)) {
    const message =
      'This is what a user chose to be told, and only that user changes it or starts it again. Stop or delete it here.';
    return refuse('VALIDATION_ERROR', message);
  }
  const { teamIds, url = webhook.url, secret } = command;
  const wanted: Webhook = {
    ...webhook,
    url,
    format:
      command.format ?? (formatOf(url) === formatOf(webhook.url) ? webhook.format : formatOf(url)),
    events: command.events === undefined ? webhook.events : [...new Set(command.events)],
    teamIds: teamIds === undefined ? webhook.teamIds : teamIdsOf(webhook, teamIds),
    dailyAt: command.dailyAt === undefined ? webhook.dailyAt : command.dailyAt,
    stoppedAt: stoppedAt(webhook, stopped, at),
  };
  const refused = checkWebhook(facts, wanted, teamIds ?? []);
  if (refused !== null) return refused;
  return change(webhook, wanted, secret, at);
}

function stoppedAt(webhook: Webhook, stopped: boolean | undefined, at: Timestamp) {
  if (stopped === undefined) return webhook.stoppedAt;
  return stopped ? (webhook.stoppedAt ?? at) : null;
}

function change(
  webhook: Webhook,
  wanted: Webhook,
  secret: string | undefined,
  at: Timestamp,
): Outcome<Decided<Webhook>> {
  if (secret === undefined && JSON.stringify(wanted) === JSON.stringify(webhook)) {
    return accept({ writes: [], answer: webhook });
  }
  const updated = { ...wanted, updatedAt: at };
  const event = webhookEvent('webhook.updated', updated, {
    from: {
      origin: originOf(webhook.url),
      format: webhook.format,
      events: webhook.events,
      team_ids: webhook.teamIds,
      daily_at: webhook.dailyAt,
      stopped_at: webhook.stoppedAt,
    },
    url_changed: updated.url !== webhook.url,
    secret_changed: secret !== undefined,
  });
  return accept({
    writes: [{ kind: 'update_webhook', webhook: updated, secret, events: [event] }],
    answer: updated,
  });
}

interface ChoiceFacts {
  readonly user: User;
  /** What the user chose before. */
  readonly webhook: Webhook | null;
  /** Why no letter is sent to the user's address; null if it is. */
  readonly refusedUrl: string | null;
}

/** A user's own choice needs no right: it tells what the user may read anyway. */
export function decideChoice(
  { user, webhook, refusedUrl }: ChoiceFacts,
  { sent, events, dailyAt, secret }: ChooseNotifications,
  { newId, at }: By,
): Outcome<Decided<Chosen>> {
  if (!sent) {
    const writes = webhook === null ? [] : [deletionOfWebhook(webhook)];
    return accept({ writes, answer: { user, webhook: null } });
  }
  if (refusedUrl !== null) return refuse('VALIDATION_ERROR', refusedUrl, { field: 'sent' });
  const terms = { events: [...new Set(events)], dailyAt, stoppedAt: null };
  if (webhook !== null) {
    const changed = change(webhook, { ...webhook, ...terms }, undefined, at);
    if (!changed.ok) return changed;
    const { writes, answer } = changed.value;
    return accept({ writes, answer: { user, webhook: answer } });
  }
  const made: Webhook = {
    ...terms,
    ...{ id: newId(), url: mailTo(user), format: 'email', userId: user.id },
    ...{ teamId: null, teamIds: [], createdAt: at, updatedAt: at },
  };
  return accept({ writes: [insertionOf(made, secret)], answer: { user, webhook: made } });
}

export function decideWebhookDeletion(
  webhook: Webhook,
  command: DeleteWebhook,
): Outcome<Decided<Deleted>> {
  if (command.precondition?.(webhook) === false) return preconditionFailed();
  return accept({ writes: [deletionOfWebhook(webhook)], answer: { deleted: true } });
}

export function deletionOfWebhook(webhook: Webhook): Write {
  const events = [webhookEvent('webhook.deleted', webhook)] as const;
  return { kind: 'delete_webhook', id: webhook.id, events };
}

/** A team is told what is for it, and nothing else. */
function teamIdsOf(
  { teamId }: Pick<Webhook, 'teamId'>,
  teamIds: readonly TeamId[],
): readonly TeamId[] {
  return teamId === null ? [...new Set(teamIds)] : [teamId];
}

function checkWebhook(
  { refusedUrl, heldTeams }: NamedFacts,
  { url, format, teamId }: Webhook,
  teamIds: readonly TeamId[],
): Outcome<never> | null {
  if ((formatOf(url) === 'email') !== (format === 'email')) {
    const message =
      format === 'email'
        ? 'The format email needs a mailto: address, such as mailto:shop@example.com.'
        : `An e-mail has the format email, and not ${format}. Leave format out.`;
    return refuse('VALIDATION_ERROR', message, { field: 'format' });
  }
  // Deliveries to it would wait until they are given up.
  if (refusedUrl !== null) return refuse('VALIDATION_ERROR', refusedUrl, { field: 'url' });
  if (teamId !== null && teamIds.some((each) => each !== teamId)) {
    const message =
      'The notifications of a team are about what concerns the team itself. Leave team_ids out, or ask an administrator.';
    return refuse('VALIDATION_ERROR', message, { field: 'team_ids' });
  }
  // A filter by a missing team would never match an event.
  const missing = teamIds.find((each) => !heldTeams.includes(each));
  return missing === undefined ? null : notFound('TEAM', missing, 'team_ids');
}
