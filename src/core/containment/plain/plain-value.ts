// Values of schemas with so few keywords that no search is needed.

import { asksForWrittenIntegers } from '../../schema/keywords.ts';
import type { Keywords, SchemaNode, TypeName } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { Found } from '../terms/engine.types.ts';
import { empty, found } from '../terms/engine.types.ts';

const simplest: Readonly<Record<TypeName, Json>> = {
  ...{ null: null, boolean: false, integer: 0, number: 0, string: '', array: [], object: {} },
};
const fraction = 0.1;

const typeKeywords: ReadonlySet<string> = new Set(['types']);
const constKeywords: ReadonlySet<string> = new Set(['const']);

/** A value of a node that has only types, or only `const`. */
export function plainValue({ keywords }: SchemaNode): Json | undefined {
  const [type] = keywords.types ?? [];
  if (type !== undefined && saysOnly(keywords, typeKeywords)) return simplest[type];
  return saysOnly(keywords, constKeywords) ? keywords.const?.value : undefined;
}

/**
 * A value of the left that is of none of the right's types, if the right has only types. Undefined
 * if the left has more than types and the right does not accept one of them.
 *
 * @example of ['number', 'null'] outside of ['integer']: 0.1
 * @example of ['integer'] outside of ['number']: empty
 */
export function simplestOutside(left: SchemaNode, right: SchemaNode): Found | undefined {
  const { types } = left.keywords;
  const { types: others } = right.keywords;
  if (types === undefined || others === undefined) return undefined;
  if (!saysOnly(right.keywords, typeKeywords)) return undefined;
  const isTaken = (type: TypeName): boolean =>
    others.includes(type) || (type === 'integer' && others.includes('number'));
  const isMixed = others.includes('integer') && left.dialect !== right.dialect;
  if (isMixed && asksForWrittenIntegers(right.dialect)) return undefined;
  const refused = types.find((type) => !isTaken(type));
  if (refused === undefined) return empty;
  if (!saysOnly(left.keywords, typeKeywords)) return undefined;
  const isFraction = refused === 'number' && others.includes('integer');
  return found(isFraction ? fraction : simplest[refused]);
}

export function saysOnly(keywords: Keywords, names: ReadonlySet<string>): boolean {
  for (const name in keywords) if (!names.has(name)) return false;
  return true;
}
