// A proposal: a change that consumers must approve before it happens.

import type { ActorReference } from './actor.ts';
import type { Asset, NeedsMode } from './asset.ts';
import type {
  Change,
  CompatibilityMode,
  Direction,
  GuaranteeMode,
  Guarantees,
} from './comparison.ts';
import type { ContractChangeType, ContractFormat, ContractSource } from './contract.ts';
import type { AssetId, ContractId, ProposalId, TeamId, Timestamp, UserId } from './id.ts';
import type { ConsumerVerdict, Verdicts } from './need.ts';
import { isOpen, type ProposalState } from './proposal-machine.ts';
import type { Dialect } from './schema/dialects.ts';
import type { Json } from './value/json.ts';

export const proposalKinds = [
  'schema',
  'deprecation',
  'move',
  'guarantee_mode',
  'needs_mode',
] as const;

export type ProposalKind = (typeof proposalKinds)[number];

export const asksKinds = ['all', 'affected', 'stated'] as const;

/**
 * The consumers that a proposal asks. `affected`: all but those whose need is proven unaffected.
 * `stated`: of the consumers with a need, those whose need is not proven unaffected.
 */
export type Asks = (typeof asksKinds)[number];

export type AcknowledgementResponse = 'approved' | 'migrating' | 'blocked';

/** What a publish would set. */
export type Proposed =
  | ProposedTerms
  | ProposedDeprecation
  | ProposedMove
  | ProposedGuaranteeMode
  | ProposedNeedsMode;

export interface ProposedTerms {
  readonly kind: 'schema';
  readonly schema: Json;
  readonly schemaDigest: string;
  readonly compatibilityMode: CompatibilityMode;
  readonly guarantees: Guarantees | null;
  readonly format: ContractFormat;
  readonly direction: Direction;
  readonly dialect: Dialect | null;
  /** The explicit version that was asked for, if any. */
  readonly version: string | null;
  readonly source: ContractSource;
  readonly sourceReference: string | null;
  readonly commit: string | null;
}

interface ProposedDeprecation {
  readonly kind: 'deprecation';
  readonly contractId: ContractId;
  readonly contractVersion: string;
}

interface ProposedMove {
  readonly kind: 'move';
  readonly environment: string;
  readonly ownerTeamId: TeamId;
}

interface ProposedGuaranteeMode {
  readonly kind: 'guarantee_mode';
  readonly guaranteeMode: GuaranteeMode;
}

interface ProposedNeedsMode {
  readonly kind: 'needs_mode';
  readonly needsMode: NeedsMode;
}

/** What the producer tells the consumers that a proposal asks. */
export interface ChangeRequest {
  /** Why the change is made. */
  readonly reason: string | null;
  /** Whom to ask: a person, or a channel. */
  readonly contact: string | null;
  /** The last day for answers, `2026-01-31`. It ends at midnight UTC. */
  readonly answerBy: string | null;
  /** How the consumers move to the new version. */
  readonly migration: string | null;
  /** The last day on which the producer serves the old version. It ends at midnight UTC. */
  readonly migrateBy: string | null;
}

export const emptyRequest: ChangeRequest = {
  reason: null,
  contact: null,
  answerBy: null,
  migration: null,
  migrateBy: null,
};

/**
 * As JSON, in answers and events.
 *
 * @example requestJson(emptyRequest) // { reason: null, contact: null, answer_by: null, ... }
 */
export function requestJson({ reason, contact, answerBy, migration, migrateBy }: ChangeRequest) {
  return { reason, contact, answer_by: answerBy, migration, migrate_by: migrateBy };
}

/** Without a last day for answers that counts, a proposal may expire so many days after its consumers were asked last. */
export const quietDays = 30;

const dayMs = 24 * 60 * 60 * 1000;

type Asked = Pick<ProposalSummary, 'request' | 'askedAt' | 'remindedAt'>;

const daysAfter = (from: Timestamp, days: number): Timestamp =>
  new Date(Date.parse(from) + days * dayMs).toISOString();

/** The last day for answers; null if there is none, or if the present round began after it, so that it is not late. */
export function lastDayOf({ request: { answerBy }, askedAt }: Asked): string | null {
  return answerBy !== null && askedAt < daysAfter(answerBy, 1) ? answerBy : null;
}

/**
 * From when on a proposal may be ended as expired: nothing is published for that.
 *
 * @example mayExpireAt(proposalToAnswerBy('2026-01-31')) // '2026-02-01T00:00:00.000Z'
 */
export function mayExpireAt(proposal: Asked): Timestamp {
  const lastDay = lastDayOf(proposal);
  if (lastDay !== null) return daysAfter(lastDay, 1);
  const { askedAt, remindedAt } = proposal;
  return daysAfter(remindedAt !== null && remindedAt > askedAt ? remindedAt : askedAt, quietDays);
}

