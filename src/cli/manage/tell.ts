// Formats responses as lines for people.

import { counted, printable } from '../output.ts';

/** Aligns rows in columns, each as wide as its widest text. */
export function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const shown = rows.map((row) => row.map(printable));
  const widths = (shown[0] ?? []).map((_, index) =>
    Math.max(...shown.map((row) => row[index]?.length ?? 0)),
  );
  return shown.map((row) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

interface Page<Item> {
  readonly results: readonly Item[];
  readonly total?: number | null | undefined;
  readonly next_cursor?: string | null | undefined;
}

/** The lines of one page of a list, and the number of items that are not shown. */
export function listLines<Item>(
  { results, total, next_cursor }: Page<Item>,
  what: string,
  rowOf: (item: Item) => readonly string[],
): readonly string[] {
  if (results.length === 0) return [`No ${what}s.`];
  const rest = (total ?? 0) - results.length;
  const isCut = next_cursor !== null && next_cursor !== undefined;
  return [
    ...inColumns(results.map(rowOf)),
    ...(isCut ? [rest > 0 ? `and ${counted(rest, what)} more` : 'and more'] : []),
  ];
}
