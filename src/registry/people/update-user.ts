import { decideAccess } from '../../core/decide/access.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { UpdateUser } from '../../core/decide/people/commands.ts';
import { checkReach } from '../../core/decide/people/reach.ts';
import { decideUserUpdate } from '../../core/decide/people/user.ts';
import type { User } from '../../core/user.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { tryAgain } from '../try-again.ts';

export const updateUser: Verb<UpdateUser, User> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_users', null);
  if (!access.ok) return access;
  const { userId, email, teamId } = command;
  return tryAgain(() =>
    ports.attempt(context, async (transaction) => {
      await transaction.lockUserNames();
      const lockedAssets =
        teamId === undefined ? [] : await transaction.lockAssetsOwnedBy([userId]);
      const user = await transaction.lockUser(userId);
      if (user === null) return notFound('USER', userId);
      const reach = checkReach(context.actor, user, command);
      if (!reach.ok) return reach;
      const namesake = email === undefined ? null : await transaction.findUserByEmail(email);
      const team = teamId == null ? null : await transaction.holdTeam(teamId);
      const ownedAssets = teamId === undefined ? [] : await transaction.findAssetsOwnedBy([userId]);
      const facts = { user, namesake, team, lockedAssets, ownedAssets };
      const decided = decideUserUpdate(facts, command, byOf(context, transaction));
      return applyDecided(transaction, decided);
    }),
  );
};
