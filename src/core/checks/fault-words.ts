// Words for values in the messages about them.

import type { TypeName } from '../schema/schema.ts';
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
export function kindName(type: TypeName): string {
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
