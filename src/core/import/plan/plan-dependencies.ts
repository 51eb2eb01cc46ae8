// Plans the dependencies of an import: new ones in the file, and earlier imported ones that the
// file no longer has. Dependencies that people added stay.

import { assetKey } from './assess.ts';
import type {
  ImportFacts,
  ImportOptions,
  PlannedChange,
  PlannedItem,
  RemovedAsset,
} from './plan.types.ts';

/**
 * Applies under every conflict mode: the file defines the lineage, which is not part of the asset's
 * row.
 */
export function planDependencies(
  items: readonly PlannedItem[],
  facts: ImportFacts,
): readonly PlannedChange[] {
  const known = new Set([
    ...facts.assets.map((asset) => assetKey(asset.fqn, asset.environment)),
    ...items.map(({ assessment }) => assessment.key),
  ]);
  return items.flatMap(({ assessment }): readonly PlannedChange[] => {
    const { key, candidate, environment, existing, line } = assessment;
    const assetId = existing?.id ?? null;
    const stated = new Set(candidate.refs.map((fqn) => assetKey(fqn, environment)));
    const imported = new Set(line?.importedUpstream ?? []);
    const manual = new Set(line?.manualUpstream ?? []);
    const added = [...stated].filter(
      (upstream) => known.has(upstream) && !imported.has(upstream) && !manual.has(upstream),
    );
    const removed = [...imported].filter((upstream) => !stated.has(upstream));
    return [
      ...added.map((upstreamKey) => ({
        kind: 'add_dependency' as const,
        key,
        assetId,
        upstreamKey,
      })),
      ...removed.map((upstreamKey) => ({
        kind: 'remove_dependency' as const,
        key,
        assetId,
        upstreamKey,
      })),
    ];
  });
}

/** With `prune`, a missing asset loses its dependencies. */
export function planPrunedDependencies(
  removed: readonly RemovedAsset[],
  options: ImportOptions,
): readonly PlannedChange[] {
  if (options.prune !== 'deprecate') return [];
  const own = removed.filter(({ asset }) => !asset.isManagedElsewhere);
  return own.flatMap(({ key, asset }) =>
    asset.importedUpstream.map((upstreamKey) => ({
      kind: 'remove_dependency' as const,
      key,
      assetId: asset.id,
      upstreamKey,
    })),
  );
}
