// Imports: the options sent with a file, and the responses to importing, checking and comparing it.

import { z } from 'zod';
import { problemOfEnvironment } from '../../core/decide/fqn.ts';
import { bumps } from './contract.ts';
import { choice, count, exampleId, flag, id, jsonObject, jsonValue, text } from './shape.ts';

export const environmentName = (description: string) =>
  z
    .string()
    .max(100)
    .refine((name) => problemOfEnvironment(name) === null, 'must be the name of an environment')
    .default('production')
    .meta({ description, examples: ['production'] });

const environment = environmentName('The environment of the assets, unless the file names one.');

const option = (description: string, fallback = false) =>
  z
    .boolean()
    .default(fallback)
    .meta({ description, examples: [true] });

const owner = id('The default owner, for assets that name none in the file.', exampleId.team);

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
    z.string().meta({
      description: 'The contract as YAML or JSON text.',
      examples: ['kind: DataContract'],
    }),
  ])
  .meta({
    description: 'The ODCS contract, v3.0 to v3.2, as a JSON object or as YAML or JSON text.',
    examples: [{ kind: 'DataContract', apiVersion: 'v3.1.0' }],
  });

const rowOptions = {
  service_id: id('The service that new assets belong to.', exampleId.service)
    .meta({ description: 'The service that new assets belong to. Existing ones keep theirs.' })
    .optional(),
  environment,
  conflict_mode: z
    .enum(['ignore', 'overwrite', 'fail'])
    .default('ignore')
    .meta({
      description:
        'How existing assets are handled: `ignore` skips them, `overwrite` updates them, `fail` imports nothing.',
      examples: ['overwrite'],
    }),
  prune: z
    .enum(['report', 'deprecate'])
    .default('report')
    .meta({
      description:
        'How assets that are no longer in the file are handled: `report` only lists them, `deprecate` also deprecates their contracts.',
      examples: ['deprecate'],
    }),
  partial: option('Skip assets with breaking changes instead of refusing the whole file.'),
  dry_run: option('Return the same response without changing anything.'),
};

const publishing = { auto_publish_contracts: option('Publish the schemas as contracts.') };

const manifestOptions = {
  ...publishing,
  auto_create_proposals: option('Create proposals for breaking changes instead of failing.'),
};

const contractOptions = {
  ...publishing,
  auto_create_proposals: z
    .boolean()
    .optional()
    .meta({
      description:
        'Create proposals for breaking changes instead of failing. Defaults to `auto_publish_contracts`.',
      examples: [true],
    }),
};

/** The default is a setting of the registry. */
const choiceOf = (description: string, set: string) =>
  z
    .boolean()
    .optional()
    .meta({
      description: `${description} Defaults to the setting of the registry (${set}).`,
      examples: [true],
    });

/** How columns of a manifest become a schema; the same in every call that takes a manifest. */
const columnOptions = {
  nullable_columns: choiceOf(
    'Make columns nullable unless the manifest says that they are never null.',
    'NULLABLE_COLUMNS, false',
  ),
  integer_at_scale_0: choiceOf(
    'Read columns of type numeric(38,0), and other numeric types of scale 0, as integers.',
    'INTEGER_AT_SCALE_0, false',
  ),
  not_null_as_required: choiceOf(
    'Make columns that are never null required.',
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
    .meta({ description: 'The first segment of the FQNs.', examples: [prefix] }),
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
  fail_on_breaking: option('Set `blocking` to true if there are breaking changes.'),
};

const request = <const Shape extends z.ZodRawShape>(name: string, what: string, shape: Shape) =>
  z.strictObject(shape).meta({ id: name, description: what, examples: [exampleOf(shape)] });

/** The first example of each required member, which includes the file. */
function exampleOf(shape: z.core.$ZodLooseShape): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, member]) => {
      const examples = z.globalRegistry.get(member)?.examples;
      const isNeeded = !z.safeParse(member, undefined).success;
      return isNeeded && Array.isArray(examples) ? [[name, examples[0]]] : [];
    }),
  );
}

export const ManifestSync = request(
  'ManifestSync',
  'A manifest of which only the assets are imported.',
  {
    manifest,
    ...columnOptions,
    owner_team_id: owner,
    ...rowOptions,
  },
);

