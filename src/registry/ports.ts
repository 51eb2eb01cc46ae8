// What the verbs need of the world: reads, a transaction that is the only way to write, and the
// engine behind a worker pool. The store and src/start provide them; a verb never sees Postgres.

import type { Actor, ActorReference } from '../core/actor.ts';
import type { Asset, ManagedBy } from '../core/asset.ts';
import type { AuditItem } from '../core/audit/check-audit.ts';
import type { HeadReference } from '../core/audit/seal.ts';
import type {
  CompareOptions,
  Comparison,
  ContractTerms,
  GuaranteeMode,
} from '../core/comparison.ts';
import type { Contract, ContractSummary } from '../core/contract.ts';
import type { StartOver } from '../core/decide/decided.ts';
import type { AssetFacts } from '../core/decide/facts.ts';
import type { Dependency, Lineage, LineageEdge } from '../core/dependency.ts';
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
  TeamId,
  Timestamp,
  UserId,
  WebhookId,
} from '../core/id.ts';
import type { ImportFound } from '../core/import/plan/found.ts';
import type { AcknowledgementResponse, Proposal, ProposalSummary } from '../core/proposal.ts';
import type { QualityRun, QualityTrend } from '../core/quality-run.ts';
import type { Registration } from '../core/registration.ts';
import type { Dialect } from '../core/schema/dialects.ts';
import type { SourceObjectState, SourceState } from '../core/source.ts';
import type { ApiKey, Team } from '../core/team.ts';
import type { TeamGraph } from '../core/team-graph.ts';
import type { User } from '../core/user.ts';
import type { Json } from '../core/value/json.ts';
import type { Delivery, Webhook } from '../core/webhook.ts';
import type { StreamedPage, StreamQuestion } from './audit/event-feed.ts';
import type { ImportQuestion } from './imports/import.types.ts';
import type { InTurn } from './in-turn.ts';
import type { DependencyQuery, LineageQuery, QualityRunQuery } from './lineage/lineage-lists.ts';
import type { TeamGraphQuery } from './lineage/team-graph.ts';
import type {
  ApiKeyQuery,
  AssetQuery,
  ContractQuery,
  EventQuery,
  Listed,
  ProposalQuery,
  RegistrationQuery,
  TeamQuery,
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
  readonly policy: Policy;
  readonly engine: Engine;
  /** Runs the body in one transaction; it may run more than once, so it has no other effect. */
  readonly transact: <T>(
    context: Context<T>,
    body: (transaction: Transaction) => Promise<Outcome<T>>,
  ) => Promise<Outcome<T>>;
  /** The same, for a body that may find its comparison outdated: nothing is written then. */
  readonly attempt: <T>(
    context: Context<T>,
    body: (transaction: Transaction) => Promise<Outcome<T> | StartOver>,
  ) => Promise<Outcome<T> | StartOver>;
  /** Keeps an answer that no transaction kept: of a refusal, or of a verb that writes nothing. */
  readonly keepAnswer: (
    actorId: string,
    idempotency: IdempotencyKey,
    answer: KeptAnswer,
    at: Timestamp,
  ) => Promise<void>;
  /** Runs of one key one after the other, in this process. */
  readonly inTurn: InTurn;
  /**
   * Called with a failure after the result was decided. It is logged, and the sweep tries again
   * later.
   */
  readonly reportError: (error: unknown, during: string) => void;
}

/** The actor, the request, and the source of time and ids. */
export interface Context<in T = unknown> {
  readonly actor: Actor;
  readonly requestId: string | null;
  /** Asked under the lock, so that what came later says so. */
  readonly now: () => Timestamp;
  /** A UUIDv7. */
  readonly newId: () => string;
  readonly idempotency?: Idempotency<T> | undefined;
}

/** Scoped by actor, method and path. Another body under the same key is a mismatch. */
export interface IdempotencyKey {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly bodyDigest: string;
}

/** Kept in the same transaction as the effect, for 24 hours. */
interface Idempotency<in T> extends IdempotencyKey {
  /**
   * What a replay will answer; it holds no secret. Null for what is not kept (5xx, 401, 403, 429).
   */
  readonly represent: (outcome: Outcome<T>) => KeptAnswer | null;
}

export interface KeptAnswer {
  readonly status: number;
  /** JSON text; empty where there is no body. */
  readonly body: string;
}

/**
 * The engine: no request waits behind another's comparison, since what is not small goes to threads.
 * Every question ends: what takes too long is answered as `compatibility_undecided`.
 */
export interface Engine {
  readonly compare: (
    old: ContractTerms,
    next: ContractTerms,
    options?: CompareOptions,
  ) => Promise<Comparison>;
  /** Both of the others in one question: waking a thread costs more than most comparisons. */
  readonly examine: (question: Examination) => Promise<Outcome<Examined>>;
  /** Checks a schema against its metaschema and the limits, and digests its canonical form. */
  readonly checkSchema: (schema: Json, dialect?: Dialect) => Promise<Outcome<CheckedSchema>>;
  /** Many comparisons in one question, answered in their order. */
  readonly compareMany: (tasks: readonly ComparisonQuestion[]) => Promise<readonly Comparison[]>;
}

