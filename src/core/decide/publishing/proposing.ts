// The common part of every proposal: the writes that ask the consumers.

import { actorReference } from '../../actor.ts';
import type { Bump, Change, Comparison } from '../../comparison.ts';
import type { ProposalId, TeamId, Timestamp } from '../../id.ts';
import type { Verdicts } from '../../need.ts';
import {
  type ChangeRequest,
  emptyRequest,
  type Proposal,
  type ProposalConsumer,
  type Proposed,
  progressOf,
} from '../../proposal.ts';
import { decideProposalStep, type ProposalCircumstances } from '../../proposal-machine.ts';
import type { Consumer } from '../../registration.ts';
import type { JsonObject } from '../../value/json.ts';
import { type Asking, verdictOn } from '../asking.ts';
import type { By } from '../decided.ts';
import { proposalEvent, teamNames } from '../events.ts';
import type { AssetFacts, ProposalFacts } from '../facts.ts';
import type { ProposalUpdate, Write } from '../write.ts';
import { breakingOf, proposedDigestOf } from './publish.ts';

type ChangeStep = Exclude<Bump, 'none'>;

export interface NewProposal {
  readonly proposed: Proposed;
  readonly changes: readonly Change[];
  /** For the terms of a contract: the version step, and whom it asks. */
  readonly changeType?: ChangeStep;
  readonly asking?: Asking;
  readonly request?: ChangeRequest;
}

/** The version step of a change that is proposed although it may be compatible. */
export function stepOf(comparison: Pick<Comparison, 'isBreaking' | 'bump'> | null): ChangeStep {
  if (comparison === null || comparison.isBreaking) return 'major';
  return comparison.bump === 'none' ? 'patch' : comparison.bump;
}

export function proposalOfFacts(facts: AssetFacts, next: NewProposal, by: By): Proposal {
  const breakingChanges = breakingOf(next.changes);
  const { asks = 'all', verdicts = {}, excused = [] } = next.asking ?? {};
  const asked = next.asking?.asked ?? facts.consumers;
  const consumers = asked.map((consumer) => unanswered(consumer, verdicts));
  return {
    id: by.newId(),
    assetId: facts.asset.id,
    assetFqn: facts.asset.fqn,
    kind: next.proposed.kind,
    status: 'pending',
    changeType: next.changeType ?? 'major',
    proposed: next.proposed,
    changes: next.changes,
    breakingChanges,
    breakingChangesCount: breakingChanges.length,
    baseContractId: facts.base?.id ?? null,
    round: 1,
    proposedAt: by.at,
    askedAt: by.at,
    proposedBy: facts.asset.ownerTeamId,
    proposedByActor: actorReference(by.actor),
    progress: progressOf('pending', consumers),
    request: next.request ?? emptyRequest,
    remindedAt: null,
    escalatedAt: null,
    deadlineDone: null,
    reason: null,
    forceRequested: null,
    supersededBy: null,
    publishedContractId: null,
    resolvedAt: null,
    consumers,
    asks,
    verdicts,
    excused,
    objections: [],
  };
}

/**
 * The old proposal is closed first, because an asset has only one open proposal. `overriding` is
 * the reason if the asset is managed elsewhere.
 */
export function proposeWrites(
  facts: AssetFacts,
  proposal: Proposal,
  superseded: Proposal | null,
  overriding: { readonly reason?: string } = {},
): readonly Write[] {
  const created = proposalEvent(
    'proposal.created',
    facts.asset,
    proposal,
    { from: null, to: 'pending' },
    {
      teamIds: teamIdsOf(proposal.consumers),
      more: {
        consumers: proposal.consumers.map(({ teamName }) => teamName),
        ...excusedOf(proposal),
        ...overriding,
      },
    },
  );
  const insert: Write = {
    kind: 'insert_proposal',
    proposal,
    proposedDigest: proposedDigestOf(proposal.proposed),
    events: [created],
  };
  if (superseded === null) return [insert];
  const reason = `superseded by proposal ${proposal.id}`;
  return [
    closeWrite(facts, superseded, { reason, at: proposal.proposedAt, supersededBy: proposal.id }),
    insert,
  ];
}

/** Named in events only if there are any. */
function excusedOf({ excused }: Proposal): JsonObject {
  return excused.length === 0 ? {} : { excused: teamNames(excused) };
}

