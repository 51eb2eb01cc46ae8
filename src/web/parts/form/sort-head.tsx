// The order of a list: chosen by the head of a column, and kept in the address.

import { refineQuery, usePlace } from '../../router.tsx';

/** The order that the address names, if the list has it; otherwise the usual one of the list. */
export function useOrder<const T extends string>(orders: readonly T[], usual: NoInfer<T>): T {
  const named = usePlace().query.get('sort');
  return orders.find((one) => one === named) ?? usual;
}

/** The head of a column that orders the list; another click turns the order round. */
export function SortHead({
  label,
  field,
  order,
  usual,
}: {
  readonly label: string;
  /** As the registry names it. */
  readonly field: string;
  readonly order: string;
  readonly usual: string;
}) {
  const isDown = order === `-${field}`;
  const isSorted = isDown || order === field;
  const next = order === field ? `-${field}` : field;
  return (
    <th scope="col" aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        className="sort-head"
        onClick={() => refineQuery({ sort: next === usual ? '' : next, page: '' })}
      >
        {label} <span aria-hidden="true">{isSorted ? (isDown ? '↓' : '↑') : '↕'}</span>
      </button>
    </th>
  );
}
