// Admits a request: checks the key, the rate limit and the scope.

import { type Actor, holdsScope, visitorActor } from '../../core/actor.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Timestamp } from '../../core/id.ts';
import { actorOfUser } from '../../core/user.ts';
import type { Session } from '../../registry/ports.ts';
import { apiPrefix } from '../../wire/route.ts';
import type { Api, Visit } from '../handler.ts';
import { begunLimitMs } from '../sign-in/begun.ts';
import { type AddressOf, networkOf } from './caller/address.ts';
import { type Authenticate, unauthenticated } from './caller/auth.ts';
import type { AttemptLogin, LimitFailures } from './caller/login-gate.ts';
import type { NoteDenied } from './caller/note-denied.ts';
import { type RateLimit, setRateHeaders } from './caller/rate-limit.ts';
import {
  attributesOf,
  changesNothing,
  checkOrigin,
  checkOwnPage,
  cookieOf,
  findCookie,
  type SessionDoor,
  tokenOf,
} from './caller/session.ts';
import type { Exchange, Headers } from './exchange.ts';
import type { Plan } from './parse.ts';

interface AdmitDeps extends Pick<Api, 'ports' | 'verbs'> {
  readonly authenticate: Authenticate;
  readonly sessions: SessionDoor;
  readonly rates: RateLimit;
  readonly attemptLogin: AttemptLogin;
  readonly limitFailures: LimitFailures;
  readonly addressOf: AddressOf;
  readonly noteDenied: NoteDenied;
  readonly now: () => Timestamp;
  readonly newId: () => string;
  readonly isBehindTls: boolean;
  readonly basePath: string;
  /** Null if only the request itself tells the server's name. */
  readonly ownOrigin: string | null;
}

interface Admitted {
  readonly actor: Actor;
  readonly visit: Visit;
}

export type Admit = (plan: Plan, exchange: Exchange) => Promise<Outcome<Admitted>>;

export function createAdmit(deps: AdmitDeps): Admit {
  return async (plan, exchange) => {
    const needed = plan.row.scope;
    if (needed === 'public') {
      return accept({
        actor: visitorActor,
        visit: visitOf(deps, plan, exchange, visitorActor, null),
      });
    }
    const identified = await identify(deps, exchange, 'counts');
    if (!identified.ok) return countStranger(deps, exchange, identified);
    const { actor, session } = identified.value;
    const inTime = count(deps, plan, exchange, actor);
    if (!inTime.ok) return inTime;
    if (session !== null && !changesNothing(exchange.request)) {
      const own = checkOwnPage(exchange.request, session, deps.ownOrigin);
      if (!own.ok) return denySession(deps, exchange, session, own);
    }
    if (!holdsScope(actor, needed)) {
      const denied = refuse(
        'FORBIDDEN',
        `This needs scope ${needed}, and ${actor.name} has scope ${actor.scope}. Use a key with scope ${needed}.`,
      );
      const { failure } = denied;
      await deps.noteDenied(exchange, { actor, route: plan.row.path, failure });
      return denied;
    }
    return accept({ actor, visit: visitOf(deps, plan, exchange, actor, session) });
  };
}

interface Identified {
  readonly actor: Actor;
  readonly session: Session | null;
}

/** A key takes precedence over a cookie, because clients send it on purpose. */
async function identify(
  deps: AdmitDeps,
  { request }: Exchange,
  use: 'counts' | 'does_not_count',
): Promise<Outcome<Identified>> {
  const { authorization } = request.headers;
  const token = authorization === undefined ? tokenOf(request) : null;
  if (token === null) {
    const authenticated = await deps.authenticate(authorization);
    return authenticated.ok ? accept({ actor: authenticated.value, session: null }) : authenticated;
  }
  const session = await deps.sessions.resume(token, use);
  if (session === null) return unauthenticated;
  return accept({ actor: actorOfUser(session.user), session });
}

function count(deps: AdmitDeps, plan: Plan, exchange: Exchange, actor: Actor): Outcome<true> {
  const rate = deps.rates.count(actor.id, plan.rate);
  setRateHeaders(exchange.headers, rate);
  if (!rate.isExceeded) return accept(true);
  const who = actor.type === 'user' ? 'user' : 'key';
  return refuse(
    'RATE_LIMITED',
    `This ${who} reached its limit of ${rate.limit} ${plan.rate} requests a minute. Try again in ${rate.resetSeconds} seconds.`,
  );
}

/**
 * A bulk that is larger than the limit passes if it is the first request of its minute. No other
 * request passes in that minute.
 */
