// Imports: what a file is sent with, and what importing, checking and comparing it answers.

import { z } from 'zod';
import { problemOfEnvironment } from '../../core/decide/fqn.ts';
import { bumps } from './contract.ts';
import { choice, count, exampleId, flag, id, jsonObject, jsonValue, text } from './shape.ts';

const environment = z
  .string()
  .max(100)
  .refine((name) => problemOfEnvironment(name) === null, 'must be the name of an environment')
  .default('production')
  .meta({
    description: 'Where the assets are, unless the file says it.',
    examples: ['production'],
  });

const option = (description: string, fallback = false) =>
  z
    .boolean()
    .default(fallback)
    .meta({ description, examples: [true] });

const owner = id('Owns what names no owner of its own.', exampleId.team);

const manifest = jsonObject("The contents of dbt's manifest.json.", {
  metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
  nodes: {},
});
const spec = jsonObject('The OpenAPI document, 3.0 to 3.2.', {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0' },
  paths: {},
});
const sdl = z
  .string()
  .meta({ description: 'The schema in GraphQL SDL.', examples: ['type User { id: ID! }'] });
const odcs = z
  .union([
    jsonObject('An ODCS contract.', { kind: 'DataContract', apiVersion: 'v3.1.0' }),
    z
      .string()
      .meta({ description: 'The same as YAML or JSON text.', examples: ['kind: DataContract'] }),
  ])
  .meta({
    description: 'The ODCS contract, v3.0 to v3.2: as JSON, or as text in YAML or JSON.',
    examples: [{ kind: 'DataContract', apiVersion: 'v3.1.0' }],
  });

const rowOptions = {
  environment,
  conflict_mode: z
    .enum(['ignore', 'overwrite', 'fail'])
    .default('ignore')
    .meta({
      description:
        'What becomes of assets that exist: left alone, updated, or a reason to import nothing.',
      examples: ['overwrite'],
    }),
  prune: z
    .enum(['report', 'deprecate'])
    .default('report')
    .meta({
      description: 'What becomes of assets that vanished from the file.',
      examples: ['deprecate'],
    }),
  partial: option('Leave out an asset whose change breaks, instead of refusing all.'),
  dry_run: option('Answer as the real call would, and write nothing.'),
};

const publishing = { auto_publish_contracts: option('Publish the schemas as contracts.') };

const manifestOptions = {
  ...publishing,
  auto_create_proposals: option('Ask the consumers about what breaks, instead of failing.'),
};

const contractOptions = {
  ...publishing,
  auto_create_proposals: z
    .boolean()
    .optional()
    .meta({
      description:
        'Ask the consumers about what breaks, instead of failing. Absent: as `auto_publish_contracts`.',
      examples: [true],
    }),
};

/** Absent: as the registry is set. */
const choiceOf = (description: string, set: string) =>
  z
    .boolean()
    .optional()
    .meta({
      description: `${description} Absent: as the registry is set (${set}).`,
      examples: [true],
    });

/** How the columns of a manifest become a schema; the same in every call about it. */
const columnOptions = {
  nullable_columns: choiceOf(
    'Columns take null unless something says that they never are.',
    'NULLABLE_COLUMNS, false',
  ),
  integer_at_scale_0: choiceOf(
    'Columns of numeric(38,0) and its kin are integers.',
    'INTEGER_AT_SCALE_0, false',
  ),
  not_null_as_required: choiceOf(
    'Columns that are never null are required.',
    'NOT_NULL_AS_REQUIRED, false',
  ),
};

const registers = {
  auto_register_consumers: option('Register the consumers that the file declares.'),
};

const named = (prefix: string) => ({
  prefix: z
    .string()
    .min(1)
    .max(200)
    .default(prefix)
    .meta({ description: 'What the FQNs start with.', examples: [prefix] }),
});

const naming = {
  ...named('api'),
  naming: z
    .enum(['title', 'path'])
    .default('title')
    .meta({
      description: '`title`: api.shop.get_users_id; `path`: api.users.{id}.get.',
      examples: ['path'],
    }),
};

const blocks = {
  fail_on_breaking: option('Say `blocking` where something breaks.'),
};

const request = <const Shape extends z.ZodRawShape>(name: string, what: string, shape: Shape) =>
  z.strictObject(shape).meta({ id: name, description: what, examples: [exampleOf(shape)] });

/** The first example of each member that has to be sent, and of the file itself. */
function exampleOf(shape: z.core.$ZodLooseShape): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, member]) => {
      const examples = z.globalRegistry.get(member)?.examples;
      const isNeeded = !z.safeParse(member, undefined).success;
      return isNeeded && Array.isArray(examples) ? [[name, examples[0]]] : [];
    }),
  );
}

