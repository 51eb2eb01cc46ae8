// How well a name matches what was searched for.

import { partsOf, spellingsOf, wordsOf } from './words.ts';

/** The best first. */
export const ranks = ['exact', 'prefix', 'word'] as const;

/**
 * `exact`: the name, or the end of its path. `prefix`: a segment begins with what was asked. `word`:
 * each word that was asked begins a word of the name.
 */
export type Rank = (typeof ranks)[number];

/**
 * Null if the name does not match.
 *
 * @example rankName(['shop', 'orders'], 'ord') // 'prefix'
 */
export function rankName(segments: readonly string[], asked: string): Rank | null {
  const wanted = spellingsOf(asked);
  if (wanted.length === 0) return null;
  const ends = segments.flatMap((_, index) => spellingsOf(segments.slice(index).join('.')));
  if (ends.some((end) => wanted.includes(end))) return 'exact';
  if (ends.some((end) => wanted.some((text) => end.startsWith(text)))) return 'prefix';
  const words = segments.flatMap((segment) => [...wordsOf(segment), ...partsOf(segment)]);
  const begins = (part: string) => words.some((word) => word.startsWith(part));
  return wordsOf(asked).every(begins) || partsOf(asked).every(begins) ? 'word' : null;
}
