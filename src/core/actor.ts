// Who acts. Authentication makes an actor; every verb takes one; every audit event names one.

import type { ManagedBy } from './asset.ts';
import type { TeamId, UserId } from './id.ts';

export type ActorType = 'user' | 'api_key' | 'bootstrap' | 'controller' | 'system';

/** `admin` implies `write` implies `read`: an actor holds the highest it was given. */
export type Scope = 'read' | 'write' | 'admin';

export interface Actor {
  readonly type: ActorType;
  /** The user, the key, or for the controller the resource's uid: always a UUID. */
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** The teams that it acts for. An admin acts for any, whatever stands here. */
  readonly teams: 'all' | readonly TeamId[];
  readonly userId?: UserId;
  /** Of a controller: the place whose assets it writes, and no other's. */
  readonly manages?: ManagedBy;
}

/** What a row keeps of who made it. */
export interface ActorReference {
  readonly type: ActorType;
  readonly id: string;
  readonly name: string;
}

/** Fixed ids, so that the audit trail of two installations names these two alike. */
export const bootstrapActor: Actor = {
  type: 'bootstrap',
  id: '00000000-0000-7000-8000-000000000001',
  name: 'bootstrap key',
  scope: 'admin',
  teams: 'all',
};

/** Acts by itself: auto_publish, retention, a migration whose date has come. */
export const systemActor: Actor = {
  type: 'system',
  id: '00000000-0000-7000-8000-000000000002',
  name: 'system',
  scope: 'admin',
  teams: 'all',
};

/** Who has not said yet who they are: failed logins are told of in this name. */
export const visitorActor: Actor = {
  type: 'system',
  id: '00000000-0000-7000-8000-000000000003',
  name: 'somebody not signed in',
  scope: 'read',
  teams: [],
};

export function actorReference(actor: Actor): ActorReference {
  return { type: actor.type, id: actor.id, name: actor.name };
}

const rank: Readonly<Record<Scope, number>> = { read: 0, write: 1, admin: 2 };

/** @example hasScope('admin', 'write') // true */
export function hasScope(held: Scope, needed: Scope): boolean {
  return rank[held] >= rank[needed];
}

/** The scope that a key's list comes to. */
export function highestScope(scopes: readonly Scope[]): Scope {
  return scopes.reduce((held, next) => (rank[next] > rank[held] ? next : held), 'read' as Scope);
}

/** @example actsFor({ ...key, scope: 'write', teams: [a] }, b) // false */
export function actsFor(actor: Actor, teamId: TeamId): boolean {
  return actor.scope === 'admin' || actor.teams === 'all' || actor.teams.includes(teamId);
}
