// Proposals.

import { accept } from '../../core/failure.ts';
import { commentSortFields, proposalSortFields } from '../../registry/lists.ts';
import {
  representComment,
  representContract,
  representProposal,
  representProposalListed,
  representProposalStatus,
  representRevision,
  representWithFirstExamples,
} from '../../wire/represent/represent.ts';
import { type Handler, listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { notFound } from '../not-found.ts';
import { requestFieldsOf } from '../request-fields.ts';
import { toUtc } from '../to-utc.ts';

export const listProposals: Handler<'listProposals'> = async ({ ports }, { query }) => {
  const listed = await ports.reads.listProposals({
    ...listQueryOf(query, proposalSortFields),
    assetId: query.asset_id,
    status: query.status,
    kind: query.kind,
    teamId: query.team_id,
    consumerTeamId: query.consumer_team_id,
    awaiting: query.awaiting,
    escalated: query.escalated,
    superseded: query.superseded,
  });
  return pageOf(listed, query, representProposalListed);
};

export const getProposal: Handler<'getProposal'> = async ({ ports }, { params, query }) => {
  const proposal = await ports.reads.getProposal(params.proposal_id, query.examples);
  if (proposal === null) return notFound('PROPOSAL_NOT_FOUND', params.proposal_id);
  const represent = query.examples === 'first' ? representWithFirstExamples : representProposal;
  return accept({ status: 200, body: represent(proposal) });
};

export const updateProposal: Handler<'updateProposal'> = write({
  verb: (verbs) => verbs.updateProposal,
  command: ({ params, body, ifMatch }) => ({
    proposalId: params.proposal_id,
    request: requestFieldsOf(body),
    precondition: preconditionOf(ifMatch, representProposal, representWithFirstExamples),
  }),
  reply: (proposal) => ({ status: 200, body: representProposal(proposal) }),
});

export const listRevisions: Handler<'listRevisions'> = async ({ ports }, { params }) => {
  const proposalId = params.proposal_id;
  const [round, revisions] = await Promise.all([
    ports.reads.findRound(proposalId),
    ports.reads.listRevisions(proposalId, shownRounds),
  ]);
  if (round === null) return notFound('PROPOSAL_NOT_FOUND', proposalId);
  // A wide proposal has megabytes of changes, and most have only one round.
  const proposal = revisions.length === 0 ? null : await ports.reads.getProposal(proposalId);
  const results = revisions.map((each) => representRevision(each, proposal?.changes ?? []));
  return accept({ status: 200, body: { round: proposal?.round ?? round, results } });
};

/** Nobody reads what was asked before that. */
const shownRounds = 20;

export const listComments: Handler<'listComments'> = async ({ ports }, { params, query }) => {
  const proposalId = params.proposal_id;
  if ((await ports.reads.findRound(proposalId)) === null) {
    return notFound('PROPOSAL_NOT_FOUND', proposalId);
  }
  const listed = await ports.reads.listComments({
    ...listQueryOf(query, commentSortFields),
    proposalId,
  });
  return pageOf(listed, query, representComment);
};

export const commentOnProposal: Handler<'commentOnProposal'> = write({
  verb: (verbs) => verbs.commentOnProposal,
  command: ({ params, body }) => ({
    proposalId: params.proposal_id,
    text: body.text,
    replyTo: body.reply_to,
    teamId: body.team_id,
  }),
  reply: (comment) => ({ status: 201, body: representComment(comment) }),
});

export const objectToProposal: Handler<'objectToProposal'> = write({
  verb: (verbs) => verbs.objectToProposal,
  command: ({ params, body }) => ({
    proposalId: params.proposal_id,
    reason: body.reason,
    teamId: body.team_id,
  }),
  reply: (proposal) => ({ status: 200, body: representProposal(proposal) }),
});

export const remindConsumers: Handler<'remindConsumers'> = write({
  verb: (verbs) => verbs.remindConsumers,
  command: ({ params }) => ({ proposalId: params.proposal_id }),
  reply: (proposal) => ({ status: 200, body: representProposal(proposal) }),
});

export const getProposalStatus: Handler<'getProposalStatus'> = async ({ ports }, { params }) => {
  const proposal = await ports.reads.getProposal(params.proposal_id, 'first');
  if (proposal === null) return notFound('PROPOSAL_NOT_FOUND', params.proposal_id);
  return accept({ status: 200, body: representProposalStatus(proposal) });
};

export const acknowledgeProposal: Handler<'acknowledgeProposal'> = write({
  verb: (verbs) => verbs.acknowledgeProposal,
  command: ({ params, body, ifMatch }) => ({
    proposalId: params.proposal_id,
    teamId: body.team_id,
    response: body.response ?? 'approved',
    until: body.until === undefined ? undefined : toUtc(body.until),
    notes: body.notes,
    round: body.round,
    reason: body.reason,
    precondition: preconditionOf(ifMatch, representProposal, representWithFirstExamples),
  }),
  reply: (result) => ({
    status: 200,
    body: {
      acknowledged: result.acknowledged,
      acknowledged_at: result.acknowledgedAt,
      remaining_consumers: result.remainingConsumers,
      proposal: { id: result.proposal.id, status: result.proposal.status },
    },
  }),
});

export const approveProposal: Handler<'approveProposal'> = write({
  verb: (verbs) => verbs.approveProposal,
  command: ({ params }) => ({ proposalId: params.proposal_id }),
  reply: (proposal) => ({ status: 200, body: representProposal(proposal) }),
});

export const publishProposal: Handler<'publishProposal'> = write({
  verb: (verbs) => verbs.publishProposal,
  command: ({ params, query }) => ({
    proposalId: params.proposal_id,
    override: query.override,
    reason: query.reason,
  }),
  reply: ({ proposal, contract }) => ({
    status: 200,
    body: {
      proposal: { id: proposal.id, status: proposal.status },
      contract: contract === null ? null : representContract(contract),
    },
  }),
});

export const rebaseProposal: Handler<'rebaseProposal'> = write({
  verb: (verbs) => verbs.rebaseProposal,
  command: ({ params }) => ({ proposalId: params.proposal_id }),
  reply: (proposal) => ({ status: 200, body: representProposal(proposal) }),
});

export const forceProposal: Handler<'forceProposal'> = write({
  verb: (verbs) => verbs.forceProposal,
  command: ({ params, query, body }) => ({
    proposalId: params.proposal_id,
    reason: body.reason,
    round: body.round,
    override: query.override,
  }),
  reply: ({ proposal, contract }) => ({
    status: proposal.status === 'force_published' ? 200 : 202,
    body: {
      ...representProposal(proposal),
      contract: contract === null ? null : representContract(contract),
    },
  }),
});

export const expireProposal: Handler<'expireProposal'> = write({
  verb: (verbs) => verbs.expireProposal,
  command: ({ params, query }) => ({
    proposalId: params.proposal_id,
    override: query.override,
    reason: query.reason,
  }),
  reply: (proposal) => ({ status: 200, body: representProposal(proposal) }),
});

export const withdrawProposal: Handler<'withdrawProposal'> = write({
  verb: (verbs) => verbs.withdrawProposal,
  command: ({ params, query, body }) => ({
    proposalId: params.proposal_id,
    reason: body.reason,
    override: query.override,
  }),
  reply: (proposal) => ({ status: 200, body: representProposal(proposal) }),
});
