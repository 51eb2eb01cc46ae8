// Runs an admitted request: with a handler here, or for an import in a thread. Both read the body,
// replay, and answer in the same way.

import type { Actor } from '../../core/actor.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Timestamp } from '../../core/id.ts';
import { workFor } from '../../ops/threads/callers.ts';
import { ImportTooLong } from '../../ops/threads/import-threads.ts';
import { isOutOfMemory } from '../../ops/threads/thread-pool.ts';
import type { Reads } from '../../registry/ports.ts';
import type { Api, Call, Visit } from '../handler.ts';
import { type ApiRouteName, handlers } from '../handlers.ts';
import { type Answered, type Reply, refusal } from './answer.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { readImportBody } from './import-body.ts';
import type { ImportCall, ImportRouteName } from './import-call.ts';
import type { HeldBytes, NoRoom } from './import-memory.ts';
import type { Plan } from './parse.ts';
import { answerOnce, identityOf, type SentUnderKey } from './replay.ts';

/** An admitted request with its parsed path and query. */
interface Asked {
  readonly plan: Plan;
  readonly exchange: Exchange;
  readonly actor: Actor;
  readonly visit: Visit;
  readonly params: unknown;
  readonly query: unknown;
}

export type Run = (asked: Asked) => Promise<Answered>;

interface RunHereDeps extends Api {
  readonly now: () => Timestamp;
  readonly newId: () => string;
  readonly bodyLimitBytes: number;
}

export function runHere(deps: RunHereDeps, name: ApiRouteName): Run {
  // The parts of a call are parsed by the shapes of the row, which also give the handler its type.
  const handler = handlers[name] as (api: Api, call: unknown) => Promise<Outcome<Reply>>;
  const { replicaReads } = deps.ports;
  return async (asked) => {
    const call = await readCall(deps, asked);
    if (!call.ok) return refusal(call.failure);
    const { actor, idempotency } = call.value;
    const sender = { ports: deps.ports, actor, idempotency, now: deps.now() };
    const open = asked.plan.row.fromReplica === true ? replicaReads : undefined;
    const api = open === undefined ? deps : await readingElsewhere(deps, open);
    return answerOnce(sender, () => workFor(actor.id, () => handler(api, call.value)));
  };
}

async function readingElsewhere(deps: RunHereDeps, open: () => Promise<Reads>): Promise<Api> {
  return { ...deps, ports: { ...deps.ports, reads: await open() } };
}

type AnyCall = Record<'params' | 'query' | 'body', unknown> &
  Omit<Call<ApiRouteName>, 'params' | 'query' | 'body'>;

async function readCall(
  { now, newId, bodyLimitBytes }: RunHereDeps,
  { plan, exchange, actor, visit, params, query }: Asked,
): Promise<Outcome<AnyCall>> {
  const { request, requestId } = exchange;
  const body = await readBody(plan, request, bodyLimitBytes);
  if (!body.ok) return body;
  const { parsed, identity } = body.value;
  const idempotency = identityOf(sentUnderKey(plan, exchange), identity);
  if (!idempotency.ok) return idempotency;
  const lastEventId = request.headers['last-event-id'];
  return accept({
    params,
    query,
    body: parsed,
    actor,
    visit,
    context: { actor, requestId, now, newId },
    ifMatch: request.headers['if-match'],
    lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
    idempotency: idempotency.value,
  });
}

function sentUnderKey({ takesIdempotencyKey }: Plan, { request, path, search }: Exchange) {
  const key = takesIdempotencyKey ? request.headers['idempotency-key'] : undefined;
  return { key, method: request.method, path, search } satisfies SentUnderKey;
}

/** Answers in a thread. On the signal it gives up and leaves nothing behind. */
export type RunImport = (call: ImportCall, signal: AbortSignal) => Promise<Answered>;

interface RunInThreadDeps {
  readonly runImport: RunImport;
  readonly importLimitBytes: number;
  readonly held: HeldBytes;
}

export function runInThread(deps: RunInThreadDeps, name: ImportRouteName): Run {
  return async (asked) => {
    const held = deps.held.open(asked.actor.id);
    try {
      const { request, headers } = asked.exchange;
      const bytes = await readImportBody(request, deps.importLimitBytes, held);
      if (bytes === 'full' || bytes === 'share_full') {
        headers['Retry-After'] = deps.held.waitSeconds();
        return refusal(fullOf(deps.held, bytes).failure);
      }
      if (!bytes.ok) return refusal(bytes.failure);
      return await answerInThread(deps.runImport, name, asked, bytes.value);
    } finally {
      held.letGo();
    }
  };
}

async function answerInThread(
  runImport: RunImport,
  name: ImportRouteName,
  { plan, exchange, actor }: Asked,
  bytes: ImportCall['bytes'],
): Promise<Answered> {
  const { response, requestId } = exchange;
  const hungUp = new AbortController();
  response.once('close', () => hungUp.abort());
  const call: ImportCall = { ...sentUnderKey(plan, exchange), name, bytes, actor, requestId };
  try {
    return await runImport(call, hungUp.signal);
  } catch (error) {
    if (isOutOfMemory(error)) return refusal(tooMuch.failure);
    if (error instanceof ImportTooLong) return refusal(tooLong.failure);
    throw error;
  }
}

const tooMuch = refuse(
  'PAYLOAD_TOO_LARGE',
  'Reading the document takes more memory than an import may have. Nothing was imported: split it.',
);

const tooLong = refuse(
  'PAYLOAD_TOO_LARGE',
  'Reading the document takes longer than an import may take. Nothing was imported: split it.',
);

function fullOf({ limitBytes, shareBytes, waitSeconds }: HeldBytes, why: NoRoom) {
  const whose = why === 'full' ? 'the running imports' : 'your running imports';
  const most = why === 'full' ? limitBytes : shareBytes;
  return refuse(
    'RATE_LIMITED',
    `The files of ${whose} use the memory limit of ${most} bytes. Nothing was imported. Try again in ${waitSeconds()} seconds.`,
  );
}
