// Finds values that JSON can express and a database cannot store: a NUL, half of a surrogate pair, or a number
// of thousands of digits. They are refused, and the message says where they are.

import { isExactNumber, type Json } from './json.ts';

/** In the text of a JSON; also finds a backslash before such a word. */
const unstorableText = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * A value that nobody can send or store shows nothing, and Postgres refuses what it is a part of.
 *
 * @example withStorableWitness({ verdict: 'breaks', witness: '\ud83d' }) // { verdict: 'breaks' }
 */
export function withStorableWitness<Told extends { readonly witness?: Json }>(told: Told): Told {
  if (told.witness === undefined || !unstorableText.test(JSON.stringify(told.witness))) return told;
  const { witness: _, ...rest } = told;
  return rest as Told;
}

interface PlacedProblem {
  readonly field: string;
  readonly message: string;
}

/** Doubles need 309 digits; nobody means thirty times as many. */
const maxDigits = 10_000;

/** A cheap check that clears almost every body, so that only suspicious ones are walked. */
export function mayBeUnstorable(text: string, hasExactNumbers: boolean): boolean {
  return hasExactNumbers || unstorableText.test(text);
}

/** The location of the first value that cannot be stored as it was sent. */
export function findUnstorable(value: Json, path: readonly string[] = []): PlacedProblem | null {
  if (typeof value === 'string') return problemOfText(value, path);
  if (typeof value !== 'object' || value === null) return null;
  if (isExactNumber(value)) return problemOfNumber(value.rawJSON, path);
  for (const [key, member] of Object.entries(value)) {
    const place = [...path, key];
    const problem = problemOfText(key, place) ?? findUnstorable(member, place);
    if (problem !== null) return problem;
  }
  return null;
}

/** Also for text from a URL. */
export function problemOfText(text: string, path: readonly string[]): PlacedProblem | null {
  if (text.includes('\0')) {
    return { field: toField(path), message: 'has a NUL character, which cannot be stored' };
  }
  if (!text.isWellFormed()) {
    return {
      field: toField(path),
      message: 'has half of a surrogate pair, which is not a character',
    };
  }
  return null;
}

function problemOfNumber(text: string, path: readonly string[]): PlacedProblem | null {
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e');
  if (digits.length + Math.abs(Number(exponent)) <= maxDigits) return null;
  return { field: toField(path), message: `is a number of more than ${maxDigits} digits` };
}

function toField(path: readonly string[]): string {
  return path.join('.').toWellFormed().replaceAll('\0', '\\u0000');
}
