// ContractProposal: a change that consumers are asked about before it happens.

import { isSameJson } from '../../core/value/canonical-json.ts';
import type { Json, JsonObject } from '../../core/value/json.ts';
import { choice, count, flag, listByKey, moment, object, type Schema, text } from './schema.ts';
import {
  answerDigest,
  blockedNeedsNotes,
  changes,
  compatibilityMode,
  condition,
  environment,
  environmentOf,
  fqn,
  guaranteeMode,
  guarantees,
  jsonSchema,
  maxNotes,
  maxTeams,
  objectName,
  observedGeneration,
  oneSchemaAtMost,
  schemaFrom,
  teamSlug,
  unobserved,
  untilIsForMigrating,
} from './shared-fields.ts';

const spec = object('What is proposed, and what was answered and decided about it.', {
  optional: {
    contractRef: object('The DataContract that it would change. Immutable.', {
      required: { name: objectName('The name of a DataContract in this namespace.') },
    }),
    fqn: fqn('The name of the asset, in place of `contractRef`. Immutable.'),
    environment: environment(
      'With `fqn`: where the asset lives. Where it is absent: production. Immutable.',
    ),
    kind: choice(
      ['Schema', 'Deprecation', 'Move', 'GuaranteeMode'],
      'What would change. Schema: schema, mode or guarantees. Deprecation: the active contract would be deprecated. Move: the asset would get another owner. GuaranteeMode: weakening a guarantee would be asked about less. Where it is absent: Schema.',
    ),
    schema: jsonSchema('The JSON Schema that would be published.'),
    schemaFrom: schemaFrom(),
    compatibilityMode: compatibilityMode(
      'The mode that the new version would have. Where it is absent: that of the active contract.',
    ),
    guarantees: guarantees(
      'What the new version would promise. Where it is absent: what the active contract promises.',
    ),
    team: teamSlug('With kind Move: the slug of the team that would own the asset.'),
    guaranteeMode: guaranteeMode('With kind GuaranteeMode: what it would become.'),
    reason: text('Why the change is wanted, for those who are asked.', { maxLength: maxNotes }),
    acknowledgements: listByKey(
      'team',
      object('The answer of one consumer team.', {
        required: {
          team: teamSlug('The slug of the team, one that this namespace acts for.'),
          response: choice(
            ['Approved', 'Migrating', 'Blocked'],
            'Approved: go ahead. Migrating: go ahead, we move to the new version later. Blocked: do not.',
          ),
        },
        optional: {
          notes: text('What the producer should know. Needed with Blocked.', {
            maxLength: maxNotes,
          }),
          until: moment('With Migrating: when the team will read the new version.'),
          digest: answerDigest(),
        },
        rules: [blockedNeedsNotes, untilIsForMigrating],
      }),
      'Answers of consumer teams. Only those of teams that this namespace acts for count; other teams answer with a ContractRegistration in their own namespace, or through the API.',
      maxTeams,
    ),
    decision: choice(
      ['Pending', 'Approve', 'Publish', 'Withdraw', 'Force'],
      'What the producer decides. Pending: nothing yet. Approve: park it once everybody has acknowledged. Publish: publish it then. Withdraw: give it up. Force: publish it although not everybody has acknowledged, where that is allowed at all. Where it is absent: Pending.',
    ),
    decisionReason: text('Why. Needed with Withdraw and Force.', { maxLength: maxNotes }),
  },
  rules: [
    {
      rule: 'has(self.contractRef) != has(self.fqn)',
      message: 'give exactly one of contractRef and fqn',
      holds: (self) => (self.contractRef === undefined) !== (self.fqn === undefined),
    },
    {
      rule: '!has(self.environment) || has(self.fqn)',
      message: 'environment goes with fqn: a contractRef has the environment of its DataContract',
      holds: (self) => self.environment === undefined || self.fqn !== undefined,
    },
    {
      rule: `(has(self.contractRef) ? self.contractRef.name : '') == (has(oldSelf.contractRef) ? oldSelf.contractRef.name : '') && (has(self.fqn) ? self.fqn : '') == (has(oldSelf.fqn) ? oldSelf.fqn : '') && (has(self.environment) ? self.environment : 'production') == (has(oldSelf.environment) ? oldSelf.environment : 'production')`,
      message: 'contractRef, fqn and environment are immutable: create another ContractProposal',
      holds: (self, old) =>
        old === undefined ||
        (isSameJson(self.contractRef, old.contractRef) &&
          self.fqn === old.fqn &&
          environmentOf(self) === environmentOf(old)),
    },
    {
      rule: `(has(self.kind) ? self.kind : 'Schema') == (has(oldSelf.kind) ? oldSelf.kind : 'Schema')`,
      message: 'kind is immutable: create another ContractProposal',
      holds: (self, old) => old === undefined || kindOf(self) === kindOf(old),
    },
    oneSchemaAtMost,
    {
      rule: `(has(self.kind) && self.kind != 'Schema') || has(self.schema) || has(self.schemaFrom) || has(self.compatibilityMode) || has(self.guarantees)`,
      message: 'nothing is proposed: give schema, schemaFrom, compatibilityMode or guarantees',
      holds: (self) => kindOf(self) !== 'Schema' || proposesTerms(self),
    },
    {
      rule: `!has(self.kind) || self.kind == 'Schema' || !(has(self.schema) || has(self.schemaFrom) || has(self.compatibilityMode) || has(self.guarantees))`,
      message: 'schema, schemaFrom, compatibilityMode and guarantees go with kind Schema only',
      holds: (self) => kindOf(self) === 'Schema' || !proposesTerms(self),
    },
    {
      rule: `has(self.team) == (has(self.kind) && self.kind == 'Move')`,
      message: 'team goes with kind Move, and is needed there',
      holds: (self) => (self.team !== undefined) === (kindOf(self) === 'Move'),
    },
    {
      rule: `has(self.guaranteeMode) == (has(self.kind) && self.kind == 'GuaranteeMode')`,
      message: 'guaranteeMode goes with kind GuaranteeMode, and is needed there',
      holds: (self) => (self.guaranteeMode !== undefined) === (kindOf(self) === 'GuaranteeMode'),
    },
    {
      rule: `!has(self.decision) || !(self.decision in ['Withdraw', 'Force']) || (has(self.decisionReason) && self.decisionReason != '')`,
      message: 'decisionReason is needed where decision is Withdraw or Force',
      holds: ({ decision, decisionReason }) =>
        (decision !== 'Withdraw' && decision !== 'Force') ||
        (decisionReason !== undefined && decisionReason !== ''),
    },
  ],
});

