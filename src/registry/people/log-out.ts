import type { Deleted } from '../../core/decide/commands.ts';
import { userEvent } from '../../core/decide/events.ts';
import type { EndProviderSession, LogOut } from '../../core/decide/people/commands.ts';
import { decideProviderLogout } from '../../core/decide/people/user.ts';
import { accept } from '../../core/failure.ts';
import { applyDecided } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const logOut: Verb<LogOut, Deleted> = async (ports, context, { user, digest }) =>
  ports.transact(context, async (transaction) => {
    const events = [userEvent('auth.logout', user)] as const;
    await transaction.apply([{ kind: 'delete_session', digest, events }]);
    return accept({ deleted: true });
  });

/** Ends the sessions whose user signed out of the provider. */
export const endProviderSession: Verb<EndProviderSession, number> = async (
  ports,
  context,
  command,
) =>
  ports.transact(context, async (transaction) => {
    const ended = await transaction.lockProviderSessions(command);
    return applyDecided(transaction, decideProviderLogout(ended, command));
  });
