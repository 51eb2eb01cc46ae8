// Search by words of the FQN, the description and the tags. A search word matches the beginning of
// a word, which an index of plain Postgres serves.

import type { Asset } from '../../core/asset.ts';
import type { Json } from '../../core/value/json.ts';

export function searchTextOf(asset: Pick<Asset, 'fqn' | 'metadata'>): string {
  const { description } = asset.metadata;
  const parts = [asset.fqn, typeof description === 'string' ? description : '', ...tagsOf(asset)];
  return wordsOf(parts.join(' ')).join(' ').slice(0, searchTextLimit);
}

export function tagsOf(asset: Pick<Asset, 'metadata'>): readonly string[] {
  const tags: Json | undefined = asset.metadata.tags;
  if (!Array.isArray(tags)) return [];
  return tags
    .filter((tag): tag is string => typeof tag === 'string')
    .slice(0, tagLimit)
    .map(indexed);
}

export function resourceTypeOf(asset: Pick<Asset, 'metadata'>): string | null {
  const type = asset.metadata.resource_type;
  return typeof type === 'string' ? indexed(type) : null;
}

/**
 * An index entry holds 2,700 bytes, and filters have at most 200 characters. Cut between
 * characters, because half of one cannot be stored.
 */
function indexed(text: string): string {
  return text.length <= indexedLimit ? text : [...text].slice(0, indexedLimit).join('');
}

const indexedLimit = 300;

/**
 * @example searchQueryOf('orders.pay') // "'orders':* & 'pay':*"
 */
export function searchQueryOf(text: string): string {
  return wordsOf(text)
    .slice(0, searchWordLimit)
    .map((word) => `'${word}':*`)
    .join(' & ');
}

/** A tsvector holds a megabyte, so only the beginning of a description is searchable. */
const searchTextLimit = 20_000;
const tagLimit = 1_000;
const searchWordLimit = 20;
/** A lexeme holds 2,046 bytes; nobody searches for such long words. */
const wordLimit = 200;

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu) ?? []).map((word) =>
    word.slice(0, wordLimit),
  );
}
