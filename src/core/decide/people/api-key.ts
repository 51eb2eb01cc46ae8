// API keys: their rights, their expiry, and how they are issued and revoked.

import {
  type Actor,
  type Duty,
  duties,
  highestScope,
  lowerScope,
  mayAcknowledge,
} from '../../actor.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { TeamId, Timestamp } from '../../id.ts';
import type { ApiKey } from '../../team.ts';
import { scopeOfRole, type User } from '../../user.ts';
import type { Deleted } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { apiKeyEvent } from '../events.ts';
import type { UserFacts } from '../facts.ts';
import { notFound } from '../not-found.ts';
import type { Write } from '../write.ts';
import type { IssueApiKey } from './commands.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** How long before its expiry a key is reported. A key with a shorter lifetime is not reported. */
export const keyWarningMs = 30 * dayMs;

/** The expiry of a new key: as requested, or as late as the registry allows. Null for no limit. */
function decideKeyEnd(
  now: Timestamp,
  asked: Timestamp | undefined,
  maxDays: number | null,
): Outcome<Timestamp | null> {
  const field = 'expires_at';
  if (asked !== undefined && asked <= now) {
    return refuse('VALIDATION_ERROR', 'expires_at is in the past. Choose a later time.', { field });
  }
  if (maxDays === null) return accept(asked ?? null);
  const latest = new Date(Date.parse(now) + maxDays * dayMs).toISOString();
  if (asked === undefined || asked <= latest) return accept(asked ?? latest);
  return refuse(
    'VALIDATION_ERROR',
    `API keys of this registry expire after at most ${maxDays} days (API_KEY_MAX_DAYS). Choose a time before ${latest}, or omit expires_at.`,
    { field },
  );
}

/**
 * A key that belongs to a user may do no more than the user may now.
 *
 * @example actorOfKey(adminKey, { role: 'viewer', teamId: null, duties: [] }).scope // 'read'
 */
export function actorOfKey(
  key: ApiKey,
  user: Pick<User, 'role' | 'teamId' | 'duties'> | null,
): Actor {
  const named = duties.filter((duty) => key.scopes.includes(duty));
  const actor: Actor = {
    type: 'api_key',
    id: key.id,
    name: key.name,
    scope: highestScope(key.scopes),
    teams: key.allTeams ? 'all' : key.teamIds,
    ...(named.length > 0 && { duties: named }),
    ...(key.scopes.includes('acknowledge') && { acknowledges: true }),
    ...(key.userId !== null && { userId: key.userId }),
    // Whoever wrote the trust named each right; the key of a team would have this one anyway.
    ...(key.trustId !== null && { acknowledges: key.scopes.includes('acknowledge') }),
  };
  if (user === null || user.role === 'admin') return actor;
  const own = user.teamId === null ? [] : [user.teamId];
  const reachesAll = actor.scope === 'admin' || actor.teams === 'all';
  const isNamed = (duty: Duty) => actor.scope === 'admin' || named.includes(duty);
  return {
    ...actor,
    duties: user.duties.filter(isNamed),
    scope: lowerScope(actor.scope, scopeOfRole[user.role]),
    teams: reachesAll ? own : own.filter((teamId) => key.teamIds.includes(teamId)),
    // A key of several teams does not gain the right when only one team is left.
    acknowledges: user.role === 'editor' && mayAcknowledge(actor),
  };
}

interface KeyFacts {
  /** The named teams that exist. */
  readonly heldTeams: readonly TeamId[];
  /** The user of the new key; null if none is named or it does not exist. */
  readonly user: UserFacts | null;
  /** The maximum lifetime of a key in this registry, in days. */
  readonly maxDays: number | null;
}

/** All teams that a new key names, with its own team first. */
export function teamsNamed({ teamId, teamIds = [] }: IssueApiKey): readonly TeamId[] {
  return [...new Set([...(teamId === null ? [] : [teamId]), ...teamIds])];
}

export function decideApiKey(
  { heldTeams, user, maxDays }: KeyFacts,
  command: IssueApiKey,
  { newId, at }: By,
): Outcome<Decided<ApiKey>> {
  const { teamId, userId, secret } = command;
  if (command.scopes.length === 0) {
    const needs =
      'A key needs at least one scope: read, acknowledge, write, force, manage_people, read_audit, scim or admin.';
    return refuse('VALIDATION_ERROR', needs, { field: 'scopes' });
  }
  const end = decideKeyEnd(at, command.expiresAt, maxDays);
  if (!end.ok) return end;
  const teamIds = teamsNamed(command);
  const missing = teamIds.find((each) => !heldTeams.includes(each));
  if (missing !== undefined) {
    return notFound('TEAM', missing, missing === teamId ? 'team_id' : 'team_ids');
  }
  if (userId !== undefined && user === null) return notFound('USER', userId, 'user_id');
  const apiKey: ApiKey = {
    id: newId(),
    name: command.name,
    teamId,
    userId: userId ?? null,
    trustId: null,
    scopes: [...new Set(command.scopes)],
    teamIds,
    allTeams: command.allTeams ?? false,
    prefix: secret.prefix,
    createdAt: at,
    expiresAt: end.value,
    lastUsedAt: null,
    revokedAt: null,
  };
  const events = [apiKeyEvent('api_key.created', apiKey)] as const;
  return accept({
    writes: [{ kind: 'insert_api_key', apiKey, digest: secret.digest, events }],
    answer: apiKey,
  });
}

export function decideRevocation(apiKey: ApiKey, { at }: By): Outcome<Decided<Deleted>> {
  const answer = { deleted: true } as const;
  // Revoking a revoked key changes nothing, and is no error.
  if (apiKey.revokedAt !== null) return accept({ writes: [], answer });
  return accept({ writes: [revocationOf(apiKey, at)], answer });
}

export function revocationOf(apiKey: ApiKey, at: Timestamp): Write {
  const events = [apiKeyEvent('api_key.revoked', apiKey)] as const;
  return { kind: 'revoke_api_key', id: apiKey.id, at, events };
}
