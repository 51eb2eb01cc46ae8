// What a `pattern` means: the set of texts in which it is found somewhere.

import { searchByBacktracking } from './backtrack.ts';
import type { Determinized, LazyDfa } from './determinize.ts';
import { completeDfa, determinize, searchShape } from './determinize.ts';
import { moveOn, noState } from './dfa.ts';
import type { Expression } from './expression.ts';
import { parseExpression } from './expression.ts';
import type { Language } from './language.ts';
import { accepts, everyText } from './language.ts';
import type { Steps } from './steps.ts';

export type Pattern =
  /** Exactly the texts it is found in. */
  | { readonly kind: 'language'; readonly language: Language }
  /** No automaton knows it: `over` holds every text it is found in, and others. */
  | { readonly kind: 'opaque'; readonly reason: string; readonly over: Language }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'too_large' };

/**
 * What compiling one pattern may cost: ^[a-z]{1,65535}$ takes 130,000 nodes and 65,536 states, a
 * tenth of a second and more. It is the same for everyone who asks, so that what is remembered changes no
 * answer; the cost is charged to each who asks.
 */
const compileSteps = 800_000;

const maxRemembered = 512;
/** A step makes up to 50 bytes: the automata remembered stay under 100 MB. */
const maxRememberedSteps = 3 * compileSteps;

/**
 * @example compilePattern('^a+$', { left: 10_000 }) // the language of a, aa, aaa, ...
 */
export function compilePattern(source: string, steps: Steps): Pattern {
  const entry = entryOf(source);
  if (entry.pattern === null) {
    const own: Steps = { left: compileSteps };
    entry.pattern = compile(entry, own);
    entry.cost = Math.min(compileSteps, compileSteps - own.left);
    rememberedSteps += entry.cost;
    forgetOldest();
  }
  steps.left -= entry.cost;
  return steps.left < 0 ? { kind: 'too_large' } : entry.pattern;
}

/** Whether the pattern is found in the text; `gave_up` where that costs more than the steps. */
export function matchPattern(source: string, text: string, steps: Steps): boolean | 'gave_up' {
  const entry = entryOf(source);
  // What is charged must not depend on what is remembered, so states made on the way are free here
  // and limited on their own.
  steps.left -= text.length + 1;
  if (steps.left < 0) return 'gave_up';
  if (entry.pattern?.kind === 'language') return accepts(entry.pattern.language, text);
  const { expression } = entry;
  if (expression === null) return 'gave_up';
  entry.lazy ??= determinize(expression, shapeOf(expression), { left: compileSteps });
  switch (entry.lazy.kind) {
    case 'done': {
      const found = runLazily(entry.lazy.value, text, { left: compileSteps });
      if (found === 'gave_up') entry.lazy = null;
      else if (entry.lazy.value.size() > maxLazySize) keepOnly(entry);
      return found;
    }
    case 'not_regular':
      return searchByBacktracking(expression, text, steps);
    case 'too_large':
      return 'gave_up';
    default:
      return entry.lazy satisfies never;
  }
}

/** `null` where the source is a regular expression, else what is wrong with it. */
export function patternProblem(source: string): string | null {
  const parsed = parseExpression(source);
  return parsed.kind === 'invalid' ? parsed.message : null;
}

/** Whether it is one by the grammar of the flag `u` alone, as the format `regex` asks. */
export function isStrictPattern(source: string): boolean {
  return parseExpression(source, 'strict').kind !== 'invalid';
}

interface Entry {
  /** `null` where the source is not one we read. */
  readonly expression: Expression | null;
  readonly refusal: Pattern | null;
  pattern: Pattern | null;
  cost: number;
  lazy: Determinized<LazyDfa> | null;
}

const remembered = new Map<string, Entry>();
let rememberedSteps = 0;
/** A lazy automaton past this is made again when it is next needed, unless it was the last such. */
const maxLazySize = 5_000;
/** And past this in any case: as many nodes as an expression may have (250,000), and states. */
const maxKeptSize = 300_000;
let kept: Entry | null = null;

/** One search asks the same pattern again and again, and a long one takes long to make. */
function keepOnly(entry: Entry): void {
  if (kept !== null && kept !== entry) kept.lazy = null;
  kept = entry;
  if (entry.lazy?.kind === 'done' && entry.lazy.value.size() > maxKeptSize) entry.lazy = null;
}

/** The entry of a source, now the youngest; the oldest is forgotten when there are too many. */
function entryOf(source: string): Entry {
  const known = remembered.get(source);
  const entry = known ?? parseEntry(source);
  if (known !== undefined) remembered.delete(source);
  remembered.set(source, entry);
  forgetOldest();
  return entry;
}

function forgetOldest(): void {
  while (remembered.size > maxRemembered || rememberedSteps > maxRememberedSteps) {
    const [oldest] = remembered;
    if (oldest === undefined || remembered.size === 1) return;
    rememberedSteps -= oldest[1].cost;
    remembered.delete(oldest[0]);
  }
}

function parseEntry(source: string): Entry {
  const parsed = parseExpression(source);
  const rest = { pattern: null, cost: 0, lazy: null };
  switch (parsed.kind) {
    case 'expression':
      return { expression: parsed.expression, refusal: null, ...rest };
    case 'invalid':
      return { expression: null, refusal: parsed, ...rest };
    case 'unsupported':
      return { expression: null, refusal: opaque(parsed.reason), ...rest };
    default:
      return parsed satisfies never;
  }
}

function compile(entry: Entry, steps: Steps): Pattern {
  const { expression } = entry;
  if (expression === null) return entry.refusal ?? { kind: 'too_large' };
  const lazy = determinize(expression, shapeOf(expression), steps);
  switch (lazy.kind) {
    case 'too_large':
      return { kind: 'too_large' };
    case 'not_regular':
      return opaque(lazy.reason);
    case 'done': {
      const whole = completeDfa(lazy.value, steps);
      return whole === 'too_large' ? { kind: 'too_large' } : { kind: 'language', language: whole };
    }
    default:
      return lazy satisfies never;
  }
}

function opaque(reason: string): Pattern {
  return { kind: 'opaque', reason, over: everyText };
}

/** A search, but that an expression that begins with ^ need not be looked for further on. */
function shapeOf(expression: Expression): typeof searchShape {
  return { ...searchShape, leadingAny: !beginsAtStart(expression) };
}

function beginsAtStart(expression: Expression): boolean {
  switch (expression.kind) {
    case 'start':
      return true;
    case 'sequence':
      return expression.items[0] !== undefined && beginsAtStart(expression.items[0]);
    case 'choice':
      return expression.items.every(beginsAtStart);
    case 'capture':
      return beginsAtStart(expression.item);
    default:
      return false;
  }
}

function runLazily(dfa: LazyDfa, text: string, steps: Steps): boolean | 'gave_up' {
  let state = dfa.start;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (code > 0xffff) i++;
    const out = dfa.moves(state, steps);
    if (out === 'too_large') return 'gave_up';
    state = moveOn(out, code);
    if (state === noState) return false;
  }
  return dfa.accepts(state);
}
