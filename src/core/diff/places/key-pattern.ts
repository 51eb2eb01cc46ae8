import { matchPattern } from '../../schema/patterns/pattern.ts';
import type { SchemaDocument } from '../../schema/schema.ts';

/** A key and a pattern of a thousand characters each. */
const matchSteps = 100_000;

/** By document, a pattern that took more steps for a key of a question: what rests on it is undecided. */
const undecided = new WeakMap<SchemaDocument, string>();

/**
 * Whether a pattern of `patternProperties` matches a key: somewhere in it, as ECMA-262 reads it. A match
 * that takes too long counts as none, and makes the comparison of its document undecided.
 */
export function matchesKey(document: SchemaDocument, pattern: string, key: string): boolean {
  const found = matchPattern(pattern, key, { left: matchSteps });
  if (found === 'gave_up') undecided.set(document, pattern);
  return found === true;
}

export function undecidedPattern(document: SchemaDocument): string | undefined {
  return undecided.get(document);
}
