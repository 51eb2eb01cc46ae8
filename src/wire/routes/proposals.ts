// Proposals, and every act on one.

import { z } from 'zod';
import { answer, apiPrefix, route } from '../route.ts';
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
import { exampleId, flag, id, NoBody, pageQuery } from '../shapes/shape.ts';

const overrideQuery = z.strictObject({ override });

const proposalParams = z.strictObject({ proposal_id: id('The proposal.', exampleId.proposal) });

export const proposalRoutes = {
  listProposals: route({
    method: 'GET',
    path: `${apiPrefix}/proposals`,
    tag: 'Proposals',
    summary: 'List proposals',
    description: "Use `consumer_team_id` and `awaiting=true` to list a team's inbox.",
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      asset_id: id('About this asset.', exampleId.asset).optional(),
      status: proposalStatus.optional(),
      kind: proposalKind.optional(),
      team_id: id('About assets of this team.', exampleId.team).optional(),
      consumer_team_id: id('That ask this team.', exampleId.otherTeam).optional(),
      awaiting: flag('Only those that wait for the answer of `consumer_team_id`.').optional(),
      ...pageQuery(['proposed_at', '-proposed_at']),
    }),
    answers: { 200: answer('A page of proposals, newest first.', ProposalList) },
    errors: [],
  }),
  getProposal: route({
    method: 'GET',
    path: `${apiPrefix}/proposals/{proposal_id}`,
    tag: 'Proposals',
    summary: 'Get a proposal',
    scope: 'read',
    who: 'scope',
    params: proposalParams,
    answers: { 200: answer('The proposal.', Proposal) },
    errors: ['PROPOSAL_NOT_FOUND'],
    tagged: true,
  }),
  getProposalStatus: route({
    method: 'GET',
    path: `${apiPrefix}/proposals/{proposal_id}/status`,
    tag: 'Proposals',
    summary: 'Get the progress of a proposal',
    scope: 'read',
    who: 'scope',
    params: proposalParams,
    answers: { 200: answer('How far it is.', ProposalStatus) },
    errors: ['PROPOSAL_NOT_FOUND'],
  }),
  acknowledgeProposal: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/acknowledge`,
    tag: 'Proposals',
    summary: 'Answer a proposal as a consumer',
    description:
      'A second answer of the same team takes the place of its first. Send the `round` that was read: ' +
      'an answer to an earlier one is refused, with what breaks now.',
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
    summary: 'Park the decision to publish',
    description:
      'Once all consumers agreed. A team that registers later is asked too: the proposal is pending again then.',
    scope: 'write',
    who: 'proposal_owner',
    params: proposalParams,
    body: NoBody,
    answers: { 200: answer('The proposal as it is now.', Proposal) },
    errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_PENDING', 'PROPOSAL_NOT_READY'],
  }),
  publishProposal: route({
    method: 'POST',
    path: `${apiPrefix}/proposals/{proposal_id}/publish`,
    tag: 'Proposals',
    summary: 'Publish a proposal',
    scope: 'write',
    description:
      'Of an asset that is managed elsewhere it is parked as approved, until that place asks for ' +
      'the same; `contract` is null then.',
    who: 'proposal_owner',
    params: proposalParams,
    query: z.strictObject(overriding),
    body: NoBody,
    answers: { 200: answer('What was published.', ProposalPublished) },
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
    summary: 'Compare again, and ask again',
    scope: 'write',
    who: 'proposal_owner',
    params: proposalParams,
    body: NoBody,
    answers: { 200: answer('The proposal as it is now.', Proposal) },
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
      'By an admin, with a reason, which the audit trail keeps; also one that a consumer blocked. ' +
      'With `FOUR_EYES` the first admin requests it (202), and a second person publishes it, while ' +
      'the first one is still an admin; a rebase, or an answer that changes its state, drops the request.',
    scope: 'admin',
    who: 'scope',
    params: proposalParams,
    query: overrideQuery,
    body: Reason,
    answers: {
      200: answer('The proposal as it is now, and its contract.', ProposalForced),
      202: answer('The proposal, whose force waits for a second admin.', ProposalForced),
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
    answers: { 200: answer('The proposal as it is now.', Proposal) },
    errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_NOT_PENDING', 'ASSET_MANAGED_ELSEWHERE'],
  }),
};
