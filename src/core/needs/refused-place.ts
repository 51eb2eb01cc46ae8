// Where in a refused value the fault is: a schema that applies to every accepted value refuses that part
// alone, or demands a field that is not there.

import { validate } from '../containment/validate/validator.ts';
import { openReach } from '../diff/places/reach.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { isJsonObject, type Json } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';

/**
 * The innermost such place, as a path in values; null if it is the whole value.
 *
 * @example refusedPlace(parseSchema({ properties: { a: { type: 'string' } } }).root, { a: 1 }) // '$.a'
 */
export function refusedPlace(root: SchemaNode, witness: Json): string | null {
  const reach = openReach(() => false, 'sure');
  let path = '$';
  let place: Place | null = { step: '', value: witness, nodes: [root] };
  while (place !== null) {
    path += place.step;
    const spot = reach.spotOf(place.nodes);
    const refused: Place | undefined = partsOf(place.value, spot.nodes).find(({ value, nodes }) =>
      nodes.some((node) => validate(node, value) === 'rejected'),
    );
    if (refused === undefined && isJsonObject(place.value)) {
      const { value } = place;
      const missing = [...reach.requiredKeys(spot)].find((key) => !Object.hasOwn(value, key));
      if (missing !== undefined) path += stepText(missing);
    }
    place = refused ?? null;
  }
  return path === '$' ? null : path;
}

interface Place {
  readonly step: string;
  readonly value: Json;
  /** Schemas of which each has to accept the value. */
  readonly nodes: readonly SchemaNode[];
}

function partsOf(whole: Json, nodes: readonly SchemaNode[]): readonly Place[] {
  if (Array.isArray(whole)) {
    return whole.map((value: Json, index) => {
      const own = nodes.map(({ keywords }) => keywords.prefixItems?.[index] ?? keywords.items);
      return { step: '[*]', value, nodes: own.filter((node) => node !== undefined) };
    });
  }
  if (!isJsonObject(whole)) return [];
  return Object.entries(whole).map(([key, value]) => {
    const own = nodes.map(({ keywords }) => keywords.properties?.get(key));
    return { step: stepText(key), value, nodes: own.filter((node) => node !== undefined) };
  });
}
