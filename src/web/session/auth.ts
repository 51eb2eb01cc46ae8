// Signing in: with an API key, which the page keeps for this tab only, or with e-mail and password,
// for which the registry sets a cookie that scripts cannot read. In both cases the registry returns
// the identity and its permissions.

import { type Duty, duties } from '../../core/actor.ts';
import { type SignInProblem, signInProblems } from '../../core/decide/people/sign-in.ts';
import { type Client, createClient, type Refusal } from '../../wire/client.ts';
import { basePath } from '../base-path.ts';
import { isOutage, send } from '../data/cache.ts';
import { dropAllDrafts } from '../data/drafts.ts';
import type { BodyOf } from '../data/shapes.ts';
import { firstWords } from '../first-words.ts';

type Role = 'viewer' | 'editor' | 'admin';

export interface Session {
  readonly client: Client;
  /** The headers of every request of the session, for the stream, which does not use the client. */
  readonly headers: Readonly<Record<string, string>>;
  readonly way: 'key' | 'account';
  /** Decides what the page shows. The registry decides what is allowed. */
  readonly role: Role;
  /** Rights of an administrator; those have all. */
  readonly duties: readonly Duty[];
  readonly name: string;
  /** The only team that the user acts for; null for none or several. */
  readonly teamId: string | null;
  readonly teams: 'all' | readonly string[];
  /** Null for keys, even those of a user. */
  readonly userId: string | null;
  readonly email: string | null;
  /** Whether forcing a proposal needs a second administrator. */
  readonly fourEyes: boolean;
}

export type SignedIn =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly status: number; readonly refusal: Refusal };

type Identity = BodyOf<'getIdentity'>;
export type SignInOptions = BodyOf<'getSignInOptions'>;

const keyStore = 'concordat.key';

/** The headers by the key of this tab; null without one. */
export function headersOfKey(): Readonly<Record<string, string>> | null {
  const key = sessionStorage.getItem(keyStore);
  return key === null ? null : { authorization: `Bearer ${key}` };
}

/**
 * Resumes the session of this tab, or of the cookie; null if the user must sign in. An unavailable
 * registry has not ended the session, which is still there when it comes back.
 */
export async function resumeSession(): Promise<Session | 'away' | null> {
  const key = sessionStorage.getItem(keyStore);
  const signedIn = await (key === null ? fetchIdentity('account', {}) : signInWithKey(key));
  if (signedIn.ok) return signedIn.session;
  if (isOutage(signedIn.status)) return 'away';
  sessionStorage.removeItem(keyStore);
  return null;
}

export async function signInWithKey(key: string): Promise<SignedIn> {
  // Text that a header cannot contain is not a key, and sending it would look like a network error.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const refusal = { code: 'UNAUTHENTICATED', message: firstWords.wrongKey };
    return { ok: false, status: 401, refusal };
  }
  const signedIn = await fetchIdentity('key', { authorization: `Bearer ${key}` });
  if (signedIn.ok) sessionStorage.setItem(keyStore, key);
  return signedIn;
}

export async function signInWithPassword(email: string, password: string): Promise<SignedIn> {
  const client = createClient({ baseUrl: basePath });
  const entered = await send(client, { name: 'logIn', call: { body: { email, password } } });
  if (!entered.ok) return entered;
  return fetchIdentity('account', {});
}

/** Returns where the session goes on at a provider, if it does. */
export async function signOut(session: Session): Promise<string | null> {
  dropAllDrafts();
  sessionStorage.removeItem(keyStore);
  if (session.way !== 'account') return null;
  const ended = await send(session.client, { name: 'logOut', call: {} });
  return ended.ok ? (ended.body?.provider_sign_out_url ?? null) : null;
}

/** If the registry cannot be asked, the form for a password is there when it is back. */
const passwordsOnly: SignInOptions = { passwords: true, providers: [] };

export async function fetchSignInOptions(): Promise<SignInOptions> {
  const client = createClient({ baseUrl: basePath });
  const asked = await send(client, { name: 'getSignInOptions', call: {} });
  return asked.ok ? asked.body : passwordsOnly;
}

/** The page of the provider, which leads back to this one. */
export function providerUrl(provider: string): string {
  const { pathname, search, hash } = location;
  const query = new URLSearchParams({ return_to: pathname + search + hash });
  return `${basePath}/api/v1/auth/oidc/${provider}/start?${query}`;
}

/** Why a provider sent the browser back without a session; null if none did. */
export function findSignInProblem(): SignInProblem | null {
  const told = new URLSearchParams(location.search).get('sign_in_problem');
  return signInProblems.find((problem) => problem === told) ?? null;
}

/** The registry ended the session, so nothing of it may remain. */
export function dropSession(): void {
  sessionStorage.removeItem(keyStore);
}

async function fetchIdentity(
  way: Session['way'],
  headers: Readonly<Record<string, string>>,
): Promise<SignedIn> {
  const client = createClient({ baseUrl: basePath, headers });
  const asked = await send(client, { name: 'getIdentity', call: {} });
  if (!asked.ok) return asked;
  return { ok: true, session: sessionOf(way, headers, asked.body) };
}

function sessionOf(
  way: Session['way'],
  given: Readonly<Record<string, string>>,
  identity: Identity,
): Session {
  // Writes with a cookie carry the session's CSRF token; keys need none.
  const { csrf_token: token } = identity;
  const headers = token === undefined ? given : { ...given, 'x-csrf-token': token };
  const teams = identity.all_teams ? 'all' : identity.team_ids;
  return {
    client: createClient({ baseUrl: basePath, headers }),
    headers,
    way,
    role: roleOf(identity),
    duties: duties.filter((duty) => identity.scopes.includes(duty)),
    name: identity.name,
    teamId: teams !== 'all' && teams.length === 1 ? (teams[0] ?? null) : null,
    teams,
    userId: identity.user?.id ?? null,
    email: identity.user?.email ?? null,
    fourEyes: identity.four_eyes,
  };
}

/** Converts the scopes of a key to the corresponding role. */
function roleOf({ scopes }: Identity): Role {
  if (scopes.includes('admin')) return 'admin';
  return scopes.includes('write') ? 'editor' : 'viewer';
}
