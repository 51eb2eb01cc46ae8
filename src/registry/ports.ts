// The interfaces that verbs need: reads, the transaction (the only way to write), and the engine
// behind a pool of threads. The store and src/start provide them; a verb never sees Postgres.

import type { Actor, ActorReference } from '../core/actor.ts';
import type { Asset, ManagedBy } from '../core/asset.ts';
import type { AuditItem } from '../core/audit/check-audit.ts';
import type { HeadReference } from '../core/audit/seal.ts';
import type { CheckedValue } from '../core/checks/find-faults.ts';
import type { CheckedTerms } from '../core/checks/open-check.ts';
import type { Comment } from '../core/comment.ts';
import type {
  CompareOptions,
  Comparison,
  ContractTerms,
  GuaranteeMode,
} from '../core/comparison.ts';
import type { Contract, ContractSummary } from '../core/contract.ts';
import type { StartOver } from '../core/decide/decided.ts';
import type { AssetFacts } from '../core/decide/facts.ts';
import type { Revision } from '../core/decide/publishing/revision.ts';
import type { Dependency, Lineage, LineageEdge } from '../core/dependency.ts';
import type { Examples } from '../core/diff/alike-changes.ts';
import type { AuditEvent } from '../core/event.ts';
import type { ExportFacts } from '../core/export/export-facts.ts';
import type { Outcome } from '../core/failure.ts';
import type {
  ApiKeyId,
  AssetId,
  ContractId,
  DeliveryId,
  DependencyId,
  EventId,
  ProposalId,
  RegistrationId,
  ServiceId,
  TeamId,
  Timestamp,
  TrustId,
  UserId,
  WebhookId,
} from '../core/id.ts';
import type { ImportFound } from '../core/import/plan/found.ts';
import type {
  ConsumerVerdict,
  ExaminedNeed,
  FoundFields,
  Need,
  RegisteredNeed,
  StatedNeed,
} from '../core/need.ts';
import type { ContractFields } from '../core/needs/list-fields.ts';
import type { AcknowledgementResponse, Proposal, ProposalListed } from '../core/proposal.ts';
import type { Incident, QualityRun, QualityTrend } from '../core/quality-run.ts';
import type { Registration } from '../core/registration.ts';
import type { Dialect } from '../core/schema/dialects.ts';
import type { SearchFound, SearchQuestion } from '../core/search/search.types.ts';
import type { SourceObjectState, SourceState } from '../core/source.ts';
import type { ApiKey, ListedService, Service, Team, Trust } from '../core/team.ts';
import type { TeamGraph } from '../core/team-graph.ts';
import type { ProvisionedGroup, ProvisionedUser, SavedView, User } from '../core/user.ts';
import type { Json } from '../core/value/json.ts';
import type { Delivery, ListedWebhook, Webhook } from '../core/webhook.ts';
import type { StreamedPage, StreamQuestion } from './audit/event-feed.ts';
import type { ImportQuestion } from './imports/import.types.ts';
import type { InTurn } from './in-turn.ts';
import type { DependencyQuery, LineageQuery, QualityRunQuery } from './lineage/lineage-lists.ts';
import type { TeamGraphQuery } from './lineage/team-graph.ts';
import type {
  ApiKeyQuery,
  AssetQuery,
  CommentQuery,
  ContractQuery,
  EventQuery,
  Listed,
  ListedEvents,
  ProposalQuery,
  ProvisionedPage,
  ProvisionedQuery,
  RegistrationQuery,
  ServiceQuery,
  TeamQuery,
  TrustQuery,
  UserQuery,
} from './lists.ts';
import type { SourceObjectQuery } from './sources/sources.ts';
import type { Transaction } from './transaction.ts';
import type { DeliveryQuery, WebhookQuery } from './webhooks/webhooks.ts';

/** The settings that affect verbs. */
export interface Policy {
  /** The maximum lifetime of a new key; null for no limit. */
  readonly keyMaxDays: number | null;
  /** Whether forcing a proposal needs a second administrator. */
  readonly fourEyes: boolean;
}