export const ManifestUpload = request('ManifestUpload', 'A manifest to import.', {
  manifest,
  ...columnOptions,
  owner_team_id: owner,
  ...manifestOptions,
  ...registers,
  infer_consumers_from_refs: option(
    'Register the owner of each model as a consumer of the models that it references.',
  ),
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
  'The results of a dbt run. The body may also be run_results.json itself, as dbt wrote it.',
  {
    run_results: runResults,
    manifest: manifest.optional().meta({
      description:
        'The manifest of the run. Without it, the registry assigns tests to its assets by the names that dbt gives tests.',
      examples: [{ nodes: {} }],
    }),
    environment,
  },
);

// Responses: one set of shapes, with the terms of each kind of file.

const fqn = text('The FQN of the asset.', 'shop.public.orders');
const place = text('The location in the file.', '$.nodes["model.shop.orders"]');

const leavesUnread = flag(
  'Set if the part was not read, so a change of it is not in this response.',
  true,
).optional();

const complete = flag(
  'False if a part of the file was not read: it may have changes that break and that this response does not list. Parts that are problems for another reason have no `leaves_unread`.',
  true,
).optional();

const FileProblem = z
  .object({
    code: text('The code of the problem, for programs.', 'UNKNOWN_TYPE'),
    message: text('The problem in words.', 'The type "geo" is not known.'),
    place,
    leaves_unread: leavesUnread,
  })
  .meta({ id: 'FileProblem', description: 'A part of the file that could not be read.' });

const ImportError = z
  .object({
    code: text('The code of the problem, for programs.', 'OWNER_USER_NOT_FOUND'),
    message: text('The problem in words.', 'No user has the e-mail ada@example.com.'),
    fqn: fqn
      .nullable()
      .meta({ description: 'The FQN of the asset; null if the problem concerns none.' }),
    place,
    leaves_unread: leavesUnread,
  })
  .meta({ id: 'ImportError', description: 'A part of the file that was not imported as written.' });

const titled = {
  api_title: text('The title of the document.', 'Shop'),
  api_version: text('The version of the document.', '1.0.0'),
};

const names = {
  dbt: { node_id: text('The unique id of the node.', 'model.shop.orders').optional() },
  openapi: {
    path: text('The path of the operation.', '/users/{id}').optional(),
    method: text('The method of the operation.', 'get').optional(),
  },
  graphql: {
    type_name: text('The name of the type.', 'User').optional(),
    kind: text('The kind of type.', 'object').optional(),
  },
  odcs: { object_name: text('The object of the contract.', 'orders').optional() },
};

const movedTo = text(
  'The FQN that the same node of dbt has in the file. Absent if the file does not have it.',
  'shop.sales.orders',
).optional();

/** Uses the item names of its kind. */
const removed = <const Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({
    ...{ fqn, ...names.dbt, ...names.openapi, ...names.graphql, ...names.odcs, ...shape },
    moved_to: movedTo,
  });

const counts = {
  created: count('Assets created.', 3),
  updated: count('Assets updated.', 1),
  skipped: count('Existing assets that were skipped.', 0),
  unchanged: count('Assets that the file does not change.', 12),
  failed: count('Assets that were not imported; see `errors`.', 0),
  without_schema: count('Assets for which the file has no schema.', 0),
};

const nullableId = (what: string, example: string) =>
  id(what, example)
    .nullable()
    .meta({ description: `${what} Null if there is none.` });

function importShape<const Names extends z.ZodRawShape>(kind: string, own: Names) {
  return z.object({ fqn, ...own, ...madeOf }).meta({
    id: `${kind}Imported`,
    description: 'The result for one item of the file.',
  });
}

const madeOf = {
  action: choice(
    ['created', 'updated', 'skipped', 'unchanged', 'failed'],
    'What happened to the asset.',
  ),
  asset_id: nullableId('The asset.', exampleId.asset),
  contract_id: nullableId('Its contract.', exampleId.contract),
  proposal_id: nullableId('Its open proposal.', exampleId.proposal).optional(),
};

const imported = {
  status: choice(['success', 'partial'], '`partial` if an asset was not imported.'),
  dry_run: flag('Whether nothing was written.', false),
  assets: z.object(counts).meta({ description: 'Number of assets by result.' }),
  contracts: z
    .object({
      published: count('Versions published.', 3),
      unchanged: count('Contracts that the file does not change.', 12),
    })
    .meta({ description: 'Number of contracts by result.' }),
  proposals: z
    .object({
      created: count('Proposals created.', 1),
      details: z
        .array(
          z.object({
            proposal_id: nullableId('The proposal.', exampleId.proposal),
            asset_fqn: fqn,
            change_type: text('The version increment of the change.', 'major'),
            breaking_changes_count: count('Number of breaking changes.', 1),
          }),
        )
        .meta({ description: 'The proposals.' }),
    })
    .meta({ description: 'The proposals that ask the consumers.' }),
  registrations: z
    .object({ created: count('Registrations created.', 2) })
    .meta({ description: 'Number of registrations.' }),
  guarantees_extracted: count('Number of guarantees in the file, taken from its tests.', 7),
  removed: z
    .array(removed({ breaking: flag('Whether it has a contract and consumers.', false) }))
    .meta({ description: 'Assets of an earlier import that are no longer in the file.' }),
  complete,
  errors: z
    .array(ImportError)
    .meta({ description: 'Parts of the file that were not imported as written.' }),
};

const processed = count('Number of items in the file.', 16);
const answerOf = <const Shape extends z.ZodRawShape>(name: string, what: string, shape: Shape) =>
  z.object(shape).meta({ id: name, description: what });
const list = <Item extends z.ZodType>(item: Item) =>
  z.array(item).meta({ description: 'Every item of the file.' });
const parseErrors = {
  parse_errors: z
    .array(FileProblem)
    .meta({ description: 'Parts of the file that could not be read.' }),
};
const fileErrors = {
  errors: z.array(FileProblem).meta({ description: 'Parts of the file that could not be read.' }),
};

export const ManifestImported = answerOf(
  'ManifestImported',
  'The result of importing a manifest.',
  {
    ...imported,
    models_processed: processed,
    models: list(importShape('Model', names.dbt)),
  },
);

export const OpenapiImported = answerOf(
  'OpenapiImported',
  'The result of importing an OpenAPI document.',
  {
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
  },
);

export const GraphqlImported = answerOf(
  'GraphqlImported',
  'The result of importing a GraphQL schema.',
  {
    ...imported,
    types_processed: processed,
    types: list(importShape('Type', names.graphql)),
  },
);

export const OdcsImported = answerOf('OdcsImported', 'The result of importing an ODCS contract.', {
  ...imported,
  objects_processed: processed,
  objects: list(importShape('Object', names.odcs)),
});

function impactItem<const Names extends z.ZodRawShape>(kind: string, own: Names) {
  return z
    .object({
      fqn,
      ...own,
      has_contract: flag('Whether the asset has a contract.'),
      safe_to_publish: flag('Whether there are no breaking changes.'),
      change_type: choice(
        ['new', ...bumps],
        'The version increment of the change; `new` if the asset has no contract.',
      ),
      breaking_changes: z
        .array(
          z.object({
            type: text('The type of change.', 'property_removed'),
            property: text('The path of the property from the root.', 'lines.sku'),
            message: text('The change in words.', 'The property "sku" is removed.'),
            path: text('The location in the schema.', '$.properties.lines.items.properties.sku'),
            definition: text(
              'Where the location is written, if that is in a definition. A change of it may stand in other items of the file, too.',
              '$.$defs.Line.properties.sku',
            ).optional(),
            witness: jsonValue(
              'An example: a value that one version accepts and the other rejects.',
              {},
            ).optional(),
          }),
        )
        .meta({ description: 'The breaking changes.' }),
    })
    .meta({ id: `${kind}Impact`, description: 'The effect of one item of the file.' });
}

const impact = {
  complete,
  status: choice(['success', 'breaking_changes_detected'], 'The result.'),
  breaking_changes_count: count('Number of breaking changes.', 1),
  removed: z
    .array(removed({ safe_to_publish: flag('Whether removing it breaks no consumer.', false) }))
    .meta({ description: 'Assets of an earlier import that are no longer in the file.' }),
};
const total = count('Number of items in the file.', 16);
const withContracts = count('Number of these items that have a contract.', 12);

export const ManifestImpacted = answerOf(
  'ManifestImpacted',
  'The effect of importing a manifest.',
  {
    ...impact,
    total_models: total,
    models_with_contracts: withContracts,
    results: list(impactItem('Model', names.dbt)),
    ...fileErrors,
  },
);

export const OpenapiImpacted = answerOf(
  'OpenapiImpacted',
  'The effect of importing an OpenAPI document.',
  {
    ...impact,
    ...titled,
    total_endpoints: total,
    endpoints_with_contracts: withContracts,
    results: list(impactItem('Endpoint', names.openapi)),
    ...parseErrors,
  },
);

export const GraphqlImpacted = answerOf(
  'GraphqlImpacted',
  'The effect of importing a GraphQL schema.',
  {
    ...impact,
    total_types: total,
    types_with_contracts: withContracts,
    results: list(impactItem('Type', names.graphql)),
    ...fileErrors,
  },
);

export const OdcsImpacted = answerOf('OdcsImpacted', 'The effect of importing an ODCS contract.', {
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
      change_type: choice(['new', 'modified', 'unchanged', 'removed'], 'How the asset changes.'),
      moved_to: movedTo,
      schema_change_type: choice(['none', 'breaking'], 'Whether the contract breaks.'),
      breaking_changes: z
        .array(text('A breaking change, in words.', 'The property "sku" is removed.'))
        .meta({ description: 'The breaking changes, in words.' }),
      version_bump: choice(bumps, 'The version increment of the change.'),
      changes: z
        .array(jsonObject('A change.', { type: 'property_removed', path: '$.properties.sku' }))
        .meta({ description: 'Every change, as a comparison of contracts lists it.' }),
    })
    .meta({ id: `${kind}Diff`, description: 'The differences of one item of the file.' });
}

