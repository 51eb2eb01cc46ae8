// What types of databases say and their schemas do not: `text` and `bytea` are both text there, a timestamp
// has no zone, and the keys of a map have no type.

import type { Json, JsonObject } from '../value/json.ts';
import { schemaOfSqlType } from './sql-type.ts';

export interface UncomparedType {
  /** The names of types, by their paths within the type. */
  readonly unread: JsonObject;
  /** The schemas at these paths: where one changes, the comparison tells it. */
  readonly compared: JsonObject;
}

/**
 * A type whose schema is compared.
 *
 * @example namesWithin('map<int, text>').unread // { '{key}': 'integer', '{}': 'text', '': 'map' }
 */
export function namesWithin(type: string): UncomparedType {
  if (type === '') return { unread: {}, compared: {} };
  const { named } = schemaOfSqlType(type, { isIntegerAtScale0: false });
  const schemas = [...named].flatMap(([path, { schema }]): readonly [string, Json][] =>
    schema === null ? [] : [[path, schema]],
  );
  return {
    unread: Object.fromEntries([...named].map(([path, { name }]) => [path, name])),
    compared: Object.fromEntries(schemas),
  };
}

/** A type beside one that is compared in its place; other words for the same are no change. */
export function wholeType(type: string): JsonObject {
  const { named, unknownNames } = schemaOfSqlType(type, { isIntegerAtScale0: false });
  const names = [...named].map(([path, { name }]) => [path, name] as const);
  // Of a name that nobody knows, the words alone are known.
  return { ...Object.fromEntries(names), ...(unknownNames.length === 0 ? {} : { words: type }) };
}
