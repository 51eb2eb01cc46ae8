// Signing in and out.

import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { User } from '../../core/user.ts';
import { verifyPassword } from '../../ops/password.ts';
import { representIdentity, representUser } from '../../wire/represent/represent-user.ts';
import type { Api, Call, Handler } from '../handler.ts';
import { digestOfToken } from '../request/caller/session.ts';
import { beginSession } from './begin-session.ts';

/**
 * An unknown address is treated like a wrong password: the same work, one event, the same response.
 */
export const logIn: Handler<'logIn'> = async (api, call) => {
  if (api.signIn.passwords) {
    return call.visit.attemptLogin(call.body.email.toLowerCase(), () => enter(api, call));
  }
  return refuse(
    'FORBIDDEN',
    'Signing in with a password is switched off here. Sign in with a provider on the page, or use an API key.',
  );
};

const enter: Handler<'logIn'> = async (api, call) => {
  const { email, password } = call.body;
  const known = await api.ports.reads.findCredentials(email);
  const isRight = await verifyPassword(password, known?.passwordHash ?? null);
  const user = known?.user ?? null;
  if (!isRight || user === null || known === null || known.passwordHash === null) {
    return refuseEntry(api, call, 'auth.login_failed', user);
  }
  if (user.deactivatedAt !== null) return refuseEntry(api, call, 'auth.denied', user);
  const proof = { kind: 'password', passwordHash: known.passwordHash } as const;
  const begun = await beginSession(api, call, { user, proof });
  if (!begun.ok) return begun;
  const { csrfToken, user: entered } = begun.value;
  return accept({
    status: 200,
    body: { user: representUser(entered), csrf_token: csrfToken },
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

export const logOut: Handler<'logOut'> = async ({ ports, verbs, signIn }, { context, visit }) => {
  const { session, token } = visit;
  if (session === null || token === null) return accept({ status: 204, body: undefined });
  const { user } = session;
  const ended = await verbs.logOut(ports, context, { user, digest: digestOfToken(token) });
  if (!ended.ok) return ended;
  visit.setCookie(null);
  if (session.provider === null) return accept({ status: 204, body: undefined });
  // The session here has ended, whether or not the provider can be reached.
  const url = await signIn.endSession(session.provider).catch(() => null);
  if (url === null) return accept({ status: 204, body: undefined });
  return accept({ status: 200, body: { provider_sign_out_url: url } });
};

export const getIdentity: Handler<'getIdentity'> = async ({ ports }, { actor, visit }) =>
  accept({ status: 200, body: representIdentity(actor, visit.session, ports.policy) });
