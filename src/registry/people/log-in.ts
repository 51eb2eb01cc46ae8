import { userEvent } from '../../core/decide/events.ts';
import { accept, refuse } from '../../core/failure.ts';
import type { User } from '../../core/user.ts';
import type { Verb } from '../commands.ts';
import type { LogIn } from './user-commands.ts';

export const logIn: Verb<LogIn, User> = async (ports, context, command) =>
  ports.transact(context, async (transaction) => {
    // Against being deactivated, or given another password, between the check and the session.
    const user = await transaction.lockUser(command.userId);
    const hash = await transaction.findPasswordHash(command.userId);
    if (user === null || user.deactivatedAt !== null || hash !== command.passwordHash) {
      return refuse('UNAUTHENTICATED', 'The account was changed a moment ago. Sign in again.');
    }
    const { digest, csrfToken, replaces } = command;
    await transaction.apply([
      {
        kind: 'insert_session',
        session: { digest, userId: user.id, csrfToken, createdAt: transaction.now() },
        replaces,
        events: [userEvent('auth.login', user)],
      },
    ]);
    return accept(user);
  });
