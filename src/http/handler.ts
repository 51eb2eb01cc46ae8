// The types between the route table and verbs: a handler gets a parsed request and returns a reply
// that the table declares.

import type { Actor } from '../core/actor.ts';
import type { Authenticator } from '../core/audit/seal.ts';
import type { Failure, Outcome } from '../core/failure.ts';
import { accept } from '../core/failure.ts';
import type { WebhookId } from '../core/id.ts';
import type { Log } from '../ops/observe/log.ts';
import type { Verb, Verbs } from '../registry/commands.ts';
import type { Listed, ListQuery, Sort } from '../registry/lists.ts';
import type { Context, IdempotencyKey, KeptAnswer, Ports, Session } from '../registry/ports.ts';
import type { ReplyOf, RequestOf, RouteName, Routes } from '../wire/routes.ts';
import { statusOf } from './errors.ts';
import type { EventStreams } from './event-stream.ts';
import type { KeptDocuments } from './kept-documents.ts';
import { etagOf, failureText, namesTag, type SentAs } from './request/answer.ts';
import type { RateLimit } from './request/caller/rate-limit.ts';
import type { CheckToken } from './sign-in/check-token.ts';
import type { SignIn } from './sign-in/sign-in.ts';

export interface Api {
  readonly ports: Ports;
  readonly verbs: Verbs;
  readonly streams: EventStreams;
  readonly documents: KeptDocuments;
  readonly signIn: SignIn;
  readonly checkToken: CheckToken;
  readonly tryWebhook: TryWebhook;
  /** Counts test messages for each receiver. */
  readonly trials: RateLimit<'trial'>;
  readonly log: Pick<Log, 'warn'>;
  /** Verifies the checkpoints of the audit trail; undefined if AUDIT_KEY is not set. */
  readonly auditAuthenticator?: Authenticator | undefined;
}

/** Sends a test message. `error` is null if the receiver took it. */
export type TryWebhook = (
  webhookId: WebhookId,
) => Promise<{ readonly status: number | null; readonly error: string | null }>;

/** The caller's side of the request, for signing in and out. */
export interface Visit {
  readonly address: string;
  /** The token in the cookie of the request, even if its session has ended. */
  readonly token: string | null;
  /** Null for requests by key, and for callers who have not signed in. */
  readonly session: Session | null;
  /** Null removes the cookie from the browser. */
  readonly setCookie: (token: string | null) => void;
  /** The query of the request as it was sent. */
  readonly search: string;
  /** The cookie of a sign-in with a provider that this browser began. */
  readonly findBegun: () => string | null;
  /** Null removes that cookie. */
  readonly setBegun: (sealed: string | null) => void;
  /** Refuses callers whose sign-ins with providers failed too often. */
  readonly limitFailures: <Entered extends { readonly hasFailed: boolean }>(
    enter: () => Promise<Outcome<Entered>>,
  ) => Promise<Outcome<Entered>>;
  /**
   * Whether the key or session is still valid for the same scope. Checking does not count as a use.
   */
  readonly isStillAdmitted: () => Promise<boolean>;
  /** Counts each item of a bulk as a request. The first one was counted with this request. */
  readonly countItems: (items: number) => Outcome<true>;
  /** Records an item of a bulk that the caller had no right to. Ignores other failures. */
  readonly noteDenied: (failure: Failure) => Promise<void>;
  /**
   * Checks a password when its turn comes. Refuses callers who failed too often, and requests that
   * come from another website.
   */
  readonly attemptLogin: <Entered>(
    account: string,
    enter: () => Promise<Outcome<Entered>>,
  ) => Promise<Outcome<Entered>>;
}

export interface Call<Name extends RouteName> extends RequestOf<Routes[Name]> {
  readonly actor: Actor;
  readonly context: Context;
  readonly visit: Visit;
  readonly ifMatch: string | undefined;
  readonly lastEventId: string | undefined;
  /** The caller, and the Idempotency-Key of the request. */
  readonly idempotency: IdempotencyKey | undefined;
}

export type Handler<Name extends RouteName> = (
  api: Api,
  call: Call<Name>,
) => Promise<Outcome<ReplyOf<Routes[Name]> & SentAs>>;