export interface ComparisonQuestion {
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly guaranteeMode: GuaranteeMode;
}

export interface Examination {
  /** Null where there is nothing to compare with: the schema is checked, then. */
  readonly old: ContractTerms | null;
  readonly next: ContractTerms;
  readonly options: CompareOptions;
}

export interface Examined extends CheckedSchema {
  readonly comparison: Comparison | null;
}

export interface CheckedSchema {
  /** SHA-256 of the canonical form, in hex: the same for every spelling of the same schema. */
  readonly digest: string;
}

/** The result of authentication's lookup of a key. */
export interface KeyHolder {
  readonly key: ApiKey;
  readonly actor: Actor;
}

/** The session of a cookie. */
export interface Session {
  /** The SHA-256 of the browser's token, in hex. */
  readonly digest: string;
  readonly user: User;
  readonly csrfToken: string;
  readonly begunAt: Timestamp;
  readonly lastSeenAt: Timestamp;
}

interface Credentials {
  /** Deactivated ones too. */
  readonly user: User;
  /** Null for who does not sign in. */
  readonly passwordHash: string | null;
}

/** An asset by its name, and who manages it. */
interface ManagedName {
  readonly reference: string;
  readonly fqn: string;
  readonly environment: string;
}

/** The trail at one moment: reading it page by page tells no more, and no less. */
export interface TrailMoment extends HeadReference {
  /** The highest seal. The sequence and hash above are the sealer's own note of it. */
  readonly lastSequence: number;
  /**
   * The transactions that were committed; null where the database cannot tell, as after a restore.
   */
  readonly committed: string | null;
  /** Those that the sealer had sealed completely. */
  readonly passed: string | null;
}

/** Plain reads: one round trip each. Null, or an empty list, for what is not there. */
export interface Reads {
  readonly getTeam: (id: TeamId) => Promise<Team | null>;
  readonly listTeams: (query: TeamQuery) => Promise<Outcome<Listed<Team>>>;
  /** Deleted ones too, in no order. */
  readonly listTeamsById: (ids: readonly TeamId[]) => Promise<readonly Team[]>;
  /** The living teams among these, in no order. */
  readonly listTeamsBySlug: (slugs: readonly string[]) => Promise<readonly Team[]>;

  /**
   * Each under its digest in hex, unless it is revoked, or its team deleted, or its user deactivated;
   * whether it has expired is the caller's to see.
   */
  readonly findKeysByDigest: (
    digests: readonly Uint8Array[],
  ) => Promise<ReadonlyMap<string, KeyHolder>>;
  readonly getApiKey: (id: ApiKeyId) => Promise<ApiKey | null>;
  readonly listApiKeys: (query: ApiKeyQuery) => Promise<Outcome<Listed<ApiKey>>>;
  /** When keys were last used, in batches: the one write that is neither audited nor a verb's. */
  readonly recordKeyUse: (
    uses: readonly { readonly id: ApiKeyId; readonly at: Timestamp }[],
  ) => Promise<void>;

  readonly getUser: (id: UserId) => Promise<User | null>;
  readonly listUsers: (query: UserQuery) => Promise<Outcome<Listed<User>>>;
  /** In any case of letters; deactivated ones are not there. */
  readonly findUserByEmail: (email: string) => Promise<User | null>;
  /** Whether an administrator can sign in. */
  readonly hasAdministrator: () => Promise<boolean>;
  /** Whether there is any user at all. */
  readonly hasUsers: () => Promise<boolean>;
  readonly findCredentials: (email: string) => Promise<Credentials | null>;
  /** Unless the user is deactivated; whether it was idle for too long is the caller's to see. */
  readonly findSessions: (digests: readonly Uint8Array[]) => Promise<readonly Session[]>;
  /** When sessions were last seen, in batches: like `recordKeyUse`. */
  readonly recordSessionUse: (
    uses: readonly { readonly id: string; readonly at: Timestamp }[],
  ) => Promise<void>;

  /** Deleted ones are not there unless asked for. */
  readonly getAsset: (id: AssetId, which?: 'living' | 'any') => Promise<Asset | null>;
  /** The living one of exactly this name. */
  readonly findAssetByName: (fqn: string, environment: string) => Promise<Asset | null>;
  readonly listAssets: (query: AssetQuery) => Promise<Outcome<Listed<Asset>>>;
  /** The living ones. */
  readonly listAssetsManagedBy: (managedBy: ManagedBy) => Promise<readonly Asset[]>;
  /** The living assets that a source manages under a reference that ends so. */
  readonly listManaged: (source: string, ending: string) => Promise<readonly ManagedName[]>;

