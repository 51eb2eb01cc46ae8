// ContractProposal: a change that needs the consumers' approval.

import { isSameJson } from '../../core/value/canonical-json.ts';
import type { Json, JsonObject } from '../../core/value/json.ts';
import {
  choice,
  count,
  day,
  flag,
  list,
  listByKey,
  moment,
  object,
  type Schema,
  text,
} from './schema.ts';
import {
  answerDigest,
  blockedNeedsReasonOrNotes,
  changes,
  compatibilityMode,
  condition,
  environment,
  environmentOf,
  environmentOfAsset,
  fqn,
  guaranteeMode,
  guarantees,
  jsonSchema,
  maxNotes,
  maxTeams,
  needsMode,
  notBothNames,
  objectName,
  observedGeneration,
  oneContract,
  oneSchemaAtMost,
  schemaFrom,
  teamSlug,
  unobserved,
  untilIsForMigrating,
  verdictCounts,
} from './shared-fields.ts';

const spec = object(
  'The proposed change, the answers of consumers and the decision of the producer.',
  {
    optional: {
      contractRef: object('The DataContract to change. Immutable.', {
        required: { name: objectName('The name of a DataContract in this namespace.') },
      }),
      fqn: fqn('The fully qualified name of the asset, instead of `contractRef`. Immutable.'),
      environment: environment(`With \`fqn\`. ${environmentOfAsset}`),
      kind: choice(
        ['Schema', 'Deprecation', 'Move', 'GuaranteeMode', 'NeedsMode'],
        'The kind of change. Schema: the schema, compatibility mode or guarantees change. Deprecation: the active contract is deprecated. Move: the asset gets another owner. GuaranteeMode: the asset gets a weaker guarantee mode. NeedsMode: some changes ask fewer consumers. Defaults to Schema.',
      ),
      schema: jsonSchema('The JSON Schema to publish.'),
      schemaFrom: schemaFrom(),
      compatibilityMode: compatibilityMode(
        'The compatibility mode of the new version. Defaults to the mode of the active contract.',
      ),
      guarantees: guarantees(
        'The guarantees of the new version. Defaults to the guarantees of the active contract.',
      ),
      team: teamSlug('With kind Move: the slug of the new owner team.'),
      guaranteeMode: guaranteeMode('With kind GuaranteeMode: the new guarantee mode.'),
      needsMode: needsMode('With kind NeedsMode: the new needs mode.'),
      reason: text('The reason for the change, for the consumers.', { maxLength: maxNotes }),
      contact: text('Whom the consumers ask: a person, or a channel.', { maxLength: 200 }),
      answerBy: day('The last day for answers. It ends at midnight UTC.'),
      migration: text('How the consumers move to the new version.', { maxLength: maxNotes }),
      migrateBy: day('The last day on which the old version is served.'),
      acknowledgements: listByKey(
        'team',
        object('The answer of one consumer team.', {
          required: {
            team: teamSlug('The slug of the team. This namespace must act for it.'),
            response: choice(
              ['Approved', 'Migrating', 'Blocked'],
              'Approved: the team agrees. Migrating: the team agrees, and moves to the new version later. Blocked: the team does not agree.',
            ),
          },
          optional: {
            reason: text('A message to the producer. Required with Blocked.', {
              maxLength: maxNotes,
            }),
            notes: text('Deprecated: write reason.', { maxLength: maxNotes }),
            until: moment('With Migrating: when the team moves to the new version.'),
            digest: answerDigest(),
          },
          rules: [blockedNeedsReasonOrNotes, notBothNames('notes', 'reason'), untilIsForMigrating],
        }),
        'The answers of consumer teams. Only answers of teams that this namespace acts for count. Other teams answer with a ContractRegistration in their own namespace, or through the API.',
        maxTeams,
      ),
      decision: choice(
        ['Pending', 'Approve', 'Publish', 'Withdraw', 'Force'],
        'The decision of the producer. Pending: none yet. Approve: approve it once all consumers have agreed, without publishing it. Publish: publish it once all consumers have agreed. Withdraw: withdraw it. Force: publish it without the approval of all consumers; the registry must allow this. Defaults to Pending.',
      ),
      decisionDigest: text(
        'The digest of the change that the decision is about, from status.digest. If it is given, the decision is not carried out for any other change.',
        { minLength: 1, maxLength: 64 },
      ),
      decisionReason: text('The reason for the decision. Required with Withdraw and Force.', {
        maxLength: maxNotes,
      }),
    },
    rules: [
      ...oneContract,
      {
        rule: `(has(self.contractRef) ? self.contractRef.name : '') == (has(oldSelf.contractRef) ? oldSelf.contractRef.name : '') && (has(self.fqn) ? self.fqn : '') == (has(oldSelf.fqn) ? oldSelf.fqn : '') && (has(self.environment) ? self.environment : 'production') == (has(oldSelf.environment) ? oldSelf.environment : 'production')`,
        message: 'contractRef, fqn and environment are immutable: create another ContractProposal',
        fieldPath: '.contractRef',
        reason: 'FieldValueForbidden',
        holds: (self, old) =>
          old === undefined ||
          (isSameJson(self.contractRef, old.contractRef) &&
            self.fqn === old.fqn &&
            environmentOf(self) === environmentOf(old)),
      },
      {
        rule: `(has(self.kind) ? self.kind : 'Schema') == (has(oldSelf.kind) ? oldSelf.kind : 'Schema')`,
        message: 'kind is immutable: create another ContractProposal',
        fieldPath: '.kind',
        reason: 'FieldValueForbidden',
        holds: (self, old) => old === undefined || kindOf(self) === kindOf(old),
      },
      oneSchemaAtMost,
      {
        rule: `(has(self.kind) && self.kind != 'Schema') || has(self.schema) || has(self.schemaFrom) || has(self.compatibilityMode) || has(self.guarantees)`,
        message: 'nothing is proposed: give schema, schemaFrom, compatibilityMode or guarantees',
        fieldPath: '.schema',
        reason: 'FieldValueRequired',
        holds: (self) => kindOf(self) !== 'Schema' || proposesTerms(self),
      },
      {
        rule: `!has(self.kind) || self.kind == 'Schema' || !(has(self.schema) || has(self.schemaFrom) || has(self.compatibilityMode) || has(self.guarantees))`,
        message: 'schema, schemaFrom, compatibilityMode and guarantees go with kind Schema only',
        fieldPath: '.kind',
        reason: 'FieldValueInvalid',
        holds: (self) => kindOf(self) === 'Schema' || !proposesTerms(self),
      },
      {
        rule: `has(self.team) == (has(self.kind) && self.kind == 'Move')`,
        message: 'team goes with kind Move, and is needed there',
        fieldPath: '.team',
        reason: 'FieldValueInvalid',
        holds: (self) => (self.team !== undefined) === (kindOf(self) === 'Move'),
      },
      {
        rule: `has(self.guaranteeMode) == (has(self.kind) && self.kind == 'GuaranteeMode')`,
        message: 'guaranteeMode goes with kind GuaranteeMode, and is needed there',
        fieldPath: '.guaranteeMode',
        reason: 'FieldValueInvalid',
        holds: (self) => (self.guaranteeMode !== undefined) === (kindOf(self) === 'GuaranteeMode'),
      },
      {
        rule: `has(self.needsMode) == (has(self.kind) && self.kind == 'NeedsMode')`,
        message: 'needsMode goes with kind NeedsMode, and is needed there',
        fieldPath: '.needsMode',
        reason: 'FieldValueInvalid',
        holds: (self) => (self.needsMode !== undefined) === (kindOf(self) === 'NeedsMode'),
      },
      {
        rule: `!has(self.decision) || !(self.decision in ['Withdraw', 'Force']) || (has(self.decisionReason) && self.decisionReason != '')`,
        message: 'decisionReason is needed where decision is Withdraw or Force',
        fieldPath: '.decisionReason',
        reason: 'FieldValueRequired',
        holds: ({ decision, decisionReason }) =>
          (decision !== 'Withdraw' && decision !== 'Force') ||
          (decisionReason !== undefined && decisionReason !== ''),
      },
    ],
  },
);

