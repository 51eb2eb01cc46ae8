// The names of the parameters in a path. A call has their values and not their names, so another
// name is no change.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, objectAt } from '../read-json.ts';

/** @example pathForm('/orders/{id}/lines/{line}') // '/orders/{}/lines/{}' */
export function pathForm(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

/**
 * The contract of an operation, with the parameters of its path called as in another path of the
 * same form.
 *
 * @example withPathNames(schema, '/orders/{id}', '/orders/{order_id}')
 */
export function withPathNames(schema: Json, from: string, to: string): Json {
  if (from === to || pathForm(from) !== pathForm(to)) return schema;
  const properties = objectAt(schema, 'properties');
  const request = objectAt(properties, 'request');
  const places = objectAt(request, 'properties');
  const path = objectAt(places, 'path');
  if (path === undefined || !isJsonObject(schema)) return schema;
  const others = namesIn(to);
  const names = new Map(namesIn(from).map((name, index) => [name, others[index] ?? name]));
  const named = (name: string) => names.get(name) ?? name;
  const members = Object.entries(objectAt(path, 'properties') ?? {});
  const required = (arrayAt(path, 'required') ?? []).map((name) =>
    typeof name === 'string' ? named(name) : name,
  );
  const renamed: JsonObject = {
    ...path,
    properties: Object.fromEntries(members.map(([name, member]) => [named(name), member])),
    ...(required.length === 0 ? {} : { required }),
  };
  return {
    ...schema,
    properties: {
      ...properties,
      request: { ...request, properties: { ...places, path: renamed } },
    },
  };
}

function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
}
