// One request, from its first byte to its answer. The chain is short on purpose: what a read costs
// beyond its query is what stands here.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../../core/actor.ts';
import { accept, type Failure, type Outcome, refuse } from '../../core/failure.ts';
import type { Timestamp } from '../../core/id.ts';
import { workFor } from '../../ops/callers.ts';
import type { Log } from '../../ops/log.ts';
import type { Metrics } from '../../ops/metrics.ts';
import { type ObserveAnswer, observeRequests } from '../../ops/observe-requests.ts';
import { QueueFull, TaskCalledOff } from '../../ops/thread-pool.ts';
import type { Tracing } from '../../ops/tracing.types.ts';
import type { Context, IdempotencyKey, KeptAnswer } from '../../registry/ports.ts';
import { RegistryUnavailable } from '../../registry/unavailable.ts';
import { parseOptions, toValidationFailure, validationFailure } from '../../wire/problem.ts';
import type { Route } from '../../wire/route.ts';
import { type RouteName, routes } from '../../wire/routes.ts';
import { type Api, keepFailure, type SentAs, type Visit } from '../handler.ts';
import { type ApiRouteName, handlers, isApiRoute } from '../handlers.ts';
import { createMatcher } from '../match.ts';
import type { Admit } from './admit.ts';
import { etagOf, type Headers, namesTag, sendEmpty, sendJson } from './answer.ts';
import { RequestAborted, readJsonBody } from './body.ts';
import {
  answerMethods,
  type Exchange,
  noRoute,
  openExchange,
  refuseExchange,
  replayAnswer,
} from './exchange.ts';
import { findReplay, identityOf, type SentUnderKey } from './idempotency.ts';
import { type ImportRouteName, isImportRoute } from './import-call.ts';
import { answerImportExchange, type RunImport } from './import-exchange.ts';
import { type HeldBytes, holdBytes } from './import-memory.ts';
import type { NoteDenied } from './note-denied.ts';
import { type Plan, planRoute } from './plans.ts';
import { sendStream } from './stream.ts';

export interface ServeDeps extends Api {
  readonly admit: Admit;
  readonly noteDenied: NoteDenied;
  readonly runImport: RunImport;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  readonly now: () => Timestamp;
  readonly newId: () => string;
  readonly bodyLimitBytes: number;
  readonly importLimitBytes: number;
  /** Added to every answer: HSTS behind TLS. */
  readonly headers: Readonly<Headers>;
}

/** Answers what is the API's, and says so; what is not is left to the next in line. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createServe(deps: ServeDeps): Serve {
  const match = createMatcher();
  const served = servedRoutes(deps.metrics);
  const observePage = observeRest(deps.metrics, 'page');
  const observeNone = observeRest(deps.metrics, 'none');
  const importDeps = { ...deps, held: holdBytes(deps.importLimitBytes) };

  return (request, response) => {
    const exchange = openExchange(request, response, deps.newId, deps.headers);
    const matched = match(request.method ?? 'GET', exchange.path);
    const isOfApi = exchange.path.startsWith('/api/');
    const route = matched.found === 'route' ? served.get(matched.name) : undefined;
    const observe = route?.observe ?? (isOfApi ? observeNone : observePage);
    observe(response);
    if (matched.found === 'nothing') {
      if (!isOfApi) return false;
      refuseExchange(exchange, noRoute(exchange.path));
      return true;
    }
    if (matched.found === 'path') {
      answerMethods(exchange, matched.allow);
      return true;
    }
    if (route === undefined) return false;
    const { plan } = route;
    const { name, values } = matched;
    if (!isImportRoute(name) && !isApiRoute(name)) return false;
    const answer = () =>
      isImportRoute(name)
        ? answerImport(importDeps, plan, name, exchange)
        : answerCall(deps, plan, name, values, exchange);
    const answering =
      deps.tracing === null ? answer() : traceAnswer(deps.tracing, plan, exchange, answer);
    answering.catch((error: unknown) => answerError(deps.log, exchange, error));
    return true;
  };
}

function traceAnswer(
  tracing: Tracing,
  { row }: Plan,
  { request, response, requestId, path }: Exchange,
  answer: () => Promise<void>,
): Promise<void> {
  const { traceparent, tracestate } = request.headers;
  const served = {
    method: row.method,
    route: row.path,
    path,
    requestId,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
    status: () => response.statusCode,
  };
  return tracing.serve(served, answer);
}

interface Served {
  readonly plan: Plan;
  readonly observe: ObserveAnswer;
}

function servedRoutes(metrics: Metrics): ReadonlyMap<RouteName, Served> {
  const served = new Map<RouteName, Served>();
  for (const [name, row] of Object.entries<Route>(routes)) {
    const { path: route, method } = row;
    const observe = observeRequests(metrics, { route, method, isEndless: row.resumes === true });
    served.set(name as RouteName, { plan: planRoute(row), observe });
  }
  return served;
}

/** The page and its files; or what nothing answers, and methods that a path does not take. */
function observeRest(metrics: Metrics, route: 'page' | 'none'): ObserveAnswer {
  return observeRequests(metrics, { route, method: 'other', isEndless: false });
}

