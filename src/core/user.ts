// Users own assets, and sign in to the page with the scope of their role.

import type { Actor, Duty, Scope } from './actor.ts';
import type { ScimGroupId, TeamId, Timestamp, UserId } from './id.ts';

export const roles = ['admin', 'editor', 'viewer'] as const;

export type Role = (typeof roles)[number];

/** What a person may do beside the role. */
export const userDuties = ['force', 'manage_people', 'read_audit'] as const satisfies Duty[];

export type UserDuty = (typeof userDuties)[number];

export interface User {
  readonly id: UserId;
  /** Unique ignoring case, also among deactivated users. */
  readonly email: string;
  readonly name: string;
  /** Null without a team; a deleted team has no members. */
  readonly teamId: TeamId | null;
  readonly role: Role;
  readonly duties: readonly UserDuty[];
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly deactivatedAt: Timestamp | null;
}

/** A user as a change finds it. */
export interface LockedUser extends User {
  /** The deleted team that the user would be in again if it is restored. */
  readonly deletedTeamId?: TeamId | null | undefined;
}

/** More would not be found again. */
export const maxSavedViews = 50;

/** A list of the page with its filters, under a name. */
export interface SavedView {
  readonly name: string;
  readonly address: string;
}

/** A user at a provider. Never reused by its issuer, unlike an e-mail address. */
export interface UserIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** The parts of a name that an identity provider keeps by SCIM. */
export const nameParts = ['displayName', 'formatted', 'givenName', 'familyName'] as const;

/** What SCIM keeps of a user beside the user itself. */
export interface ScimAccount {
  /** Unique ignoring case. */
  readonly userName: string;
  /** Who it is in the tokens of the provider. Once set, it does not change. */
  readonly externalId: string | null;
  readonly names: Readonly<Partial<Record<(typeof nameParts)[number], string>>>;
  /** When SCIM deactivated the user. */
  readonly deactivatedAt: Timestamp | null;
  readonly deletedAt: Timestamp | null;
}

export interface ProvisionedUser {
  readonly user: User;
  readonly account: ScimAccount;
}

export interface ScimGroup {
  readonly id: ScimGroupId;
  /** Unique ignoring case. The table of groups is asked with it. */
  readonly displayName: string;
  readonly externalId: string | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

export interface ProvisionedGroup {
  readonly group: ScimGroup;
  /** In order; null if they were not asked for. */
  readonly members: readonly UserId[] | null;
}

export const scopeOfRole: Readonly<Record<Role, Scope>> = {
  admin: 'admin',
  editor: 'write',
  viewer: 'read',
};

/** @example actorOfUser(editorOfTeamA) // { type: 'user', scope: 'write', teams: [a], ... } */
export function actorOfUser(user: Pick<User, 'id' | 'name' | 'role' | 'teamId' | 'duties'>): Actor {
  return {
    type: 'user',
    id: user.id,
    name: user.name,
    scope: scopeOfRole[user.role],
    teams: user.teamId === null ? [] : [user.teamId],
    duties: user.duties,
    userId: user.id,
  };
}
