// A request that is repeated with the same Idempotency-Key takes effect once and gets the same
// response.

import { hash } from 'node:crypto';
import type { Actor } from '../../core/actor.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Timestamp } from '../../core/id.ts';
import type { IdempotencyKey, Ports } from '../../registry/ports.ts';
import { validationFailure } from '../../wire/shapes/problem.ts';
import { keepFailure } from '../handler.ts';
import { type Answered, type Reply, refusal, replayed, replied } from './answer.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

export interface SentUnderKey {
  /** The header as it was sent. */
  readonly key: string | readonly string[] | undefined;
  readonly method: string;
  readonly path: string;
  readonly search: string;
}

/** Undefined if the caller sent no key. */
export function identityOf(
  { key, method, path, search }: SentUnderKey,
  text: string,
): Outcome<IdempotencyKey | undefined> {
  if (key === undefined) return accept(undefined);
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    const problem = { field: 'Idempotency-Key', message: 'must be 1 to 255 visible characters' };
    return { ok: false, failure: validationFailure([problem]) };
  }
  const bodyDigest = hash('sha256', `${search}\n${text}`);
  return accept({ key, method, path, bodyDigest });
}

interface Sender {
  readonly ports: Ports;
  readonly actor: Actor;
  /** Undefined if every request takes effect. */
  readonly idempotency: IdempotencyKey | undefined;
  readonly now: Timestamp;
}

/** Runs the handler, unless a request with the same key was answered before. */
export async function answerOnce(
  sender: Sender,
  run: () => Promise<Outcome<Reply>>,
): Promise<Answered> {
  const before = await findReplay(sender);
  if (before !== null) return before;
  const outcome = await run();
  if (outcome.ok) return replied(outcome.value);
  const { failure } = outcome;
  // A request that waited for another one with the same key gets its response.
  const other = failure.code === 'IDEMPOTENCY_CONFLICT' ? await findReplay(sender) : null;
  if (other !== null) return other;
  // Stores a refusal that no transaction stored.
  const { ports, actor, idempotency, now } = sender;
  const kept = keepFailure(failure);
  if (idempotency !== undefined && kept !== null) {
    await ports.keepAnswer(actor.id, idempotency, kept, now);
  }
  return refusal(failure);
}

/** The response to the earlier request; a refusal if its query or body was different. */
async function findReplay({ ports, actor, idempotency, now }: Sender): Promise<Answered | null> {
  if (idempotency === undefined) return null;
  const kept = await ports.reads.findKeptAnswer(actor.id, idempotency, now);
  if (kept === null) return null;
  if (kept.bodyDigest === idempotency.bodyDigest) return replayed(kept.answer);
  const { failure } = refuse(
    'IDEMPOTENCY_MISMATCH',
    `The Idempotency-Key "${idempotency.key}" was sent with another query or body within 24 hours. Use a new key for a new request.`,
  );
  return refusal(failure);
}
