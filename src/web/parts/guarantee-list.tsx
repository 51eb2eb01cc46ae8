// The guarantees of a contract, as sentences.

import { isJsonObject, type Json, type JsonObject, numberText } from '../../core/value/json.ts';
import { pluralOf, words } from '../words.ts';
import { listValues } from './fields.ts';
import { JsonView } from './json-view.tsx';

export function GuaranteeList({ guarantees }: { readonly guarantees: JsonObject | null }) {
  if (guarantees === null || Object.keys(guarantees).length === 0) {
    return <p className="quiet">{words.asset.noGuarantees}</p>;
  }
  const { freshness, volume, nullability, accepted_values: accepted, custom } = guarantees;
  return (
    <dl className="facts">
      {isJsonObject(freshness) && (
        <>
          <dt>{words.guarantees.freshness}</dt>
          <dd>{freshnessText(freshness)}</dd>
        </>
      )}
      {isJsonObject(volume) && (
        <>
          <dt>{words.guarantees.volume}</dt>
          <dd>{volumeText(volume)}</dd>
        </>
      )}
      {isJsonObject(nullability) && (
        <>
          <dt>{words.guarantees.nullability}</dt>
          <dd>
            {Object.keys(nullability).map((column) => (
              <code className="rule" key={column}>
                {column}
              </code>
            ))}
          </dd>
        </>
      )}
      {isJsonObject(accepted) && (
        <>
          <dt>{words.guarantees.accepted}</dt>
          <dd>
            {Object.entries(accepted).map(([column, values]) => (
              <p key={column}>
                <code>{column}</code>: {Array.isArray(values) ? listValues(values) : ''}
              </p>
            ))}
          </dd>
        </>
      )}
      {Array.isArray(custom) && (
        <>
          <dt>{words.guarantees.custom}</dt>
          <dd>
            <JsonView value={custom} label={words.guarantees.custom} isSmall />
          </dd>
        </>
      )}
    </dl>
  );
}

function freshnessText({
  max_staleness_minutes: minutes,
  measured_by: column,
}: JsonObject): string {
  const limit = words.guarantees.freshnessText(durationText(numberOf(minutes)));
  return typeof column === 'string' ? `${limit}, ${words.guarantees.measuredBy(column)}` : limit;
}

function volumeText({ min_rows: rows, max_row_delta_pct: percent }: JsonObject): string {
  return [
    rows === undefined ? '' : words.guarantees.minRows(numberOf(rows)),
    percent === undefined ? '' : words.guarantees.maxDelta(numberOf(percent)),
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** @example durationText(90) // "90 minutes"; durationText(120) // "2 hours" */
function durationText(minutes: number): string {
  if (minutes % 1440 === 0) return pluralOf(minutes / 1440, 'day', 'days');
  if (minutes % 60 === 0) return pluralOf(minutes / 60, 'hour', 'hours');
  return pluralOf(minutes, 'minute', 'minutes');
}

function numberOf(value: Json | undefined): number {
  return Number(value === undefined ? 0 : (numberText(value) ?? 0));
}
