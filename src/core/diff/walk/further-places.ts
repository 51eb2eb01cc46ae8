// Where else a shared definition stands: a pair of places is told a few times, and what is not told
// again is named in the last of them, so that a list stays short and nothing goes unsaid.

import { movePath, type Path } from '../places/path.ts';
import type { Candidate, PlacePair } from './walk.types.ts';

/** Places that are named; a reader knows then that it is a shared one. */
const maxNamed = 3;

interface FurtherPlaces {
  /** The pair is told here; the last one counts. */
  readonly tell: (key: string, pair: PlacePair) => void;
  /** It is met once more, and not told again. */
  readonly skip: (key: string, path: Path) => void;
  /** The candidates, with the places that were skipped for them. */
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
      // One more than is named says that there are more.
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
