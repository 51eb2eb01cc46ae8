// A long list of which only visible rows are in the document. Rows have one height, the scroll bar
// represents the whole list, and each page of results is requested when it becomes visible.

import { type ReactNode, useEffect, useRef, useState } from 'react';

export interface Span {
  readonly first: number;
  readonly last: number;
}

/** Rows above and below the screen that are kept ready. */
const marginRows = 8;

export function Windowed({
  count,
  rowHeight,
  onSpan,
  renderRow,
  label,
}: {
  readonly count: number;
  readonly rowHeight: number;
  readonly onSpan: (span: Span) => void;
  readonly renderRow: (index: number) => ReactNode;
  readonly label: string;
}) {
  const box = useRef<HTMLUListElement>(null);
  const [span, setSpan] = useState<Span>({ first: 0, last: Math.min(count, 30) });
  useEffect(() => {
    const look = () => {
      const top = box.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowHeight) - marginRows);
      const inSight = Math.ceil(window.innerHeight / rowHeight) + 2 * marginRows;
      const last = Math.min(count, first + inSight);
      setSpan((old) => (old.first === first && old.last === last ? old : { first, last }));
    };
    look();
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [count, rowHeight]);
  useEffect(() => onSpan(span), [onSpan, span]);
  const rows = [];
  for (let index = span.first; index < Math.min(span.last, count); index++) {
    rows.push(
      <li
        key={index}
        className="windowed-row"
        aria-setsize={count}
        aria-posinset={index + 1}
        style={{ transform: `translateY(${index * rowHeight}px)`, height: rowHeight }}
      >
        {renderRow(index)}
      </li>,
    );
  }
  return (
    <ul ref={box} className="windowed" aria-label={label} style={{ height: count * rowHeight }}>
      {rows}
    </ul>
  );
}

/** Tracks a media query such as `(max-width: 640px)`. */
export function useMedia(condition: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(condition).matches);
  useEffect(() => {
    const media = matchMedia(condition);
    const follow = () => setMatches(media.matches);
    follow();
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, [condition]);
  return matches;
}
