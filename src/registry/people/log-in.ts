import type { LogIn } from '../../core/decide/people/commands.ts';
import { decideSession } from '../../core/decide/people/user.ts';
import type { User } from '../../core/user.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

export const logIn: Verb<LogIn, User> = async (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    // The lock prevents changes between the check and the session.
    const user = await transaction.lockUser(command.userId);
    const passwordHash = await transaction.findPasswordHash(command.userId);
    const decided = decideSession({ user, passwordHash }, command, byOf(context, transaction));
    return applyDecided(transaction, decided);
  });