export interface ProposalSummary {
  readonly id: ProposalId;
  readonly assetId: AssetId;
  readonly assetFqn: string;
  readonly kind: ProposalKind;
  readonly status: ProposalState;
  /** The version step that it leads to. */
  readonly changeType: ContractChangeType;
  readonly breakingChangesCount: number;
  readonly proposedAt: Timestamp;
  /** When the present round asked the consumers. */
  readonly askedAt: Timestamp;
  /** The team it was proposed for. */
  readonly proposedBy: TeamId;
  readonly proposedByActor: ActorReference;
  /** A rebase that asks consumers again starts another round. */
  readonly round: number;
  readonly progress: Progress;
  readonly request: ChangeRequest;
  readonly remindedAt: Timestamp | null;
  /** Since when the missing answers of this round count as none. They still may come. */
  readonly escalatedAt: Timestamp | null;
  /** The last day for answers that was acted on, so that it happens once. */
  readonly deadlineDone: string | null;
}

/** As lists show it. */
export interface ProposalListed extends ProposalSummary {
  /** The first few teams that have not agreed, those that blocked it before the others. */
  readonly notAgreed: readonly Pick<ProposalConsumer, 'teamId' | 'teamName' | 'response'>[];
  readonly objectionCount: number;
}

export interface Proposal extends ProposalSummary {
  readonly proposed: Proposed;
  readonly changes: readonly Change[];
  readonly breakingChanges: readonly Change[];
  /** The contract that it was compared with; null if there was none. */
  readonly baseContractId: ContractId | null;
  /** Why it was withdrawn or forced. */
  readonly reason: string | null;
  /**
   * Set while a force waits for a second administrator, and kept after the second one forced it.
   */
  readonly forceRequested: ForceRequest | null;
  readonly supersededBy: ProposalId | null;
  readonly publishedContractId: ContractId | null;
  readonly resolvedAt: Timestamp | null;
  /** Computed until the proposal is published or withdrawn; from then on stored as they were. */
  readonly consumers: readonly ProposalConsumer[];
  readonly asks: Asks;
  readonly verdicts: Verdicts;
  /** The consumers that are not asked, while the proposal is open. */
  readonly excused: readonly ExcusedConsumer[];
  readonly objections: readonly Objection[];
}

/** What a team says against a proposal that does not ask it. It holds nothing back. */
export interface Objection {
  readonly teamId: TeamId;
  /** Its name when it objected. */
  readonly teamName: string;
  readonly reason: string;
  /** The round of the proposal when it objected. */
  readonly round: number;
  readonly objectedAt: Timestamp;
  readonly objectedBy: ActorReference;
}

interface ExcusedConsumer {
  readonly teamId: TeamId;
  readonly teamName: string;
}

/** A force that one administrator requested for one round. */
export interface ForceRequest {
  readonly by: ActorReference;
  /** The person, because a user may have several keys. */
  readonly userId: UserId;
  readonly reason: string;
  readonly requestedAt: Timestamp;
  readonly round: number;
  /** The consumers that had not agreed; empty in a request of the release before. */
  readonly overrides: readonly TeamId[];
}

export interface ProposalConsumer {
  readonly teamId: TeamId;
  readonly teamName: string;
  readonly acknowledged: boolean;
  readonly acknowledgedAt: Timestamp | null;
  readonly response: AcknowledgementResponse | null;
  readonly until: Timestamp | null;
  readonly notes: string | null;
  /** What the change does to this consumer, if it has a need. */
  readonly impact?: ConsumerVerdict;
}

interface Progress {
  readonly totalConsumers: number;
  readonly acknowledged: number;
  readonly remaining: number;
  readonly canPublish: boolean;
}

/** A controller's name for the resource that it acts for. */
export function resourceName(kind: string, namespace: string, name: string): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/**
 * Whether the source that manages the asset made the proposal itself. Proposals by others wait
 * until that source asks for the same.
 *
 * @example isProposedByManager({ managedBy: null }, proposal) // true: nobody else is waited for
 */
export function isProposedByManager(
  { managedBy }: Pick<Asset, 'managedBy'>,
  { proposedByActor }: Pick<Proposal, 'proposedByActor'>,
): boolean {
  if (managedBy === null) return true;
  const [resource = ''] = managedBy.reference.split(' in ');
  const { type, name } = proposedByActor;
  return type === 'controller' && name === `DataContract ${resource}`;
}

/**
 * The consumers' progress. Teams that register later are asked too, even after an approval.
 *
 * @example progressOf('pending', []) // { totalConsumers: 0, ..., canPublish: true }
 */
export function progressOf(
  status: ProposalState,
  consumers: readonly Pick<ProposalConsumer, 'acknowledged'>[],
): Progress {
  const acknowledged = consumers.filter((consumer) => consumer.acknowledged).length;
  return progressOfCounts(status, { totalConsumers: consumers.length, acknowledged });
}

export function progressOfCounts(
  status: ProposalState,
  counts: Pick<Progress, 'totalConsumers' | 'acknowledged'>,
): Progress {
  const remaining = counts.totalConsumers - counts.acknowledged;
  return { ...counts, remaining, canPublish: isOpen(status) && remaining === 0 };
}
