// Authenticates a request by cookie. A browser also sends its cookie with requests that other
// websites trigger, so a request that changes something must also show that it comes from this
// server's own page.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { accept, type Outcome, refuse } from '../../../core/failure.ts';
import type { Ports, Session } from '../../../registry/ports.ts';
import { createLookup, type KeyChanges } from './lookup.ts';

const cookieName = 'concordat_session';

const hourMs = 60 * 60 * 1000;
const idleLimitMs = 12 * hourMs;
/** Applies even to a busy session, so that a stolen cookie expires. */
const lifetimeMs = 7 * 24 * hourMs;

/** Events that may end a session or change its rights. */
export const sessionEvents: ReadonlySet<string> = new Set([
  'auth.login',
  'auth.logout',
  'team.deleted',
  'team.restored',
  'user.updated',
  'user.deactivated',
]);

interface SessionDeps {
  readonly findSessions: Ports['reads']['findSessions'];
  readonly changes: KeyChanges;
  /** Whether people may sign in this way: with a provider, or with a password for null. */
  readonly isOffered: (provider: string | null) => boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number;
  /** Called with the digest of a session at each use. */
  readonly noteUse: (digest: string, atMs: number) => void;
}

/** Returns the session of a token; null if it has ended or never existed. */
type ResumeSession = (token: string, use: 'counts' | 'does_not_count') => Promise<Session | null>;

export interface SessionDoor {
  readonly resume: ResumeSession;
  /** Called with the token of a new session. */
  readonly begin: (token: string) => void;
  /**
   * Called with the token of a session that ended here, so that the next request already sees it.
   */
  readonly end: (token: string) => void;
}

export function openSessionDoor(deps: SessionDeps): SessionDoor {
  // Adds when the session was last used, which is stored later, in a batch.
  const find = async (digests: readonly Buffer[]) => {
    const found = await deps.findSessions(digests);
    return new Map(
      found.map((session) => [
        session.digest,
        {
          session,
          seenAtMs: Date.parse(session.lastSeenAt),
          endsAtMs: Date.parse(session.begunAt) + lifetimeMs,
        },
      ]),
    );
  };
  const sessions = createLookup({
    find,
    changes: deps.changes,
    endedBy: sessionEvents,
    elapsedMs: deps.elapsedMs,
  });
  const resume: ResumeSession = async (token, use) => {
    const found = await sessions.find(digestOfToken(token));
    const now = deps.clock();
    if (found === null || now >= found.endsAtMs) return null;
    // A provider may have been removed because it let in the wrong people.
    if (!deps.isOffered(found.session.provider)) return null;
    if (now - found.seenAtMs >= idleLimitMs) return null;
    if (use === 'does_not_count') return found.session;
    found.seenAtMs = now;
    deps.noteUse(found.session.digest, now);
    return found.session;
  };
  return {
    resume,
    begin: (token) => sessions.makeKnown(digestOfToken(token)),
    end: (token) => sessions.forget(digestOfToken(token)),
  };
}

/** 32 random bytes; only their digest is stored. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function digestOfToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Null if the browser sent none. */
export function tokenOf(request: IncomingMessage): string | null {
  return findCookie(request, cookieName);
}

export function findCookie(request: IncomingMessage, wanted: string): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  for (const pair of cookie.split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === wanted && value !== undefined && value !== '') return value;
  }
  return null;
}

interface CookieScope {
  readonly isBehindTls: boolean;
  readonly basePath: string;
}

/** Without Max-Age: the cookie ends with the browser, or when the session was idle for too long. */
export function cookieOf(token: string | null, { isBehindTls, basePath }: CookieScope): string {
  const path = basePath === '' ? '/' : basePath;
  const attributes = attributesOf(path, isBehindTls);
  return token === null
    ? `${cookieName}=; Max-Age=0; ${attributes}`
    : `${cookieName}=${token}; ${attributes}`;
}

/**
 * The same attributes for the cookie of a sign-in with a provider. The browser sends it when it comes
 * back, because that is a navigation by GET.
 */
export function attributesOf(path: string, isBehindTls: boolean): string {
  return `Path=${path}; HttpOnly; SameSite=Lax${isBehindTls ? '; Secure' : ''}`;
}

export function changesNothing(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

/** Checks that a request by cookie was made by this server's own page. */
export function checkOwnPage(
  request: IncomingMessage,
  session: Session,
  ownOrigin: string | null,
): Outcome<true> {
  const origin = checkOrigin(request, ownOrigin, 'demanded');
  if (!origin.ok) return origin;
  const sent = request.headers['x-csrf-token'];
  if (typeof sent === 'string' && isSameText(sent, session.csrfToken)) return accept(true);
  return refuse(
    'FORBIDDEN',
    'The CSRF token is missing or wrong. Send the csrf_token of GET /api/v1/auth/me in the X-CSRF-Token header.',
  );
}

/** `optional` also accepts clients other than browsers, which send no such header. */
export function checkOrigin(
  request: IncomingMessage,
  ownOrigin: string | null,
  presence: 'demanded' | 'optional',
): Outcome<true> {
  const { origin, referer, host } = request.headers;
  const named = origin ?? referer;
  if (named === undefined && presence === 'optional') return accept(true);
  const from = named === undefined ? null : URL.parse(named);
  const isOwn = from !== null && (from.origin === ownOrigin || from.host === host?.toLowerCase());
  if (isOwn) return accept(true);
  return refuse(
    'FORBIDDEN',
    "With a session cookie, changes are only accepted from this server's own page, by Origin or Referer. Behind a proxy that changes Host, set BASE_URL. Programs should use an API key.",
  );
}

function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}