  readonly getContract: (id: ContractId) => Promise<Contract | null>;
  readonly getExportFacts: (id: ContractId) => Promise<ExportFacts | null>;
  /** `latest` is the active one, else the newest not archived, else the newest of all. */
  readonly getContractByVersion: (assetId: AssetId, version: string) => Promise<Contract | null>;
  readonly listContracts: (query: ContractQuery) => Promise<Outcome<Listed<Contract>>>;
  /** Deprecated before this time, and pinned by no registration. */
  readonly listContractsToArchive: (
    before: Timestamp,
    limit: number,
  ) => Promise<readonly ContractId[]>;
  readonly listContractSummaries: (
    query: ContractQuery,
  ) => Promise<Outcome<Listed<ContractSummary>>>;

  readonly getRegistration: (id: RegistrationId) => Promise<Registration | null>;
  readonly listRegistrations: (query: RegistrationQuery) => Promise<Outcome<Listed<Registration>>>;
  /** Teams that answered `migrating` with a date that has come. */
  readonly listDueMigrations: (now: Timestamp, limit: number) => Promise<readonly Registration[]>;

  /** Of this asset; not where either of the two assets is deleted. */
  readonly getDependency: (assetId: AssetId, id: DependencyId) => Promise<Dependency | null>;
  readonly listDependencies: (query: DependencyQuery) => Promise<Outcome<Listed<Dependency>>>;
  /** Empty also where the asset is not there. */
  readonly walkLineage: (query: LineageQuery) => Promise<Lineage>;
  /** The dependencies between these assets, and one more than is answered at the most. */
  readonly listLineageEdges: (assetIds: readonly AssetId[]) => Promise<readonly LineageEdge[]>;
  readonly getTeamGraph: (query: TeamGraphQuery) => Promise<TeamGraph>;
  readonly listQualityRuns: (query: QualityRunQuery) => Promise<Outcome<Listed<QualityRun>>>;
  readonly getQualityTrends: (assetId: AssetId, now: Timestamp) => Promise<readonly QualityTrend[]>;

  readonly getProposal: (id: ProposalId) => Promise<Proposal | null>;
  /** The answers of a team to the proposals of an asset, newest first. */
  readonly listAnswers: (assetId: AssetId, teamId: TeamId) => Promise<readonly RecordedAnswer[]>;
  /** The pending or approved one of an asset. */
  readonly getOpenProposal: (assetId: AssetId) => Promise<Proposal | null>;
  readonly listProposals: (query: ProposalQuery) => Promise<Outcome<Listed<ProposalSummary>>>;
  /**
   * Open ones whose asset publishes by itself and which nobody is awaited for, and approved ones that a
   * consumer has not answered; oldest first.
   */
  readonly listOverdueProposals: (
    after: ProposalId | null,
    limit: number,
  ) => Promise<readonly { readonly id: ProposalId; readonly assetId: AssetId }[]>;

  /** All there are: they are few. */
  readonly listSources: () => Promise<readonly SourceState[]>;
  readonly getSource: (id: string) => Promise<SourceState | null>;
  readonly listSourceObjects: (
    query: SourceObjectQuery,
  ) => Promise<Outcome<Listed<SourceObjectState>>>;

  readonly getWebhook: (id: WebhookId) => Promise<Webhook | null>;
  readonly listWebhooks: (query: WebhookQuery) => Promise<Outcome<Listed<Webhook>>>;
  readonly getDelivery: (webhookId: WebhookId, id: DeliveryId) => Promise<Delivery | null>;
  readonly listDeliveries: (query: DeliveryQuery) => Promise<Outcome<Listed<Delivery>>>;

  /** The events committed between two looks, in order. */
  readonly listStreamed: (question: StreamQuestion) => Promise<StreamedPage>;
  readonly getEvent: (id: EventId) => Promise<AuditEvent | null>;
  readonly listEvents: (query: EventQuery) => Promise<Outcome<Listed<AuditEvent>>>;
  readonly getTrailMoment: () => Promise<TrailMoment>;
  /** A page of seals with their events and checkpoints; `last` is null after the last page. */
  readonly listSealed: (
    after: number,
    through: number,
  ) => Promise<{ readonly items: readonly AuditItem[]; readonly last: number | null }>;
  /**
   * Those among the next events that had no seal at that moment; `last` is null behind the last
   * page.
   */
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

  /** The present state, without a lock: for responses, never for writes. */
  readonly getAssetFacts: (assetId: AssetId) => Promise<AssetFacts | null>;
  /** The asset and the contract that a publish is compared with. */
  readonly getPublishBase: (assetId: AssetId) => Promise<PublishBase | null>;
  /** Assets that came from a build tool, of these packages of it. */
  readonly listBuildNodes: (query: BuildNodeQuery) => Promise<readonly BuildNode[]>;
  /** Everything that an import looks at, whatever the number of its assets. */
  readonly getImportFacts: (question: ImportQuestion) => Promise<ImportFound>;
}

/** An answer as it was given, whether it still counts or not. */
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
  /** The active contract, else the newest not archived, else the newest the asset ever had. */
  readonly base: Contract | null;
}
