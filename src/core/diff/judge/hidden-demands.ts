// Rule F2 for demands that are not written as `required` (docs/decisions/forward-demands.md): by
// `dependentRequired`, a number of properties, a `not`, a condition or a list of values. The engine
// is asked whether every value that the producer writes at the place has the new property.

import type { OpenComparison } from '../../containment/contains.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import { isJsonObject } from '../../value/json.ts';
import type { DeclaredPath, PathFindings, Undecided } from '../places/declared-paths.ts';
import type { Emptiness } from '../places/emptiness.ts';
import { matchesKey } from '../places/key-pattern.ts';
import { pathBelow } from '../places/path.ts';
import type { Place, PlaceBook, View } from '../places/place.types.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import { withoutNames } from '../rewrite/without-names.ts';
import type { Candidate, PlacePair } from '../walk/walk.types.ts';
import { demandOf } from '../walk/walk-scalars.ts';
import { isWithinBranch } from './added-demands.ts';
import { withKey } from './find-witness.ts';

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
    const isTold = (demanded?.length ?? 0) > 0 || names.length < keys.size;
    const unnamed = isTold ? 'no' : demandsUnknown(asked, pair);
    if (demanded === null || unnamed === 'undecided') {
      undecided ??= { place: pair.path.text, reason: 'new properties may be required there.' };
    }
    paths.push(...(demanded ?? []).map((key) => ({ path: pathOf(pair, key), key })));
    if (unnamed === 'yes') paths.push({ path: pair.path, key: null });
  }
  if (found.paths.length + paths.length === 0 && undecided === null) {
    for (const pair of wholePlaces(candidates)) {
      const some = demandsOfSome(asked, pair);
      if (some === 'undecided') {
        undecided ??= {
          place: pair.path.text,
          reason: 'new properties may be required there of some values.',
        };
      }
      if (some === 'yes') paths.push({ path: pair.path, key: null });
    }
  }
  return {
    ...found,
    paths: [...found.paths, ...paths],
    undecided: found.undecided ?? undecided,
  };
}

function pathOf(pair: PlacePair, key: string): DeclaredPath['path'] {
  const { view } = pair.next;
  if (declares(view, key)) return pathBelow(pair.path, ['properties', key]);
  return pathBelow(pair.path, [view.required.has(key) ? 'required' : 'dependentRequired']);
}

/** The new properties of each place, and what `dependentRequired` demands there. */
function addedAt(candidates: readonly Candidate[]): readonly Added[] {
  const places = new Map<Place, Added>();
  for (const { pair, type, key, kind } of candidates) {
    if (kind !== 'schema') continue;
    const { old, next } = pair;
    const added = places.get(next) ?? { pair, keys: new Set() };
    places.set(next, added);
    const isNew = type === 'property_added' || type === 'required_added';
    if (isNew && key !== undefined && !declares(old.view, key)) added.keys.add(key);
  }
  return [...places.values()]
    .map(({ pair, keys }) => ({ pair, keys: new Set([...keys, ...newDependants(pair)]) }))
    .filter(({ pair, keys }) => keys.size > 0 || mayHideDemands(pair.next.view));
}

/** What `dependentRequired` demands, and old neither declares nor demands. */
function newDependants({ old, next }: PlacePair): readonly string[] {
  const demanded = [...next.view.dependentRequired.values()].flatMap((names) => [...names]);
  return demanded.filter((name) => !declares(old.view, name) && !old.view.required.has(name));
}

function declaresSomewhere(place: Place, key: string): boolean {
  return viewsWithin(place).some((view) => declares(view, key));
}

/** The view of a place, and those of its branches, conditions and dependencies. */
function viewsWithin(place: Place): readonly View[] {
  return viewsFrom(place, branchesOf);
}

function viewsFrom(place: Place, partsOf: (view: View) => readonly Place[]): readonly View[] {
  const places = new Set([place]);
  // A set grows while it is walked.
  for (const { view } of places) for (const part of partsOf(view)) places.add(part);
  return [...places].map(({ view }) => view);
}

function branchesOf({ unions, ifs, dependentSchemas }: View): readonly Place[] {
  const conditional = ifs.flatMap(({ whenTrue, whenFalse }) => [whenTrue, whenFalse]);
  return [
    ...unions.flatMap(({ members }) => members),
    ...conditional.filter((part) => part !== null),
    ...dependentSchemas.values(),
  ];
}

/** The branches, and what does not describe the value but may refuse it. */
function allPartsOf(view: View): readonly Place[] {
  const { nots, ifs, dynamic } = view;
  const conditions = ifs.map(({ condition }) => condition);
  return [...branchesOf(view), ...nots, ...conditions, ...dynamic.map(({ target }) => target)];
}

function declares({ objects }: View, key: string): boolean {
  return objects.some(({ properties }) => properties.has(key));
}

