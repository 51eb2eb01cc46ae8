// What the verbs about teams, keys, people and their sessions are asked.

import type { KeyScope } from '../../actor.ts';
import type { ApiKeyId, TeamId, Timestamp, UserId } from '../../id.ts';
import type { Team } from '../../team.ts';
import type { Role, User } from '../../user.ts';
import type { JsonObject } from '../../value/json.ts';
import type { Guarded } from '../commands.ts';

/** Passwords come as far as this only as their slow hash. */
export interface CreateUser {
  readonly email: string;
  readonly name: string;
  readonly teamId: TeamId | null;
  readonly role: Role;
  /** Null for who does not sign in. */
  readonly passwordHash: string | null;
}

export interface UpdateUser extends Guarded<User> {
  readonly userId: UserId;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** Null takes the user out of every team. */
  readonly teamId?: TeamId | null | undefined;
  readonly role?: Role | undefined;
  /** Another password ends every session of the user. */
  readonly passwordHash?: string | undefined;
  readonly reactivate?: boolean | undefined;
}

export interface DeactivateUser extends Guarded<User> {
  readonly userId: UserId;
}

/** After the password was found right: the session is made unless that has changed meanwhile. */
export interface LogIn {
  readonly userId: UserId;
  readonly passwordHash: string;
  readonly digest: Uint8Array;
  readonly csrfToken: string;
  /** The session that the browser had before: it ends. */
  readonly replaces: Uint8Array | null;
}

export interface LogOut {
  readonly user: User;
  readonly digest: Uint8Array;
}

/** A failed sign-in, or a request whose session was not accepted. */
export interface RecordRefusedEntry {
  readonly type: 'auth.login_failed' | 'auth.denied';
  /** Null where no user has the address, and where a key was refused. */
  readonly user: User | null;
  readonly metadata: JsonObject;
}

/** Passwords are made and hashed by who calls: neither is the registry's to do. */
export interface EnsureFirstAdmin {
  readonly email: string | undefined;
  readonly password: string | undefined;
  /** Generates a password and puts it where the operator will look for it. */
  readonly newPassword: () => Promise<string>;
  readonly hashPassword: (password: string) => Promise<string>;
}

export interface FirstAdmin {
  readonly email: string;
  /** Only where it was made just now: nothing can show it again. */
  readonly password?: string;
}

// Teams and keys. createTeam, updateTeam and issueApiKey answer what they made.

export interface CreateTeam {
  readonly name: string;
  readonly slug?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface UpdateTeam extends Guarded<Team> {
  readonly teamId: TeamId;
  readonly name?: string | undefined;
  /** A merge patch. */
  readonly metadata?: JsonObject | undefined;
}

export interface DeleteTeam extends Guarded<Team> {
  readonly teamId: TeamId;
  /** The new owner of its assets. */
  readonly reassignTo?: TeamId | undefined;
}

export interface IssueApiKey {
  readonly name: string;
  readonly teamId: TeamId | null;
  readonly teamIds?: readonly TeamId[] | undefined;
  readonly allTeams?: boolean | undefined;
  readonly userId?: UserId | undefined;
  readonly scopes: readonly KeyScope[];
  readonly expiresAt?: Timestamp | undefined;
  /** Made by the caller, who shows the secret once: `cdt_live_` and 43 characters. */
  readonly secret: { readonly digest: Uint8Array; readonly prefix: string };
}

export interface RevokeApiKey {
  readonly apiKeyId: ApiKeyId;
}
