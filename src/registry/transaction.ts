// Facts read under locks, and the closed union of writes. `apply` is the only way to change
// anything, and every write carries its audit events: an unaudited write cannot be expressed.

import type { ActorReference } from '../core/actor.ts';
import type { Asset } from '../core/asset.ts';
import type { Change } from '../core/comparison.ts';
import type { Contract, ContractStatus, ContractSummary } from '../core/contract.ts';
import type { Dependency } from '../core/dependency.ts';
import type { EventDraft } from '../core/event.ts';
import type {
  ApiKeyId,
  AssetId,
  ContractId,
  DeliveryId,
  DependencyId,
  ProposalId,
  QualityRunId,
  RegistrationId,
  TeamId,
  Timestamp,
  UserId,
  WebhookId,
} from '../core/id.ts';
import type {
  AcknowledgementResponse,
  ForceRequest,
  Proposal,
  ProposalConsumer,
} from '../core/proposal.ts';
import type { ProposalState } from '../core/proposal-machine.ts';
import type { QualityRun } from '../core/quality-run.ts';
import type { Registration } from '../core/registration.ts';
import type { ApiKey, Team } from '../core/team.ts';
import type { Role, User } from '../core/user.ts';
import type { Delivery, Webhook } from '../core/webhook.ts';
import type { AssetFacts, AssetName } from './assets/asset-facts.ts';
import type { ImportFound, ImportQuestion } from './imports/import.types.ts';

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
  readonly findTeamBySlug: (slug: string) => Promise<Team | null>;
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
  readonly apply: (writes: readonly Write[]) => Promise<void>;
}

export interface RunNames {
  readonly environment: string;
  readonly fqns: readonly string[];
  /** Of the run, where it ran. */
  readonly runId: string | null;
}

export interface RunFacts {
  readonly asset: Pick<Asset, 'id' | 'fqn' | 'environment' | 'ownerTeamId'>;
  readonly consumerTeamIds: readonly TeamId[];
  /** The run, where it was recorded before. */
  readonly known: QualityRunId | null;
}

export interface ProposalFacts extends AssetFacts {
  readonly proposal: Proposal;
  readonly proposedDigest: string;
}

export interface ContractFacts extends AssetFacts {
  readonly contract: Contract;
}

export interface RegistrationFacts extends AssetFacts {
  readonly registration: Registration;
}

export interface NameFacts {
  readonly living: AssetId | null;
  /** The last asset of that name that was deleted: its line and its consumers go on. */
  readonly predecessor: AssetId | null;
  readonly predecessorConsumers: number;
}

export interface TeamFacts {
  readonly team: Team;
  /** What was the team's, or consumed by it, before it was locked: what came later is not locked. */
  readonly lockedAssets: readonly AssetId[];
  readonly ownedAssets: readonly Asset[];
  readonly registrations: readonly DepartingRegistration[];
  readonly apiKeys: readonly ApiKey[];
}

interface DepartingRegistration extends Registration {
  readonly environment: string;
  readonly ownerTeamId: TeamId;
}

export interface UserFacts {
  readonly id: UserId;
  readonly role: Role;
  readonly name: string;
  readonly teamId: TeamId | null;
}

interface NewSession {
  readonly digest: Uint8Array;
  readonly userId: UserId;
  readonly csrfToken: string;
  readonly createdAt: Timestamp;
}

type Events = readonly [EventDraft, ...EventDraft[]];

