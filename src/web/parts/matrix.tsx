// A large table of small cells. It scrolls in a frame of its own, and only cells in sight are in the
// document. The Tab key reaches one cell, and the arrow keys move to the others, as in a spreadsheet.

import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/** Counts from 0, where the heads are. */
export interface Spot {
  readonly row: number;
  readonly column: number;
}

interface MatrixProps {
  readonly label: string;
  /** Without the heads. */
  readonly rowCount: number;
  readonly columnCount: number;
  readonly active: Spot;
  readonly onActive: (spot: Spot) => void;
  readonly corner: ReactNode;
  readonly renderColumnHead: (index: number) => ReactNode;
  readonly renderRowHead: (index: number) => ReactNode;
  readonly renderCell: (row: number, column: number) => ReactNode;
}

const rowPx = 36;
/** Of a column while all fit the frame; more columns are narrow and have upright heads. */
const widePx = 132;
/** The number of rows and columns outside the visible frame that are rendered in advance. */
const margin = 4;

interface Layout {
  readonly isDense: boolean;
  readonly columnPx: number;
  readonly headPx: number;
  readonly rowHeadPx: number;
}

function layoutOf(columnCount: number, widthPx: number): Layout {
  const rowHeadPx = Math.round(Math.min(300, Math.max(120, widthPx * 0.45)));
  const isDense = rowHeadPx + columnCount * widePx > widthPx;
  return { isDense, columnPx: isDense ? 42 : widePx, headPx: isDense ? 150 : 40, rowHeadPx };
}

export function Matrix(props: MatrixProps) {
  const { rowCount, columnCount, active, onActive } = props;
  const frame = useRef<HTMLDivElement>(null);
  const view = useView(frame);
  const layout = layoutOf(columnCount, view.width);
  const isMoved = useRef(false);
  useLayoutEffect(() => {
    if (!isMoved.current) return;
    isMoved.current = false;
    reveal(frame.current, active, layout);
    frame.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  });
  const move = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((view.height - layout.headPx) / rowPx) - 1);
    const next = stepFrom(active, event, { rows: rowCount, columns: columnCount, page });
    if (next === null) return;
    event.preventDefault();
    isMoved.current = true;
    onActive(next);
  };
  const rows = indexesInSight(view.top, view.height - layout.headPx, rowPx, rowCount, active.row);
  const columns = indexesInSight(
    view.left,
    view.width - layout.rowHeadPx,
    layout.columnPx,
    columnCount,
    active.column,
  );
  const heightPx = layout.headPx + rowCount * rowPx;
  const widthPx = layout.rowHeadPx + columnCount * layout.columnPx;
  return (
    // biome-ignore lint/a11y/useSemanticElements: most cells of the table are not in the document
    <div
      ref={frame}
      className={`matrix ${layout.isDense ? 'matrix-dense' : ''}`}
      role="grid"
      aria-label={props.label}
      aria-rowcount={rowCount + 1}
      aria-colcount={columnCount + 1}
      onKeyDown={move}
    >
      <div className="matrix-body" style={{ height: heightPx, width: widthPx }}>
        {[0, ...rows].map((row) => (
          <MatrixRow key={row} {...props} row={row} columns={columns} layout={layout} />
        ))}
      </div>
    </div>
  );
}

function MatrixRow({
  row,
  columns,
  layout,
  active,
  onActive,
  ...parts
}: MatrixProps & {
  readonly row: number;
  readonly columns: readonly number[];
  readonly layout: Layout;
}) {
  const isHead = row === 0;
  const height = isHead ? layout.headPx : rowPx;
  const spotOf = (column: number) => ({
    tabIndex: active.row === row && active.column === column ? 0 : -1,
    'aria-colindex': column + 1,
    onFocus: () => onActive({ row, column }),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows stand where they are scrolled to
    // biome-ignore lint/a11y/useFocusableInteractive: the cells take the focus
    <div
      role="row"
      aria-rowindex={row + 1}
      className={isHead ? 'matrix-row matrix-head' : 'matrix-row'}
      style={isHead ? { height } : { height, top: layout.headPx + (row - 1) * rowPx }}
    >
      <div
        role={isHead ? 'columnheader' : 'rowheader'}
        className="matrix-row-head"
        style={{ width: layout.rowHeadPx }}
        {...spotOf(0)}
      >
        {isHead ? parts.corner : parts.renderRowHead(row - 1)}
      </div>
      {columns.map((column) => (
        <div
          key={column}
          role={isHead ? 'columnheader' : 'gridcell'}
          className="matrix-cell"
          style={{
            width: layout.columnPx,
            left: layout.rowHeadPx + (column - 1) * layout.columnPx,
          }}
          {...spotOf(column)}
        >
          {isHead ? parts.renderColumnHead(column - 1) : parts.renderCell(row - 1, column - 1)}
        </div>
      ))}
    </div>
  );
}

interface View {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

function useView(frame: RefObject<HTMLDivElement | null>): View {
  const [view, setView] = useState<View>({ top: 0, left: 0, width: 800, height: 600 });
  useEffect(() => {
    const box = frame.current;
    if (box === null) return;
    const look = () =>
      setView({
        ...{ top: box.scrollTop, left: box.scrollLeft },
        ...{ width: box.clientWidth, height: box.clientHeight },
      });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, [frame]);
  return view;
}

/** Counted from 1. The active one stays in the document, because it may have the focus. */
function indexesInSight(
  from: number,
  length: number,
  each: number,
  count: number,
  active: number,
): readonly number[] {
  const first = Math.max(1, Math.floor(from / each) + 1 - margin);
  const last = Math.min(count, Math.ceil((from + length) / each) + margin);
  const seen = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  const isActiveOut = active >= 1 && active <= count && (active < first || active > last);
  return isActiveOut ? [...seen, active].sort((one, other) => one - other) : seen;
}

function stepFrom(
  { row, column }: Spot,
  { key, ctrlKey, altKey, metaKey }: KeyboardEvent,
  {
    rows,
    columns,
    page,
  }: { readonly rows: number; readonly columns: number; readonly page: number },
): Spot | null {
  if (altKey || metaKey) return null;
  const steps: Readonly<Record<string, Spot>> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - page, column },
    PageDown: { row: row + page, column },
    Home: { row: ctrlKey ? 0 : row, column: 0 },
    End: { row: ctrlKey ? rows : row, column: columns },
  };
  const next = steps[key];
  if (next === undefined) return null;
  const within = (index: number, last: number) => Math.max(0, Math.min(last, index));
  return { row: within(next.row, rows), column: within(next.column, columns) };
}

function reveal(frame: HTMLDivElement | null, { row, column }: Spot, layout: Layout): void {
  if (frame === null) return;
  const into = (start: number, length: number, seen: number, at: number) => {
    if (start < at) return start;
    return start + length > at + seen ? start + length - seen : at;
  };
  if (row > 0) {
    const seen = frame.clientHeight - layout.headPx;
    frame.scrollTop = into((row - 1) * rowPx, rowPx, seen, frame.scrollTop);
  }
  if (column > 0) {
    const { columnPx } = layout;
    const seen = frame.clientWidth - layout.rowHeadPx;
    frame.scrollLeft = into((column - 1) * columnPx, columnPx, seen, frame.scrollLeft);
  }
}
