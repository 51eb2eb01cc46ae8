// Proposals: breaking changes that consumers are asked about.

import { z } from 'zod';
import { proposalStates } from '../../core/proposal-machine.ts';
import { ActorReference } from './actor.ts';
import {
  breakingChanges,
  Change,
  Contract,
  compatibilityModes,
  guaranteeModes,
  proposalKinds,
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
export const proposalKind = choice(proposalKinds, 'What it is about.');

const shared = {
  id: id('The proposal.', exampleId.proposal),
  asset_id: id('The asset it is about.', exampleId.asset),
  asset_fqn: text('The FQN of the asset.', 'shop.public.orders'),
  kind: proposalKind,
  status: proposalStatus,
  change_type: text('What the version will do.', 'major'),
  breaking_changes_count: count('How many changes break.', 1),
  total_consumers: count('How many teams are asked.', 2),
  acknowledgment_count: count('How many have agreed.', 1),
  can_publish: flag('Whether it can be published now.', false),
  proposed_at: timestamp('When it was proposed.'),
  proposed_by: id('The team it was proposed for.', exampleId.team),
  round: count('How often consumers were asked anew; an answer names it.', 1),
};

export const ProposalListed = z
  .object(shared)
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
    acknowledged: flag('Whether it has agreed.', true),
    acknowledged_at: timestamp('When it agreed; absent until then.').optional(),
    response: choice(responses, 'What it answered; absent until then.').optional(),
    until: timestamp('The date it named with `migrating`.').optional(),
    notes: text('What it had to say.', 'We read it until May.').optional(),
  })
  .meta({ id: 'ProposalConsumer', description: 'A team that is asked, and its answer.' });

const Proposed = z
  .object({
    kind: proposalKind,
    compatibility_mode: choice(compatibilityModes, 'The mode that would be set.').optional(),
    guarantees: jsonObject('The guarantees that would be set.', {})
      .nullable()
      .meta({ description: 'The guarantees that would be set; null for none.' })
      .optional(),
    version: text('The version that was asked for.', '2.0.0')
      .nullable()
      .meta({ description: 'The version that was asked for; null where none was.' })
      .optional(),
    contract_id: id('The contract that would be deprecated.', exampleId.contract).optional(),
    contract_version: text('Its version.', '1.2.0').optional(),
    environment: text('Where the asset would move to.', 'staging').optional(),
    owner_team_id: id('The team that would own it.', exampleId.otherTeam).optional(),
    guarantee_mode: choice(guaranteeModes, 'The mode that would be set.').optional(),
  })
  .meta({
    id: 'Proposed',
    description: 'What publishing it would set, by its kind; the schema is in `proposed_schema`.',
  });

const proposalFields = {
  ...shared,
  proposed: Proposed,
  proposed_schema: jsonSchema(
    'The schema it proposes; absent where it is not about one.',
  ).optional(),
  changes: z.array(Change).meta({ description: 'Every change, breaking ones first.' }),
  breaking_changes: breakingChanges,
  consumers: z.array(ProposalConsumer).meta({ description: 'Who is asked, and what they said.' }),
  proposed_by_actor: ActorReference,
  base_contract_id: id('The contract it was compared with.', exampleId.contract)
    .nullable()
    .meta({ description: 'The contract it was compared with.' }),
  reason: text('Why it was withdrawn or forced.', 'Legal wants it gone today.')
    .nullable()
    .meta({ description: 'Why it was withdrawn or forced; null before.' }),
  force_requested: z
    .object({
      by: ActorReference,
      user_id: id('The person, who cannot carry it out too.', exampleId.user),
      reason: text('Why.', 'Legal wants it gone today.'),
      requested_at: timestamp('When it was requested.'),
      round: count('The round of the proposal that it is about.', 1),
    })
    .nullable()
    .meta({
      description:
        'With `FOUR_EYES`: the force that an administrator requested, which waits for a second one; ' +
        'what changes the proposal drops it. Of a forced one: what was requested.',
    }),
  superseded_by: id('The proposal that took its place.', exampleId.proposal)
    .nullable()
    .meta({ description: 'The proposal that took its place, if any.' }),
  published_contract_id: id('The contract it became.', exampleId.contract)
    .nullable()
    .meta({ description: 'The contract it became, if it did.' }),
  resolved_at: timestamp('When it was decided.')
    .nullable()
    .meta({ description: 'When it was decided; null while it is open.' }),
};

export const Proposal = z
  .object(proposalFields)
  .meta({ id: 'Proposal', description: 'A breaking change that consumers are asked about.' });

export const ProposalForced = z
  .object({
    ...proposalFields,
    contract: Contract.nullable().meta({ description: 'The contract it became, if about one.' }),
  })
  .meta({ id: 'ProposalForced', description: 'The proposal, and the contract it became.' });

export const ProposalPublished = z
  .object({
    proposal: z
      .object({ id: shared.id, status: proposalStatus })
      .meta({ description: 'The proposal.' }),
    contract: Contract.nullable().meta({ description: 'The contract it became, if about one.' }),
  })
  .meta({ id: 'ProposalPublished', description: 'What was published.' });

export const ProposalStatus = z
  .object({
    status: proposalStatus,
    total_consumers: count('How many teams are asked.', 2),
    acknowledged: count('How many have agreed.', 1),
    remaining: count('How many have not.', 1),
    can_publish: flag('Whether it can be published now.', false),
  })
  .meta({ id: 'ProposalStatus', description: 'How far a proposal is.' });

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
    round: count('The round of the proposal that this answers.', 1).min(1).optional(),
    reason: reason('Why an administrator answers for another team.').optional(),
  })
  .meta({
    id: 'Acknowledge',
    description: "A consumer's answer to a proposal.",
    examples: [{ notes: 'Our readers ignore the field.', round: 1 }],
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

export const Reason = z.strictObject({ reason: reason('Why.') }).meta({
  id: 'Reason',
  description: 'Why it is done; it stays on record.',
  examples: [{ reason: 'Legal wants it gone today.' }],
});
