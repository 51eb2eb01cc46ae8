// Earlier rounds of a proposal, and what is different since.

import { z } from 'zod';
import { Change } from './contract.ts';
import { choice, count, exampleId, id, text, timestamp } from './shape.ts';

const ProposalRevision = z
  .object({
    proposal_id: id(
      'The proposal that the round belongs to: this one, or one of the same kind that it replaced.',
      exampleId.proposal,
    ),
    round: count('The round.', 1),
    base_contract_id: id('The contract it was compared with.', exampleId.contract)
      .nullable()
      .meta({ description: 'The contract it was compared with; null if there was none.' }),
    base_version: text('The version of that contract.', '1.2.0')
      .nullable()
      .meta({ description: 'The version of that contract.' }),
    added_count: count('Number of changes that the proposal has now and had not then.', 1),
    added: z
      .array(Change)
      .meta({ description: 'These changes, breaking ones first; at most 100 of them.' }),
    removed_count: count('Number of changes that it had then and has no longer.', 0),
    removed: z
      .array(Change)
      .meta({ description: 'These changes, breaking ones first; at most 100 of them.' }),
    answers: z
      .array(
        z.object({
          team_id: id('The team.', exampleId.otherTeam),
          team_name: text('Its name.', 'Billing'),
          response: choice(['approved', 'migrating', 'blocked'], 'What it answered.'),
          notes: text('Its comments; absent without any.', 'We read it until May.').optional(),
          answered_at: timestamp('When it answered.'),
        }),
      )
      .meta({ description: 'What each team had answered in that round, last.' }),
  })
  .meta({
    id: 'ProposalRevision',
    description:
      'An earlier round of a proposal, or of one that it replaced, compared with the present one.',
  });

export const ProposalRevisions = z
  .object({
    round: count('The present round.', 2),
    results: z
      .array(ProposalRevision)
      .meta({ description: 'The earlier rounds, newest first; at most 20.' }),
  })
  .meta({
    id: 'ProposalRevisions',
    description: 'What is different since each earlier round of a proposal.',
  });
