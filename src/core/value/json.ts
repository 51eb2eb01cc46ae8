// JSON values in the registry. A number that a double cannot hold exactly is kept as its source
// text (`ExactNumber`, made by JSON.rawJSON), never rounded: 9223372036854775807 stays exact.

export type Json =
  | null
  | boolean
  | number
  | ExactNumber
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** A number that a double cannot hold: JSON.stringify writes `rawJSON` unchanged. */
export interface ExactNumber {
  readonly rawJSON: string;
}

// TypeScript's library does not declare these two yet; Node 24 and current browsers have them.
declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): boolean;
  }
}

export type JsonParsed =
  | {
      readonly ok: true;
      readonly value: Json;
      /** Whether it may contain numbers that are kept as text. */
      readonly hasExactNumbers: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: 'syntax' | 'too_deep' | 'too_large';
      readonly message: string;
    };

/**
 * The maximum nesting of a document: schemas may nest 64 levels, and values around them a few more.
 */
export const maxJsonDepth = 512;

/**
 * Parses JSON text without rounding any number and without overflowing the stack.
 *
 * @example parseJson('{"a": 9007199254740993}') // a is kept as the text 9007199254740993
 */
export function parseJson(
  text: string,
  maxDepth: number = maxJsonDepth,
  maxMemoryBytes: number = Number.POSITIVE_INFINITY,
): JsonParsed {
  const { seen, memoryBytes } = scan(text, maxDepth, maxMemoryBytes);
  if (seen === 'too_deep') {
    return {
      ok: false,
      reason: 'too_deep',
      message: `The JSON is nested deeper than ${maxDepth} levels. Flatten it.`,
    };
  }
  if (memoryBytes > maxMemoryBytes) {
    return {
      ok: false,
      reason: 'too_large',
      message: `Its values would need more than ${toMebibytes(maxMemoryBytes)} MiB of memory, the limit for a text of this size. Split it.`,
    };
  }
  try {
    // A reviver is called for each value, which makes parsing ten times slower.
    const hasExactNumbers = seen === 'wide';
    const value = hasExactNumbers ? JSON.parse(text, keepWideNumber) : JSON.parse(text);
    return { ok: true, value, hasExactNumbers };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: 'syntax', message: leftComma(text) ?? message };
  }
}

/** Parsers only say what they expected after a comma that was left when the last member was deleted. */
function leftComma(text: string): string | null {
  const [first] = leftCommas(text) ?? [];
  if (first === undefined) return null;
  const lines = text.slice(0, first).split('\n');
  const place = `line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1}`;
  return `Nothing follows the comma at ${place}. Remove it.`;
}

/**
 * Parses JSON that a person edits. Deleting the last member of an object leaves a comma, which means
 * nothing.
 *
 * @example parseEditedJson('{"a": 1,}') // a is 1
 */
export function parseEditedJson(text: string): JsonParsed {
  const asWritten = parseJson(text);
  const found = asWritten.ok ? null : leftCommas(text);
  return found === null ? asWritten : parseJson(without(text, found));
}

/** Null if the text is no JSON without them. */
function leftCommas(text: string): readonly number[] | null {
  const found: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) i = endOfString(text, i);
    else if (code === comma && isClosing(text, i + 1)) found.push(i);
  }
  return found.length > 0 && isJson(without(text, found)) ? found : null;
}

function isClosing(text: string, from: number): boolean {
  let at = from;
  while (/\s/.test(text.charAt(at))) at++;
  return text.charAt(at) === '}' || text.charAt(at) === ']';
}

function without(text: string, places: readonly number[]): string {
  const parts = places.map((place, index) => text.slice((places[index - 1] ?? -1) + 1, place));
  return [...parts, text.slice((places.at(-1) ?? -1) + 1)].join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === 'object' && value !== null && JSON.isRawJSON(value);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
  );
}

/** Whether some object in a value, at any depth, passes the test. */
export function someObject(json: Json, test: (object: JsonObject) => boolean): boolean {
  const waiting: Json[] = [json];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) for (const item of value) waiting.push(item);
    else if (isJsonObject(value)) {
      if (test(value)) return true;
      for (const key in value) waiting.push(value[key] ?? null);
    }
  }
  return false;
}

/** The same for schemas that have definitions in common, of which each is searched once. */
export function searchSchemas(test: (object: JsonObject) => boolean): (schema: Json) => boolean {
  const known = new WeakMap<object, boolean>();
  const isFound = (definition: Json): boolean => {
    if (typeof definition !== 'object' || definition === null) return false;
    const before = known.get(definition);
    if (before !== undefined) return before;
    const found = someObject(definition, test);
    known.set(definition, found);
    return found;
  };
  return (schema) => {
    if (!isJsonObject(schema)) return someObject(schema, test);
    const { $defs = {}, ...own } = schema;
    if (!isJsonObject($defs)) return someObject(schema, test);
    return someObject(own, test) || Object.values($defs).some(isFound);
  };
}