export const ManifestSync = request('ManifestSync', 'A manifest, for its assets alone.', {
  manifest,
  ...columnOptions,
  owner_team_id: owner,
  ...rowOptions,
});

export const ManifestUpload = request('ManifestUpload', 'A manifest, and what to do with it.', {
  manifest,
  ...columnOptions,
  owner_team_id: owner,
  ...manifestOptions,
  ...registers,
  infer_consumers_from_refs: option('Register the owners of models that reference a model.'),
  ...rowOptions,
});

export const ManifestImpact = request('ManifestImpact', 'A manifest to check.', {
  manifest,
  ...columnOptions,
  owner_team_id: owner.optional(),
  environment,
});

export const ManifestDiff = request('ManifestDiff', 'A manifest to compare.', {
  manifest,
  ...columnOptions,
  environment,
  ...blocks,
});

export const OpenapiImport = request('OpenapiImport', 'An OpenAPI document to import.', {
  spec,
  owner_team_id: owner,
  ...naming,
  ...contractOptions,
  auto_publish_contracts: choiceOf(
    'Publish the schemas as contracts.',
    'OPENAPI_AUTO_PUBLISH, true',
  ),
  ...rowOptions,
});

export const OpenapiImpact = request('OpenapiImpact', 'An OpenAPI document to check.', {
  spec,
  environment,
  ...naming,
});

export const OpenapiDiff = request('OpenapiDiff', 'An OpenAPI document to compare.', {
  spec,
  environment,
  ...naming,
  ...blocks,
});

export const GraphqlImport = request('GraphqlImport', 'A GraphQL schema to import.', {
  schema: sdl,
  owner_team_id: owner,
  ...named('graphql'),
  ...contractOptions,
  ...rowOptions,
});

export const GraphqlImpact = request('GraphqlImpact', 'A GraphQL schema to check.', {
  schema: sdl,
  environment,
  ...named('graphql'),
});

export const GraphqlDiff = request('GraphqlDiff', 'A GraphQL schema to compare.', {
  schema: sdl,
  environment,
  ...named('graphql'),
  ...blocks,
});

export const OdcsImport = request('OdcsImport', 'An ODCS contract to import.', {
  contract: odcs,
  owner_team_id: owner,
  ...contractOptions,
  ...registers,
  ...rowOptions,
});

export const OdcsImpact = request('OdcsImpact', 'An ODCS contract to check.', {
  contract: odcs,
  environment,
});

export const OdcsDiff = request('OdcsDiff', 'An ODCS contract to compare.', {
  contract: odcs,
  environment,
  ...blocks,
});

const runResults = jsonObject("The contents of dbt's run_results.json.", {
  metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/run-results/v6.json' },
  results: [],
});

export const RunResults = request(
  'RunResults',
  'The results of a dbt run. The file itself, run_results.json as dbt wrote it, is taken as well.',
  {
    run_results: runResults,
    manifest: manifest.optional().meta({
      description:
        'The manifest of the run. Absent: the registry places tests by the assets that it knows, and by the names that dbt gives tests.',
      examples: [{ nodes: {} }],
    }),
    environment,
  },
);

// Answers: one set of shapes, in the words of each kind of file.

const fqn = text('The name of the asset.', 'shop.public.orders');
const place = text('Where in the file.', '$.nodes["model.shop.orders"]');

const FileProblem = z
  .object({
    code: text('What is wrong, for programs.', 'UNKNOWN_TYPE'),
    message: text('What is wrong, for people.', 'The type "geo" is not known.'),
    place,
  })
  .meta({ id: 'FileProblem', description: 'What of a file could not be read as it stands.' });

const ImportError = z
  .object({
    code: text('What is wrong, for programs.', 'OWNER_USER_NOT_FOUND'),
    message: text('What is wrong, for people.', 'No user has the e-mail ada@example.com.'),
    fqn: fqn.nullable().meta({ description: 'The asset, where it is about one.' }),
    place,
  })
  .meta({ id: 'ImportError', description: 'What of a file was not imported as it stands.' });

const titled = {
  api_title: text('The title of the document.', 'Shop'),
  api_version: text('Its version.', '1.0.0'),
};

const names = {
  dbt: { node_id: text('The unique id of the node.', 'model.shop.orders').optional() },
  openapi: {
    path: text('The path of the operation.', '/users/{id}').optional(),
    method: text('Its method.', 'get').optional(),
  },
  graphql: {
    type_name: text('The type.', 'User').optional(),
    kind: text('What kind of type.', 'object').optional(),
  },
  odcs: { object_name: text('The object of the contract.', 'orders').optional() },
};

/** With the names that an item of its kind has. */
const removed = <const Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ fqn, ...names.dbt, ...names.openapi, ...names.graphql, ...names.odcs, ...shape });

