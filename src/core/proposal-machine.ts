// The whole life of a proposal, as one table. docs/states.md and the tests are made from it.

import type { EventType } from './event.ts';
import { accept, type FailureCode, type Outcome, refuse } from './failure.ts';

export const proposalStates = [
  'pending',
  'approved',
  'published',
  'rejected',
  'force_published',
  'withdrawn',
] as const;

export type ProposalState = (typeof proposalStates)[number];

export const proposalActs = [
  'propose',
  'acknowledge',
  'block',
  'object',
  'approve',
  'reopen',
  'publish',
  'auto_publish',
  'rebase',
  'request_force',
  'force',
  'withdraw',
  'expire',
  'supersede',
  'delete_asset',
] as const;

export type ProposalAct = (typeof proposalActs)[number];

/**
 * The permitted caller: the owner team (or an admin), a consumer team, a team that is not asked, an
 * admin, or the system.
 */
type ProposalRole = 'owner' | 'consumer' | 'other' | 'admin' | 'system';

type ProposalCondition =
  | 'always'
  | 'can_publish'
  | 'cannot_publish'
  | 'can_publish_by_itself'
  | 'blocked_by_this_team'
  | 'not_superseded'
  | 'overdue'
  | 'not_overdue';

type ProposalEventType = Extract<EventType, `proposal.${string}`>;

type ProposalRefusal = Extract<FailureCode, 'PROPOSAL_NOT_READY' | 'PROPOSAL_NOT_OVERDUE'>;

export interface ProposalRow {
  readonly from: 'none' | ProposalState;
  readonly act: ProposalAct;
  readonly when: ProposalCondition;
  readonly who: ProposalRole;
  readonly to: ProposalState | ProposalRefusal;
  /** The audit event; null for a refusal. */
  readonly event: ProposalEventType | null;
}

/**
 * Combinations that are not listed are 409 PROPOSAL_NOT_PENDING. A wrong actor is refused with 403
 * before that.
 */
export const proposalTable: readonly ProposalRow[] = [
  row('none', 'propose', 'always', 'owner', 'pending', 'proposal.created'),
  row('pending', 'acknowledge', 'always', 'consumer', 'pending', 'proposal.acknowledged'),
  row('pending', 'block', 'always', 'consumer', 'rejected', 'proposal.rejected'),
  row(
    'rejected',
    'acknowledge',
    'blocked_by_this_team',
    'consumer',
    'pending',
    'proposal.acknowledged',
  ),
  row('pending', 'object', 'always', 'other', 'pending', 'proposal.objected'),
  row('approved', 'object', 'always', 'other', 'approved', 'proposal.objected'),
  row('rejected', 'object', 'always', 'other', 'rejected', 'proposal.objected'),
  row('pending', 'approve', 'can_publish', 'owner', 'approved', 'proposal.approved'),
  row('pending', 'approve', 'cannot_publish', 'owner', 'PROPOSAL_NOT_READY', null),
  row('pending', 'publish', 'can_publish', 'owner', 'published', 'proposal.published'),
  row('pending', 'publish', 'cannot_publish', 'owner', 'PROPOSAL_NOT_READY', null),
  row('approved', 'reopen', 'cannot_publish', 'system', 'pending', 'proposal.reopened'),
  row('approved', 'publish', 'can_publish', 'owner', 'published', 'proposal.published'),
  row('approved', 'publish', 'cannot_publish', 'owner', 'PROPOSAL_NOT_READY', null),
  row(
    'pending',
    'auto_publish',
    'can_publish_by_itself',
    'system',
    'published',
    'proposal.published',
  ),
  row('pending', 'rebase', 'always', 'owner', 'pending', 'proposal.rebased'),
  row('approved', 'rebase', 'always', 'owner', 'pending', 'proposal.rebased'),
  row('pending', 'delete_asset', 'always', 'system', 'withdrawn', 'proposal.withdrawn'),
  row('approved', 'delete_asset', 'always', 'system', 'withdrawn', 'proposal.withdrawn'),
  row('pending', 'request_force', 'always', 'admin', 'pending', 'proposal.force_requested'),
  row('approved', 'request_force', 'always', 'admin', 'approved', 'proposal.force_requested'),
  row(
    'rejected',
    'request_force',
    'not_superseded',
    'admin',
    'rejected',
    'proposal.force_requested',
  ),
  row('pending', 'force', 'always', 'admin', 'force_published', 'proposal.force_published'),
  row('approved', 'force', 'always', 'admin', 'force_published', 'proposal.force_published'),
  row(
    'rejected',
    'force',
    'not_superseded',
    'admin',
    'force_published',
    'proposal.force_published',
  ),
  row('pending', 'withdraw', 'always', 'owner', 'withdrawn', 'proposal.withdrawn'),
  row('approved', 'withdraw', 'always', 'owner', 'withdrawn', 'proposal.withdrawn'),
  row('rejected', 'withdraw', 'always', 'owner', 'withdrawn', 'proposal.withdrawn'),
  row('pending', 'expire', 'overdue', 'owner', 'withdrawn', 'proposal.withdrawn'),
  row('pending', 'expire', 'not_overdue', 'owner', 'PROPOSAL_NOT_OVERDUE', null),
  row('approved', 'expire', 'overdue', 'owner', 'withdrawn', 'proposal.withdrawn'),
  row('approved', 'expire', 'not_overdue', 'owner', 'PROPOSAL_NOT_OVERDUE', null),
  row('rejected', 'expire', 'overdue', 'owner', 'withdrawn', 'proposal.withdrawn'),
  row('rejected', 'expire', 'not_overdue', 'owner', 'PROPOSAL_NOT_OVERDUE', null),
  row('pending', 'supersede', 'always', 'owner', 'withdrawn', 'proposal.withdrawn'),
  row('approved', 'supersede', 'always', 'owner', 'withdrawn', 'proposal.withdrawn'),
];

