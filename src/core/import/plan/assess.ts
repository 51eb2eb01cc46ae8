// Compares candidates with the registry's assets: which are new, changed or vanished, and what has
// to be compared.

import { defaultNeedsMode } from '../../asset.ts';
import type { Comparison, ContractTerms } from '../../comparison.ts';
import { askingOf } from '../../decide/asking.ts';
import { isSameJson } from '../../value/canonical-json.ts';
import type { JsonObject } from '../../value/json.ts';
import { type Candidate, isUnreadable, toContractTerms } from '../candidate.ts';
import { alignTerms } from '../openapi/align-terms.ts';
import { isOther, knownAs } from './identity.ts';
import type {
  Assessment,
  AssetKey,
  Comparisons,
  ComparisonTask,
  ExistingAsset,
  ExistingContract,
  ImportFacts,
  NeedVerdicts,
  RemovedAsset,
} from './plan.types.ts';

/** @example assetKey('db.public.orders', 'production') // 'production db.public.orders' */
export function assetKey(fqn: string, environment: string): AssetKey {
  return `${environment} ${fqn}`;
}

/** The comparisons that the engine has to make before anything can be assessed. */
export function listComparisons(
  candidates: readonly Candidate[],
  facts: ImportFacts,
  environment: string,
): readonly ComparisonTask[] {
  const lines = linesByKey(facts);
  return candidates.flatMap((candidate): readonly ComparisonTask[] => {
    const key = keyOf(candidate, environment);
    const line = lines.get(key);
    const terms = termsOf(candidate, line ?? null);
    if (terms === null || line === undefined || line.base === null) return [];
    const [old, next] = alignTerms(line.base.terms, terms);
    return [{ key, old, next, guaranteeMode: line.guaranteeMode }];
  });
}

export function assessCandidates(
  candidates: readonly Candidate[],
  facts: ImportFacts,
  comparisons: Comparisons,
  environment: string,
  verdicts: NeedVerdicts = new Map(),
): readonly Assessment[] {
  const assets = byKey(facts.assets);
  const lines = linesByKey(facts);
  return candidates.map((candidate) => {
    const key = keyOf(candidate, environment);
    const existing = assets.get(key) ?? null;
    const line = lines.get(key) ?? null;
    const base = line?.base ?? null;
    const comparison =
      base === null ? null : (comparisons.get(key) ?? compareUnreadable(candidate, base));
    const terms = termsOf(candidate, line);
    const change = { base: base?.terms ?? null, terms, comparison, verdicts: verdicts.get(key) };
    return {
      key,
      candidate,
      environment: candidate.environment ?? environment,
      existing,
      line,
      takesName: takesName(candidate, existing),
      terms,
      comparison,
      asking: askingOf(line?.consumers ?? [], line?.needsMode ?? defaultNeedsMode, change),
      changeType: changeTypeOf(candidate, existing, comparison !== null && hasChanges(comparison)),
    };
  });
}

/**
 * A description that cannot be read may break, so like any undecided verdict it is never reported
 * as safe.
 */
function compareUnreadable(candidate: Candidate, base: ExistingContract): Comparison | null {
  if (!isUnreadable(candidate) || base.status !== 'active') return null;
  const breaking = base.terms.compatibilityMode !== 'none';
  const description = 'its definition in the file could not be read, but it has a contract';
  return {
    changes: [{ type: 'compatibility_undecided', path: '$', description, breaking }],
    isBreaking: breaking,
    breaksBackward: true,
    bump: 'major',
    bumpReason: 'it could not be read.',
    undecidedCount: 1,
    steps: 0,
  };
}

/** Whether publishing would create a version. */
export function hasChanges(comparison: {
  readonly changes: readonly unknown[];
  readonly bump: string;
}): boolean {
  return comparison.changes.length > 0 || comparison.bump !== 'none';
}

function changeTypeOf(
  candidate: Candidate,
  existing: ExistingAsset | null,
  isContractChanged: boolean,
): Assessment['changeType'] {
  if (existing === null) return 'new';
  const isFirstContract = candidate.terms !== null && existing.base === null;
  const isSame = isSameJson(mergedMetadata(candidate, existing), existing.metadata);
  return isSame && !isContractChanged && !isFirstContract ? 'unchanged' : 'modified';
}

