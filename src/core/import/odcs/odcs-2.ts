// Converts a contract of ODCS 2 to ODCS 3.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, flagAt, textAt } from '../read-json.ts';
import { type Conversion, type Converted, pick } from './conversion.ts';

/** @example fromOdcs2({ dataset: [{ table: 'orders' }] }).contract.schema // [{ name: 'orders', ... }] */
export function fromOdcs2(document: JsonObject): Converted {
  const conversion: Conversion = { origins: new Map(), problems: [] };
  const schema = list(document, 'dataset', '$', conversion, (table, place) => ({
    ...pick(table, { table: 'name', description: 'description', tags: 'tags' }),
    properties: list(table, 'columns', place, conversion, toProperty),
    quality: (arrayAt(table, 'quality') ?? []).map(toRule),
  }));
  const contract = {
    kind: 'DataContract',
    apiVersion: 'v3.1.0',
    ...pick(document, {
      uuid: 'id',
      version: 'version',
      status: 'status',
      quantumName: 'dataProduct',
      datasetDomain: 'domain',
      tags: 'tags',
      customProperties: 'customProperties',
    }),
    servers: [pick(document, { datasetProject: 'project', datasetName: 'dataset' })],
    schema,
    slaProperties: list(document, 'slaProperties', '$', conversion, (level) =>
      pick(level, levelNames),
    ),
  };
  return { contract, ...conversion };
}

const levelNames = {
  ...{ property: 'property', value: 'value', valueExt: 'valueExt', unit: 'unit' },
  column: 'element',
};

function list(
  holder: Json,
  key: string,
  place: string,
  { origins }: Conversion,
  convert: (entry: Json, place: string) => JsonObject,
): readonly JsonObject[] {
  return (arrayAt(holder, key) ?? []).map((entry, index) => {
    const at = `${place}.${key}[${index}]`;
    const converted = convert(entry, at);
    origins.set(converted, at);
    return converted;
  });
}

/** Version 2 leaves the names of types open; a type of the database tells more than another name. */
const logicalTypes: ReadonlyMap<string, string> = new Map([
  ...['string', 'date', 'timestamp', 'time', 'number', 'integer', 'boolean'].map(
    (name) => [name, name] as const,
  ),
  ...['text', 'varchar', 'char'].map((name) => [name, 'string'] as const),
  ...['int', 'long', 'bigint'].map((name) => [name, 'integer'] as const),
  ...['float', 'double', 'decimal', 'numeric'].map((name) => [name, 'number'] as const),
  ['datetime', 'timestamp'],
  ['bool', 'boolean'],
]);

function toProperty(column: Json): JsonObject {
  const stated = textAt(column, 'logicalType');
  const logicalType = logicalTypes.get(stated?.toLowerCase() ?? '');
  return {
    ...pick(column, {
      column: 'name',
      physicalType: 'physicalType',
      description: 'description',
      isPrimary: 'primaryKey',
      isPrimaryKey: 'primaryKey',
      primaryKeyPosition: 'primaryKeyPosition',
      isUnique: 'unique',
    }),
    ...(logicalType === undefined ? {} : { logicalType }),
    ...(stated === undefined ? {} : { declaredType: stated.toLowerCase() }),
    ...(flagAt(column, 'isNullable') === false ? { required: true } : {}),
    quality: (arrayAt(column, 'quality') ?? []).map(toRule),
  };
}

/** A rule is known by its code. */
function toRule(rule: Json): Json {
  return isJsonObject(rule) ? { ...rule, rule: textAt(rule, 'code') ?? '' } : rule;
}