const diff = {
  shared_changes: z
    .array(
      z.looseObject({
        definition: text('Where the change is written.', '$.$defs.Line.properties.sku'),
        description: text('The change in words.', 'The property "sku" is removed.'),
        breaking: flag('Whether it breaks.', true),
        place_count: count('The places that it has in all items together.', 3),
        items: z
          .array(
            z.object({
              fqn,
              path: text(
                'Its first place in the item, of the first 50 items.',
                '$.properties.sku',
              ).optional(),
            }),
          )
          .meta({ description: 'The items of the file that have it among their changes.' }),
      }),
    )
    .meta({
      description:
        'Each change of a definition that several items of the file use, once. Absent if there is none.',
    })
    .optional(),
  status: choice(['no_changes', 'changes_detected', 'breaking_changes_detected'], 'The result.'),
  summary: z
    .object({
      new: count('Items without an asset yet.', 1),
      modified: count('Changed items, including breaking ones.', 2),
      unchanged: count('Unchanged items.', 13),
      breaking: count('Items with breaking changes.', 1),
      removed: count('Assets that are no longer in the file.', 0),
    })
    .meta({ description: 'Number of items by change.' }),
  complete,
  blocking: flag('True if there are breaking changes and `fail_on_breaking` was sent.', false),
};

export const ManifestDiffed = answerOf(
  'ManifestDiffed',
  'The differences between a manifest and the registry.',
  {
    ...diff,
    models: list(diffItem('Model', names.dbt)),
    ...fileErrors,
  },
);

