// A transaction reads facts under locks; `apply` is the only way to change anything.

import type { Asset, ImportedAs } from '../core/asset.ts';
import type { ContractSummary, SunsetsTold } from '../core/contract.ts';
import type {
  AnsweredTeam,
  AssetFacts,
  AssetName,
  CommentFacts,
  ContractFacts,
  NameFacts,
  ProposalFacts,
  RegistrationFacts,
  RunFacts,
  RunNames,
  TeamFacts,
  UserFacts,
} from '../core/decide/facts.ts';
import type { EndedSession, EndProviderSession } from '../core/decide/people/commands.ts';
import type { Member } from '../core/decide/people/provisioning.ts';
import type { TakeOverFacts } from '../core/decide/sources/take-over.ts';
import type { Write } from '../core/decide/write.ts';
import type { Dependency } from '../core/dependency.ts';
import type {
  ApiKeyId,
  AssetId,
  CommentId,
  ContractId,
  DeliveryId,
  DependencyId,
  ProposalId,
  RegistrationId,
  ScimGroupId,
  ServiceId,
  TeamId,
  Timestamp,
  TrustId,
  UserId,
  WebhookId,
} from '../core/id.ts';
import type { ImportFound } from '../core/import/plan/found.ts';
import type { RunStreak } from '../core/quality-run.ts';
import type { Registration } from '../core/registration.ts';
import type { ApiKey, Service, Team, Trust } from '../core/team.ts';
import type {
  LockedUser,
  ProvisionedGroup,
  ScimAccount,
  User,
  UserIdentity,
} from '../core/user.ts';
import type { Delivery, Webhook } from '../core/webhook.ts';
import type { ImportQuestion } from './imports/import.types.ts';
import type { TakeOverQuestion } from './sources/sources.ts';

/** What the items of a bulk name. */
export interface BulkQuestion {
  /** Names of new assets, which may continue deleted ones. */
  readonly fqns: readonly string[];
  readonly assetIds: readonly AssetId[];
  readonly contractIds: readonly ContractId[];
  readonly proposalIds: readonly ProposalId[];
}

