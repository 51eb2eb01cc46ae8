import type { EnsureFirstAdmin, FirstAdmin } from '../../core/decide/people/commands.ts';
import { accept } from '../../core/failure.ts';
import type { Verb } from '../commands.ts';
import { createUser } from './create-user.ts';

const defaultEmail = 'admin@concordat.local';

/**
 * Ensures that someone can sign in to a new registry. An existing account keeps its password, even
 * if the settings name another one. Returns null if there is nothing to report.
 */
export const ensureFirstAdmin: Verb<EnsureFirstAdmin, FirstAdmin | null> = async (
  ports,
  context,
  command,
) => {
  const email = command.email ?? defaultEmail;
  const known = await ports.reads.findCredentials(email);
  if (known !== null) {
    const mayEnter = known.user.deactivatedAt === null && known.user.role === 'admin';
    return accept(mayEnter ? { email: known.user.email } : null);
  }
  if (command.email === undefined && (await ports.reads.hasUsers())) return accept(null);
  const made = command.password === undefined ? await command.newPassword() : null;
  const passwordHash = await command.hashPassword(made ?? command.password ?? '');
  const created = await createUser(
    ports,
    { ...context, idempotency: undefined },
    { email, name: 'Administrator', teamId: null, role: 'admin', duties: [], passwordHash },
  );
  if (created.ok) return accept(made === null ? { email } : { email, password: made });
  // Another process was first, and prints its password.
  return created.failure.code === 'USER_EXISTS' ? accept({ email }) : created;
};