export interface Ports {
  readonly reads: Reads;
  /**
   * Reads for a request that changes nothing. They see everything that was acknowledged before this
   * call. Undefined where there are no replicas of Postgres.
   */
  readonly replicaReads?: (() => Promise<Reads>) | undefined;
  readonly policy: Policy;
  readonly engine: Engine;
  /**
   * Runs the body in one transaction. The body may run more than once, so it must have no other
   * effect.
   */
  readonly transact: <T>(
    context: Context<T>,
    body: (transaction: Transaction) => Promise<Outcome<T>>,
  ) => Promise<Outcome<T>>;
  /** Like `transact`, for a body that may find its comparison outdated. Nothing is written then. */
  readonly attempt: <T>(
    context: Context<T>,
    body: (transaction: Transaction) => Promise<Outcome<T> | StartOver>,
  ) => Promise<Outcome<T> | StartOver>;
  /**
   * Stores the answer for a replay if no transaction did: of a refusal, or of a verb that writes
   * nothing.
   */
  readonly keepAnswer: (
    actorId: string,
    idempotency: IdempotencyKey,
    answer: KeptAnswer,
    at: Timestamp,
  ) => Promise<void>;
  /** Runs tasks of the same key one after the other, in this process. */
  readonly inTurn: InTurn;
  /** In a bulk: settles the asset's open proposal once everything is committed. */
  readonly settleLater?: (assetId: AssetId) => void;
  /**
   * Called with a failure after the result was decided. It is logged, and the sweep tries again
   * later.
   */
  readonly reportError: (error: unknown, during: string) => void;
  /**
   * Why nothing is ever sent to the URL of a webhook, as a sentence; null if it may be. Absent where no
   * webhooks are created.
   */
  readonly refuseUrl?: (url: string) => string | null;
}

/** The actor, the request, and the source of time and ids. */
export interface Context<in T = unknown> {
  readonly actor: Actor;
  readonly requestId: string | null;
  /** The time, taken under the lock, so that later changes have later times. */
  readonly now: () => Timestamp;
  /** A UUIDv7. */
  readonly newId: () => string;
  readonly idempotency?: Idempotency<T> | undefined;
}

/** Scoped by actor, method and path. The same key with another body is a mismatch. */
export interface IdempotencyKey {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly bodyDigest: string;
}

/** Stored in the same transaction as the change, for 24 hours. */
interface Idempotency<in T> extends IdempotencyKey {
  /**
   * The answer for a replay, without secrets. Null for answers that are not stored (5xx, 401, 403,
   * 429).
   */
  readonly represent: (outcome: Outcome<T>) => KeptAnswer | null;
}

export interface KeptAnswer {
  readonly status: number;
  /** JSON text; empty without a body. */
  readonly body: string;
}

/**
 * The engine. No request waits for another's comparison, because only small ones run on the serving
 * thread. Every comparison ends: one that takes too long is answered with
 * `compatibility_undecided`.
 */
export interface Engine {
  readonly compare: (
    old: ContractTerms,
    next: ContractTerms,
    options?: CompareOptions,
  ) => Promise<Comparison>;
  /**
   * Checks a schema and compares it in one call, because waking a thread costs more than most
   * comparisons.
   */
  readonly examine: (question: Examination) => Promise<Outcome<Examined>>;
  /**
   * Checks a schema against its metaschema and the limits, and computes the digest of its canonical
   * form.
   */
  readonly checkSchema: (schema: Json, dialect?: Dialect) => Promise<Outcome<CheckedSchema>>;
  /** Checks a stated need, and whether a contract meets it. */
  readonly examineNeed: (question: NeedExamination) => Promise<Outcome<ExaminedNeed>>;
  /** What one change does to consumers with these needs, in their order. */
  readonly findVerdicts: (question: VerdictQuestion) => Promise<readonly ConsumerVerdict[]>;
  /** The fields of a contract, and which of these needs declare each. */
  readonly listFields: (question: FieldsQuestion) => Promise<ContractFields>;
  /** What is wrong with each of these values. */
  readonly checkValues: (question: ValuesQuestion) => Promise<Outcome<readonly HeldValue[]>>;
  /** Makes many comparisons in one call, and returns the results in order. */
  readonly compareMany: (tasks: readonly ComparisonQuestion[]) => Promise<readonly Comparison[]>;
}

export type NeedExamination = {
  readonly contract: ContractTerms;
} & (
  | { readonly stated: StatedNeed; readonly leavesOut: boolean }
  /** As it is stored. */
  | { readonly need: Need }
);

export interface FieldsQuestion {
  readonly contract: ContractTerms;
  readonly needs: readonly (Need | FoundFields)[];
}

