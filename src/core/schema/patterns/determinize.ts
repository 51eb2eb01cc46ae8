// From the graph of an expression to a deterministic automaton, a state at a time, so that a text can
// be matched against a pattern whose whole automaton would be too large.
//
// A state knows everything the rest of the text depends on: the threads of the expression, the kind
// of the character before (for ^ and \b), and where the automata of the lookbehinds stand. A thread
// carries the lookaheads it has promised: states of their own automata, all of which must accept.

import type { CharClasses } from './char-classes.ts';
import { splitChars } from './char-classes.ts';
import type { CharSet } from './char-set.ts';
import { everyChar, hasChar, lastCodePoint, negateChars, wordChars } from './char-set.ts';
import type { Dfa, Moves } from './dfa.ts';
import {
  appendMove,
  complementDfa,
  everythingDfa,
  forEachJointMove,
  maxDfaStates,
  moveOn,
  noState,
  startState,
  trimDfa,
} from './dfa.ts';
import type { Expression } from './expression.ts';
import type { Look, Nfa } from './nfa.ts';
import { buildNfa } from './nfa.ts';
import type { Steps } from './steps.ts';

/** What stands before a position. */
export type Before = 'start' | 'word' | 'other';

export interface Shape {
  /** The expression may begin anywhere. */
  readonly leadingAny: boolean;
  /** Anything may follow it. */
  readonly trailingAny: boolean;
  readonly before: Before;
}

/** A search: somewhere in the text. */
export const searchShape: Shape = { leadingAny: true, trailingAny: true, before: 'start' };

export type Determinized<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'not_regular'; readonly reason: string };

/** An automaton whose states are made when they are first asked for. */
export interface LazyDfa {
  readonly start: number;
  /** The states known so far. */
  readonly stateCount: () => number;
  /** What it holds in memory: the states, and the graph they are made from. */
  readonly size: () => number;
  readonly accepts: (state: number) => boolean;
  /** `too_large` when the steps ran out on the way. */
  readonly moves: (state: number, steps: Steps) => Moves | 'too_large';
}

export function determinize(
  expression: Expression,
  shape: Shape,
  steps: Steps,
): Determinized<LazyDfa> {
  const built = buildNfa(expression, { leadingAny: shape.leadingAny });
  if (built.kind === 'not_regular') return notRegular('it has a backreference');
  if (built.kind === 'too_large') return { kind: 'too_large' };
  steps.left -= built.nfa.nodes.length;
  if (steps.left < 0) return { kind: 'too_large' };
  const looks = prepareLooks(built.nfa.looks, steps);
  if (looks.kind !== 'done') return looks;
  return { kind: 'done', value: startLazyDfa(built.nfa, looks.value, shape) };
}

/** The whole automaton, state by state. */
export function completeDfa(lazy: LazyDfa, steps: Steps): Dfa | 'too_large' {
  const moves: Moves[] = [];
  const accepting: boolean[] = [];
  for (let state = 0; state < lazy.stateCount(); state++) {
    const out = lazy.moves(state, steps);
    if (out === 'too_large' || lazy.stateCount() > maxDfaStates) return 'too_large';
    moves.push(out);
    accepting.push(lazy.accepts(state));
  }
  return trimDfa({ moves, accepting });
}

function notRegular(reason: string): { kind: 'not_regular'; reason: string } {
  return { kind: 'not_regular', reason };
}

interface PreparedLooks {
  /** By index of the look; what a promise made here starts with, by what stands before. */
  readonly ahead: ReadonlyMap<number, Readonly<Record<Before, Dfa>>>;
  /** The automata of the lookbehinds, in the order in which a state holds where they stand. */
  readonly behind: readonly PreparedLookbehind[];
  /** What the lookaheads must know of the character before the place where they begin. */
  readonly needsBefore: 'nothing' | 'start' | 'word';
}

interface PreparedLookbehind {
  readonly look: number;
  readonly isNegated: boolean;
  readonly dfa: Dfa;
}

