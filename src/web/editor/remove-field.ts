// Takes a field out of a schema, for who does not want to look for its lines.

import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { stepsOf } from '../../core/value/json-path.ts';

/**
 * The schema without the property at this place; null if there is none, or if it is in
 * one of several branches.
 *
 * @example withoutField(schema, '$.properties.lines.items.properties.sku')
 */
export function withoutField(schema: JsonObject, place: string): JsonObject | null {
  return without(schema, stepsOf(place));
}

function without(
  node: Json | undefined,
  [step, ...rest]: readonly (string | number)[],
): JsonObject | null {
  if (!isJsonObject(node) || typeof step !== 'string') return null;
  const [name] = rest;
  if (rest.length > 1) {
    const inner = without(node[step], rest);
    return inner === null ? null : { ...node, [step]: inner };
  }
  const { properties, required } = node;
  if (step !== 'properties' || !isJsonObject(properties) || typeof name !== 'string') return null;
  if (!Object.hasOwn(properties, name)) return null;
  const left = omit(properties, name);
  if (!Array.isArray(required)) return { ...node, properties: left };
  const still = required.filter((one) => one !== name);
  const changed = { ...node, properties: left, required: still };
  return still.length === 0 ? omit(changed, 'required') : changed;
}

function omit(node: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([key]) => key !== name));
}
