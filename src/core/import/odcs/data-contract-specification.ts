// Converts the Data Contract Specification (0.9 to 1.2) to ODCS 3.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { itemProblem } from '../candidate.ts';
import { findByTokens, pointerTokens } from '../openapi/openapi-document.ts';
import { flagAt, memberOf, objectAt, textAt, textsAt } from '../read-json.ts';
import { type Conversion, type Converted, listMembers, pick } from './conversion.ts';
import { valueOfDuration } from './service-levels.ts';

/** @example fromDataContractSpecification(document).contract.schema // [{ name: 'orders', ... }] */
export function fromDataContractSpecification(document: JsonObject): Converted {
  const context: Context = { document, origins: new Map(), problems: [] };
  const schema = listMembers(objectAt(document, 'models'), '$.models', context, (model, name, at) =>
    toObject(model, name, at, context),
  );
  const servers = Object.values(objectAt(document, 'servers') ?? {}).filter(isJsonObject);
  const contract = {
    kind: 'DataContract',
    apiVersion: 'v3.1.0',
    ...pick(document, { id: 'id', tags: 'tags' }),
    ...pick(memberOf(document, 'info'), { version: 'version', status: 'status' }),
    servers,
    schema,
    slaProperties: serviceLevels(document, context),
  };
  return { contract, origins: context.origins, problems: context.problems };
}

interface Context extends Conversion {
  readonly document: JsonObject;
}

function toObject(model: Json, name: string, place: string, context: Context): JsonObject {
  return {
    name,
    physicalType: textAt(model, 'type') ?? 'table',
    ...pick(model, { description: 'description', tags: 'tags', quality: 'quality' }),
    // A key of several fields is stated by the model.
    properties: toProperties(model, place, context, textsAt(model, 'primaryKey')),
  };
}

function toProperties(
  holder: Json,
  place: string,
  context: Context,
  key: readonly string[] = [],
): readonly JsonObject[] {
  return listMembers(objectAt(holder, 'fields'), `${place}.fields`, context, (field, name, at) => ({
    name,
    ...toProperty(field, at, context),
    ...(key.includes(name) ? { primaryKey: true } : {}),
  }));
}

/**
 * The logical types of ODCS, and the names of each that mean the same; a type without a logical one
 * accepts every value.
 */
const typeRows: readonly (readonly [logicalType: string | null, names: string])[] = [
  ['number', 'number decimal numeric'],
  ['number', 'float'],
  ['number', 'double'],
  ['integer', 'int integer'],
  ['integer', 'long bigint'],
  ['string', 'string text varchar'],
  ['string', 'bytes'],
  ['string', 'timestamp_ntz'],
  ['boolean', 'boolean'],
  ['timestamp', 'timestamp timestamp_tz'],
  ['date', 'date'],
  ['time', 'time'],
  ['array', 'array'],
  ['map', 'map'],
  ['object', 'object record struct'],
  [null, 'variant'],
  [null, 'json'],
  [null, 'null'],
];

const types = new Map(
  typeRows.flatMap(([logicalType, names]) =>
    names.split(' ').map((name) => [name, { logicalType, names }] as const),
  ),
);

function toProperty(stated: Json | undefined, place: string, context: Context): JsonObject {
  const field = withDefinition(stated, place, context);
  const type = textAt(field, 'type')?.toLowerCase();
  // The reader reports a type that is not known.
  const known = type === undefined ? undefined : types.get(type);
  const logicalType = known === undefined ? (type ?? null) : known.logicalType;
  const options = pick(field, sameOptions);
  const part = (key: string) => toProperty(memberOf(field, key), `${place}.${key}`, context);
  const members = [['key', 'keys'] as const, ['value', 'values'] as const].flatMap(([name, key]) =>
    memberOf(field, key) === undefined ? [] : [[name, part(key)]],
  );
  return {
    ...(logicalType === null ? {} : { logicalType }),
    declaredType: declaredType(field, known?.names ?? type),
    ...(Object.keys(options).length === 0 ? {} : { logicalTypeOptions: options }),
    ...pick(field, {
      required: 'required',
      unique: 'unique',
      references: 'relationships',
      primary: 'primaryKey',
      primaryKey: 'primaryKey',
      description: 'description',
      enum: 'enum',
      quality: 'quality',
      classification: 'classification',
      tags: 'tags',
    }),
    ...(flagAt(field, 'pii') === true ? { classification: 'pii' } : {}),
    ...(logicalType === 'object' || memberOf(field, 'fields') !== undefined
      ? { properties: toProperties(field, place, context) }
      : {}),
    ...(memberOf(field, 'items') === undefined ? {} : { items: part('items') }),
    ...(members.length === 0 ? {} : { map: Object.fromEntries(members) }),
  };
}

/** What the type says beyond the logical one, and its names in databases (`config.bigqueryType`). */
function declaredType(field: JsonObject, names: string | undefined): readonly Json[] {
  const inDatabases = Object.entries(objectAt(field, 'config') ?? {})
    .filter(([key]) => key.endsWith('Type'))
    .flat();
  return [
    names ?? null,
    memberOf(field, 'precision') ?? null,
    memberOf(field, 'scale') ?? null,
    ...inDatabases,
  ];
}

const sameOptions = Object.fromEntries(
  'minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum'
    .split(' ')
    .map((name) => [name, name]),
);

/** A longer chain of definitions is a cycle. */
const maxHops = 16;

/** The members beside a `$ref` take precedence over those of the definition. */
function withDefinition(stated: Json | undefined, place: string, context: Context): JsonObject {
  let field = stated !== undefined && isJsonObject(stated) ? stated : {};
  for (let hop = 0; hop < maxHops; hop++) {
    const reference = textAt(field, '$ref');
    if (reference === undefined) return field;
    const tokens = pointerTokens(reference);
    const target = tokens === null ? undefined : findByTokens(context.document, tokens);
    const { $ref: _used, ...own } = field;
    if (target !== undefined && isJsonObject(target)) {
      field = { ...target, ...own };
      continue;
    }
    const message = `$ref ${JSON.stringify(reference)} has no target in the contract, and is not fetched. Its values are not checked.`;
    context.problems.push(itemProblem('UNREADABLE_PART', message, place));
    return own;
  }
  return {};
}

/** Freshness and latency are guarantees; the others are told if they change. */
function serviceLevels(document: JsonObject, context: Context): readonly JsonObject[] {
  return listMembers(
    objectAt(document, 'servicelevels'),
    '$.servicelevels',
    context,
    (level, property) => {
      const threshold = textAt(level, 'threshold');
      if (threshold === undefined) return { property, value: level };
      const { timestampField, sourceTimestampField, ...others } = level as JsonObject;
      const { threshold: _read, description: _forPeople, ...unread } = others;
      const element = timestampField ?? sourceTimestampField;
      return {
        property,
        ...valueOfDuration(threshold),
        ...(element === undefined ? {} : { element }),
        ...(Object.keys(unread).length === 0 ? {} : { valueExt: unread }),
      };
    },
  );
}
