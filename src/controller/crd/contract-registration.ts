// ContractRegistration: a team says, in a namespace of its own, that it reads an asset.

import { choice, flag, list, listByKey, moment, object, type Schema, text } from './schema.ts';
import {
  answerDigest,
  blockedNeedsNotes,
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
    acknowledge: listByKey(
      'proposal',
      object('The answer to one proposal.', {
        required: {
          proposal: text('The proposal: its id, or the name of its ContractProposal.', {
            minLength: 1,
            maxLength: 253,
          }),
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
      'Answers to proposals about this asset.',
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
