// The dependencies of an import: those of the file that are new, and those of an earlier import
// that the file no longer has. What people added by hand stays.

import { assetKey } from './assess.ts';
import type { ImportFacts, PlannedChange, PlannedItem } from './plan.types.ts';

export function planDependencies(
  items: readonly PlannedItem[],
  facts: ImportFacts,
): readonly PlannedChange[] {
  const known = new Set([
    ...facts.assets.map((asset) => assetKey(asset.fqn, asset.environment)),
    ...items.map(({ assessment }) => assessment.key),
  ]);
  return items.flatMap(({ assessment }): readonly PlannedChange[] => {
    const { key, candidate, environment, existing } = assessment;
    const assetId = existing?.id ?? null;
    const upstream = new Set(candidate.refs);
    const imported = new Set(existing?.importedUpstream ?? []);
    const added = [...upstream].filter((fqn) => !imported.has(fqn));
    const removed = [...imported].filter((fqn) => !upstream.has(fqn));
    const change = (kind: 'add_dependency' | 'remove_dependency', fqn: string) => ({
      kind,
      key,
      assetId,
      upstreamKey: assetKey(fqn, environment),
    });
    return [
      ...added.map((fqn) => change('add_dependency', fqn)),
      ...removed.map((fqn) => change('remove_dependency', fqn)),
    ].filter(({ upstreamKey }) => known.has(upstreamKey));
  });
}