/**
 * The fields of the proposed change. In an object that the controller created, nobody may change
 * them.
 */
export const proposedFields = [
  'kind',
  'schema',
  'schemaFrom',
  'compatibilityMode',
  'guarantees',
  'team',
  'guaranteeMode',
  'needsMode',
  'reason',
] as const;

function kindOf(spec: JsonObject): Json {
  return spec.kind ?? 'Schema';
}

function proposesTerms(spec: JsonObject): boolean {
  return ['schema', 'schemaFrom', 'compatibilityMode', 'guarantees'].some(
    (member) => spec[member] !== undefined,
  );
}

/** The limit for texts in the status. */
export const maxStatusText = 10_000;

/**
 * A proposal of a large schema may change thousands of places, and the size of a status is limited.
 */
export const maxProposalChanges = 100;

/** What a status shows of what was said; the registry has all of it. */
export const maxComments = 20;
export const maxObjections = 20;
export const maxCommentText = 1_000;

const status = object('The progress of the proposal.', {
  default: unobserved,
  optional: {
    observedGeneration: observedGeneration(),
    conditions: condition('Ready, Reconciling, Stalled'),
    proposalId: text('The id of the proposal in the registry.', { maxLength: 36 }),
    phase: choice(
      [
        'Pending',
        'Approved',
        'Published',
        'Rejected',
        'ForcePublished',
        'Withdrawn',
        'NotBreaking',
      ],
      'The state of the proposal in the registry. NotBreaking: the change needs no approval.',
    ),
    digest: text(
      'The digest of the change that consumers are asked about now. Answers name it as their digest.',
      {
        maxLength: 64,
      },
    ),
    progress: text('Deprecated: read acknowledged and total. Only earlier releases write it.', {
      maxLength: 32,
    }),
    changes: changes('The changes that break nobody.', maxProposalChanges),
    breakingChanges: changes('The breaking changes.', maxProposalChanges),
    consumers: listByKey(
      'team',
      object('A consumer, with its answer.', {
        required: { team: text('The slug of the team.', { maxLength: 63 }) },
        optional: {
          acknowledged: flag('Whether the team has acknowledged.'),
          acknowledgedAt: moment('When the team answered.'),
          response: choice(['Approved', 'Migrating', 'Blocked'], 'The answer of the team.'),
          reason: text('What the team said with its answer; the first part of a long text.', {
            maxLength: maxCommentText,
          }),
          verdict: choice(
            ['Unaffected', 'Breaks', 'MayBreak'],
            'What the change does to what the team reads, if the team has said that.',
          ),
          path: text('The field that is gone or no longer fits, or the guarantee that changed.', {
            maxLength: maxStatusText,
          }),
          witness: text('A value that the team would refuse, as JSON.', {
            maxLength: maxStatusText,
          }),
        },
      }),
      'The consumers that are asked.',
      maxTeams,
    ),
    excused: list(
      text('The slug of a team.', { maxLength: 63 }),
      'The consumers that are not asked, because the change is proven not to affect what they read.',
      maxTeams,
    ),
    objections: list(
      object('An objection.', {
        required: {
          team: text('The name of the team.', { maxLength: 200 }),
          reason: text('Why it objects; the first part of a long text.', {
            maxLength: maxCommentText,
          }),
          objectedAt: moment('When it objected.'),
        },
      }),
      'The newest objections of teams that are not asked, the oldest of them first. They hold nothing back. A team objects on the page, on the command line or through the API.',
      maxObjections,
    ),
    verdicts: verdictCounts(),
    comments: list(
      object('A comment on the proposal.', {
        required: {
          by: text('Who wrote it.', { maxLength: 320 }),
          writtenAt: moment('When it was written.'),
          text: text('What was written; the first part of a long comment.', {
            maxLength: maxCommentText,
          }),
        },
        optional: {
          team: text('The name of the team that it was written for.', { maxLength: 200 }),
        },
      }),
      'The newest comments, the oldest of them first. They are written on the page, on the command line or through the API. In a manifest, a team says what it thinks with its answer, in reason.',
      maxComments,
    ),
    canPublish: flag('Whether all consumers have acknowledged.'),
    publishedVersion: text('The published version.', { maxLength: 64 }),
    handledDigest: text('The digest of the last spec that was handled.', { maxLength: 64 }),
    acknowledged: count('Number of consumers that have acknowledged.'),
    total: count('Number of consumers that are asked.'),
    lastHandledReconcileAt: text(
      'The last value of the annotation concordat.dev/reconcile-at that was handled.',
      { maxLength: 1024 },
    ),
  },
});

export const contractProposal: { readonly spec: Schema; readonly status: Schema } = {
  spec,
  status,
};
