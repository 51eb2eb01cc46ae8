// Proposals, and every act on one.

import { z } from 'zod';
import { answer, apiPrefix, route } from '../route.ts';
import { ProposalUpdate } from '../shapes/change-request.ts';
import { Comment, CommentCreate, CommentList } from '../shapes/comment.ts';
import { override, overriding } from '../shapes/contract.ts';
import {
  Acknowledge,
  Acknowledged,
  Proposal,
  ProposalForced,
  ProposalList,
  ProposalPublished,
  ProposalStatus,
  proposalKind,
  proposalStatus,
  Reason,
} from '../shapes/proposal.ts';
import { ProposalRevisions } from '../shapes/revision.ts';
import { choice, exampleId, flag, id, NoBody, pageQuery } from '../shapes/shape.ts';

const overrideQuery = z.strictObject({ override });

const proposalParams = z.strictObject({ proposal_id: id('The proposal.', exampleId.proposal) });

export const proposalRoutes = {
  listProposals: route({
    method: 'GET',
    path: `${apiPrefix}/proposals`,
    tag: 'Proposals',
    summary: 'List proposals',
    description:
      "Use `consumer_team_id` and `awaiting=true` to list a team's inbox. With `sort=answer_by` the earliest last day for answers comes first; proposals without one come last, the oldest first.",
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      asset_id: id('Only proposals about this asset.', exampleId.asset).optional(),
      status: proposalStatus.optional(),
      kind: proposalKind.optional(),
      team_id: id('Only proposals about assets of this team.', exampleId.team).optional(),
      consumer_team_id: id('Only proposals that ask this team.', exampleId.otherTeam).optional(),
      awaiting: flag('Only proposals that `consumer_team_id` has not answered yet.').optional(),
      escalated: flag(
        'Only proposals whose missing answers count as none, or only the others.',
      ).optional(),
      ...pageQuery(['proposed_at', '-proposed_at', 'answer_by']),
    }),
    answers: { 200: answer('A page of proposals, newest first.', ProposalList) },
    errors: [],
    fromReplica: true,
  }),
  getProposal: route({
    method: 'GET',
    path: `${apiPrefix}/proposals/{proposal_id}`,
    tag: 'Proposals',
    summary: 'Get a proposal',
    scope: 'read',
    who: 'scope',
    params: proposalParams,
    query: z.strictObject({
      examples: choice(
        ['all', 'first'],
        'Which changes come with their example. `first`: of three or more changes that differ only in their place and example, the first one alone; a change of 400 of 2,000 fields is then 0.3 MB in place of 26 MB. Default: `all`.',
      ).optional(),
    }),
    answers: { 200: answer('The proposal.', Proposal) },
    errors: ['PROPOSAL_NOT_FOUND'],
    tagged: true,
  }),
  updateProposal: route({
    method: 'PATCH',
    path: `${apiPrefix}/proposals/{proposal_id}`,
    tag: 'Proposals',
    summary: 'Change what a proposal says',
    description:
      'Changes why, whom to ask, the last day for answers, and how to migrate, until the proposal is published or withdrawn. The consumers are told.',
    scope: 'write',
    who: 'proposal_owner',
    params: proposalParams,
    body: ProposalUpdate,
    answers: { 200: answer('The changed proposal.', Proposal) },
    errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_PENDING'],
    tagged: true,
  }),
  listRevisions: route({
    method: 'GET',
    path: `${apiPrefix}/proposals/{proposal_id}/revisions`,
    tag: 'Proposals',
    summary: 'Get what is different since earlier rounds',
    description:
      'Compares each earlier round of a proposal with the present one, with what each team had answered in it. The rounds of the proposals that it replaced count, too.',
    scope: 'read',
    who: 'scope',
    params: proposalParams,
    answers: { 200: answer('The earlier rounds.', ProposalRevisions) },
    errors: ['PROPOSAL_NOT_FOUND'],
    fromReplica: true,
  }),
  listComments: route({
    method: 'GET',
    path: `${apiPrefix}/proposals/{proposal_id}/comments`,
    tag: 'Proposals',
    summary: 'List the comments on a proposal',
    scope: 'read',
    who: 'scope',
    params: proposalParams,
    query: z.strictObject(pageQuery(['written_at', '-written_at'])),
    answers: { 200: answer('A page of comments, oldest first.', CommentList) },
    errors: ['PROPOSAL_NOT_FOUND'],
    fromReplica: true,
  }),
  commentOnProposal: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/comments`,
    tag: 'Proposals',
    summary: 'Comment on a proposal',
    description:
      'For the team that owns the asset, its consumers and admins; also once the proposal is closed. A comment cannot be changed or removed.',
    scope: 'write',
    who: 'proposal_party',
    params: proposalParams,
    body: CommentCreate,
    answers: { 201: answer('The new comment.', Comment) },
    errors: ['PROPOSAL_NOT_FOUND', 'COMMENT_NOT_FOUND', 'TOO_MANY_COMMENTS'],
  }),
  remindConsumers: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/remind`,
    tag: 'Proposals',
    summary: 'Remind the consumers that have not answered',
    description: 'At most once in 12 hours.',
    scope: 'write',
    who: 'proposal_owner',
    params: proposalParams,
    body: NoBody,
    answers: { 200: answer('The proposal.', Proposal) },
    errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_PENDING', 'NOBODY_TO_REMIND', 'REMINDED_RECENTLY'],
  }),
  getProposalStatus: route({
    method: 'GET',
    path: `${apiPrefix}/proposals/{proposal_id}/status`,
    tag: 'Proposals',
    summary: 'Get the progress of a proposal',
    scope: 'read',
    who: 'scope',
    params: proposalParams,
    answers: { 200: answer('The progress of the proposal.', ProposalStatus) },
    errors: ['PROPOSAL_NOT_FOUND'],
  }),
  acknowledgeProposal: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/acknowledge`,
    tag: 'Proposals',
    summary: 'Answer a proposal as a consumer',
    description:
      'A later answer of the same team replaces its earlier one. Send the `round` of the proposal that ' +
      'you read: an answer to an earlier round is refused, and the error lists the current breaking changes.',
    scope: 'acknowledge',
    who: 'proposal_consumer',
    params: proposalParams,
    body: Acknowledge,
    answers: { 200: answer('The recorded answer.', Acknowledged) },
    errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_PENDING', 'PROPOSAL_CHANGED'],
    guarded: true,
  }),
  approveProposal: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/approve`,
    tag: 'Proposals',
    summary: 'Approve a proposal without publishing it yet',
    description:
      'Allowed once all consumers have agreed. If another team registers later, it is asked too, and the proposal is pending again.',
    scope: 'write',
    who: 'proposal_owner',
    params: proposalParams,
    body: NoBody,
    answers: { 200: answer('The changed proposal.', Proposal) },
    errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_PENDING', 'PROPOSAL_NOT_READY'],
  }),
  publishProposal: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/publish`,
    tag: 'Proposals',
    summary: 'Publish a proposal',
    scope: 'write',
    description:
      'If a source manages the asset, the proposal becomes approved, and is published when the source ' +
      'asks for the same change; `contract` is null until then.',
    who: 'proposal_owner',
    params: proposalParams,
    query: z.strictObject(overriding),
    body: NoBody,
    answers: { 200: answer('The proposal and the published contract.', ProposalPublished) },
    errors: [
      'ASSET_NOT_FOUND',
      'PROPOSAL_NOT_FOUND',
      'PROPOSAL_NOT_PENDING',
      'PROPOSAL_NOT_READY',
      'PROPOSAL_STALE',
      'VERSION_CONFLICT',
      'VERSION_TOO_SMALL',
      'ASSET_EXISTS',
    ],
  }),
  rebaseProposal: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/rebase`,
    tag: 'Proposals',
    summary: 'Rebase a proposal',
    description: 'Compares it with the current contract, and asks all current consumers again.',
    scope: 'write',
    who: 'proposal_owner',
    params: proposalParams,
    body: NoBody,
    answers: { 200: answer('The changed proposal.', Proposal) },
    errors: [
      'PROPOSAL_NOT_FOUND',
      'PROPOSAL_NOT_PENDING',
      'PROPOSAL_STALE',
      'VERSION_CONFLICT',
      'VERSION_TOO_SMALL',
    ],
  }),
  forceProposal: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/force`,
    tag: 'Proposals',
    summary: 'Publish without consumer approval',
    description:
      'Also works for a proposal that a consumer blocked. The reason is kept in the audit trail. ' +
      'With `FOUR_EYES`, the first admin only requests it (202), and a second admin publishes it; ' +
      'the first must still be an admin. A rebase, or an answer that changes the state of the ' +
      'proposal, drops the request.',
    scope: 'admin',
    who: 'scope',
    params: proposalParams,
    query: overrideQuery,
    body: Reason,
    answers: {
      200: answer('The published proposal, and its contract.', ProposalForced),
      202: answer('The proposal, which waits for a second admin.', ProposalForced),
    },
    errors: [
      'SECOND_ADMINISTRATOR_NEEDED',
      'ASSET_MANAGED_ELSEWHERE',
      'ASSET_NOT_FOUND',
      'PROPOSAL_NOT_FOUND',
      'PROPOSAL_NOT_PENDING',
      'PROPOSAL_STALE',
      'VERSION_CONFLICT',
      'VERSION_TOO_SMALL',
      'ASSET_EXISTS',
    ],
  }),
  withdrawProposal: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/withdraw`,
    tag: 'Proposals',
    summary: 'Withdraw a proposal',
    scope: 'write',
    who: 'proposal_owner',
    params: proposalParams,
    query: overrideQuery,
    body: Reason,
    answers: { 200: answer('The changed proposal.', Proposal) },
    errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_PENDING', 'ASSET_MANAGED_ELSEWHERE'],
  }),
};
