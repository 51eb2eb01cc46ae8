// Computes the moves of a state of a determinized expression. See determinize.ts.

import type { CharClasses } from './char-classes.ts';
import type { CharSet } from './char-set.ts';
import { everyChar, hasChar, lastCodePoint, negateChars, wordChars } from './char-set.ts';
import type { Moves } from './dfa.ts';
import { appendMove, forEachJointMove, moveOn, noState } from './dfa.ts';
import type { Steps } from './steps.ts';
import { stepsOfNumbers } from './steps.ts';
import type { After, Before, Kernel, Pledge, Thread, Work } from './threads.ts';
import {
  closureOf,
  kernelId,
  kernelOf,
  threadId,
  threadOf,
  universalKernel,
  universalState,
  withPromise,
} from './threads.ts';

export function expand(work: Work, state: number, steps: Steps): Moves | 'too_large' {
  const kernel = kernelOf(work, state);
  const out: number[] = [];
  const classes: readonly After[] = work.usesBoundary ? ['word', 'other'] : ['other'];
  if (kernel === universalKernel) return [0, lastCodePoint, state];
  if (work.classes !== null) return expandByClass(work, work.classes, kernel, steps);
  const arrows: Arrow[] = [];
  for (const after of classes) {
    const limits = work.usesBoundary ? charsOf(after) : null;
    const settled = closureOf(work, kernel, after, steps);
    if (settled === 'too_large') return settled;
    for (const id of settled) {
      const thread = threadOf(work, id);
      const isDone = work.nfa.nodes[thread.node]?.kind === 'accept';
      if (isDone && !work.trailingAny) continue;
      addArrows(work, thread, limits, arrows, steps);
      if (steps.left < 0) return 'too_large';
    }
  }
  sweep(
    arrows,
    cutPoints(work, kernel, steps),
    (low, high, targets) => {
      steps.left -= targets.size + kernel.behind.length + 1;
      appendMove(out, low, high, targetState(work, kernel, low, targets, steps));
    },
    steps,
  );
  return steps.left < 0 ? 'too_large' : out.slice();
}

/** Without lookarounds, a state moves in the same way for all characters of a class. */
function expandByClass(
  work: Work,
  classes: CharClasses,
  kernel: Kernel,
  steps: Steps,
): Moves | 'too_large' {
  const targets: number[][] = Array.from({ length: classes.count }, () => []);
  const words = new Set(work.usesBoundary ? classes.classesOf(wordChars) : []);
  for (const after of work.usesBoundary ? (['word', 'other'] as const) : (['other'] as const)) {
    const settled = closureOf(work, kernel, after, steps);
    if (settled === 'too_large') return settled;
    for (const id of settled) {
      const node = work.nfa.nodes[threadOf(work, id).node];
      const isDone = node?.kind === 'accept';
      if (node?.kind !== 'set' && !(isDone && work.trailingAny)) continue;
      const target =
        node?.kind === 'set' ? threadId(work, { node: node.next, promises: [] }, steps) : -1;
      for (const one of classes.classesOf(node?.kind === 'set' ? node.set : everyChar)) {
        steps.left--;
        if (work.usesBoundary && words.has(one) !== (after === 'word')) continue;
        targets[one]?.push(isDone ? universalThread : target);
      }
    }
    if (steps.left < 0) return 'too_large';
  }
  const states = targets.map((threads, one) => {
    if (threads.length === 0) return noState;
    if (threads.includes(universalThread)) return universalState(work);
    // The main cost of a state with many threads is sorting and serializing them.
    steps.left -= 2 * threads.length;
    const before: Before = words.has(one) ? 'word' : 'other';
    return kernelId(work, { threads: [...new Set(threads)], before, behind: [] }, steps);
  });
  if (steps.left < 0) return 'too_large';
  const out: number[] = [];
  const { intervals } = classes;
  for (let i = 0; i < intervals.length; i += 3) {
    const target = states[intervals[i + 2] ?? 0] ?? noState;
    if (target !== noState) appendMove(out, intervals[i] ?? 0, intervals[i + 1] ?? 0, target);
  }
  steps.left -= stepsOfNumbers(out.length) + (classes.count >> 3);
  return steps.left < 0 ? 'too_large' : out.slice();
}

function charsOf(after: After): CharSet {
  return after === 'word' ? wordChars : otherChars;
}

const otherChars = negateChars(wordChars);

const everyRange: Moves = [0, lastCodePoint, 0];

/** One move of one thread: by reading one of these characters it becomes that thread. */
interface Arrow {
  readonly low: number;
  readonly high: number;
  readonly target: number;
}

