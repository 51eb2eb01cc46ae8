import { decideAccess } from '../core/access.ts';
import { userEvent } from '../core/drafts.ts';
import { accept } from '../core/failure.ts';
import type { JsonObject } from '../core/json.ts';
import type { User } from '../core/user.ts';
import type { Verb } from './commands.ts';
import { userExists } from './create-user.ts';
import { notFound, preconditionFailed } from './not-found.ts';
import type { UpdateUser } from './user-commands.ts';

export const updateUser: Verb<UpdateUser, User> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_users', null);
  if (!access.ok) return access;
  const { passwordHash } = command;
  return ports.transact(context, async (transaction) => {
    await transaction.lockUserNames();
    const user = await transaction.lockUser(command.userId);
    if (user === null) return notFound('USER', command.userId);
    if (command.precondition?.(user) === false) return preconditionFailed();
    const wanted = applyTo(user, command);
    const namesake = await transaction.findUserByEmail(wanted.email);
    if (namesake !== null && namesake.id !== user.id) return userExists(namesake);
    const { teamId } = wanted;
    if (teamId !== null && teamId !== user.teamId) {
      if ((await transaction.holdTeam(teamId)) === null) return notFound('TEAM', teamId, 'team_id');
    }
    const from = described(user);
    const to = described(wanted);
    const isSame = JSON.stringify(from) === JSON.stringify(to);
    if (isSame && passwordHash === undefined) return accept(user);
    const updated = { ...wanted, updatedAt: transaction.now() };
    const told = { from, to, password_changed: passwordHash !== undefined };
    await transaction.apply([
      {
        kind: 'update_user',
        user: updated,
        passwordHash,
        endsSessions: passwordHash !== undefined,
        events: [userEvent('user.updated', updated, told)],
      },
    ]);
    return accept(updated);
  });
};

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
