// What the parts of a search share: the question, and ids that are gathered step by step.

import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { type Rank, rankName } from '../../../core/search/rank-name.ts';
import type { Hit } from '../../../core/search/search.types.ts';
import { idRow, plannedEachTime } from '../../postgres/rows.ts';

/** Those of which no more is known than that the words are theirs. */
export const maxCandidates = 200;

export interface Asked {
  readonly text: string;
  readonly words: readonly string[];
  readonly limit: number;
}

/** `assetIds` are the assets that were found. */
export type Find = (
  pool: DatabasePool,
  asked: Asked,
  assetIds: Promise<readonly string[]>,
) => Promise<readonly Hit[]>;

const idRowEachTime = plannedEachTime(idRow);

/** One way to find ids. */
export interface Step {
  /** The same among a few rows only: a word that everything has is found there, whatever its index costs. */
  readonly sample?: FragmentSqlToken;
  readonly whole: FragmentSqlToken;
}

/** Rows of a sample: a word that fewer have is found by its index in a moment. */
export const sampleSize = 1_000;

/**
 * Ids from the steps in their order until they are enough. Each is a statement of its own, so that
 * Postgres plans with its values. The last step is for when the others found nothing.
 */
export async function gather(
  pool: DatabasePool,
  { words, limit }: Asked,
  steps: readonly Step[],
  lastStep: Step | null,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const ask = async (query: FragmentSqlToken) =>
    (await pool.any(sql.type(idRowEachTime)`${query}`)).map((row) => row.id);
  const take = async ({ sample, whole }: Step) => {
    const few = sample === undefined ? [] : await ask(sample);
    for (const each of few.length >= limit ? few : await ask(whole)) found.add(each);
  };
  // Of many words, a name that has all of them is what was meant.
  const enough = words.length > 2 ? 1 : limit;
  for (const step of steps) if (found.size < enough) await take(step);
  if (found.size === 0 && lastStep !== null) await take(lastStep);
  return [...found];
}

export function matchOf(fqn: string, { text }: Asked): Pick<Hit, 'rank' | 'why'> {
  const rank = rankName(fqn.split('.'), text);
  if (rank !== null) return { rank, why: whyOf(rank, 'name') };
  return { rank: 'word', why: 'Its description or a tag has these words.' };
}

export function whyOf(rank: Rank, what: 'name' | 'path'): string {
  if (rank === 'exact')
    return what === 'name' ? 'This is its name.' : 'This is its name, or the end of its path.';
  if (rank === 'prefix') return `A part of its ${what} begins with this.`;
  return `Words of its ${what} begin with these words.`;
}

/**
 * What the names in lower case are at least like. Words have no character that a pattern gives a meaning.
 * Many databases know capital letters of English only, so the capitals of other letters are left to core.
 */
export function patternsOf(words: readonly string[]) {
  return sql.array(
    words.map((word) => `%${word.replace(/[^\0-\x7f]/gu, anyCase)}%`),
    'text',
  );
}

function anyCase(letter: string): string {
  return letter === letter.toUpperCase() ? letter : '%';
}