/** The names that all written values have, or all with some name of old. Null if undecided. */
function demandedOf(
  asked: Asked,
  pair: PlacePair,
  names: readonly string[],
): readonly string[] | null {
  const along = demandedAlong(asked, pair, names);
  const left = names.filter((key) => !along.includes(key));
  const always = demandedAlways(asked, pair, left);
  return always === null && along.length === 0 ? null : [...along, ...(always ?? [])];
}

/** Those that come along with a name that both sides have, by `dependentRequired`. */
function demandedAlong(
  asked: Asked,
  { old, next }: PlacePair,
  names: readonly string[],
): readonly string[] {
  const { dependentRequired, required } = next.view;
  const isKept = (key: string) =>
    declaresSomewhere(old, key) && (declaresSomewhere(next, key) || required.has(key));
  const found = new Set<string>();
  for (const trigger of dependentRequired.keys()) {
    if (!isKept(trigger)) continue;
    const along = new Set([trigger]);
    // A set grows while it is walked.
    for (const key of along) for (const each of dependentRequired.get(key) ?? []) along.add(each);
    for (const key of names) {
      if (along.has(key) && !isDemandedByOld(asked, old, trigger, key)) found.add(key);
    }
  }
  return [...found];
}

/** Null if undecided. */
function demandedAlways(
  asked: Asked,
  { old, next }: PlacePair,
  names: readonly string[],
): readonly string[] | null {
  const { session, nextBook, emptiness } = asked;
  if (names.length === 0 || !mayHideDemands(next.view)) return [];
  const own = nodeOfPlace(nextBook, next);
  const closed = emptiness.next.isFilled(next);
  const verdictOn = (some: readonly string[]) => {
    const demand = demandOf(nextBook, { anyOf: some.map((key) => requires(nextBook, key)) });
    return session.contains(own, demand, { closed }).verdict;
  };
  // One value without any of the names answers for all of them.
  const any = verdictOn(names);
  if (any !== 'yes') return any === 'no' ? [] : null;
  const verdicts = names.map((key) => [key, verdictOn([key])] as const);
  const demanded = verdicts.filter(
    ([key, verdict]) => verdict === 'yes' && !isDemandedByOld(asked, old, null, key),
  );
  const isOpen = verdicts.some(([, verdict]) => verdict === 'undecided');
  return isOpen && demanded.length === 0 ? null : demanded.map(([key]) => key);
}

function requires(book: PlaceBook, key: string) {
  return demandOf(book, { required: [key] });
}

/** Whether old demands the key of all values, or of all with the trigger. */
function isDemandedByOld(
  { session, oldBook }: Asked,
  old: Place,
  trigger: string | null,
  key: string,
): boolean {
  const { view } = old;
  if (!mayHideDemands(view) && view.dependentRequired.size === 0) return view.required.has(key);
  const own = nodeOfPlace(oldBook, old);
  const asked =
    trigger === null ? own : demandOf(oldBook, { allOf: [own, requires(oldBook, trigger)] });
  return session.contains(asked, requires(oldBook, key)).verdict === 'yes';
}

/** Whether each value that the producer writes has a property that the old schema does not know. */
function demandsUnknown(
  { session, oldBook, nextBook, emptiness }: Asked,
  { old, next }: PlacePair,
): 'yes' | 'no' | 'undecided' {
  const known = mayHideDemands(next.view) ? knownNames(oldBook, old) : null;
  if (known === null || emptiness.next.ofPlace(next)) return 'no';
  const closed = emptiness.next.isFilled(next);
  const unknown = demandOf(nextBook, { not: known });
  const { verdict } = session.contains(nodeOfPlace(nextBook, next), unknown, { closed });
  if (verdict !== 'yes') return verdict;
  const before = session.contains(nodeOfPlace(oldBook, old), unknown).verdict;
  return before === 'yes' ? 'no' : 'yes';
}

/**
 * A schema of the objects whose properties the place knows, by name or by pattern. Null if the place is a
 * map, which knows every name.
 */
function knownNames(book: PlaceBook, place: Place): SchemaNode | null {
  const anything = demandOf(book, {});
  const names = new Map<string, SchemaNode>();
  const patterns = new Map<string, SchemaNode>();
  for (const view of viewsWithin(place)) {
    for (const { properties, patterns: matched, additional } of view.objects) {
      if (additional !== null && !additional.view.isNever) return null;
      for (const key of properties.keys()) names.set(key, anything);
      for (const pattern of matched.keys()) patterns.set(pattern, anything);
    }
    for (const key of view.required) names.set(key, anything);
    if (view.unevaluatedProperties.some((each) => !each.view.isNever)) return null;
  }
  return demandOf(book, {
    properties: names,
    patternProperties: patterns,
    additionalProperties: demandOf(book, { isFalse: true }),
  });
}

/** The places where something changed. A branch counts as the place that it belongs to. */
function wholePlaces(candidates: readonly Candidate[]): Iterable<PlacePair> {
  const places = new Map<string, PlacePair>();
  for (const { pair, kind } of candidates) {
    if (kind !== 'schema') continue;
    let whole = pair;
    while (whole.from?.step.kind === 'branch') whole = whole.from.parent;
    const way = [...waysOut(whole)].map(({ next }) => next.identity);
    places.set(way.join(), whole);
  }
  return places.values();
}