const counts = {
  created: count('Assets created.', 3),
  updated: count('Assets updated.', 1),
  skipped: count('Assets that exist and were left alone.', 0),
  unchanged: count('Assets that the file leaves equal.', 12),
  failed: count('Assets that were left out; `errors` says why.', 0),
  without_schema: count('Assets of which the file gives no schema.', 0),
};

const nullableId = (what: string, example: string) =>
  id(what, example)
    .nullable()
    .meta({ description: `${what} Null where there is none.` });

function importShape<const Names extends z.ZodRawShape>(kind: string, own: Names) {
  return z.object({ fqn, ...own, ...madeOf }).meta({
    id: `${kind}Imported`,
    description: 'What became of one item of the file.',
  });
}

const madeOf = {
  action: choice(['created', 'updated', 'skipped', 'unchanged', 'failed'], 'Of the asset.'),
  asset_id: nullableId('The asset.', exampleId.asset),
  contract_id: nullableId('Its contract.', exampleId.contract),
  proposal_id: nullableId('Its open proposal.', exampleId.proposal).optional(),
};

const imported = {
  status: choice(['success', 'partial'], '`partial` where an asset was left out.'),
  dry_run: flag('Whether nothing was written.', false),
  assets: z.object(counts).meta({ description: 'How many assets became what.' }),
  contracts: z
    .object({
      published: count('Versions published.', 3),
      unchanged: count('Contracts that the file leaves equal.', 12),
    })
    .meta({ description: 'How many contracts became what.' }),
  proposals: z
    .object({
      created: count('Proposals created.', 1),
      details: z
        .array(
          z.object({
            proposal_id: nullableId('The proposal.', exampleId.proposal),
            asset_fqn: fqn,
            change_type: text('What the version will do.', 'major'),
            breaking_changes_count: count('How many of its changes break.', 1),
          }),
        )
        .meta({ description: 'Each of them.' }),
    })
    .meta({ description: 'What consumers are asked about.' }),
  registrations: z
    .object({ created: count('Registrations created.', 2) })
    .meta({ description: 'Consumers that were registered.' }),
  guarantees_extracted: count('Promises that the file makes, by its tests.', 7),
  removed: z
    .array(removed({ breaking: flag('Whether it has a contract and consumers.', false) }))
    .meta({ description: 'Assets of an earlier import that vanished from the file.' }),
  errors: z.array(ImportError).meta({ description: 'What was not imported as it stands.' }),
};

const processed = count('How many items the file holds.', 16);
const answerOf = <const Shape extends z.ZodRawShape>(name: string, what: string, shape: Shape) =>
  z.object(shape).meta({ id: name, description: what });
const list = <Item extends z.ZodType>(item: Item) =>
  z.array(item).meta({ description: 'Every item of the file.' });
const parseErrors = {
  parse_errors: z.array(FileProblem).meta({ description: 'What could not be read.' }),
};
const fileErrors = {
  errors: z.array(FileProblem).meta({ description: 'What could not be read.' }),
};

export const ManifestImported = answerOf('ManifestImported', 'What a manifest became.', {
  ...imported,
  models_processed: processed,
  models: list(importShape('Model', names.dbt)),
});

export const OpenapiImported = answerOf('OpenapiImported', 'What a document became.', {
  ...imported,
  ...titled,
  endpoints_processed: processed,
  endpoints_found: processed,
  assets_created: counts.created,
  assets_updated: counts.updated,
  assets_skipped: counts.skipped,
  contracts_published: count('Versions published.', 3),
  ...parseErrors,
  endpoints: list(importShape('Endpoint', names.openapi)),
});

export const GraphqlImported = answerOf('GraphqlImported', 'What a schema became.', {
  ...imported,
  types_processed: processed,
  types: list(importShape('Type', names.graphql)),
});

export const OdcsImported = answerOf('OdcsImported', 'What a contract became.', {
  ...imported,
  objects_processed: processed,
  objects: list(importShape('Object', names.odcs)),
});

function impactItem<const Names extends z.ZodRawShape>(kind: string, own: Names) {
  return z
    .object({
      fqn,
      ...own,
      has_contract: flag('Whether there is a contract to break.'),
      safe_to_publish: flag('Whether nothing breaks.'),
      change_type: choice(['new', ...bumps], 'What a version would do; `new` without a contract.'),
      breaking_changes: z
        .array(
          z.object({
            type: text('What kind of change.', 'property_removed'),
            property: text('The property, from the root.', 'lines.sku'),
            message: text('The change in words.', 'The property "sku" is removed.'),
            path: text('The place in the schema.', '$.properties.lines.items.properties.sku'),
            witness: jsonValue('A value that one side has and the other refuses.', {}).optional(),
          }),
        )
        .meta({ description: 'What breaks.' }),
    })
    .meta({ id: `${kind}Impact`, description: 'What one item of the file would do.' });
}

