// Signing in and out.

import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { actorOfUser, type User } from '../../core/user.ts';
import { verifyPassword } from '../../ops/password.ts';
import { representIdentity, representUser } from '../../wire/represent/represent-user.ts';
import type { Api, Call, Handler } from '../handler.ts';
import { digestOfToken, newToken } from '../request/caller/session.ts';

/**
 * An unknown address is treated like a wrong password: the same work, one event, the same response.
 */
export const logIn: Handler<'logIn'> = (api, call) =>
  call.visit.attemptLogin(call.body.email.toLowerCase(), () => enter(api, call));

const enter: Handler<'logIn'> = async (api, call) => {
  const { email, password } = call.body;
  const { visit } = call;
  const known = await api.ports.reads.findCredentials(email);
  const isRight = await verifyPassword(password, known?.passwordHash ?? null);
  const user = known?.user ?? null;
  if (!isRight || user === null || known === null || known.passwordHash === null) {
    return refuseEntry(api, call, 'auth.login_failed', user);
  }
  if (user.deactivatedAt !== null) return refuseEntry(api, call, 'auth.denied', user);
  // Always a new token, so that one that was planted in the browser before becomes useless.
  const token = newToken();
  const csrfToken = newToken();
  const entered = await api.verbs.logIn(
    api.ports,
    { ...call.context, actor: actorOfUser(user) },
    {
      userId: user.id,
      passwordHash: known.passwordHash,
      digest: digestOfToken(token),
      csrfToken,
      replaces: visit.token === null ? null : digestOfToken(visit.token),
    },
  );
  if (!entered.ok) return entered;
  visit.setCookie(token);
  return accept({
    status: 200,
    body: { user: representUser(entered.value), csrf_token: csrfToken },
  });
};

async function refuseEntry(
  { ports, verbs }: Api,
  { body, context, visit }: Call<'logIn'>,
  type: 'auth.login_failed' | 'auth.denied',
  user: User | null,
): Promise<Outcome<never>> {
  const reason = type === 'auth.denied' ? 'deactivated' : 'wrong address or password';
  const metadata = { email: body.email, address: visit.address, reason };
  const recorded = await verbs.recordRefusedEntry(ports, context, { type, user, metadata });
  if (!recorded.ok) return recorded;
  return refuse(
    'UNAUTHENTICATED',
    'The e-mail address or the password is wrong, or the account is deactivated. Check both, or ask an administrator for a new password.',
  );
}

export const logOut: Handler<'logOut'> = async ({ ports, verbs }, { context, visit }) => {
  const { session, token } = visit;
  if (session === null || token === null) return accept({ status: 204, body: undefined });
  const { user } = session;
  const ended = await verbs.logOut(ports, context, { user, digest: digestOfToken(token) });
  if (!ended.ok) return ended;
  visit.setCookie(null);
  return accept({ status: 204, body: undefined });
};

export const getIdentity: Handler<'getIdentity'> = async ({ ports }, { actor, visit }) =>
  accept({ status: 200, body: representIdentity(actor, visit.session, ports.policy) });
