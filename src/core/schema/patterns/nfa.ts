// An expression as a graph of small steps. Assertions are steps too: determinize.ts, which knows
// the position, decides whether one may be taken.

import type { CharSet } from './char-set.ts';
import { everyChar } from './char-set.ts';
import type { Expression } from './expression.ts';

type Node =
  | { readonly kind: 'accept' }
  | { readonly kind: 'set'; readonly set: CharSet; readonly next: number }
  | { readonly kind: 'split'; readonly nexts: readonly number[] }
  | { readonly kind: 'start' | 'end'; readonly next: number }
  | { readonly kind: 'boundary'; readonly isNegated: boolean; readonly next: number }
  | { readonly kind: 'look'; readonly look: number; readonly next: number };

export interface Look {
  readonly direction: 'ahead' | 'behind';
  readonly isNegated: boolean;
  readonly item: Expression;
}

export interface Nfa {
  readonly nodes: readonly Node[];
  readonly start: number;
  readonly looks: readonly Look[];
}

/**
 * A node takes 100 bytes. A hand-written pattern has less than 1,000; one with {1,65535} has
 * 131,072.
 */
const maxNfaNodes = 250_000;

type NfaBuilt =
  | { readonly kind: 'nfa'; readonly nfa: Nfa }
  | { readonly kind: 'too_large' }
  /** It has a backreference, which no automaton can represent. */
  | { readonly kind: 'not_regular' };

/** The steps of `expression`; with `leadingAny` it may start anywhere. */
export function buildNfa(expression: Expression, ends: { readonly leadingAny: boolean }): NfaBuilt {
  const build: Build = { nodes: [{ kind: 'accept' }], looks: [], failure: null };
  let start = addExpression(build, expression, 0);
  if (ends.leadingAny) start = addRepeatedAny(build, start);
  if (build.failure !== null) return { kind: build.failure };
  return { kind: 'nfa', nfa: { nodes: build.nodes, looks: build.looks, start } };
}

interface Build {
  readonly nodes: Node[];
  readonly looks: Look[];
  failure: 'too_large' | 'not_regular' | null;
}

function addNode(build: Build, node: Node): number {
  if (build.nodes.length >= maxNfaNodes) build.failure ??= 'too_large';
  else build.nodes.push(node);
  return build.nodes.length - 1;
}

/** A loop refers to itself, so its node is reserved first and filled in later. */
function addLoop(build: Build, body: (loop: number) => number, after: number): number {
  const loop = addNode(build, { kind: 'split', nexts: [] });
  if (build.failure !== null) return loop;
  const inside = body(loop);
  build.nodes[loop] = { kind: 'split', nexts: [inside, after] };
  return loop;
}

function addRepeatedAny(build: Build, after: number): number {
  return addLoop(
    build,
    (loop) => addNode(build, { kind: 'set', set: everyChar, next: loop }),
    after,
  );
}

/** Built from the end: `next` is the continuation after the expression. */
function addExpression(build: Build, expression: Expression, next: number): number {
  if (build.failure !== null) return 0;
  switch (expression.kind) {
    case 'set':
      return addNode(build, { kind: 'set', set: expression.set, next });
    case 'sequence':
      return expression.items.reduceRight((after, item) => addExpression(build, item, after), next);
    case 'choice':
      return addNode(build, {
        kind: 'split',
        nexts: expression.items.map((item) => addExpression(build, item, next)),
      });
    case 'repeat':
      return addRepeat(build, expression, next);
    case 'capture':
      return addExpression(build, expression.item, next);
    case 'start':
    case 'end':
      return addNode(build, { kind: expression.kind, next });
    case 'boundary':
      return addNode(build, { kind: 'boundary', isNegated: expression.isNegated, next });
    case 'look':
      build.looks.push(expression);
      return addNode(build, { kind: 'look', look: build.looks.length - 1, next });
    case 'backreference':
      build.failure ??= 'not_regular';
      return 0;
    default:
      return expression satisfies never;
  }
}

function addRepeat(
  build: Build,
  repeat: Extract<Expression, { kind: 'repeat' }>,
  next: number,
): number {
  const { item, min, max } = repeat;
  let after = next;
  if (max === Number.POSITIVE_INFINITY) {
    after = addLoop(build, (loop) => addExpression(build, item, loop), next);
  } else {
    // x{0,3} becomes (x(x(x)?)?)?: each optional copy leads to the next or to the end.
    for (let i = min; i < max && build.failure === null; i++) {
      const inside = addExpression(build, item, after);
      after = addNode(build, { kind: 'split', nexts: [inside, next] });
    }
  }
  for (let i = 0; i < min && build.failure === null; i++) {
    const before = addExpression(build, item, after);
    // An item without characters adds nothing, however often it repeats: ( ){1000000000} ends here.
    if (before === after) break;
    after = before;
  }
  return after;
}
