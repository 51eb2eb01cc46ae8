// Deterministic automata over code points. A missing move refuses the text.

import { lastCodePoint } from './char-set.ts';
import type { Steps, TooLarge } from './steps.ts';
import { stepsOfNumbers } from './steps.ts';

export interface Dfa {
  /** The moves of each state: [low, high, target, low, high, target, ...], in order, disjoint. */
  readonly moves: readonly Moves[];
  readonly accepting: readonly boolean[];
}

export type Moves = readonly number[];

/** The first state is the start; an automaton without states accepts nothing. */
export const startState = 0;
export const noState = -1;

/** A state takes at least 100 bytes: 10 MB. */
export const maxDfaStates = 100_000;

export const emptyDfa: Dfa = { moves: [], accepting: [] };
export const everythingDfa: Dfa = { moves: [[0, lastCodePoint, 0]], accepting: [true] };

export function moveOn(moves: Moves, codePoint: number): number {
  // Most states have a handful of moves; a binary search pays off from some dozen on.
  let low = 0;
  let high = moves.length / 3;
  while (high - low > 8) {
    const middle = (low + high) >> 1;
    if ((moves[middle * 3] ?? 0) <= codePoint) low = middle;
    else high = middle;
  }
  for (let i = low * 3; i < high * 3; i += 3) {
    if (codePoint < (moves[i] ?? 0)) return noState;
    if (codePoint <= (moves[i + 1] ?? 0)) return moves[i + 2] ?? noState;
  }
  return noState;
}

export function runDfa(dfa: Dfa, text: string): boolean {
  let state = startState;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (code > 0xffff) i++;
    state = moveOn(dfa.moves[state] ?? [], code);
    if (state === noState) return false;
  }
  return dfa.accepting[state] ?? false;
}

/** Appends a move, merged with the previous one if it continues to the same state. */
export function appendMove(moves: number[], low: number, high: number, target: number): void {
  const last = moves.length - 3;
  if (last >= 0 && moves[last + 2] === target && (moves[last + 1] ?? 0) + 1 === low) {
    moves[last + 1] = high;
  } else {
    moves.push(low, high, target);
  }
}

/** Walks the moves of two states side by side; `noState` stands for a missing move. */
export function forEachJointMove(
  a: Moves,
  b: Moves,
  visit: (low: number, high: number, targetA: number, targetB: number) => void,
): void {
  let i = 0;
  let j = 0;
  let next = 0;
  while (i < a.length || j < b.length) {
    const lowA = Math.max(a[i] ?? lastCodePoint + 1, next);
    const lowB = Math.max(b[j] ?? lastCodePoint + 1, next);
    const highA = a[i + 1] ?? lastCodePoint;
    const highB = b[j + 1] ?? lastCodePoint;
    const low = Math.min(lowA, lowB);
    const inA = lowA === low && i < a.length;
    const inB = lowB === low && j < b.length;
    let high = Math.min(inA ? highA : lowA - 1, inB ? highB : lowB - 1);
    high = Math.min(high, lastCodePoint);
    visit(low, high, inA ? (a[i + 2] ?? noState) : noState, inB ? (b[j + 2] ?? noState) : noState);
    next = high + 1;
    if (i < a.length && highA < next) i += 3;
    if (j < b.length && highB < next) j += 3;
  }
}

/** Which side must accept for the product to accept. */
type Combination = 'both' | 'either' | 'first_only';

/** The automaton of the intersection, the union or the difference of two languages. */
export function combineDfas(a: Dfa, b: Dfa, how: Combination, steps: Steps): Dfa | TooLarge {
  if (a.moves.length === 0) return how === 'either' ? b : emptyDfa;
  if (b.moves.length === 0) return how === 'both' ? emptyDfa : a;
  const product = startProduct(a, b, how);
  const moves: number[][] = [];
  const accepting: boolean[] = [];
  for (let state = 0; state < product.pairs.length; state++) {
    const pair = product.pairs[state];
    if (pair === undefined) break;
    const [inA, inB] = pair;
    const out: number[] = [];
    forEachJointMove(movesOf(a, inA), movesOf(b, inB), (low, high, targetA, targetB) => {
      steps.left--;
      if (isAlivePair(how, targetA, targetB)) {
        appendMove(out, low, high, stateOfPair(product, targetA, targetB));
      }
    });
    steps.left -= stepsOfPair;
    if (steps.left < 0 || product.pairs.length > maxDfaStates) return 'too_large';
    // A copy without spare capacity, which would exceed the moves of most states.
    moves.push(out.slice());
    accepting.push(isAcceptingPair(how, accepts(a, inA), accepts(b, inB)));
  }
  return trimDfa({ moves, accepting });
}

/** Whether the product accepts no text, without building all of it. */
export function isCombinationEmpty(
  a: Dfa,
  b: Dfa,
  how: Combination,
  steps: Steps,
): boolean | TooLarge {
  if (a.moves.length === 0 && (how !== 'either' || b.moves.length === 0)) return true;
  if (b.moves.length === 0) return how === 'both' ? true : a.moves.length === 0;
  const product = startProduct(a, b, how);
  for (let state = 0; state < product.pairs.length; state++) {
    const pair = product.pairs[state];
    if (pair === undefined) break;
    const [inA, inB] = pair;
    if (isAcceptingPair(how, accepts(a, inA), accepts(b, inB))) return false;
    // Every state of a trimmed automaton reaches acceptance, so once b has ended, a will accept
    // alone.
    if (how === 'first_only' && inB === noState) return false;
    forEachJointMove(movesOf(a, inA), movesOf(b, inB), (_low, _high, targetA, targetB) => {
      steps.left--;
      if (isAlivePair(how, targetA, targetB)) stateOfPair(product, targetA, targetB);
    });
    steps.left -= stepsOfPair;
    if (steps.left < 0 || product.pairs.length > maxDfaStates) return 'too_large';
  }
  return true;
}

