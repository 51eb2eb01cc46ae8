// What changed, breaking ones first, each with its place, what was and what is, and a value that
// shows it. Thousands are shown in steps, as one scrolls.

import { useEffect, useRef, useState } from 'react';
import type { Json } from '../../core/json.ts';
import type { Change } from '../data/shapes.ts';
import { words } from '../words.ts';
import { Badge } from './bits.tsx';
import { JsonView, oneLine } from './json-view.tsx';
import { valuePlace } from './place.ts';
import { Empty } from './states.tsx';

/** What fills a tall screen; the rest is made as one comes near it, and not before the first paint. */
const firstStep = 20;
const stepSize = 60;

export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  const { shown, sentinel } = useSteps(changes.length);
  if (changes.length === 0) return <Empty title={words.changes.none} icon="check" />;
  return (
    <>
      <ul className="changes" aria-label={words.changes.list}>
        {changes.slice(0, shown).map((change, index) => (
          <ChangeRow key={index} change={change} />
        ))}
      </ul>
      {shown < changes.length && sentinel}
    </>
  );
}

export function changeSummary(changes: readonly Change[]): string {
  const breaking = changes.filter((change) => change.breaking).length;
  return words.changes.summary(breaking, changes.length - breaking);
}

function ChangeRow({ change }: { readonly change: Change }) {
  const { old, witness } = change;
  return (
    <li className={`change ${change.breaking ? 'change-breaking' : ''}`}>
      <div className="change-head">
        <ChangeBadge change={change} />
        <code className="change-type">{change.type}</code>
        <code className="change-path">{change.path}</code>
      </div>
      <p className="change-text">{sentenceOf(change)}</p>
      {change.warning !== undefined && <p className="change-warning">{change.warning}</p>}
      {(isShort(old) || isShort(change.new)) && (
        <dl className="change-sides">
          {isShort(old) && <Side label={words.changes.was} value={old} />}
          {isShort(change.new) && <Side label={words.changes.is} value={change.new} />}
        </dl>
      )}
      {witness !== undefined && (
        <div className="witness">
          <p className="witness-label" title={words.changes.witnessHint}>
            {words.changes.witness}
          </p>
          <JsonView
            value={witness}
            label={`${words.changes.witness}: ${change.path}`}
            mark={valuePlace(change.path)}
            isSmall
          />
        </div>
      )}
    </li>
  );
}

export function ChangeBadge({ change }: { readonly change: Pick<Change, 'breaking' | 'warning'> }) {
  if (change.breaking) {
    return (
      <Badge tone="bad" icon="cross">
        {words.changes.breaking}
      </Badge>
    );
  }
  if (change.warning !== undefined) {
    return (
      <Badge tone="warn" icon="alert">
        {words.changes.warning}
      </Badge>
    );
  }
  return (
    <Badge tone="good" icon="check">
      {words.changes.compatible}
    </Badge>
  );
}

function Side({ label, value }: { readonly label: string; readonly value: Json }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{oneLine(value)}</code>
      </dd>
    </div>
  );
}

/** The place stands above it already, in a column of its own. */
function sentenceOf({ description, path }: Change): string {
  const prefix = `\`${path}\`: `;
  const text = description.startsWith(prefix) ? description.slice(prefix.length) : description;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isShort(value: Json | undefined): value is Json {
  return value !== undefined && oneLine(value).length <= 160;
}

/** Shows more as the end comes into sight; the button is for who does not scroll. */
export function useSteps(total: number) {
  const [shown, setShown] = useState(firstStep);
  const end = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const button = end.current;
    if (button === null) return;
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some((entry) => entry.isIntersecting)) setShown((count) => count + stepSize);
      },
      { rootMargin: '600px' },
    );
    observer.observe(button);
    return () => observer.disconnect();
  }, [shown, total]);
  const sentinel = (
    <button
      ref={end}
      type="button"
      className="button"
      onClick={() => setShown((count) => count + stepSize)}
    >
      {words.changes.more(total - shown)}
    </button>
  );
  return { shown, sentinel };
}
