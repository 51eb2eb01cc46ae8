// Rule F2 for demands that are not written as `required` (docs/decisions/forward-demands.md): by
// `dependentRequired`, a number of properties, a `not`, a condition or a list of values. The engine
// is asked whether every value that the producer writes at the place has the new property.

import type { OpenComparison } from '../../containment/contains.ts';
import type { DeclaredPath, PathFindings, Undecided } from '../places/declared-paths.ts';
import type { Emptiness } from '../places/emptiness.ts';
import { pathBelow } from '../places/path.ts';
import type { Place, PlaceBook, View } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import type { Candidate, PlacePair } from '../walk/walk.types.ts';
import { demandOf } from '../walk/walk-scalars.ts';

interface Asked {
  readonly session: OpenComparison;
  readonly oldBook: PlaceBook;
  readonly nextBook: PlaceBook;
  readonly emptiness: { readonly next: Emptiness };
}

interface Added {
  readonly pair: PlacePair;
  readonly keys: Set<string>;
}

/** Adds the properties that such keywords demand to those that `required` demands. */
export function withHiddenDemands(
  asked: Asked,
  candidates: readonly Candidate[],
  found: PathFindings,
): PathFindings {
  const known = new Set(found.paths.map(({ path }) => path.text));
  const paths: DeclaredPath[] = [];
  let undecided: Undecided | null = null;
  for (const { pair, keys } of addedAt(candidates)) {
    const names = [...keys].filter((key) => !known.has(pathOf(pair, key).text));
    const demanded = demandedOf(asked, pair, names);
    if (demanded === null) {
      undecided ??= { place: pair.path.text, reason: 'new properties may be required there.' };
    }
    paths.push(...(demanded ?? []).map((key) => ({ path: pathOf(pair, key), key })));
  }
  return {
    ...found,
    paths: [...found.paths, ...paths],
    undecided: found.undecided ?? undecided,
  };
}

function pathOf(pair: PlacePair, key: string): DeclaredPath['path'] {
  const isDeclared = pair.next.view.objects.some(({ properties }) => properties.has(key));
  return pathBelow(pair.path, isDeclared ? ['properties', key] : ['dependentRequired']);
}

/** The new properties of each place, and what `dependentRequired` demands there. */
function addedAt(candidates: readonly Candidate[]): readonly Added[] {
  const places = new Map<Place, Added>();
  for (const { pair, type, key, kind } of candidates) {
    if (kind !== 'schema') continue;
    const { old, next } = pair;
    const added = places.get(next) ?? { pair, keys: new Set() };
    if (type === 'property_added' && key !== undefined) added.keys.add(key);
    for (const name of [...next.view.dependentRequired.values()].flatMap((names) => [...names])) {
      if (!declares(old.view, name) && !old.view.required.has(name)) added.keys.add(name);
    }
    if (added.keys.size > 0) places.set(next, added);
  }
  return [...places.values()];
}

function declares({ objects }: View, key: string): boolean {
  return objects.some(({ properties }) => properties.has(key));
}

/** The names that all written values have, or all with some name of old. Null if undecided. */
function demandedOf(
  { session, oldBook, nextBook, emptiness }: Asked,
  { old, next }: PlacePair,
  names: readonly string[],
): readonly string[] | null {
  if (names.length === 0 || !mayHideDemands(next.view)) return [];
  const closed = emptiness.next.isFilled(next);
  const triggers = [...next.view.dependentRequired.keys()].filter((key) => declares(old.view, key));
  const requires = (book: PlaceBook, key: string) => demandOf(book, { required: [key] });
  const withTrigger = (book: PlaceBook, place: Place, trigger: string | null) => {
    const own = nodeOfPlace(book, place);
    return trigger === null ? own : demandOf(book, { allOf: [own, requires(book, trigger)] });
  };
  let isUndecided = false;
  const demanded = new Set<string>();
  for (const trigger of [null, ...triggers]) {
    const [is, was] = [withTrigger(nextBook, next, trigger), withTrigger(oldBook, old, trigger)];
    const isDemanded = (some: readonly string[]) => {
      const demand = demandOf(nextBook, { anyOf: some.map((key) => requires(nextBook, key)) });
      const { verdict } = session.contains(is, demand, { closed });
      if (verdict === 'undecided') isUndecided = true;
      return verdict === 'yes';
    };
    // One value without any of the names answers for all of them.
    if (!isDemanded(names)) continue;
    for (const key of names) {
      const wasDemanded = () => session.contains(was, requires(oldBook, key)).verdict === 'yes';
      if (isDemanded([key]) && !wasDemanded()) demanded.add(key);
    }
  }
  return demanded.size === 0 && isUndecided ? null : [...demanded];
}

/** Other keywords than `required` demand nothing. */
function mayHideDemands(view: View): boolean {
  return (
    view.minProperties > 0 ||
    view.values !== null ||
    view.dependentRequired.size + view.dependentSchemas.size > 0 ||
    view.nots.length + view.ifs.length + view.unions.length + view.dynamic.length > 0
  );
}
