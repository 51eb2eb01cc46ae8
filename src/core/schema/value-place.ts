// Where in a value a place of a schema applies.

import { stepsOf } from '../value/json-path.ts';

/** A property, an item, or, as null, any of them. */
export type ValuePlaceStep = string | number | null;

/** How a keyword leads into a value; the `named` and `numbered` ones are followed by one more step. */
type Step = 'named' | 'any' | 'any named' | 'stay' | 'stay numbered';

const placeSteps: ReadonlyMap<string | number, Step> = new Map<string, Step>([
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

type PathStep = string | number;

interface ReadPath {
  readonly steps: readonly {
    readonly keyword: PathStep;
    readonly kind: Step;
    /** The name, pattern or number behind the keyword, if it has one. */
    readonly argument: PathStep | undefined;
  }[];
  /** What follows the last step that leads into a value, as within `$defs`. */
  readonly rest: readonly PathStep[];
}

/** The keywords of a path, each with what it leads to. */
export function readPlace(path: readonly PathStep[]): ReadPath {
  const steps: ReadPath['steps'][number][] = [];
  for (let index = 0; index < path.length; index++) {
    const keyword = path[index] ?? '';
    const kind = placeSteps.get(keyword);
    if (kind === undefined) return { steps, rest: path.slice(index) };
    const hasArgument = kind.endsWith('named') || kind.endsWith('numbered');
    steps.push({ keyword, kind, argument: hasArgument ? path[++index] : undefined });
  }
  return { steps, rest: [] };
}

interface ValuePlace {
  readonly steps: readonly ValuePlaceStep[];
  /** Whether the path ends there. A path into `$defs` leads to no place in a value. */
  readonly isWhole: boolean;
}

/** @example valuePlaceOf('$.properties.lines.items.properties.sku').steps // ['lines', null, 'sku'] */
export function valuePlaceOf(path: string): ValuePlace {
  const { steps, rest } = readPlace(stepsOf(path));
  const found = steps.flatMap(({ kind, argument }): ValuePlaceStep[] => {
    if (kind === 'named') return argument === undefined ? [] : [argument];
    return kind.startsWith('any') ? [null] : [];
  });
  return { steps: found, isWhole: rest.length === 0 };
}