function prepareLooks(looks: readonly Look[], steps: Steps): Determinized<PreparedLooks> {
  const ahead = new Map<number, Readonly<Record<Before, Dfa>>>();
  const behind: PreparedLookbehind[] = [];
  let needsBefore: PreparedLooks['needsBefore'] = 'nothing';
  for (const [index, look] of looks.entries()) {
    if (look.direction === 'ahead') {
      const prepared = prepareLookahead(look, steps);
      if (prepared.kind !== 'done') return prepared;
      ahead.set(index, prepared.value);
      if (mentions(look.item, (one) => one.kind === 'boundary')) needsBefore = 'word';
      else if (needsBefore === 'nothing' && mentions(look.item, looksBackward))
        needsBefore = 'start';
    } else {
      if (mentions(look.item, looksForward)) {
        return notRegular('a lookbehind in it looks at what comes after it');
      }
      const shape: Shape = { leadingAny: true, trailingAny: false, before: 'start' };
      const dfa = determinizeWhole(look.item, shape, steps);
      if (dfa.kind !== 'done') return dfa;
      behind.push({ look: index, isNegated: look.isNegated, dfa: dfa.value });
    }
  }
  return { kind: 'done', value: { ahead, behind, needsBefore } };
}

function prepareLookahead(look: Look, steps: Steps): Determinized<Readonly<Record<Before, Dfa>>> {
  if (mentions(look.item, (one) => one.kind === 'look' && one.direction === 'behind')) {
    return notRegular('a lookahead in it holds a lookbehind');
  }
  const usesBefore = mentions(look.item, looksBackward);
  const made: Dfa[] = [];
  for (const before of usesBefore ? (['start', 'word', 'other'] as const) : (['start'] as const)) {
    const shape: Shape = { leadingAny: false, trailingAny: true, before };
    const dfa = determinizeWhole(look.item, shape, steps);
    if (dfa.kind !== 'done') return dfa;
    made.push(look.isNegated ? complementDfa(dfa.value) : dfa.value);
  }
  const [start = everythingDfa, word = start, other = start] = made;
  return { kind: 'done', value: { start, word, other } };
}

function determinizeWhole(item: Expression, shape: Shape, steps: Steps): Determinized<Dfa> {
  const lazy = determinize(item, shape, steps);
  if (lazy.kind !== 'done') return lazy;
  const whole = completeDfa(lazy.value, steps);
  return whole === 'too_large' ? { kind: 'too_large' } : { kind: 'done', value: whole };
}

function mentions(expression: Expression, isWanted: (one: Expression) => boolean): boolean {
  if (isWanted(expression)) return true;
  switch (expression.kind) {
    case 'sequence':
    case 'choice':
      return expression.items.some((item) => mentions(item, isWanted));
    case 'repeat':
    case 'capture':
    case 'look':
      return mentions(expression.item, isWanted);
    default:
      return false;
  }
}

function looksBackward(one: Expression): boolean {
  return one.kind === 'start' || one.kind === 'boundary';
}

function looksForward(one: Expression): boolean {
  const isLookahead = one.kind === 'look' && one.direction === 'ahead';
  return one.kind === 'end' || one.kind === 'boundary' || isLookahead;
}

/** A promise: the rest of the text, read from this state of this automaton, must be accepted. */
interface Pledge {
  readonly dfa: Dfa;
  readonly state: number;
}

interface Thread {
  readonly node: number;
  readonly promises: readonly Pledge[];
}

interface Kernel {
  readonly threads: readonly number[];
  readonly before: Before;
  readonly behind: readonly number[];
}

/** What stands after a position: the end, or a character that is of a word or not. */
type After = 'end' | 'word' | 'other';

interface Work {
  readonly nfa: Nfa;
  readonly looks: PreparedLooks;
  readonly trailingAny: boolean;
  readonly usesBoundary: boolean;
  /** Whether a state must know that a word character stands before it. */
  readonly usesWordBefore: boolean;
  /** Whether a state must know that it is the first. */
  readonly usesStartBefore: boolean;
  readonly threads: Thread[];
  readonly threadIds: Map<string, number>;
  readonly dfaIds: Map<Dfa, number>;
  readonly kernels: Kernel[];
  readonly kernelIds: Map<string, number>;
  /** `null` where lookarounds tell characters apart in ways of their own. */
  readonly classes: CharClasses | null;
}

