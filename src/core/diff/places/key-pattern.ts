import { matchPattern } from '../../schema/patterns/pattern.ts';

/** A key and a pattern of a thousand characters each; what takes more counts as no match. */
const matchSteps = 100_000;

/** Whether a pattern of `patternProperties` matches a key: somewhere in it, as ECMA-262 reads it. */
export function matchesKey(pattern: string, key: string): boolean {
  return matchPattern(pattern, key, { left: matchSteps }) === true;
}
