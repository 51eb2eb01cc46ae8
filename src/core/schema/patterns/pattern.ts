// The meaning of a `pattern`: the set of texts in which it matches somewhere.

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
  /** Exactly the texts that it matches. */
  | { readonly kind: 'language'; readonly language: Language }
  /** No automaton represents it: `over` contains every text that it matches, and others. */
  | { readonly kind: 'opaque'; readonly reason: string; readonly over: Language }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'too_large' };

/**
 * The step limit for compiling one pattern: ^[a-z]{1,65535}$ takes 130,000 nodes and 65,536 states,
 * at least a tenth of a second. It is the same for every caller, so that the cache changes no
 * answer, and every caller is charged the cost.
 */
const compileSteps = 800_000;

const maxRemembered = 512;
/** A step makes at most 64 bytes, so the cache stays under 150 MB. */
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

/** Whether the pattern matches in the text; `gave_up` if that costs more than the steps. */
export function matchPattern(source: string, text: string, steps: Steps): boolean | 'gave_up' {
  const entry = entryOf(source);
  // The charge must not depend on the cache, so states made on the way are free here and have a
  // separate limit.
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
      // If it has more states than one text may create, it is created again for the next text.
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

/** `null` if the source is a regular expression, otherwise its problem. */
export function patternProblem(source: string): string | null {
  const parsed = parseExpression(source);
  return parsed.kind === 'invalid' ? parsed.message : null;
}

interface Entry {
  /** `null` if the source is not supported. */
  readonly expression: Expression | null;
  readonly refusal: Pattern | null;
  pattern: Pattern | null;
  cost: number;
  lazy: Determinized<LazyDfa> | null;
  /** The size of the lazy automaton, which is part of the entry's size. */
  lazySteps: number;
  heldSteps: number;
}

const remembered = new Map<string, Entry>();
let rememberedSteps = 0;

/**
 * The entry of a source, which becomes the most recent; if there are too many, the oldest is
 * dropped.
 */
function entryOf(source: string): Entry {
  const known = remembered.get(source);
  const entry = known ?? parseEntry(source);
  if (known !== undefined) remembered.delete(source);
  else rememberedSteps += entry.heldSteps;
  remembered.set(source, entry);
  forgetOldest();
  return entry;
}

/** Updates the size of an entry that was just used. */
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

/** Each character becomes at most one node of the expression, plus the numbers of its classes. */
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

/** A search, except that an expression that begins with ^ is only tried at the start. */
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
