// Makes the writes that bring the lineage of an asset to the state in the file.

import type { Asset } from '../../asset.ts';
import type { By } from '../../decide/decided.ts';
import { dependencyEvent } from '../../decide/lineage/events.ts';
import type { Write } from '../../decide/write.ts';
import type { Dependency } from '../../dependency.ts';
import { assetKey } from '../plan/assess.ts';
import type { FoundDependency } from '../plan/found.ts';
import type { AssetKey } from '../plan/plan.types.ts';

export interface DependentFacts {
  readonly asset: Asset;
  /** Its current dependencies; for a recreated name, those of its last holder. */
  readonly known: readonly FoundDependency[];
  readonly find: (upstream: AssetKey) => Asset;
}

/** The type of an import's dependencies: a model is made from the models that it references. */
const importedType = 'transforms';

export function dependencyWrite(
  { asset, find }: DependentFacts,
  upstreamKey: AssetKey,
  { newId, at }: By,
): Write {
  const upstream = find(upstreamKey);
  const dependency: Dependency = {
    id: newId(),
    assetId: asset.id,
    assetFqn: asset.fqn,
    dependsOnAssetId: upstream.id,
    dependsOnFqn: upstream.fqn,
    type: importedType,
    source: 'dbt',
    createdAt: at,
  };
  const event = dependencyEvent('dependency.created', dependency, asset, upstream.ownerTeamId);
  return { kind: 'insert_dependency', dependency, events: [event] };
}

/** Several assets may have had the name, each deleted before the next. */
export function undependWrites(
  { asset, known }: DependentFacts,
  upstreamKey: AssetKey,
): readonly Write[] {
  return known
    .filter(({ source, fqn, environment }) => {
      return source !== 'manual' && assetKey(fqn, environment) === upstreamKey;
    })
    .map(({ id, type, source, createdAt, assetId, fqn, ownerTeamId }): Write => {
      const dependency: Dependency = {
        id,
        assetId: asset.id,
        assetFqn: asset.fqn,
        dependsOnAssetId: assetId,
        dependsOnFqn: fqn,
        type,
        source,
        createdAt,
      };
      const event = dependencyEvent('dependency.deleted', dependency, asset, ownerTeamId);
      return { kind: 'delete_dependency', id, events: [event] };
    });
}