function addArrows(
  work: Work,
  thread: Thread,
  limits: CharSet | null,
  arrows: Arrow[],
  steps: Steps,
): void {
  const node = work.nfa.nodes[thread.node];
  if (node === undefined) return;
  const isDone = node.kind === 'accept';
  const next = node.kind === 'set' ? node.next : thread.node;
  const base = node.kind === 'set' ? asMoves(node.set) : everyRange;
  let pieces: Piece[] = [];
  forEachJointMove(base, limits === null ? everyRange : asMoves(limits), (low, high, a, b) => {
    if (a !== noState && b !== noState) pieces.push({ low, high, promises: [] });
  });
  for (const promise of thread.promises) {
    const ways = promise.dfa.moves[promise.state]?.length ?? 0;
    const kept: Piece[] = [];
    for (const piece of pieces) {
      // Each piece checks every move of the promise, and contains those that it keeps.
      steps.left -= 1 + (ways >> 3);
      if (steps.left < 0) return;
      for (const each of keepPromise(work, piece, promise)) {
        steps.left -= 1 + each.promises.length;
        kept.push(each);
      }
    }
    pieces = kept;
  }
  steps.left -= pieces.length;
  for (const { low, high, promises } of pieces) {
    if (steps.left < 0) return;
    const isUniversal = isDone && promises.length === 0;
    const target = isUniversal ? universalThread : threadId(work, { node: next, promises }, steps);
    arrows.push({ low, high, target });
  }
}

interface Piece {
  readonly low: number;
  readonly high: number;
  readonly promises: readonly Pledge[];
}

/** A thread that has accepted and has no promises: any continuation is accepted. */
const universalThread = -1;

function keepPromise(work: Work, piece: Piece, promise: Pledge): Piece[] {
  const kept: Piece[] = [];
  const out = promise.dfa.moves[promise.state] ?? [];
  for (let i = 0; i < out.length; i += 3) {
    const low = Math.max(piece.low, out[i] ?? 0);
    const high = Math.min(piece.high, out[i + 1] ?? 0);
    if (low > high) continue;
    const moved: Pledge = { dfa: promise.dfa, state: out[i + 2] ?? noState };
    kept.push({ low, high, promises: withPromise(work, piece.promises, moved) });
  }
  return kept;
}

function asMoves(set: CharSet): Moves {
  const moves: number[] = [];
  for (let i = 0; i + 1 < set.length; i += 2) moves.push(set[i] ?? 0, set[i + 1] ?? 0, 0);
  return moves;
}

/** Positions where the state after a character changes for a reason other than its threads. */
function cutPoints(work: Work, kernel: Kernel, steps: Steps): number[] {
  const cuts: number[] = [];
  if (work.usesWordBefore) {
    for (let i = 0; i < wordChars.length; i++) cuts.push((wordChars[i] ?? 0) + (i % 2));
  }
  for (const [index, state] of kernel.behind.entries()) {
    const out = work.looks.behind[index]?.dfa.moves[state] ?? [];
    steps.left -= stepsOfNumbers(out.length);
    if (steps.left < 0) return cuts;
    for (let i = 0; i < out.length; i += 3) cuts.push(out[i] ?? 0, (out[i + 1] ?? 0) + 1);
  }
  return cuts;
}

function sweep(
  arrows: readonly Arrow[],
  cuts: readonly number[],
  visit: (low: number, high: number, targets: ReadonlySet<number>) => void,
  steps: Steps,
): void {
  const starts = arrows.toSorted((a, b) => a.low - b.low);
  const ends = arrows.toSorted((a, b) => a.high - b.high);
  const edges = new Set<number>(cuts);
  for (const arrow of arrows) edges.add(arrow.low).add(arrow.high + 1);
  const points = [...edges].toSorted((a, b) => a - b);
  const active = new Map<number, number>();
  let started = 0;
  let ended = 0;
  for (let i = 0; i < points.length && steps.left >= 0; i++) {
    const low = points[i] ?? 0;
    for (let one = ends[ended]; one !== undefined && one.high < low; one = ends[++ended]) {
      const count = (active.get(one.target) ?? 1) - 1;
      if (count === 0) active.delete(one.target);
      else active.set(one.target, count);
    }
    for (let one = starts[started]; one !== undefined && one.low <= low; one = starts[++started]) {
      active.set(one.target, (active.get(one.target) ?? 0) + 1);
    }
    if (active.size === 0) continue;
    visit(low, (points[i + 1] ?? lastCodePoint + 1) - 1, new Set(active.keys()));
  }
}

function targetState(
  work: Work,
  kernel: Kernel,
  codePoint: number,
  targets: ReadonlySet<number>,
  steps: Steps,
): number {
  if (targets.has(universalThread)) return universalState(work);
  const before: Before = hasChar(wordChars, codePoint) ? 'word' : 'other';
  const behind = kernel.behind.map((state, index) =>
    moveOn(work.looks.behind[index]?.dfa.moves[state] ?? [], codePoint),
  );
  return kernelId(work, { threads: [...targets], before, behind }, steps);
}
