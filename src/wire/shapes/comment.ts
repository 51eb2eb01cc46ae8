// Comments on proposals.

import { z } from 'zod';
import { ActorReference } from './actor.ts';
import { count, exampleId, id, pageAnswer, requiredText, text, timestamp } from './shape.ts';

const said = requiredText('What it says; plain text.', 'Which column replaces it?');

export const Comment = z
  .object({
    id: id('The comment.', exampleId.comment),
    proposal_id: id('The proposal that it is about.', exampleId.proposal),
    reply_to: id('The comment that it replies to.', exampleId.comment)
      .nullable()
      .meta({ description: 'The comment that it replies to; null if it is none.' }),
    round: count('The round of the proposal when it was written.', 1),
    team_id: id('The team that it is written for.', exampleId.otherTeam)
      .nullable()
      .meta({ description: 'The team that it is written for; null for an admin without one.' }),
    team_name: text('The name of the team.', 'Billing')
      .nullable()
      .meta({ description: 'The name of the team.' }),
    text: said,
    written_at: timestamp('When it was written.'),
    written_by: ActorReference,
  })
  .meta({ id: 'Comment', description: 'What somebody says about a proposal.' });

export const CommentList = z
  .object({
    results: z.array(Comment).meta({ description: 'The comments of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'CommentList', description: 'A page of comments, oldest first.' });

export const CommentCreate = z
  .strictObject({
    text: said,
    reply_to: id('The comment that it replies to.', exampleId.comment).optional(),
    team_id: id(
      'The team that it is written for; required if the key acts for several that the proposal concerns.',
      exampleId.otherTeam,
    ).optional(),
  })
  .meta({
    id: 'CommentCreate',
    description: 'A comment on a proposal, or a reply to one.',
    examples: [{ text: 'Which column replaces it?' }],
  });
