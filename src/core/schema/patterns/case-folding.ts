// Groups characters that are equal when case is ignored, as ECMA-262 defines for `(?i:...)`: with
// the flag `u` by Unicode's simple case folding, in the older grammar by upper case. JavaScript
// offers neither, so the groups are made from the two cases of a letter, and its own matcher
// decides.

import type { CharSet } from './char-set.ts';
import { charSetOf, charsOfProperty, rangesOf } from './char-set.ts';

type Folding = 'unicode' | 'older';

/** @example uniteCases([0x6b, 0x6b], 'unicode') // k, K and the sign of Kelvin */
export function uniteCases(set: CharSet, folding: Folding): CharSet {
  const ranges = rangesOf(set);
  const added: [number, number][] = [];
  let at = 0;
  for (const [char, others] of casesOf(folding)) {
    while ((ranges[at]?.[1] ?? Number.POSITIVE_INFINITY) < char) at++;
    if (at >= ranges.length) break;
    if ((ranges[at]?.[0] ?? 0) > char) continue;
    for (const other of others) added.push([other, other]);
  }
  return added.length === 0 ? set : charSetOf([...ranges, ...added]);
}

const known = new Map<Folding, readonly (readonly [number, readonly number[]])[]>();

/** Each character with other cases, in order, and these cases. */
function casesOf(folding: Folding): readonly (readonly [number, readonly number[]])[] {
  const made = known.get(folding) ?? findCases(folding);
  known.set(folding, made);
  return made;
}

function findCases(folding: Folding): readonly (readonly [number, readonly number[]])[] {
  const groups = new Map<string, number[]>();
  const chars = rangesOf(charsOfProperty('\\p{Changes_When_Casemapped}')).flatMap(([low, high]) =>
    Array.from({ length: high - low + 1 }, (_, index) => low + index),
  );
  for (const char of chars) {
    const text = String.fromCodePoint(char);
    for (const key of new Set([text, text.toLowerCase(), text.toUpperCase()])) {
      groups.set(key, [...(groups.get(key) ?? []), char]);
    }
  }
  const twice = folding === 'unicode' ? /^(.)\1$/iu : /^(.)\1$/i;
  return chars.flatMap((char) => {
    // Without the flag `u` a character beyond 0xffff is two code units, which have no case.
    if (folding === 'older' && char > 0xffff) return [];
    const text = String.fromCodePoint(char);
    const keys = [text, text.toLowerCase(), text.toUpperCase()];
    const near = keys.flatMap((key) => [key, key.toUpperCase(), key.toLowerCase()]);
    const likely = new Set(near.flatMap((key) => groups.get(key) ?? []));
    const others = [...likely].filter(
      (other) => other !== char && twice.test(text + String.fromCodePoint(other)),
    );
    return others.length === 0 ? [] : [[char, others] as const];
  });
}
