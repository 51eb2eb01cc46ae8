import type { Deleted } from '../../core/decide/commands.ts';
import { userEvent } from '../../core/decide/events.ts';
import type { LogOut } from '../../core/decide/people/commands.ts';
import { accept } from '../../core/failure.ts';
import type { Verb } from '../commands.ts';

export const logOut: Verb<LogOut, Deleted> = async (ports, context, { user, digest }) =>
  ports.transact(context, async (transaction) => {
    const events = [userEvent('auth.logout', user)] as const;
    await transaction.apply([{ kind: 'delete_session', digest, events }]);
    return accept({ deleted: true });
  });
