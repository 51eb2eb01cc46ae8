// A regular expression in the form that automata need: groups dissolved, classes resolved to sets.

import type { AST } from '@eslint-community/regexpp';
import { RegExpParser } from '@eslint-community/regexpp';
import { uniteCases } from './case-folding.ts';
import type { CharSet } from './char-set.ts';
import {
  charSetOf,
  charsOfProperty,
  digits,
  everyChar,
  lineTerminators,
  negateChars,
  spaces,
  uniteChars,
  wordChars,
} from './char-set.ts';

export type Expression =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly items: readonly Expression[] }
  | { readonly kind: 'choice'; readonly items: readonly Expression[] }
  | {
      readonly kind: 'repeat';
      readonly item: Expression;
      readonly min: number;
      readonly max: number;
      readonly isGreedy: boolean;
    }
  | { readonly kind: 'capture'; readonly index: number; readonly item: Expression }
  | { readonly kind: 'backreference'; readonly index: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'boundary'; readonly isNegated: boolean }
  | {
      readonly kind: 'look';
      readonly direction: 'ahead' | 'behind';
      readonly isNegated: boolean;
      readonly item: Expression;
    };

export type ParsedExpression =
  /** `setSize` is the number of numbers in its sets. */
  | { readonly kind: 'expression'; readonly expression: Expression; readonly setSize: number }
  | { readonly kind: 'invalid'; readonly message: string }
  /** Valid but not supported: nothing is known about its matches. */
  | { readonly kind: 'unsupported'; readonly reason: string };

/** Real patterns have less than 10,000 characters; at 100,000 the parser alone takes 50 ms. */
const maxPatternLength = 100_000;
/** The parser recurses into groups, with ten stack frames per level. */
const maxGroupDepth = 200;

/**
 * Parses a pattern as JSON Schema validators do: with the flag `u`, and if that is refused, in the
 * older grammar. Characters are code points in both cases.
 */
export function parseExpression(source: string): ParsedExpression {
  const reason = reasonNotToRead(source);
  if (reason !== null) return { kind: 'unsupported', reason };
  const strict = parseWith(source, true);
  if (strict.kind === 'pattern') return toExpression(strict.pattern, true);
  const lenient = parseWith(source, false);
  if (lenient.kind === 'pattern') return toExpression(lenient.pattern, false);
  return strict;
}

/**
 * Whether the source is an expression by the grammar of the flag `u` alone, as the format `regex` asks.
 * Undefined for one that is not read.
 */
export function isStrictExpression(source: string): boolean | undefined {
  if (reasonNotToRead(source) !== null) return undefined;
  return parseWith(source, true).kind === 'pattern';
}

function reasonNotToRead(source: string): string | null {
  if (source.length > maxPatternLength) return `it is longer than ${maxPatternLength} characters`;
  if (groupDepthOf(source) <= maxGroupDepth) return null;
  return `its groups nest deeper than ${maxGroupDepth} levels`;
}

type Parsed =
  | { readonly kind: 'pattern'; readonly pattern: AST.Pattern }
  | { readonly kind: 'invalid'; readonly message: string };

const parser = new RegExpParser({ ecmaVersion: 2025 });

function parseWith(source: string, unicode: boolean): Parsed {
  try {
    const pattern = parser.parsePattern(source, 0, source.length, { unicode });
    return { kind: 'pattern', pattern };
  } catch (error) {
    return { kind: 'invalid', message: error instanceof Error ? error.message : String(error) };
  }
}

function groupDepthOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    if (char === '\\') i++;
    else if (char === '(') deepest = Math.max(deepest, ++depth);
    else if (char === ')') depth--;
  }
  return deepest;
}

class Unsupported extends Error {}

/** Each takes 8 bytes. Letters and digits of every script are some 2,000. */
const maxSetSize = 200_000;

interface Reading {
  readonly isUnicode: boolean;
  readonly captureIndexes: Map<AST.CapturingGroup, number>;
  /** The sets by their source text, because a pattern often repeats a class. */
  readonly sets: Map<string, CharSet>;
  readonly size: { left: number };
  readonly flags: Flags;
  /** Whether some part of the pattern ignores case. */
  readonly hasCaseFlag: boolean;
}

/** The flags that `(?i:...)`, `(?m:...)` and `(?s:...)` set within them. */
interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

/**
 * Also matches text that only looks like a flag, such as in a class, which loses some precision.
 */
