// The session of a user who has shown who it is, by a password or with a provider.

import type { Proof } from '../../core/decide/people/commands.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import { actorOfUser, type User } from '../../core/user.ts';
import type { Api, Call } from '../handler.ts';
import { digestOfToken, newToken } from '../request/caller/session.ts';

interface BegunSession {
  readonly user: User;
  readonly csrfToken: string;
}

export async function beginSession(
  { ports, verbs }: Api,
  { context, visit }: Pick<Call<'logIn'>, 'context' | 'visit'>,
  { user, proof }: { readonly user: User; readonly proof: Proof },
): Promise<Outcome<BegunSession>> {
  // Always a new token, so that one that was planted in the browser before becomes useless.
  const token = newToken();
  const csrfToken = newToken();
  const entered = await verbs.logIn(
    ports,
    { ...context, actor: actorOfUser(user) },
    {
      userId: user.id,
      proof,
      digest: digestOfToken(token),
      csrfToken,
      replaces: visit.token === null ? null : digestOfToken(visit.token),
    },
  );
  if (!entered.ok) return entered;
  visit.setCookie(token);
  return accept({ user: entered.value, csrfToken });
}
