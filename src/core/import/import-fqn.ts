// Converts names to FQNs: two or more segments, each 1 to 128 characters of letters, digits, `_`,
// `-` and braces, 1,000 in all. Other characters become `_`.

import { type ImportProblem, itemProblem } from './candidate.ts';

const maxSegmentLength = 128;
/** 1,000 in all, minus room for the number that resolves a clash. */
const maxFqnLength = 990;
/** A shortened name keeps its beginning, and ends in eight digits that distinguish it. */
const digestLength = 8;

const foreignCharacters = /[^A-Za-z0-9_{}-]/g;

/**
 * Empty segments are omitted, so a table without a database is `schema.table`.
 *
 * @example toFqn(['raw db', 'public', 'order$']) // 'raw_db.public.order_'
 */
export function toFqn(segments: readonly string[]): string {
  const named = segments.filter((segment) => segment !== '').map(toSegment);
  const fqn = named.join('.');
  if (fqn.length <= maxFqnLength) return fqn;
  const share = Math.floor(maxFqnLength / named.length) - 1;
  if (share <= digestLength + 1) {
    const [first = '_', ...rest] = named;
    return `${shorten(first, maxSegmentLength)}.${shorten(rest.join('_'), maxSegmentLength)}`;
  }
  return named.map((segment) => shorten(segment, share)).join('.');
}

/**
 * The FQN of a relation, as imports of dbt name it.
 *
 * @example relationFqn(['SHOP', 'ORDERS']) // 'shop.orders'
 */
export function relationFqn(name: readonly string[]): string {
  return toFqn(name.map((part) => part.toLowerCase()));
}

/** @example toFqnPrefix(['my api']) // 'my_api.' */
export function toFqnPrefix(segments: readonly string[]): string {
  return segments.map((segment) => `${toSegment(segment)}.`).join('');
}

/** @example toSegment('größe') // 'gr__e' */
function toSegment(name: string): string {
  const plain = name.replace(foreignCharacters, '_');
  return shorten(plain === '' ? '_' : plain, maxSegmentLength);
}

function shorten(segment: string, length: number): string {
  if (segment.length <= length) return segment;
  return `${segment.slice(0, length - digestLength - 1)}_${digest(segment)}`;
}

/** FNV-1a, 32 bits: enough to distinguish two long names with the same beginning. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(digestLength, '0');
}

/** Two or more items with the same FQN. */
interface NameClash<T> {
  readonly fqn: string;
  readonly kept: T;
  readonly renamed: readonly { readonly item: T; readonly fqn: string }[];
}

/**
 * Gives each item a unique name: of items with the same name, the first by key keeps it, and the
 * others get `_2`, `_3`, ... in the order of their keys, whatever the order of the file.
 */
export function settleNames<T>(
  items: readonly { readonly item: T; readonly fqn: string; readonly key: string }[],
): { readonly names: ReadonlyMap<T, string>; readonly clashes: readonly NameClash<T>[] } {
  const groups = Map.groupBy(items, (entry) => entry.fqn);
  const taken = new Set(groups.keys());
  const names = new Map<T, string>();
  const clashes: NameClash<T>[] = [];
  for (const [fqn, group] of groups) {
    const [kept, ...others] = [...group].sort((a, b) => (a.key < b.key ? -1 : 1));
    if (kept === undefined) continue;
    names.set(kept.item, fqn);
    if (others.length === 0) continue;
    let number = 2;
    const renamed = others.map(({ item }) => {
      while (taken.has(numberedFqn(fqn, number))) number++;
      const free = numberedFqn(fqn, number);
      taken.add(free);
      names.set(item, free);
      return { item, fqn: free };
    });
    clashes.push({ fqn, kept: kept.item, renamed });
  }
  return { names, clashes };
}

/** Tells of each item that is named otherwise because another one has its name. */
export function clashProblems<T extends { readonly place: string }>(
  clashes: readonly NameClash<T>[],
  nameOf: (item: T) => string,
): readonly ImportProblem[] {
  return clashes.flatMap(({ fqn, kept, renamed }) =>
    renamed.map(({ item, fqn: free }) =>
      nameClash(nameOf(item), nameOf(kept), { fqn, free, place: item.place }),
    ),
  );
}

/** @example nameClash('GET /a-b', 'GET /a_b', { fqn: 'api.get_a_b', free: 'api.get_a_b_2', place }) */
export function nameClash(
  named: string,
  other: string,
  { fqn, free, place }: { readonly fqn: string; readonly free: string; readonly place: string },
): ImportProblem {
  const message = `${named} and ${other} would both be named ${fqn}. ${named} is named ${free} instead.`;
  return itemProblem('FQN_COLLISION', message, place);
}

/** @example numberedFqn('api.get_a', 2) // 'api.get_a_2' */
export function numberedFqn(fqn: string, number: number): string {
  const suffix = `_${number}`;
  const cut = fqn.lastIndexOf('.') + 1;
  const last = fqn.slice(cut);
  return `${fqn.slice(0, cut)}${last.slice(0, maxSegmentLength - suffix.length)}${suffix}`;
}
