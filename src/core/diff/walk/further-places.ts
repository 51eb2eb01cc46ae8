// The further places of a shared definition. A pair of places is reported a few times; the places
// that are left out are named in the last report. So the list stays short, and nothing is
// concealed.

import { movePath, type Path } from '../places/path.ts';
import type { Candidate, PlacePair } from './walk.types.ts';

/** The maximum number of places to name; these show the reader that the definition is shared. */
const maxNamed = 3;

interface FurtherPlaces {
  /** The pair is reported here. The last report of a key counts. */
  readonly tell: (key: string, pair: PlacePair) => void;
  /** The pair is met again and not reported. */
  readonly skip: (key: string, path: Path) => void;
  /** Returns the candidates, with the places that were skipped for them. */
  readonly named: (found: readonly Candidate[]) => readonly Candidate[];
}

export function openFurtherPlaces(): FurtherPlaces {
  const told = new Map<string, PlacePair>();
  const skipped = new Map<PlacePair, Path[]>();
  return {
    tell: (key, pair) => told.set(key, pair),
    skip(key, path) {
      const last = told.get(key);
      if (last === undefined) return;
      const paths = skipped.get(last) ?? [];
      skipped.set(last, paths);
      // One path more than are named shows that there are others.
      if (paths.length <= maxNamed) paths.push(path);
    },
    named: (found) => (skipped.size === 0 ? found : found.map((each) => withPlaces(each, skipped))),
  };
}

function withPlaces(each: Candidate, skipped: ReadonlyMap<PlacePair, readonly Path[]>): Candidate {
  for (let at: PlacePair | undefined = each.pair; at !== undefined; at = at.from?.parent) {
    const paths = skipped.get(at);
    if (paths === undefined) continue;
    const { path: from } = at;
    const others = paths.slice(0, maxNamed).map((path) => movePath(each.path, from, path));
    const names = others.map(({ text }) => `\`${text}\``);
    if (paths.length > maxNamed) names.push('other places');
    const last = names.pop() ?? '';
    const list = names.length === 0 ? last : `${names.join(', ')} and ${last}`;
    return { ...each, says: `${each.says} (also at ${list}, which use the same definition)` };
  }
  return each;
}
