// Signing in: with an API key, which the page keeps for this tab alone, or with e-mail and
// password where the registry has accounts, which it keeps in a cookie that scripts cannot read.

import { type Client, createClient, type Refusal } from '../../wire/client.ts';
import { type RouteName, routes } from '../../wire/routes.ts';
import { send } from '../data/cache.ts';
import { words } from '../words.ts';

export type Role = 'viewer' | 'editor' | 'admin';

export interface Session {
  readonly client: Client;
  readonly way: 'key' | 'account';
  /** What is shown follows the role; what is allowed is the registry's to say. */
  readonly role: Role;
  readonly name: string;
  /** The team of the account; null for a key, which does not tell. */
  readonly teamId: string | null;
}

export type SignedIn =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly refusal: Refusal };

/** The routes of accounts, by their paths: a registry without accounts has none of them. */
const authRoutes = {
  login: routeAt('POST', '/api/v1/auth/login'),
  logout: routeAt('POST', '/api/v1/auth/logout'),
  me: routeAt('GET', '/api/v1/auth/me'),
};

export const hasAccounts = authRoutes.login !== null && authRoutes.me !== null;

const keyStore = 'concordat.key';

/** Goes on with the session of this tab, else with the cookie's; null where somebody must sign in. */
export async function resumeSession(): Promise<Session | null> {
  const key = sessionStorage.getItem(keyStore);
  if (key !== null) {
    const signedIn = await signInWithKey(key);
    if (signedIn.ok) return signedIn.session;
    if (signedIn.refusal.code !== 'UNREACHABLE') sessionStorage.removeItem(keyStore);
    return null;
  }
  if (authRoutes.me === null) return null;
  const result = await callByName(createClient({ baseUrl: '' }), authRoutes.me, {});
  return result.ok ? accountSession(result.body) : null;
}

export async function signInWithKey(key: string): Promise<SignedIn> {
  // What a header cannot carry is no key, and would look like a network that fails.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return { ok: false, refusal: { code: 'UNAUTHENTICATED', message: words.session.wrongKey } };
  }
  const client = createClient({ baseUrl: '', key });
  // Only an administrator may list keys: the answer tells whether the key is good, and how far.
  const result = await send(client, { name: 'listApiKeys', call: { query: { page_size: 1 } } });
  if (!result.ok && result.status !== 403) return { ok: false, refusal: result.refusal };
  sessionStorage.setItem(keyStore, key);
  const role = result.ok ? 'admin' : 'editor';
  return {
    ok: true,
    session: { client, way: 'key', role, name: words.session.keyName, teamId: null },
  };
}

export async function signInWithPassword(email: string, password: string): Promise<SignedIn> {
  if (authRoutes.login === null) throw new Error('This registry has no accounts.');
  const client = createClient({ baseUrl: '' });
  const result = await callByName(client, authRoutes.login, { body: { email, password } });
  if (!result.ok) return { ok: false, refusal: result.refusal };
  const session = accountSession(result.body);
  if (session !== null) return { ok: true, session };
  return { ok: false, refusal: { code: 'NOT_A_REGISTRY', message: words.session.strangeAnswer } };
}

export async function signOut(session: Session): Promise<void> {
  sessionStorage.removeItem(keyStore);
  if (session.way === 'account' && authRoutes.logout !== null) {
    await callByName(session.client, authRoutes.logout, {});
  }
}

/** The registry said that the session is over: nothing of it may stay behind. */
export function dropSession(): void {
  sessionStorage.removeItem(keyStore);
}

/** Both `login` and `me` answer the user and the token that changes carry. */
function accountSession(body: unknown): Session | null {
  if (!isRecord(body)) return null;
  const user = isRecord(body.user) ? body.user : body;
  const role = user.role;
  if (role !== 'viewer' && role !== 'editor' && role !== 'admin') return null;
  const token = typeof body.csrf_token === 'string' ? body.csrf_token : '';
  return {
    client: createClient({ baseUrl: '', headers: { 'x-csrf-token': token } }),
    way: 'account',
    role,
    name: textOf(user.name) ?? textOf(user.email) ?? '',
    teamId: textOf(user.team_id),
  };
}

function routeAt(method: string, path: string): RouteName | null {
  for (const [name, row] of Object.entries(routes)) {
    if (row.method === method && row.path === path) return name as RouteName;
  }
  return null;
}

type Loose =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly refusal: Refusal };

async function callByName(client: Client, name: RouteName, call: object): Promise<Loose> {
  // The name came from the table, and the call is what the route at that path takes.
  return send(client, { name, call: call as never });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
