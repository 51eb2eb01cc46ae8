// Contracts, and what publishing and comparing them answers.

import { z } from 'zod';
import { proposalStates } from '../../core/proposal-machine.ts';
import { ActorReference } from './actor.ts';
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
export const proposalKinds = ['schema', 'deprecation', 'move', 'guarantee_mode'] as const;
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

const mode = choice(compatibilityModes, 'How a new version must fit the old one.');
const status = choice(
  contractStates,
  'Its state. A deleted asset has no active contract; its last one is `deprecated`.',
);
const bump = choice(bumps, 'What the version does: major where it breaks backward.', 'minor');
const versionText = z
  .string()
  .regex(
    /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/,
    'must be of the form <major>.<minor>.<patch>',
  )
  .meta({ description: 'A version to ask for.', examples: ['2.0.0'] });

export const Change = z
  .object({
    type: text('What kind of change it is.', 'property_removed'),
    path: text('The deepest place that explains it.', '$.properties.total'),
    description: text('The change in words.', 'total was removed'),
    breaking: flag('Whether it breaks under the mode in force.'),
    warning: text('Not breaking, but should be reviewed.', 'narrows a number').optional(),
    old: jsonValue('The old value.', { type: 'number' }).optional(),
    new: jsonValue('The new value.', { type: 'integer' }).optional(),
    witness: jsonValue('A whole value that one side has and the other refuses.', {
      id: 1,
    }).optional(),
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

const contractFields = {
  id: id('The contract.', exampleId.contract),
  asset_id: id('The asset it is for.', exampleId.asset),
  asset_fqn: text('The FQN of its asset.', 'shop.public.orders'),
  version: text('Of the form <major>.<minor>.<patch>.', exampleVersion),
  status,
  compatibility_mode: mode,
  change_type: contractChange,
  format: choice(contractFormats, 'The source format of the schema.'),
  direction: choice(directions, 'Who writes the values that the schema describes.'),
  dialect: choice(dialects, 'The dialect of the schema.', '2020-12')
    .nullable()
    .meta({ description: 'The dialect of the schema; null if the schema declares its own.' }),
  schema_digest: text('A digest of the schema in normal form.', 'sha256:9f86d081...'),
  previous_contract_id: id('The previous version.', exampleId.otherContract)
    .nullable()
    .meta({ description: 'The previous version; null for the first.' }),
  published_at: timestamp('When it was published.'),
  published_by: id('The team it was published for.', exampleId.team),
  published_by_actor: ActorReference,
  source: choice(contractSources, 'Where it came from.'),
  source_reference: text('Its name there.', 'shop/orders')
    .nullable()
    .meta({ description: 'Its name there, if it has one.' }),
  commit: text('The commit it came from.', '1f2e3d4c')
    .nullable()
    .meta({ description: 'The commit it came from, where known.' }),
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

/** What overrides says why. */
export const overriding = {
  override,
  reason: reason('With `override`: why.').optional(),
};

export const PublishRequest = z
  .strictObject({
    schema: jsonSchema('The JSON Schema, at most 1 MiB.'),
    compatibility_mode: mode
      .meta({ description: 'Absent: that of the active contract; backward for the first.' })
      .optional(),
    guarantees: jsonObject('Absent: those of the active contract.', exampleGuarantees)
      .nullable()
      .meta({ description: 'Absent: those of the active contract. `null` removes them.' })
      .optional(),
    dialect: choice(dialects, 'For a schema without `$schema`.', '2020-12').optional(),
    version: versionText.optional(),
    dry_run: flag('Answer as the real call would, and write nothing.', false).optional(),
    supersede,
    ...overriding,
    commit: text('The commit it comes from.', '1f2e3d4c', 200).optional(),
  })
  .meta({
    id: 'PublishRequest',
    description:
      'A schema to publish, and how it is judged and kept; what is absent is as the active contract has it.',
    examples: [{ schema: exampleSchema }],
  });

/** Null ids only under `dry_run`: nothing was made that could have one. */
const madeId = id('What was made.', exampleId.contract)
  .nullable()
  .meta({ description: 'What was made; null under `dry_run`.' });

const dryRun = flag('Present and true where nothing was written.').optional();

const result = { changes, breaking_changes: breakingChanges, dry_run: dryRun };

export const Published = z
  .object({
    action: z.literal('published').meta({ description: 'It is active now.' }),
    contract: z
      .object({ ...contractFields, id: madeId })
      .meta({ description: 'The contract that holds now.' }),
    change_type: contractChange,
    ...result,
  })
  .meta({ id: 'Published', description: 'The new version is active.' });

export const ProposalCreated = z
  .object({
    action: z.literal('proposal_created').meta({ description: 'Consumers are asked first.' }),
    proposal: z
      .object({
        id: madeId,
        asset_id: contractFields.asset_id,
        asset_fqn: contractFields.asset_fqn,
        kind: choice(proposalKinds, 'What it is about.'),
        status: choice(proposalStates, 'Its state.', 'pending'),
        change_type: text('What the version will do.', 'major'),
        breaking_changes: breakingChanges,
        total_consumers: count('How many teams are asked.', 2),
      })
      .meta({ description: 'The proposal that asks them.' }),
    existing: flag('Present and true where the same had been proposed already.').optional(),
    change_type: text('What the version will do.', 'major'),
    ...result,
  })
  .meta({ id: 'ProposalCreated', description: 'The change breaks: consumers are asked first.' });

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
    status: choice(['deprecated', 'archived'], 'The state to move it to.', 'archived'),
    force: flag('For admins: archive it even though a registration pins it.', false).optional(),
    supersede,
    override,
    reason: reason('With `force` or `override`: why.').optional(),
  })
  .meta({
    id: 'ContractUpdate',
    description: 'The new state of a contract.',
    examples: [{ status: 'archived' }],
  });

export const ImpactRequest = z
  .strictObject({
    proposed_schema: jsonSchema('The schema to try.'),
    compatibility_mode: mode.optional(),
    guarantees: jsonObject('Absent: those of the active contract.', exampleGuarantees)
      .nullable()
      .meta({ description: 'Absent: those of the active contract. `null` removes them.' })
      .optional(),
    dialect: choice(dialects, 'For a schema without `$schema`.', '2020-12').optional(),
  })
  .meta({
    id: 'ImpactRequest',
    description: 'A schema to compare with the active contract; nothing is published.',
    examples: [{ proposed_schema: exampleSchema }],
  });

const affectedConsumer = z
  .object({
    team_id: id('The team.', exampleId.otherTeam),
    team_name: text('Its name.', 'Billing'),
  })
  .meta({ description: 'A team that consumes the asset.' });

export const Impact = z
  .object({
    is_breaking: flag('Whether publishing it would need the consumers.', true),
    breaking_changes: breakingChanges,
    affected_consumers: z
      .array(affectedConsumer)
      .meta({ description: 'Who would be asked, where it breaks.' }),
    changes,
    change_type: choice(['initial', ...bumps], 'What the version would do.', 'major'),
    proposed_version: text('The version it would get.', '2.0.0')
      .nullable()
      .meta({ description: 'The version it would get; null where nothing would be published.' }),
    downstream: Downstream,
  })
  .meta({ id: 'Impact', description: 'What publishing a schema would do.' });

export const CompareRequest = z
  .strictObject({
    from: id('The older contract.', exampleId.otherContract),
    to: id('The newer contract.', exampleId.contract),
  })
  .meta({
    id: 'CompareRequest',
    description: 'The two contracts to compare: what changed from the first to the second.',
    examples: [{ from: exampleId.otherContract, to: exampleId.contract }],
  });

export const ContractDiff = z
  .object({
    from: z
      .object({ id: contractFields.id, version: contractFields.version })
      .meta({ description: 'The older contract.' }),
    to: z
      .object({ id: contractFields.id, version: contractFields.version })
      .meta({ description: 'The newer contract.' }),
    is_breaking: flag('Whether it breaks under the mode of the older one.', true),
    changes,
    breaking_changes: breakingChanges,
    change_type: bump,
  })
  .meta({ id: 'ContractDiff', description: 'The differences between two contracts.' });
