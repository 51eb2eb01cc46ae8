// What is sent twice under one Idempotency-Key takes effect once, and is answered alike.

import { hash } from 'node:crypto';
import type { Actor } from '../../core/actor.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Timestamp } from '../../core/id.ts';
import type { IdempotencyKey, KeptAnswer, Ports } from '../../registry/ports.ts';
import { validationFailure } from '../../wire/problem.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

export interface SentUnderKey {
  /** The header, as it came. */
  readonly key: string | readonly string[] | undefined;
  readonly method: string;
  readonly path: string;
  readonly search: string;
}

/** Undefined where the caller sent none. */
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

/** What the same request was answered before; null where it was not, a refusal for another query or body. */
export async function findReplay(
  ports: Ports,
  actor: Actor,
  identity: IdempotencyKey,
  now: Timestamp,
): Promise<Outcome<KeptAnswer | null>> {
  const kept = await ports.reads.findKeptAnswer(actor.id, identity, now);
  if (kept === null) return accept(null);
  if (kept.bodyDigest !== identity.bodyDigest) {
    return refuse(
      'IDEMPOTENCY_MISMATCH',
      `The Idempotency-Key "${identity.key}" was sent with another query or body within 24 hours. Use a new key for a new request.`,
    );
  }
  return accept(kept.answer);
}