/** The exact text of a number; `null` for other values. */
export function numberText(value: Json): string | null {
  if (typeof value === 'number') return String(value);
  return isExactNumber(value) ? value.rawJSON : null;
}

/**
 * Finds out before parsing whether the text nests too deeply for the stack, whether it has a number
 * that a double cannot hold, and about how much memory its values take: three million empty objects
 * are 40 MB of text but 800 MB in memory. Stops as soon as it is too much. Invalid JSON is scanned
 * too; the parser reports it.
 */
function scan(
  text: string,
  maxDepth: number,
  maxMemoryBytes: number,
): { readonly seen: 'plain' | 'wide' | 'too_deep'; readonly memoryBytes: number } {
  let depth = 0;
  let isWide = false;
  let memoryBytes = text.length;
  /** The number of separators so far in the open container at each depth. */
  const members: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      i = endOfString(text, i);
    } else if (code === 0x5b || code === 0x7b) {
      depth++;
      memoryBytes += containerBytes;
      members[depth] = 0;
      if (depth > maxDepth) return { seen: 'too_deep', memoryBytes: 0 };
      if (memoryBytes > maxMemoryBytes) break;
    } else if (code === comma) {
      const before = members[depth] ?? 0;
      members[depth] = before + 1;
      memoryBytes += before < dictionaryMembers ? valueBytes : valueBytes + dictionaryBytes;
      if (memoryBytes > maxMemoryBytes) break;
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    } else if (isDigit(code)) {
      const end = endOfNumber(text, i);
      isWide ||= isWideNumber(text, i, end);
      i = end - 1;
    }
  }
  return { seen: isWide ? 'wide' : 'plain', memoryBytes };
}

/** V8's sizes: an empty object, a value within it, and a member of a large object by its key. */
const containerBytes = 64;
const valueBytes = 16;
const dictionaryBytes = 100;
/** V8 stores objects with more members than this as dictionaries. */
const dictionaryMembers = 1_000;

function toMebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The position after the digits, the dot, and the exponent with its sign. */
function endOfNumber(text: string, start: number): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isOfNumber =
      isDigit(code) ||
      code === 0x2e ||
      code === 0x65 ||
      code === 0x45 ||
      code === 0x2b ||
      code === 0x2d;
    if (!isOfNumber) return i;
  }
  return text.length;
}

/** A double holds any 15 significant digits; longer numbers and exponents are checked. */
const sureLength = 15;

function isWideNumber(text: string, start: number, end: number): boolean {
  if (end - start <= sureLength && !/[eE]/.test(text.slice(start, end))) return false;
  const source = text.slice(start, end);
  return !isSameDecimal(source, Number(source));
}

function keepWideNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return isSameDecimal(context.source, value) ? value : JSON.rawJSON(context.source);
}

function isSameDecimal(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // Almost every number is written in its shortest form.
  const shortest = String(value);
  return source === shortest || decimalKey(source) === decimalKey(shortest);
}

export interface Decimal {
  readonly sign: '-' | '';
  /** Without zeros at either end; empty for zero. */
  readonly digits: string;
  /** The value is `digits` times ten to this power; of any size. */
  readonly exponent: bigint;
}

/**
 * The parts of a decimal of any width; `null` for text that is not a number.
 *
 * @example readDecimal('1.50e3') // { sign: '', digits: '15', exponent: 2n }
 */
export function readDecimal(text: string): Decimal | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)(\d+))?$/.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', powerSign = '', power = '0'] = match;
  const digits = withoutZeros(whole + fraction, 'start');
  const trimmed = withoutZeros(digits, 'end');
  if (trimmed === '') return { sign: '', digits: '', exponent: 0n };
  const exponent =
    (powerSign === '-' ? -BigInt(power) : BigInt(power)) -
    BigInt(fraction.length) +
    BigInt(digits.length - trimmed.length);
  return { sign: sign === '-' ? '-' : '', digits: trimmed, exponent };
}

/** A loop, because a regular expression for trailing zeros takes quadratic time. */
function withoutZeros(digits: string, side: 'start' | 'end'): string {
  let from = 0;
  let to = digits.length;
  if (side === 'start') while (digits.charCodeAt(from) === zero) from++;
  else while (to > 0 && digits.charCodeAt(to - 1) === zero) to--;
  return digits.slice(from, to);
}

const zero = 0x30;

/** Equal for all texts of one number, and only for these: 1e2000 and 10e1999. */
export function decimalKey(text: string): string {
  const decimal = readDecimal(text);
  return decimal === null ? text : `${decimal.sign}${decimal.digits}e${decimal.exponent}`;
}
