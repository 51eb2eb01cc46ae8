// What the parts of a search share: the question, and the steps that gather ids.

import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { type Rank, rankName } from '../../../core/search/rank-name.ts';
import type { Hit } from '../../../core/search/search.types.ts';
import { idRow, plannedEachTime } from '../../postgres/rows.ts';

/** The maximum number of candidates that are known only to have the words. */
export const maxCandidates = 200;

export interface Asked {
  readonly text: string;
  readonly words: readonly string[];
  readonly limit: number;
}

/** `assetIds`: the assets that match. */
export type Find = (
  pool: DatabasePool,
  asked: Asked,
  assetIds: Promise<readonly string[]>,
) => Promise<readonly Hit[]>;

const idRowEachTime = plannedEachTime(idRow);

/** One way to find ids. */
export interface Step {
  /** The same query over a few rows. A word that most rows have is found there, without its long index. */
  readonly sample?: FragmentSqlToken;
  readonly whole: FragmentSqlToken;
}

/** Rows in a sample. The index is fast for a word that is too rare to be found in it. */
export const sampleSize = 1_000;

/**
 * Runs the steps in order until there are enough ids. Each step is a statement of its own, so that
 * Postgres plans it with its values. The last step runs only if the others found nothing.
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
  // With many words, one name that has all of them is enough.
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
 * Patterns that every matching name fits, in lower case. Words contain no wildcards. Many databases
 * lower only English letters, so any other letter that has a capital fits everything here, and core decides.
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
