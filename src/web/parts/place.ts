// Converts the location of a change in a schema to the location in a value.

import { anyMember, type MarkStep } from './json-view.tsx';

/** Keywords that also go one step down in the value; `named` ones are followed by a name. */
type Step = 'named' | 'any' | 'any named' | 'stay' | 'stay numbered';

const steps: ReadonlyMap<string, Step> = new Map<string, Step>([
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

/**
 * `null` if the location has no counterpart in a value, as within `$defs`.
 *
 * @example valuePlace('$.properties.lines.items.properties.sku') // ['lines', anyMember, 'sku']
 */
export function valuePlace(path: string): readonly MarkStep[] | null {
  const parts = splitPath(path);
  const found: MarkStep[] = [];
  for (let index = 0; index < parts.length; index++) {
    const step = steps.get(String(parts[index]));
    if (step === undefined) return null;
    const name = parts[index + 1];
    if (step === 'named' && name !== undefined) found.push(name);
    else if (step === 'any' || step === 'any named') found.push(anyMember);
    if (step.endsWith('named') || step.endsWith('numbered')) index++;
  }
  return found;
}

function splitPath(path: string): (string | number)[] {
  const matches = path.matchAll(/\.([\w$-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g);
  return [...matches].map(([, name, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (name ?? '') : String(JSON.parse(quoted));
  });
}
