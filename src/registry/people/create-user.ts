import { decideAccess } from '../../core/decide/access.ts';
import type { CreateUser } from '../../core/decide/people/commands.ts';
import { checkReach } from '../../core/decide/people/reach.ts';
import { decideUser } from '../../core/decide/people/user.ts';
import type { User } from '../../core/user.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const createUser: Verb<CreateUser, User> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_users', null);
  if (!access.ok) return access;
  const reach = checkReach(context.actor, command);
  if (!reach.ok) return reach;
  const { email, teamId } = command;
  return ports.transact(context, async (transaction) => {
    await transaction.lockUserNames();
    const namesake = await transaction.findUserByEmail(email);
    const team = teamId === null ? null : await transaction.holdTeam(teamId);
    const decided = decideUser({ namesake, team }, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
};
