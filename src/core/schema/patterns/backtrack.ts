// Matches patterns that no automaton can represent (backreferences, some lookarounds) as ECMA-262
// defines: by trying one path after another, with a budget, because such a pattern may have too
// many paths.

import type { CharSet } from './char-set.ts';
import { everyChar, hasChar, wordChars } from './char-set.ts';
import type { Expression } from './expression.ts';
import type { Steps } from './steps.ts';

/** Whether the pattern matches anywhere in the text. */
export function searchByBacktracking(
  expression: Expression,
  text: string,
  steps: Steps,
): boolean | 'gave_up' {
  const known = programs.get(expression);
  const program = known === undefined ? compileProgram(expression) : known;
  programs.set(expression, program);
  if (program === null) return 'gave_up';
  steps.left -= program.instructions.length + program.registerCount + text.length;
  if (steps.left < 0) return 'gave_up';
  const chars = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  const registers = new Array<number>(program.registerCount).fill(-1);
  // A path needs a few registers, and in the worst case each has its own copy.
  const run: Run = { chars, steps, room: maxHeldNumbers / (program.registerCount + 12) };
  for (let start = 0; start <= chars.length; start++) {
    const ended = runFrom(program, program.start, run, start, registers);
    if (ended === 'gave_up') return 'gave_up';
    if (ended !== null) return true;
  }
  return false;
}

/** A search uses the same expression repeatedly, and compiling a long program is slow. */
const programs = new WeakMap<Expression, Program | null>();

type Instruction =
  | { readonly kind: 'accept' }
  | {
      readonly kind: 'set';
      readonly set: CharSet;
      readonly isBackward: boolean;
      readonly next: number;
    }
  /** The possible continuations, the preferred one first. */
  | { readonly kind: 'split'; readonly nexts: readonly number[] }
  | { readonly kind: 'start' | 'end'; readonly next: number }
  | { readonly kind: 'boundary'; readonly isNegated: boolean; readonly next: number }
  | { readonly kind: 'mark'; readonly register: number; readonly next: number }
  /** Fails if nothing was read since the mark: an empty iteration of a loop is not allowed. */
  | { readonly kind: 'progress'; readonly register: number; readonly next: number }
  | { readonly kind: 'close'; readonly capture: number; readonly next: number }
  | { readonly kind: 'forget'; readonly captures: readonly number[]; readonly next: number }
  | {
      readonly kind: 'backreference';
      readonly capture: number;
      readonly isBackward: boolean;
      readonly next: number;
    }
  | {
      readonly kind: 'look';
      readonly body: number;
      readonly isNegated: boolean;
      readonly next: number;
    };

interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  readonly registerCount: number;
}

/** The memory of waiting paths: 32 MB. */
const maxHeldNumbers = 4_000_000;
/** An instruction takes 100 bytes, and is kept with its expression: 1 MB. */
const maxInstructions = 10_000;

interface Compiling {
  readonly instructions: Instruction[];
  registerCount: number;
  isTooLarge: boolean;
}

function compileProgram(expression: Expression): Program | null {
  const compiling: Compiling = {
    instructions: [{ kind: 'accept' }],
    registerCount: 3 * (1 + Math.max(-1, ...capturesIn(expression))),
    isTooLarge: false,
  };
  const start = add(compiling, expression, 0, false);
  return compiling.isTooLarge ? null : { ...compiling, start };
}

/**
 * A capture has three registers: the start of the current iteration, and the start and end of the
 * last one.
 */
function enteredAt(capture: number): number {
  return capture * 3;
}

/** The groups themselves: what only refers to one of them leaves it as it is. */
function capturesIn(expression: Expression): number[] {
  switch (expression.kind) {
    case 'sequence':
    case 'choice':
      return expression.items.flatMap(capturesIn);
    case 'capture':
      return [expression.index, ...capturesIn(expression.item)];
    case 'repeat':
    case 'look':
      return capturesIn(expression.item);
    default:
      return [];
  }
}

