// Holds values against the terms of a contract, or against what a consumer reads of it.

import type { ContractTerms } from '../comparison.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import { isSameJson } from '../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { listed, quote } from './fault-words.ts';
import { type CheckedValue, checkValue, type Fault } from './find-faults.ts';
import { isPersonalAt, type ValuePlace } from './personal.ts';

/** Of an operation, a value is either what is sent or what is answered. */
export type OperationPart = 'request' | 'response';

export interface CheckedTerms extends Pick<ContractTerms, 'schema' | 'dialect' | 'guarantees'> {
  /** Absent: the values are of the whole schema. */
  readonly part?: OperationPart;
}

type Check = (value: Json) => CheckedValue;

/**
 * Null if the schema has no such part.
 *
 * @param redacted members that count as personal, beside those that the schema marks
 * @example openCheck({ schema: { minimum: 3 }, guarantees: null })?.(2).verdict // 'invalid'
 */
export function openCheck(
  { schema, dialect, guarantees, part }: CheckedTerms,
  redacted: ReadonlySet<string> = new Set(),
): Check | null {
  const { root } = parseSchema(schema, dialect);
  const node = part === undefined ? root : root.keywords.properties?.get(part);
  if (node === undefined) return null;
  const rules = rulesOf(guarantees);
  const place: ValuePlace = { root: node, steps: [], redacted };
  return (value) => {
    const checked = checkValue(node, value, place);
    if (rules.length === 0 || !isJsonObject(value)) return checked;
    const broken = rules.flatMap((rule) => rule(value, place));
    if (broken.length === 0) return checked;
    return { verdict: 'invalid', faults: [...checked.faults, ...broken] };
  };
}

type Rule = (row: JsonObject, place: ValuePlace) => readonly Fault[];

/** The guarantees that one row alone can break. */
function rulesOf(guarantees: CheckedTerms['guarantees']): readonly Rule[] {
  const { nullability, accepted_values } = guarantees ?? {};
  return [
    ...columnsOf(nullability).map(([column]) => neverNull(column)),
    ...columnsOf(accepted_values).map(([column, values]) => oneOf(column, values)),
  ];
}

function columnsOf(columns: Json | undefined): readonly (readonly [string, Json])[] {
  return columns !== undefined && isJsonObject(columns) ? Object.entries(columns) : [];
}

function neverNull(column: string): Rule {
  return (row) => {
    const value = memberOf(row, column);
    if (value !== undefined && value !== null) return [];
    return [
      {
        path: `$${stepText(column)}`,
        rule: 'nullability',
        message: 'is guaranteed never to be null',
        ...(value === null && { value }),
      },
    ];
  };
}

/** As in dbt, null is not a value: `nullability` speaks of it. */
function oneOf(column: string, accepted: Json): Rule {
  const values = Array.isArray(accepted) ? accepted : [];
  return (row, place) => {
    const value = memberOf(row, column) ?? null;
    if (value === null || values.some((each) => isSameJson(each, value))) return [];
    return [
      {
        path: `$${stepText(column)}`,
        rule: 'accepted_values',
        message: `is guaranteed to be ${listed(values.map((each) => quote(each)))}`,
        ...(!isPersonalAt({ ...place, steps: [column] }) && { value }),
      },
    ];
  };
}

function memberOf(row: JsonObject, column: string): Json | undefined {
  return Object.hasOwn(row, column) ? row[column] : undefined;
}