const universalKernel: Kernel = { threads: [], before: 'other', behind: [] };

function startLazyDfa(nfa: Nfa, looks: PreparedLooks, shape: Shape): LazyDfa {
  const usesBoundary = nfa.nodes.some((node) => node.kind === 'boundary');
  const usesStart = nfa.nodes.some((node) => node.kind === 'start');
  const work: Work = {
    nfa,
    looks,
    trailingAny: shape.trailingAny,
    usesBoundary,
    usesWordBefore: usesBoundary || looks.needsBefore === 'word',
    usesStartBefore: usesStart || looks.needsBefore !== 'nothing',
    threads: [],
    threadIds: new Map(),
    dfaIds: new Map(),
    kernels: [],
    kernelIds: new Map(),
    classes: nfa.looks.length > 0 ? null : splitChars(setsOf(nfa, usesBoundary)),
  };
  const behind = looks.behind.map((one) => (one.dfa.moves.length === 0 ? noState : startState));
  const first = threadId(work, { node: nfa.start, promises: [] });
  const start = kernelId(work, { threads: [first], before: shape.before, behind });
  const known: Moves[] = [];
  const accepting: boolean[] = [];
  return {
    start,
    stateCount: () => work.kernels.length,
    size: () => work.kernels.length + work.nfa.nodes.length,
    accepts: (state) => (accepting[state] ??= isAccepting(work, kernelOf(work, state))),
    moves: (state, steps) => {
      const out = known[state] ?? expand(work, state, steps);
      if (out !== 'too_large') known[state] = out;
      return out;
    },
  };
}

function setsOf(nfa: Nfa, usesBoundary: boolean): CharSet[] {
  const sets = nfa.nodes.flatMap((node) => (node.kind === 'set' ? [node.set] : []));
  return usesBoundary ? [...sets, wordChars, everyChar] : [...sets, everyChar];
}

function kernelOf(work: Work, state: number): Kernel {
  return work.kernels[state] ?? universalKernel;
}

function threadOf(work: Work, id: number): Thread {
  return work.threads[id] ?? { node: 0, promises: [] };
}

function threadId(work: Work, thread: Thread): number {
  let key = String(thread.node);
  for (const promise of thread.promises) {
    key += `,${dfaIdOf(work, promise.dfa)}:${promise.state}`;
  }
  const known = work.threadIds.get(key);
  if (known !== undefined) return known;
  work.threads.push(thread);
  work.threadIds.set(key, work.threads.length - 1);
  return work.threads.length - 1;
}

function dfaIdOf(work: Work, dfa: Dfa): number {
  const known = work.dfaIds.get(dfa);
  if (known !== undefined) return known;
  work.dfaIds.set(dfa, work.dfaIds.size);
  return work.dfaIds.size - 1;
}

function kernelId(work: Work, kernel: Kernel): number {
  const sorted = kernel.threads.toSorted((a, b) => a - b);
  const before = relevantBefore(work, kernel.before);
  const key = `${before[0]}${kernel.behind.join(',')}|${sorted.join(',')}`;
  const known = work.kernelIds.get(key);
  if (known !== undefined) return known;
  work.kernels.push({ threads: sorted, before, behind: kernel.behind });
  work.kernelIds.set(key, work.kernels.length - 1);
  return work.kernels.length - 1;
}

function relevantBefore(work: Work, before: Before): Before {
  if (work.usesWordBefore) return before;
  return before === 'start' && work.usesStartBefore ? 'start' : 'other';
}

