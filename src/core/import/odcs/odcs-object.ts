// Converts a schema and its guarantees to properties, quality rules and service levels of ODCS, as
// far as the standard can express them. The export adds the rest as custom properties.

import type { Guarantees } from '../../comparison.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt, textsAt } from '../read-json.ts';
import { sharedOptions } from './odcs-property.ts';
import type { QualityFacts } from './odcs-quality.ts';

/** The part of an ODCS object that holds its properties: `{properties: [...]}`. */
export function toOdcsProperties(schema: Json): JsonObject {
  const properties = objectAt(resolved(schema, schema), 'properties');
  return properties === undefined ? {} : { properties: listProperties(properties, schema, 0) };
}

/** For deeper properties, the export adds the whole schema. */
const maxPropertyDepth = 20;

function listProperties(properties: JsonObject, root: Json, depth: number): readonly Json[] {
  return Object.entries(properties)
    .filter(([name]) => name !== '')
    .map(([name, schema]) => ({ name, ...toProperty(schema, root, depth) }));
}

function toProperty(stated: Json, root: Json, depth: number): JsonObject {
  const schema = resolved(stated, root);
  const { type, isNullable } = typeOf(schema);
  const description = textAt(schema, 'description');
  const classification = textAt(schema, 'x-classification');
  const values = (arrayAt(schema, 'enum') ?? []).filter((value) => value !== null);
  const isListed = values.length > 0 && values.every((value) => typeof value !== 'object');
  const logicalType = logicalTypeOf(type, schema);
  return {
    logicalType,
    ...optionsOf(logicalType, schema),
    ...(type === null || isNullable ? {} : { required: true }),
    ...(description === undefined ? {} : { description }),
    ...(memberOf(schema, 'deprecated') === true ? { deprecated: true } : {}),
    ...(classification === undefined ? {} : { classification }),
    ...(isListed ? { enum: [...new Set(values)].map((value) => ({ value })) } : {}),
    ...nestedOf(logicalType, schema, root, depth),
  };
}

function nestedOf(logicalType: string, schema: Json, root: Json, depth: number): JsonObject {
  const nested = (value: Json) =>
    depth < maxPropertyDepth ? toProperty(value, root, depth + 1) : { logicalType: 'object' };
  if (logicalType === 'object') {
    const properties = objectAt(schema, 'properties');
    return properties === undefined || depth >= maxPropertyDepth
      ? {}
      : { properties: listProperties(properties, root, depth + 1) };
  }
  const items = memberOf(schema, 'items');
  if (logicalType === 'array' && items !== undefined) return { items: nested(items) };
  const values = memberOf(schema, 'additionalProperties');
  if (logicalType === 'map' && values !== undefined) {
    return { map: { key: { logicalType: 'string', required: true }, value: nested(values) } };
  }
  return {};
}

/** The single type, and whether null is allowed beside it; null for several types or none. */
function typeOf(schema: Json): { readonly type: string | null; readonly isNullable: boolean } {
  const stated = memberOf(schema, 'type');
  const types = typeof stated === 'string' ? [stated] : textsAt(schema, 'type');
  const [type, ...others] = types.filter((name) => name !== 'null');
  const isNullable = types.includes('null') || memberOf(schema, 'nullable') === true;
  return { type: type === undefined || others.length > 0 ? null : type, isNullable };
}

const formats: ReadonlyMap<string, string> = new Map([
  ['date', 'date'],
  ['date-time', 'timestamp'],
  ['time', 'time'],
]);

const logicalTypes: ReadonlySet<string> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
]);

/**
 * The standard requires a type for every property; a property without a single type is an object.
 */
function logicalTypeOf(type: string | null, schema: Json): string {
  if (type === null || !logicalTypes.has(type)) return 'object';
  if (type === 'string') return formats.get(textAt(schema, 'format') ?? '') ?? 'string';
  const isMap =
    type === 'object' &&
    objectAt(schema, 'properties') === undefined &&
    objectAt(schema, 'additionalProperties') !== undefined;
  return isMap ? 'map' : type;
}

