// The commands of the verbs about teams, keys, users and sessions.

import type { KeyScope } from '../../actor.ts';
import type { ManagedBy } from '../../asset.ts';
import type { Outcome } from '../../failure.ts';
import type { ApiKeyId, ScimGroupId, TeamId, Timestamp, TrustId, UserId } from '../../id.ts';
import type { CheckedToken, Team, Trust } from '../../team.ts';
import type {
  ProvisionedGroup,
  ProvisionedUser,
  Role,
  ScimAccount,
  ScimGroup,
  User,
  UserDuty,
} from '../../user.ts';
import type { JsonObject } from '../../value/json.ts';
import type { Overriding } from '../access.ts';
import type { Guarded } from '../commands.ts';
import type { Place, ProviderClaims, Provisioning, SignInProblem } from './sign-in.ts';

export interface RestoreTeam {
  readonly teamId: TeamId;
}

/** Passwords reach core only as their slow hash. */
export interface CreateUser {
  readonly email: string;
  readonly name: string;
  readonly teamId: TeamId | null;
  readonly role: Role;
  readonly duties: readonly UserDuty[];
  /** Null for users without a password. */
  readonly passwordHash: string | null;
}

export interface UpdateUser extends Guarded<User> {
  readonly userId: UserId;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** Null removes the user from every team. */
  readonly teamId?: TeamId | null | undefined;
  readonly role?: Role | undefined;
  readonly duties?: readonly UserDuty[] | undefined;
  /** A new password ends every session of the user. */
  readonly passwordHash?: string | undefined;
  readonly reactivate?: boolean | undefined;
}

export interface DeactivateUser extends Guarded<User> {
  readonly userId: UserId;
}

/** Follows a correct password, or the answer of a provider. */
export interface LogIn {
  readonly userId: UserId;
  readonly proof: Proof;
  readonly digest: Uint8Array;
  readonly csrfToken: string;
  /** The browser's previous session, which ends. */
  readonly replaces: Uint8Array | null;
}

/** What showed who the user is. */
export type Proof =
  | { readonly kind: 'password'; readonly passwordHash: string }
  | {
      readonly kind: 'provider';
      readonly provider: string;
      readonly subject: string;
      /** What the provider calls its session; null if it does not say. */
      readonly session: string | null;
      /** The groups of the provider's table that the user is in. */
      readonly groups: readonly string[];
    };

/** Somebody signed out of a provider: of one of its sessions, or, without one, of all. */
export interface EndProviderSession {
  readonly provider: string;
  readonly issuer: string;
  /** Null if the provider names only the session. */
  readonly subject: string | null;
  readonly session: string | null;
  /** Sessions that began later go on. */
  readonly until: Timestamp;
}

export interface EndedSession {
  readonly digest: Uint8Array;
  readonly user: User;
}

/** Finds or creates the user that a provider named, and sets the team and the role that the groups give. */
export interface AdmitUser {
  readonly provider: string;
  readonly claims: ProviderClaims;
  readonly place: Place;
  /** Whether a verified address links the identity to the user who has that address. */
  readonly linksVerifiedEmail: boolean;
  /** Null if this provider keeps nobody by SCIM. */
  readonly provisioning: Provisioning | null;
}

export type AdmittedUser =
  | {
      readonly kind: 'admitted';
      readonly user: User;
      /** The groups of the table that gave the place. */
      readonly groups: readonly string[];
    }
  /** The user is null if nobody here has this identity. */
  | { readonly kind: 'refused'; readonly problem: SignInProblem; readonly user: User | null };

/** By SCIM: what the provider wants a user to be. */
export interface WantedAccount extends Pick<ScimAccount, 'userName' | 'externalId' | 'names'> {
  readonly email: string;
  readonly name: string;
  readonly isActive: boolean;
}

/** Makes, changes or deletes a user by SCIM. */
export interface ProvisionUser {
  readonly provisioning: Provisioning;
  /** Null for a new user. */
  readonly userId: UserId | null;
  /** What is wanted, by what there is under its lock; null to delete the user. */
  readonly revise: (current: ProvisionedUser | null) => Outcome<WantedAccount | null>;
}

export interface WantedGroup extends Pick<ScimGroup, 'displayName' | 'externalId'> {
  readonly members: ReadonlySet<UserId>;
}

/** Makes, changes or deletes a group by SCIM. */
export interface ProvisionGroup {
  readonly provisioning: Provisioning;
  /** Null for a new group. */
  readonly groupId: ScimGroupId | null;
  /** Null deletes the group. */
  readonly revise: (current: ProvisionedGroup | null) => Outcome<WantedGroup | null>;
}

export interface LogOut {
  readonly user: User;
  readonly digest: Uint8Array;
}

/** A failed sign-in, or a request whose session was not accepted. */
export interface RecordRefusedEntry {
  readonly type: 'auth.login_failed' | 'auth.denied';
  /** Null if no user has the address, or if a key was refused. */
  readonly user: User | null;
  readonly metadata: JsonObject;
}

/** The caller generates and hashes passwords, because the registry does neither. */
export interface EnsureFirstAdmin {
  readonly email: string | undefined;
  readonly password: string | undefined;
  /** Generates a password and puts it where the operator will look for it. */
  readonly newPassword: () => Promise<string>;
  readonly hashPassword: (password: string) => Promise<string>;
}

export interface FirstAdmin {
  readonly email: string;
  /** Only for a new password, which cannot be shown again. */
  readonly password?: string;
}

// Teams and keys. createTeam, updateTeam and issueApiKey return what they made.

export interface CreateTeam {
  readonly name: string;
  readonly slug?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface UpdateTeam extends Guarded<Team>, Overriding {
  readonly teamId: TeamId;
  readonly name?: string | undefined;
  /** A merge patch. */
  readonly metadata?: JsonObject | undefined;
  /** The object that manages the team from now on; null for none. */
  readonly managedBy?: ManagedBy | null | undefined;
}

/** By an object of a source, which is the actor's. */
export interface DeclareTeam {
  readonly slug: string;
  /** If absent, the slug for a new team; another keeps its name. */
  readonly name?: string | undefined;
  /** Merged into the metadata. */
  readonly metadata: JsonObject;
}

export interface ReleaseTeam {
  readonly teamId: TeamId;
  readonly slug: string;
  /** Whether the team is deleted too. */
  readonly isDeleted: boolean;
}

export interface DeleteTeam extends Guarded<Team>, Overriding {
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
  /** Generated by the caller, who shows the secret once: `cdt_live_` and 43 characters. */
  readonly secret: { readonly digest: Uint8Array; readonly prefix: string };
}

export interface RevokeApiKey {
  readonly apiKeyId: ApiKeyId;
}

// Trusts. createTrust returns the new trust, and exchangeToken returns the new key.

export type CreateTrust = Omit<Trust, 'id' | 'createdAt'>;

export interface DeleteTrust extends Guarded<Trust> {
  readonly trustId: TrustId;
}

export interface ExchangeToken {
  readonly token: CheckedToken;
  /** Chooses among several trusts that match. */
  readonly trustId?: TrustId | undefined;
  /** As in `IssueApiKey`. */
  readonly secret: IssueApiKey['secret'];
}
