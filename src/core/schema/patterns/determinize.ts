// Converts the graph of an expression to a deterministic automaton, one state at a time, so that a
// text can be matched even if the whole automaton would be too large.
//
// A state contains everything that affects the rest of the text: the threads of the expression, the
// kind of the previous character (for ^ and \b), and the states of the lookbehinds' automata. A
// thread carries the promises of its lookaheads: states of their automata, all of which must
// accept.

import { splitChars } from './char-classes.ts';
import type { CharSet } from './char-set.ts';
import { everyChar, wordChars } from './char-set.ts';
import type { Dfa, Moves } from './dfa.ts';
import { complementDfa, everythingDfa, maxDfaStates, noState, startState, trimDfa } from './dfa.ts';
import type { Expression } from './expression.ts';
import { expand } from './next-states.ts';
import type { Look, Nfa } from './nfa.ts';
import { buildNfa } from './nfa.ts';
import type { Steps } from './steps.ts';
import type { Before, PreparedLookbehind, PreparedLooks, Work } from './threads.ts';
import { isAccepting, kernelId, kernelOf, threadId } from './threads.ts';

interface Shape {
  /** The expression may start anywhere. */
  readonly leadingAny: boolean;
  /** Any text may follow it. */
  readonly trailingAny: boolean;
  readonly before: Before;
}

/** A search: a match anywhere in the text. */
export const searchShape: Shape = { leadingAny: true, trailingAny: true, before: 'start' };

export type Determinized<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'not_regular'; readonly reason: string };

/** An automaton whose states are created on demand. */
export interface LazyDfa {
  readonly start: number;
  /** The number of states created so far. */
  readonly stateCount: () => number;
  readonly accepts: (state: number, steps: Steps) => boolean | 'too_large';
  /** `too_large` if the steps run out meanwhile. */
  readonly moves: (state: number, steps: Steps) => Moves | 'too_large';
}

/** A state contains the progress of each lookaround: 2,000 of them took 4 s and half a gigabyte. */
const maxLooks = 200;

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
  if (built.nfa.looks.length > maxLooks) {
    return notRegular(`it looks ahead or behind more than ${maxLooks} times`);
  }
  const looks = prepareLooks(built.nfa.looks, steps);
  if (looks.kind !== 'done') return looks;
  return startLazyDfa(built.nfa, looks.value, shape, steps);
}

/** The whole automaton, state by state. */
export function completeDfa(lazy: LazyDfa, steps: Steps): Dfa | 'too_large' {
  const moves: Moves[] = [];
  const accepting: boolean[] = [];
  for (let state = 0; state < lazy.stateCount(); state++) {
    const out = lazy.moves(state, steps);
    if (out === 'too_large' || lazy.stateCount() > maxDfaStates) return 'too_large';
    const isEnd = lazy.accepts(state, steps);
    if (isEnd === 'too_large') return isEnd;
    moves.push(out);
    accepting.push(isEnd);
  }
  return trimDfa({ moves, accepting });
}

function notRegular(reason: string): { kind: 'not_regular'; reason: string } {
  return { kind: 'not_regular', reason };
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
    const asked = look.isNegated ? complementDfa(dfa.value, steps) : dfa.value;
    if (asked === 'too_large') return { kind: 'too_large' };
    made.push(asked);
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

function startLazyDfa(
  nfa: Nfa,
  looks: PreparedLooks,
  shape: Shape,
  steps: Steps,
): Determinized<LazyDfa> {
  const usesBoundary = nfa.nodes.some((node) => node.kind === 'boundary');
  const usesStart = nfa.nodes.some((node) => node.kind === 'start');
  const classes = nfa.looks.length > 0 ? null : splitChars(setsOf(nfa, usesBoundary), steps);
  if (classes === 'too_large') return { kind: 'too_large' };
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
    classes,
  };
  const behind = looks.behind.map((one) => (one.dfa.moves.length === 0 ? noState : startState));
  const first = threadId(work, { node: nfa.start, promises: [] }, steps);
  const start = kernelId(work, { threads: [first], before: shape.before, behind }, steps);
  const known: Moves[] = [];
  const accepting: boolean[] = [];
  const value: LazyDfa = {
    start,
    stateCount: () => work.kernels.length,
    accepts: (state, own) => {
      const isEnd = accepting[state] ?? isAccepting(work, kernelOf(work, state), own);
      if (isEnd !== 'too_large') accepting[state] = isEnd;
      return isEnd;
    },
    moves: (state, own) => {
      const out = known[state] ?? expand(work, state, own);
      if (out !== 'too_large') known[state] = out;
      return out;
    },
  };
  return { kind: 'done', value };
}

function setsOf(nfa: Nfa, usesBoundary: boolean): CharSet[] {
  const sets = nfa.nodes.flatMap((node) => (node.kind === 'set' ? [node.set] : []));
  return usesBoundary ? [...sets, wordChars, everyChar] : [...sets, everyChar];
}