export interface ValuesQuestion {
  readonly terms: CheckedTerms;
  /** Other terms, such as other versions. The answer says which of them do not accept the value. */
  readonly others: readonly CheckedTerms[];
  readonly values: readonly Json[];
}

/** A value and what is wrong with it. */
export interface HeldValue extends CheckedValue {
  /** The indexes of the other terms that do not accept it, as far as is known. */
  readonly refusedBy: readonly number[];
}

export interface VerdictQuestion {
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly comparison: Pick<Comparison, 'changes' | 'isBreaking' | 'breaksBackward'>;
  /** The comparison was of other terms, which had first been brought into one form. */
  readonly isAligned: boolean;
  readonly needs: readonly (Need | FoundFields)[];
}

export interface ComparisonQuestion {
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly guaranteeMode: GuaranteeMode;
}

export interface Examination {
  /** Null if there is nothing to compare with; the schema is then only checked. */
  readonly old: ContractTerms | null;
  readonly next: ContractTerms;
  readonly options: CompareOptions;
}

export interface Examined extends CheckedSchema {
  readonly comparison: Comparison | null;
}

export interface CheckedSchema {
  /** SHA-256 of the canonical form, in hex. All spellings of a schema have the same digest. */
  readonly digest: string;
}

/** The result of looking up an API key for authentication. */
export interface KeyHolder {
  readonly key: ApiKey;
  readonly actor: Actor;
}

/** The session that a cookie belongs to. */
export interface Session {
  /** The SHA-256 of the browser's token, in hex. */
  readonly digest: string;
  readonly user: User;
  readonly csrfToken: string;
  /** The provider that the user signed in with; null for a password. */
  readonly provider: string | null;
  readonly begunAt: Timestamp;
  readonly lastSeenAt: Timestamp;
}

interface Credentials {
  /** May be deactivated. */
  readonly user: User;
  /** Null for users without a password. */
  readonly passwordHash: string | null;
}

/** The name of an asset, and what manages it. */
interface ManagedName {
  readonly id: AssetId;
  readonly reference: string;
  readonly fqn: string;
  readonly environment: string;
}

/** The audit trail at one moment, so that reading it page by page gives a consistent result. */
export interface TrailMoment extends HeadReference {
  /** The highest seal. The sequence and hash above are the sealer's own record of it. */
  readonly lastSequence: number;
  /** The committed transactions; null if the database cannot tell, as after a restore. */
  readonly committed: string | null;
  /** The transactions that the sealer had sealed completely. */
  readonly passed: string | null;
}

export interface DueSunsets {
  readonly assetId: AssetId;
  readonly contractId: ContractId;
  /** If it differs later, the contract was written meanwhile, for example because a team began to read it. */
  readonly state: string;
}

/** Plain reads, one round trip each. The result for missing objects is null or an empty list. */
export interface Reads {
  /** Runs reads that all see the same moment. They share a connection, so await each before the next. */
  readonly atOneMoment: <T>(read: (reads: Reads) => Promise<T>) => Promise<T>;

  readonly getTeam: (id: TeamId) => Promise<Team | null>;
  readonly listTeams: (query: TeamQuery) => Promise<Outcome<Listed<Team>>>;
  /** Includes deleted teams, in no particular order. */
  readonly listTeamsById: (ids: readonly TeamId[]) => Promise<readonly Team[]>;
  /** The teams with these slugs, without deleted ones, in no particular order. */
  readonly listTeamsBySlug: (slugs: readonly string[]) => Promise<readonly Team[]>;

  /**
   * Finds API keys by their digest in hex. Omits revoked keys and those of deleted teams and trusts,
   * and of deactivated users. The caller checks expiry.
   */
  readonly findKeysByDigest: (
    digests: readonly Uint8Array[],
  ) => Promise<ReadonlyMap<string, KeyHolder>>;
  readonly getApiKey: (id: ApiKeyId) => Promise<ApiKey | null>;
  /** Without those that trusts issued. */
  readonly listApiKeys: (query: ApiKeyQuery) => Promise<Outcome<Listed<ApiKey>>>;
  /**
   * Records when keys were last used, in batches. This is the only write without an audit event or
   * a verb.
   */
  readonly recordKeyUse: (
    uses: readonly { readonly id: ApiKeyId; readonly at: Timestamp }[],
  ) => Promise<void>;

  readonly getService: (id: ServiceId) => Promise<Service | null>;
  readonly listServices: (query: ServiceQuery) => Promise<Outcome<Listed<ListedService>>>;