/** Replaces the import's own keys by those of the file; keys that people added stay. */
export function mergedMetadata(candidate: Candidate, existing: ExistingAsset): JsonObject {
  return { ...existing.metadata, ...candidate.metadata };
}

function termsOf(candidate: Candidate, line: ExistingAsset | null): ContractTerms | null {
  if (candidate.terms === null) return null;
  return toContractTerms(candidate.terms, line?.base?.terms ?? null);
}

/**
 * Assets that an earlier import of the same source made, and that the file no longer has, or has
 * something else in place of.
 */
export function listRemoved(
  candidates: readonly Candidate[],
  facts: ImportFacts,
  environment: string,
): readonly RemovedAsset[] {
  const named = new Map(candidates.map((each) => [keyOf(each, environment), each] as const));
  const nodes = fqnsOfNodes(candidates, environment);
  return facts.assets.flatMap((asset) => {
    const key = assetKey(asset.fqn, asset.environment);
    const candidate = named.get(key);
    const isReplaced = candidate !== undefined && takesName(candidate, asset);
    if (candidate === undefined ? !asset.isOfThisSource : !isReplaced) return [];
    const isBreaking = asset.base !== null && asset.consumers.length > 0;
    const node = asset.importedAs.dbt?.of;
    const movedTo = node === undefined ? null : (nodes.get(nodeKey(asset, node)) ?? null);
    return [{ key, asset, isBreaking, isReplaced, movedTo }];
  });
}

/**
 * The facts with the contracts of models whose table moved, under their new names. So a preview
 * compares the file of a pull request, whose target has a schema of its own, with production.
 */
export function withMoved(facts: ImportFacts, removed: readonly RemovedAsset[]): ImportFacts {
  const moved = removed.flatMap(({ asset, movedTo }) =>
    movedTo === null ? [] : [{ ...asset, fqn: movedTo, was: asset.fqn }],
  );
  // The last one counts. A model may have been imported for another pull request, too, which nobody reads.
  const sorted = moved.toSorted(
    (a, b) => a.consumers.length - b.consumers.length || (a.was < b.was ? -1 : 1),
  );
  return { ...facts, predecessors: [...sorted, ...facts.predecessors] };
}

/** dbt knows a model by its unique_id, whatever database, schema and alias its table has. */
function fqnsOfNodes(
  candidates: readonly Candidate[],
  environment: string,
): ReadonlyMap<string, string> {
  return new Map(
    candidates.flatMap(({ fqn, label, isReference, environment: own = environment }) =>
      label.kind !== 'dbt' || isReference === true
        ? []
        : [[nodeKey({ environment: own }, label.node_id), fqn] as const],
    ),
  );
}

function nodeKey({ environment }: { readonly environment: string }, node: string): string {
  return `${environment} ${node}`;
}

function takesName(candidate: Candidate, existing: ExistingAsset | null): boolean {
  if (existing === null || candidate.isReference === true) return false;
  return isOther(knownAs(candidate, existing.importedAs), candidate.identity);
}

/**
 * Whether the asset has consumers, who must agree before something else gets its name. Who agreed to
 * leave by some day reads it until then, and who began to read it later was not asked.
 */
export function isStillRead({ base, consumers, isBeingLeft }: ExistingAsset): boolean {
  return isBeingLeft || (base?.status === 'active' && consumers.length > 0);
}

function byKey(assets: readonly ExistingAsset[]): ReadonlyMap<AssetKey, ExistingAsset> {
  return new Map(assets.map((asset) => [assetKey(asset.fqn, asset.environment), asset]));
}

/** Prefers an existing asset to a deleted one. */
function linesByKey(facts: ImportFacts): ReadonlyMap<AssetKey, ExistingAsset> {
  return byKey([...facts.predecessors, ...facts.assets]);
}

function keyOf(candidate: Candidate, environment: string): AssetKey {
  return assetKey(candidate.fqn, candidate.environment ?? environment);
}