const caseFlagPattern = /\(\?[ims]*i[ims]*(?:-[ims]*)?:/;

function toExpression(pattern: AST.Pattern, isUnicode: boolean): ParsedExpression {
  try {
    const size = { left: maxSetSize };
    const expression = readAlternatives(pattern.alternatives, {
      isUnicode,
      captureIndexes: new Map(),
      sets: new Map(),
      size,
      flags: { ignoreCase: false, multiline: false, dotAll: false },
      hasCaseFlag: caseFlagPattern.test(pattern.raw),
    });
    return { kind: 'expression', expression, setSize: maxSetSize - size.left };
  } catch (error) {
    if (error instanceof Unsupported) return { kind: 'unsupported', reason: error.message };
    throw error;
  }
}

function readAlternatives(alternatives: readonly AST.Alternative[], reading: Reading): Expression {
  const items = alternatives.map((one) => readSequence(one.elements, reading));
  return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'choice', items };
}

function readSequence(elements: readonly AST.Element[], reading: Reading): Expression {
  const items: Expression[] = [];
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i];
    const next = elements[i + 1];
    if (element === undefined) continue;
    const pair = reading.isUnicode ? null : astralPair(element, next);
    if (pair !== null) i++;
    items.push(pair ?? readElement(element, reading));
  }
  return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'sequence', items };
}