/** The pair and those around it, up to the first that is within no branch. */
function* waysOut(pair: PlacePair): Iterable<PlacePair> {
  yield pair;
  for (let at = pair; at.from !== null && isWithinBranch(at); ) {
    at = at.from.parent;
    yield at;
  }
}

/**
 * Whether some value of the old schema is refused by the new one only because it lacks properties that the old
 * schema does not know.
 */
function demandsOfSome(asked: Asked, pair: PlacePair): 'yes' | 'no' | 'undecided' {
  const { session, oldBook, nextBook } = asked;
  const found = refusalOf(asked, pair);
  if (found === null) return 'no';
  const { before, kept } = found;
  const { verdict } = session.contains(before, kept);
  if (verdict === 'yes') return 'no';
  if (!isWithinBranch(pair)) return verdict === 'no' ? 'yes' : verdict;
  // What one branch refuses, another one may accept.
  const ways = [...waysOut(pair)];
  const outer = ways.at(-1) ?? pair;
  const refused = demandOf(oldBook, { allOf: [before, demandOf(nextBook, { not: kept })] });
  const whole = demandOf(oldBook, {
    allOf: [nodeOfPlace(oldBook, outer.old), valueAround(oldBook, ways.slice(0, -1), refused)],
  });
  const answer = session.contains(whole, nodeOfPlace(nextBook, outer.next)).verdict;
  return answer === 'no' ? 'yes' : answer === 'yes' ? 'no' : 'undecided';
}

interface Refusal {
  /** Values of the old schema without new names. */
  readonly before: SchemaNode;
  /** Those of them that the new schema accepts, or refuses for another reason. */
  readonly kept: SchemaNode;
}

/** Null if the place demands no name that the old schema does not know. */
function refusalOf({ oldBook, nextBook }: Asked, { old, next }: PlacePair): Refusal | null {
  const known = mayHideDemands(next.view) ? knownNames(oldBook, old) : null;
  const { properties = new Map(), patternProperties = new Map() } = known?.keywords ?? {};
  if (known === null) return null;
  const isKnown = (name: string) =>
    properties.has(name) ||
    [...patternProperties.keys()].some((each) => matchesKey(oldBook.document, each, name));
  const names = [...namesWithin(next)].filter((name) => !isKnown(name));
  if (names.length === 0 && !refusesByNames(next)) return null;
  const own = nodeOfPlace(nextBook, next);
  const freed = withoutNames(nextBook, own, new Set(names));
  if (freed === own) return null;
  return {
    before: demandOf(oldBook, { allOf: [nodeOfPlace(oldBook, old), known] }),
    kept: demandOf(nextBook, { anyOf: [own, demandOf(nextBook, { not: freed })] }),
  };
}

/** Whether a `not` or a condition of the place refuses values that have no other names than some. */
function refusesByNames(place: Place): boolean {
  const parts = viewsWithin(place).flatMap(({ nots, ifs }) => [
    ...nots,
    ...ifs.map(({ condition }) => condition),
  ]);
  return parts
    .flatMap((part) => viewsFrom(part, allPartsOf))
    .some(
      ({ propertyNames, unevaluatedProperties, objects }) =>
        propertyNames.length + unevaluatedProperties.length > 0 ||
        objects.some(({ additional, patterns }) => additional !== null || patterns.size > 0),
    );
}

/** A schema of values that have such a part at the first of the pairs, which lead out of it. */
function valueAround(book: PlaceBook, ways: readonly PlacePair[], part: SchemaNode): SchemaNode {
  return ways.reduce((inner, { old, from }) => {
    switch (from?.step.kind) {
      case 'key':
        return withKey(book, from.step.key, inner);
      case 'branch':
        return demandOf(book, { allOf: [nodeOfPlace(book, old), inner] });
      default: {
        const others = demandOf(book, { not: inner });
        const isItem = from?.step.kind === 'index';
        const none = demandOf(book, isItem ? { items: others } : { additionalProperties: others });
        return demandOf(book, { types: [isItem ? 'array' : 'object'], not: none });
      }
    }
  }, part);
}

/** The names that a place or one of its parts describes, demands, excludes or lists. */
function namesWithin(place: Place): ReadonlySet<string> {
  return new Set(
    viewsFrom(place, allPartsOf).flatMap((view) => [
      ...view.objects.flatMap(({ properties }) => [...properties.keys()]),
      ...view.required,
      ...[...view.dependentRequired.values()].flatMap((names) => [...names]),
      ...[...(view.values?.values() ?? [])].flatMap((value) =>
        isJsonObject(value) ? Object.keys(value) : [],
      ),
    ]),
  );
}

/** Other keywords than `required` and `dependentRequired` demand nothing. */
function mayHideDemands(view: View): boolean {
  return (
    view.minProperties > 0 ||
    view.values !== null ||
    view.dependentSchemas.size > 0 ||
    view.nots.length + view.ifs.length + view.unions.length + view.dynamic.length > 0
  );
}