  readonly getTrust: (id: TrustId) => Promise<Trust | null>;
  readonly listTrusts: (query: TrustQuery) => Promise<Outcome<Listed<Trust>>>;
  /** All trusts in tokens of an issuer. */
  readonly findTrusts: (issuer: string) => Promise<readonly Trust[]>;

  readonly getUser: (id: UserId) => Promise<User | null>;
  readonly listUsers: (query: UserQuery) => Promise<Outcome<Listed<User>>>;
  /** Ignores case; omits deactivated users. */
  readonly findUserByEmail: (email: string) => Promise<User | null>;
  /** Whether an administrator exists who can sign in. */
  readonly hasAdministrator: () => Promise<boolean>;
  /** Whether any user exists. */
  readonly hasUsers: () => Promise<boolean>;
  readonly findCredentials: (email: string) => Promise<Credentials | null>;
  /**
   * Omits sessions of deactivated users. The caller checks whether a session was idle for too long.
   */
  readonly findSessions: (digests: readonly Uint8Array[]) => Promise<readonly Session[]>;
  /** Records when sessions were last used, in batches, like `recordKeyUse`. */
  readonly recordSessionUse: (
    uses: readonly { readonly id: string; readonly at: Timestamp }[],
  ) => Promise<void>;
  /** Those that SCIM keeps, without deleted ones, by id. */
  readonly listProvisionedUsers: (
    query: ProvisionedQuery,
  ) => Promise<ProvisionedPage<ProvisionedUser>>;
  readonly listProvisionedGroups: (
    query: ProvisionedQuery & { readonly withMembers: boolean },
  ) => Promise<ProvisionedPage<ProvisionedGroup>>;
  /** By name. */
  readonly listSavedViews: (id: UserId) => Promise<readonly SavedView[]>;
  /**
   * Removes views, and saves others in place of those of the same name. No event, because the views concern nobody
   * else. Null, and no change, if there would be more than `maxSavedViews`.
   */
  readonly changeSavedViews: (
    id: UserId,
    change: { readonly save: readonly SavedView[]; readonly remove: readonly string[] },
  ) => Promise<readonly SavedView[] | null>;

  /** Returns deleted assets only for `any`. */
  readonly getAsset: (id: AssetId, which?: 'living' | 'any') => Promise<Asset | null>;
  /** The asset with exactly this name, unless it is deleted. */
  readonly findAssetByName: (fqn: string, environment: string) => Promise<Asset | null>;
  /** Assets whose FQN differs in capitals at most; those with exactly this FQN first. */
  readonly listAssetsOfTable: (fqn: string, environment: string) => Promise<readonly Asset[]>;
  readonly listAssets: (query: AssetQuery) => Promise<Outcome<Listed<Asset>>>;
  /** The assets under this management, without deleted ones. */
  readonly listAssetsManagedBy: (managedBy: ManagedBy) => Promise<readonly Asset[]>;
  /** The assets that a source manages under a reference with this ending, without deleted ones. */
  readonly listManaged: (source: string, ending: string) => Promise<readonly ManagedName[]>;

  readonly getContract: (id: ContractId) => Promise<Contract | null>;
  readonly getExportFacts: (id: ContractId) => Promise<ExportFacts | null>;
  /**
   * `latest` is the active version, otherwise the newest that is not archived, otherwise the
   * newest.
   */
  readonly getContractByVersion: (assetId: AssetId, version: string) => Promise<Contract | null>;
  readonly listContracts: (query: ContractQuery) => Promise<Outcome<Listed<Contract>>>;
  /** Versions that were deprecated before this time and that no registration pins. */
  readonly listContractsToArchive: (
    before: Timestamp,
    limit: number,
  ) => Promise<readonly ContractId[]>;
  /** Active contracts with fields whose readers have to be told of a sunset date. */
  readonly listDueSunsets: (today: string, limit: number) => Promise<readonly DueSunsets[]>;
  /**
   * Records when a stage of a sunset date begins next, unless the contract has another state by now. No event, because
   * nobody had to be told.
   */
  readonly recordSunsetsSeen: (due: DueSunsets, day: string | null) => Promise<void>;
  readonly listContractSummaries: (
    query: ContractQuery,
  ) => Promise<Outcome<Listed<ContractSummary>>>;

