// The reason for a force or an override, kept in the audit trail.

import { accept, type Outcome, refuse } from '../failure.ts';

/** Enough for two words. A shorter reason explains nothing to later readers. */
export const reasonLength = 8;

/**
 * Letters, digits and punctuation by Unicode, except invisible fillers, which count as letters
 * there.
 */
const visible = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{P}]/gu;

/** @example isReason('x') // false */
export function isReason(text: string): boolean {
  return (text.match(visible) ?? []).length >= reasonLength;
}

/** @example checkReason('Legal wants it gone today.') // accepted, without the blanks around it */
export function checkReason(reason: string | null | undefined): Outcome<string> {
  if (typeof reason === 'string' && isReason(reason)) return accept(reason.trim());
  return refuse(
    'VALIDATION_ERROR',
    `Give a reason of at least ${reasonLength} letters, digits or punctuation marks. It is kept in the audit trail.`,
    { field: 'reason' },
  );
}
