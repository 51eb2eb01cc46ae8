// What the files of a source read, by asset.

import type { FoundReads } from './found-reads.ts';

/** What a finder found in one file, or in one model. */
export interface ReadPlace {
  readonly place: string;
  readonly found: FoundReads;
}

export interface AssetReads {
  readonly fqn: string;
  readonly places: readonly AssetPlace[];
}

interface AssetPlace {
  readonly place: string;
  /** Null: everything. */
  readonly fields: readonly string[] | null;
  /** Why everything is read. */
  readonly reason: string | null;
}

/** Null for a name that belongs to no asset. */
type FqnOf = (name: readonly string[]) => string | null;

/** @example gatherReads([{ place: 'a.sql', found }], fqnOf)[0].places // [{ place: 'a.sql', fields: ['$.id'] }] */
export function gatherReads(places: readonly ReadPlace[], fqnOf: FqnOf): readonly AssetReads[] {
  const assets = new Map<string, Map<string, AssetPlace>>();
  for (const { place, found } of places) {
    for (const { name, fields, reason } of found.reads) {
      const fqn = fqnOf(name);
      if (fqn === null) continue;
      const ofAsset = assets.get(fqn) ?? new Map<string, AssetPlace>();
      assets.set(fqn, ofAsset);
      ofAsset.set(place, together(ofAsset.get(place), { place, fields, reason }));
    }
  }
  return [...assets]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([fqn, ofAsset]) => ({ fqn, places: [...ofAsset.values()] }));
}

/** Two names may belong to one asset, such as `orders` and `public.orders`. */
function together(before: AssetPlace | undefined, next: AssetPlace): AssetPlace {
  if (before === undefined) return next;
  if (before.fields === null) return before;
  if (next.fields === null) return next;
  return { ...next, fields: [...new Set([...before.fields, ...next.fields])].sort() };
}

/** Those of the API. */
const maxPlaces = 1_000;
const maxFields = 10_000;

/**
 * The places as the API takes them. If there are too many, those of a folder become one.
 *
 * @example fitPlaces([{ place: 'a/b.sql', fields: ['$.id'] }]) // the same
 */
export function fitPlaces<Place extends Pick<AssetPlace, 'place' | 'fields'>>(
  places: readonly Place[],
): readonly Pick<AssetPlace, 'place' | 'fields'>[] {
  let fitting: readonly Pick<AssetPlace, 'place' | 'fields'>[] = places.map(
    ({ place, fields }) => ({ place, fields }),
  );
  const deepest = Math.max(0, ...places.map(({ place }) => place.split('/').length));
  for (let depth = deepest - 1; depth >= 0 && !isFitting(fitting); depth--) {
    const folders = Map.groupBy(places, ({ place }) => place.split('/').slice(0, depth).join('/'));
    fitting = [...folders].map(([folder, inside]) => {
      const place = folder === '' ? 'all files' : folder;
      if (inside.some(({ fields }) => fields === null)) return { place, fields: null };
      const fields = new Set(inside.flatMap((each) => each.fields ?? []));
      return { place, fields: [...fields].sort() };
    });
  }
  return isFitting(fitting) ? fitting : [{ place: 'all files', fields: null }];
}

function isFitting(places: readonly Pick<AssetPlace, 'fields'>[]): boolean {
  const fields = places.reduce((sum, each) => sum + (each.fields?.length ?? 0), 0);
  return places.length <= maxPlaces && fields <= maxFields;
}
