// Sets of code points, as sorted, disjoint, non-adjacent ranges: [low, high, low, high, ...].

export type CharSet = readonly number[];

export const lastCodePoint = 0x10ffff;
export const everyChar: CharSet = [0, lastCodePoint];
export const digits: CharSet = [0x30, 0x39];
export const wordChars: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
/** ECMA-262 WhiteSpace and LineTerminator. */
export const spaces: CharSet = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f,
  0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
];
export const lineTerminators: CharSet = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];

/** Sorts ranges and joins those that touch: [low, high] pairs in any order. */
export function charSetOf(ranges: readonly (readonly [number, number])[]): CharSet {
  const sorted = ranges.toSorted((a, b) => a[0] - b[0]);
  const set: number[] = [];
  for (const [low, high] of sorted) {
    const end = set.at(-1);
    if (end !== undefined && low <= end + 1) set[set.length - 1] = Math.max(end, high);
    else set.push(low, high);
  }
  return set;
}

export function uniteChars(sets: readonly CharSet[]): CharSet {
  if (sets.length === 1 && sets[0] !== undefined) return sets[0];
  return charSetOf(sets.flatMap(rangesOf));
}

export function negateChars(set: CharSet): CharSet {
  const rest: number[] = [];
  let next = 0;
  for (const [low, high] of rangesOf(set)) {
    if (low > next) rest.push(next, low - 1);
    next = high + 1;
  }
  if (next <= lastCodePoint) rest.push(next, lastCodePoint);
  return rest;
}

export function hasChar(set: CharSet, codePoint: number): boolean {
  for (let i = 0; i + 1 < set.length; i += 2) {
    if (codePoint < at(set, i)) return false;
    if (codePoint <= at(set, i + 1)) return true;
  }
  return false;
}

export function rangesOf(set: CharSet): [number, number][] {
  const ranges: [number, number][] = [];
  for (let i = 0; i + 1 < set.length; i += 2) ranges.push([at(set, i), at(set, i + 1)]);
  return ranges;
}

/**
 * The characters of a Unicode property, by the tables of the JavaScript engine.
 *
 * @example charsOfProperty('\\p{Lu}')
 */
export function charsOfProperty(property: string): CharSet {
  const known = propertySets.get(property);
  if (known !== undefined) return known;
  const set = scanWith(new RegExp(`${property}+`, 'gu'), new RegExp(`^${property}$`, 'u'));
  if (propertySets.size >= maxPropertySets) propertySets.clear();
  propertySets.set(property, set);
  return set;
}

const propertySets = new Map<string, CharSet>();
/** There are some hundred properties, and a set takes some kilobytes. */
const maxPropertySets = 256;

/**
 * A native scan over a text of all code points finds the runs. Surrogates are scanned separately,
 * because they would form pairs.
 */
function scanWith(runs: RegExp, single: RegExp): CharSet {
  const found: [number, number][] = [];
  for (const [first, text] of allCodePoints()) {
    for (const match of text.matchAll(runs)) {
      const low = first + codePointsBefore(first, match.index);
      const high = first + codePointsBefore(first, match.index + match[0].length) - 1;
      found.push([low, high]);
    }
  }
  for (let code = 0xd800; code <= 0xdfff; code++) {
    if (single.test(String.fromCharCode(code))) found.push([code, code]);
  }
  return charSetOf(found);
}

function codePointsBefore(first: number, units: number): number {
  return first >= 0x10000 ? units / 2 : units;
}

let wholeText: readonly (readonly [number, string])[] | null = null;

function allCodePoints(): readonly (readonly [number, string])[] {
  wholeText ??= [
    [0, textOfRange(0, 0xd7ff)],
    [0xe000, textOfRange(0xe000, 0xffff)],
    [0x10000, textOfRange(0x10000, lastCodePoint)],
  ];
  return wholeText;
}

function textOfRange(low: number, high: number): string {
  const parts: string[] = [];
  for (let start = low; start <= high; start += 4096) {
    const codes = Array.from({ length: Math.min(4096, high - start + 1) }, (_, i) => start + i);
    parts.push(String.fromCodePoint(...codes));
  }
  return parts.join('');
}

function at(set: CharSet, index: number): number {
  return set[index] ?? 0;
}
