// A transaction reads facts under locks; `apply` is the only way to change anything.

import type { Asset } from '../core/asset.ts';
import type { ContractSummary } from '../core/contract.ts';
import type {
  AssetFacts,
  AssetName,
  ContractFacts,
  NameFacts,
  ProposalFacts,
  RegistrationFacts,
  RunFacts,
  RunNames,
  TeamFacts,
  UserFacts,
} from '../core/decide/facts.ts';
import type { TakeOverFacts } from '../core/decide/sources/take-over.ts';
import type { Write } from '../core/decide/write.ts';
import type { Dependency } from '../core/dependency.ts';
import type {
  ApiKeyId,
  AssetId,
  ContractId,
  DeliveryId,
  DependencyId,
  ProposalId,
  RegistrationId,
  TeamId,
  Timestamp,
  UserId,
  WebhookId,
} from '../core/id.ts';
import type { ImportFound } from '../core/import/plan/found.ts';
import type { Registration } from '../core/registration.ts';
import type { ApiKey, Team } from '../core/team.ts';
import type { User } from '../core/user.ts';
import type { Delivery, Webhook } from '../core/webhook.ts';
import type { ImportQuestion } from './imports/import.types.ts';
import type { TakeOverQuestion } from './sources/sources.ts';

export interface Transaction {
  /** One time for everything that the transaction writes: of its first asking, under the lock. */
  readonly now: () => Timestamp;
  /** Locks the asset's row, then reads what stands under it. Two statements, whatever there is. */
  readonly lockAsset: (id: AssetId) => Promise<AssetFacts | null>;
  readonly lockProposal: (id: ProposalId) => Promise<ProposalFacts | null>;
  readonly lockContract: (id: ContractId) => Promise<ContractFacts | null>;
  readonly lockRegistration: (id: RegistrationId) => Promise<RegistrationFacts | null>;
  /** Makes those who take the same name wait for each other. Before any asset is locked. */
  readonly lockName: (name: AssetName) => Promise<NameFacts>;
  /** Makes those who name teams wait for each other. */
  readonly lockTeamNames: () => Promise<void>;
  readonly lockTeam: (id: TeamId) => Promise<TeamFacts | null>;
  /** The team alone, for what changes nothing but its row. */
  readonly lockTeamRow: (id: TeamId) => Promise<Team | null>;
  /** Locks the team against being deleted meanwhile. */
  readonly holdTeam: (id: TeamId) => Promise<Team | null>;
  readonly findTeamByName: (name: string) => Promise<Team | null>;
  readonly findTeamsBySlug: (slugs: readonly string[]) => Promise<readonly Team[]>;
  readonly lockApiKey: (id: ApiKeyId) => Promise<ApiKey | null>;
  /**
   * Those that end between the two times and were not reported yet. What another process holds is
   * left to it; what lives no longer than that time is left out.
   */
  readonly lockEndingKeys: (
    after: Timestamp,
    before: Timestamp,
    limit: number,
  ) => Promise<readonly ApiKey[]>;
  /** The team's registration on any contract of the asset. */
  readonly findRegistration: (assetId: AssetId, teamId: TeamId) => Promise<Registration | null>;
  /** Locks several; those that are there, deleted ones too, in no order. */
  readonly lockAssets: (ids: readonly AssetId[]) => Promise<readonly Asset[]>;
  /** Of the one asset on the other. */
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
  readonly findContract: (id: ContractId) => Promise<ContractSummary | null>;
  /**
   * Where a registration goes whose date has come: the newest kept version up to which its team has
   * agreed. Null where that is archived.
   */
  readonly findMigrationTarget: (id: RegistrationId) => Promise<ContractSummary | null>;
  /** Makes those who take an e-mail address wait for each other. */
  readonly lockUserNames: () => Promise<void>;
  /** In any case, deactivated ones too. */
  readonly findUserByEmail: (email: string) => Promise<User | null>;
  readonly lockUser: (id: UserId) => Promise<User | null>;
  /** Locks the living assets of the user's team that the user owns: before the user, if both. */
  readonly lockAssetsOwnedBy: (id: UserId) => Promise<readonly AssetId[]>;
  readonly findAssetsOwnedBy: (id: UserId) => Promise<readonly Asset[]>;
  readonly findPasswordHash: (id: UserId) => Promise<string | null>;
  /** Locks the user against leaving the team meanwhile; null for a deactivated one. */
  readonly holdUser: (id: UserId) => Promise<UserFacts | null>;
  /** Makes imports wait for each other, and whoever takes a name for them; then locks the assets. */
  readonly lockForImport: (assetIds: readonly AssetId[]) => Promise<void>;
  readonly getImportFacts: (question: ImportQuestion) => Promise<ImportFound>;
  /** Locks the teams against being deleted; answers those that are there. */
  readonly holdTeams: (ids: readonly TeamId[]) => Promise<readonly TeamId[]>;
  /** Locks those of these names that are there. */
  readonly lockForRuns: (names: RunNames) => Promise<readonly RunFacts[]>;
  readonly lockWebhook: (id: WebhookId) => Promise<Webhook | null>;
  readonly findDelivery: (webhookId: WebhookId, id: DeliveryId) => Promise<Delivery | null>;
  /** Both sources, and what the first one manages and claims; its leader waits until this is over. */
  readonly lockTakeOver: (question: TakeOverQuestion) => Promise<TakeOverFacts>;
  /** Whether a source is gone or unknown; if it is, its leader waits until this is over. */
  readonly lockGone: (identity: string) => Promise<boolean>;
  readonly apply: (writes: readonly Write[]) => Promise<void>;
}
