// Converts a property of a data contract to JSON Schema. ODCS' `required` means that a value is
// never null; neither it nor the schema says whether the key is present.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { arrayAt, kindOf, memberOf, objectAt, textAt, textsAt } from '../read-json.ts';
import { schemaOfSqlType } from '../sql-type.ts';

/** The schema of an object's properties, both for tables and for nested objects. */
export function toObjectSchema(
  object: JsonObject,
  place: string,
  problems: ImportProblem[],
  depth = 0,
): JsonObject {
  const members = new Map<string, JsonObject>();
  const properties = arrayAt(object, 'properties');
  (properties ?? []).forEach((property, index) => {
    const at = `${place}.properties[${index}]`;
    const name = textAt(property, 'name');
    if (!isJsonObject(property) || name === undefined) {
      const message = `A property needs a name, but this one is ${kindOf(property)}. It was skipped.`;
      problems.push(itemProblem('UNREADABLE_ITEM', message, at));
      return;
    }
    if (members.has(name)) {
      const message = `Property ${name} is defined twice. The first definition is used.`;
      problems.push(itemProblem('DUPLICATE_DEFINITION', message, at));
      return;
    }
    members.set(name, toPropertySchema(property, at, problems, depth + 1));
  });
  return {
    type: 'object',
    ...(properties === undefined ? {} : { properties: Object.fromEntries<Json>(members) }),
  };
}

/** A schema may nest 64 levels, and an array property uses two. */
const maxPropertyDepth = 30;

function toPropertySchema(
  property: JsonObject,
  place: string,
  problems: ImportProblem[],
  depth: number,
): JsonObject {
  if (depth > maxPropertyDepth) {
    const message = `Properties are nested deeper than ${maxPropertyDepth} levels. Deeper ones are not checked.`;
    problems.push(itemProblem('TOO_LARGE', message, place));
    return {};
  }
  const typed = withEnum(typedSchema(property, place, problems, depth), property);
  const isRequired = memberOf(property, 'required') === true;
  const description = textAt(property, 'description');
  return {
    ...(isRequired ? typed : nullable(typed)),
    ...(description === undefined ? {} : { description }),
    ...(memberOf(property, 'deprecated') === true ? { deprecated: true } : {}),
    ...classificationOf(property),
  };
}

/** Values of personal data are never shown, so what means it is written in one way. */
function classificationOf(property: JsonObject): JsonObject {
  const stated = textAt(property, 'classification');
  const isPersonal = [stated, ...textsAt(property, 'tags')].some((each) =>
    /^pii$/i.test(each ?? ''),
  );
  if (isPersonal) return { 'x-classification': 'pii' };
  return stated === undefined ? {} : { 'x-classification': stated };
}

function typedSchema(
  property: JsonObject,
  place: string,
  problems: ImportProblem[],
  depth: number,
): JsonObject {
  const logicalType = textAt(property, 'logicalType')?.toLowerCase();
  if (logicalType === undefined) return physicalSchema(property, place, problems);
  const options = objectAt(property, 'logicalTypeOptions') ?? {};
  const item = (value: Json | undefined, key: string) =>
    value !== undefined && isJsonObject(value)
      ? toPropertySchema(value, `${place}.${key}`, problems, depth + 1)
      : undefined;
  switch (logicalType) {
    case 'object': {
      const required = textsAt(options, 'required');
      return {
        ...toObjectSchema(property, place, problems, depth),
        ...pickOptions('object', options, place, problems),
        ...(required.length === 0 ? {} : { required }),
      };
    }
    case 'array': {
      const items = item(memberOf(property, 'items'), 'items');
      const bounds = pickOptions('array', options, place, problems);
      return { type: 'array', ...(items === undefined ? {} : { items }), ...bounds };
    }
    case 'map': {
      const values = item(memberOf(objectAt(property, 'map'), 'value'), 'map.value');
      return { type: 'object', ...(values === undefined ? {} : { additionalProperties: values }) };
    }
    case 'vector': {
      const length = memberOf(options, 'dimensions');
      const isFixed = typeof length === 'number';
      const bounds = isFixed ? { minItems: length, maxItems: length } : {};
      return { type: 'array', items: { type: 'number' }, ...bounds };
    }
    default: {
      const schema = simpleTypes.get(logicalType);
      if (schema !== undefined) {
        return { ...schema, ...pickOptions(logicalType, options, place, problems) };
      }
      const message = `logicalType ${JSON.stringify(logicalType)} is unknown, so its values are not checked.`;
      problems.push(itemProblem('UNKNOWN_TYPE', message, `${place}.logicalType`));
      return {};
    }
  }
}

const simpleTypes: ReadonlyMap<string, JsonObject> = new Map([
  ['string', { type: 'string' }],
  ['date', { type: 'string', format: 'date' }],
  ['timestamp', { type: 'string', format: 'date-time' }],
  ['time', { type: 'string', format: 'time' }],
  ['number', { type: 'number' }],
  ['integer', { type: 'integer' }],
  ['boolean', { type: 'boolean' }],
]);

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** The options of each type that JSON Schema has under the same name. */
export const sharedOptions: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', bounds],
  ['integer', bounds],
  ['array', ['minItems', 'maxItems', 'uniqueItems']],
  ['object', ['minProperties', 'maxProperties']],
]);

/** Formats of how a value is written, which do not restrict the values. */
const notations: ReadonlySet<string> = new Set([
  'format',
  'timezone',
  'defaultTimezone',
  'required',
]);

function pickOptions(
  type: string,
  options: JsonObject,
  place: string,
  problems: ImportProblem[],
): JsonObject {
  const shared = sharedOptions.get(type) ?? [];
  const picked = Object.entries(options).filter(([key]) => shared.includes(key));
  const unread = Object.keys(options).filter((key) => !shared.includes(key) && !notations.has(key));
  if (unread.length > 0) {
    const message = `${unread.join(', ')} of a ${type} cannot be checked and was not added to the contract.`;
    problems.push(itemProblem('IGNORED_RULE', message, `${place}.logicalTypeOptions`));
  }
  return Object.fromEntries(picked);
}

function physicalSchema(
  property: JsonObject,
  place: string,
  problems: ImportProblem[],
): JsonObject {
  const physicalType = textAt(property, 'physicalType');
  if (physicalType === undefined) return {};
  const { schema, unknownNames } = schemaOfSqlType(physicalType, { isIntegerAtScale0: false });
  if (unknownNames.length > 0) {
    const message = `physicalType ${JSON.stringify(physicalType.slice(0, 200))} is unknown, so its values are not checked.`;
    problems.push(itemProblem('UNKNOWN_TYPE', message, `${place}.physicalType`));
  }
  return schema;
}

/** ODCS 3.2 lists allowed values as {value, label, ...}. */
function withEnum(schema: JsonObject, property: JsonObject): JsonObject {
  const values = (arrayAt(property, 'enum') ?? []).flatMap((entry): readonly Json[] => {
    if (!isJsonObject(entry)) return [entry];
    const value = memberOf(entry, 'value');
    return value === undefined ? [] : [value];
  });
  return values.length === 0 ? schema : { ...schema, enum: values };
}

function nullable(schema: JsonObject): JsonObject {
  const type = memberOf(schema, 'type');
  const values = arrayAt(schema, 'enum');
  const withNull = values === undefined || values.includes(null) ? {} : { enum: [...values, null] };
  return typeof type === 'string'
    ? { ...schema, type: [type, 'null'], ...withNull }
    : { ...schema, ...withNull };
}
