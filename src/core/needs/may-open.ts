// Whether a change lets a later version write fields that the new one does not name.

import type { Change } from '../comparison.ts';
import { openPlaces } from '../diff/places/place.ts';
import { itemsOf, openReach } from '../diff/places/reach.ts';
import { typeBit } from '../diff/places/type-set.ts';
import type { SchemaDocument, SchemaNode } from '../schema/schema.ts';
import { type ValuePlaceStep, valuePlaceOf } from '../schema/value-place.ts';

/** Of these, a need may refuse other fields than the one in the example. */
const openingTypes: ReadonlySet<string> = new Set([
  ...['additional_properties_opened', 'schema_widened'],
]);

/** These say nothing of objects, or of no other fields than the one that they name. */
const otherTypes: ReadonlySet<string> = new Set([
  ...['property_removed', 'required_added', 'required_removed', 'nullable_added'],
]);

/**
 * Whether the new version may write an object at the place of a change, with more fields than it names. The example of
 * a change says nothing of it: where a number and an object were added, it is a number.
 */
export function openMayOpen(next: SchemaDocument): (change: Change) => boolean {
  const reach = openReach(() => false, 'most');
  const book = openPlaces(next, 'new');
  const below = (nodes: readonly SchemaNode[], step: ValuePlaceStep): readonly SchemaNode[] => {
    const spot = reach.spotOf(nodes);
    if (step === null) return [...itemsOf(reach, spot).nodes, ...reach.nodesAtOtherKeys(spot)];
    return typeof step === 'number' ? reach.nodesAtItem(spot, step) : reach.nodesAtKey(spot, step);
  };
  const holdsObject = (start: readonly SchemaNode[]): boolean => {
    const seen = new Set(start);
    for (const node of seen) {
      const { types } = book.placeOf([node]).view;
      if (types & typeBit.object) return true;
      const items = types & typeBit.array ? itemsOf(reach, reach.spotOf([node])).nodes : null;
      // Items that nothing is said of may be anything.
      if (items?.length === 0) return true;
      for (const item of items ?? []) seen.add(item);
    }
    return start.length === 0;
  };
  return ({ type, path, witness }) => {
    // Which names are allowed may be said by a pattern for the others, whose values say nothing.
    if (openingTypes.has(type) || path.includes('.patternProperties[')) return true;
    const isOfValues = witness !== undefined || type === 'compatibility_undecided';
    if (otherTypes.has(type) || !isOfValues) return false;
    return holdsObject(valuePlaceOf(path).steps.reduce(below, [next.root]));
  };
}
