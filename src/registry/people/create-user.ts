import { decideAccess } from '../../core/decide/access.ts';
import { userEvent } from '../../core/decide/events.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { User } from '../../core/user.ts';
import type { Verb } from '../commands.ts';
import type { CreateUser } from './user-commands.ts';

export const createUser: Verb<CreateUser, User> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_users', null);
  if (!access.ok) return access;
  const { email, teamId, role, passwordHash } = command;
  return ports.transact(context, async (transaction) => {
    await transaction.lockUserNames();
    const namesake = await transaction.findUserByEmail(email);
    if (namesake !== null) return userExists(namesake);
    if (teamId !== null && (await transaction.holdTeam(teamId)) === null) {
      return notFound('TEAM', teamId, 'team_id');
    }
    const at = transaction.now();
    const user: User = {
      id: context.newId(),
      email,
      name: command.name.trim(),
      teamId,
      role,
      createdAt: at,
      updatedAt: at,
      deactivatedAt: null,
    };
    const event = userEvent('user.created', user, { has_password: passwordHash !== null });
    await transaction.apply([{ kind: 'insert_user', user, passwordHash, events: [event] }]);
    return accept(user);
  });
};

export function userExists(namesake: User): Outcome<never> {
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
