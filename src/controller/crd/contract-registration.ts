// ContractRegistration: a team says, in a namespace of its own, that it reads an asset.

import { choice, flag, list, listByKey, moment, object, type Schema, text } from './schema.ts';
import {
  answerDigest,
  blockedNeedsNotes,
  blockedNeedsReason,
  condition,
  environment,
  environmentIsImmutable,
  fqn,
  fqnIsImmutable,
  maxNotes,
  observedGeneration,
  teamSlug,
  unobserved,
  untilIsForMigrating,
} from './shared-fields.ts';

/** Open proposals of one asset that a team answers: there is one at a time, and finished ones. */
const maxAnswers = 100;

const responses = ['Approved', 'Migrating', 'Blocked'];
const aboutResponses =
  'Approved: go ahead. Migrating: go ahead, we move to the new version later. Blocked: do not.';
const untilWhen = 'With Migrating: when the team will read the new version.';

function proposalName(description: string): Schema {
  return text(description, { minLength: 1, maxLength: 253 });
}

const proposalReference = object('The proposal, by its name or by its id.', {
  optional: {
    name: proposalName('The name of its ContractProposal.'),
    id: text('Its id in the registry.', {
      maxLength: 36,
      pattern: '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$',
    }),
  },
  rules: [
    {
      rule: 'has(self.name) != has(self.id)',
      message: 'give exactly one of name and id',
      holds: ({ name, id }) => (name === undefined) !== (id === undefined),
    },
  ],
});

const acknowledgement = object('The answer to one proposal.', {
  required: {
    proposalRef: proposalReference,
    digest: text(
      'The digest of what is answered, as status.digest of the ContractProposal shows it. The answer counts for this only.',
      { minLength: 1, maxLength: 64 },
    ),
    response: choice(responses, aboutResponses),
  },
  optional: {
    reason: text('What the producer should know. Needed with Blocked.', { maxLength: maxNotes }),
    until: moment(untilWhen),
  },
  rules: [blockedNeedsReason, untilIsForMigrating],
});

const spec = object('What is read, and what the team answers when it is to change.', {
  required: {
    fqn: fqn('The fully qualified name of the asset. Immutable.'),
  },
  optional: {
    environment: environment('Where the asset lives. Where it is absent: production. Immutable.'),
    team: teamSlug(
      'The slug of the consuming team, one that this namespace acts for. Where it is absent: the team of the namespace.',
    ),
    notes: text('What the asset is read for.', { maxLength: maxNotes }),
    suspend: flag('While true, nothing is registered, answered or changed from here.'),
    acknowledgements: list(
      acknowledgement,
      'Answers to proposals about this asset. One that is not there yet is answered when it comes; if two entries name one proposal, the last one counts.',
      maxAnswers,
    ),
    acknowledge: listByKey(
      'proposal',
      object('The answer to one proposal.', {
        required: {
          proposal: proposalName('The proposal: its id, or the name of its ContractProposal.'),
          response: choice(responses, aboutResponses),
        },
        optional: {
          notes: text('What the producer should know. Needed with Blocked.', {
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
    {
      rule: `(has(self.team) ? self.team : '') == (has(oldSelf.team) ? oldSelf.team : '')`,
      message: 'team is immutable: delete this object and create one for the other team',
      holds: (self, old) => old === undefined || self.team === old.team,
    },
  ],
});

const status = object('What the registry made of it.', {
  default: unobserved,
  optional: {
    observedGeneration: observedGeneration(),
    conditions: condition('Ready, Reconciling, Stalled'),
    registrationId: text('The id of the registration in the registry.', { maxLength: 36 }),
    contractVersion: text('The version of the contract that the team reads.', { maxLength: 64 }),
    pendingProposals: list(
      object('A proposal that waits for an answer of this team.', {
        required: { id: text('Its id in the registry.', { maxLength: 36 }) },
        optional: {
          digest: text('What an answer to it names as its digest.', { maxLength: 64 }),
          name: text('The name of its ContractProposal, where there is one.', { maxLength: 253 }),
          breakingChanges: text('What would break, in a sentence.', { maxLength: 32_768 }),
        },
      }),
      'Proposals that wait for an answer of this team.',
      maxAnswers,
    ),
    acknowledgements: list(
      object('What became of one answer in the spec.', {
        required: {
          proposalRef: object('The proposal, as the spec names it.', {
            optional: {
              name: text('The name of its ContractProposal.', { maxLength: 253 }),
              id: text('Its id in the registry.', { maxLength: 36 }),
            },
          }),
          state: choice(
            ['Applied', 'Stale', 'NotFound'],
            'Applied: the registry has this answer. Stale: it was not given, message says why. NotFound: there is no such proposal yet; it is answered when it comes.',
          ),
        },
        optional: {
          digest: text('The digest that the answer names.', { maxLength: 64 }),
          message: text('Why the answer was not given, and what to do.', { maxLength: 32_768 }),
        },
      }),
      'What became of the answers in the spec, in their order.',
      2 * maxAnswers,
    ),
    handledDigest: text('The digest of the last spec that was handled.', { maxLength: 64 }),
    lastHandledReconcileAt: text(
      'The value of the annotation concordat.dev/reconcile-at that was last obeyed.',
      { maxLength: 1024 },
    ),
  },
});

export const contractRegistration: { readonly spec: Schema; readonly status: Schema } = {
  spec,
  status,
};
