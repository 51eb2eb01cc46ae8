// Contracts, and the responses to publishing and comparing them.

import { z } from 'zod';
import { proposalKinds } from '../../core/proposal.ts';
import { proposalStates } from '../../core/proposal-machine.ts';
import { ActorReference } from './actor.ts';
import { request } from './change-request.ts';
import { Downstream } from './dependency.ts';
import {
  choice,
  count,
  exampleId,
  exampleSchema,
  flag,
  id,
  jsonObject,
  jsonSchema,
  jsonValue,
  pageAnswer,
  reason,
  text,
  timestamp,
} from './shape.ts';

export const compatibilityModes = ['backward', 'forward', 'full', 'none'] as const;
export const guaranteeModes = ['notify', 'strict', 'ignore'] as const;
export const contractStates = ['active', 'deprecated', 'archived'] as const;
const contractFormats = ['jsonschema', 'dbt', 'openapi', 'graphql', 'odcs'] as const;
const contractSources = ['api', 'kubernetes', 'git', 'sync'] as const;
const directions = ['data', 'request', 'response', 'operation'] as const;
export const needsModes = ['narrow', 'protect', 'ignore'] as const;
export const bumps = ['none', 'patch', 'minor', 'major'] as const;
const dialects = [
  'draft-04',
  'draft-06',
  'draft-07',
  '2019-09',
  '2020-12',
  'openapi-3.0',
  'openapi-3.1',
] as const;

const exampleGuarantees = { freshness: { max_staleness_minutes: 60 } };
const exampleVersion = '1.2.0';

const mode = choice(
  compatibilityModes,
  'The rule that decides which changes of the next version are breaking.',
);
const status = choice(
  contractStates,
  'Its state. A deleted asset has no active contract; its last one is `deprecated`.',
);
const bump = choice(
  bumps,
  'The version increment that the change needs: major if it breaks backward compatibility.',
  'minor',
);
const versionText = z
  .string()
  .regex(
    /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/,
    'must be of the form <major>.<minor>.<patch>',
  )
  .meta({ description: 'The requested version.', examples: ['2.0.0'] });

export const Change = z
  .object({
    type: text('The type of change.', 'property_removed'),
    path: text('The most specific location of the change in the schema.', '$.properties.total'),
    definition: text(
      'The same location in the shared definition that contains it.',
      '$.$defs.Order.properties.total',
    ).optional(),
    description: text('The change in words.', 'total was removed'),
    breaking: flag('Whether it breaks under the compatibility mode of the older contract.'),
    warning: text('Not breaking, but should be reviewed.', 'narrows a number').optional(),
    old: jsonValue('The old value.', { type: 'number' }).optional(),
    new: jsonValue('The new value.', { type: 'integer' }).optional(),
    witness: jsonValue(
      'An example: a complete value that one version accepts and the other rejects.',
      {
        id: 1,
      },
    ).optional(),
  })
  .meta({ id: 'Change', description: 'One change between two versions.' });

const changes = z.array(Change).meta({ description: 'Every change, breaking ones first.' });
export const breakingChanges = z
  .array(Change)
  .meta({ description: 'The changes that break.', examples: [[]] });

const contractChange = choice(
  ['initial', 'patch', 'minor', 'major'],
  'How the version changes the previous one.',
  'minor',
);

export const contractFields = {
  id: id('The contract.', exampleId.contract),
  asset_id: id('The asset it is for.', exampleId.asset),
  asset_fqn: text('The FQN of its asset.', 'shop.public.orders'),
  version: text('The version, as <major>.<minor>.<patch>.', exampleVersion),
  status,
  compatibility_mode: mode,
  change_type: contractChange,
  format: choice(contractFormats, 'The source format of the schema.'),
  direction: choice(directions, 'Who writes the values that the schema describes.'),
  dialect: choice(dialects, 'The dialect of the schema.', '2020-12')
    .nullable()
    .meta({ description: 'The dialect of the schema; null if the schema declares its own.' }),
  schema_digest: text('A digest of the normalized schema.', 'sha256:9f86d081...'),
  previous_contract_id: id('The previous version.', exampleId.otherContract)
    .nullable()
    .meta({ description: 'The previous version; null for the first.' }),
  published_at: timestamp('When it was published.'),
  published_by: id('The team that published it.', exampleId.team),
  published_by_actor: ActorReference,
  source: choice(contractSources, 'How it was published.'),
  source_reference: text('Its name in that source.', 'shop/orders')
    .nullable()
    .meta({ description: 'Its name in that source, if it has one.' }),
  commit: text('The commit it came from.', '1f2e3d4c')
    .nullable()
    .meta({ description: 'The commit it came from; null if unknown.' }),
};

