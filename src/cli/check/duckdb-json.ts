// Lists, structs and maps of DuckDB as the text of their JSON. Its own `to_json` writes times that are no
// date-time, NaN that is no JSON, and floats of 32 bits with digits that they do not have.

import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api';

/** @example jsonText(listValue([1, null]), LIST(INTEGER)) // '[1,null]' */
export function jsonText(value: DuckDBValue, type: DuckDBType): string {
  if (value === null) return 'null';
  if (type.alias === 'JSON') return String(value);
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    const inside = 'valueType' in type ? type.valueType : type;
    return `[${value.items.map((item) => jsonText(item, inside)).join(',')}]`;
  }
  if (value instanceof DuckDBStructValue && type.typeId === DuckDBTypeId.STRUCT) {
    return objectText(
      Object.entries(value.entries).map(([name, each]) => [
        name,
        jsonText(each, type.typeForEntry(name)),
      ]),
    );
  }
  if (value instanceof DuckDBMapValue && type.typeId === DuckDBTypeId.MAP) {
    return objectText(
      value.entries.map((each) => [String(each.key), jsonText(each.value, type.valueType)]),
    );
  }
  if (value instanceof DuckDBUnionValue && type.typeId === DuckDBTypeId.UNION) {
    return jsonText(value.value, type.memberTypeForTag(value.tag));
  }
  if (value instanceof DuckDBDecimalValue || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return JSON.stringify(String(value));
    return type.typeId === DuckDBTypeId.FLOAT ? singleText(value) : String(value);
  }
  return JSON.stringify(timeText(value) ?? String(value));
}

function objectText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** The shortest text that reads as the same number of 32 bits. */
function singleText(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(value);
}

/** As `timestamp` columns read: in UTC, with six digits. */
function timeText(value: DuckDBValue): string | null {
  const micros = microsOf(value);
  if (micros === null) return null;
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - fraction) / 1_000n));
  if (Number.isNaN(seconds.getTime())) return String(value);
  return `${seconds.toISOString().slice(0, -5)}.${String(fraction).padStart(6, '0')}Z`;
}

/** Null for other values, and for infinity. */
function microsOf(value: DuckDBValue): bigint | null {
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) {
    const isInfinite = value instanceof DuckDBTimestampValue && !value.isFinite;
    return isInfinite ? null : value.micros;
  }
  if (value instanceof DuckDBTimestampSecondsValue) return value.seconds * 1_000_000n;
  if (value instanceof DuckDBTimestampMillisecondsValue) return value.millis * 1_000n;
  return value instanceof DuckDBTimestampNanosecondsValue ? value.nanos / 1_000n : null;
}
