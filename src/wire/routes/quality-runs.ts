// Quality runs.

import { z } from 'zod';
import { answer, apiPrefix, route } from '../route.ts';
import {
  QualityRun,
  QualityRunCreate,
  QualityRunList,
  QualityTrends,
  qualityRunStates,
} from '../shapes/quality-run.ts';
import { choice, cursor, exampleId, id, includeTotal, text } from '../shapes/shape.ts';

const assetParams = z.strictObject({ asset_id: id('The asset.', exampleId.asset) });

export const qualityRunRoutes = {
  recordQualityRun: route({
    method: 'POST',
    path: `${apiPrefix}/assets/{asset_id}/audit-results`,
    tag: 'Quality',
    summary: 'Record a quality run',
    scope: 'write',
    who: 'asset_owner',
    params: assetParams,
    body: QualityRunCreate,
    largeBody: true,
    answers: { 201: answer('The recorded run.', QualityRun) },
    errors: ['ASSET_NOT_FOUND', 'CONTRACT_NOT_FOUND'],
  }),
  listQualityRuns: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/audit-history`,
    tag: 'Quality',
    summary: 'List the quality runs of an asset',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    query: z.strictObject({
      status: choice(qualityRunStates, 'Only runs with this status.').optional(),
      triggered_by: text('Only runs triggered by this.', 'build_test', 500).optional(),
      limit: z
        .int()
        .min(1)
        .max(100)
        .default(20)
        .meta({ description: 'Number of runs to return; at most 100.', examples: [20] }),
      cursor: cursor.optional(),
      include_total: includeTotal,
    }),
    answers: { 200: answer('The runs, newest first.', QualityRunList) },
    errors: ['ASSET_NOT_FOUND'],
    fromReplica: true,
  }),
  getQualityTrends: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/audit-trends`,
    tag: 'Quality',
    summary: 'Summarize the recent quality runs of an asset',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    answers: { 200: answer('The recent failure rates.', QualityTrends) },
    errors: ['ASSET_NOT_FOUND'],
    fromReplica: true,
  }),
};
