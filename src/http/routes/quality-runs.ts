// Quality runs.

import { accept } from '../../core/failure.ts';
import {
  representIncident,
  representQualityRun,
  representTrend,
} from '../../wire/represent/represent-lineage.ts';
import { type Handler, write } from '../handler.ts';
import { notFound } from '../not-found.ts';
import { toUtc } from '../to-utc.ts';

export const recordQualityRun: Handler<'recordQualityRun'> = write({
  verb: (verbs) => verbs.recordQualityRun,
  command: ({ params, body }) => ({
    assetId: params.asset_id,
    contractId: body.contract_id,
    status: body.status,
    triggeredBy: body.triggered_by,
    runId: body.run_id,
    guarantees: body.guarantees,
    startedAt: body.started_at === undefined ? undefined : toUtc(body.started_at),
    finishedAt: body.finished_at === undefined ? undefined : toUtc(body.finished_at),
    metadata: body.metadata,
  }),
  reply: (run) => ({ status: 201, body: representQualityRun(run) }),
});

export const listQualityRuns: Handler<'listQualityRuns'> = async ({ ports }, { params, query }) => {
  const asset = await ports.reads.getAsset(params.asset_id);
  if (asset === null) return notFound('ASSET_NOT_FOUND', params.asset_id);
  const listed = await ports.reads.listQualityRuns({
    page: 1,
    pageSize: query.limit,
    cursor: query.cursor,
    includeTotal: query.include_total,
    assetId: params.asset_id,
    status: query.status,
    triggeredBy: query.triggered_by,
  });
  if (!listed.ok) return listed;
  const { results, total, nextCursor } = listed.value;
  const body = {
    results: results.map(representQualityRun),
    ...(total !== null && { total }),
    next_cursor: nextCursor,
  };
  return accept({ status: 200, body });
};

export const getQualityTrends: Handler<'getQualityTrends'> = async (
  { ports },
  { params, context },
) => {
  const asset = await ports.reads.getAsset(params.asset_id);
  if (asset === null) return notFound('ASSET_NOT_FOUND', params.asset_id);
  const [trends, incidents] = await Promise.all([
    ports.reads.getQualityTrends(params.asset_id, context.now()),
    ports.reads.listIncidents(params.asset_id),
  ]);
  return accept({
    status: 200,
    body: {
      asset_id: params.asset_id,
      windows: trends.map(representTrend),
      incidents: incidents.map(representIncident),
    },
  });
};
