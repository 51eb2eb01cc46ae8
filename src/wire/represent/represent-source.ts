import type { z } from 'zod';
import type { SourceObjectState, SourceState } from '../../core/source.ts';
import type { Source, SourceObject } from '../shapes/source.ts';

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