type OptionCheck = (value: Json) => boolean;

const isText: OptionCheck = (value) => typeof value === 'string';
const isNumber: OptionCheck = (value) => typeof value === 'number';
const isCount: OptionCheck = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

/** The values that the standard allows for options; other values are only in the schema. */
const optionChecks: Readonly<Record<string, OptionCheck>> = {
  pattern: isText,
  format: isText,
  uniqueItems: (value) => typeof value === 'boolean',
  multipleOf: (value) => typeof value === 'number' && value > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
};

function optionsOf(logicalType: string, schema: Json): JsonObject {
  const options = (sharedOptions.get(logicalType) ?? []).flatMap(
    (key): readonly (readonly [string, Json])[] => {
      const value = memberOf(schema, key);
      const isFit = optionChecks[key] ?? isNumber;
      return value !== undefined && isFit(value) ? [[key, value]] : [];
    },
  );
  const required = logicalType === 'object' ? [...new Set(textsAt(schema, 'required'))] : [];
  const all = required.length === 0 ? options : [...options, ['required', required] as const];
  return all.length === 0 ? {} : { logicalTypeOptions: Object.fromEntries<Json>(all) };
}

/** A longer chain of local references is a cycle. */
const maxHops = 16;

function resolved(schema: Json, root: Json): Json {
  let at = schema;
  for (let hop = 0; hop < maxHops; hop++) {
    const reference = textAt(at, '$ref');
    const name = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference ?? '');
    if (name === null) return at;
    const target = memberOf(objectAt(root, name[1] ?? ''), name[2] ?? '');
    if (target === undefined) return at;
    at = target;
  }
  return {};
}

/** The object with quality rules, and the service levels, that express the guarantees. */
export function toOdcsQuality(
  guarantees: Guarantees,
  object: JsonObject,
  objectName: string,
): QualityFacts {
  const rows = memberOf(memberOf(guarantees, 'volume'), 'min_rows');
  const freshness = memberOf(guarantees, 'freshness');
  const properties = (arrayAt(object, 'properties') ?? []).map((property) =>
    isJsonObject(property) ? withRules(property, guarantees) : property,
  );
  const volumeRule = { type: 'library', metric: 'rowCount', mustBeGreaterOrEqualTo: rows ?? 0 };
  const { quality: _replaced, ...plain } = object;
  return {
    object: {
      ...plain,
      ...(arrayAt(object, 'properties') === undefined ? {} : { properties }),
      ...(typeof rows === 'number' ? { quality: [volumeRule] } : {}),
    },
    objectName,
    slaProperties: freshness === undefined ? [] : [freshnessLevel(freshness, objectName)],
  };
}

function withRules(property: JsonObject, guarantees: Guarantees): JsonObject {
  const { quality: _rules, unique: _unique, ...plain } = property;
  const column = textAt(property, 'name') ?? '';
  const isNeverNull = memberOf(objectAt(guarantees, 'nullability'), column) === 'never';
  const values = arrayAt(objectAt(guarantees, 'accepted_values'), column);
  const isUnique = (arrayAt(guarantees, 'custom') ?? []).some(
    (entry) => textAt(entry, 'type') === 'unique' && textAt(entry, 'column') === column,
  );
  const rules = [
    ...(isNeverNull ? [{ type: 'library', metric: 'nullValues', mustBe: 0 }] : []),
    ...(values === undefined
      ? []
      : [
          {
            type: 'library',
            metric: 'invalidValues',
            arguments: { validValues: values },
            mustBe: 0,
          },
        ]),
  ];
  return {
    ...plain,
    ...(isUnique ? { unique: true } : {}),
    ...(rules.length === 0 ? {} : { quality: rules }),
  };
}

function freshnessLevel(freshness: Json, objectName: string): JsonObject {
  const column = textAt(freshness, 'measured_by');
  return {
    property: 'freshness',
    value: memberOf(freshness, 'max_staleness_minutes') ?? null,
    unit: 'minutes',
    element: column === undefined ? objectName : `${objectName}.${column}`,
  };
}
