import type { z } from 'zod';
import type { TakenOver as TakenOverFacts } from '../../core/decide/sources/take-over.ts';
import type { SourceObjectState, SourceState } from '../../core/source.ts';
import type { Source, SourceObject, TakenOver } from '../shapes/source.ts';

export function representSource(source: SourceState): z.output<typeof Source> {
  return {
    id: source.id,
    kind: source.kind,
    place: source.place,
    identity: source.identity,
    leader: source.holder,
    renewed_at: source.renewedAt,
    problem: source.problem,
    objects: source.objects,
    not_ready: source.notReady,
  };
}

export function representSourceObject(object: SourceObjectState): z.output<typeof SourceObject> {
  return {
    id: object.id,
    source_id: object.sourceId,
    kind: object.kind,
    namespace: object.namespace,
    name: object.name,
    generation: object.generation,
    observed_generation: object.observedGeneration,
    ready: object.ready,
    status: object.status,
    updated_at: object.updatedAt,
  };
}

/** Nobody reads through more; the totals say how many there are. */
const shownMost = 100;

export function representTakenOver(taken: TakenOverFacts): z.output<typeof TakenOver> {
  const { assets, registrations } = taken;
  return {
    dry_run: taken.dryRun,
    from_source_id: taken.from.id,
    to_source_id: taken.to.id,
    assets: assets.slice(0, shownMost).map(({ asset, from, to }) => ({
      id: asset.id,
      fqn: asset.fqn,
      environment: asset.environment,
      from,
      to,
    })),
    assets_total: assets.length,
    registrations: registrations.slice(0, shownMost).map(({ id, asset, consumerTeamName }) => ({
      id,
      fqn: asset.fqn,
      environment: asset.environment,
      consumer_team_name: consumerTeamName,
    })),
    registrations_total: registrations.length,
    has_more: taken.hasMore,
  };
}
