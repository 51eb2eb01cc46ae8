// What an import made before keeps its FQN, whatever the file names now: another parameter in its
// path, a newcomer with the same FQN before it, or another root type.

import type { ImportedAs, ImportIdentity } from '../../asset.ts';
import type { Candidate, ParsedImport } from '../candidate.ts';
import { nameClash, numberedFqn } from '../import-fqn.ts';
import { labelOf } from './identity.ts';

interface Named {
  readonly fqn: string;
  readonly environment: string;
  readonly importedAs: ImportedAs;
}

/**
 * The file, with the names that the registry knows its assets by. The same object if these are the
 * names that it has.
 *
 * @example keepNames(parsed, assets, 'production') // GET /a/{y} as api.shop.get_a_x
 */
export function keepNames<Parsed extends ParsedImport>(
  parsed: Parsed,
  assets: readonly Named[],
  environment: string,
): Parsed {
  const { candidates } = parsed;
  const kept = findKept(candidates, assets, environment);
  const where = (each: Candidate, fqn: string) => `${each.environment ?? environment} ${fqn}`;
  const holders = new Map([...kept].map(([each, fqn]) => [where(each, fqn), each]));
  const names = new Map(kept);
  for (const each of candidates) {
    if (names.has(each)) continue;
    let name = each.fqn;
    for (let number = 2; holders.has(where(each, name)); number++) {
      name = numberedFqn(each.ownFqn, number);
    }
    holders.set(where(each, name), each);
    names.set(each, name);
  }
  if (candidates.every((each) => names.get(each) === each.fqn)) return parsed;
  const named = rename(parsed, names);
  const clashes = candidates.flatMap((each) => {
    const [free = '', other] = [names.get(each), holders.get(where(each, each.ownFqn))];
    if (other === undefined || other === each || !/_\d+$/.test(free)) return [];
    const how = { fqn: each.ownFqn, free, place: each.place };
    return [nameClash(labelOf(each.metadata), labelOf(other.metadata), how)];
  });
  return { ...named, problems: [...named.problems, ...clashes] };
}

/** The FQNs of the assets that candidates stand for. Candidates that cannot be told apart keep theirs. */
function findKept(
  candidates: readonly Candidate[],
  assets: readonly Named[],
  environment: string,
): ReadonlyMap<Candidate, string> {
  const thingOf = (where: string, kind: string, { thing, stem }: ImportIdentity) =>
    JSON.stringify([where, kind, stem, thing]);
  const byThing = Map.groupBy(candidates, ({ identity, label, environment: own }) =>
    thingOf(own ?? environment, label.kind, identity),
  );
  const kept = new Map<Candidate, string>();
  for (const { fqn, environment: where, importedAs } of assets) {
    for (const [kind, identity] of Object.entries(importedAs)) {
      const [candidate, other] = byThing.get(thingOf(where, kind, identity)) ?? [];
      if (candidate === undefined || other !== undefined) continue;
      // Of two such assets, the one that has the name now.
      if (kept.get(candidate) !== candidate.fqn) kept.set(candidate, fqn);
    }
  }
  return kept;
}

/** What was told about the names of candidates goes. */
function rename<Parsed extends ParsedImport>(
  parsed: Parsed,
  names: ReadonlyMap<Candidate, string>,
): Parsed {
  const byName = new Map([...names].map(([{ fqn }, name]) => [fqn, name]));
  const places = new Set(parsed.candidates.map(({ place }) => place));
  const problems = parsed.problems.filter(
    ({ code, place }) => code !== 'FQN_COLLISION' || !places.has(place),
  );
  const candidates = parsed.candidates.map((each) => ({
    ...each,
    fqn: names.get(each) ?? each.fqn,
    refs: each.refs.map((fqn) => byName.get(fqn) ?? fqn),
  }));
  return { ...parsed, candidates, problems };
}
