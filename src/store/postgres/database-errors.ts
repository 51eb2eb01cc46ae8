// Translates errors of Postgres into "unavailable" or a refusal of the caller's request.

import { ConnectionError, SlonikError } from 'slonik';
import { type Outcome, refuse } from '../../core/failure.ts';
import {
  ArchiveUnavailable,
  RegistryBusy,
  RegistryRefused,
  RegistryUnavailable,
} from '../../core/unavailable.ts';
import { DatabaseUrlProblem } from '../../ops/postgres/database-url.ts';
import { NoFreeConnection } from './connection-queue.ts';
import { codeOf } from './driver-errors.ts';
import { answerPatienceMs, waitAtMost } from './patience.ts';

/** A refusal for a problem that only the database can detect; null for other errors. */
export function refusalOf(error: unknown): Outcome<never> | null {
  const code = codeOf(error);
  if (code === null || !textCodes.has(code)) return null;
  return refuse(
    'VALIDATION_ERROR',
    'A text holds a character that cannot be stored, such as NUL (\\u0000) or half of a surrogate pair. Remove it.',
  );
}

/** A read is a few statements; a transaction has more, and waits for locks in between. */
export const transactionPatienceMs = 180_000;

/** Runs a read or a transaction; an unavailable database becomes `RegistryUnavailable`. */
export async function whileAvailable<T>(
  run: () => Promise<T>,
  patienceMs: number = answerPatienceMs,
): Promise<T> {
  let stopWaiting = () => {};
  try {
    return await new Promise<T>((done, fail) => {
      stopWaiting = waitAtMost(patienceMs, () =>
        fail(new RegistryUnavailable(new Error(`Postgres was silent for ${patienceMs} ms.`))),
      );
      run().then(done, fail);
    });
  } catch (error) {
    throw isUnavailable(error) ? unavailableOf(error) : error;
  } finally {
    stopWaiting();
  }
}

/** Most reads take milliseconds. */
const silenceMs = 5_000;

/**
 * Runs a read. If it takes long, `ping` tells whether Postgres is slow or silent; a silent one
 * fails the read long before its connection is given up. A slow one may take its time.
 */
export async function whileAnswering<T>(
  run: () => Promise<T>,
  ping: () => Promise<void>,
): Promise<T> {
  let stopWaiting = () => {};
  let isOver = false;
  try {
    return await new Promise<T>((done, fail) => {
      const listen = () => {
        if (!isOver) stopWaiting = waitAtMost(silenceMs, () => void ping().then(listen, fail));
      };
      listen();
      run().then(done, fail);
    });
  } finally {
    isOver = true;
    stopWaiting();
  }
}

/** untranslatable_character, character_not_in_repertoire: NUL and lone surrogates. */
const textCodes = new Set(['22P05', '22021']);

/**
 * Connections (08), refused credentials (28), resources such as too many connections (53), an
 * operator's intervention such as a shutdown (57), locks that were not granted in time (55P03), and
 * a read-only server (25006), such as one that is about to be replaced.
 */
const unavailableCodes = /^(08|28|53|57)|^55P03$|^25P0[34]$|^25006$/;

/** Postgres answered: something else has what the statement waited for. Shown to callers. */
const busySentences: Readonly<Record<string, string>> = {
  '55P03': 'another session of its database holds a lock.',
  '57014': 'its database did not finish a statement in 30 seconds.',
};

/** Problems that operators must solve, with the sentence that callers see. */
const refusals: Readonly<Record<string, readonly [RegistryRefused['reason'], string]>> = {
  '28000': ['credentials', "Postgres rejected the registry's user."],
  '28P01': ['credentials', "Postgres rejected the registry's password."],
  '25006': ['read_only', "The registry's database is read-only at the moment."],
  '53100': ['disk_full', "The disk of the registry's database is full."],
  '53300': ['no_connections', "The registry's database has no free connections."],
};
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);

function isUnavailable(error: unknown): boolean {
  // Another server, with the same codes.
  if (error instanceof ArchiveUnavailable) return false;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ConnectionError || cause instanceof DatabaseUrlProblem) return true;
    if (cause instanceof NoFreeConnection) return true;
    const code = codeOf(cause);
    if (code !== null && (unavailableCodes.test(code) || socketCodes.has(code))) return true;
    if (cause instanceof SlonikError && /terminat|timeout/i.test(cause.message)) return true;
    if (/^(Connection terminated|timeout expired|timeout exceeded)/.test(cause.message))
      return true;
  }
  return error instanceof AggregateError && error.errors.some(isUnavailable);
}

function unavailableOf(error: unknown): RegistryUnavailable {
  if (error instanceof NoFreeConnection) {
    return new RegistryBusy(error, 'all its connections to the database are in use.');
  }
  const code = codeOf(error) ?? '';
  const busy = busySentences[code];
  if (busy !== undefined) return new RegistryBusy(error, busy);
  const [reason, sentence] = refusals[code] ?? [];
  return reason === undefined || sentence === undefined
    ? new RegistryUnavailable(error)
    : new RegistryRefused(error, reason, sentence);
}
