// Steps through the pages of a list.

import { words } from '../words.ts';

export function Pager({
  label,
  page,
  pageSize,
  total,
  onPage,
}: {
  readonly label: string;
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}) {
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(total, page * pageSize);
  return (
    <div className="pager">
      <span role="status">{total > pageSize ? words.audit.range(first, last, total) : label}</span>
      {total > pageSize && (
        <nav aria-label={words.audit.pages}>
          <button
            type="button"
            className="button"
            disabled={page <= 1}
            onClick={() => onPage(page - 1)}
          >
            {words.audit.newer}
          </button>
          <button
            type="button"
            className="button"
            disabled={last >= total}
            onClick={() => onPage(page + 1)}
          >
            {words.audit.older}
          </button>
        </nav>
      )}
    </div>
  );
}
