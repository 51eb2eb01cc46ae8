import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { DeactivateUser } from '../../core/decide/people/commands.ts';
import { checkReach } from '../../core/decide/people/reach.ts';
import { decideDeactivation } from '../../core/decide/people/user.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const deactivateUser: Verb<DeactivateUser, Deleted> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_users', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const user = await transaction.lockUser(command.userId);
    if (user === null) return notFound('USER', command.userId);
    const reach = checkReach(context.actor, user);
    if (!reach.ok) return reach;
    const decided = decideDeactivation(user, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
};