async function answerImport(
  deps: ServeDeps & { readonly held: HeldBytes },
  plan: Plan,
  name: ImportRouteName,
  exchange: Exchange,
): Promise<void> {
  const admitted = await deps.admit(plan, exchange);
  if (!admitted.ok) refuseExchange(exchange, admitted.failure);
  else await answerImportExchange(deps, plan, name, exchange, admitted.value.actor);
}

async function answerCall(
  deps: ServeDeps,
  plan: Plan,
  name: ApiRouteName,
  values: readonly string[],
  exchange: Exchange,
): Promise<void> {
  const read = await readCall(deps, plan, values, exchange);
  if (!read.ok) {
    refuseExchange(exchange, read.failure);
    return;
  }
  const call = read.value;
  const { idempotency } = call;
  if (idempotency !== undefined) {
    const replay = await findReplay(deps.ports, call.actor, idempotency, deps.now());
    if (answerReplay(exchange, replay)) return;
  }
  // The parts of the call were parsed by the shapes of the row that the handler is typed by.
  const handler = handlers[name] as (api: Api, call: unknown) => Promise<Outcome<Reply>>;
  const outcome = await workFor(call.actor.id, () => handler(deps, call));
  if (outcome.ok) {
    await answerReply(plan, exchange, outcome.value);
    return;
  }
  const { failure } = outcome;
  await deps.noteDenied(exchange, { actor: call.actor, route: plan.row.path, failure });
  if (idempotency === undefined) {
    refuseExchange(exchange, outcome.failure);
  } else {
    await refuseOnce(deps, exchange, call, outcome.failure);
  }
}

interface AnyCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly actor: Actor;
  readonly context: Context;
  readonly visit: Visit;
  readonly ifMatch: string | undefined;
  readonly lastEventId: string | undefined;
  readonly idempotency: IdempotencyKey | undefined;
}

interface Reply extends SentAs {
  readonly status: number;
  readonly body: unknown;
}

async function readCall(
  deps: ServeDeps,
  plan: Plan,
  values: readonly string[],
  exchange: Exchange,
): Promise<Outcome<AnyCall>> {
  const { request, requestId } = exchange;
  const admitted = await deps.admit(plan, exchange);
  if (!admitted.ok) return admitted;
  const { actor, visit } = admitted.value;
  const params = plan.parseParams(values);
  if (!params.ok) return params;
  const query = plan.parseQuery(exchange.search);
  if (!query.ok) return query;
  const body = await readBody(deps, plan, request);
  if (!body.ok) return body;
  const idempotency = plan.takesIdempotencyKey
    ? identityOf(sentUnderKey(exchange), textToKeep(plan, body.value))
    : accept(undefined);
  if (!idempotency.ok) return idempotency;
  return accept({
    params: params.value,
    query: query.value,
    body: body.value.parsed,
    actor,
    visit,
    context: { actor, requestId, now: deps.now, newId: deps.newId },
    ifMatch: request.headers['if-match'],
    lastEventId: lastEventIdOf(request),
    idempotency: idempotency.value,
  });
}

/** Node has no opinion on it: sent twice, it is one text. */
function lastEventIdOf({ headers }: IncomingMessage): string | undefined {
  const sent = headers['last-event-id'];
  return typeof sent === 'string' && sent !== '' ? sent : undefined;
}

function sentUnderKey({ request, path, search }: Exchange): SentUnderKey {
  return { key: request.headers['idempotency-key'], method: request.method ?? '', path, search };
}

/** Whether there was something to answer again. */
function answerReplay(exchange: Exchange, replay: Outcome<KeptAnswer | null>): boolean {
  if (!replay.ok) refuseExchange(exchange, replay.failure);
  else if (replay.value !== null) replayAnswer(exchange, replay.value);
  else return false;
  return true;
}

/**
 * Refuses under an Idempotency-Key. Who waited for another request of the key gets its answer; a
 * refusal that no transaction kept is kept here.
 */
