// Sources.

import { accept } from '../../core/failure.ts';
import { sourceObjectSortFields } from '../../registry/sources/sources.ts';
import {
  representSource,
  representSourceObject,
  representTakenOver,
} from '../../wire/represent/represent-source.ts';
import { type Handler, listQueryOf, pageOf, write } from '../handler.ts';
import { notFound } from '../not-found.ts';

export const listSources: Handler<'listSources'> = async ({ ports }) => {
  const sources = await ports.reads.listSources();
  return accept({ status: 200, body: { results: sources.map(representSource) } });
};

export const listSourceObjects: Handler<'listSourceObjects'> = async (
  { ports },
  { params, query },
) => {
  const source = await ports.reads.getSource(params.source_id);
  if (source === null) return notFound('SOURCE_NOT_FOUND', params.source_id);
  const listed = await ports.reads.listSourceObjects({
    ...listQueryOf(query, sourceObjectSortFields),
    sourceId: params.source_id,
    kind: query.kind,
    namespace: query.namespace,
    name: query.name,
    isReady: query.ready,
  });
  return pageOf(listed, query, representSourceObject);
};

export const confirmSource: Handler<'confirmSource'> = write({
  verb: (verbs) => verbs.confirmSource,
  command: ({ params }) => ({ sourceId: params.source_id }),
  reply: (source) => ({ status: 200, body: representSource(source) }),
});

export const takeOverSource: Handler<'takeOverSource'> = write({
  verb: (verbs) => verbs.takeOverSource,
  command: ({ params, body }) => ({
    sourceId: params.source_id,
    toSourceId: body.to_source_id,
    assetId: body.asset_id,
    reason: body.reason,
    dryRun: body.dry_run === true,
  }),
  reply: (taken) => ({ status: 200, body: representTakenOver(taken) }),
});
