// Lists shown page by page: from the registry, or from items that are already loaded and too many
// to show at once.

import { type ReactNode, useState } from 'react';
import type { Answer } from '../data/cache.ts';
import { refineQuery, usePlace } from '../router.tsx';
import { Pager } from './pager.tsx';
import { Await } from './states.tsx';

/** The page number in the address; by default the first page. */
export function usePageNumber(): number {
  return Number(usePlace().query.get('page') ?? 1) || 1;
}

function goToPage(page: number): void {
  refineQuery({ page: page === 1 ? '' : String(page) });
}

interface ListBody<T> {
  readonly results: readonly T[];
  /** Absent where counting would cost too much. */
  readonly total?: number | undefined;
  readonly next_cursor?: string | null | undefined;
}

/** A page of a list with links to the others, or a message while there is nothing to show. */
export function PagedList<T>({
  answer,
  page,
  pageSize,
  count,
  empty,
  isSettling = false,
  onPage = goToPage,
  children,
}: {
  readonly answer: Answer<ListBody<T>>;
  readonly page: number;
  readonly pageSize: number;
  /** Formats the total number of items. */
  readonly count: (total: number) => string;
  readonly empty: ReactNode;
  /** The previous response is shown while the next one is loading. */
  readonly isSettling?: boolean;
  /** If absent, the page number is in the address. */
  readonly onPage?: (page: number) => void;
  readonly children: (results: readonly T[]) => ReactNode;
}) {
  // Of a list without a total: what was seen, and one more if there is more.
  const seenSoFar = (count: number, next: string | null | undefined) =>
    (page - 1) * pageSize + count + (next == null ? 0 : 1);
  return (
    <Await answer={answer}>
      {({ results, next_cursor, total = seenSoFar(results.length, next_cursor) }) =>
        results.length === 0 ? (
          empty
        ) : (
          <div className={isSettling ? 'settling' : undefined} aria-busy={isSettling}>
            {children(results)}
            <Pager
              label={count(total)}
              page={page}
              pageSize={pageSize}
              total={total}
              onPage={onPage}
            />
          </div>
        )
      }
    </Await>
  );
}

const sliceSize = 50;

/** Pages through items that are already loaded. Use another `key` for other items. */
export function SlicedList<T>({
  items,
  count,
  children,
}: {
  readonly items: readonly T[];
  readonly count: (total: number) => string;
  readonly children: (slice: readonly T[]) => ReactNode;
}) {
  const [page, setPage] = useState(1);
  return (
    <>
      {children(items.slice((page - 1) * sliceSize, page * sliceSize))}
      <Pager
        label={count(items.length)}
        page={page}
        pageSize={sliceSize}
        total={items.length}
        onPage={setPage}
      />
    </>
  );
}