function countItems(
  { rates }: AdmitDeps,
  { rate: kind }: Plan,
  { headers }: Exchange,
  { actor, items }: { readonly actor: Actor; readonly items: number },
): Outcome<true> {
  const { limit, remaining, resetSeconds } = rates.look(actor.id, kind);
  const isFirst = remaining >= limit - 1;
  // A team may have no assets to reassign. The request counts all the same.
  const more = Math.max(items - 1, 0);
  if (more > remaining && !isFirst) {
    headers['Retry-After'] = resetSeconds;
    return refuse(
      'RATE_LIMITED',
      `Each of the ${items} items counts as one of ${limit} ${kind} requests a minute, and ${remaining} are left. Nothing was written. Try again in ${resetSeconds} seconds, or send fewer.`,
    );
  }
  const rate = rates.count(actor.id, kind, more);
  setRateHeaders(headers, { ...rate, isExceeded: false });
  return accept(true);
}

/** Counts only invalid credentials, so callers with a valid key or session are not affected. */
function countStranger(
  { rates, addressOf }: AdmitDeps,
  { request, headers }: Exchange,
  refused: Outcome<never>,
): Outcome<never> {
  const rate = rates.count(networkOf(addressOf(request)), 'stranger');
  setRateHeaders(headers, rate);
  if (!rate.isExceeded) return refused;
  return refuse(
    'RATE_LIMITED',
    `Your address reached the limit of ${rate.limit} requests a minute without a valid API key. Send a valid key, or try again in ${rate.resetSeconds} seconds.`,
  );
}

/** Another website may be trying to act for the user, so this is recorded in the audit trail. */
async function denySession(
  deps: AdmitDeps,
  { request, requestId, path }: Exchange,
  { user }: Session,
  denied: Outcome<never>,
): Promise<Outcome<never>> {
  const { now, newId, ports, verbs } = deps;
  const metadata = {
    method: request.method ?? '',
    path: path.slice(0, 200),
    origin: (request.headers.origin ?? request.headers.referer ?? null)?.slice(0, 200) ?? null,
    reason: 'not from this server, or without its token',
  };
  const context = { actor: actorOfUser(user), requestId, now, newId };
  const recorded = await verbs.recordRefusedEntry(ports, context, {
    type: 'auth.denied',
    user,
    metadata,
  });
  return recorded.ok ? denied : recorded;
}

function visitOf(
  deps: AdmitDeps,
  plan: Plan,
  exchange: Exchange,
  actor: Actor,
  session: Session | null,
): Visit {
  const { request, headers } = exchange;
  const address = deps.addressOf(request);
  return {
    address,
    token: tokenOf(request),
    session,
    isStillAdmitted: async () => {
      const { scope } = plan.row;
      if (scope === 'public') return true;
      const again = await identify(deps, exchange, 'does_not_count');
      // With other rights it may read other things; a new request gets those.
      return again.ok && rightsOf(again.value.actor) === rightsOf(actor);
    },
    setCookie: (token) => {
      // Signing in again also ends the previous session.
      const before = tokenOf(request);
      if (before !== null) deps.sessions.end(before);
      if (token !== null) deps.sessions.begin(token);
      addCookie(headers, cookieOf(token, deps));
    },
    search: exchange.search,
    countItems: (items) => countItems(deps, plan, exchange, { actor, items }),
    noteDenied: (failure) => deps.noteDenied(exchange, { actor, route: plan.row.path, failure }),
    findBegun: () => findCookie(request, begunCookieName),
    setBegun: (sealed) => {
      const attributes = attributesOf(`${deps.basePath}${signInPath}`, deps.isBehindTls);
      addCookie(headers, `${begunCookieName}=${sealed ?? ''}; ${begunAge(sealed)}; ${attributes}`);
    },
    limitFailures: (enter) => deps.limitFailures({ network: networkOf(address), headers, enter }),
    attemptLogin: async (account, enter) => {
      const own = checkOrigin(request, deps.ownOrigin, 'optional');
      if (!own.ok) return own;
      const network = networkOf(address);
      const isGone = () => request.socket.destroyed;
      return deps.attemptLogin({ account, network, headers, isGone, enter });
    },
  };
}

const begunCookieName = 'concordat_sign_in';
const signInPath = `${apiPrefix}/auth/oidc`;

function begunAge(sealed: string | null): string {
  return `Max-Age=${sealed === null ? 0 : begunLimitMs / 1000}`;
}

function addCookie(headers: Headers, cookie: string): void {
  const before = headers['Set-Cookie'];
  headers['Set-Cookie'] = Array.isArray(before) ? [...before, cookie] : [cookie];
}

function rightsOf({ scope, duties = [] }: Actor): string {
  return `${scope} ${duties}`;
}
