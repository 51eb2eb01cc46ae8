import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { userEvent } from '../../core/decide/events.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { accept } from '../../core/failure.ts';
import type { Verb } from '../commands.ts';
import type { DeactivateUser } from './user-commands.ts';

/** The sessions end with it, and the user's keys stop working: both hear of the event. */
export const deactivateUser: Verb<DeactivateUser, Deleted> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_users', null);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const user = await transaction.lockUser(command.userId);
    if (user === null) return notFound('USER', command.userId);
    if (command.precondition?.(user) === false) return preconditionFailed();
    // Deactivating who is deactivated changes nothing, and is no error.
    if (user.deactivatedAt !== null) return accept({ deleted: true });
    const at = transaction.now();
    await transaction.apply([
      {
        kind: 'update_user',
        user: { ...user, deactivatedAt: at, updatedAt: at },
        passwordHash: undefined,
        endsSessions: true,
        events: [userEvent('user.deactivated', user)],
      },
    ]);
    return accept({ deleted: true });
  });
};
