// ContractRegistration: a team registers as a consumer of an asset, in its own namespace.

import { choice, flag, list, listByKey, moment, object, type Schema, text } from './schema.ts';
import {
  answerDigest,
  blockedNeedsNotes,
  blockedNeedsReason,
  condition,
  environment,
  environmentIsImmutable,
  environmentOfAsset,
  fqn,
  fqnIsImmutable,
  jsonSchema,
  maxNotes,
  notBothNames,
  observedGeneration,
  teamSlug,
  unobserved,
  untilIsForMigrating,
} from './shared-fields.ts';

/** Answers to proposals of one asset: the open one, and finished ones. */
const maxAnswers = 100;

const responses = ['Approved', 'Migrating', 'Blocked'];
const aboutResponses =
  'Approved: the team agrees. Migrating: the team agrees, and moves to the new version later. Blocked: the team does not agree.';
const untilWhen = 'With Migrating: when the team moves to the new version.';

function proposalName(description: string): Schema {
  return text(description, { minLength: 1, maxLength: 253 });
}

const proposalReference = object(
  'The proposal, by the name of its ContractProposal or by its id.',
  {
    optional: {
      name: proposalName('The name of its ContractProposal.'),
      id: text('The id of the proposal in the registry.', {
        maxLength: 36,
        pattern: '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$',
      }),
    },
    rules: [
      {
        rule: 'has(self.name) != has(self.id)',
        message: 'give exactly one of name and id',
        fieldPath: '.name',
        reason: 'FieldValueInvalid',
        holds: ({ name, id }) => (name === undefined) !== (id === undefined),
      },
    ],
  },
);

const acknowledgement = object('The answer to one proposal.', {
  required: {
    proposalRef: proposalReference,
    digest: text(
      'The digest of the answered change, from status.digest of the ContractProposal. The answer counts only for this change.',
      { minLength: 1, maxLength: 64 },
    ),
    response: choice(responses, aboutResponses),
  },
  optional: {
    reason: text('A message to the producer. Required with Blocked.', { maxLength: maxNotes }),
    until: moment(untilWhen),
  },
  rules: [blockedNeedsReason, untilIsForMigrating],
});

const needs = object(
  'What the team reads, or sends to a request. A breaking change asks the team only if it may affect that. A need that the contract in force does not meet counts as none until a version meets it.',
  {
    optional: {
      fields: list(
        text('A field, as a path in values: $.amount or $.lines[*].sku.', {
          minLength: 1,
          maxLength: 1_000,
        }),
        'The fields. An empty list: the team reads nothing, and is only notified.',
        1_000,
      ),
      schema: jsonSchema('A JSON Schema of what the team reads, instead of fields.'),
      guarantees: list(
        text('A guarantee, or one column of it.', { minLength: 1, maxLength: 500 }),
        'The guarantees that the team relies on. Defaults to all of them.',
        1_000,
      ),
    },
    rules: [
      {
        rule: 'has(self.fields) != has(self.schema)',
        message: 'give exactly one of fields and schema',
        fieldPath: '.fields',
        reason: 'FieldValueInvalid',
        holds: ({ fields, schema }) => (fields === undefined) !== (schema === undefined),
      },
    ],
  },
);

const spec = object('The asset that the team reads, and its answers to proposals.', {
  required: {
    fqn: fqn('The fully qualified name of the asset. Immutable.'),
  },
  optional: {
    environment: environment(environmentOfAsset),
    team: teamSlug(
      'The slug of the consuming team. This namespace must act for it. Defaults to the team of the namespace.',
    ),
    purpose: text('What the team uses the asset for.', { maxLength: maxNotes }),
    notes: text('Deprecated: write purpose.', { maxLength: maxNotes }),
    needs,
    suspend: flag(
      'While true, this object registers, answers and changes nothing. Ready stays as it was, with a condition Suspended.',
    ),
    acknowledgements: list(
      acknowledgement,
      'The answers of the team to proposals about this asset. An answer to a proposal that does not exist yet is given when it is created. If two entries name the same proposal, the last one counts.',
      maxAnswers,
    ),
    acknowledge: listByKey(
      'proposal',
      object('The answer to one proposal.', {
        required: {
          proposal: proposalName('The proposal, by its id or by the name of its ContractProposal.'),
          response: choice(responses, aboutResponses),
        },
        optional: {
          notes: text('A message to the producer. Required with Blocked.', {
            maxLength: maxNotes,
          }),
          until: moment(untilWhen),
          digest: answerDigest(),
        },
        rules: [blockedNeedsNotes, untilIsForMigrating],
      }),
      'Deprecated: use acknowledgements. Answers to proposals about this asset.',
      maxAnswers,
    ),
  },
  rules: [
    fqnIsImmutable,
    environmentIsImmutable,
    notBothNames('notes', 'purpose'),
    {
      rule: `!has(oldSelf.team) || (has(self.team) && self.team == oldSelf.team)`,
      message: 'team is immutable: delete this object and create one for the other team',
      fieldPath: '.team',
      reason: 'FieldValueForbidden',
      holds: (self, old) => old?.team === undefined || self.team === old.team,
    },
  ],
});

const status = object('The state in the registry.', {
  default: unobserved,
  optional: {
    observedGeneration: observedGeneration(),
    conditions: condition('Ready, Reconciling, Stalled, NeedsMet, Suspended'),
    registrationId: text('The id of the registration in the registry.', { maxLength: 36 }),
    contractVersion: text('The version of the contract that the team reads.', { maxLength: 64 }),
    needsDigest: text('The digest of the need that this object has stated.', { maxLength: 64 }),
    pendingProposals: list(
      object('A proposal that waits for an answer of this team.', {
        required: { id: text('The id of the proposal in the registry.', { maxLength: 36 }) },
        optional: {
          digest: text('The digest that an answer to it must name.', { maxLength: 64 }),
          name: text('The name of its ContractProposal, if there is one.', { maxLength: 253 }),
          breakingChanges: text('The breaking changes, in a sentence.', { maxLength: 32_768 }),
        },
      }),
      'Proposals that wait for an answer of this team.',
      maxAnswers,
    ),
    acknowledgements: list(
      object('The result of one answer in the spec.', {
        required: {
          proposalRef: object('The proposal, as the spec names it.', {
            optional: {
              name: text('The name of its ContractProposal.', { maxLength: 253 }),
              id: text('The id of the proposal in the registry.', { maxLength: 36 }),
            },
          }),
          state: choice(
            ['Applied', 'Stale', 'NotFound'],
            'Applied: the registry has recorded the answer. Stale: the answer was not given; see message. NotFound: the proposal does not exist yet; the answer is given when it is created.',
          ),
        },
        optional: {
          digest: text('The digest that the answer names.', { maxLength: 64 }),
          message: text('Why the answer was not given, and what to do.', { maxLength: 32_768 }),
        },
      }),
      'The results of the answers in the spec, in the same order.',
      2 * maxAnswers,
    ),
    handledDigest: text('The digest of the last spec that was handled.', { maxLength: 64 }),
    lastHandledReconcileAt: text(
      'The last value of the annotation concordat.dev/reconcile-at that was handled.',
      { maxLength: 1024 },
    ),
  },
});

export const contractRegistration: { readonly spec: Schema; readonly status: Schema } = {
  spec,
  status,
};
