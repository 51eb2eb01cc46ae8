import { decimalKey, isExactNumber, isJsonObject, type Json, numberText } from './json.ts';
import { rationalOf } from './rational.ts';

/**
 * One text for each JSON value, whatever the order of its keys and the spelling of its numbers.
 *
 * @example canonicalJson({ b: 1, a: [true] }) // '{"a":[true],"b":1}'
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
    return `{${members.join(',')}}`;
  }
  if (typeof value === 'number' || isExactNumber(value)) return canonicalNumber(value);
  return JSON.stringify(value);
}

/**
 * Whether two values are the same JSON: `1.0` equals `1`, and the order of keys does not matter.
 */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) {
      if (!isSameJson(a[index], b[index])) return false;
    }
    return true;
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return isSameNumber(a, b);
  let count = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !isSameJson(a[key], b[key])) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/**
 * Different representations may be one number: numbers that a double cannot hold are kept as text.
 */
function isSameNumber(a: Json, b: Json): boolean {
  const areNumbers = numberText(a) !== null && numberText(b) !== null;
  return areNumbers && canonicalNumber(a) === canonicalNumber(b);
}

/** One text for each number, even if it is too wide to calculate with. */
function canonicalNumber(value: Json): string {
  const rational = rationalOf(value);
  if (typeof rational === 'number') return String(rational);
  if (rational === null) return decimalKey(numberText(value) ?? 'null');
  if (typeof value === 'number') return String(value);
  return `${rational.numerator}${rational.denominator === 1n ? '' : `/${rational.denominator}`}`;
}
