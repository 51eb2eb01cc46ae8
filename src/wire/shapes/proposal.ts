// Proposals: breaking changes that wait for the consumers' approval.

import { z } from 'zod';
import { asksKinds, proposalKinds } from '../../core/proposal.ts';
import { proposalStates } from '../../core/proposal-machine.ts';
import { ActorReference } from './actor.ts';
import { ChangeRequest } from './change-request.ts';
import {
  breakingChanges,
  Change,
  Contract,
  compatibilityModes,
  guaranteeModes,
  needsModes,
  verdict,
  verdictDetails,
} from './contract.ts';
import {
  choice,
  count,
  exampleId,
  exampleOfLater,
  flag,
  id,
  jsonObject,
  jsonSchema,
  moment,
  pageAnswer,
  reason,
  text,
  timestamp,
} from './shape.ts';

const responses = ['approved', 'migrating', 'blocked'] as const;

export const proposalStatus = choice(proposalStates, 'Its state.', 'pending');
export const proposalKind = choice(proposalKinds, 'The kind of change.');

const shared = {
  id: id('The proposal.', exampleId.proposal),
  asset_id: id('The asset it is about.', exampleId.asset),
  asset_fqn: text('The FQN of the asset.', 'shop.public.orders'),
  kind: proposalKind,
  status: proposalStatus,
  change_type: text('The version increment of the change.', 'major'),
  breaking_changes_count: count('Number of breaking changes.', 1),
  total_consumers: count('Number of teams that are asked.', 2),
  acknowledgment_count: count('Number of teams that have agreed.', 1),
  can_publish: flag('Whether it can be published now.', false),
  proposed_at: timestamp('When it was proposed.'),
  proposed_by: id('The team that proposed it.', exampleId.team),
  round: count(
    'Starts at 1 and rises each time the consumers are asked again. Send it with an answer.',
    1,
  ),
  request: ChangeRequest,
  reminded_at: timestamp('When the consumers were last reminded.')
    .nullable()
    .meta({ description: 'When the consumers were last reminded; null if they were not.' }),
  may_expire_at: timestamp('From when on it can be ended as expired.').meta({
    description:
      'From when on `expire` ends it while it is not resolved: after the last day for answers; without one, or if a rebase asked the consumers after it, 30 days after they were asked or reminded last.',
  }),
  escalated_at: timestamp('Since when missing answers count as none.').nullable().meta({
    description:
      'Since when missing answers of this round count as none, with `on_deadline: escalate`. An answer still may come, and an admin may force the proposal.',
  }),
};

const objectionCount = count('Number of teams that object and are not asked.', 0);

export const ProposalListed = z
  .object({
    ...shared,
    objection_count: objectionCount,
    not_agreed: z
      .array(
        z.object({
          team_id: id('The team.', exampleId.otherTeam),
          team_name: text('Its name.', 'Billing'),
          response: choice(['blocked'], 'Absent if the team has not answered.').optional(),
        }),
      )
      .meta({
        description:
          'The first three teams that have not agreed, those that blocked it first; absent if there are none.',
      })
      .optional(),
  })
  .meta({ id: 'ProposalListed', description: 'A proposal, as lists show it.' });

