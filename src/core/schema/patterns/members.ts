// Members of a language: the shortest, the first few, their number, their lengths.

import type { Dfa } from './dfa.ts';
import { noState, startState } from './dfa.ts';
import type { Language } from './language.ts';
import type { Steps, TooLarge } from './steps.ts';

/** Lengths in code points, both bounds included; `max` may be infinite. */
interface Lengths {
  readonly min: number;
  readonly max: number;
}

/**
 * A shortest member with a length in the bounds, in readable characters if possible; `null` if it
 * is proven that there is none.
 */
export function findMember(
  language: Language,
  steps: Steps,
  lengths: Lengths = { min: 0, max: Number.POSITIVE_INFINITY },
): string | null | TooLarge {
  if (language.moves.length === 0 || lengths.min > lengths.max) return null;
  const min = Math.max(0, Math.ceil(lengths.min));
  const known = lengthsOf(language);
  if (known === null || known.max < min || known.min > lengths.max) return null;
  if (min > longestMember) return 'too_large';
  const layers = layersUpTo(language, min, lengths.max, steps);
  if (layers === 'too_large' || layers === null) return layers;
  return spell(language, layers);
}

/** A longer witness helps nobody; a layer takes one byte per state plus an object. */
const longestMember = 100_000;

/** The lengths of the shortest and the longest member; `null` if there are no members. */
export function lengthsOf(language: Language): Lengths | null {
  if (language.moves.length === 0) return null;
  const known = knownLengths.get(language);
  if (known !== undefined) return known;
  const lengths = { min: shortestLength(language), max: longestLength(language) };
  knownLengths.set(language, lengths);
  return lengths;
}

const knownLengths = new WeakMap<Language, Lengths>();

/** The number of members, up to `limit`; `limit + 1` means that there are more. */
export function countMembers(language: Language, limit: number, steps: Steps): number | TooLarge {
  steps.left -= language.moves.length;
  if (steps.left < 0) return 'too_large';
  const order = topologicalOrder(language);
  if (order === null) return limit + 1;
  const counts = new Array<number>(language.moves.length).fill(0);
  for (const state of order.toReversed()) {
    let count = language.accepting[state] ? 1 : 0;
    const out = language.moves[state] ?? [];
    for (let i = 0; i < out.length; i += 3) {
      count += ((out[i + 1] ?? 0) - (out[i] ?? 0) + 1) * (counts[out[i + 2] ?? 0] ?? 0);
    }
    counts[state] = Math.min(count, limit + 1);
  }
  return counts[startState] ?? 0;
}

/**
 * Members, shorter ones first, at most `limit`. Complete if there are no more, unless the steps ran
 * out.
 */
export function listMembers(language: Language, limit: number, steps: Steps): string[] {
  const found: string[] = [];
  const longest = lengthsOf(language)?.max ?? -1;
  const layers = [acceptingLayer(language)];
  const targets = targetsOf(language);
  for (let length = 0; length <= longest && found.length < limit; length++) {
    if (layers[length]?.[startState] === 1) {
      spellAll(language, layers, length, { limit: limit - found.length, steps }, found);
    }
    steps.left -= language.moves.length;
    if (steps.left < 0) return found;
    layers.push(layerBefore(targets, layers[length]));
  }
  return found;
}

interface Room {
  readonly limit: number;
  readonly steps: Steps;
}

/** Every member of exactly this length, as far as the limit allows. */
function spellAll(
  language: Language,
  layers: readonly Uint8Array[],
  length: number,
  { limit, steps }: Room,
  found: string[],
): void {
  let row = [{ state: startState, text: '' }];
  for (let left = length; left > 0 && row.length > 0; left--) {
    const goal = layers[left - 1];
    const nextRow: { state: number; text: string }[] = [];
    for (const { state, text } of row) {
      // Each text that is one character longer refers to the shorter one.
      steps.left -= 1 + (language.moves[state]?.length ?? 0);
      if (steps.left < 0) return;
      for (const { low, high, target } of readableFirst(language.moves[state] ?? [])) {
        // Every prefix that is kept leads to a member, so there are never more prefixes than
        // members.
        if (goal?.[target] !== 1) continue;
        for (const code of codesOf(low, high, limit - nextRow.length)) {
          nextRow.push({ state: target, text: text + String.fromCodePoint(code) });
        }
      }
    }
    row = nextRow;
  }
  found.push(...row.map(({ text }) => text));
}

function* codesOf(low: number, high: number, limit: number): Generator<number> {
  if (limit <= 0) return;
  const first = readableChar(low, high).code;
  yield first;
  for (let code = low, given = 1; code <= high && given < limit; code++) {
    if (code === first) continue;
    given++;
    yield code;
  }
}

function readableFirst(out: readonly number[]): { low: number; high: number; target: number }[] {
  const ranges: { low: number; high: number; target: number; rank: number }[] = [];
  for (let i = 0; i < out.length; i += 3) {
    const [low = 0, high = 0, target = 0] = out.slice(i, i + 3);
    ranges.push({ low, high, target, rank: readableChar(low, high).rank });
  }
  return ranges.toSorted((a, b) => a.rank - b.rank);
}

function shortestLength(dfa: Dfa): number {
  let row = [startState];
  const seen = new Set(row);
  for (let length = 0; row.length > 0; length++) {
    if (row.some((state) => dfa.accepting[state])) return length;
    const nextRow: number[] = [];
    for (const state of row) {
      const out = dfa.moves[state] ?? [];
      for (let i = 2; i < out.length; i += 3) {
        const target = out[i] ?? 0;
        if (seen.has(target)) continue;
        seen.add(target);
        nextRow.push(target);
      }
    }
    row = nextRow;
  }
  return Number.POSITIVE_INFINITY;
}