/** The role that an act requires in every state; checked before the state. */
export const roleOfAct: Readonly<Record<ProposalAct, ProposalRole>> = {
  propose: 'owner',
  acknowledge: 'consumer',
  block: 'consumer',
  object: 'other',
  approve: 'owner',
  reopen: 'system',
  publish: 'owner',
  auto_publish: 'system',
  rebase: 'owner',
  request_force: 'admin',
  force: 'admin',
  withdraw: 'owner',
  expire: 'owner',
  supersede: 'owner',
  delete_asset: 'system',
};

/** The facts that the conditions of the table use. */
export interface ProposalCircumstances {
  readonly canPublish: boolean;
  readonly autoPublish: boolean;
  /** This team blocked it, and no other proposal was made for the asset since. */
  readonly blockedByThisTeam: boolean;
  /** Another proposal was made for the asset since. */
  readonly isSuperseded: boolean;
  /** It may be ended as expired. */
  readonly isOverdue: boolean;
}

export interface ProposalStep {
  readonly to: ProposalState;
  readonly event: ProposalEventType;
}

/**
 * Looks an act up in the table.
 *
 * @example
 * decideProposalStep('withdrawn', 'publish', circumstances)
 * // refused: PROPOSAL_NOT_PENDING, naming the state
 */
export function decideProposalStep(
  from: 'none' | ProposalState,
  act: ProposalAct,
  circumstances: ProposalCircumstances,
): Outcome<ProposalStep> {
  const found = proposalTable.find(
    (candidate) =>
      candidate.from === from && candidate.act === act && holds[candidate.when](circumstances),
  );
  if (found === undefined) {
    return refuse(
      'PROPOSAL_NOT_PENDING',
      `The proposal is ${from}: ${refusedActs[act]} from that state.${wayOut(from)}`,
      { details: { state: from } },
    );
  }
  const { to, event } = found;
  if (to === 'PROPOSAL_NOT_READY' || to === 'PROPOSAL_NOT_OVERDUE' || event === null) {
    const code = to === 'PROPOSAL_NOT_OVERDUE' ? to : 'PROPOSAL_NOT_READY';
    return refuse(code, refusedSteps[code], { details: { state: from } });
  }
  return accept({ to, event });
}

export function isOpen(state: ProposalState): state is 'pending' | 'approved' {
  return state === 'pending' || state === 'approved';
}

const holds: Readonly<Record<ProposalCondition, (of: ProposalCircumstances) => boolean>> = {
  always: () => true,
  can_publish: (of) => of.canPublish,
  cannot_publish: (of) => !of.canPublish,
  can_publish_by_itself: (of) => of.canPublish && of.autoPublish,
  blocked_by_this_team: (of) => of.blockedByThisTeam,
  not_superseded: (of) => !of.isSuperseded,
  overdue: (of) => of.isOverdue,
  not_overdue: (of) => !of.isOverdue,
};

const refusedSteps: Readonly<Record<ProposalRefusal, string>> = {
  PROPOSAL_NOT_READY:
    'Not all consumers have acknowledged the proposal. Wait for them, or ask an administrator to force it.',
  PROPOSAL_NOT_OVERDUE:
    'The proposal may still be answered, so it cannot expire yet: its may_expire_at says when. Until then, withdraw it with a reason.',
};

const refusedActs: Readonly<Record<ProposalAct, string>> = {
  propose: 'it cannot be proposed',
  acknowledge: 'it cannot be acknowledged',
  block: 'it cannot be blocked',
  object: 'nobody can object to it any more',
  approve: 'it cannot be approved',
  reopen: 'it cannot be reopened',
  publish: 'it cannot be published',
  auto_publish: 'it cannot be published automatically',
  rebase: 'it cannot be rebased',
  request_force: 'it cannot be forced',
  force: 'it cannot be forced',
  withdraw: 'it cannot be withdrawn',
  expire: 'it cannot expire',
  supersede: 'it cannot be superseded',
  delete_asset: 'it cannot be withdrawn',
};

function wayOut(from: 'none' | ProposalState): string {
  return from === 'rejected'
    ? ' A consumer blocked it. That team can change its answer, the owner team can withdraw the proposal, and an administrator can force it.'
    : '';
}

function row(
  from: ProposalRow['from'],
  act: ProposalAct,
  when: ProposalCondition,
  who: ProposalRole,
  to: ProposalRow['to'],
  event: ProposalEventType | null,
): ProposalRow {
  return { from, act, when, who, to, event };
}