/** Every thread that can be reached without reading a character, given what comes after. */
function closureOf(work: Work, kernel: Kernel, after: After, steps: Steps): number[] {
  const seen = new Set<number>();
  const waiting = [...kernel.threads];
  const settled: number[] = [];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    steps.left--;
    const thread = threadOf(work, id);
    const node = work.nfa.nodes[thread.node];
    if (node === undefined) continue;
    const follow = (next: number, promises = thread.promises): void => {
      waiting.push(threadId(work, { node: next, promises }));
    };
    switch (node.kind) {
      case 'accept':
      case 'set':
        settled.push(id);
        break;
      case 'split':
        for (const next of node.nexts) follow(next);
        break;
      case 'start':
        if (kernel.before === 'start') follow(node.next);
        break;
      case 'end':
        if (after === 'end') follow(node.next);
        break;
      case 'boundary':
        if (((kernel.before === 'word') !== (after === 'word')) !== node.isNegated) {
          follow(node.next);
        }
        break;
      case 'look':
        takeLook(work, kernel, thread, node.look, (promises) => follow(node.next, promises));
        break;
      default:
        node satisfies never;
    }
  }
  return settled;
}

function takeLook(
  work: Work,
  kernel: Kernel,
  thread: Thread,
  look: number,
  go: (promises: readonly Pledge[]) => void,
): void {
  const place = work.looks.behind.findIndex((one) => one.look === look);
  const behind = work.looks.behind[place];
  if (behind !== undefined) {
    const state = kernel.behind[place] ?? noState;
    if ((behind.dfa.accepting[state] ?? false) !== behind.isNegated) go(thread.promises);
    return;
  }
  const dfa = work.looks.ahead.get(look)?.[kernel.before];
  if (dfa === undefined || dfa.moves.length === 0) return;
  go(withPromise(work, thread.promises, { dfa, state: startState }));
}

function isKept(promise: Pledge): boolean {
  const out = promise.dfa.moves[promise.state] ?? [];
  return (
    out.length === 3 &&
    out[0] === 0 &&
    out[1] === lastCodePoint &&
    out[2] === promise.state &&
    promise.dfa.accepting[promise.state] === true
  );
}

function withPromise(work: Work, promises: readonly Pledge[], added: Pledge): readonly Pledge[] {
  if (isKept(added)) return promises;
  if (promises.some((one) => one.dfa === added.dfa && one.state === added.state)) return promises;
  return [...promises, added].toSorted(
    (a, b) => dfaIdOf(work, a.dfa) - dfaIdOf(work, b.dfa) || a.state - b.state,
  );
}

const endless: Steps = { left: Number.POSITIVE_INFINITY };

function isAccepting(work: Work, kernel: Kernel): boolean {
  if (kernel === universalKernel) return true;
  return closureOf(work, kernel, 'end', endless).some((id) => {
    const thread = threadOf(work, id);
    return (
      work.nfa.nodes[thread.node]?.kind === 'accept' &&
      thread.promises.every((one) => one.dfa.accepting[one.state] === true)
    );
  });
}

/** One move of one thread: reading one of these characters, it becomes that thread. */
interface Arrow {
  readonly low: number;
  readonly high: number;
  readonly target: number;
}

function expand(work: Work, state: number, steps: Steps): Moves | 'too_large' {
  const kernel = kernelOf(work, state);
  const out: number[] = [];
  const classes: readonly After[] = work.usesBoundary ? ['word', 'other'] : ['other'];
  if (kernel === universalKernel) return [0, lastCodePoint, state];
  if (work.classes !== null) return expandByClass(work, work.classes, kernel, steps);
  const arrows: Arrow[] = [];
  for (const after of classes) {
    const limits = work.usesBoundary ? charsOf(after) : null;
    for (const id of closureOf(work, kernel, after, steps)) {
      const thread = threadOf(work, id);
      const isDone = work.nfa.nodes[thread.node]?.kind === 'accept';
      if (isDone && !work.trailingAny) continue;
      arrows.push(...arrowsOf(work, thread, limits));
      steps.left--;
    }
    if (steps.left < 0) return 'too_large';
  }
  sweep(
    arrows,
    cutPoints(work, kernel),
    (low, high, targets) => {
      steps.left -= targets.size + 1;
      appendMove(out, low, high, targetState(work, kernel, low, targets));
    },
    steps,
  );
  return steps.left < 0 ? 'too_large' : out;
}

