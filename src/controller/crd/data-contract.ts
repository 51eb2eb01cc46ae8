// DataContract: what a producer promises about one asset.

import { choices } from '../../core/export/spelling.ts';
import {
  choice,
  count,
  flag,
  freeObject,
  list,
  listByKey,
  object,
  type Schema,
  spelledChoice,
  text,
  writtenChoice,
} from './schema.ts';
import {
  changes,
  compatibilityMode,
  condition,
  environment,
  environmentIsImmutable,
  environmentOfAsset,
  fqn,
  fqnIsImmutable,
  guaranteeMode,
  guarantees,
  jsonSchema,
  maxChangesShown,
  maxNotes,
  maxTeams,
  needsMode,
  notBothNames,
  observedGeneration,
  schemaFrom,
  teamSlug,
  unobserved,
  verdictCounts,
} from './shared-fields.ts';

const versionPattern = '^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)$';

/** For one contract; decisions on earlier changes may stay. */
const maxDecisions = 50;

function consumers(description: string): Schema {
  return listByKey(
    'team',
    object('A team that reads the asset.', {
      required: { team: teamSlug('The slug of the team.') },
      optional: {
        purpose: text('What the team uses the asset for.', { maxLength: 10_000 }),
      },
    }),
    description,
    maxTeams,
  );
}

const spec = object('The contract, and how its changes are handled.', {
  required: {
    fqn: fqn(
      'The fully qualified name of the asset: two or more segments joined by dots. Immutable.',
    ),
  },
  optional: {
    environment: environment(environmentOfAsset),
    team: teamSlug(
      'The slug of the team that owns the asset. This namespace must act for it. Defaults to the team of the namespace.',
    ),
    ownerUser: text('The e-mail address of the responsible user.', {
      maxLength: 320,
      pattern: '^[^@\\s]+@[^@\\s]+$',
    }),
    description: text('A description of the asset, which search finds.', { maxLength: 10_000 }),
    tags: list(
      text('A tag.', { minLength: 1, maxLength: 256 }),
      'Tags of the asset, which search finds.',
      100,
    ),
    metadata: freeObject('Free-form metadata of the asset.'),
    compatibilityMode: compatibilityMode(
      'Which changes are breaking. Backward: existing data must stay valid, and no field may disappear. Forward: consumers with the old version must be able to read new data. Full: every change except annotations needs approval. None: no change needs approval, consumers are only notified. Defaults to the mode of the active contract, and to Backward for the first contract.',
    ),
    schema: jsonSchema(
      'The JSON Schema (draft-04 to 2020-12) of the data. It is one value: server-side apply never merges the schemas of two appliers.',
    ),
    schemaFrom: schemaFrom(),
    guarantees: guarantees('What the producer promises beyond the schema.'),
    guaranteeMode: guaranteeMode(
      'How a weaker guarantee is handled. Notify: consumers are notified. Strict: consumers must approve it. Ignore: it is only recorded. Defaults to Notify.',
    ),
    needsMode: needsMode(
      'Which consumers a change asks, by what they have said that they read. Narrow: a breaking change asks those whose need may be affected. Protect: a compatible change asks them too. Ignore: a breaking change asks all consumers. Defaults to Narrow.',
    ),
    onDeadline: spelledChoice(
      choices.onDeadline,
      'What happens when the last day for answers to a proposal is over. Nothing. Remind: the consumers that have not answered are told again. Escalate: their answers count as none, and an admin may force the proposal. Nothing is ever published for silence. Defaults to Nothing.',
    ),
    addConsumers: consumers(
      'Teams to register as consumers: they must approve breaking changes. A team that is removed from the list stays a consumer until the team or an admin ends its registration.',
    ),
    consumers: consumers('Deprecated: write addConsumers.'),
    version: text(
      'The version to publish. It may skip versions, but must be at least the version that the change needs. Defaults to the next version.',
      { maxLength: 64, pattern: versionPattern },
    ),
    publishPolicy: choice(
      ['Automatic', 'Manual'],
      'What happens to a breaking change once all consumers have acknowledged it. Automatic: it is published. Manual: it waits for the decision Publish, in decisions or in its ContractProposal. Defaults to Automatic.',
    ),
    deletionPolicy: choice(
      ['Retain', 'Deprecate', 'Delete'],
      'What happens to the asset when this object is deleted. Retain: the asset stays, and this object no longer manages it; the object is deleted immediately, without a finalizer. Deprecate: the active contract of the asset is deprecated. Delete: the asset is deleted. With Deprecate and Delete, a finalizer keeps the object while consumers are registered. Defaults to Retain.',
    ),
    decisions: listByKey(
      'digest',
      object('The decision on one proposal.', {
        required: {
          digest: text(
            'The digest of the proposed change, from status.proposal.digest. The decision holds only for this change.',
            { minLength: 1, maxLength: 64 },
          ),
          decision: choice(
            ['Approve', 'Publish', 'Withdraw'],
            'Approve: approve it once all consumers have agreed, without publishing it. Publish: publish it once all consumers have agreed. Withdraw: withdraw it.',
          ),
        },
        optional: {
          reason: text('The reason for the decision. Required with Withdraw.', {
            maxLength: maxNotes,
          }),
        },
        rules: [
          {
            rule: `self.decision != 'Withdraw' || (has(self.reason) && self.reason != '')`,
            message: 'reason is needed where decision is Withdraw',
            fieldPath: '.reason',
            reason: 'FieldValueRequired',
            holds: ({ decision, reason }) =>
              decision !== 'Withdraw' || (reason !== undefined && reason !== ''),
          },
        ],
      }),
      'Decisions on proposals that this object asks for, so that they can come from git. Writing one needs the verb decide on contractproposals.',
      maxDecisions,
    ),
    adopt: flag(
      'While true, this object takes over the asset from a source that is gone for good. It never takes an asset from a source that is alive.',
    ),
    suspend: flag(
      'While true, this object publishes, proposes and changes nothing. Ready stays as it was, with a condition Suspended; if consumers answer an open proposal meanwhile, Ready says so.',
    ),
  },
  rules: [
    fqnIsImmutable,
    environmentIsImmutable,
    {
      rule: 'has(self.schema) != has(self.schemaFrom)',
      message: 'give exactly one of schema and schemaFrom',
      fieldPath: '.schema',
      reason: 'FieldValueInvalid',
      holds: (self) => (self.schema === undefined) !== (self.schemaFrom === undefined),
    },
    notBothNames('consumers', 'addConsumers'),
  ],
});

