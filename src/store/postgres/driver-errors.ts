// Translates errors of pg and Postgres into slonik's classes. The rest of the store uses these to
// tell an unavailable database from a refused value.

import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  CheckExclusionConstraintViolationError,
  CheckIntegrityConstraintViolationError,
  ForeignKeyIntegrityConstraintViolationError,
  IdleTransactionTimeoutError,
  InputSyntaxError,
  InvalidInputError,
  NotNullIntegrityConstraintViolationError,
  StatementCancelledError,
  StatementTimeoutError,
  UniqueIntegrityConstraintViolationError,
} from 'slonik';

const errorOfCode: Readonly<Record<string, (error: Error) => Error>> = {
  '22P02': (error) => new InvalidInputError(error.message),
  '23502': (error) => new NotNullIntegrityConstraintViolationError(error),
  '23503': (error) => new ForeignKeyIntegrityConstraintViolationError(error),
  '23505': (error) => new UniqueIntegrityConstraintViolationError(error),
  '23514': (error) => new CheckIntegrityConstraintViolationError(error),
  '23P01': (error) => new CheckExclusionConstraintViolationError(error),
  '25P03': (error) => new IdleTransactionTimeoutError(error),
  '57014': (error) =>
    error.message.includes('canceling statement due to user request')
      ? new StatementCancelledError(error)
      : new StatementTimeoutError(error),
  '57P01': (error) => new BackendTerminatedError(error),
};

/** The code that Postgres or the socket gave an error, or the error that caused it. */
export function codeOf(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return null;
}

/** Whether a lock was not granted in the allowed time. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** Returns the same error if slonik has no class for it; the store then checks its code. */
export function slonikErrorOf(error: Error, sql = ''): Error {
  const message = error.message.toLowerCase();
  if (message.includes('connection terminated unexpectedly')) {
    return new BackendTerminatedUnexpectedlyError(error);
  }
  if (message.includes('connection terminated')) return new BackendTerminatedError(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === '42601') return new InputSyntaxError(error, { sql, values: [] });
  return errorOfCode[code]?.(error) ?? error;
}
