import type { Asset } from '../../asset.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { AssetId, Timestamp } from '../../id.ts';
import type { Team } from '../../team.ts';
import {
  type LockedUser,
  type ScimAccount,
  type User,
  type UserDuty,
  type UserIdentity,
  userDuties,
} from '../../user.ts';
import type { JsonObject } from '../../value/json.ts';
import type { Deleted } from '../commands.ts';
import { type By, type Decided, type StartOver, startOver } from '../decided.ts';
import { assetEvent, userEvent } from '../events.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import type { Write, WriteOf } from '../write.ts';
import type {
  CreateUser,
  DeactivateUser,
  EndedSession,
  EndProviderSession,
  LogIn,
  Proof,
  UpdateUser,
} from './commands.ts';

interface PlaceFacts {
  /** The user with this address, deactivated or not. */
  readonly namesake: User | null;
  /** The requested team. */
  readonly team: Team | null;
}

export function decideUser(
  { namesake, team }: PlaceFacts,
  { email, name, teamId, role, duties, passwordHash }: CreateUser,
  { newId, at }: By,
): Outcome<Decided<User>> {
  if (namesake !== null) return userExists(namesake);
  if (teamId !== null && team === null) return notFound('TEAM', teamId, 'team_id');
  const user: User = {
    id: newId(),
    email,
    name: name.trim(),
    teamId,
    role,
    duties: ordered(duties),
    createdAt: at,
    updatedAt: at,
    deactivatedAt: null,
  };
  const event = userEvent('user.created', user, { has_password: passwordHash !== null });
  return accept({
    writes: [{ kind: 'insert_user', user, passwordHash, events: [event] }],
    answer: user,
  });
}

function userExists(namesake: User): Outcome<never> {
  const state =
    namesake.deactivatedAt === null
      ? 'Change that user'
      : 'It is deactivated. Reactivate it (PATCH with "deactivated_at": null)';
  return refuse(
    'USER_EXISTS',
    `The user ${namesake.id} already has the address ${namesake.email}. ${state}, or use another address.`,
    { field: 'email', details: { user_id: namesake.id } },
  );
}

interface UserUpdateFacts extends PlaceFacts {
  readonly user: LockedUser;
  /** The assets that the user owned before the user was locked. Later ones are not locked. */
  readonly lockedAssets: readonly AssetId[];
  readonly ownedAssets: readonly Asset[];
}

/** The provider whose answer changes a user. */
interface ByProvider {
  readonly provider: string;
  /** Identities that the user gets. */
  readonly identities?: readonly UserIdentity[];
  /** What SCIM keeps from now on; absent if that stays. */
  readonly account?: ScimAccount;
  readonly endsSessions: boolean;
}

export function decideUserUpdate(
  facts: UserUpdateFacts,
  command: UpdateUser,
  { at }: By,
  by: ByProvider | null = null,
): Outcome<Decided<User>> | StartOver {
  const { namesake, team, lockedAssets, ownedAssets } = facts;
  const { deletedTeamId = null, ...user } = facts.user;
  if (command.precondition?.(user) === false) return preconditionFailed();
  if (namesake !== null && namesake.id !== user.id) return userExists(namesake);
  const wanted = applyTo(user, command);
  const { teamId } = wanted;
  const leaves = teamId !== user.teamId;
  if (leaves && teamId !== null && team === null) return notFound('TEAM', teamId, 'team_id');
  const left = leaves ? ownedAssets : [];
  // The user got an asset while we waited for the lock, so that asset must be locked as well.
  if (left.some(({ id }) => !lockedAssets.includes(id))) return startOver;
  const { passwordHash } = command;
  // Whoever is taken out of a deleted team does not come back with it.
  const isTakenOut = command.teamId !== undefined && deletedTeamId !== null;
  const from = described(isTakenOut ? { ...user, teamId: deletedTeamId } : user);
  const to = described(wanted);
  const endsSessions = passwordHash !== undefined || by?.endsSessions === true;
  const { identities = [], account } = by ?? {};
  const isSame =
    JSON.stringify(from) === JSON.stringify(to) && identities.length === 0 && account === undefined;
  if (isSame && !endsSessions) return accept({ writes: [], answer: user });
  const updated = { ...wanted, updatedAt: at };
  const told = {
    ...{ from, to, password_changed: passwordHash !== undefined },
    ...(by !== null && { provider: by.provider, ...identities[0] }),
    ...(by?.endsSessions === true && { sessions_ended: true }),
  };
  const update: WriteOf<'update_user'> = {
    kind: 'update_user',
    user: updated,
    passwordHash,
    ...(identities.length > 0 && { identities }),
    ...(account !== undefined && { account }),
    endsSessions,
    events: [userEvent('user.updated', updated, told)],
  };
  return accept({
    writes: [...left.map((asset) => leaveToTeam(asset, at)), update],
    answer: updated,
  });
}

