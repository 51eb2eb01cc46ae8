import type { EndProviderSession } from '../../core/decide/people/commands.ts';
import { decideProviderLogout } from '../../core/decide/people/user.ts';
import { applyDecided } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

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
