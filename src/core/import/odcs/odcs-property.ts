// Converts a property of a data contract to JSON Schema. ODCS' `required` means that a value is
// never null; neither it nor the schema says whether the key is present.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { arrayAt, flagAt, kindOf, memberOf, objectAt, textAt, textsAt } from '../read-json.ts';
import { orNull, schemaOfSqlType } from '../sql-type.ts';

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

/** A property at any depth. */
export interface FoundProperty {
  readonly property: JsonObject;
  readonly place: string;
  /** Its path within the table: `address.city`, `lines[].sku`, `labels{}`. */
  readonly column: string;
  readonly depth: number;
}

/** Each property of an object, and all within it, in the order of the file. */
export function* eachProperty(
  object: Json,
  place: string,
  prefix = '',
  depth = 1,
): Generator<FoundProperty> {
  for (const [index, property] of (arrayAt(object, 'properties') ?? []).entries()) {
    const name = textAt(property, 'name');
    if (name === undefined || !isJsonObject(property)) continue;
    yield* propertiesWithin(property, `${place}.properties[${index}]`, `${prefix}${name}`, depth);
  }
}

function* propertiesWithin(
  property: JsonObject,
  place: string,
  column: string,
  depth: number,
): Generator<FoundProperty> {
  if (depth > maxPropertyDepth) return;
  yield { property, place, column, depth };
  yield* eachProperty(property, place, `${column}.`, depth + 1);
  const items = objectAt(property, 'items');
  const values = objectAt(objectAt(property, 'map'), 'value');
  if (items !== undefined) {
    yield* propertiesWithin(items, `${place}.items`, `${column}[]`, depth + 1);
  }
  if (values !== undefined) {
    yield* propertiesWithin(values, `${place}.map.value`, `${column}{}`, depth + 1);
  }
}

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
  const isRequired = flagAt(property, 'required') === true;
  const description = textAt(property, 'description');
  return {
    ...(isRequired ? typed : orNull(typed)),
    ...(description === undefined ? {} : { description }),
    ...(flagAt(property, 'deprecated') === true ? { deprecated: true } : {}),
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
  const options = objectAt(property, 'logicalTypeOptions') ?? {};
  const logicalType = kindOfProperty(property);
  const stated = textAt(property, 'logicalType');
  if (stated !== undefined && !isKnownType(stated)) {
    const isReadOtherwise =
      logicalType !== undefined || textAt(property, 'physicalType') !== undefined;
    const read = isReadOtherwise
      ? 'only what stands beside it is checked'
      : 'its values are not checked';
    const message = `logicalType ${JSON.stringify(stated)} is unknown, so ${read}.`;
    problems.push(itemProblem('UNKNOWN_TYPE', message, `${place}.logicalType`));
  }
  if (logicalType === undefined) return physicalSchema(property, place, problems);
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
      const items =
        item(memberOf(property, 'items'), 'items') ??
        // The fields of its structs may stand beside a list.
        (arrayAt(property, 'properties') === undefined
          ? undefined
          : toObjectSchema(property, place, problems, depth));
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
    default:
      return {
        ...simpleTypes.get(logicalType),
        ...pickOptions(logicalType, options, place, problems),
      };
  }
}

const containers = new Set(['object', 'array', 'map', 'vector']);

function isKnownType(stated: string): boolean {
  const logicalType = stated.toLowerCase();
  return containers.has(logicalType) || simpleTypes.has(logicalType);
}

/**
 * The logical type. Where none is given, or one that nobody knows, the members tell it: with
 * `properties` a struct of the database is an object, and a list of structs an array of objects.
 * Undefined if the physical type tells all.
 */
export function kindOfProperty(property: Json): string | undefined {
  const stated = textAt(property, 'logicalType')?.toLowerCase();
  if (stated !== undefined && isKnownType(stated)) return stated;
  const physicalType = textAt(property, 'physicalType');
  if (objectAt(property, 'items') !== undefined) return 'array';
  if (objectAt(property, 'map') !== undefined) return 'map';
  const properties = arrayAt(property, 'properties');
  if (properties === undefined || (properties.length === 0 && physicalType !== undefined)) {
    return undefined;
  }
  const { schema } = schemaOfSqlType(physicalType ?? 'struct', { isIntegerAtScale0: false });
  return memberOf(schema, 'type') === 'array' ? 'array' : 'object';
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

/** The options of a property that its schema does not say. */
export function unreadOptions(property: Json): JsonObject | undefined {
  const kind = kindOfProperty(property) ?? '';
  const read = [...(sharedOptions.get(kind) ?? []), ...(ownOptions.get(kind) ?? [])];
  const unread = Object.entries(objectAt(property, 'logicalTypeOptions') ?? {}).filter(
    ([key]) => !read.includes(key),
  );
  return unread.length === 0 ? undefined : Object.fromEntries(unread);
}

/** The options that become a keyword of another name. */
const ownOptions: ReadonlyMap<string, readonly string[]> = new Map([
  ['object', ['required']],
  ['vector', ['dimensions']],
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