/** A pair, its entry in the map, and the array of its moves. */
const stepsOfPair = 3;

interface Product {
  readonly width: number;
  readonly ids: Map<number, number>;
  readonly pairs: [number, number][];
}

function startProduct(a: Dfa, b: Dfa, _how: Combination): Product {
  const product: Product = { width: b.moves.length + 1, ids: new Map(), pairs: [] };
  stateOfPair(product, a.moves.length === 0 ? noState : startState, startState);
  return product;
}

function stateOfPair(product: Product, a: number, b: number): number {
  const key = (a + 1) * product.width + (b + 1);
  const known = product.ids.get(key);
  if (known !== undefined) return known;
  product.pairs.push([a, b]);
  product.ids.set(key, product.pairs.length - 1);
  return product.pairs.length - 1;
}

function isAlivePair(how: Combination, a: number, b: number): boolean {
  switch (how) {
    case 'both':
      return a !== noState && b !== noState;
    case 'either':
      return a !== noState || b !== noState;
    case 'first_only':
      return a !== noState;
    default:
      return how satisfies never;
  }
}

function isAcceptingPair(how: Combination, a: boolean, b: boolean): boolean {
  switch (how) {
    case 'both':
      return a && b;
    case 'either':
      return a || b;
    case 'first_only':
      return a && !b;
    default:
      return how satisfies never;
  }
}

function movesOf(dfa: Dfa, state: number): Moves {
  return dfa.moves[state] ?? [];
}

function accepts(dfa: Dfa, state: number): boolean {
  return dfa.accepting[state] ?? false;
}

/**
 * Drops states that can never accept, so an automaton is empty exactly if it has no states. Every
 * state must be reachable from the start.
 */
export function trimDfa(dfa: Dfa): Dfa {
  const alive = statesReachingAcceptance(dfa);
  if (!alive[startState]) return emptyDfa;
  if (alive.every(Boolean)) return dfa;
  const renamed = new Array<number>(dfa.moves.length).fill(noState);
  let count = 0;
  for (let state = 0; state < dfa.moves.length; state++) {
    if (alive[state]) renamed[state] = count++;
  }
  const moves: number[][] = [];
  const accepting: boolean[] = [];
  for (let state = 0; state < dfa.moves.length; state++) {
    if (!alive[state]) continue;
    const out: number[] = [];
    const old = movesOf(dfa, state);
    for (let i = 0; i < old.length; i += 3) {
      const target = renamed[old[i + 2] ?? 0] ?? noState;
      if (target !== noState) appendMove(out, old[i] ?? 0, old[i + 1] ?? 0, target);
    }
    moves.push(out);
    accepting.push(accepts(dfa, state));
  }
  return { moves, accepting };
}

function statesReachingAcceptance(dfa: Dfa): boolean[] {
  const sources: number[][] = dfa.moves.map(() => []);
  for (let state = 0; state < dfa.moves.length; state++) {
    const out = movesOf(dfa, state);
    for (let i = 2; i < out.length; i += 3) sources[out[i] ?? 0]?.push(state);
  }
  const alive = [...dfa.accepting];
  const waiting = alive.flatMap((isAlive, state) => (isAlive ? [state] : []));
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    for (const source of sources[state] ?? []) {
      if (alive[source]) continue;
      alive[source] = true;
      waiting.push(source);
    }
  }
  return alive;
}

/** Accepts exactly the texts that the other refuses. */
export function complementDfa(dfa: Dfa, steps: Steps): Dfa | TooLarge {
  if (dfa.moves.length === 0) return everythingDfa;
  const sink = dfa.moves.length;
  const moves: number[][] = [];
  let usesSink = false;
  for (const out of dfa.moves) {
    // Between two moves there is at most one gap.
    steps.left -= stepsOfNumbers(2 * out.length);
    if (steps.left < 0) return 'too_large';
    const filled = fillGaps(out, sink);
    usesSink ||= filled.length !== out.length || filled.some((one, i) => one !== out[i]);
    moves.push(filled);
  }
  const accepting = dfa.accepting.map((one) => !one);
  // An unreachable sink would be an additional state, and the automaton would look infinite.
  if (usesSink) {
    moves.push([0, lastCodePoint, sink]);
    accepting.push(true);
  }
  return trimDfa({ moves, accepting });
}

function fillGaps(out: Moves, sink: number): number[] {
  const filled: number[] = [];
  let next = 0;
  for (let i = 0; i < out.length; i += 3) {
    const low = out[i] ?? 0;
    if (low > next) appendMove(filled, next, low - 1, sink);
    appendMove(filled, low, out[i + 1] ?? 0, out[i + 2] ?? 0);
    next = (out[i + 1] ?? 0) + 1;
  }
  if (next <= lastCodePoint) appendMove(filled, next, lastCodePoint, sink);
  return filled.slice();
}