  readonly getRegistration: (id: RegistrationId) => Promise<Registration | null>;
  /**
   * The needs of the active registrations of an asset that its contract met, each once, and what was
   * found of these registrations.
   */
  readonly listNeeds: (assetId: AssetId) => Promise<readonly ConsumerNeed[]>;
  /** When each field was last found that a consumer of the asset reads, the newest first. */
  readonly listFoundFields: (assetId: AssetId) => Promise<readonly SeenField[]>;
  /**
   * The needs of active registrations that were last held against another contract than the active
   * one, of one asset or of all.
   */
  readonly listNeedsToReview: (
    assetId: AssetId | null,
    limit: number,
  ) => Promise<readonly NeedToReview[]>;
  /**
   * Records that the status of the needs with this digest is still true. No event, because nothing
   * changed for anybody. Has no effect on needs that were replaced, or that have the other status.
   */
  readonly recordNeedHeld: (
    assetId: AssetId,
    need: Pick<RegisteredNeed, 'digest' | 'status'>,
    contractId: ContractId,
  ) => Promise<void>;
  readonly listRegistrations: (query: RegistrationQuery) => Promise<Outcome<Listed<Registration>>>;
  /** Teams that answered `migrating` with a date that has passed. */
  readonly listDueMigrations: (now: Timestamp, limit: number) => Promise<readonly Registration[]>;
  /** The time by Postgres' clock, which all replicas share. */
  readonly getTime: () => Promise<Timestamp>;
  /**
   * Registrations that end by now, because no object requests them any more, also in what the sources have
   * read since.
   */
  readonly listDueDepartures: (now: Timestamp, limit: number) => Promise<readonly Registration[]>;

  /** A dependency of this asset, unless one of the two assets is deleted. */
  readonly getDependency: (assetId: AssetId, id: DependencyId) => Promise<Dependency | null>;
  readonly listDependencies: (query: DependencyQuery) => Promise<Outcome<Listed<Dependency>>>;
  /** Also empty if the asset does not exist. */
  readonly walkLineage: (query: LineageQuery) => Promise<Lineage>;
  /** The dependencies between these assets: one more than the maximum that is answered. */
  readonly listLineageEdges: (assetIds: readonly AssetId[]) => Promise<readonly LineageEdge[]>;
  readonly search: (question: SearchQuestion) => Promise<SearchFound>;
  readonly getTeamGraph: (query: TeamGraphQuery) => Promise<TeamGraph>;
  readonly listQualityRuns: (query: QualityRunQuery) => Promise<Outcome<Listed<QualityRun>>>;
  readonly getQualityTrends: (assetId: AssetId, now: Timestamp) => Promise<readonly QualityTrend[]>;
  /** The triggers whose runs fail, the longest first. */
  readonly listIncidents: (assetId: AssetId) => Promise<readonly Incident[]>;

  /** With `first`, examples that repeat may be missing; all of them, unless said otherwise. */
  readonly getProposal: (id: ProposalId, examples?: Examples) => Promise<Proposal | null>;
  /** The answers of a team to the proposals of an asset, newest first. */
  readonly listAnswers: (assetId: AssetId, teamId: TeamId) => Promise<readonly RecordedAnswer[]>;
  /** The pending or approved proposal of an asset. */
  readonly getOpenProposal: (assetId: AssetId) => Promise<Proposal | null>;
  /** Null if there is no such proposal. */
  readonly findRound: (id: ProposalId) => Promise<number | null>;
  readonly listComments: (query: CommentQuery) => Promise<Outcome<Listed<Comment>>>;
  /** The earlier rounds of a proposal, newest first. */
  readonly listRevisions: (id: ProposalId, limit: number) => Promise<readonly Revision[]>;
  readonly listProposals: (query: ProposalQuery) => Promise<Outcome<Listed<ProposalListed>>>;
  /**
   * Open proposals that publish automatically and need no further answer, and approved ones with a
   * consumer who has not answered; oldest first.
   */
  readonly listOverdueProposals: (
    after: ProposalId | null,
    limit: number,
  ) => Promise<readonly { readonly id: ProposalId; readonly assetId: AssetId }[]>;

  /**
   * Proposals with a missing answer whose last day was before this one, if that was not acted on and
   * the asset has a setting for it; those that are longest over first.
   */
  readonly listPassedDeadlines: (
    today: string,
    limit: number,
  ) => Promise<readonly { readonly id: ProposalId; readonly assetId: AssetId }[]>;