/** What a proposal asks: where the controller made the object, nobody may say something else there. */
export const proposedFields = [
  'kind',
  'schema',
  'schemaFrom',
  'compatibilityMode',
  'guarantees',
  'team',
  'guaranteeMode',
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

/** A proposal of a large schema may change thousands of places; a status object has its limits. */
export const maxProposalChanges = 100;

const status = object('How far it is.', {
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
      'Its state in the registry; NotBreaking where nobody needs to be asked.',
    ),
    digest: text('What an answer names as its digest: another one is asked by now.', {
      maxLength: 64,
    }),
    progress: text('How many of how many consumers have acknowledged: 2/3.', { maxLength: 32 }),
    changes: changes('All changes, breaking ones first.', maxProposalChanges),
    breakingChanges: changes('Those that break somebody.', maxProposalChanges),
    consumers: listByKey(
      'team',
      object('A consumer, and what it answered.', {
        required: { team: text('The slug of the team.', { maxLength: 63 }) },
        optional: {
          acknowledged: flag('Whether it has acknowledged.'),
          acknowledgedAt: moment('When it answered.'),
          response: choice(['Approved', 'Migrating', 'Blocked'], 'What it answered.'),
        },
      }),
      'Who is asked.',
      maxTeams,
    ),
    canPublish: flag('Whether everybody who is asked has acknowledged.'),
    publishedVersion: text('The version that it was published as.', { maxLength: 64 }),
    handledDigest: text('The digest of the last spec that was handled.', { maxLength: 64 }),
    acknowledged: count('How many consumers have acknowledged.'),
    total: count('How many consumers are asked.'),
    lastHandledReconcileAt: text(
      'The value of the annotation concordat.dev/reconcile-at that was last obeyed.',
      { maxLength: 1024 },
    ),
  },
});

export const contractProposal: { readonly spec: Schema; readonly status: Schema } = {
  spec,
  status,
};
