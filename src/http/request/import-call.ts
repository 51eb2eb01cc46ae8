// Handles a call of an import in its thread: reads, checks and executes the body, and returns the
// response as text.

import { hash } from 'node:crypto';
import type { Actor } from '../../core/actor.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Json } from '../../core/value/json.ts';
import { findUnstorable, mayBeUnstorable } from '../../core/value/storable.ts';
import { type ReadDocument, readDocument } from '../../engine/read-import.ts';
import { type RouteName, routes } from '../../wire/routes.ts';
import { parseOptions, toValidationFailure, validationFailure } from '../../wire/shapes/problem.ts';
import type { ImportApi, ImportHandler, ReadCall } from '../import-handler.ts';
import * as imports from '../routes/imports.ts';
import * as runResults from '../routes/run-results.ts';
import { type Answered, refusal } from './answer.ts';
import { free } from './import-body.ts';
import { answerOnce, identityOf, type SentUnderKey } from './replay.ts';

/** The message to the thread: plain data, with its bytes transferred. */
export interface ImportCall extends SentUnderKey {
  readonly name: ImportRouteName;
  /** The uncompressed body. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly actor: Actor;
  readonly requestId: string;
}

/** Every route that takes a document, with its handler. */
const importHandlers = { ...imports, ...runResults } satisfies Partial<
  Record<RouteName, ImportHandler>
>;

export type ImportRouteName = keyof typeof importHandlers;

export function isImportRoute(name: RouteName): name is ImportRouteName {
  return name in importHandlers;
}

export async function answerImport(api: ImportApi, call: ImportCall): Promise<Answered> {
  const read = readCall(api, call);
  if (!read.ok) return refusal(read.failure);
  const { idempotency } = read.value;
  const sender = { ports: api.ports, actor: call.actor, idempotency, now: api.now() };
  const handler: ImportHandler = importHandlers[call.name];
  return answerOnce(sender, () => handler(api, read.value));
}

function readCall(api: ImportApi, call: ImportCall): Outcome<ReadCall> {
  const row = routes[call.name];
  const bodyDigest = call.key === undefined ? '' : hash('sha256', call.bytes);
  const text = takeText(call.bytes);
  if (text === null) return refuse('INVALID_JSON', 'The body is not UTF-8. Send JSON in UTF-8.');
  const read = readDocument(row.importKind, text, api.dbtSettings);
  if (!read.ok) return read;
  const document = read.value;
  const body = row.body.safeParse(document.envelope, parseOptions);
  if (!body.success) return { ok: false, failure: toValidationFailure(body.error) };
  const mayBeOdd = mayBeUnstorable(text, document.hasExactNumbers);
  const unstorable = mayBeOdd ? refuseUnstorable(document) : null;
  if (unstorable !== null) return unstorable;
  const idempotency = call.key === undefined ? accept(undefined) : identityOf(call, bodyDigest);
  if (!idempotency.ok) return idempotency;
  const { actor, requestId } = call;
  const context = { actor, requestId, now: api.now, newId: api.newId };
  return accept({ body: body.data, document, context, idempotency: idempotency.value });
}

/** Null for invalid UTF-8. */
function takeText(bytes: ImportCall['bytes']): string | null {
  try {
    // Decodes the whole text at once: as a stream, each piece takes a decoder path that is three
    // times slower.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  } finally {
    free(bytes.buffer);
  }
}

/** A file that cannot be stored exactly as it was sent is refused. */
function refuseUnstorable({ read, runResults }: ReadDocument): Outcome<never> | null {
  const kept = [
    ...read.parsed.candidates.map(({ place, ...candidate }) => ({
      place,
      value: { ...candidate },
    })),
    ...(runResults === null ? [] : [{ place: '$', value: runResults.results }]),
  ];
  for (const { place, value } of kept) {
    // The result of reading a file is plain data.
    const problem = findUnstorable(value as Json);
    if (problem === null) continue;
    const message = `${problem.message} (${problem.field})`;
    return { ok: false, failure: validationFailure([{ field: place, message }]) };
  }
  return null;
}
