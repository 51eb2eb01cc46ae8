// Search by words of the FQN, the description and the tags. A search word matches the beginning of
// a word, which an index of plain Postgres serves.

import { type FragmentSqlToken, sql } from 'slonik';
import type { Asset } from '../../../core/asset.ts';
import { wordsOf } from '../../../core/search/words.ts';
import type { Json } from '../../../core/value/json.ts';

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
  return prefixQueryOf(wordsOf(text));
}

/** @example prefixQueryOf(['orders', 'pay']) // "'orders':* & 'pay':*" */
export function prefixQueryOf(words: readonly string[]): string {
  return queryOf(words, () => false);
}

/** @example typedQueryOf(['orders', 'pay']) // "'orders' & 'pay':*": the last word may be unfinished */
export function typedQueryOf(words: readonly string[]): string {
  return queryOf(words, (isLast) => !isLast);
}

/** @example exactQueryOf(['orders', 'pay']) // "'orders' & 'pay'" */
export function exactQueryOf(words: readonly string[]): string {
  return queryOf(words, () => true);
}

function queryOf(words: readonly string[], isWhole: (isLast: boolean) => boolean): string {
  const used = words.slice(0, searchWordLimit);
  return used
    .map((word, index) => `'${word}'${isWhole(index === used.length - 1) ? '' : ':*'}`)
    .join(' & ');
}

/** Whether a text in a column begins with a prefix, as one range of its index. */
export function beginsWith(column: FragmentSqlToken, prefix: string): FragmentSqlToken {
  const end = endOfPrefix(prefix);
  const isBelow = end === null ? sql.fragment`true` : sql.fragment`${column} < ${end}`;
  return sql.fragment`${column} >= ${prefix} and ${isBelow}`;
}

/**
 * The first text after all texts with this prefix, in the order of characters; null if there is
 * none.
 *
 * @example endOfPrefix('shop.a') // 'shop.b'
 */
function endOfPrefix(prefix: string): string | null {
  const characters = [...prefix];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code < 0x10ffff) {
      // No text contains half of a surrogate pair, so these code points are skipped.
      const next = code === 0xd7ff ? 0xe000 : code + 1;
      return characters.join('') + String.fromCodePoint(next);
    }
  }
  return null;
}

/** A tsvector holds a megabyte, so only the beginning of a description is searchable. */
const searchTextLimit = 20_000;
const tagLimit = 1_000;
const searchWordLimit = 20;