export const ContractListed = z
  .object(contractFields)
  .meta({ id: 'ContractListed', description: 'A contract, as lists show it: without its schema.' });

export const Contract = z
  .object({
    ...contractFields,
    schema: jsonSchema('The JSON Schema.'),
    guarantees: jsonObject('What the producer promises beyond the schema.', exampleGuarantees)
      .nullable()
      .meta({ description: 'What the producer promises beyond the schema; null for nothing.' }),
  })
  .meta({ id: 'Contract', description: 'A version of what an asset promises.' });

export const ContractList = z
  .object({
    results: z.array(ContractListed).meta({ description: 'The contracts of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'ContractList', description: 'A page of contracts, newest first.' });

export const ContractFullList = z
  .object({
    results: z.array(Contract).meta({ description: 'The contracts of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'ContractFullList', description: 'A page of contracts, newest first.' });

export const supersede = flag(
  'Replace the open proposal with one for this change.',
  false,
).optional();

export const override = flag(
  'For admins: change it even though it is managed elsewhere.',
  false,
).optional();

/** An override needs a reason. */
export const overriding = {
  override,
  reason: reason('The reason for `override`.').optional(),
};

const schemaDialect = choice(dialects, 'The dialect, for a schema without `$schema`.', '2020-12');

export const SchemaToCheck = z
  .strictObject({
    schema: jsonValue('The JSON Schema.', exampleSchema),
    dialect: schemaDialect.optional(),
  })
  .meta({
    id: 'SchemaToCheck',
    description: 'A schema that may become a contract.',
    examples: [{ schema: exampleSchema }],
  });

const schemaRemarks = z.array(
  z
    .object({
      path: text('The place in the schema.', '$.properties.amount.type'),
      message: text('What is wrong there.', '"strng" is not a type.'),
    })
    .meta({ description: 'One problem.' }),
);

export const SchemaChecked = z
  .object({
    valid: flag('Whether it can be published.', false),
    dialect: choice(dialects, 'The dialect that it was read in.', '2020-12').nullable().meta({
      description:
        'The dialect that it was read in; null if its `$schema` names one that the registry does not know.',
    }),
    problems: schemaRemarks.meta({ description: 'What is wrong: at most 20 problems.' }),
    warnings: schemaRemarks.meta({
      description:
        'What a valid schema says to nobody: at most 100 keywords that concern no value there, or are nearly one.',
    }),
    schema_digest: text('A digest of the normalized schema.', 'sha256:9f86d081...')
      .nullable()
      .meta({
        description:
          'A digest of the normalized schema, as contracts have it; null if the schema is not valid.',
      }),
  })
  .meta({ id: 'SchemaChecked', description: 'Whether a schema can be published.' });

export const PublishRequest = z
  .strictObject({
    schema: jsonSchema('The JSON Schema, at most 1 MiB.'),
    compatibility_mode: mode
      .meta({
        description:
          'Defaults to the mode of the active contract; `backward` for the first contract.',
      })
      .optional(),
    guarantees: jsonObject('Defaults to the guarantees of the active contract.', exampleGuarantees)
      .nullable()
      .meta({
        description: 'Defaults to the guarantees of the active contract. `null` removes them.',
      })
      .optional(),
    dialect: schemaDialect.optional(),
    version: versionText.optional(),
    dry_run: flag('Return the same response without changing anything.', false).optional(),
    supersede,
    request,
    ...overriding,
    commit: text('The commit it comes from.', '1f2e3d4c', 200).optional(),
  })
  .meta({
    id: 'PublishRequest',
    description:
      'A schema to publish, with its terms. Omitted terms stay as in the active contract.',
    examples: [{ schema: exampleSchema }],
  });

/** Null only with `dry_run`, which creates nothing. */
const madeId = id('The id of the new object.', exampleId.contract)
  .nullable()
  .meta({ description: 'The id of the new object; null with `dry_run`.' });

const dryRun = flag('Present and true if nothing was written.').optional();

const result = { changes, breaking_changes: breakingChanges, dry_run: dryRun };

const affectedConsumer = z
  .object({
    team_id: id('The team.', exampleId.otherTeam),
    team_name: text('Its name.', 'Billing'),
  })
  .meta({ description: 'A team that consumes the asset.' });

const modeChange = z
  .object({
    from: mode.meta({ description: 'The mode of the version before.' }),
    to: mode.meta({ description: 'The mode of this version.' }),
  })
  .optional()
  .meta({ description: 'Present if the compatibility mode changes.' });

export const Published = z
  .object({
    action: z.literal('published').meta({ description: 'The new version is active.' }),
    contract: z
      .object({ ...contractFields, id: madeId })
      .meta({ description: 'The new active contract.' }),
    change_type: contractChange,
    ...result,
    mode_change: modeChange,
  })
  .meta({ id: 'Published', description: 'The new version is active.' });

export const ProposalCreated = z
  .object({
    action: z.literal('proposal_created').meta({ description: 'The consumers are asked first.' }),
    proposal: z
      .object({
        id: madeId,
        asset_id: contractFields.asset_id,
        asset_fqn: contractFields.asset_fqn,
        kind: choice(proposalKinds, 'The kind of change.'),
        status: choice(proposalStates, 'Its state.', 'pending'),
        change_type: text('The version increment of the change.', 'major'),
        breaking_changes: breakingChanges,
        total_consumers: count('Number of teams that are asked.', 2),
        affected_consumers: z
          .array(affectedConsumer)
          .optional()
          .meta({ description: 'The teams that are asked. Earlier releases leave it out.' }),
      })
      .meta({ description: 'The proposal.' }),
    existing: flag('Present and true if the same proposal existed already.').optional(),
    change_type: text('The version increment of the change.', 'major'),
    ...result,
    mode_change: modeChange,
  })
  .meta({
    id: 'ProposalCreated',
    description: 'The change is breaking: the consumers are asked first.',
  });

export const Unchanged = z
  .object({
    action: z.literal('unchanged').meta({ description: 'The same contract is already active.' }),
    contract: z.object(contractFields).meta({ description: 'The active contract.' }),
    change_type: choice(['none'], 'Nothing changes.'),
    ...result,
  })
  .meta({ id: 'Unchanged', description: 'The same contract is already active.' });

export const ContractUpdate = z
  .strictObject({
    status: choice(['deprecated', 'archived'], 'The new state.', 'archived'),
    force: flag('For admins: archive it even though a registration pins it.', false).optional(),
    supersede,
    request,
    override,
    reason: reason('The reason for `force` or `override`.').optional(),
  })
  .meta({
    id: 'ContractUpdate',
    description: 'The new state of a contract.',
    examples: [{ status: 'archived' }],
  });

export const ImpactRequest = z
  .strictObject({
    proposed_schema: jsonSchema('The schema to compare.'),
    compatibility_mode: mode.optional(),
    guarantees: jsonObject('Defaults to the guarantees of the active contract.', exampleGuarantees)
      .nullable()
      .meta({
        description: 'Defaults to the guarantees of the active contract. `null` removes them.',
      })
      .optional(),
    dialect: schemaDialect.optional(),
  })
  .meta({
    id: 'ImpactRequest',
    description: 'A schema to compare with the active contract; nothing is published.',
    examples: [{ proposed_schema: exampleSchema }],
  });

export const verdict = choice(
  ['unaffected', 'breaks', 'may_break'],
  '`unaffected` is proven. `breaks` comes with a path or a value. `may_break` is everything else, for example a break for a team that has not said what it reads.',
  'breaks',
);

export const verdictDetails = {
  path: text(
    'The field that the team reads and that is gone, or the guarantee that changed.',
    '$.total',
  ).optional(),
  witness: jsonValue('A value that the team would refuse, or that it sends and is refused.', {
    id: 1,
  }).optional(),
  reason: text('Why nothing is proven.', 'The change breaks.').optional(),
};

const consumerImpact = z
  .object({
    team: z
      .object({ id: id('The consumer.', exampleId.otherTeam), name: text('Its name.', 'Billing') })
      .meta({ description: 'The team that consumes the asset.' }),
    registration_id: id('Its registration.', exampleId.registration),
    verdict,
    ...verdictDetails,
    origin: choice(
      ['declared', 'found', 'none'],
      '`declared`: by what the team has said that it reads. `found`: by what was found that it reads, besides. `none`: it has not said anything.',
      'declared',
    ),
  })
  .meta({ id: 'ConsumerImpact', description: 'What a change does to one consumer.' });

export const Impact = z
  .object({
    is_breaking: flag('Whether the change is breaking.', true),
    breaking_changes: breakingChanges,
    affected_consumers: z
      .array(affectedConsumer)
      .meta({ description: 'The consumers that a publish would ask.' }),
    consumers: z.array(consumerImpact).meta({
      description:
        'Every consumer, and what the change does to it. The `needs_mode` of the asset decides which of them are asked.',
    }),
    changes,
    change_type: choice(['initial', ...bumps], 'The version increment of the change.', 'major'),
    proposed_version: text('The version it would get.', '2.0.0')
      .nullable()
      .meta({ description: 'The version it would get; null if nothing would be published.' }),
    downstream: Downstream,
  })
  .meta({ id: 'Impact', description: 'The effect of publishing a schema.' });

export const CompareRequest = z
  .strictObject({
    from: id('The older contract.', exampleId.otherContract),
    to: id('The newer contract.', exampleId.contract),
  })
  .meta({
    id: 'CompareRequest',
    description: 'The two contracts to compare.',
    examples: [{ from: exampleId.otherContract, to: exampleId.contract }],
  });

export const reader = z
  .object({
    team: z
      .object({ id: id('The consumer.', exampleId.otherTeam), name: text('Its name.', 'Billing') })
      .meta({ description: 'The team that consumes the asset.' }),
    registration_id: id('Its registration.', exampleId.registration),
  })
  .meta({ id: 'FieldReader', description: 'A team that reads a field.' });

const fieldReader = reader
  .extend({
    origin: choice(
      ['declared', 'found'],
      '`declared`: the team has said that it reads the field. `found`: it was only found to read it.',
      'declared',
    ),
    last_seen_at: timestamp('When it was last found that the team reads it.').optional(),
  })
  .meta({ id: 'ReaderOfField', description: 'A team that reads a field, and how that is known.' });

export const AssetFields = z
  .object({
    contract: z
      .object({ id: contractFields.id, version: contractFields.version })
      .nullable()
      .meta({ description: 'The contract in force; null if nothing was published.' }),
    fields: z
      .array(
        z.object({
          path: text('The field, as a path in values.', '$.lines[*].sku'),
          deprecated: flag('Whether the contract marks it as `deprecated`.', false),
          sunset: text('The date in its `x-sunset`, as it is written.', '2027-01-31').optional(),
          readers: z
            .array(fieldReader)
            .meta({ description: 'The teams that have said, or were found, to read it.' }),
        }),
      )
      .meta({ description: 'Each field that the contract declares.' }),
    consumers: z.array(reader).meta({ description: 'All consumers of the asset.' }),
    readers_of_everything: z.array(reader).meta({
      description:
        'The teams that have not said what they read, or whose need the contract does not meet: any field may be one of theirs. What was found of such a team is among the readers of its fields, too.',
    }),
    complete: flag('False if the contract has more fields than are listed here.', true),
  })
  .meta({ id: 'AssetFields', description: 'The fields of a contract, and who reads them.' });

export const ContractDiff = z
  .object({
    from: z
      .object({ id: contractFields.id, version: contractFields.version })
      .meta({ description: 'The older contract.' }),
    to: z
      .object({ id: contractFields.id, version: contractFields.version })
      .meta({ description: 'The newer contract.' }),
    is_breaking: flag('Whether the change is breaking under the mode of the older contract.', true),
    changes,
    breaking_changes: breakingChanges,
    change_type: bump,
  })
  .meta({ id: 'ContractDiff', description: 'The differences between two contracts.' });
