// Where in a value a place of a schema applies.

import { stepsOf } from '../value/json-path.ts';

/** A property, an item, or, as null, any of them. */
export type ValuePlaceStep = string | number | null;

/** How a keyword leads into a value; the `named` and `numbered` ones are followed by one more step. */
type Step = 'named' | 'any' | 'any named' | 'stay' | 'stay numbered';

export const placeSteps: ReadonlyMap<string | number, Step> = new Map<string, Step>([
  ['properties', 'named'],
  ['prefixItems', 'named'],
  ['items', 'any'],
  ['additionalProperties', 'any'],
  ['unevaluatedProperties', 'any'],
  ['patternProperties', 'any named'],
  ['allOf', 'stay numbered'],
  ['anyOf', 'stay numbered'],
  ['oneOf', 'stay numbered'],
  ['then', 'stay'],
  ['else', 'stay'],
]);

interface ValuePlace {
  readonly steps: readonly ValuePlaceStep[];
  /** Whether the path ends there. A path into `$defs` leads to no place in a value. */
  readonly isWhole: boolean;
}

/** @example valuePlaceOf('$.properties.lines.items.properties.sku').steps // ['lines', null, 'sku'] */
export function valuePlaceOf(path: string): ValuePlace {
  const parts = stepsOf(path);
  const found: ValuePlaceStep[] = [];
  for (let index = 0; index < parts.length; index++) {
    const step = placeSteps.get(parts[index] ?? '');
    if (step === undefined) return { steps: found, isWhole: false };
    const name = parts[index + 1];
    if (step === 'named' && name !== undefined) found.push(name);
    else if (step === 'any' || step === 'any named') found.push(null);
    if (step.endsWith('named') || step.endsWith('numbered')) index++;
  }
  return { steps: found, isWhole: true };
}
