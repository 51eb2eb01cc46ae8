// The status of a ContractProposal, from the result of its reconcile.

import type { Asset } from '../../core/asset.ts';
import type { Comment } from '../../core/comment.ts';
import type { Change } from '../../core/comparison.ts';
import { toManifestChange, toManifestPath } from '../../core/export/spelling.ts';
import type { Objection, Proposal, ProposalConsumer } from '../../core/proposal.ts';
import { isOpen, type ProposalState } from '../../core/proposal-machine.ts';
import type { Team } from '../../core/team.ts';
import { type Condition, toConditions, type Verdict } from '../conditions.ts';
import {
  maxCommentText,
  maxObjections,
  maxProposalChanges,
  maxStatusText,
} from '../crd/contract-proposal.ts';
import type { ContractProposalStatus } from '../crd/resources.ts';
import { questionDigest } from '../effective.ts';
import type { SourceObject } from '../source/source.ts';
import type { World } from './world.ts';
import { secondsOf } from './write-object-status.ts';

/** Absent members leave the status as it was. */
export interface HandledProposal {
  readonly verdict: Verdict;
  readonly asset?: Asset;
  readonly proposal?: Proposal | null;
  /** The consumers, also those that are not asked. */
  readonly consumers?: readonly Team[];
  /** The newest comments, the newest first. */
  readonly comments?: readonly Comment[];
  readonly publishedVersion?: string | null;
  readonly phase?: 'NotBreaking';
  readonly handledDigest?: string;
}

type Phase = NonNullable<ContractProposalStatus['phase']>;

const phases: Readonly<Record<ProposalState, Phase>> = {
  pending: 'Pending',
  approved: 'Approved',
  published: 'Published',
  rejected: 'Rejected',
  force_published: 'ForcePublished',
  withdrawn: 'Withdrawn',
};

export function phaseOf({ status }: Proposal): Phase {
  return phases[status];
}

export function isFinished(phase: Phase | undefined): boolean {
  return phase === 'Published' || phase === 'ForcePublished' || phase === 'Withdrawn';
}

export function statusOfProposal(object: SourceObject): ContractProposalStatus {
  // Only this controller writes the status, under the schema of this type.
  return (object.status ?? {}) as ContractProposalStatus;
}

export function proposalObjectStatus(
  world: World,
  object: SourceObject,
  handled: HandledProposal,
): ContractProposalStatus {
  const { verdict, proposal, handledDigest, phase } = handled;
  // An earlier release repeated the numbers in one text.
  const { progress: _, ...before } = statusOfProposal(object);
  const { conditions = [] } = before;
  return {
    ...(proposal === null ? { handledDigest: before.handledDigest ?? '' } : before),
    observedGeneration: object.generation,
    conditions: toConditions(
      verdict,
      object.generation,
      conditions as readonly Condition[],
      secondsOf(world.now()),
    ),
    ...(phase === undefined ? {} : { phase }),
    ...(proposal == null ? {} : ofProposal(proposal, handled, before)),
    ...(handledDigest === undefined ? {} : { handledDigest }),
    ...(object.reconcileAt === null ? {} : { lastHandledReconcileAt: object.reconcileAt }),
  };
}

function ofProposal(
  proposal: Proposal,
  { consumers = [], comments = [], publishedVersion }: HandledProposal,
  before: ContractProposalStatus,
): ContractProposalStatus {
  const { acknowledged, totalConsumers, canPublish } = proposal.progress;
  const slugs = new Map(consumers.map(({ id, slug }) => [id, slug]));
  const slugOf = ({ teamId }: Pick<ProposalConsumer, 'teamId'>) => slugs.get(teamId) ?? teamId;
  const harmless = proposal.changes.filter((change) => !change.breaking);
  return {
    proposalId: proposal.id,
    phase: phaseOf(proposal),
    digest: questionDigest(proposal),
    acknowledged,
    total: totalConsumers,
    canPublish,
    changes: harmless.slice(0, maxProposalChanges).map(changeOf),
    breakingChanges: proposal.breakingChanges.slice(0, maxProposalChanges).map(changeOf),
    ...verdictsOf(proposal),
    ...(consumers.length === 0 && proposal.consumers.length > 0
      ? {}
      : {
          consumers: proposal.consumers.map((consumer) => consumerOf(consumer, slugOf(consumer))),
        }),
    ...(isOpen(proposal.status) ? { excused: proposal.excused.map(slugOf) } : {}),
    ...(proposal.objections.length === 0 && before.objections === undefined
      ? {}
      : { objections: proposal.objections.slice(-maxObjections).map(objectionOf) }),
    ...(comments.length === 0 ? {} : { comments: comments.map(commentOf).toReversed() }),
    ...(publishedVersion == null ? {} : { publishedVersion }),
  };
}

function objectionOf({ teamName, reason, objectedAt }: Objection) {
  return { team: teamName, reason: firstPartOf(reason), objectedAt: secondsOf(objectedAt) };
}

function commentOf({ writtenBy, writtenAt, teamName, text }: Comment) {
  return {
    by: writtenBy.name,
    ...(teamName === null ? {} : { team: teamName }),
    writtenAt: secondsOf(writtenAt),
    text: firstPartOf(text),
  };
}

function firstPartOf(text: string): string {
  return text.length <= maxCommentText
    ? text
    : `${text.slice(0, maxCommentText - 1).toWellFormed()}…`;
}

function changeOf(change: Change) {
  const { type, path, description, witness } = toManifestChange(change);
  return {
    type,
    path: path.slice(0, maxStatusText),
    description: description.slice(0, maxStatusText),
    ...witnessOf(witness),
  };
}

/** A truncated witness would not be a witness, so one that is too long is left out. */
function witnessOf(witness: Change['witness']) {
  const text = witness === undefined ? '' : JSON.stringify(witness);
  return text === '' || text.length > maxStatusText ? {} : { witness: text };
}

/**
 * How many consumers have each verdict, while they are asked about the change of a contract. A consumer that
 * has not said what it reads may break.
 */
export function verdictsOf({ kind, status, consumers, excused }: Proposal) {
  if (kind !== 'schema' || !isOpen(status)) return {};
  const found = consumers.map(({ impact }) => impact?.verdict ?? 'may_break');
  return {
    verdicts: {
      breaks: found.filter((verdict) => verdict === 'breaks').length,
      mayBreak: found.filter((verdict) => verdict === 'may_break').length,
      unaffected: found.filter((verdict) => verdict === 'unaffected').length + excused.length,
    },
  };
}

const responses = { approved: 'Approved', migrating: 'Migrating', blocked: 'Blocked' } as const;

const verdicts = { unaffected: 'Unaffected', breaks: 'Breaks', may_break: 'MayBreak' } as const;

function consumerOf(consumer: ProposalConsumer, team: string) {
  const { acknowledged, acknowledgedAt, response, notes, impact } = consumer;
  return {
    team,
    acknowledged,
    ...(acknowledgedAt === null ? {} : { acknowledgedAt: secondsOf(acknowledgedAt) }),
    ...(response === null ? {} : { response: responses[response] }),
    ...(notes === null || notes === '' ? {} : { reason: firstPartOf(notes) }),
    ...(impact === undefined ? {} : { verdict: verdicts[impact.verdict] }),
    ...(impact?.path === undefined
      ? {}
      : { path: toManifestPath(impact.path).slice(0, maxStatusText) }),
    ...witnessOf(impact?.witness),
  };
}
