// Words for values in the messages about them.

import type { Keywords, TypeName } from '../schema/schema.ts';
import { counted } from '../value/counted.ts';
import type { Json } from '../value/json.ts';

/** Longer values are shortened: a message is read in one line. */
const maxLength = 60;

/** @example quote('a long text') // '"a long text"' */
export function quote(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing';
  const characters = [...text];
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength).join('')}…`;
}

/** @example kindName('integer') // 'an integer' */
function kindName(type: TypeName): string {
  if (type === 'null') return type;
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

const maxListed = 8;

/** @example listed(['1', '2', '3']) // '1, 2 or 3' */
export function listed(words: readonly string[]): string {
  const [only] = words;
  if (words.length <= 1) return only ?? 'nothing';
  const shown = words.slice(0, maxListed);
  const more = words.length - shown.length;
  if (more > 0) return `one of ${shown.join(', ')} … (${words.length})`;
  return `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

type Words = (keywords: Keywords) => string;

/** Keywords that say something of the value as a whole, in the order in which they are reported. */
const scalarWords: { readonly [Name in keyof Keywords]?: Words } = {
  types: ({ types = [] }) => `must be ${listed(types.map(kindName))}`,
  const: (keywords) => `must be ${quote(keywords.const?.value)}`,
  enum: (keywords) => `must be ${listed((keywords.enum ?? []).map((each) => quote(each)))}`,
  minimum: ({ minimum }) => `must be at least ${quote(minimum)}`,
  maximum: ({ maximum }) => `must be at most ${quote(maximum)}`,
  exclusiveMinimum: (keywords) => `must be more than ${quote(keywords.exclusiveMinimum)}`,
  exclusiveMaximum: (keywords) => `must be less than ${quote(keywords.exclusiveMaximum)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${quote(multipleOf)}`,
  minLength: ({ minLength = 0 }) => `must have at least ${counted(minLength, 'character')}`,
  maxLength: ({ maxLength = 0 }) => `must have at most ${counted(maxLength, 'character')}`,
  pattern: ({ pattern }) => `must match the pattern ${pattern}`,
  format: ({ format }) => `must have the format ${format}`,
  minItems: ({ minItems = 0 }) => `must have at least ${counted(minItems, 'item')}`,
  maxItems: ({ maxItems = 0 }) => `must have at most ${counted(maxItems, 'item')}`,
  uniqueItems: () => 'must not have the same item twice',
  contains: ({ contains }) =>
    `must have at least ${counted(contains?.min ?? 1, 'item')} ` +
    (contains?.max === undefined ? '' : `and at most ${contains.max} `) +
    'of the kind that `contains` describes',
  minProperties: ({ minProperties = 0 }) =>
    `must have at least ${minProperties} ${minProperties === 1 ? 'property' : 'properties'}`,
  maxProperties: ({ maxProperties = 0 }) =>
    `must have at most ${maxProperties} ${maxProperties === 1 ? 'property' : 'properties'}`,
};

/** Keywords that say something of a value as a whole. */
export const scalarNames = Object.keys(scalarWords) as readonly (keyof Keywords)[];

const branchWords: { readonly [Name in keyof Keywords]?: Words } = {
  anyOf: ({ anyOf = [] }) => `must match one of ${anyOf.length} alternatives`,
  oneOf: ({ oneOf = [] }) => `must match exactly one of ${oneOf.length} alternatives`,
  not: () => 'is excluded by the schema',
  if: () => 'must match what a condition of the schema demands',
};

/**
 * What a keyword demands; null for one that says nothing of a value as a whole.
 *
 * @example demandOf({ minimum: 3 }, 'minimum') // 'must be at least 3'
 */
export function demandOf(keywords: Keywords, name: keyof Keywords): string | null {
  return (scalarWords[name] ?? branchWords[name])?.(keywords) ?? null;
}
