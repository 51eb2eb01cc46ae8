// A change as people read it: its place, its sentence, and its example in one line.

import type { Change } from '../comparison.ts';
import { readPlace, type ValuePlaceStep, valuePlaceOf } from '../schema/value-place.ts';
import { counted } from '../value/counted.ts';
import { isJsonObject, type Json } from '../value/json.ts';
import { stepsOf, stepText } from '../value/json-path.ts';

/** The description without its place. */
export function sentenceOf({ description, path }: Pick<Change, 'description' | 'path'>): string {
  const prefix = `\`${path}\`: `;
  return description.startsWith(prefix) ? description.slice(prefix.length) : description;
}

/** The example of a change in one line; undefined if it has none. */
export function exampleText({
  witness,
  path,
}: Pick<Change, 'witness' | 'path'>): string | undefined {
  return witness === undefined ? undefined : valueText(witness, valuePlaceOf(path).steps);
}

/**
 * A path as people write it.
 *
 * @example placeText('$.properties.lines.items.properties.sku') // 'lines[].sku'
 */
export function placeText(path: string): string {
  const { steps, rest } = readPlace(stepsOf(path));
  const place = steps.map(({ keyword, kind, argument }) => {
    switch (keyword) {
      case 'properties':
        return argument === undefined ? '' : stepText(argument);
      case 'patternProperties':
        return `./${argument}/`;
      case 'prefixItems':
        return `[${argument}]`;
      case 'items':
        return '[]';
      case 'anyOf':
      case 'oneOf':
        return ` (variant ${Number(argument) + 1})`;
      default:
        if (kind === 'any') return '.*';
        return kind === 'stay' ? ` (${keyword})` : '';
    }
  });
  // The sentence names the property that is required.
  const isRequired = rest.length === 1 && rest[0] === 'required';
  const text = [...place, ...(isRequired ? [] : rest.map(stepText))].join('');
  return text === '' ? '(root)' : withoutMark(text);
}

/**
 * A location in a definition as people write it.
 *
 * @example definitionText('$.$defs.Money.properties.amount') // 'Money.amount'
 */
export function definitionText(definition: string): string {
  const [, name, ...steps] = stepsOf(definition);
  const within = placeText(`$${steps.map(stepText).join('')}`);
  if (within === '(root)') return String(name);
  return `${name}${/^[[(]/.test(within) ? (within.startsWith('(') ? ' ' : '') : '.'}${within}`;
}

/** Without what would part it from a place above it. */
function withoutMark(text: string): string {
  return text.replace(/^[. ]/, '');
}

/** A value of this length stands in one line. */
const shortLength = 120;

/**
 * A value as one line of text. In a long one, what is not on the way to a place is only counted.
 *
 * @example valueText({ id: 1, lines: [{ sku: 2 }], ... }, ['lines', null, 'sku'])
 * // '{"lines": [{"sku": 2}], … 40 more fields}'
 */
export function valueText(value: Json, way: readonly ValuePlaceStep[]): string {
  const excerpt = excerptOf(value, way, shortLength);
  if (excerpt === null) {
    const text = JSON.stringify(value);
    return text.length <= shortLength ? text : `${text.slice(0, shortLength).toWellFormed()}…`;
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const shown = excerpt.shown.map(([key, member]) => {
    const text = valueText(member, way.slice(1));
    return typeof key === 'string' ? `${JSON.stringify(key)}: ${text}` : text;
  });
  return `${open}${[...shown, ...(excerpt.rest === '' ? [] : [`… ${excerpt.rest}`])].join(', ')}${close}`;
}

interface Excerpt {
  readonly shown: readonly (readonly [string | number, Json])[];
  /** What is left out, as text: `40 more fields`. */
  readonly rest: string;
}

/**
 * The member of a long object or array that is on the way to a place, or the first one. Null if the
 * value has no members, or is short enough to be shown whole.
 *
 * @example excerptOf(wide, ['field_7'], 120) // { shown: [['field_7', 0]], rest: '40 more fields' }
 */
export function excerptOf(
  value: Json,
  [step]: readonly ValuePlaceStep[],
  short: number,
): Excerpt | null {
  if (typeof value !== 'object' || value === null) return null;
  if (JSON.stringify(value).length <= short) return null;
  if (Array.isArray(value)) {
    const index = typeof step === 'number' && step < value.length ? step : 0;
    const shown = value.slice(index, index + 1).map((item: Json) => [index, item] as const);
    return { shown, rest: restText(value.length - shown.length, 'item') };
  }
  if (!isJsonObject(value)) return null;
  const keys = Object.keys(value);
  const key = typeof step === 'string' && Object.hasOwn(value, step) ? step : keys[0];
  const shown = key === undefined ? [] : [[key, value[key] ?? null] as const];
  return { shown, rest: restText(keys.length - shown.length, 'field') };
}

function restText(count: number, noun: string): string {
  return count === 0 ? '' : counted(count, `more ${noun}`);
}
