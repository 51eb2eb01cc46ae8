// A list of several pages, up to a limit that the reader is told of. A page is asked for once the
// first one has said that it is there.

import type { Answer } from './cache.ts';
import { useAnswer } from './use-answer.ts';

/** A question costs the registry little, and a picture of more things than this nobody reads. */
export const mostPages = 5;
export const pageSize = 100;

export interface Pages<T> {
  readonly items: readonly T[];
  readonly total: number;
}

type ListName = 'listAssets' | 'listRegistrations' | 'listProposals';

interface ListBody<T> {
  readonly results: readonly T[];
  readonly total?: number | undefined;
}

/** The one hook for all pages: hooks are as many at each drawing. */
export function usePages<T>(
  name: ListName,
  query: Readonly<Record<string, string>>,
): Answer<Pages<T>> {
  const first = usePage<T>(name, query, 1, true);
  const total = first.kind === 'ready' ? (first.body.total ?? first.body.results.length) : 0;
  const wanted = Math.min(mostPages, Math.ceil(total / pageSize));
  const second = usePage<T>(name, query, 2, wanted >= 2);
  const third = usePage<T>(name, query, 3, wanted >= 3);
  const fourth = usePage<T>(name, query, 4, wanted >= 4);
  const fifth = usePage<T>(name, query, 5, wanted >= 5);
  const items: T[] = [];
  for (const page of [first, second, third, fourth, fifth].slice(0, Math.max(1, wanted))) {
    if (page.kind !== 'ready') return page;
    items.push(...page.body.results);
  }
  return { kind: 'ready', body: { items, total } };
}

function usePage<T>(
  name: ListName,
  query: Readonly<Record<string, string>>,
  page: number,
  isWanted: boolean,
): Answer<ListBody<T>> {
  const call = isWanted ? { query: { ...query, page, page_size: pageSize } } : null;
  // Each list of the three answers its results beside a total.
  return useAnswer(name, call) as Answer<ListBody<T>>;
}