/** An owning user must be a member of the owning team, so assets lose an owner who leaves it. */
function leaveToTeam(asset: Asset, at: Timestamp): Write {
  const next = { ...asset, ownerUserId: null, ownerUserName: null, updatedAt: at };
  const event = assetEvent('asset.updated', next, {
    team_id: asset.ownerTeamId,
    from: { owner_user_id: asset.ownerUserId },
    to: { owner_user_id: null },
    reason: 'the owning user left the team',
  });
  return { kind: 'update_asset', asset: next, events: [event] };
}

function applyTo(user: User, command: UpdateUser): User {
  return {
    ...user,
    email: command.email ?? user.email,
    name: command.name?.trim() ?? user.name,
    teamId: command.teamId === undefined ? user.teamId : command.teamId,
    role: command.role ?? user.role,
    duties: command.duties === undefined ? user.duties : ordered(command.duties),
    deactivatedAt: command.reactivate === true ? null : user.deactivatedAt,
  };
}

/** Each once, so that the same duties are always written alike. */
function ordered(given: readonly UserDuty[]): readonly UserDuty[] {
  return userDuties.filter((duty) => given.includes(duty));
}

function described(user: User): JsonObject {
  return {
    email: user.email,
    name: user.name,
    team_id: user.teamId,
    role: user.role,
    duties: [...user.duties],
    deactivated_at: user.deactivatedAt,
  };
}

/** Ends the user's sessions and keys; the caches of both react to the event. */
export function decideDeactivation(
  user: User,
  command: DeactivateUser,
  { at }: By,
): Outcome<Decided<Deleted>> {
  if (command.precondition?.(user) === false) return preconditionFailed();
  const answer = { deleted: true } as const;
  // Deactivating a deactivated user changes nothing, and is no error.
  if (user.deactivatedAt !== null) return accept({ writes: [], answer });
  const write: WriteOf<'update_user'> = {
    kind: 'update_user',
    user: { ...user, deactivatedAt: at, updatedAt: at },
    passwordHash: undefined,
    endsSessions: true,
    events: [userEvent('user.deactivated', user)],
  };
  return accept({ writes: [write], answer });
}

interface LogInFacts {
  readonly user: User | null;
  readonly passwordHash: string | null;
}

/**
 * The password or the provider was checked before. If the user was deactivated or got a new password
 * since, there is no session.
 */
export function decideSession(
  { user, passwordHash }: LogInFacts,
  { digest, csrfToken, replaces, proof }: LogIn,
  { at }: By,
): Outcome<Decided<User>> {
  const isSame = proof.kind === 'provider' || passwordHash === proof.passwordHash;
  if (user === null || user.deactivatedAt !== null || !isSame) {
    return refuse('UNAUTHENTICATED', 'The account was changed a moment ago. Sign in again.');
  }
  const session = {
    ...{ digest, userId: user.id, csrfToken, createdAt: at },
    provider: proof.kind === 'provider' ? proof.provider : null,
    providerSession: proof.kind === 'provider' ? proof.session : null,
  };
  const events = [userEvent('auth.login', user, describeProof(proof))] as const;
  return accept({ writes: [{ kind: 'insert_session', session, replaces, events }], answer: user });
}

/** The answer is how many. */
export function decideProviderLogout(
  ended: readonly EndedSession[],
  { provider }: EndProviderSession,
): Outcome<Decided<number>> {
  const writes = ended.map(({ digest, user }): Write => {
    const events = [userEvent('auth.logout', user, { provider, by_provider: true })] as const;
    return { kind: 'delete_session', digest, events };
  });
  return accept({ writes, answer: ended.length });
}

function describeProof(proof: Proof): JsonObject {
  if (proof.kind === 'password') return {};
  const { provider, subject, groups } = proof;
  return { provider, subject, groups: [...groups] };
}
