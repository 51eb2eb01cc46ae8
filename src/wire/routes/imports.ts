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
  'SERVICE_NOT_FOUND',
  'OWNER_TEAM_NOT_FOUND',
  'ASSETS_EXIST',
  'BREAKING_CHANGE',
  'VERSION_CONFLICT',
] as const;

const oneTransaction =
  'Runs in one transaction: all of it, or nothing. Importing the same file again changes nothing.';

const dbt = { importKind: 'dbt' } as const;
const dbtImportErrors = [...importErrors, 'INVALID_MANIFEST'] as const;

function manifestRoutes<const Base extends string>(base: Base) {
  return {
    sync: route({
      ...importing,
      ...dbt,
      path: `${apiPrefix}/sync/${base}`,
      summary: 'Import the assets of a dbt manifest',
      description: `Contracts stay as they are. ${oneTransaction}`,
      body: shapes.ManifestSync,
      answers: { 200: answer('The result of the import.', shapes.ManifestImported) },
      errors: dbtImportErrors,
    }),
    upload: route({
      ...importing,
      ...dbt,
      path: `${apiPrefix}/sync/${base}/upload`,
      summary: 'Import a dbt manifest',
      description: oneTransaction,
      body: shapes.ManifestUpload,
      answers: { 200: answer('The result of the import.', shapes.ManifestImported) },
      errors: dbtImportErrors,
    }),
    impact: route({
      ...looking,
      ...dbt,
      path: `${apiPrefix}/sync/${base}/impact`,
      summary: 'Preview what a dbt manifest would break',
      description: 'Changes nothing.',
      body: shapes.ManifestImpact,
      answers: { 200: answer('The changes that would break.', shapes.ManifestImpacted) },
      errors: ['INVALID_MANIFEST'],
    }),
    diff: route({
      ...looking,
      ...dbt,
      path: `${apiPrefix}/sync/${base}/diff`,
      summary: 'Compare a dbt manifest with the registry',
      description: 'Changes nothing.',
      body: shapes.ManifestDiff,
      answers: { 200: answer('The differences.', shapes.ManifestDiffed) },
      errors: ['INVALID_MANIFEST'],
    }),
    runResults: route({
      ...importing,
      who: 'asset_owner',
      importKind: 'run_results',
      path: `${apiPrefix}/sync/${base}/run-results`,
      summary: 'Record the results of a dbt run',
      description:
        'Records a quality run for each tested asset, in one transaction. Sending the same results again changes nothing.',
      body: shapes.RunResults,
      answers: { 200: answer('The recorded quality runs.', shapes.RunResultsRecorded) },
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
    answers: { 200: answer('The result of the import.', shapes.OpenapiImported) },
    errors: [...importErrors, 'INVALID_OPENAPI'],
  }),
  impactOpenapi: route({
    ...looking,
    importKind: 'openapi',
    path: `${apiPrefix}/sync/openapi/impact`,
    summary: 'Preview what an OpenAPI document would break',
    description: 'Changes nothing.',
    body: shapes.OpenapiImpact,
    answers: { 200: answer('The changes that would break.', shapes.OpenapiImpacted) },
    errors: ['INVALID_OPENAPI'],
  }),
  diffOpenapi: route({
    ...looking,
    importKind: 'openapi',
    path: `${apiPrefix}/sync/openapi/diff`,
    summary: 'Compare an OpenAPI document with the registry',
    description: 'Changes nothing.',
    body: shapes.OpenapiDiff,
    answers: { 200: answer('The differences.', shapes.OpenapiDiffed) },
    errors: ['INVALID_OPENAPI'],
  }),
  importGraphql: route({
    ...importing,
    importKind: 'graphql',
    path: `${apiPrefix}/sync/graphql`,
    summary: 'Import a GraphQL schema',
    description: oneTransaction,
    body: shapes.GraphqlImport,
    answers: { 200: answer('The result of the import.', shapes.GraphqlImported) },
    errors: [...importErrors, 'INVALID_SDL'],
  }),
  impactGraphql: route({
    ...looking,
    importKind: 'graphql',
    path: `${apiPrefix}/sync/graphql/impact`,
    summary: 'Preview what a GraphQL schema would break',
    description: 'Changes nothing.',
    body: shapes.GraphqlImpact,
    answers: { 200: answer('The changes that would break.', shapes.GraphqlImpacted) },
    errors: ['INVALID_SDL'],
  }),
  diffGraphql: route({
    ...looking,
    importKind: 'graphql',
    path: `${apiPrefix}/sync/graphql/diff`,
    summary: 'Compare a GraphQL schema with the registry',
    description: 'Changes nothing.',
    body: shapes.GraphqlDiff,
    answers: { 200: answer('The differences.', shapes.GraphqlDiffed) },
    errors: ['INVALID_SDL'],
  }),
  importOdcs: route({
    ...importing,
    importKind: 'odcs',
    path: `${apiPrefix}/sync/odcs`,
    summary: 'Import an ODCS contract',
    description: oneTransaction,
    body: shapes.OdcsImport,
    answers: { 200: answer('The result of the import.', shapes.OdcsImported) },
    errors: [...importErrors, 'INVALID_ODCS'],
  }),
  impactOdcs: route({
    ...looking,
    importKind: 'odcs',
    path: `${apiPrefix}/sync/odcs/impact`,
    summary: 'Preview what an ODCS contract would break',
    description: 'Changes nothing.',
    body: shapes.OdcsImpact,
    answers: { 200: answer('The changes that would break.', shapes.OdcsImpacted) },
    errors: ['INVALID_ODCS'],
  }),
  diffOdcs: route({
    ...looking,
    importKind: 'odcs',
    path: `${apiPrefix}/sync/odcs/diff`,
    summary: 'Compare an ODCS contract with the registry',
    description: 'Changes nothing.',
    body: shapes.OdcsDiff,
    answers: { 200: answer('The differences.', shapes.OdcsDiffed) },
    errors: ['INVALID_ODCS'],
  }),
};
