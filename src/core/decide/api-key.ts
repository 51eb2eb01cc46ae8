// What a key may do, and when it ends.

import { type Actor, highestScope, lowerScope, mayAcknowledge } from '../actor.ts';
import { accept, type Outcome, refuse } from '../failure.ts';
import type { Timestamp } from '../id.ts';
import type { ApiKey } from '../team.ts';
import { scopeOfRole, type User } from '../user.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** How long before its end a key is reported. One that lives no longer than this never is. */
export const keyWarningMs = 30 * dayMs;

/**
 * When a new key ends: when it is asked to, or as late as the registry allows. No limit is null.
 *
 * @example decideKeyEnd('2026-01-01T00:00:00.000Z', undefined, 365) // '2027-01-01T00:00:00.000Z'
 */
export function decideKeyEnd(
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
 * @example actorOfKey(adminKey, { role: 'viewer', teamId: null }).scope // 'read'
 */
export function actorOfKey(key: ApiKey, user: Pick<User, 'role' | 'teamId'> | null): Actor {
  const actor: Actor = {
    type: 'api_key',
    id: key.id,
    name: key.name,
    scope: highestScope(key.scopes),
    teams: key.allTeams ? 'all' : key.teamIds,
    ...(key.scopes.includes('acknowledge') && { acknowledges: true }),
    ...(key.userId !== null && { userId: key.userId }),
  };
  if (user === null || user.role === 'admin') return actor;
  const own = user.teamId === null ? [] : [user.teamId];
  const reachesAll = actor.scope === 'admin' || actor.teams === 'all';
  return {
    ...actor,
    scope: lowerScope(actor.scope, scopeOfRole[user.role]),
    teams: reachesAll ? own : own.filter((teamId) => key.teamIds.includes(teamId)),
    // A key of several teams does not get the right by having one left.
    acknowledges: user.role === 'editor' && mayAcknowledge(actor),
  };
}