const impact = {
  status: choice(['success', 'breaking_changes_detected'], 'What was found.'),
  breaking_changes_count: count('How many changes break.', 1),
  removed: z
    .array(removed({ safe_to_publish: flag('Whether nobody counts on it.', false) }))
    .meta({ description: 'Assets of an earlier import that vanished from the file.' }),
};
const total = count('How many items the file holds.', 16);
const withContracts = count('How many of them have a contract.', 12);

export const ManifestImpacted = answerOf('ManifestImpacted', 'What a manifest would do.', {
  ...impact,
  total_models: total,
  models_with_contracts: withContracts,
  results: list(impactItem('Model', names.dbt)),
  ...fileErrors,
});

export const OpenapiImpacted = answerOf('OpenapiImpacted', 'What a document would do.', {
  ...impact,
  ...titled,
  total_endpoints: total,
  endpoints_with_contracts: withContracts,
  results: list(impactItem('Endpoint', names.openapi)),
  ...parseErrors,
});

export const GraphqlImpacted = answerOf('GraphqlImpacted', 'What a schema would do.', {
  ...impact,
  total_types: total,
  types_with_contracts: withContracts,
  results: list(impactItem('Type', names.graphql)),
  ...fileErrors,
});

export const OdcsImpacted = answerOf('OdcsImpacted', 'What a contract would do.', {
  ...impact,
  total_objects: total,
  objects_with_contracts: withContracts,
  results: list(impactItem('Object', names.odcs)),
  ...fileErrors,
});

function diffItem<const Names extends z.ZodRawShape>(kind: string, own: Names) {
  return z
    .object({
      fqn,
      ...own,
      change_type: choice(['new', 'modified', 'unchanged', 'removed'], 'Of the asset.'),
      schema_change_type: choice(['none', 'breaking'], 'Of its contract.'),
      breaking_changes: z
        .array(text('What breaks.', 'The property "sku" is removed.'))
        .meta({ description: 'What breaks, in sentences.' }),
      version_bump: choice(bumps, 'What a version would do.'),
      changes: z
        .array(jsonObject('A change.', { type: 'property_removed', path: '$.properties.sku' }))
        .meta({ description: 'Every change, as a comparison of contracts tells it.' }),
    })
    .meta({ id: `${kind}Diff`, description: 'What differs in one item of the file.' });
}

const diff = {
  status: choice(
    ['no_changes', 'changes_detected', 'breaking_changes_detected'],
    'What was found.',
  ),
  summary: z
    .object({
      new: count('Items that have no asset yet.', 1),
      modified: count('Items that differ; breaking ones too.', 2),
      unchanged: count('Items that do not.', 13),
      breaking: count('Items that break.', 1),
      removed: count('Assets that vanished from the file.', 0),
    })
    .meta({ description: 'How many items are what.' }),
  blocking: flag('Whether something breaks, and was to fail.', false),
};

export const ManifestDiffed = answerOf('ManifestDiffed', 'What differs in a manifest.', {
  ...diff,
  models: list(diffItem('Model', names.dbt)),
  ...fileErrors,
});

export const OpenapiDiffed = answerOf('OpenapiDiffed', 'What differs in a document.', {
  ...diff,
  ...titled,
  endpoints: list(diffItem('Endpoint', names.openapi)),
  ...parseErrors,
});

export const GraphqlDiffed = answerOf('GraphqlDiffed', 'What differs in a schema.', {
  ...diff,
  types: list(diffItem('Type', names.graphql)),
  ...fileErrors,
});

export const OdcsDiffed = answerOf('OdcsDiffed', 'What differs in a contract.', {
  ...diff,
  objects: list(diffItem('Object', names.odcs)),
  ...fileErrors,
});

export const RunResultsRecorded = answerOf('RunResultsRecorded', 'The recorded results.', {
  status: choice(['success', 'partial'], '`partial` where `errors` says what was left out.'),
  runs: z
    .object({
      recorded: count('Quality runs that were recorded.', 3),
      unchanged: count('Quality runs that an earlier call recorded.', 0),
      failed: count('How many of all of them failed.', 1),
    })
    .meta({ description: 'Number of quality runs by outcome.' }),
  results: list(
    z
      .object({
        fqn,
        asset_id: id('The asset.', exampleId.asset),
        quality_run_id: id('The run in the history of the asset.', exampleId.run),
        action: choice(['recorded', 'unchanged'], 'Of the run.'),
        status: choice(['passed', 'failed'], 'How it went.'),
        guarantees: count('How many guarantees were checked.', 4),
        failed_guarantees: count('How many of them failed.', 1),
      })
      .meta({ id: 'RecordedRun', description: 'The quality run of one asset.' }),
  ),
  ...fileErrors,
});