export type Write =
  | { readonly kind: 'insert_team'; readonly team: Team; readonly events: Events }
  | { readonly kind: 'update_team'; readonly team: Team; readonly events: Events }
  | {
      readonly kind: 'insert_api_key';
      readonly apiKey: ApiKey;
      readonly digest: Uint8Array;
      readonly events: Events;
    }
  | {
      readonly kind: 'revoke_api_key' | 'note_key_end';
      readonly id: ApiKeyId;
      readonly at: Timestamp;
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_user';
      readonly user: User;
      readonly passwordHash: string | null;
      readonly events: Events;
    }
  | {
      readonly kind: 'update_user';
      readonly user: User;
      /** Undefined leaves it as it is. */
      readonly passwordHash: string | undefined;
      readonly endsSessions: boolean;
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_session';
      readonly session: NewSession;
      /** The digest of the session that ends by it. */
      readonly replaces: Uint8Array | null;
      readonly events: Events;
    }
  | { readonly kind: 'delete_session'; readonly digest: Uint8Array; readonly events: Events }
  /** What is missing there is meant to be missing: its leader sees it with the next renewal. */
  | { readonly kind: 'confirm_source'; readonly id: string; readonly events: Events }
  | {
      readonly kind: 'insert_webhook';
      readonly webhook: Webhook;
      readonly secret: string;
      readonly events: Events;
    }
  | {
      readonly kind: 'update_webhook';
      readonly webhook: Webhook;
      /** Undefined leaves it as it is. */
      readonly secret: string | undefined;
      readonly events: Events;
    }
  | { readonly kind: 'delete_webhook'; readonly id: WebhookId; readonly events: Events }
  | {
      readonly kind: 'replay_deliveries';
      readonly webhookId: WebhookId;
      readonly which: 'parked' | readonly DeliveryId[];
      readonly events: Events;
    }
  /** Something that happened and changed no row. */
  | { readonly kind: 'record_event'; readonly events: Events }
  | {
      readonly kind: 'insert_asset' | 'restore_asset';
      readonly asset: Asset;
      /** The last holder of its name: its contracts, proposals and registrations go on here. */
      readonly continues: AssetId | null;
      /** The team that owns the imported file; absent where no import created the asset. */
      readonly importedFor?: TeamId;
      readonly events: Events;
    }
  | { readonly kind: 'update_asset'; readonly asset: Asset; readonly events: Events }
  /** Who moves to it moves with it: the event of the contract names them. */
  | {
      readonly kind: 'insert_contract';
      readonly contract: Contract;
      readonly moved: readonly RegistrationId[];
      readonly events: Events;
    }
  | {
      readonly kind: 'set_contract_status';
      readonly id: ContractId;
      readonly status: ContractStatus;
      readonly at: Timestamp;
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_registration';
      readonly registration: Registration;
      readonly createdBy: ActorReference;
      readonly events: Events;
    }
  | {
      readonly kind: 'update_registration';
      readonly registration: Registration;
      readonly events: Events;
    }
  | {
      readonly kind: 'schedule_migration';
      readonly id: RegistrationId;
      readonly migratesAt: Timestamp;
      readonly at: Timestamp;
      readonly events: Events;
    }
  | {
      readonly kind: 'delete_registration';
      readonly id: RegistrationId;
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_dependency';
      readonly dependency: Dependency;
      readonly events: Events;
    }
  | { readonly kind: 'delete_dependency'; readonly id: DependencyId; readonly events: Events }
  | { readonly kind: 'insert_quality_run'; readonly run: QualityRun; readonly events: Events }
  | {
      readonly kind: 'insert_proposal';
      readonly proposal: Proposal;
      readonly proposedDigest: string;
      readonly events: Events;
    }
  | {
      readonly kind: 'update_proposal';
      readonly id: ProposalId;
      readonly set: ProposalUpdate;
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_acknowledgement';
      readonly acknowledgement: Acknowledgement;
      /** The state of the proposal with this answer. */
      readonly becomes: ProposalState;
      readonly events: Events;
    };

/** A write by its kind. */
export type WriteOf<Kind extends Write['kind']> = Write extends infer Each
  ? Each extends { readonly kind: infer Kinds }
    ? Kind extends Kinds
      ? Each & { readonly kind: Kind }
      : never
    : never
  : never;

/** Everything of a proposal that may change, as it then is. */
export interface ProposalUpdate {
  readonly status: ProposalState;
  readonly baseContractId: ContractId | null;
  readonly changes: readonly Change[];
  readonly breakingChanges: readonly Change[];
  readonly round: number;
  readonly reason: string | null;
  readonly forceRequested: ForceRequest | null;
  readonly supersededBy: ProposalId | null;
  readonly publishedContractId: ContractId | null;
  readonly resolvedAt: Timestamp | null;
  /** Kept once it is decided; null while the list is live. */
  readonly decidedConsumers: readonly ProposalConsumer[] | null;
}

/** One answer of one team. Earlier ones stay: the last one of the round counts. */
interface Acknowledgement {
  readonly id: string;
  readonly proposalId: ProposalId;
  readonly round: number;
  readonly teamId: TeamId;
  readonly response: AcknowledgementResponse;
  readonly until: Timestamp | null;
  readonly notes: string | null;
  readonly answeredAt: Timestamp;
  readonly answeredBy: ActorReference;
}
