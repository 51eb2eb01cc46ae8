import type { Asset } from '../../core/asset.ts';
import { decideAccess } from '../../core/decide/access.ts';
import { type StartOver, startOver } from '../../core/decide/decided.ts';
import { assetEvent, userEvent } from '../../core/decide/events.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import type { Write } from '../../core/decide/write.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { Timestamp } from '../../core/id.ts';
import type { User } from '../../core/user.ts';
import type { JsonObject } from '../../core/value/json.ts';
import type { Verb } from '../commands.ts';
import type { Transaction } from '../transaction.ts';
import { tryAgain } from '../try-again.ts';
import { userExists } from './create-user.ts';
import type { UpdateUser } from './user-commands.ts';

export const updateUser: Verb<UpdateUser, User> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_users', null);
  if (!access.ok) return access;
  return tryAgain(() => ports.attempt(context, (transaction) => update(transaction, command)));
};

async function update(
  transaction: Transaction,
  command: UpdateUser,
): Promise<Outcome<User> | StartOver> {
  const { passwordHash } = command;
  await transaction.lockUserNames();
  const locked =
    command.teamId === undefined ? [] : await transaction.lockAssetsOwnedBy(command.userId);
  const user = await transaction.lockUser(command.userId);
  if (user === null) return notFound('USER', command.userId);
  if (command.precondition?.(user) === false) return preconditionFailed();
  const wanted = applyTo(user, command);
  const namesake = await transaction.findUserByEmail(wanted.email);
  if (namesake !== null && namesake.id !== user.id) return userExists(namesake);
  const { teamId } = wanted;
  const leaves = teamId !== user.teamId;
  if (teamId !== null && leaves && (await transaction.holdTeam(teamId)) === null) {
    return notFound('TEAM', teamId, 'team_id');
  }
  const left = leaves ? await transaction.findAssetsOwnedBy(user.id) : [];
  // One that the user was given while we waited for the user: it is locked in its turn.
  if (left.some(({ id }) => !locked.includes(id))) return startOver;
  const from = described(user);
  const to = described(wanted);
  const isSame = JSON.stringify(from) === JSON.stringify(to);
  if (isSame && passwordHash === undefined) return accept(user);
  const at = transaction.now();
  const updated = { ...wanted, updatedAt: at };
  const told = { from, to, password_changed: passwordHash !== undefined };
  await transaction.apply([
    ...left.map((asset) => leaveToTeam(asset, at)),
    {
      kind: 'update_user',
      user: updated,
      passwordHash,
      endsSessions: passwordHash !== undefined,
      events: [userEvent('user.updated', updated, told)],
    },
  ]);
  return accept(updated);
}

/** Who owns an asset is a member of the team that owns it: what is left belongs to the team alone. */
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
    deactivatedAt: command.reactivate === true ? null : user.deactivatedAt,
  };
}

function described(user: User): JsonObject {
  return {
    email: user.email,
    name: user.name,
    team_id: user.teamId,
    role: user.role,
    deactivated_at: user.deactivatedAt,
  };
}