/** The older grammar reads an astral character as two surrogates, which are joined again here. */
function astralPair(first: AST.Element, second: AST.Element | undefined): Expression | null {
  if (first.type !== 'Character' || !isHighSurrogate(first.value)) return null;
  if (second?.type === 'Character' && isLowSurrogate(second.value)) {
    const code = (first.value - 0xd800) * 0x400 + (second.value - 0xdc00) + 0x10000;
    return { kind: 'set', set: [code, code] };
  }
  return null;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function readElement(element: AST.Element, reading: Reading): Expression {
  switch (element.type) {
    case 'Character':
      if (!reading.isUnicode && element.value >= 0xd800 && element.value <= 0xdfff) {
        throw new Unsupported('it uses half a character without the flag u');
      }
      return setOf(element, reading, () => charOf(element.value, reading));
    case 'CharacterSet':
      return setOf(element, reading, () => charsOfSet(element, reading));
    case 'CharacterClass':
      return setOf(element, reading, () => charsOfClass(element, reading));
    case 'ExpressionCharacterClass':
      throw new Unsupported('it uses set notation of the flag v');
    case 'Group':
      return readAlternatives(element.alternatives, {
        ...reading,
        flags: modify(reading.flags, element.modifiers),
      });
    case 'CapturingGroup':
      return readCapture(element, reading);
    case 'Backreference':
      return readBackreference(element, reading);
    case 'Quantifier':
      return {
        kind: 'repeat',
        item: readElement(element.element, reading),
        min: element.min,
        max: element.max,
        isGreedy: element.greedy,
      };
    case 'Assertion':
      return readAssertion(element, reading);
    default:
      return element satisfies never;
  }
}

function modify(flags: Flags, modifiers: AST.Modifiers | null): Flags {
  if (modifiers === null) return flags;
  const { add, remove } = modifiers;
  return {
    ignoreCase: (flags.ignoreCase || add.ignoreCase) && remove?.ignoreCase !== true,
    multiline: (flags.multiline || add.multiline) && remove?.multiline !== true,
    dotAll: (flags.dotAll || add.dotAll) && remove?.dotAll !== true,
  };
}

function setOf(node: AST.Element, reading: Reading, read: () => CharSet): Expression {
  const { ignoreCase, dotAll } = reading.flags;
  const key = `${ignoreCase ? 'i' : ''}${dotAll ? 's' : ''} ${node.raw}`;
  let set = reading.sets.get(key);
  if (set === undefined) {
    set = withOtherCases(read(), reading);
    reading.size.left -= set.length;
    if (reading.size.left < 0) throw new Unsupported('its classes name too many characters');
    reading.sets.set(key, set);
  }
  return { kind: 'set', set };
}

/** Matchers in use disagree on whether the Kelvin sign is a word character in (?i:a)\\w. */
const wordsDiffer = 'it asks for characters of words beside parts where case does not count';

/**
 * Some matchers do not match a Latin-1 letter by its other case: a Kelvin sign in the pattern does
 * not match k.
 */
function charOf(code: number, reading: Reading): CharSet {
  const set: CharSet = [code, code];
  if (code > lastOfLatin1 && (withOtherCases(set, reading)[0] ?? code) <= lastOfLatin1) {
    throw new Unsupported('it names a letter of Latin-1 by its other case');
  }
  return set;
}

const lastOfLatin1 = 0xff;

/** A class is negated after its characters were extended by their other cases. */
function withOtherCases(set: CharSet, { isUnicode, flags }: Reading): CharSet {
  return flags.ignoreCase ? uniteCases(set, isUnicode ? 'unicode' : 'older') : set;
}

function readCapture(group: AST.CapturingGroup, reading: Reading): Expression {
  const item = readAlternatives(group.alternatives, reading);
  // Only the text of a group with a backreference must be remembered.
  if (group.references.length === 0) return item;
  return { kind: 'capture', index: captureIndexOf(group, reading), item };
}

function readBackreference(reference: AST.Backreference, reading: Reading): Expression {
  if (reference.ambiguous) throw new Unsupported('it refers to one of several groups by a name');
  if (reading.flags.ignoreCase) {
    throw new Unsupported('it refers to a group without regard to its case');
  }
  return { kind: 'backreference', index: captureIndexOf(reference.resolved, reading) };
}

function captureIndexOf(group: AST.CapturingGroup, reading: Reading): number {
  const known = reading.captureIndexes.get(group);
  if (known !== undefined) return known;
  const index = reading.captureIndexes.size;
  reading.captureIndexes.set(group, index);
  return index;
}

function readAssertion(assertion: AST.Assertion, reading: Reading): Expression {
  switch (assertion.kind) {
    case 'start':
    case 'end':
      return reading.flags.multiline ? lineEdges[assertion.kind] : { kind: assertion.kind };
    case 'word':
      if (reading.hasCaseFlag && reading.isUnicode) throw new Unsupported(wordsDiffer);
      return { kind: 'boundary', isNegated: assertion.negate };
    case 'lookahead':
    case 'lookbehind':
      return {
        kind: 'look',
        direction: assertion.kind === 'lookahead' ? 'ahead' : 'behind',
        isNegated: assertion.negate,
        item: readAlternatives(assertion.alternatives, reading),
      };
    default:
      return assertion satisfies never;
  }
}

const lineBreak: Expression = { kind: 'set', set: lineTerminators };

/** The beginning and the end of a line. */
const lineEdges: Readonly<Record<'start' | 'end', Expression>> = {
  start: {
    kind: 'look',
    direction: 'behind',
    isNegated: false,
    item: { kind: 'choice', items: [{ kind: 'start' }, lineBreak] },
  },
  end: {
    kind: 'look',
    direction: 'ahead',
    isNegated: false,
    item: { kind: 'choice', items: [{ kind: 'end' }, lineBreak] },
  },
};

function charsOfSet(set: AST.CharacterSet, reading: Reading): CharSet {
  switch (set.kind) {
    case 'any':
      return reading.flags.dotAll ? everyChar : negateChars(lineTerminators);
    case 'digit':
      return set.negate ? negateChars(digits) : digits;
    case 'word':
      if (reading.hasCaseFlag && reading.isUnicode) throw new Unsupported(wordsDiffer);
      return set.negate ? negateChars(wordChars) : wordChars;
    case 'space':
      return set.negate ? negateChars(spaces) : spaces;
    case 'property':
      return charsOfProperty(set.raw);
    default:
      return set satisfies never;
  }
}

function charsOfClass(node: AST.CharacterClass, reading: Reading): CharSet {
  const ranges: [number, number][] = [];
  const sets: CharSet[] = [];
  for (const element of node.elements) {
    if (element.type === 'Character') ranges.push([element.value, element.value]);
    else if (element.type === 'CharacterClassRange') {
      ranges.push([element.min.value, element.max.value]);
    } else if (element.type === 'CharacterSet') sets.push(charsOfSet(element, reading));
    else throw new Unsupported('it uses set notation of the flag v');
  }
  if (!reading.isUnicode && ranges.some(([low, high]) => high >= 0xd800 && low <= 0xdfff)) {
    throw new Unsupported('it uses half a character without the flag u');
  }
  const set = withOtherCases(uniteChars([charSetOf(ranges), ...sets]), reading);
  return node.negate ? negateChars(set) : set;
}
