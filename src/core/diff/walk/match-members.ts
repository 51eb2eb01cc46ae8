// Matches the members of two unions: by reference, by meaning, by title, by a constant that
// identifies them, by shared properties, by type, or because only one is left on each side.

import { isJsonObject } from '../../value/json.ts';
import { referenceOf } from '../places/place.ts';
import type { Place } from '../places/place.types.ts';
import type { PlaceClasses } from '../places/place-classes.ts';
import { typeBit } from '../places/type-set.ts';

interface MatchedMembers {
  readonly pairs: readonly (readonly [Place, Place])[];
  readonly gone: readonly Place[];
  readonly come: readonly Place[];
}

export function matchMembers(
  likeness: PlaceClasses,
  old: readonly Place[],
  next: readonly Place[],
): MatchedMembers {
  const pairs: (readonly [Place, Place])[] = [];
  const gone = new Set(old);
  const come = new Set(next);
  const take = (was: Place, is: Place) => {
    gone.delete(was);
    come.delete(is);
    pairs.push([was, is]);
  };
  for (const nameOf of [referenceOf, likenessName(likeness), titleOf, constantsOf]) {
    if (gone.size === 0 || come.size === 0) break;
    for (const [was, is] of pairedByName(gone, come, nameOf)) take(was, is);
  }
  for (const [was, is] of pairedByProperties(gone, come)) take(was, is);
  for (const [was, is] of pairedByType(gone, come)) take(was, is);
  return { pairs, gone: [...gone], come: [...come] };
}

/** Leaves out the members that are like a member of the other side. */
export function withoutRepeated(
  likeness: PlaceClasses,
  left: readonly Place[],
  others: readonly Place[],
): readonly Place[] {
  if (left.length === 0) return left;
  const known = new Set(others.map((member) => likeness.classOf(member)));
  return left.filter((member) => !known.has(likeness.classOf(member)));
}

type Pairs = readonly (readonly [Place, Place])[];

/** Pairs the members whose name occurs once on each side. */
function pairedByName(
  gone: ReadonlySet<Place>,
  come: ReadonlySet<Place>,
  nameOf: (place: Place) => string | null,
): Pairs {
  const before = Map.groupBy(gone, nameOf);
  const after = Map.groupBy(come, nameOf);
  return [...before].flatMap(([name, members]) => {
    const [was, ...moreGone] = members;
    const [is, ...moreCome] = (name === null ? undefined : after.get(name)) ?? [];
    if (was === undefined || is === undefined) return [];
    return moreGone.length + moreCome.length === 0 ? [[was, is] as const] : [];
  });
}

function likenessName(likeness: PlaceClasses): (place: Place) => string {
  return (place) => `${likeness.classOf(place)}`;
}

function titleOf(place: Place): string | null {
  const raw = place.nodes[0]?.raw;
  const title = raw !== undefined && isJsonObject(raw) ? raw.title : undefined;
  return typeof title === 'string' ? title : null;
}

/** The properties that have a single constant as their value, such as a discriminator. */
function constantsOf(place: Place): string | null {
  const constants = place.view.objects.flatMap(({ properties }) =>
    [...properties.keys()].flatMap((key) => {
      const isWritten = properties.nodesAt(key).some(mayListValues);
      const values = isWritten ? properties.get(key)?.view.values : undefined;
      return values?.size === 1 ? [`${key}=${[...values.keys()].join()}`] : [];
    }),
  );
  return constants.length === 0 ? null : constants.sort().join();
}

function mayListValues({ keywords }: Place['nodes'][number]): boolean {
  return (keywords.const ?? keywords.enum ?? keywords.ref ?? keywords.allOf) !== undefined;
}

/** Two objects count as the same if they share at least this part of their properties. */
const minCommon = 0.5;

/** Every pair of members is compared, so larger unions are not matched this way. */
const maxCompared = 50;

/** The most similar pairs come first. */
function pairedByProperties(gone: ReadonlySet<Place>, come: ReadonlySet<Place>): Pairs {
  if (gone.size === 0 || come.size === 0 || gone.size * come.size > maxCompared ** 2) return [];
  const keysOf = (place: Place) =>
    new Set(place.view.objects.flatMap(({ properties }) => [...properties.keys()]));
  const after = [...come].map((is) => ({ is, keys: keysOf(is) }));
  const scored = [...gone].flatMap((was) => {
    const keys = keysOf(was);
    return after.map((other) => ({ was, is: other.is, share: sharedPart(keys, other.keys) }));
  });
  const taken = new Set<Place>();
  return scored
    .filter(({ share }) => share >= minCommon)
    .sort((a, b) => b.share - a.share)
    .flatMap(({ was, is }) => {
      if (taken.has(was) || taken.has(is)) return [];
      taken.add(was).add(is);
      return [[was, is] as const];
    });
}

function sharedPart(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const all = a.union(b).size;
  return all === 0 ? 0 : a.intersection(b).size / all;
}

/**
 * Pairs the members that are the only ones of their types on each side, or the only ones at all.
 */
function pairedByType(gone: ReadonlySet<Place>, come: ReadonlySet<Place>): Pairs {
  const [was] = gone;
  const [is] = come;
  if (was !== undefined && is !== undefined && gone.size === 1 && come.size === 1) {
    return (was.view.types & is.view.types) === 0 ? [] : [[was, is]];
  }
  const isPlainType = ({ view }: Place) => (view.types & typeBit.object) === 0;
  return pairedByName(
    new Set([...gone].filter(isPlainType)),
    new Set([...come].filter(isPlainType)),
    ({ view }) => `${view.types}`,
  );
}
