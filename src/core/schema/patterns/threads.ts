// The parts of a state of a determinized expression, and what they can reach before the next
// character is read. See determinize.ts.

import type { CharClasses } from './char-classes.ts';
import { lastCodePoint } from './char-set.ts';
import type { Dfa } from './dfa.ts';
import { noState, startState } from './dfa.ts';
import type { Nfa } from './nfa.ts';
import type { Steps, TooLarge } from './steps.ts';

/** The kind of character before a position. */
export type Before = 'start' | 'word' | 'other';

export interface PreparedLooks {
  /**
   * By index of the lookaround: the initial state of a promise made here, by the character before.
   */
  readonly ahead: ReadonlyMap<number, Readonly<Record<Before, Dfa>>>;
  /** The automata of the lookbehinds, in the order in which a state stores their positions. */
  readonly behind: readonly PreparedLookbehind[];
  /** What the lookaheads must know about the character before their start. */
  readonly needsBefore: 'nothing' | 'start' | 'word';
}

export interface PreparedLookbehind {
  readonly look: number;
  readonly isNegated: boolean;
  readonly dfa: Dfa;
}

/** A promise: this automaton, started in this state, must accept the rest of the text. */
export interface Pledge {
  readonly dfa: Dfa;
  readonly state: number;
}

export interface Thread {
  readonly node: number;
  readonly promises: readonly Pledge[];
}

export interface Kernel {
  readonly threads: readonly number[];
  readonly before: Before;
  readonly behind: readonly number[];
}

/** What follows a position: the end, or a word character or another one. */
export type After = 'end' | 'word' | 'other';

export interface Work {
  readonly nfa: Nfa;
  readonly looks: PreparedLooks;
  readonly trailingAny: boolean;
  readonly usesBoundary: boolean;
  /** Whether a state must know that a word character is before it. */
  readonly usesWordBefore: boolean;
  /** Whether a state must know that it is at the start. */
  readonly usesStartBefore: boolean;
  readonly threads: Thread[];
  readonly threadIds: Map<string, number>;
  readonly dfaIds: Map<Dfa, number>;
  readonly kernels: Kernel[];
  readonly kernelIds: Map<string, number>;
  /** `null` if lookarounds distinguish characters in other ways. */
  readonly classes: CharClasses | null;
}

export const universalKernel: Kernel = { threads: [], before: 'other', behind: [] };

export function kernelOf(work: Work, state: number): Kernel {
  return work.kernels[state] ?? universalKernel;
}

export function threadOf(work: Work, id: number): Thread {
  return work.threads[id] ?? { node: 0, promises: [] };
}

export function threadId(work: Work, thread: Thread, steps: Steps): number {
  let key = String(thread.node);
  for (const promise of thread.promises) {
    key += `,${dfaIdOf(work, promise.dfa)}:${promise.state}`;
  }
  const known = work.threadIds.get(key);
  if (known !== undefined) return known;
  // A promise is one number in the thread, and two in its key.
  steps.left -= thread.promises.length;
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

export function kernelId(work: Work, kernel: Kernel, steps: Steps): number {
  const sorted = kernel.threads.toSorted((a, b) => a - b);
  const before = relevantBefore(work, kernel.before);
  const key = `${before[0]}${kernel.behind.join(',')}|${sorted.join(',')}`;
  const known = work.kernelIds.get(key);
  if (known !== undefined) return known;
  steps.left -= 2 + ((sorted.length + kernel.behind.length) >> 1);
  work.kernels.push({ threads: sorted, before, behind: kernel.behind });
  work.kernelIds.set(key, work.kernels.length - 1);
  return work.kernels.length - 1;
}

function relevantBefore(work: Work, before: Before): Before {
  if (work.usesWordBefore) return before;
  return before === 'start' && work.usesStartBefore ? 'start' : 'other';
}

export function universalState(work: Work): number {
  const known = work.kernelIds.get('universal');
  if (known !== undefined) return known;
  work.kernels.push(universalKernel);
  work.kernelIds.set('universal', work.kernels.length - 1);
  return work.kernels.length - 1;
}

/** Every thread that can be reached without reading a character, given what follows. */
export function closureOf(
  work: Work,
  kernel: Kernel,
  after: After,
  steps: Steps,
): number[] | TooLarge {
  const seen = new Set<number>();
  const waiting = [...kernel.threads];
  const settled: number[] = [];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const thread = threadOf(work, id);
    // Lookaheads in a loop may be promised in any combination.
    steps.left -= 1 + thread.promises.length;
    if (steps.left < 0) return 'too_large';
    const node = work.nfa.nodes[thread.node];
    if (node === undefined) continue;
    const follow = (next: number, promises = thread.promises): void => {
      waiting.push(threadId(work, { node: next, promises }, steps));
    };
    switch (node.kind) {
      case 'accept':
      case 'set':
        settled.push(id);
        break;
      case 'split':
        steps.left -= node.nexts.length >> 1;
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

export function withPromise(
  work: Work,
  promises: readonly Pledge[],
  added: Pledge,
): readonly Pledge[] {
  if (isKept(added)) return promises;
  if (promises.some((one) => one.dfa === added.dfa && one.state === added.state)) return promises;
  return [...promises, added].toSorted(
    (a, b) => dfaIdOf(work, a.dfa) - dfaIdOf(work, b.dfa) || a.state - b.state,
  );
}

export function isAccepting(work: Work, kernel: Kernel, steps: Steps): boolean | TooLarge {
  if (kernel === universalKernel) return true;
  const settled = closureOf(work, kernel, 'end', steps);
  if (settled === 'too_large') return settled;
  return settled.some((id) => {
    const thread = threadOf(work, id);
    return (
      work.nfa.nodes[thread.node]?.kind === 'accept' &&
      thread.promises.every((one) => one.dfa.accepting[one.state] === true)
    );
  });
}