export const ProposalList = z
  .object({
    results: z.array(ProposalListed).meta({ description: 'The proposals of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'ProposalList', description: 'A page of proposals, newest first.' });

const ProposalConsumer = z
  .object({
    team_id: id('The team.', exampleId.otherTeam),
    team_name: text('Its name.', 'Billing'),
    acknowledged: flag('Whether the team has agreed.', true),
    acknowledged_at: timestamp('When the team agreed; absent until then.').optional(),
    response: choice(responses, 'The answer of the team; absent until then.').optional(),
    until: timestamp(
      'With `migrating`: until when the team still reads the old version.',
    ).optional(),
    no_answer: flag(
      'Present and true if the last day for answers is over, and the team gave none.',
    ).optional(),
    notes: text('The comments of the team.', 'We read it until May.').optional(),
    verdict: verdict.optional(),
    ...verdictDetails,
  })
  .meta({ id: 'ProposalConsumer', description: 'A team that is asked, with its answer.' });

const Proposed = z
  .object({
    kind: proposalKind,
    compatibility_mode: choice(compatibilityModes, 'The new compatibility mode.').optional(),
    guarantees: jsonObject('The new guarantees.', {})
      .nullable()
      .meta({ description: 'The new guarantees; null for none.' })
      .optional(),
    version: text('The requested version.', '2.0.0')
      .nullable()
      .meta({ description: 'The requested version; null if none was requested.' })
      .optional(),
    contract_id: id('The contract to deprecate.', exampleId.contract).optional(),
    contract_version: text('The version of that contract.', '1.2.0').optional(),
    environment: text('The new environment of the asset.', 'staging').optional(),
    owner_team_id: id('The new owner team.', exampleId.otherTeam).optional(),
    guarantee_mode: choice(guaranteeModes, 'The new guarantee mode.').optional(),
    needs_mode: choice(needsModes, 'The new needs mode.').optional(),
  })
  .meta({
    id: 'Proposed',
    description:
      'The proposed values; the fields depend on `kind`. The schema is in `proposed_schema`.',
  });

const proposalFields = {
  ...shared,
  proposed: Proposed,
  proposed_schema: jsonSchema(
    'The proposed schema; absent for proposals of another kind.',
  ).optional(),
  changes: z.array(Change).meta({ description: 'Every change, breaking ones first.' }),
  breaking_changes: breakingChanges,
  consumers: z
    .array(ProposalConsumer)
    .meta({ description: 'The teams that are asked, with their answers.' }),
  asks: choice(
    asksKinds,
    'Which consumers it asks, by what they read: `all`; `affected`: all but those that the change is proven not to affect; `stated`: of those that have stated needs, the ones that it may affect.',
    'affected',
  ),
  excused_consumers: z
    .array(
      z.object({
        team_id: id('The team.', exampleId.otherTeam),
        team_name: text('Its name.', 'Billing'),
      }),
    )
    .meta({
      description:
        'While it is open: the consumers that are not asked, because the change is proven not to affect what they read. Absent if there are none.',
    })
    .optional(),
  objections: z
    .array(
      z.object({
        team_id: id('The team.', exampleId.otherTeam),
        team_name: text('Its name when it objected.', 'Reporting'),
        reason: text('Why it objects.', 'We plan to read this field from June on.'),
        round: count('The round of the proposal when it objected.', 1),
        objected_at: timestamp('When it objected.'),
        objected_by: ActorReference,
      }),
    )
    .meta({
      description:
        'Of teams that are not asked, the oldest first. They hold nothing back. Absent if there are none.',
    })
    .optional(),
  proposed_by_actor: ActorReference,
  base_contract_id: id('The contract it was compared with.', exampleId.contract)
    .nullable()
    .meta({ description: 'The contract it was compared with.' }),
  reason: text('Why it was withdrawn or forced.', 'Legal wants it gone today.')
    .nullable()
    .meta({ description: 'Why it was withdrawn or forced; null until then.' }),
  force_requested: z
    .object({
      by: ActorReference,
      user_id: id('The user who requested it. Another user must confirm it.', exampleId.user),
      reason: text('The reason for it.', 'Legal wants it gone today.'),
      requested_at: timestamp('When it was requested.'),
      round: count('The round of the proposal when it was requested.', 1),
    })
    .nullable()
    .meta({
      description:
        'With `FOUR_EYES`: the force that one administrator requested and a second one must confirm. ' +
        'A change of the proposal drops it, and so does a consumer that comes later. On a forced proposal: the request that was confirmed.',
    }),
  superseded_by: id('The proposal that replaced it.', exampleId.proposal)
    .nullable()
    .meta({ description: 'The proposal that replaced it; null if none did.' }),
  published_contract_id: id('The published contract.', exampleId.contract)
    .nullable()
    .meta({ description: 'The published contract; null if none was published.' }),
  resolved_at: timestamp('When it was decided.')
    .nullable()
    .meta({ description: 'When it was decided; null while it is open.' }),
};

export const Proposal = z.object(proposalFields).meta({
  id: 'Proposal',
  description: "A breaking change that waits for the consumers' approval.",
});

export const ProposalForced = z
  .object({
    ...proposalFields,
    contract: Contract.nullable().meta({
      description: 'The published contract; null if the proposal publishes none.',
    }),
  })
  .meta({ id: 'ProposalForced', description: 'The forced proposal, and its contract.' });

export const ProposalPublished = z
  .object({
    proposal: z
      .object({ id: shared.id, status: proposalStatus })
      .meta({ description: 'The proposal.' }),
    contract: Contract.nullable().meta({
      description: 'The published contract; null if the proposal publishes none.',
    }),
  })
  .meta({ id: 'ProposalPublished', description: 'The published proposal, and its contract.' });

export const ProposalStatus = z
  .object({
    status: proposalStatus,
    total_consumers: count('Number of teams that are asked.', 2),
    acknowledged: count('Number of teams that have agreed.', 1),
    remaining: count('Number of teams that have not agreed.', 1),
    can_publish: flag('Whether it can be published now.', false),
    objection_count: objectionCount,
  })
  .meta({ id: 'ProposalStatus', description: 'The progress of a proposal.' });

const roundRead = count(
  'The `round` of the proposal that you read. If the proposal is in a later round, this is refused.',
  1,
).min(1);

export const Acknowledge = z
  .strictObject({
    notes: text('Comments; required with `blocked`.', 'We read it until May.').optional(),
    response: choice(responses, 'Defaults to `approved`.').optional(),
    until: moment(
      'With `migrating`: how long the consumer still reads the old version. Must be in the future.',
      exampleOfLater,
    ).optional(),
    team_id: id(
      'The team that answers; required if the key acts for several teams.',
      exampleId.otherTeam,
    ).optional(),
    round: roundRead.optional(),
    reason: reason('Why an administrator answers for another team.').optional(),
  })
  .meta({
    id: 'Acknowledge',
    description: "A consumer's answer to a proposal.",
    examples: [{ notes: 'Our readers ignore the field.', round: 1 }],
  });

export const ObjectionSet = z
  .strictObject({
    reason: reason('Why the team objects.').nullable().meta({
      description:
        'Why the team objects; null takes its objection back. It is kept in the audit trail.',
    }),
    team_id: id(
      'The team that objects; required if the key acts for several teams.',
      exampleId.otherTeam,
    ).optional(),
  })
  .meta({
    id: 'ObjectionSet',
    description: 'What a team says against a proposal that does not ask it.',
    examples: [{ reason: 'We plan to read this field from June on.' }],
  });

export const Acknowledged = z
  .object({
    acknowledged: flag('False if the answer is `blocked`.', true),
    acknowledged_at: timestamp('When it was answered.'),
    remaining_consumers: count('Number of teams that have not agreed.', 1),
    proposal: z
      .object({ id: shared.id, status: proposalStatus })
      .meta({ description: 'The proposal as it is now.' }),
  })
  .meta({ id: 'Acknowledged', description: 'The recorded answer.' });

export const Force = z
  .strictObject({ reason: reason('Why it cannot wait.'), round: roundRead.optional() })
  .meta({
    id: 'Force',
    description: 'Why a proposal is published without its consumers.',
    examples: [{ reason: 'Legal wants it gone today.', round: 1 }],
  });

export const Reason = z.strictObject({ reason: reason('The reason.') }).meta({
  id: 'Reason',
  description: 'The reason for the action.',
  examples: [{ reason: 'Legal wants it gone today.' }],
});
