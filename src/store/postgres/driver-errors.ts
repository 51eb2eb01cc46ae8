// What pg and Postgres say went wrong, in slonik's words: the rest of the store tells by them a
// database that is away from a value that is refused.

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

/** The same error where slonik has no word for it: it looks at the code itself. */
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
