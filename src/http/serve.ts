// One request, from its first byte to its answer. The chain is short on purpose: what a read costs
// beyond its query is what stands here.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Actor } from '../core/actor.ts';
import { accept, type Failure, type Outcome, refuse } from '../core/failure.ts';
import type { Timestamp } from '../core/id.ts';
import type { ImportKind } from '../core/import/report-kinds.ts';
import type { Log } from '../ops/log.ts';
import type { Context, IdempotencyKey, ImportDocument, KeptAnswer } from '../registry/ports.ts';
import { RegistryUnavailable } from '../registry/unavailable.ts';
import { toValidationFailure, validationFailure } from '../wire/problem.ts';
import { type RouteName, routes } from '../wire/routes.ts';
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
import { type Api, keepFailure, type Visit } from './handler.ts';
import { type ApiRouteName, handlers, isApiRoute } from './handlers.ts';
import { findReplay, identityOf } from './idempotency.ts';
import { readImportBody } from './import-body.ts';
import { createMatcher } from './match.ts';
import { type Plan, planRoute } from './plans.ts';

export interface ServeDeps extends Api {
  readonly admit: Admit;
  readonly log: Log;
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
  const plans = new Map<RouteName, Plan>();
  for (const [name, row] of Object.entries(routes)) plans.set(name as RouteName, planRoute(row));

  return (request, response) => {
    const exchange = openExchange(request, response, deps.newId, deps.headers);
    const matched = match(request.method ?? 'GET', exchange.path);
    if (matched.found === 'nothing') {
      if (!exchange.path.startsWith('/api/')) return false;
      refuseExchange(exchange, noRoute(exchange.path));
      return true;
    }
    if (matched.found === 'path') {
      answerMethods(exchange, matched.allow);
      return true;
    }
    const plan = plans.get(matched.name);
    if (plan === undefined || !isApiRoute(matched.name)) return false;
    answerCall(deps, plan, matched.name, matched.values, exchange).catch((error: unknown) => {
      answerError(deps.log, exchange, error);
    });
    return true;
  };
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
  const outcome = await handler(deps, call);
  if (outcome.ok) {
    answerReply(plan, exchange, outcome.value);
  } else if (idempotency === undefined) {
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
  readonly document: ImportDocument | undefined;
  readonly idempotency: IdempotencyKey | undefined;
}

interface Reply {
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
    ? identityOf(exchange, textToKeep(plan, body.value))
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
    document: body.value.document,
    idempotency: idempotency.value,
  });
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
  readonly document?: ImportDocument;
}

const noBody: Outcome<CallBody> = accept({ parsed: undefined, text: '' });

/** What a replay is known by. A digest of a password would be a quick way to guess it. */
function textToKeep({ row }: Plan, { parsed, text }: CallBody): string {
  const { secrets } = row;
  if (secrets === undefined) return text;
  return JSON.stringify(parsed, (key, value) => (secrets.includes(key) ? undefined : value));
}

async function readBody(
  deps: ServeDeps,
  plan: Plan,
  request: IncomingMessage,
): Promise<Outcome<CallBody>> {
  const { body: shape, importKind } = plan.row;
  if (shape === undefined) return noBody;
  if (importKind !== undefined) return readImport(deps, shape, importKind, request);
  const read = await readJsonBody(request, plan.row.bodyLimitBytes ?? deps.bodyLimitBytes);
  if (!read.ok) return read;
  const { value, text } = read.value;
  if (value === undefined && !plan.mayLackBody) {
    return { ok: false, failure: validationFailure([{ field: '', message: 'is required' }]) };
  }
  const parsed = shape.safeParse(value ?? {});
  return parsed.success
    ? accept({ parsed: parsed.data, text })
    : { ok: false, failure: toValidationFailure(parsed.error) };
}

async function readImport(
  { ports, importLimitBytes }: ServeDeps,
  shape: z.ZodObject,
  kind: ImportKind,
  request: IncomingMessage,
): Promise<Outcome<CallBody>> {
  const read = await readImportBody(request, kind, importLimitBytes, ports.engine);
  if (!read.ok) return read;
  const { document, digest } = read.value;
  const parsed = shape.safeParse(document.envelope);
  return parsed.success
    ? accept({ parsed: parsed.data, text: digest, document })
    : { ok: false, failure: toValidationFailure(parsed.error) };
}

function answerReply(plan: Plan, exchange: Exchange, reply: Reply): void {
  const { request, response, headers } = exchange;
  if (reply.body === undefined) {
    sendEmpty(response, reply.status, headers);
    return;
  }
  const text = JSON.stringify(reply.body);
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
  if (error instanceof RequestAborted) return;
  const { request, requestId } = exchange;
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
