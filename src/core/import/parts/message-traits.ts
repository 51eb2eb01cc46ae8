// What a message or an operation of AsyncAPI says together with its traits.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { resolveObject } from '../openapi/openapi-document.ts';
import { arrayAt, memberOf, textAt } from '../read-json.ts';

/**
 * What is stated under a key, the one that counts last: since version 3 what the holder itself says, before that its last trait.
 *
 * @example statedWithTraits(document, { name: 'a', traits: [{ name: 'b' }] }, 'name') // ['b', 'a']
 */
export function statedWithTraits(document: Json, holder: Json, key: string): readonly Json[] {
  const own = followed(holder, document);
  const traits = arrayAt(own, 'traits') ?? [];
  const isOld = textAt(document, 'asyncapi')?.startsWith('2') === true;
  return (isOld ? [own, ...traits] : [...traits, own]).flatMap(
    (each) => memberOf(followed(each, document), key) ?? [],
  );
}

/** What a reference leads to, or the value itself. */
export function followed(value: Json, document: Json): Json {
  const resolved = isJsonObject(document) ? resolveObject(document, value, '') : null;
  return resolved?.ok === true ? resolved.value : value;
}

/** Deeper ones are taken as they are; references may lead in a circle. */
const maxDepth = 16;

/** One value, of which the later of two says what both say. */
export function merged(document: Json, values: readonly Json[]): Json {
  const both = (first: Json, second: Json, depth: number): Json => {
    const [below, over] = [followed(first, document), followed(second, document)];
    if (!isJsonObject(below) || !isJsonObject(over) || depth > maxDepth) return second;
    const members = Object.entries(over).map(([key, value]): readonly [string, Json] => {
      const known = memberOf(below, key);
      return [key, known === undefined ? value : both(known, value, depth + 1)];
    });
    return { ...below, ...Object.fromEntries(members) } satisfies JsonObject;
  };
  return values.reduce((all, next) => both(all, next, 0));
}