export const OpenapiDiffed = answerOf(
  'OpenapiDiffed',
  'The differences between an OpenAPI document and the registry.',
  {
    ...diff,
    ...titled,
    endpoints: list(diffItem('Endpoint', names.openapi)),
    ...parseErrors,
  },
);

export const GraphqlDiffed = answerOf(
  'GraphqlDiffed',
  'The differences between a GraphQL schema and the registry.',
  {
    ...diff,
    types: list(diffItem('Type', names.graphql)),
    ...fileErrors,
  },
);

export const OdcsDiffed = answerOf(
  'OdcsDiffed',
  'The differences between an ODCS contract and the registry.',
  {
    ...diff,
    objects: list(diffItem('Object', names.odcs)),
    ...fileErrors,
  },
);

export const RunResultsRecorded = answerOf('RunResultsRecorded', 'The recorded results.', {
  status: choice(['success', 'partial'], '`partial` if results were left out; see `errors`.'),
  runs: z
    .object({
      recorded: count('Quality runs that were recorded.', 3),
      unchanged: count('Quality runs that an earlier call recorded.', 0),
      failed: count('Quality runs that failed, recorded or unchanged.', 1),
    })
    .meta({ description: 'Number of quality runs by outcome.' }),
  results: list(
    z
      .object({
        fqn,
        asset_id: id('The asset.', exampleId.asset),
        quality_run_id: id('The quality run of the asset.', exampleId.run),
        action: choice(
          ['recorded', 'unchanged'],
          'Whether this call recorded the run or an earlier one did.',
        ),
        status: choice(['passed', 'failed'], 'The result of the run.'),
        guarantees: count('Number of checked guarantees.', 4),
        failed_guarantees: count('Number of failed guarantees.', 1),
      })
      .meta({ id: 'RecordedRun', description: 'The quality run of one asset.' }),
  ),
  ...fileErrors,
});