/** Every state is on a path to a member, so a cycle makes members of unlimited length. */
function longestLength(dfa: Dfa): number {
  const order = topologicalOrder(dfa);
  if (order === null) return Number.POSITIVE_INFINITY;
  const longest = new Array<number>(dfa.moves.length).fill(0);
  for (const state of order.toReversed()) {
    const out = dfa.moves[state] ?? [];
    for (let i = 2; i < out.length; i += 3) {
      longest[state] = Math.max(longest[state] ?? 0, 1 + (longest[out[i] ?? 0] ?? 0));
    }
  }
  return longest[startState] ?? 0;
}

/** The states, each before its targets; `null` if there is a cycle. */
function topologicalOrder(dfa: Dfa): number[] | null {
  const incoming = new Array<number>(dfa.moves.length).fill(0);
  for (const out of dfa.moves) {
    for (let i = 2; i < out.length; i += 3)
      incoming[out[i] ?? 0] = (incoming[out[i] ?? 0] ?? 0) + 1;
  }
  const order: number[] = [];
  const free = incoming.flatMap((count, state) => (count === 0 ? [state] : []));
  for (let state = free.pop(); state !== undefined; state = free.pop()) {
    order.push(state);
    const out = dfa.moves[state] ?? [];
    for (let i = 2; i < out.length; i += 3) {
      const target = out[i] ?? 0;
      const left = (incoming[target] ?? 0) - 1;
      incoming[target] = left;
      if (left === 0) free.push(target);
    }
  }
  return order.length === dfa.moves.length ? order : null;
}

/**
 * Layer k contains the states that accept some text of exactly k code points. The last layer is the
 * first one, from `min` on, that contains the start. A longer member could be shortened by a cycle
 * of at most as many states as there are, so beyond `min` plus that number there is none.
 */
function layersUpTo(
  dfa: Dfa,
  min: number,
  max: number,
  steps: Steps,
): Uint8Array[] | null | TooLarge {
  const count = dfa.moves.length;
  const last = Math.min(max, min + count);
  const layers = [acceptingLayer(dfa)];
  const targets = targetsOf(dfa);
  for (let length = 0; length <= last; length++) {
    const layer = layers[length];
    if (layer === undefined) return null;
    if (length >= min && layer[startState] === 1) return layers;
    steps.left -= count;
    if (steps.left < 0) return 'too_large';
    layers.push(layerBefore(targets, layer));
  }
  return null;
}

function acceptingLayer(dfa: Dfa): Uint8Array {
  return Uint8Array.from(dfa.accepting, Number);
}

/**
 * The targets of each state, without the characters: a class of letters is 700 moves to one state.
 */
function targetsOf(dfa: Dfa): readonly (readonly number[])[] {
  return dfa.moves.map((out) => {
    const targets = new Set<number>();
    for (let i = 2; i < out.length; i += 3) targets.add(out[i] ?? 0);
    return [...targets];
  });
}

/** The states that reach the layer with one more code point. */
function layerBefore(
  targets: readonly (readonly number[])[],
  layer: Uint8Array | undefined,
): Uint8Array {
  const before = new Uint8Array(targets.length);
  for (const [state, ways] of targets.entries()) {
    for (const target of ways) if (layer?.[target] === 1) before[state] = 1;
  }
  return before;
}

function spell(dfa: Dfa, layers: readonly Uint8Array[]): string {
  const chars: string[] = [];
  let state = startState;
  for (let left = layers.length - 1; left > 0; left--) {
    const step = bestStep(dfa, state, layers[left - 1]);
    chars.push(String.fromCodePoint(step.code));
    state = step.target;
  }
  return chars.join('');
}

function bestStep(
  dfa: Dfa,
  state: number,
  goal: Uint8Array | undefined,
): { code: number; target: number } {
  let best = { code: 0, rank: Number.POSITIVE_INFINITY, target: noState };
  const out = dfa.moves[state] ?? [];
  for (let i = 0; i < out.length; i += 3) {
    const target = out[i + 2] ?? 0;
    if (goal?.[target] !== 1) continue;
    const char = readableChar(out[i] ?? 0, out[i + 1] ?? 0);
    if (char.rank < best.rank) best = { ...char, target };
  }
  return best;
}

/** The most readable characters first; surrogates, which no file can contain, last. */
const readableRanges: readonly (readonly [number, number])[] = [
  [0x61, 0x7a],
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x2d, 0x2f],
  [0x5f, 0x5f],
  [0x20, 0x7e],
  [0xc0, 0x24f],
  [0xa1, 0x2fff],
  [0x3001, 0xd7ff],
  [0x1f600, 0x1f64f],
  [0x10000, 0x10ffff],
  [0x00, 0xa0],
  [0xe000, 0xffff],
  [0x3000, 0x3000],
  [0xd800, 0xdfff],
];

/** The most readable character of a range, and its rank: lower is better. */
export function readableChar(low: number, high: number): { code: number; rank: number } {
  for (const [rank, [first, last]] of readableRanges.entries()) {
    const code = Math.max(low, first);
    if (code <= Math.min(high, last)) return { code, rank };
  }
  return { code: low, rank: readableRanges.length };
}