function addInstruction(compiling: Compiling, instruction: Instruction): number {
  if (compiling.instructions.length >= maxInstructions) compiling.isTooLarge = true;
  else compiling.instructions.push(instruction);
  return compiling.instructions.length - 1;
}

function add(
  compiling: Compiling,
  expression: Expression,
  next: number,
  isBackward: boolean,
): number {
  if (compiling.isTooLarge) return 0;
  switch (expression.kind) {
    case 'set':
      return addInstruction(compiling, { kind: 'set', set: expression.set, isBackward, next });
    case 'sequence': {
      const items = isBackward ? expression.items : expression.items.toReversed();
      return items.reduce((after, item) => add(compiling, item, after, isBackward), next);
    }
    case 'choice': {
      const nexts = expression.items.map((item) => add(compiling, item, next, isBackward));
      return addInstruction(compiling, { kind: 'split', nexts });
    }
    case 'repeat':
      return addRepeat(compiling, expression, next, isBackward);
    case 'capture': {
      const capture = expression.index;
      const close = addInstruction(compiling, { kind: 'close', capture, next });
      const body = add(compiling, expression.item, close, isBackward);
      return addInstruction(compiling, { kind: 'mark', register: enteredAt(capture), next: body });
    }
    case 'backreference':
      return addInstruction(compiling, {
        kind: 'backreference',
        capture: expression.index,
        isBackward,
        next,
      });
    case 'start':
    case 'end':
      return addInstruction(compiling, { kind: expression.kind, next });
    case 'boundary':
      return addInstruction(compiling, {
        kind: 'boundary',
        isNegated: expression.isNegated,
        next,
      });
    case 'look': {
      const body = add(compiling, expression.item, 0, expression.direction === 'behind');
      return addInstruction(compiling, {
        kind: 'look',
        body,
        isNegated: expression.isNegated,
        next,
      });
    }
    default:
      return expression satisfies never;
  }
}

function addRepeat(
  compiling: Compiling,
  repeat: Extract<Expression, { kind: 'repeat' }>,
  next: number,
  isBackward: boolean,
): number {
  const { item, min, max, isGreedy } = repeat;
  const captures = capturesIn(item);
  const addRound = (after: number): number => {
    const body = add(compiling, item, after, isBackward);
    if (captures.length === 0) return body;
    return addInstruction(compiling, { kind: 'forget', captures, next: body });
  };
  const addOptional = (after: number): number => {
    const register = compiling.registerCount++;
    const progress = addInstruction(compiling, { kind: 'progress', register, next: after });
    const round = addRound(progress);
    const body = addInstruction(compiling, { kind: 'mark', register, next: round });
    return addInstruction(compiling, {
      kind: 'split',
      nexts: isGreedy ? [body, next] : [next, body],
    });
  };
  let after = next;
  if (max === Number.POSITIVE_INFINITY) {
    const loop = addInstruction(compiling, { kind: 'split', nexts: [] });
    const entry = compiling.instructions[addOptional(loop)];
    if (!compiling.isTooLarge && entry !== undefined) compiling.instructions[loop] = entry;
    after = loop;
  } else {
    for (let i = min; i < max && !compiling.isTooLarge; i++) after = addOptional(after);
  }
  for (let i = 0; i < min && !compiling.isTooLarge; i++) {
    const before = addRound(after);
    if (before === after) break;
    after = before;
  }
  return after;
}

interface Run {
  readonly chars: readonly number[];
  readonly steps: Steps;
  /** The number of paths that may wait. */
  readonly room: number;
}