export interface Transaction {
  /** The time of everything that the transaction writes: taken once, under the lock. */
  readonly now: () => Timestamp;
  /** Locks the asset's row, then reads the facts about it, in two statements. */
  readonly lockAsset: (id: AssetId) => Promise<AssetFacts | null>;
  readonly lockProposal: (id: ProposalId) => Promise<ProposalFacts | null>;
  /** How many comments a proposal has, and the one that is replied to, if it is one of them. */
  readonly findCommentFacts: (
    id: ProposalId,
    replyTo: CommentId | null,
  ) => Promise<{ readonly count: number; readonly repliedTo: CommentFacts['repliedTo'] }>;
  readonly lockContract: (id: ContractId) => Promise<ContractFacts | null>;
  readonly lockRegistration: (id: RegistrationId) => Promise<RegistrationFacts | null>;
  /** Serializes verbs that take the same name. Must come before any lock of an asset. */
  readonly lockName: (name: AssetName) => Promise<NameFacts>;
  /** Serializes verbs that name teams. */
  readonly lockTeamNames: () => Promise<void>;
  readonly lockTeam: (id: TeamId) => Promise<TeamFacts | null>;
  /** Locks only the team's row, for changes of that row alone. */
  readonly lockTeamRow: (id: TeamId, which?: 'living' | 'any') => Promise<Team | null>;
  /** Prevents the team from being deleted meanwhile. */
  readonly holdTeam: (id: TeamId) => Promise<Team | null>;
  readonly findTeamByName: (name: string) => Promise<Team | null>;
  readonly findTeamsBySlug: (slugs: readonly string[]) => Promise<readonly Team[]>;
  /** Serializes verbs that name services. */
  readonly lockServiceNames: () => Promise<void>;
  readonly lockService: (id: ServiceId) => Promise<Service | null>;
  /** Prevents the service from being deleted meanwhile. Must come after locks of assets and teams. */
  readonly holdService: (id: ServiceId) => Promise<Service | null>;
  readonly findServiceByName: (name: string) => Promise<Service | null>;
  readonly countServicesOf: (teamId: TeamId) => Promise<number>;
  readonly countAssetsOf: (serviceId: ServiceId) => Promise<number>;
  readonly lockTrust: (id: TrustId) => Promise<Trust | null>;
  /** Locks the trust, and counts its keys that have not expired. */
  readonly lockForExchange: (
    id: TrustId,
    tokenDigest: Uint8Array,
  ) => Promise<{
    readonly trust: Trust;
    readonly isUsed: boolean;
    readonly liveKeys: number;
  } | null>;
  readonly lockApiKey: (id: ApiKeyId) => Promise<ApiKey | null>;
  /**
   * Keys that expire between the two times and were not reported yet. Skips keys that another
   * process has locked, and keys whose whole lifetime is shorter than that interval.
   */
  readonly lockEndingKeys: (
    after: Timestamp,
    before: Timestamp,
    limit: number,
  ) => Promise<readonly ApiKey[]>;
  /** What the asset stands for in each imported file. */
  readonly findImportedAs: (id: AssetId) => Promise<ImportedAs>;
  /** The team's registration on any contract of the asset. */
  readonly findRegistration: (assetId: AssetId, teamId: TeamId) => Promise<Registration | null>;
  /**
   * Locks several assets; returns the existing ones, including deleted ones, in no particular
   * order.
   */
  readonly lockAssets: (ids: readonly AssetId[]) => Promise<readonly Asset[]>;
  /** The dependency of the one asset on the other. */
  readonly findDependencyOn: (
    assetId: AssetId,
    dependsOnAssetId: AssetId,
  ) => Promise<Dependency | null>;
  readonly findDependency: (
    assetId: AssetId,
    id: DependencyId,
  ) => Promise<{
    readonly dependency: Dependency;
    readonly dependsOnOwnerTeamId: TeamId;
  } | null>;
  /** What the readers of its fields were told of their sunset dates. */
  readonly findSunsetsTold: (id: ContractId) => Promise<SunsetsTold>;
  readonly findContract: (id: ContractId) => Promise<ContractSummary | null>;
  /**
   * The version that a due migration moves to: the newest available one that the team has agreed
   * to. Null if it is archived.
   */
  readonly findMigrationTarget: (id: RegistrationId) => Promise<ContractSummary | null>;
  /** The newest run of a trigger, and since when its runs fail. */
  readonly findStreak: (id: AssetId, triggeredBy: string) => Promise<RunStreak | null>;
  /** What each consumer answered last to the proposal that a version was published from. */
  readonly listAnswers: (id: ContractId) => Promise<readonly AnsweredTeam[]>;
  /** Serializes verbs that take an e-mail address: with all others, or with those of the same names. */
  readonly lockUserNames: (names?: readonly string[]) => Promise<void>;
  /** Ignores case; includes deactivated users. */
  readonly findUserByEmail: (email: string) => Promise<User | null>;
  /** Includes deactivated users. */
  readonly findUserByIdentity: (identity: UserIdentity) => Promise<User | null>;
  /** The `sub` claims by which an issuer knows the user. */
  readonly findSubjects: (id: UserId, issuer: string) => Promise<readonly string[]>;
  /** Whether the user has an identity at any provider. */
  readonly hasIdentity: (id: UserId) => Promise<boolean>;
  readonly lockProviderSessions: (question: EndProviderSession) => Promise<readonly EndedSession[]>;
  readonly lockUser: (id: UserId) => Promise<LockedUser | null>;
  /**
   * Locks the assets that the users own in their teams. Must come before a lock of the users.
   */
  readonly lockAssetsOwnedBy: (ids: readonly UserId[]) => Promise<readonly AssetId[]>;
  readonly findAssetsOwnedBy: (ids: readonly UserId[]) => Promise<readonly Asset[]>;
  /** What SCIM keeps of a user, also of one that it deleted. */
  readonly findAccount: (id: UserId) => Promise<ScimAccount | null>;
  /** Ignores case; omits users that SCIM deleted. */
  readonly findAccountByName: (userName: string) => Promise<UserId | null>;
  /** The groups of SCIM that the user is in, by name. */
  readonly findGroupNames: (id: UserId) => Promise<readonly string[]>;
  readonly findGroup: (id: ScimGroupId) => Promise<ProvisionedGroup | null>;
  /** Ignores case. */
  readonly findGroupByName: (displayName: string) => Promise<ScimGroupId | null>;
  /** Locks the users whom SCIM keeps, without those that it deleted. */
  readonly lockMembers: (ids: readonly UserId[]) => Promise<readonly Member[]>;
  readonly findPasswordHash: (id: UserId) => Promise<string | null>;
  /** Prevents the user from leaving the team meanwhile; null for a deactivated user. */
  readonly holdUser: (id: UserId) => Promise<UserFacts | null>;
  /** Serializes imports, and verbs that take a name, then locks the assets. */
  readonly lockForImport: (assetIds: readonly AssetId[]) => Promise<void>;
  /**
   * Serializes imports, bulks, and verbs that take a name, then locks the assets, and those of these
   * contracts and proposals.
   */
  readonly lockForBulk: (question: BulkQuestion) => Promise<void>;
  readonly getImportFacts: (question: ImportQuestion) => Promise<ImportFound>;
  /** Prevents the teams from being deleted meanwhile; returns the existing ones. */
  readonly holdTeams: (ids: readonly TeamId[]) => Promise<readonly TeamId[]>;
  /** Locks the existing assets with these names. */
  readonly lockForRuns: (names: RunNames) => Promise<readonly RunFacts[]>;
  readonly lockWebhook: (id: WebhookId) => Promise<Webhook | null>;
  /** What the user chose to be told. */
  readonly lockChoice: (userId: UserId) => Promise<Webhook | null>;
  readonly findDelivery: (webhookId: WebhookId, id: DeliveryId) => Promise<Delivery | null>;
  /**
   * Locks both sources and what the first one manages and claims; its leader waits until this ends.
   */
  readonly lockTakeOver: (question: TakeOverQuestion) => Promise<TakeOverFacts>;
  /** Whether a source is gone or unknown; if it is, its leader waits until this is over. */
  readonly lockGone: (identity: string) => Promise<boolean>;
  readonly apply: (writes: readonly Write[]) => Promise<void>;
}
