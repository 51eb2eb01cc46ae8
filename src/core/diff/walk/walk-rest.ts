// Compares as a whole what the finer types of changes cannot express (`not`, `if`, dependencies,
// property names, `contains`, and unions that cannot be compared member by member). The engine
// decides whether it breaks.

import type { SchemaProblem } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { Place, View } from '../places/place.types.ts';
import { listed, schemaText } from '../places/schema-text.ts';
import { aboutOf } from '../places/signature.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import type { PlacePair, Walk } from './walk.types.ts';
import { candidate } from './walk-scalars.ts';

/** Compares everything else that two places demand of a value. */
export function compareRest(
  walk: Walk,
  pair: PlacePair,
  old: View,
  next: View,
  unionsAreTold: boolean,
): void {
  const kinds = unionsAreTold ? demandKinds : [...demandKinds, unionKind];
  const movements = kinds.flatMap((kind) => movementOf(walk, kind, old, next));
  if (movements.length === 0) return;
  walk.found.push(
    candidate(pair, {
      type: 'schema_changed',
      says: movements.join('; '),
      newDemand: nodeOfPlace(walk.nextBook, pair.next),
      oldDemand: nodeOfPlace(walk.oldBook, pair.old),
    }),
  );
}

/**
 * One demand of a place. Two demands are the same if `about` and the classes of `places` are equal.
 */
interface Demand {
  readonly about: string;
  readonly places: readonly (Place | null)[];
  /** Whether the order of the places is irrelevant. */
  readonly isSet?: boolean;
  /** The demand in words, to follow "was" or "is". */
  readonly text: () => string;
}

interface DemandKind {
  /** The name of the keyword in a sentence. */
  readonly name: string;
  readonly demandsOf: (view: View) => readonly Demand[];
}

/** One row for each keyword. */
const demandKinds: readonly DemandKind[] = [
  {
    name: 'what not excludes',
    demandsOf: ({ nots }) =>
      nots.map((place) => ({ about: '', places: [place], text: () => schemaText(place) })),
  },
  {
    name: 'the condition',
    demandsOf: ({ ifs }) =>
      ifs.map(({ condition, whenTrue, whenFalse }) => ({
        about: '',
        places: [condition, whenTrue, whenFalse],
        text: () =>
          [
            `if ${schemaText(condition)}`,
            ...(whenTrue === null ? [] : [`then ${schemaText(whenTrue)}`]),
            ...(whenFalse === null ? [] : [`else ${schemaText(whenFalse)}`]),
          ].join(' '),
      })),
  },
  {
    name: 'contains',
    demandsOf: ({ contains }) =>
      contains.map(({ place, min, max }) => ({
        about: `${min} ${max}`,
        places: [place],
        text: () => `${countText(min, max)} of ${schemaText(place)}`,
      })),
  },
  {
    name: 'unevaluatedItems',
    demandsOf: (view) => view.unevaluatedItems.map(demandOfPlace),
  },
  { name: 'propertyNames', demandsOf: (view) => view.propertyNames.map(demandOfPlace) },
  {
    name: 'dependentSchemas',
    demandsOf: (view) =>
      [...view.dependentSchemas].map(([key, place]) => ({
        about: key,
        places: [place],
        text: () => `${schemaText(place)} where ${JSON.stringify(key)} is present`,
      })),
  },
  {
    name: 'dependentRequired',
    demandsOf: (view) =>
      [...view.dependentRequired].flatMap(([key, names]) =>
        [...names].map((name) => ({
          about: JSON.stringify([key, name]),
          places: [],
          text: () => `${JSON.stringify(name)} where ${JSON.stringify(key)} is present`,
        })),
      ),
  },
  {
    name: '$dynamicRef',
    demandsOf: (view) =>
      view.dynamic.map(({ anchor, target }) => ({
        about: anchor,
        places: [target],
        text: () => `#${anchor}, ${schemaText(target)} unless another schema has that name`,
      })),
  },
  {
    name: 'a size',
    demandsOf: (view) =>
      view.problems
        .filter((problem) => !isUnread(problem))
        .map(({ keyword, uri = '' }) => ({
          ...{ about: `${keyword} ${uri}`, places: [], text: () => `${keyword} ${uri}` },
        })),
  },
  {
    name: 'an unsupported keyword',
    demandsOf: (view) =>
      view.problems.filter(isUnread).map((problem) => ({
        about: JSON.stringify([problem.code, problem.keyword, aboutOf(problem)] satisfies Json),
        places: [],
        text: () => `${problem.keyword} ${problem.uri ?? problem.message}`,
      })),
  },
];

function isUnread({ wideSize }: SchemaProblem): boolean {
  return wideSize === undefined;
}

const unionKind: DemandKind = {
  name: 'the choice',
  demandsOf: ({ unions }) =>
    unions.map(({ kind, members }) => ({
      about: kind,
      places: members,
      isSet: true,
      text: () => `${kind} of ${listed(members.map(schemaText), ' and ')}`,
    })),
};

function demandOfPlace(place: Place): Demand {
  return { about: '', places: [place], text: () => schemaText(place) };
}

function countText(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return `at least ${min}`;
  return min === max ? `exactly ${min}` : `${min} to ${max}`;
}

/**
 * Describes what one keyword no longer demands and what it demands now. Returns nothing if it
 * demands the same.
 */
function movementOf(walk: Walk, kind: DemandKind, old: View, next: View): readonly string[] {
  const nameOf = (demand: Demand) => {
    const names = demand.places.map((place) =>
      place === null ? '-' : `${walk.classes.classOf(place)}`,
    );
    return `${demand.about} ${(demand.isSet ? names.sort() : names).join()}`;
  };
  const [was, is] = withoutWrittenAlike(walk, kind.demandsOf(old), kind.demandsOf(next));
  const before = new Map(was.map((demand) => [nameOf(demand), demand.text()]));
  const after = new Map(is.map((demand) => [nameOf(demand), demand.text()]));
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, text]) => text);
  const come = [...after].filter(([key]) => !before.has(key)).map(([, text]) => text);
  if (gone.length === 0 && come.length === 0) return [];
  const { name } = kind;
  const gonePart = listed(gone, ' and ');
  const comePart = listed(come, ' and ');
  if (gone.length === 0) return [`${name} was added: ${comePart}`];
  if (come.length === 0) return [`${name} was dropped: it was ${gonePart}`];
  return [
    gonePart === comePart
      ? `${name} changed inside: ${comePart}`
      : `${name} was ${gonePart}, and is ${comePart}`,
  ];
}

/**
 * Leaves out the demands that were written alike. Only the others need classes, which read
 * everything that a place leads to.
 */
function withoutWrittenAlike(
  walk: Walk,
  old: readonly Demand[],
  next: readonly Demand[],
): readonly [readonly Demand[], readonly Demand[]] {
  const isAlike = (was: Demand, is: Demand) =>
    was.about === is.about &&
    was.places.length === is.places.length &&
    was.places.every((place, index) => {
      const other = is.places[index] ?? null;
      if (place === null || other === null) return place === other;
      return walk.isAlike(place.nodes, other.nodes);
    });
  return [
    old.filter((was) => !next.some((is) => isAlike(was, is))),
    next.filter((is) => !old.some((was) => isAlike(was, is))),
  ];
}