const status = object('The state in the registry.', {
  default: unobserved,
  optional: {
    observedGeneration: observedGeneration(),
    conditions: condition('Ready, Reconciling, Stalled, Suspended, Drifted, UnknownDecision'),
    assetId: text('The id of the asset in the registry.', { maxLength: 36 }),
    contractId: text('The id of the active contract.', { maxLength: 36 }),
    version: text('The version of the active contract.', { maxLength: 64 }),
    schemaDigest: text('SHA-256 of the canonical form of the active schema, in hex.', {
      maxLength: 64,
    }),
    effective: object('The effective values of fields that the spec omits.', {
      optional: {
        compatibilityMode: writtenChoice(
          choices.compatibilityMode,
          'The mode of the active contract.',
        ),
        environment: text('The environment of the asset.', { maxLength: 100 }),
        team: text('The slug of the team that owns the asset.', { maxLength: 63 }),
      },
    }),
    proposal: object('The proposal that waits for the consumers.', {
      optional: {
        name: text('The name of the ContractProposal.', { maxLength: 253 }),
        id: text('The id of the proposal in the registry.', { maxLength: 36 }),
        digest: text(
          'The digest of the change that consumers are asked about now. Answers and decisions name it.',
          { maxLength: 64 },
        ),
        acknowledged: count('Number of consumers that have acknowledged it.'),
        total: count('Number of consumers.'),
        verdicts: verdictCounts(),
      },
    }),
    consumers: count('Number of teams that are registered as consumers.'),
    lastChange: object('The changes of the last version that this object published or proposed.', {
      optional: {
        bump: writtenChoice(['Initial', 'Patch', 'Minor', 'Major'], 'The version increment.'),
        breaking: flag('Whether the change is breaking.'),
        changes: changes('The changes, breaking ones first.', maxChangesShown),
      },
    }),
    handledDigest: text(
      'The digest of the last spec that was handled: it is never published or proposed again.',
      { maxLength: 64 },
    ),
    lastHandledReconcileAt: text(
      'The last value of the annotation concordat.dev/reconcile-at that was handled.',
      { maxLength: 1024 },
    ),
    source: object('Where the object was read from, where it was not a cluster.', {
      optional: {
        kind: writtenChoice(['Cluster', 'Directory', 'Git'], 'The kind of source.'),
        revision: text('The commit that it was read at.', { maxLength: 256 }),
        path: text('The file that it stands in.', { maxLength: 4096 }),
      },
    }),
  },
});

export const dataContract: { readonly spec: Schema; readonly status: Schema } = { spec, status };
