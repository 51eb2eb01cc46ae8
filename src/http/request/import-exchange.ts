// The connection's side of an import: its body is taken as it comes and given to a thread, and what
// that answers is sent. Who hangs up calls it off.

import type { Actor } from '../../core/actor.ts';
import { type Failure, refuse } from '../../core/failure.ts';
import { isOutOfMemory } from '../../ops/thread-pool.ts';
import { sendJson, sendRefusal } from './answer.ts';
import { type Exchange, refuseExchange, replayAnswer } from './exchange.ts';
import { readPieces } from './import-body.ts';
import type { ImportAnswer, ImportCall, ImportRouteName } from './import-call.ts';
import type { HeldBody, HeldBytes } from './import-memory.ts';
import type { NoteDenied } from './note-denied.ts';
import type { Plan } from './plans.ts';

const tooMuch = refuse(
  'PAYLOAD_TOO_LARGE',
  'Reading the document takes more memory than an import may have. Nothing was imported: split it.',
);

/** Answers in a thread; gives up, and leaves nothing behind, when the signal says so. */
export type RunImport = (call: ImportCall, signal: AbortSignal) => Promise<ImportAnswer>;

interface ImportExchangeDeps {
  readonly runImport: RunImport;
  readonly importLimitBytes: number;
  readonly held: HeldBytes;
  readonly noteDenied: NoteDenied;
}

export async function answerImportExchange(
  deps: ImportExchangeDeps,
  plan: Plan,
  name: ImportRouteName,
  exchange: Exchange,
  actor: Actor,
): Promise<void> {
  const query = plan.parseQuery(exchange.search);
  if (!query.ok) return refuseExchange(exchange, query.failure);
  const held = deps.held.open();
  try {
    await answerHeld(deps, { plan, name, exchange, actor }, held);
  } finally {
    held.letGo();
  }
}

interface Asked {
  readonly plan: Plan;
  readonly name: ImportRouteName;
  readonly exchange: Exchange;
  readonly actor: Actor;
}

async function answerHeld(
  deps: ImportExchangeDeps,
  { plan, name, exchange, actor }: Asked,
  held: HeldBody,
): Promise<void> {
  const { request, response, requestId, path, search, headers } = exchange;
  const pieces = await readPieces(request, deps.importLimitBytes, held);
  if (pieces === 'full') {
    headers['Retry-After'] = deps.held.waitSeconds();
    return refuseExchange(exchange, fullOf(deps.held));
  }
  if (!pieces.ok) return refuseExchange(exchange, pieces.failure);
  const hungUp = new AbortController();
  response.once('close', () => hungUp.abort());
  const key = plan.takesIdempotencyKey ? request.headers['idempotency-key'] : undefined;
  const sent = { key, method: request.method ?? '', path, search };
  const call: ImportCall = { ...sent, name, pieces: [...pieces.value], actor, requestId };
  const answer = await deps.runImport(call, hungUp.signal).catch((error: unknown) => {
    if (!isOutOfMemory(error)) throw error;
    return null;
  });
  if (answer === null) return refuseExchange(exchange, tooMuch.failure);
  if (answer.isReplay) replayAnswer(exchange, { status: answer.status, body: answer.text });
  else if (answer.code === null) sendJson(response, answer.status, answer.text, headers);
  else {
    const failure = { code: answer.code, message: 'The import was refused.' };
    await deps.noteDenied(exchange, { actor, route: plan.row.path, failure });
    sendRefusal(response, answer.code, answer.text, headers);
  }
}

function fullOf({ limitBytes, waitSeconds }: HeldBytes): Failure {
  const { failure } = refuse(
    'RATE_LIMITED',
    `The files of the imports under way take as much memory as they may: ${limitBytes} bytes. Nothing was imported: send it again in ${waitSeconds()} seconds.`,
  );
  return failure;
}
