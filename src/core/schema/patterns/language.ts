// A set of texts, as an automaton over code points. Languages are immutable values.
//
// A text is a sequence of code points, including lone surrogates. Two surrogates that would form a
// pair in JSON count as two here, so a language may contain a sequence that no text can have. This
// never makes a set look smaller than it is. Code that shows a member checks it against the schema.

import { everyChar, lastCodePoint } from './char-set.ts';
import type { Dfa } from './dfa.ts';
import {
  combineDfas,
  complementDfa,
  emptyDfa,
  everythingDfa,
  isCombinationEmpty,
  maxDfaStates,
  runDfa,
} from './dfa.ts';
import type { Steps, TooLarge } from './steps.ts';

export type Language = Dfa;

export const noText: Language = emptyDfa;
export const everyText: Language = everythingDfa;
/** The language of exactly these texts. */
export function textsOf(texts: Iterable<string>, steps: Steps): Language | TooLarge {
  const nodes: { next: Map<number, number>; isEnd: boolean }[] = [
    { next: new Map(), isEnd: false },
  ];
  for (const text of texts) {
    let state = 0;
    steps.left -= stepsOfChar * text.length;
    if (steps.left < 0) return 'too_large';
    for (const char of text) {
      const code = char.codePointAt(0) ?? 0;
      let target = nodes[state]?.next.get(code);
      if (target === undefined) {
        target = nodes.push({ next: new Map(), isEnd: false }) - 1;
        nodes[state]?.next.set(code, target);
      }
      state = target;
    }
    const end = nodes[state];
    if (end !== undefined) end.isEnd = true;
  }
  if (nodes.length === 1 && !nodes[0]?.isEnd) return noText;
  return {
    moves: nodes.map(({ next }) =>
      [...next].toSorted((a, b) => a[0] - b[0]).flatMap(([code, target]) => [code, code, target]),
    ),
    accepting: nodes.map(({ isEnd }) => isEnd),
  };
}

/** A node, its map, and its moves, which take 400 bytes. */
const stepsOfChar = 6;

/**
 * Every text of `min` to `max` code points. It has as many states as the larger finite bound: for
 * long texts pass the bounds to findMember instead.
 */
export function textsOfLength(min: number, max: number, steps: Steps): Language | TooLarge {
  if (min > max) return noText;
  const last = max === Number.POSITIVE_INFINITY ? min : max;
  steps.left -= last + 1;
  if (last >= maxDfaStates || steps.left < 0) return 'too_large';
  const moves: number[][] = [];
  const accepting: boolean[] = [];
  for (let length = 0; length <= last; length++) {
    const next = length < last ? length + 1 : length;
    const isStuck = length === max;
    moves.push(isStuck ? [] : [...everyChar, next]);
    accepting.push(length >= min);
  }
  return { moves, accepting };
}

export function intersect(a: Language, b: Language, steps: Steps): Language | TooLarge {
  if (a === b || isTriviallyEvery(b)) return a;
  if (isTriviallyEvery(a)) return b;
  return combineDfas(a, b, 'both', steps);
}

export function unite(a: Language, b: Language, steps: Steps): Language | TooLarge {
  if (a === b) return a;
  if (isTriviallyEvery(a) || isTriviallyEvery(b)) return everyText;
  return combineDfas(a, b, 'either', steps);
}

/** The texts in a that are not in b. */
export function subtract(a: Language, b: Language, steps: Steps): Language | TooLarge {
  if (a === b || isTriviallyEvery(b)) return noText;
  return combineDfas(a, b, 'first_only', steps);
}

/** Every text that is not in a, with one state more than a. */
export function complement(a: Language, steps: Steps): Language | TooLarge {
  return complementDfa(a, steps);
}

/** True exactly if a contains no sequence of code points. */
export function isEmpty(a: Language): boolean {
  return a.moves.length === 0;
}

export function isSubset(a: Language, b: Language, steps: Steps): boolean | TooLarge {
  if (a === b || isTriviallyEvery(b)) return true;
  return isCombinationEmpty(a, b, 'first_only', steps);
}

export function areDisjoint(a: Language, b: Language, steps: Steps): boolean | TooLarge {
  return isCombinationEmpty(a, b, 'both', steps);
}

export function accepts(a: Language, text: string): boolean {
  return runDfa(a, text);
}

/** A single accepting state with a loop: the compiled form of the language of all texts. */
function isTriviallyEvery(a: Language): boolean {
  const out = a.moves[0] ?? [];
  return (
    a === everyText ||
    (a.moves.length === 1 &&
      a.accepting[0] === true &&
      out.length === 3 &&
      out[0] === 0 &&
      out[1] === lastCodePoint)
  );
}
