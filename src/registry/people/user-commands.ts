// What the verbs about people and their sessions are asked.

import type { TeamId, UserId } from '../../core/id.ts';
import type { Role, User } from '../../core/user.ts';
import type { JsonObject } from '../../core/value/json.ts';

/** Passwords come as far as this only as their slow hash. */
export interface CreateUser {
  readonly email: string;
  readonly name: string;
  readonly teamId: TeamId | null;
  readonly role: Role;
  /** Null for who does not sign in. */
  readonly passwordHash: string | null;
}

export interface UpdateUser {
  readonly userId: UserId;
  readonly precondition?: ((current: User) => boolean) | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** Null takes the user out of every team. */
  readonly teamId?: TeamId | null | undefined;
  readonly role?: Role | undefined;
  /** Another password ends every session of the user. */
  readonly passwordHash?: string | undefined;
  readonly reactivate?: boolean | undefined;
}

export interface DeactivateUser {
  readonly userId: UserId;
  readonly precondition?: ((current: User) => boolean) | undefined;
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

/** Somebody who was not let in, or a request that was not taken for theirs. */
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
  readonly newPassword: () => string;
  readonly hashPassword: (password: string) => Promise<string>;
}

export interface FirstAdmin {
  readonly email: string;
  /** Only where it was made just now: nothing can show it again. */
  readonly password?: string;
}
