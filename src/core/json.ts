// JSON as the registry holds it. A number that a double cannot hold exactly is kept as its source
// text (`ExactNumber`, made by JSON.rawJSON), never rounded: 9223372036854775807 stays itself.

export type Json =
  | null
  | boolean
  | number
  | ExactNumber
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** A number past what a double holds: JSON.stringify writes `rawJSON` as it stands. */
export interface ExactNumber {
  readonly rawJSON: string;
}

// The library's types do not know these two yet; Node 24 and current browsers have them.
declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): boolean;
  }
}

export type JsonParsed =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: 'syntax' | 'too_deep'; readonly message: string };

/** How deep a document may nest: schemas may nest 64 levels, values around them a few more. */
export const maxJsonDepth = 512;

/**
 * Parses JSON text without rounding any number and without overflowing the stack.
 *
 * @example parseJson('{"a": 9007199254740993}') // a is kept as the text 9007199254740993
 */
export function parseJson(text: string, maxDepth: number = maxJsonDepth): JsonParsed {
  if (isDeeperThan(text, maxDepth)) {
    return {
      ok: false,
      reason: 'too_deep',
      message: `The JSON nests deeper than ${maxDepth} levels. Flatten it.`,
    };
  }
  try {
    const value = mayHoldWideNumber(text) ? JSON.parse(text, keepWideNumber) : JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: 'syntax', message };
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

/** The text of a number, exactly: `null` for what is not a number. */
export function numberText(value: Json): string | null {
  if (typeof value === 'number') return String(value);
  return isExactNumber(value) ? value.rawJSON : null;
}

function isDeeperThan(text: string, maxDepth: number): boolean {
  if (text.length <= maxDepth) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = endOfString(text, i);
    } else if (code === 0x5b || code === 0x7b) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (code === 0x5d || code === 0x7d) {
      depth--;
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i;
  }
  return text.length;
}

// A double holds 15 significant digits of any decimal exactly as text; more digits, or a large
// exponent, are looked at one by one. Strings match too, which costs time and nothing else.
const widePattern = /\d[\d.]{15,}|\d[eE][+-]?\d{2,}/;

function mayHoldWideNumber(text: string): boolean {
  return widePattern.test(text);
}

function keepWideNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return isSameDecimal(context.source, value) ? value : JSON.rawJSON(context.source);
}

function isSameDecimal(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  return decimalOf(source) === decimalOf(String(value));
}

/** A decimal as digits without trailing zeros and a power of ten, so that 1.50e3 equals 1500. */
function decimalOf(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const trimmed = digits.replace(/0+$/, '');
  if (trimmed === '') return '0';
  const exponent = BigInt(power) - BigInt(fraction.length) + BigInt(digits.length - trimmed.length);
  return `${sign}${trimmed}e${exponent}`;
}
