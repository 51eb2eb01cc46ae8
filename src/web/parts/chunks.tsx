// Long lists with rows of different heights: only rows near the screen are in the document. They
// come and go in chunks, and a missing chunk leaves a gap of its height. Assets, whose rows have
// one height, use `windowed.tsx`.

import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';

/** Drawn within one frame; a screen shows one or two chunks. */
const chunkRows = 20;
/** How much is kept ready above and below the screen: two laptop screens. */
const marginPx = 1_500;

type Frame = 'div' | 'tbody';

interface ChunksProps {
  readonly total: number;
  /** The estimated height of a row that was not shown yet. */
  readonly rowHeight: number;
  /** `tbody` within a table, one per chunk; `div` within a list. */
  readonly as: Frame;
  readonly renderRow: (index: number) => ReactNode;
}

export function Chunks({ total, rowHeight, as, renderRow }: ChunksProps) {
  const chunks = [];
  for (let first = 0; first < total; first += chunkRows) {
    chunks.push(
      <Chunk
        key={first}
        first={first}
        last={Math.min(total, first + chunkRows)}
        rowHeight={rowHeight}
        as={as}
        renderRow={renderRow}
      />,
    );
  }
  return chunks;
}

/** Whether a list is so long that parts of it are left out at times. */
export function isChunked(total: number): boolean {
  return total > 2 * chunkRows;
}

function Chunk({
  first,
  last,
  rowHeight,
  as: Box,
  renderRow,
}: Omit<ChunksProps, 'total'> & { readonly first: number; readonly last: number }) {
  const { box, isNear, heightPx } = useNearness(first === 0, (last - first) * rowHeight);
  const isPrinting = usePrinting();
  const rows = [];
  if (isNear || isPrinting) {
    for (let index = first; index < last; index++) rows.push(renderRow(index));
  }
  // The list and table roles must not be interrupted by these boxes.
  const role = Box === 'div' ? 'none' : undefined;
  return (
    <Box ref={box} role={role}>
      {rows.length > 0 ? rows : <Gap as={Box} heightPx={heightPx} />}
    </Box>
  );
}

function Gap({ as, heightPx }: { readonly as: Frame; readonly heightPx: number }) {
  const style = { height: heightPx };
  if (as === 'div') return <div style={style} />;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in an empty row takes the focus
    <tr className="chunk-gap" aria-hidden="true">
      <td style={style} />
    </tr>
  );
}

/** Tracks whether a chunk is near the screen, and its height when it last was. */
function useNearness(isAtFirst: boolean, guessPx: number) {
  const element = useRef<Element | null>(null);
  const measured = useRef<number | null>(null);
  const [isNear, setNear] = useState(isAtFirst);
  useEffect(() => {
    const chunk = element.current;
    if (chunk === null) return;
    const observer = new IntersectionObserver(
      (seen) => {
        const entry = seen.at(-1);
        if (entry === undefined) return;
        // Keep the chunk that has the keyboard focus.
        const isKept = entry.isIntersecting || chunk.contains(document.activeElement);
        if (!isKept) measured.current = entry.boundingClientRect.height;
        setNear(isKept);
      },
      { rootMargin: `${marginPx}px` },
    );
    observer.observe(chunk);
    return () => observer.disconnect();
  }, []);
  const box = (next: Element | null) => {
    element.current = next;
  };
  return { box, isNear, heightPx: measured.current ?? guessPx };
}

/** Paper does not scroll, so the whole list is in the document while printing. */
let printing = false;
const printWatchers = new Set<() => void>();

/** Whether the page is being printed. Lists that are shortened on the screen are then shown in full. */
export function usePrinting(): boolean {
  return useSyncExternalStore(watchPrinting, () => printing);
}

function watchPrinting(tell: () => void): () => void {
  printWatchers.add(tell);
  return () => printWatchers.delete(tell);
}

function notePrinting(next: boolean): void {
  printing = next;
  for (const tell of printWatchers) tell();
}

window.addEventListener('beforeprint', () => notePrinting(true));
window.addEventListener('afterprint', () => notePrinting(false));
