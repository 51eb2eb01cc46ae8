// Imports: from a dbt manifest, an OpenAPI document, a GraphQL schema, an ODCS contract.

import { answer, apiPrefix, route } from '../route.ts';
import * as shapes from '../shapes/import.ts';

const importing = {
  method: 'POST',
  tag: 'Imports',
  scope: 'write',
  who: 'named_owner',
} as const;

const looking = { method: 'POST', tag: 'Imports', scope: 'read', who: 'scope' } as const;

const importErrors = [
  'TEAM_NOT_FOUND',
  'OWNER_TEAM_NOT_FOUND',
  'ASSETS_EXIST',
  'BREAKING_CHANGE',
  'VERSION_CONFLICT',
] as const;

const oneTransaction =
  'In one transaction: all of it, or nothing. The same file again changes nothing.';

const dbt = { importKind: 'dbt' } as const;
const dbtImportErrors = [...importErrors, 'INVALID_MANIFEST'] as const;

function manifestRoutes<const Base extends string>(base: Base) {
  return {
    sync: route({
      ...importing,
      ...dbt,
      path: `${apiPrefix}/sync/${base}`,
      summary: 'Import the assets of a dbt manifest',
      description: `Contracts are not touched. ${oneTransaction}`,
      body: shapes.ManifestSync,
      answers: { 200: answer('What it became.', shapes.ManifestImported) },
      errors: dbtImportErrors,
    }),
    upload: route({
      ...importing,
      ...dbt,
      path: `${apiPrefix}/sync/${base}/upload`,
      summary: 'Import a dbt manifest',
      description: oneTransaction,
      body: shapes.ManifestUpload,
      answers: { 200: answer('What it became.', shapes.ManifestImported) },
      errors: dbtImportErrors,
    }),
    impact: route({
      ...looking,
      ...dbt,
      path: `${apiPrefix}/sync/${base}/impact`,
      summary: 'See what a dbt manifest would break',
      description: 'Changes nothing.',
      body: shapes.ManifestImpact,
      answers: { 200: answer('What it would do.', shapes.ManifestImpacted) },
      errors: ['INVALID_MANIFEST'],
    }),
    diff: route({
      ...looking,
      ...dbt,
      path: `${apiPrefix}/sync/${base}/diff`,
      summary: 'Compare a dbt manifest with the registry',
      description: 'Changes nothing.',
      body: shapes.ManifestDiff,
      answers: { 200: answer('What differs.', shapes.ManifestDiffed) },
      errors: ['INVALID_MANIFEST'],
    }),
    runResults: route({
      ...importing,
      who: 'asset_owner',
      importKind: 'run_results',
      path: `${apiPrefix}/sync/${base}/run-results`,
      summary: 'Record the results of a dbt run',
      description:
        'Each asset that a test looked at gets a quality run. All of them, or nothing; the same run again changes nothing.',
      body: shapes.RunResults,
      answers: { 200: answer('What was recorded.', shapes.RunResultsRecorded) },
      errors: ['INVALID_MANIFEST'],
    }),
  };
}

const buildtool = manifestRoutes('buildtool');
const alias = manifestRoutes('dbt');

export const importRoutes = {
  syncBuildtool: buildtool.sync,
  uploadBuildtool: buildtool.upload,
  impactBuildtool: buildtool.impact,
  diffBuildtool: buildtool.diff,
  recordBuildtoolResults: buildtool.runResults,
  syncDbt: alias.sync,
  uploadDbt: alias.upload,
  impactDbt: alias.impact,
  diffDbt: alias.diff,
  recordDbtResults: alias.runResults,
  importOpenapi: route({
    ...importing,
    importKind: 'openapi',
    path: `${apiPrefix}/sync/openapi`,
    summary: 'Import an OpenAPI document',
    description: oneTransaction,
    body: shapes.OpenapiImport,
    answers: { 200: answer('What it became.', shapes.OpenapiImported) },
    errors: [...importErrors, 'INVALID_OPENAPI'],
  }),
  impactOpenapi: route({
    ...looking,
    importKind: 'openapi',
    path: `${apiPrefix}/sync/openapi/impact`,
    summary: 'See what an OpenAPI document would break',
    description: 'Changes nothing.',
    body: shapes.OpenapiImpact,
    answers: { 200: answer('What it would do.', shapes.OpenapiImpacted) },
    errors: ['INVALID_OPENAPI'],
  }),
  diffOpenapi: route({
    ...looking,
    importKind: 'openapi',
    path: `${apiPrefix}/sync/openapi/diff`,
    summary: 'Compare an OpenAPI document with the registry',
    description: 'Changes nothing.',
    body: shapes.OpenapiDiff,
    answers: { 200: answer('What differs.', shapes.OpenapiDiffed) },
    errors: ['INVALID_OPENAPI'],
  }),
  importGraphql: route({
    ...importing,
    importKind: 'graphql',
    path: `${apiPrefix}/sync/graphql`,
    summary: 'Import a GraphQL schema',
    description: oneTransaction,
    body: shapes.GraphqlImport,
    answers: { 200: answer('What it became.', shapes.GraphqlImported) },
    errors: [...importErrors, 'INVALID_SDL'],
  }),
  impactGraphql: route({
    ...looking,
    importKind: 'graphql',
    path: `${apiPrefix}/sync/graphql/impact`,
    summary: 'See what a GraphQL schema would break',
    description: 'Changes nothing.',
    body: shapes.GraphqlImpact,
    answers: { 200: answer('What it would do.', shapes.GraphqlImpacted) },
    errors: ['INVALID_SDL'],
  }),
  diffGraphql: route({
    ...looking,
    importKind: 'graphql',
    path: `${apiPrefix}/sync/graphql/diff`,
    summary: 'Compare a GraphQL schema with the registry',
    description: 'Changes nothing.',
    body: shapes.GraphqlDiff,
    answers: { 200: answer('What differs.', shapes.GraphqlDiffed) },
    errors: ['INVALID_SDL'],
  }),
  importOdcs: route({
    ...importing,
    importKind: 'odcs',
    path: `${apiPrefix}/sync/odcs`,
    summary: 'Import an ODCS contract',
    description: oneTransaction,
    body: shapes.OdcsImport,
    answers: { 200: answer('What it became.', shapes.OdcsImported) },
    errors: [...importErrors, 'INVALID_ODCS'],
  }),
  impactOdcs: route({
    ...looking,
    importKind: 'odcs',
    path: `${apiPrefix}/sync/odcs/impact`,
    summary: 'See what an ODCS contract would break',
    description: 'Changes nothing.',
    body: shapes.OdcsImpact,
    answers: { 200: answer('What it would do.', shapes.OdcsImpacted) },
    errors: ['INVALID_ODCS'],
  }),
  diffOdcs: route({
    ...looking,
    importKind: 'odcs',
    path: `${apiPrefix}/sync/odcs/diff`,
    summary: 'Compare an ODCS contract with the registry',
    description: 'Changes nothing.',
    body: shapes.OdcsDiff,
    answers: { 200: answer('What differs.', shapes.OdcsDiffed) },
    errors: ['INVALID_ODCS'],
  }),
};