/** Withdraws a proposal: by its producer, because of a newer one, or with its asset. */
export function closeWrite(
  facts: Pick<AssetFacts, 'asset'>,
  proposal: Proposal,
  why: {
    readonly reason: string;
    readonly at: Timestamp;
    readonly supersededBy?: ProposalId;
  },
): Extract<Write, { kind: 'update_proposal' }> {
  const event = proposalEvent(
    'proposal.withdrawn',
    facts.asset,
    proposal,
    { from: proposal.status, to: 'withdrawn' },
    {
      teamIds: teamIdsOf(proposal.consumers),
      more: {
        reason: why.reason,
        ...(why.supersededBy === undefined ? {} : { superseded_by: why.supersededBy }),
      },
    },
  );
  const set: ProposalUpdate = {
    ...updateOf(proposal),
    status: 'withdrawn',
    reason: why.reason,
    supersededBy: why.supersededBy ?? proposal.supersededBy,
    resolvedAt: why.at,
    decidedConsumers: proposal.consumers,
  };
  return { kind: 'update_proposal', id: proposal.id, set, events: [event] };
}

/**
 * If a proposal was approved without the answer of a team that consumes the asset now, it becomes
 * pending again, and that team is asked. The other answers stay. Null if it stays approved.
 */
export function decideReopening(facts: ProposalFacts): Write | null {
  const { asset, proposal } = facts;
  const step = decideProposalStep(proposal.status, 'reopen', circumstancesOf(facts));
  if (!step.ok) return null;
  const awaited = proposal.consumers.filter(({ acknowledged }) => !acknowledged);
  const event = proposalEvent(
    step.value.event,
    asset,
    proposal,
    { from: proposal.status, to: step.value.to },
    { teamIds: teamIdsOf(awaited), more: { awaiting: teamNames(awaited) } },
  );
  const set = { ...updateOf(proposal), status: step.value.to };
  return { kind: 'update_proposal', id: proposal.id, set, events: [event] };
}

/** The facts that the proposal table uses, for any actor. */
export function circumstancesOf({
  asset,
  openProposal,
  proposal,
}: ProposalFacts): ProposalCircumstances {
  const isAnotherOpen = openProposal !== null && openProposal.id !== proposal.id;
  return {
    canPublish: proposal.progress.canPublish,
    autoPublish: asset.autoPublish,
    blockedByThisTeam: false,
    isSuperseded: proposal.supersededBy !== null || isAnotherOpen,
    isOverdue: false,
  };
}

/**
 * A proposal as an update that changes nothing yet. Each change drops a requested force, because
 * the first administrator had not seen the change.
 */
export function updateOf(proposal: Proposal): ProposalUpdate {
  return {
    status: proposal.status,
    baseContractId: proposal.baseContractId,
    changes: proposal.changes,
    breakingChanges: proposal.breakingChanges,
    changeType: proposal.changeType,
    asks: proposal.asks,
    verdicts: proposal.verdicts,
    round: proposal.round,
    reason: proposal.reason,
    forceRequested: null,
    supersededBy: proposal.supersededBy,
    publishedContractId: proposal.publishedContractId,
    resolvedAt: proposal.resolvedAt,
    decidedConsumers: null,
  };
}

/** The proposal after an update, so that the verb needs no second read. */
export function updatedProposal(proposal: Proposal, set: ProposalUpdate): Proposal {
  const { decidedConsumers, ...rest } = set;
  const consumers = decidedConsumers ?? proposal.consumers;
  return {
    ...proposal,
    ...rest,
    breakingChangesCount: set.breakingChanges.length,
    consumers,
    progress: progressOf(set.status, consumers),
  };
}

export function unanswered(consumer: Consumer, verdicts: Verdicts): ProposalConsumer {
  const impact = verdictOn(consumer, verdicts);
  return {
    teamId: consumer.teamId,
    teamName: consumer.teamName,
    acknowledged: false,
    acknowledgedAt: null,
    response: null,
    until: null,
    notes: null,
    ...(impact !== null && { impact }),
  };
}

export function teamIdsOf(consumers: readonly { readonly teamId: TeamId }[]): readonly TeamId[] {
  return consumers.map(({ teamId }) => teamId);
}