/** The registers of the first path that reaches the end; `null` if there is none. */
function runFrom(
  program: Program,
  entry: number,
  run: Run,
  position: number,
  registers: readonly number[],
): readonly number[] | null | 'gave_up' {
  const waiting: [number, number, readonly number[]][] = [[entry, position, registers]];
  for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
    run.steps.left--;
    if (run.steps.left < 0 || waiting.length > run.room) return 'gave_up';
    const [at, here, held] = way;
    const instruction = program.instructions[at];
    if (instruction === undefined) return 'gave_up';
    if (instruction.kind === 'accept') return held;
    if (instruction.kind === 'split') {
      run.steps.left -= instruction.nexts.length;
      for (const next of instruction.nexts.toReversed()) waiting.push([next, here, held]);
      continue;
    }
    if (instruction.kind === 'look') {
      const own = { ...run, room: run.room - waiting.length };
      const seen = runFrom(program, instruction.body, own, here, held);
      if (seen === 'gave_up') return 'gave_up';
      if ((seen !== null) !== instruction.isNegated) {
        waiting.push([instruction.next, here, seen === null ? held : seen]);
      }
      continue;
    }
    const step = takeStep(instruction, run.chars, here, held);
    if (step !== null) waiting.push([instruction.next, step.position, step.registers]);
    run.steps.left -= step?.cost ?? 0;
  }
  return null;
}

interface Step {
  readonly position: number;
  readonly registers: readonly number[];
  readonly cost: number;
}

function takeStep(
  instruction: Exclude<Instruction, { kind: 'accept' | 'split' | 'look' }>,
  chars: readonly number[],
  here: number,
  held: readonly number[],
): Step | null {
  const stay = { position: here, registers: held, cost: 0 };
  switch (instruction.kind) {
    case 'set': {
      const char = chars[instruction.isBackward ? here - 1 : here];
      if (char === undefined) return null;
      if (instruction.set !== everyChar && !hasChar(instruction.set, char)) return null;
      return { ...stay, position: instruction.isBackward ? here - 1 : here + 1 };
    }
    case 'start':
      return here === 0 ? stay : null;
    case 'end':
      return here === chars.length ? stay : null;
    case 'boundary': {
      const isBoundary = isWord(chars[here - 1]) !== isWord(chars[here]);
      return isBoundary !== instruction.isNegated ? stay : null;
    }
    case 'mark':
      return keep(held, [[instruction.register, here]], here);
    case 'progress':
      return held[instruction.register] === here ? null : stay;
    case 'close': {
      const entered = held[enteredAt(instruction.capture)] ?? 0;
      const first = enteredAt(instruction.capture) + 1;
      const begin = Math.min(entered, here);
      return keep(
        held,
        [
          [first, begin],
          [first + 1, Math.max(entered, here)],
        ],
        here,
      );
    }
    case 'forget':
      return keep(
        held,
        instruction.captures.map((one) => [enteredAt(one) + 1, -1]),
        here,
      );
    case 'backreference':
      return repeatCapture(instruction, chars, here, held);
    default:
      return instruction satisfies never;
  }
}

function keep(
  held: readonly number[],
  changes: readonly (readonly [number, number])[],
  position: number,
): Step {
  const registers = [...held];
  for (const [register, value] of changes) registers[register] = value;
  return { position, registers, cost: registers.length >> 3 };
}

/** In ECMA-262, a capture that did not participate matches the empty text. */
function repeatCapture(
  instruction: Extract<Instruction, { kind: 'backreference' }>,
  chars: readonly number[],
  here: number,
  held: readonly number[],
): Step | null {
  const first = enteredAt(instruction.capture) + 1;
  const begin = held[first] ?? -1;
  const length = begin < 0 ? 0 : (held[first + 1] ?? begin) - begin;
  const from = instruction.isBackward ? here - length : here;
  if (from < 0 || from + length > chars.length) return null;
  for (let i = 0; i < length; i++) {
    if (chars[begin + i] !== chars[from + i]) return null;
  }
  return { position: instruction.isBackward ? from : from + length, registers: held, cost: length };
}

function isWord(char: number | undefined): boolean {
  return char !== undefined && hasChar(wordChars, char);
}
