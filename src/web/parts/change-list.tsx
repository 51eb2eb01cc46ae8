// The list of changes, breaking ones first, each with its location, old and new value, and an
// example that breaks. Changes that say the same of many places are one entry. Of thousands of
// entries, only those near the screen are in the document.

import { useMemo, useRef, useState } from 'react';
import { type AlikeChanges, groupAlike } from '../../core/diff/alike-changes.ts';
import { placeText, sentenceOf } from '../../core/diff/change-text.ts';
import { type ValuePlaceStep, valuePlaceOf } from '../../core/schema/value-place.ts';
import type { Json } from '../../core/value/json.ts';
import { basePath } from '../base-path.ts';
import type { Change } from '../data/shapes.ts';
import { words } from '../words.ts';
import { Badge } from './bits.tsx';
import { Chunks, usePrinting } from './chunks.tsx';
import { fieldsOf, listFields, type Readable } from './fields.ts';
import { JsonView, oneLine } from './json-view.tsx';
import { Empty } from './states.tsx';

/** The height of a short entry: heading, sentence, old and new value. */
const rowHeight = 130;

export function ChangeList({
  changes,
  old,
  onJump,
}: {
  readonly changes: readonly Change[];
  /** The terms before the changes, for the types of removed fields. */
  readonly old?: Readable | undefined;
  /** Shows the place of a change where it is edited. */
  readonly onJump?: (change: Change) => void;
}) {
  const groups = useMemo(() => groupAlike(changes), [changes]);
  const missed = useMemo(() => typesOfMissed(changes, old), [changes, old]);
  if (changes.length === 0) return <Empty title={words.changes.none} icon="check" />;
  const renderRow = (index: number) => {
    const group = groups[index];
    if (group === undefined) return null;
    return (
      <ChangeRow
        key={index}
        alike={group}
        missed={missed.get(group[0].path)}
        place={index + 1}
        count={groups.length}
        onJump={onJump}
      />
    );
  };
  // A `ul` may contain only items, but these are in chunks.
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div role="list" className="changes" aria-label={words.changes.list}>
      <Chunks total={groups.length} rowHeight={rowHeight} as="div" renderRow={renderRow} />
    </div>
  );
}

export function changeSummary(changes: readonly Change[]): string {
  const breaking = changes.filter((change) => change.breaking).length;
  return words.changes.summary(breaking, changes.length - breaking);
}

function ChangeRow({
  alike,
  missed,
  place,
  count,
  onJump,
}: {
  readonly alike: AlikeChanges<Change>;
  /** The type of a removed field that readers look for. */
  readonly missed: string | undefined;
  /** Counts from 1. */
  readonly place: number;
  readonly count: number;
  readonly onJump: ((change: Change) => void) | undefined;
}) {
  const [change] = alike;
  const { old, witness } = change;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see ChangeList
    <div
      role="listitem"
      className={`change ${change.breaking ? 'change-breaking' : ''}`}
      aria-posinset={place}
      aria-setsize={count}
    >
      <div className="change-head">
        <ChangeBadge change={change} />
        {alike.length === 1 ? (
          <code className="change-path" title={change.path}>
            {placeText(change.path)}
          </code>
        ) : (
          <span className="muted">{words.changes.alike(alike.length)}</span>
        )}
        <a
          className="change-kind"
          href={`${basePath}/docs/guide/rules#${change.type}`}
          title={words.changes.kindHint}
        >
          {words.changes.kind(change.type)}
        </a>
        {onJump !== undefined && (
          <button
            type="button"
            className="button button-quiet"
            aria-label={words.changes.jumpTo(placeText(change.path))}
            onClick={() => onJump(change)}
          >
            {words.changes.jump}
          </button>
        )}
      </div>
      <p className="change-text">{capitalSentence(change)}</p>
      {change.warning !== undefined && <p className="change-warning">{change.warning}</p>}
      {(isShort(old) || isShort(change.new)) && (
        <dl className="change-sides">
          {isShort(old) && <Side label={words.changes.was} value={old} />}
          {isShort(change.new) && (
            <Side
              label={addedTypes.has(change.type) ? words.changes.added : words.changes.is}
              value={change.new}
            />
          )}
        </dl>
      )}
      {alike.length > 1 && <Places alike={alike} />}
      {missed !== undefined && (
        <dl className="change-sides reader">
          <div>
            <dt>{words.changes.lookFor}</dt>
            <dd>
              {alike.length === 1 && <code>{placeText(change.path)}</code>}{' '}
              <code className="field-type">{missed}</code>
            </dd>
          </div>
        </dl>
      )}
      {witness !== undefined && (
        <div className="witness">
          <p className="witness-label" title={words.changes.witnessHint}>
            {words.changes.witness}
          </p>
          <JsonView
            value={witness}
            label={`${words.changes.witness}: ${placeText(change.path)}`}
            mark={markOf(change.path)}
            isSmall
          />
        </div>
      )}
    </div>
  );
}

/**
 * The types of the fields that a breaking change removes without an example: no value shows the
 * break, but readers look for the field.
 */
function typesOfMissed(
  changes: readonly Change[],
  old: Readable | undefined,
): ReadonlyMap<string, string> {
  const paths = new Set(changes.filter(isMissed).map(({ path }) => path));
  if (old === undefined || paths.size === 0) return new Map();
  const fields = listFields(fieldsOf(old), missedDepth, missedFields);
  return new Map(
    fields.filter(({ place }) => paths.has(place)).map(({ place, type }) => [place, type]),
  );
}

/** Their new value is what came in addition. */
const addedTypes: ReadonlySet<string> = new Set(['enum_values_added']);

const missedDepth = 6;
const missedFields = 5_000;

function isMissed({ type, breaking, witness }: Change): boolean {
  return type === 'property_removed' && breaking && witness === undefined;
}

/** So many places of alike changes are shown at first. */
const firstPlaces = 5;

function Places({ alike }: { readonly alike: AlikeChanges<Change> }) {
  const [isWhole, setWhole] = useState(false);
  const isPrinting = usePrinting();
  const list = useRef<HTMLUListElement>(null);
  const hasRest = alike.length > firstPlaces && !isWhole;
  const shown = hasRest && !isPrinting ? alike.slice(0, firstPlaces) : alike;
  return (
    <div className="change-places">
      <ul ref={list} aria-label={words.changes.places} tabIndex={-1}>
        {shown.map(({ path }) => (
          <li key={path}>
            <code title={path}>{placeText(path)}</code>
          </li>
        ))}
      </ul>
      {hasRest && (
        <button
          type="button"
          className="button button-quiet no-print"
          onClick={() => {
            // The button goes away, so the focus moves to what it opens.
            list.current?.focus();
            setWhole(true);
          }}
        >
          {words.changes.allPlaces(alike.length)}
        </button>
      )}
    </div>
  );
}

/** Where in the example the change is; nowhere if it is in no place of a value, as within `$defs`. */
export function markOf(path: string): readonly ValuePlaceStep[] | null {
  const { steps, isWhole } = valuePlaceOf(path);
  return isWhole ? steps : null;
}

function ChangeBadge({ change }: { readonly change: Pick<Change, 'breaking' | 'warning'> }) {
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

/** Omits the location, which is already in a column above. */
function capitalSentence(change: Change): string {
  const text = sentenceOf(change);
  // Keywords keep their spelling: "maxLength 32 became 16".
  const isKeyword = /^[a-z]+[A-Z]/.test(text);
  const capital = isKeyword ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

function isShort(value: Json | undefined): value is Json {
  return value !== undefined && oneLine(value).length <= 160;
}
