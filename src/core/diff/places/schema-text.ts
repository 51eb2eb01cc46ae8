// Describes a schema in a few words, for use in a sentence.

import { isJsonObject, type Json } from '../../value/json.ts';
import type { Place } from './place.types.ts';
import { everyType, typeNamesOf } from './type-set.ts';

/** The maximum length of a schema that is quoted in a sentence. */
const maxSchemaLength = 120;

/** The maximum number of names or values to list for a longer schema. */
const maxNames = 4;

/**
 * @example schemaText(place) // 'Address', '{"const":"a"}', 'an object with street, city and 3 more'
 */
export function schemaText(place: Place): string {
  const [node, ...others] = place.nodes;
  if (node === undefined || others.length > 0) return summary(place);
  const { raw } = node;
  if (raw === true) return 'anything';
  if (raw === false) return 'nothing';
  if (!isJsonObject(raw)) return summary(place);
  if (typeof raw.title === 'string' && raw.title !== '') return raw.title;
  if (typeof raw.$ref === 'string') return raw.$ref.split('/').at(-1) || raw.$ref;
  const isMade = node.keywords !== undefined && isMadeText(raw);
  const text = isMade ? null : JSON.stringify(withoutWords(raw));
  return text === null || text.length > maxSchemaLength ? summary(place) : text;
}

/** The text of a made node (place.ts). */
function isMadeText(raw: Json): boolean {
  const values = isJsonObject(raw) ? raw.enum : undefined;
  const [first] = Array.isArray(values) ? values : [];
  return typeof first === 'string' && first.startsWith('made by the diff');
}

const words = new Set(['title', 'description', 'markdownDescription', '$comment', 'examples']);

/** Removes what only explains, at every level. */
function withoutWords(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (!isJsonObject(value)) return value;
  const said = Object.entries(value).filter(
    ([key, member]) => !words.has(key) || (isJsonObject(member) && key !== 'examples'),
  );
  return Object.fromEntries(said.map(([key, member]) => [key, withoutWords(member)]));
}

function summary(place: Place): string {
  const { view } = place;
  if (view.isNever) return 'nothing';
  if (view.values !== null) return listed([...view.values.keys()], ' or ');
  const names = view.objects.flatMap((regions) => [...regions.properties.keys()]);
  const known = names.length > 0 ? names : [...view.required];
  if (known.length > 0) return `an object with ${listed(known, ' and ')}`;
  const members = view.unions.flatMap((union) => union.members);
  if (members.length > 0) return `one of ${members.length} schemas`;
  if (view.types === everyType) return 'a schema';
  return typeNamesOf(view.types).map(withArticle).join(' or ');
}

/** @example listed(['a', 'b', 'c'], ' and ') // 'a, b and c' */
export function listed(names: readonly string[], joint: ' and ' | ' or '): string {
  const shown = names.slice(0, maxNames);
  const more = names.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more`] : shown;
  const last = all.at(-1) ?? '';
  return all.length > 1 ? `${all.slice(0, -1).join(', ')}${joint}${last}` : last;
}

function withArticle(name: string): string {
  if (name === 'null') return name;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}
