// JSON as text: indented, coloured, and copied with a click. Numbers are shown as they were
// written. A small view of a long value shows the highlighted location, and the rest on request.

import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { excerptOf } from '../../core/diff/change-text.ts';
import type { ValuePlaceStep } from '../../core/schema/value-place.ts';
import { isJsonObject, type Json, numberText } from '../../core/value/json.ts';
import { CopyButton } from './form/form.tsx';

/** Longer text is shown without colours, because people search it rather than read it. */
const colouredLimit = 50_000;

export function JsonView({
  value,
  label,
  isSmall = false,
  mark = null,
}: {
  readonly value: Json;
  readonly label: string;
  readonly isSmall?: boolean;
  /** The location to highlight in the value. */
  readonly mark?: readonly ValuePlaceStep[] | null;
}) {
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  const layout = { width: isSmall ? smallWidth : 0 };
  const frame = useRef<HTMLElement>(null);
  // Scrolls to the highlighted location.
  useEffect(() => {
    const box = frame.current;
    const marked = box?.querySelector<HTMLElement>('.marked');
    if (box == null || marked == null) return;
    const end = marked.offsetTop + marked.offsetHeight;
    if (end > box.clientHeight) box.scrollTop = end - box.clientHeight / 2;
  }, [text]);
  return (
    <div className={isSmall ? 'json json-small' : 'json'}>
      {!isSmall && (
        <div className="json-actions">
          <CopyButton text={text} />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={frame} aria-label={label} tabIndex={0}>
        <pre>
          <code>
            {text.length > colouredLimit && !isSmall ? text : coloured(value, '', layout, mark)}
          </code>
        </pre>
      </section>
    </div>
  );
}

/** A value on one line, for a cell or a sentence. */
export function oneLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(
      ([key, member]) => `${JSON.stringify(key)}: ${oneLine(member)}`,
    );
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return JSON.stringify(value);
}

/** Small values stay on one line: 60 characters fit next to any panel. */
const smallWidth = 60;
/** A longer example is shortened: about a screen of a telephone. */
const excerptFrom = 600;

interface Layout {
  /** Zero in a view that shows everything, each member on its own line. */
  readonly width: number;
}

type Mark = readonly ValuePlaceStep[] | null;

function coloured(value: Json, indent: string, layout: Layout, mark: Mark): ReactNode {
  const isOpen = mark !== null && mark.length > 0;
  const members = membersOf(value);
  if (members !== null) {
    const isList = Array.isArray(value);
    if (members.length === 0) return isList ? '[]' : '{}';
    const excerpt = layout.width === 0 ? null : excerptOf(value, mark ?? [], excerptFrom);
    const fits =
      layout.width > 0 && excerpt === null && !isOpen && oneLine(value).length <= layout.width;
    const all = { isList, members, indent, layout: fits ? null : layout, mark };
    if (excerpt === null || excerpt.rest === '') return bracketed(all);
    return (
      <Excerpt
        rest={excerpt.rest}
        renderPart={(rest) => bracketed({ ...all, members: excerpt.shown, rest })}
        renderAll={() => bracketed(all)}
      />
    );
  }
  if (typeof value === 'string') return <span className="json-text">{JSON.stringify(value)}</span>;
  const isNumber = numberText(value) !== null;
  return <span className={isNumber ? 'json-number' : 'json-word'}>{JSON.stringify(value)}</span>;
}

function Excerpt({
  rest,
  renderPart,
  renderAll,
}: {
  readonly rest: string;
  readonly renderPart: (rest: ReactNode) => ReactNode;
  readonly renderAll: () => ReactNode;
}) {
  const [isWhole, setWhole] = useState(false);
  if (isWhole) return renderAll();
  return renderPart(
    <button
      type="button"
      className="link-button json-rest"
      onClick={(event) => {
        // The button goes away, so the focus stays with its example.
        event.currentTarget.closest('section')?.focus();
        setWhole(true);
      }}
    >
      … {rest}
    </button>,
  );
}

/** A name, or the place in a list. */
type Member = readonly [string | number, Json];

function membersOf(value: Json): readonly Member[] | null {
  if (Array.isArray(value)) return value.map((item: Json, index) => [index, item]);
  return isJsonObject(value) ? Object.entries(value) : null;
}

interface Bracketed {
  readonly isList: boolean;
  readonly members: readonly Member[];
  readonly indent: string;
  /** Without one, all members are on one line. */
  readonly layout: Layout | null;
  readonly mark: Mark;
  /** Stands in place of members that are left out. */
  readonly rest?: ReactNode;
}

function bracketed({ isList, members, indent, layout, mark, rest }: Bracketed): ReactNode {
  const inner = layout === null ? '' : `${indent}  `;
  const gap = layout === null ? (isList ? '' : ' ') : '\n';
  const between = layout === null ? ', ' : ',\n';
  return (
    <>
      {isList ? '[' : '{'}
      {gap}
      {members.map(([key, member], index) => {
        const further = followMark(mark, key);
        const isMarked = further !== null && further.length === 0;
        const isLast = index === members.length - 1 && rest === undefined;
        return (
          <span key={key}>
            {inner}
            <span className={isMarked ? 'marked' : undefined}>
              {typeof key === 'string' && (
                <>
                  <span className="json-key">{JSON.stringify(key)}</span>
                  {': '}
                </>
              )}
              {coloured(member, inner, layout ?? { width: Number.POSITIVE_INFINITY }, further)}
            </span>
            {isLast ? gap : between}
          </span>
        );
      })}
      {rest !== undefined && (
        <>
          {inner}
          {rest}
          {gap}
        </>
      )}
      {layout === null ? '' : indent}
      {isList ? ']' : '}'}
    </>
  );
}

function followMark(mark: Mark, step: string | number): Mark {
  if (mark === null || mark.length === 0) return null;
  return mark[0] === null || mark[0] === step ? mark.slice(1) : null;
}
