// What the producer tells the consumers that it asks: why, whom to ask, and until when.

import { accept, type Outcome, refuse } from '../../failure.ts';
import { dayOf, type Timestamp } from '../../id.ts';
import { type ChangeRequest, emptyRequest, type Proposal } from '../../proposal.ts';
import { decideAccess } from '../access.ts';
import type { RequestFields, UpdateProposal } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { proposalEvent } from '../events.ts';
import type { ProposalFacts } from '../facts.ts';
import { preconditionFailed } from '../not-found.ts';
import { teamIdsOf } from '../publishing/proposing.ts';

/** The request of a change that may become a proposal. */
export function requestOf(
  { request = {} }: { readonly request?: RequestFields | undefined },
  at: Timestamp,
): Outcome<ChangeRequest> {
  const refused = checkDay(request.answerBy, at, 'request.answer_by');
  return refused ?? accept(changed(emptyRequest, request));
}

export function decideRequestChange(
  facts: ProposalFacts,
  command: UpdateProposal,
  by: By,
): Outcome<Decided<Proposal>> {
  const { asset, proposal } = facts;
  const access = decideAccess(by.actor, 'update_proposal', asset.ownerTeamId);
  if (!access.ok) return access;
  if (command.precondition?.(proposal) === false) return preconditionFailed();
  const request = changed(proposal.request, command.request);
  const refused = checkLive(proposal);
  if (refused !== null) return refused;
  if (isSame(request, proposal.request)) return accept({ writes: [], answer: proposal });
  if (request.answerBy !== proposal.request.answerBy) {
    const passed = checkDay(request.answerBy, by.at, 'answer_by');
    if (passed !== null) return passed;
  }
  const isSameDay = request.answerBy === proposal.request.answerBy;
  const escalatedAt = isSameDay ? proposal.escalatedAt : null;
  const answer = { ...proposal, request, escalatedAt };
  const { reason, contact, answerBy } = proposal.request;
  const event = proposalEvent(
    'proposal.updated',
    asset,
    answer,
    { from: proposal.status, to: proposal.status },
    {
      teamIds: teamIdsOf(proposal.consumers),
      more: { before: { reason, contact, answer_by: answerBy } },
    },
  );
  return accept({
    writes: [{ kind: 'set_request', id: proposal.id, request, events: [event] }],
    answer,
  });
}

/** A blocked proposal may be answered again, so it may also be explained better. */
function checkLive({ status }: Proposal): Outcome<never> | null {
  if (status === 'pending' || status === 'approved' || status === 'rejected') return null;
  return refuse(
    'PROPOSAL_NOT_PENDING',
    `The proposal is ${status}: what it says cannot be changed any more.`,
    { details: { state: status } },
  );
}

function checkDay(
  day: string | null | undefined,
  at: Timestamp,
  field: string,
): Outcome<never> | null {
  const today = dayOf(at);
  if (day == null || day >= today) return null;
  return refuse(
    'VALIDATION_ERROR',
    `The day ${day} is over. Choose a day for answers from ${today} on.`,
    { field },
  );
}

function changed(before: ChangeRequest, fields: RequestFields): ChangeRequest {
  const { reason = before.reason, contact = before.contact, answerBy = before.answerBy } = fields;
  return { reason: trimmed(reason), contact: trimmed(contact), answerBy };
}

function trimmed(text: string | null): string | null {
  return text === null ? null : text.trim();
}

function isSame(a: ChangeRequest, b: ChangeRequest): boolean {
  return a.reason === b.reason && a.contact === b.contact && a.answerBy === b.answerBy;
}