async function refuseOnce(
  deps: ServeDeps,
  exchange: Exchange,
  { actor, idempotency }: AnyCall,
  failure: Failure,
): Promise<void> {
  if (idempotency !== undefined && failure.code === 'IDEMPOTENCY_CONFLICT') {
    const replay = await findReplay(deps.ports, actor, idempotency, deps.now());
    if (answerReplay(exchange, replay)) return;
  }
  const kept = keepFailure(failure);
  if (idempotency !== undefined && kept !== null) {
    await deps.ports.keepAnswer(actor.id, idempotency, kept, deps.now());
  }
  refuseExchange(exchange, failure);
}

interface CallBody {
  readonly parsed: unknown;
  readonly text: string;
}

const noBody: Outcome<CallBody> = accept({ parsed: undefined, text: '' });

/** What a replay is known by. A digest of a password would be a quick way to guess it. */
function textToKeep({ row }: Plan, { parsed, text }: CallBody): string {
  const { secrets } = row;
  if (secrets === undefined) return text;
  return JSON.stringify(parsed, (key, value) => (secrets.includes(key) ? undefined : value));
}

/** What holds no schema is small: taking a large one apart would only hold up everybody else. */
const smallBodyBytes = 512 * 1024;

function bodyLimitOf({ row }: Plan, largest: number): number {
  return row.largeBody === true ? largest : Math.min(largest, smallBodyBytes);
}

async function readBody(
  deps: ServeDeps,
  plan: Plan,
  request: IncomingMessage,
): Promise<Outcome<CallBody>> {
  const { body: shape } = plan.row;
  if (shape === undefined) return noBody;
  const read = await readJsonBody(request, bodyLimitOf(plan, deps.bodyLimitBytes));
  if (!read.ok) return read;
  const { value, text } = read.value;
  if (value === undefined && !plan.mayLackBody) {
    return { ok: false, failure: validationFailure([{ field: '', message: 'is required' }]) };
  }
  const parsed = shape.safeParse(value === undefined ? {} : value, parseOptions);
  return parsed.success
    ? accept({ parsed: parsed.data, text })
    : { ok: false, failure: toValidationFailure(parsed.error) };
}

async function answerReply(plan: Plan, exchange: Exchange, reply: Reply): Promise<void> {
  const { request, response, headers } = exchange;
  if (reply.body === undefined) {
    sendEmpty(response, reply.status, headers);
    return;
  }
  if (reply.contentType !== undefined) headers['Content-Type'] = reply.contentType;
  if (reply.fileName !== undefined) {
    headers['Content-Disposition'] = `attachment; filename="${reply.fileName}"`;
  }
  if (reply.live !== undefined) {
    // Proxies that gather an answer before they pass it on would pass nothing on.
    response.writeHead(reply.status, { ...headers, 'X-Accel-Buffering': 'no' });
    if (request.method !== 'HEAD') return reply.live.start(response);
    reply.live.cancel();
    response.end();
    return;
  }
  if (reply.stream !== undefined) {
    response.writeHead(reply.status, headers);
    await (request.method === 'HEAD' ? response.end() : sendStream(response, reply.stream));
    return;
  }
  const isText = reply.contentType !== undefined && typeof reply.body === 'string';
  const text = isText ? String(reply.body) : JSON.stringify(reply.body);
  if (plan.row.tagged === true) {
    const etag = etagOf(text);
    headers.ETag = etag;
    const known = request.headers['if-none-match'];
    if (known !== undefined && plan.row.method === 'GET' && namesTag(known, etag)) {
      sendEmpty(response, 304, headers);
      return;
    }
  }
  sendJson(response, reply.status, text, headers);
}

/** Broken machines and bugs: logged in full, answered without a word of it. */
function answerError(log: Log, exchange: Exchange, error: unknown): void {
  if (error instanceof RequestAborted || error instanceof TaskCalledOff) return;
  const { request, requestId } = exchange;
  if (error instanceof QueueFull) {
    log.warn(
      { request_id: requestId, path: exchange.path, cause: error.message },
      'a queue is full',
    );
    refuseExchange(exchange, refuse('RATE_LIMITED', error.message).failure);
    return;
  }
  if (error instanceof RegistryUnavailable) {
    log.warn({ request_id: requestId, cause: String(error.cause) }, 'the database is away');
    refuseExchange(exchange, refuse('REGISTRY_UNAVAILABLE', error.message).failure);
    return;
  }
  log.error(
    { request_id: requestId, method: request.method, path: exchange.path, err: error },
    'a request crashed',
  );
  const message = `Something is broken in the registry. It is logged under the request id ${requestId}: tell its operators.`;
  refuseExchange(exchange, refuse('INTERNAL_ERROR', message).failure);
}
