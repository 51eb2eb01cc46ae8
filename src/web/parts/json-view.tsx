// JSON as text: indented, coloured, copied with a click. Numbers are shown as they were written.

import { type ReactNode, useMemo } from 'react';
import { isJsonObject, type Json, numberText } from '../../core/json.ts';
import { CopyButton } from './form.tsx';

/** Past this many characters the text is shown without colours: it is read by a search anyway. */
const colouredLimit = 200_000;

export function JsonView({
  value,
  label,
  isSmall = false,
}: {
  readonly value: Json;
  readonly label: string;
  readonly isSmall?: boolean;
}) {
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  const isShort = isSmall && text.length < 80;
  return (
    <div className={isSmall ? 'json json-small' : 'json'}>
      {!isSmall && (
        <div className="json-actions">
          <CopyButton text={text} />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section aria-label={label} tabIndex={0}>
        <pre>
          <code>
            {isShort ? oneLine(value) : text.length > colouredLimit ? text : coloured(value, '')}
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

function coloured(value: Json, indent: string): ReactNode {
  if (Array.isArray(value))
    return bracketed(
      '[',
      ']',
      value.map((item) => [null, item]),
      indent,
    );
  if (isJsonObject(value)) return bracketed('{', '}', Object.entries(value), indent);
  if (typeof value === 'string') return <span className="json-text">{JSON.stringify(value)}</span>;
  const isNumber = numberText(value) !== null;
  return <span className={isNumber ? 'json-number' : 'json-word'}>{JSON.stringify(value)}</span>;
}

function bracketed(
  open: string,
  close: string,
  members: readonly (readonly [string | null, Json])[],
  indent: string,
): ReactNode {
  if (members.length === 0) return open + close;
  const inner = `${indent}  `;
  return (
    <>
      {`${open}\n`}
      {members.map(([key, member], index) => (
        <span key={index}>
          {inner}
          {key !== null && (
            <>
              <span className="json-key">{JSON.stringify(key)}</span>
              {': '}
            </>
          )}
          {coloured(member, inner)}
          {index < members.length - 1 ? ',\n' : '\n'}
        </span>
      ))}
      {indent + close}
    </>
  );
}