/** Where no lookaround is involved, a state goes on alike with all characters of a class. */
function expandByClass(
  work: Work,
  classes: CharClasses,
  kernel: Kernel,
  steps: Steps,
): Moves | 'too_large' {
  const targets: number[][] = Array.from({ length: classes.count }, () => []);
  const words = new Set(work.usesBoundary ? classes.classesOf(wordChars) : []);
  for (const after of work.usesBoundary ? (['word', 'other'] as const) : (['other'] as const)) {
    for (const id of closureOf(work, kernel, after, steps)) {
      const node = work.nfa.nodes[threadOf(work, id).node];
      const isDone = node?.kind === 'accept';
      if (node?.kind !== 'set' && !(isDone && work.trailingAny)) continue;
      const target = node?.kind === 'set' ? threadId(work, { node: node.next, promises: [] }) : -1;
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
    const before: Before = words.has(one) ? 'word' : 'other';
    return kernelId(work, { threads: [...new Set(threads)], before, behind: [] });
  });
  const out: number[] = [];
  const { intervals } = classes;
  for (let i = 0; i < intervals.length; i += 3) {
    const target = states[intervals[i + 2] ?? 0] ?? noState;
    if (target !== noState) appendMove(out, intervals[i] ?? 0, intervals[i + 1] ?? 0, target);
  }
  steps.left -= 1 + Math.floor(intervals.length / 30);
  return steps.left < 0 ? 'too_large' : out;
}

function charsOf(after: After): CharSet {
  return after === 'word' ? wordChars : otherChars;
}

const otherChars = negateChars(wordChars);
const everyRange: Moves = [0, lastCodePoint, 0];

function arrowsOf(work: Work, thread: Thread, limits: CharSet | null): Arrow[] {
  const node = work.nfa.nodes[thread.node];
  if (node === undefined) return [];
  const isDone = node.kind === 'accept';
  const next = node.kind === 'set' ? node.next : thread.node;
  const base = node.kind === 'set' ? asMoves(node.set) : everyRange;
  let pieces: { low: number; high: number; promises: readonly Pledge[] }[] = [];
  forEachJointMove(base, limits === null ? everyRange : asMoves(limits), (low, high, a, b) => {
    if (a !== noState && b !== noState) pieces.push({ low, high, promises: [] });
  });
  for (const promise of thread.promises) {
    pieces = pieces.flatMap((piece) => keepPromise(work, piece, promise));
  }
  return pieces.map(({ low, high, promises }) => ({
    low,
    high,
    target:
      isDone && promises.length === 0 ? universalThread : threadId(work, { node: next, promises }),
  }));
}

/** A thread that has accepted and promised nothing: whatever follows is accepted. */
const universalThread = -1;

function keepPromise(
  work: Work,
  piece: { low: number; high: number; promises: readonly Pledge[] },
  promise: Pledge,
): { low: number; high: number; promises: readonly Pledge[] }[] {
  const kept: { low: number; high: number; promises: readonly Pledge[] }[] = [];
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

/** Where the state after a character changes for another reason than its threads. */
function cutPoints(work: Work, kernel: Kernel): number[] {
  const cuts: number[] = [];
  if (work.usesWordBefore) {
    for (let i = 0; i < wordChars.length; i++) cuts.push((wordChars[i] ?? 0) + (i % 2));
  }
  for (const [index, state] of kernel.behind.entries()) {
    const out = work.looks.behind[index]?.dfa.moves[state] ?? [];
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
): number {
  if (targets.has(universalThread)) return universalState(work);
  const before: Before = hasChar(wordChars, codePoint) ? 'word' : 'other';
  const behind = kernel.behind.map((state, index) =>
    moveOn(work.looks.behind[index]?.dfa.moves[state] ?? [], codePoint),
  );
  return kernelId(work, { threads: [...targets], before, behind });
}

function universalState(work: Work): number {
  const known = work.kernelIds.get('universal');
  if (known !== undefined) return known;
  work.kernels.push(universalKernel);
  work.kernelIds.set('universal', work.kernels.length - 1);
  return work.kernels.length - 1;
}
