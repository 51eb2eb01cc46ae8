// What a `pattern` means: the set of texts in which it is found somewhere.

import { searchByBacktracking } from './backtrack.ts';
import type { Determinized, LazyDfa } from './determinize.ts';
import { completeDfa, determinize, searchShape } from './determinize.ts';
import { moveOn, noState } from './dfa.ts';
import type { Expression, ParsedExpression } from './expression.ts';
import { parseExpression } from './expression.ts';
import type { Language } from './language.ts';
import { accepts, everyText } from './language.ts';
import type { Steps } from './steps.ts';
import { stepsOfNumbers } from './steps.ts';
import { widen } from './widen.ts';

type Pattern =
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
/** A step makes at most 64 bytes: what is remembered stays under 150 MB. */
const maxRememberedSteps = 3 * compileSteps;
const stepsOfChar = 3;

/**
 * @example compilePattern('^a+$', { left: 10_000 }) // the language of a, aa, aaa, ...
 */
export function compilePattern(source: string, steps: Steps): Pattern {
  const entry = entryOf(source);
  if (entry.pattern === null) {
    const own: Steps = { left: compileSteps };
    entry.pattern = compile(entry, own);
    entry.cost = Math.min(compileSteps, compileSteps - own.left);
    if (entry.pattern.kind !== 'too_large') hold(entry, entry.cost);
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
  if (entry.lazy === null) {
    const own: Steps = { left: compileSteps };
    entry.lazy = determinize(expression, shapeOf(expression), own);
    if (entry.lazy.kind === 'done') holdLazily(entry, compileSteps - own.left);
  }
  switch (entry.lazy.kind) {
    case 'done': {
      const own: Steps = { left: compileSteps };
      const found = runLazily(entry.lazy.value, text, own);
      holdLazily(entry, compileSteps - own.left);
      // More than one text may make is made again for the next.
      if (found === 'gave_up' || entry.lazySteps > compileSteps) dropLazy(entry);
      // Each text that is given up costs as much again, and there may be thousands.
      if (found === 'gave_up') steps.left -= compileSteps;
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

interface Entry {
  /** `null` where the source is not one we read. */
  readonly expression: Expression | null;
  readonly refusal: Pattern | null;
  pattern: Pattern | null;
  cost: number;
  lazy: Determinized<LazyDfa> | null;
  /** What the lazy automaton holds, and what the entry holds with it. */
  lazySteps: number;
  heldSteps: number;
}

const remembered = new Map<string, Entry>();
let rememberedSteps = 0;

/** The entry of a source, now the youngest; the oldest is forgotten when there are too many. */
function entryOf(source: string): Entry {
  const known = remembered.get(source);
  const entry = known ?? parseEntry(source);
  if (known !== undefined) remembered.delete(source);
  else rememberedSteps += entry.heldSteps;
  remembered.set(source, entry);
  forgetOldest();
  return entry;
}

/** An entry that was just asked for holds more now, or less. */
function hold(entry: Entry, steps: number): void {
  entry.heldSteps += steps;
  rememberedSteps += steps;
  forgetOldest();
}

function holdLazily(entry: Entry, steps: number): void {
  entry.lazySteps += steps;
  hold(entry, steps);
}

function dropLazy(entry: Entry): void {
  hold(entry, -entry.lazySteps);
  entry.lazySteps = 0;
  entry.lazy = null;
}

function forgetOldest(): void {
  while (remembered.size > maxRemembered || rememberedSteps > maxRememberedSteps) {
    const [oldest] = remembered;
    if (oldest === undefined || remembered.size === 1) return;
    rememberedSteps -= oldest[1].heldSteps;
    remembered.delete(oldest[0]);
  }
}

function parseEntry(source: string): Entry {
  const parsed = parseExpression(source);
  const heldSteps = stepsOfSource(source, parsed);
  const rest = { pattern: null, cost: 0, lazy: null, lazySteps: 0, heldSteps };
  switch (parsed.kind) {
    case 'expression':
      return { expression: parsed.expression, refusal: null, ...rest };
    case 'invalid':
      return { expression: null, refusal: parsed, ...rest };
    case 'unsupported':
      return { expression: null, refusal: opaque(parsed.reason, everyText), ...rest };
    default:
      return parsed satisfies never;
  }
}

/** A character becomes at most a node of the expression, and the sets of its classes are numbers. */
function stepsOfSource(source: string, parsed: ParsedExpression): number {
  const setSize = parsed.kind === 'expression' ? parsed.setSize : 0;
  return stepsOfChar * source.length + stepsOfNumbers(setSize);
}

function compile(entry: Entry, steps: Steps): Pattern {
  const { expression } = entry;
  if (expression === null) return entry.refusal ?? { kind: 'too_large' };
  const lazy = determinize(expression, shapeOf(expression), steps);
  switch (lazy.kind) {
    case 'too_large':
      return { kind: 'too_large' };
    case 'not_regular':
      return opaque(lazy.reason, languageAround(expression, steps));
    case 'done': {
      const whole = completeDfa(lazy.value, steps);
      return whole === 'too_large' ? { kind: 'too_large' } : { kind: 'language', language: whole };
    }
    default:
      return lazy satisfies never;
  }
}

function opaque(reason: string, over: Language): Pattern {
  return { kind: 'opaque', reason, over };
}

function languageAround(expression: Expression, steps: Steps): Language {
  for (const kept of ['plain_looks', 'no_looks'] as const) {
    const wider = widen(expression, kept);
    const lazy = determinize(wider, shapeOf(wider), steps);
    const whole = lazy.kind === 'done' ? completeDfa(lazy.value, steps) : lazy.kind;
    if (typeof whole !== 'string') return whole;
  }
  return everyText;
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
  const isFound = dfa.accepts(state, steps);
  return isFound === 'too_large' ? 'gave_up' : isFound;
}