interface Writing<Name extends RouteName, Command, Result> {
  readonly verb: (verbs: Verbs) => Verb<Command, Result>;
  readonly command: (call: Call<Name>) => Command | Promise<Command>;
  readonly reply: (result: Result) => ReplyOf<Routes[Name]>;
  /** What a replay answers, if the reply contains what must not be stored. */
  readonly replayed?: (result: Result) => ReplyOf<Routes[Name]>;
}

/**
 * A handler that runs one verb. Its response is stored under its Idempotency-Key, if it has one.
 */
export function write<Name extends RouteName, Command, Result>(
  writing: Writing<Name, Command, Result>,
): Handler<Name> {
  return async ({ ports, verbs }, call) => {
    const outcome = await writing.verb(verbs)(
      ports,
      contextOf(call, writing.replayed ?? writing.reply),
      await writing.command(call),
    );
    return outcome.ok ? accept(writing.reply(outcome.value)) : outcome;
  };
}

/** The context of a verb, with the function that makes the response for a replay. */
export function contextOf<Result>(
  call: Pick<Call<RouteName>, 'context' | 'idempotency'>,
  reply: (result: Result) => { readonly status: unknown; readonly body: unknown },
): Context<Result> {
  const { idempotency, context } = call;
  if (idempotency === undefined) return context;
  const represent = (outcome: Outcome<Result>): KeptAnswer | null =>
    outcome.ok ? toKept(reply(outcome.value)) : keepFailure(outcome.failure);
  return { ...context, idempotency: { ...idempotency, represent } };
}

function toKept(reply: { readonly status: unknown; readonly body: unknown }): KeptAnswer {
  const body = reply.body === undefined ? '' : JSON.stringify(reply.body);
  return { status: Number(reply.status), body };
}

/** Refusals that may be temporary are not stored for repeated requests. */
const passing: ReadonlySet<number> = new Set([401, 403, 429]);

export function keepFailure(failure: Failure): KeptAnswer | null {
  if (failure.code === 'IDEMPOTENCY_CONFLICT') return null;
  const status = statusOf(failure.code);
  return status >= 500 || passing.has(status) ? null : { status, body: failureText(failure) };
}

/**
 * Compares If-Match with the current resource under the lock, so two editors cannot overwrite each
 * other.
 */
export function preconditionOf<Entity>(
  ifMatch: string | undefined,
  ...representations: readonly ((entity: Entity) => unknown)[]
): ((current: Entity) => boolean) | undefined {
  if (ifMatch === undefined) return undefined;
  return (current) =>
    representations.some((represent) =>
      namesTag(ifMatch, etagOf(JSON.stringify(represent(current)))),
    );
}

interface PageQuery {
  readonly page: number;
  readonly page_size: number;
  readonly cursor?: string | undefined;
  readonly include_total: boolean;
  readonly sort?: string | undefined;
}

export function listQueryOf<Field extends string>(
  query: PageQuery,
  fields: readonly Field[],
): ListQuery<Field> {
  return {
    page: query.page,
    pageSize: query.page_size,
    cursor: query.cursor,
    includeTotal: query.include_total,
    sort: sortOf(query.sort, fields),
  };
}

function sortOf<Field extends string>(
  sort: string | undefined,
  fields: readonly Field[],
): Sort<Field> | undefined {
  if (sort === undefined) return undefined;
  const field = fields.find((candidate) => candidate === sort.replace(/^-/, ''));
  if (field === undefined) return undefined;
  return { field, direction: sort.startsWith('-') ? 'descending' : 'ascending' };
}

export function pageOf<Entity, Shown>(
  listed: Outcome<Listed<Entity>>,
  query: PageQuery,
  represent: (entity: Entity) => Shown,
) {
  if (!listed.ok) return listed;
  const { results, total, nextCursor } = listed.value;
  const body = {
    results: results.map(represent),
    ...(total !== null && { total }),
    ...(query.cursor === undefined && { page: query.page }),
    page_size: query.page_size,
    next_cursor: nextCursor,
  };
  return accept({ status: 200 as const, body });
}