  /** All sources, without pages, because there are few. */
  readonly listSources: () => Promise<readonly SourceState[]>;
  readonly getSource: (id: string) => Promise<SourceState | null>;
  readonly listSourceObjects: (
    query: SourceObjectQuery,
  ) => Promise<Outcome<Listed<SourceObjectState>>>;

  readonly getWebhook: (id: WebhookId) => Promise<Webhook | null>;
  /** What the user chose to be told. */
  readonly findChoice: (userId: UserId) => Promise<Webhook | null>;
  readonly listWebhooks: (query: WebhookQuery) => Promise<Outcome<Listed<ListedWebhook>>>;
  readonly getDelivery: (webhookId: WebhookId, id: DeliveryId) => Promise<Delivery | null>;
  readonly listDeliveries: (query: DeliveryQuery) => Promise<Outcome<Listed<Delivery>>>;

  /** The events committed between two snapshots, in order. */
  readonly listStreamed: (question: StreamQuestion) => Promise<StreamedPage>;
  readonly getEvent: (id: EventId) => Promise<AuditEvent | null>;
  readonly listEvents: (query: EventQuery) => Promise<Outcome<ListedEvents>>;
  readonly getTrailMoment: () => Promise<TrailMoment>;
  /** A page of seals with their events and checkpoints; `last` is null after the last page. */
  readonly listSealed: (
    after: number,
    through: number,
  ) => Promise<{ readonly items: readonly AuditItem[]; readonly last: number | null }>;
  /** The next events that had no seal at that moment; `last` is null after the last page. */
  readonly listUnsealedEvents: (
    after: EventId,
    moment: TrailMoment,
  ) => Promise<{
    readonly events: readonly { readonly event: AuditEvent; readonly isPassed: boolean }[];
    readonly last: EventId | null;
  }>;

  readonly findKeptAnswer: (
    actorId: string,
    idempotency: IdempotencyKey,
    now: Timestamp,
  ) => Promise<{ readonly bodyDigest: string; readonly answer: KeptAnswer } | null>;

  /** The current state, read without a lock: for responses, never for writes. */
  readonly getAssetFacts: (assetId: AssetId) => Promise<AssetFacts | null>;
  /** The asset and the contract that a publish is compared with. */
  readonly getPublishBase: (assetId: AssetId) => Promise<PublishBase | null>;
  /** Assets that a build tool's packages brought. */
  readonly listBuildNodes: (query: BuildNodeQuery) => Promise<readonly BuildNode[]>;
  /** All facts that an import needs, in one query whatever the number of its assets. */
  readonly getImportFacts: (question: ImportQuestion) => Promise<ImportFound>;
}

/** An answer as it was given, whether or not it still counts. */
export interface RecordedAnswer {
  readonly round: number;
  readonly response: AcknowledgementResponse;
  readonly until: Timestamp | null;
  readonly notes: string | null;
  readonly actor: ActorReference;
  /** The proposal that was answered. */
  readonly proposal: {
    readonly id: ProposalId;
    readonly proposedDigest: string;
    readonly baseContractId: ContractId | null;
    readonly proposedByActor: ActorReference;
  };
}

interface ConsumerNeed {
  readonly digest: string;
  /** Null, like `found`, if all needs together are too large to be asked. */
  readonly need: Need | null;
  /** Of another digest than the need: what was found besides. */
  readonly found: FoundFields | null;
}

interface SeenField {
  readonly registrationId: RegistrationId;
  /** Null: everything. */
  readonly field: string | null;
  readonly lastSeenAt: Timestamp;
}

interface NeedToReview {
  readonly id: RegistrationId;
  readonly assetId: AssetId;
  readonly digest: string;
  readonly status: RegisteredNeed['status'];
}

export interface BuildNodeQuery {
  readonly environment: string;
  readonly packages: readonly string[];
}

interface BuildNode {
  readonly fqn: string;
  /** Its unique id in the manifest. */
  readonly build_node_id: string;
}

export interface PublishBase {
  readonly asset: Asset;
  /** What a publish is compared with, which may be an archived version that consumers still read. */
  readonly base: Contract | null;
  /** Whether anything is known of what a consumer reads: it was stated, or found. */
  readonly hasNeeds: boolean;
  /** Whether a consumer has stated a need that the contract does not meet. */
  readonly hasUnmetNeeds: boolean;
}
