// What the producer tells the consumers that it asks: why, whom to ask, until when, and how to migrate.

import { accept, type Outcome, refuse } from '../../failure.ts';
import { dayOf, type Timestamp } from '../../id.ts';
import { type ChangeRequest, emptyRequest, type Proposal, requestJson } from '../../proposal.ts';
import { isSameJson } from '../../value/canonical-json.ts';
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
  const refused = checkDays(request, at, 'request.');
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
  const { answerBy, migrateBy } = request;
  const isSameDay = answerBy === proposal.request.answerBy;
  const days = {
    answerBy: isSameDay ? null : answerBy,
    migrateBy: migrateBy === proposal.request.migrateBy ? null : migrateBy,
  };
  const passed = checkDays(days, by.at, '');
  if (passed !== null) return passed;
  const escalatedAt = isSameDay ? proposal.escalatedAt : null;
  const answer = { ...proposal, request, escalatedAt };
  const event = proposalEvent(
    'proposal.updated',
    asset,
    answer,
    { from: proposal.status, to: proposal.status },
    {
      teamIds: teamIdsOf(proposal.consumers),
      more: { before: requestJson(proposal.request) },
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

/** A day that stays as it was may be over. */
function checkDays(
  { answerBy, migrateBy }: Pick<RequestFields, 'answerBy' | 'migrateBy'>,
  at: Timestamp,
  prefix: string,
): Outcome<never> | null {
  return (
    checkDay(answerBy, at, { what: 'for answers', field: `${prefix}answer_by` }) ??
    checkDay(migrateBy, at, { what: 'of the old version', field: `${prefix}migrate_by` })
  );
}

function checkDay(
  day: string | null | undefined,
  at: Timestamp,
  { what, field }: { readonly what: string; readonly field: string },
): Outcome<never> | null {
  const today = dayOf(at);
  if (day == null || day >= today) return null;
  return refuse(
    'VALIDATION_ERROR',
    `The day ${day} is over. Choose a last day ${what} from ${today} on.`,
    { field },
  );
}

function changed(before: ChangeRequest, fields: RequestFields): ChangeRequest {
  const { reason = before.reason, contact = before.contact, answerBy = before.answerBy } = fields;
  const { migration = before.migration, migrateBy = before.migrateBy } = fields;
  const texts = {
    reason: trimmed(reason),
    contact: trimmed(contact),
    migration: trimmed(migration),
  };
  return { ...texts, answerBy, migrateBy };
}

function trimmed(text: string | null): string | null {
  return text === null ? null : text.trim();
}

function isSame(a: ChangeRequest, b: ChangeRequest): boolean {
  return isSameJson(requestJson(a), requestJson(b));
}
