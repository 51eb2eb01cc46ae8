// Converts the Data Contract Specification (0.9 to 1.2) to ODCS 3.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { itemProblem } from '../candidate.ts';
import { findByTokens, pointerTokens } from '../openapi/openapi-document.ts';
import { memberOf, objectAt, textAt, textsAt } from '../read-json.ts';
import { type Conversion, type Converted, listMembers, pick } from './conversion.ts';

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
    slaProperties: serviceLevels(document),
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

/** The logical types of ODCS; a type without one accepts every value. */
const logicalTypes: ReadonlyMap<string, string | null> = new Map([
  ...named('number', 'number decimal numeric float double'),
  ...named('integer', 'int integer long bigint'),
  ...named('string', 'string text varchar bytes timestamp_ntz'),
  ...named('boolean', 'boolean'),
  ...named('timestamp', 'timestamp timestamp_tz'),
  ...named('date', 'date'),
  ...named('time', 'time'),
  ...named('array', 'array'),
  ...named('map', 'map'),
  ...named('object', 'object record struct'),
  ...named(null, 'variant json null'),
]);

function named(type: string | null, names: string) {
  return names.split(' ').map((name) => [name, type] as const);
}

function toProperty(stated: Json | undefined, place: string, context: Context): JsonObject {
  const field = withDefinition(stated, place, context);
  const type = textAt(field, 'type')?.toLowerCase();
  const logicalType = type === undefined ? null : (logicalTypes.get(type) ?? unknown(type));
  const options = pick(field, sameOptions);
  const part = (key: string) => toProperty(memberOf(field, key), `${place}.${key}`, context);
  return {
    ...(logicalType === null ? {} : { logicalType }),
    ...(Object.keys(options).length === 0 ? {} : { logicalTypeOptions: options }),
    ...pick(field, {
      required: 'required',
      unique: 'unique',
      primary: 'primaryKey',
      primaryKey: 'primaryKey',
      description: 'description',
      enum: 'enum',
      quality: 'quality',
      classification: 'classification',
      tags: 'tags',
    }),
    ...(memberOf(field, 'pii') === true ? { classification: 'pii' } : {}),
    ...(logicalType === 'object' ? { properties: toProperties(field, place, context) } : {}),
    ...(memberOf(field, 'items') === undefined ? {} : { items: part('items') }),
    ...(memberOf(field, 'values') === undefined ? {} : { map: { value: part('values') } }),
  };
}

/** The reader reports a type that is not known. */
function unknown(type: string): string | null {
  return logicalTypes.has(type) ? null : type;
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

/** Freshness and latency are guarantees; the reader ignores other levels. */
function serviceLevels(document: JsonObject): readonly JsonObject[] {
  const levels = objectAt(document, 'servicelevels');
  return ['freshness', 'latency'].flatMap((property): readonly JsonObject[] => {
    const level = memberOf(levels, property);
    const duration = /^P?T?(\d+)\s*([a-z]+)$/i.exec(textAt(level, 'threshold') ?? '');
    const column = textAt(level, 'timestampField') ?? textAt(level, 'sourceTimestampField');
    if (duration === null) return [];
    const [, value = '', unit = ''] = duration;
    return [{ property, value, unit, ...(column === undefined ? {} : { element: column }) }];
  });
}
