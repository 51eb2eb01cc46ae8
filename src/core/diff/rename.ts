import type { Change } from '../comparison.ts';
import type { Place } from './places/place.types.ts';
import type { PlaceClasses } from './places/place-classes.ts';
import type { Candidate, PlacePair } from './walk/walk.types.ts';

/**
 * A removed and an added property at the same place and with the same meaning may be one property
 * that was renamed. The hint is reported in addition to the pair and never replaces it.
 */
export function hintRenames(
  classes: PlaceClasses,
  candidates: readonly Candidate[],
): readonly Change[] {
  const moved = candidates.filter(({ key }) => key !== undefined);
  const byPair = Map.groupBy(moved, ({ pair }) => pair);
  return [...byPair].flatMap(([pair, members]) => {
    const removed = members.filter(({ type }) => type === 'property_removed');
    const added = members.filter(({ type }) => type === 'property_added');
    if (removed.length === 0 || added.length === 0) return [];
    const wasByClass = Map.groupBy(removed, (each) => classAt(classes, pair, 'old', each.key));
    const isByClass = Map.groupBy(added, (each) => classAt(classes, pair, 'next', each.key));
    return [...wasByClass].flatMap(([name, before]) => {
      const after = isByClass.get(name) ?? [];
      const [was] = before;
      const [is] = after;
      const isOnlyPair = before.length === 1 && after.length === 1;
      return isOnlyPair && was?.key !== undefined && is?.key !== undefined
        ? [renameHint(was.path.text, was.key, is.key)]
        : [];
    });
  });
}

function classAt(
  classes: PlaceClasses,
  pair: PlacePair,
  side: 'old' | 'next',
  key: string | undefined,
): number {
  const place: Place | undefined = pair[side].view.objects
    .map((regions) => regions.properties.get(key ?? ''))
    .find((found) => found !== undefined);
  return place === undefined ? -1 : classes.classOf(place);
}

function renameHint(path: string, was: string, is: string): Change {
  return {
    type: 'property_renamed',
    path,
    description: `\`${path}\`: ${was} and ${is} have the same definition, so this may be a rename`,
    breaking: false,
    old: was,
    new: is,
  };
}
