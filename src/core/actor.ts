// The actor: made by authentication, passed to every verb, and named in every audit event.

import type { ManagedBy } from './asset.ts';
import type { TeamId, UserId } from './id.ts';

export type ActorType = 'user' | 'api_key' | 'bootstrap' | 'controller' | 'system';

/** `admin` implies `write` implies `read`: an actor holds the highest it was given. */
export type Scope = 'read' | 'write' | 'admin';

/** Rights of an administrator that are also given one by one. */
export const duties = ['force', 'manage_people', 'read_audit', 'scim'] as const;

export type Duty = (typeof duties)[number];

/** The scopes of a key: three that imply each other, and rights that are given one by one. */
export const keyScopes = ['read', 'acknowledge', 'write', ...duties, 'admin'] as const;

export type KeyScope = (typeof keyScopes)[number];

export interface Actor {
  readonly type: ActorType;
  /** The user, the key, or for the controller the resource's uid: always a UUID. */
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** The teams that it acts for. An admin acts for all, whatever this says. */
  readonly teams: 'all' | readonly TeamId[];
  /** If set, it decides in place of the scope and the teams. */
  readonly acknowledges?: boolean;
  /** Beside the scope; an admin has them all. */
  readonly duties?: readonly Duty[];
  readonly userId?: UserId;
  /** For a controller: the only source whose assets it may write. */
  readonly manages?: ManagedBy;
  /** For the controller on behalf of a Team: the slug of the only team that it may declare. */
  readonly declares?: string;
}

/** The part of an actor that a row stores about its author. */
export interface ActorReference {
  readonly type: ActorType;
  readonly id: string;
  readonly name: string;
}

/** Fixed ids, so that both have the same names in the audit trail of every installation. */
export const bootstrapActor: Actor = {
  type: 'bootstrap',
  id: '00000000-0000-7000-8000-000000000001',
  name: 'bootstrap key',
  scope: 'admin',
  teams: 'all',
};

/** Acts automatically: auto_publish, retention, due migrations. */
export const systemActor: Actor = {
  type: 'system',
  id: '00000000-0000-7000-8000-000000000002',
  name: 'system',
  scope: 'admin',
  teams: 'all',
};

/** The actor of failed sign-ins, before the user is known. */
export const visitorActor: Actor = {
  type: 'system',
  id: '00000000-0000-7000-8000-000000000003',
  name: 'an anonymous caller',
  scope: 'read',
  teams: [],
};

/** The actor of the link in a letter, which ends the letters without signing in. */
export const letterActor: Actor = {
  type: 'system',
  id: '00000000-0000-7000-8000-000000000004',
  name: 'the link in a letter',
  scope: 'admin',
  teams: 'all',
};

export function actorReference(actor: Actor): ActorReference {
  return { type: actor.type, id: actor.id, name: actor.name };
}

const rank: Readonly<Record<Scope, number>> = { read: 0, write: 1, admin: 2 };

/** @example hasScope('admin', 'write') // true */
export function hasScope(held: Scope, needed: Scope): boolean {
  return rank[held] >= rank[needed];
}

/** @example lowerScope('admin', 'read') // 'read' */
export function lowerScope(a: Scope, b: Scope): Scope {
  return hasScope(a, b) ? b : a;
}

/** The highest scope in the list of a key. */
export function highestScope(scopes: readonly KeyScope[]): Scope {
  return scopes.reduce<Scope>(
    (held, next) => (isScope(next) && rank[next] > rank[held] ? next : held),
    'read',
  );
}

function isScope(scope: KeyScope): scope is Scope {
  return scope in rank;
}

/** @example hasDuty(adminKey, 'force') // true */
export function hasDuty({ scope, duties: held = [] }: Actor, duty: Duty): boolean {
  return scope === 'admin' || held.includes(duty);
}

/**
 * Whether the actor may answer proposals for the teams that it acts for. A key that writes for one
 * team may answer for it. A key that writes for several, such as the CI of many teams, may answer
 * only if it has the scope.
 *
 * @example mayAcknowledge({ ...key, scope: 'write', teams: 'all' }) // false
 */
export function mayAcknowledge({ scope, teams, acknowledges }: Actor): boolean {
  if (scope === 'admin') return true;
  return acknowledges ?? (scope === 'write' && teams !== 'all' && teams.length === 1);
}

/**
 * Whether its scopes include this one. The team is checked where it is known.
 *
 * @example holdsScope(keyOfOneTeam, 'acknowledge') // true, if it may write
 */
export function holdsScope(actor: Actor, needed: KeyScope): boolean {
  if (isScope(needed)) return hasScope(actor.scope, needed);
  if (needed !== 'acknowledge') return hasDuty(actor, needed);
  return actor.acknowledges === true || hasScope(actor.scope, 'write');
}

/** @example actsFor({ ...key, scope: 'write', teams: [a] }, b) // false */
export function actsFor(actor: Actor, teamId: TeamId): boolean {
  return actor.scope === 'admin' || actor.teams === 'all' || actor.teams.includes(teamId);
}
