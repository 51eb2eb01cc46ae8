import { matchPattern } from '../../schema/patterns/pattern.ts';
import type { SchemaDocument } from '../../schema/schema.ts';

/** Enough for a key and a pattern of a thousand characters each. */
const matchSteps = 100_000;

/**
 * For each document, a pattern that took too many steps to match a key. Answers that depend on it
 * are undecided.
 */
const undecided = new WeakMap<SchemaDocument, string>();

/**
 * Whether a pattern of `patternProperties` matches somewhere in a key, as defined by ECMA-262. A
 * match that takes too long counts as no match, and makes the comparison of its document undecided.
 */
export function matchesKey(document: SchemaDocument, pattern: string, key: string): boolean {
  const found = matchPattern(pattern, key, { left: matchSteps });
  if (found === 'gave_up') undecided.set(document, pattern);
  return found === true;
}

export function undecidedPattern(document: SchemaDocument): string | undefined {
  return undecided.get(document);
}
