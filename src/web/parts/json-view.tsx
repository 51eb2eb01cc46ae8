// JSON as text: indented, coloured, and copied with a click. Numbers are shown as they were
// written.

import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { ValuePlaceStep } from '../../core/schema/value-place.ts';
import { isJsonObject, type Json, numberText } from '../../core/value/json.ts';
import { CopyButton } from './form/form.tsx';

/** Longer text is shown without colours, because people search it rather than read it. */
const colouredLimit = 200_000;

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
          <code>{text.length > colouredLimit ? text : coloured(value, '', layout, mark)}</code>
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

interface Layout {
  readonly width: number;
}

type Mark = readonly ValuePlaceStep[] | null;

function coloured(value: Json, indent: string, layout: Layout, mark: Mark): ReactNode {
  const isOpen = mark !== null && mark.length > 0;
  const members = membersOf(value);
  if (members !== null) {
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    if (members.length === 0) return open + close;
    const fits = layout.width > 0 && !isOpen && oneLine(value).length <= layout.width;
    return bracketed([open, close], members, indent, fits ? null : layout, mark);
  }
  if (typeof value === 'string') return <span className="json-text">{JSON.stringify(value)}</span>;
  const isNumber = numberText(value) !== null;
  return <span className={isNumber ? 'json-number' : 'json-word'}>{JSON.stringify(value)}</span>;
}

type Member = readonly [string | null, Json];

function membersOf(value: Json): readonly Member[] | null {
  if (Array.isArray(value)) return value.map((item: Json) => [null, item]);
  return isJsonObject(value) ? Object.entries(value) : null;
}

/** Without a layout, all members are on one line. */
function bracketed(
  [open, close]: readonly [string, string] | readonly string[],
  members: readonly Member[],
  indent: string,
  layout: Layout | null,
  mark: Mark,
): ReactNode {
  const inner = layout === null ? '' : `${indent}  `;
  const isRoomy = layout === null && open === '{';
  const gap = layout === null ? (isRoomy ? ' ' : '') : '\n';
  const between = layout === null ? ', ' : ',\n';
  return (
    <>
      {open}
      {gap}
      {members.map(([key, member], index) => {
        const further = followMark(mark, key ?? index);
        const isMarked = further !== null && further.length === 0;
        return (
          <span key={key ?? index}>
            {inner}
            <span className={isMarked ? 'marked' : undefined}>
              {key !== null && (
                <>
                  <span className="json-key">{JSON.stringify(key)}</span>
                  {': '}
                </>
              )}
              {coloured(member, inner, layout ?? { width: Number.POSITIVE_INFINITY }, further)}
            </span>
            {index < members.length - 1 ? between : gap}
          </span>
        );
      })}
      {layout === null ? '' : indent}
      {close}
    </>
  );
}

function followMark(mark: Mark, step: string | number): Mark {
  if (mark === null || mark.length === 0) return null;
  return mark[0] === null || mark[0] === step ? mark.slice(1) : null;
}
