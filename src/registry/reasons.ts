import { accept, type Outcome, refuse } from '../core/failure.ts';

/** A reason is for people to read later: blanks tell nobody anything. */
export function checkReason(reason: string): Outcome<string> {
  const said = reason.trim();
  if (said !== '') return accept(said);
  return refuse('VALIDATION_ERROR', 'A reason is needed: it stays on record.', { field: 'reason' });
}
