// What each write verb is asked, and what it answers. The verb itself stands in a file of its name:
// `publish-contract.ts` exports `publishContract: Verb<PublishContract, PublishResult>`.

import type { KeyScope } from '../core/actor.ts';
import type { Asset, ManagedBy } from '../core/asset.ts';
import type {
  Change,
  CompatibilityMode,
  Direction,
  GuaranteeMode,
  Guarantees,
} from '../core/comparison.ts';
import type {
  Contract,
  ContractChangeType,
  ContractFormat,
  ContractSource,
  ContractStatus,
} from '../core/contract.ts';
import type { Overriding } from '../core/decide/access.ts';
import type { Dependency, Lineage } from '../core/dependency.ts';
import type { Outcome } from '../core/failure.ts';
import type {
  ApiKeyId,
  AssetId,
  ContractId,
  ProposalId,
  RegistrationId,
  TeamId,
  Timestamp,
  UserId,
} from '../core/id.ts';
import type { ImportKind } from '../core/import/candidate.ts';
import type { Assessed } from '../core/import/plan/diff-report.ts';
import type { Imported } from '../core/import/plan/import-report.ts';
import type { ImportOptions } from '../core/import/plan/plan.types.ts';
import type { AcknowledgementResponse, Proposal } from '../core/proposal.ts';
import type { QualityRun } from '../core/quality-run.ts';
import type {
  Consumer,
  Registration,
  RegistrationSource,
  RegistrationStatus,
} from '../core/registration.ts';
import type { Dialect } from '../core/schema/dialects.ts';
import type { SourceState } from '../core/source.ts';
import type { ApiKey, Team } from '../core/team.ts';
import type { User } from '../core/user.ts';
import type { Json, JsonObject } from '../core/value/json.ts';
import type { Webhook } from '../core/webhook.ts';
import type { ReadImport } from './imports/import.types.ts';
import type {
  AddDependency,
  DeleteDependency,
  RecordedRuns,
  RecordQualityRun,
  RecordRunResults,
} from './lineage/lineage-commands.ts';
import type {
  CreateUser,
  DeactivateUser,
  EnsureFirstAdmin,
  FirstAdmin,
  LogIn,
  LogOut,
  RecordRefusedEntry,
  UpdateUser,
} from './people/user-commands.ts';
import type { Context, Ports } from './ports.ts';
import type { ConfirmSource } from './sources/sources.ts';
import type {
  CreateWebhook,
  DeleteWebhook,
  ReplayDelivery,
  Replayed,
  ReplayParked,
  UpdateWebhook,
} from './webhooks/webhooks.ts';

export type Verb<Command, Result> = (
  ports: Ports,
  context: Context<Result>,
  command: Command,
) => Promise<Outcome<Result>>;

/** What the caller believes it changes: another state is 412 PRECONDITION_FAILED. */
interface Guarded<Entity> {
  readonly precondition?: ((current: Entity) => boolean) | undefined;
}

// Teams and keys. createTeam, updateTeam and issueApiKey answer what they made.

export interface CreateTeam {
  readonly name: string;
  readonly slug?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface UpdateTeam extends Guarded<Team> {
  readonly teamId: TeamId;
  readonly name?: string | undefined;
  /** A merge patch. */
  readonly metadata?: JsonObject | undefined;
}

export interface DeleteTeam extends Guarded<Team> {
  readonly teamId: TeamId;
  /** Who owns its assets from now on. */
  readonly reassignTo?: TeamId | undefined;
}

export interface IssueApiKey {
  readonly name: string;
  readonly teamId: TeamId | null;
  readonly teamIds?: readonly TeamId[] | undefined;
  readonly allTeams?: boolean | undefined;
  readonly userId?: UserId | undefined;
  readonly scopes: readonly KeyScope[];
  readonly expiresAt?: Timestamp | undefined;
  /** Made by the caller, who shows the secret once: `cdt_live_` and 43 characters. */
  readonly secret: { readonly digest: Uint8Array; readonly prefix: string };
}

export interface RevokeApiKey {
  readonly apiKeyId: ApiKeyId;
}

export interface Deleted {
  readonly deleted: true;
}

// Assets.

export interface CreateAsset {
  readonly fqn: string;
  readonly ownerTeamId: TeamId;
  readonly ownerUserId?: UserId | undefined;
  readonly environment?: string | undefined;
  readonly guaranteeMode?: GuaranteeMode | undefined;
  readonly autoPublish?: boolean | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly managedBy?: ManagedBy | undefined;
}

export interface UpdateAsset extends Guarded<Asset>, Overriding {
  readonly assetId: AssetId;
  /** Null removes it. */
  readonly ownerUserId?: UserId | null | undefined;
  readonly autoPublish?: boolean | undefined;
  /** A merge patch. */
  readonly metadata?: JsonObject | undefined;
  /** These three ask the consumers first, where there are any. */
  readonly ownerTeamId?: TeamId | undefined;
  readonly environment?: string | undefined;
  readonly guaranteeMode?: GuaranteeMode | undefined;
  readonly supersede?: boolean | undefined;
  /** Asks the consumers, or does nothing: what asks nobody is not done from here. */
  readonly onlyPropose?: boolean | undefined;
}

export type UpdateAssetResult =
  | { readonly action: 'updated'; readonly asset: Asset }
  | ProposalCreated;

export interface DeleteAsset extends Guarded<Asset>, Overriding {
  readonly assetId: AssetId;
  /** Of an admin, with a reason: also while consumers are registered. */
  readonly force: boolean;
}

/** From now on it is written from that place alone. */
export interface ClaimAsset {
  readonly assetId: AssetId;
  readonly managedBy: ManagedBy;
}

export interface ReleaseAsset {
  readonly assetId: AssetId;
  /** Who lets go: what another place manages stays as it is. */
  readonly managedBy: ManagedBy;
}

export interface RestoreAsset {
  readonly assetId: AssetId;
}

// Contracts.

export interface PublishContract extends Overriding {
  readonly assetId: AssetId;
  readonly schema: Json;
  /** What is absent is that of the contract compared with. */
  readonly compatibilityMode?: CompatibilityMode | undefined;
  /** Null removes them. */
  readonly guarantees?: Guarantees | null | undefined;
  readonly version?: string | undefined;
  readonly dialect?: Dialect | undefined;
  readonly format?: ContractFormat | undefined;
  readonly direction?: Direction | undefined;
  readonly dryRun: boolean;
  readonly supersede: boolean;
  readonly source?: ContractSource | undefined;
  readonly sourceReference?: string | undefined;
  readonly commit?: string | undefined;
  /** Asks the consumers, or does nothing: what asks nobody is not done from here. */
  readonly onlyPropose?: boolean | undefined;
}

export type PublishResult = Published | Unchanged | ProposalCreated;

export interface Published {
  readonly action: 'published';
  readonly dryRun: boolean;
  /** In a dry run its id is null. */
  readonly contract: PublishedContract;
  readonly changes: readonly Change[];
  readonly breakingChanges: readonly Change[];
  readonly changeType: ContractChangeType;
}

interface PublishedContract extends Omit<Contract, 'id'> {
  readonly id: ContractId | null;
}

/** A name and its first version, in one transaction. */
export interface DeclareContract {
  /** Chosen by who wants to hear of it from its beginning. */
  readonly assetId: AssetId;
  readonly asset: CreateAsset;
  readonly contract: FirstContract;
}

export type FirstContract = Omit<
  PublishContract,
  'assetId' | 'dryRun' | 'supersede' | 'onlyPropose' | keyof Overriding
>;

export interface Declared {
  readonly asset: Asset;
  /** Null where a deleted asset of that name had versions: what comes next is compared with them. */
  readonly published: Outcome<Published> | null;
}

export interface Unchanged {
  readonly action: 'unchanged';
  readonly dryRun: boolean;
  readonly contract: Contract;
}

export interface ProposalCreated {
  readonly action: 'proposal_created';
  readonly dryRun: boolean;
  /** As it was made; where nobody is awaited, auto_publish may follow at once. Id null if dry. */
  readonly proposal: ProposalView;
  /** The same had been proposed already: this is that one. */
  readonly existing: boolean;
  readonly changes: readonly Change[];
  readonly breakingChanges: readonly Change[];
}

export interface ProposalView extends Omit<Proposal, 'id'> {
  readonly id: ProposalId | null;
}

export interface AssessImpact {
  readonly assetId: AssetId;
  readonly proposedSchema: Json;
  readonly compatibilityMode?: CompatibilityMode | undefined;
  readonly guarantees?: Guarantees | null | undefined;
  readonly dialect?: Dialect | undefined;
  readonly format?: ContractFormat | undefined;
  readonly direction?: Direction | undefined;
}

export interface Impact {
  readonly isBreaking: boolean;
  readonly changes: readonly Change[];
  readonly breakingChanges: readonly Change[];
  readonly affectedConsumers: readonly Consumer[];
  readonly changeType: ContractChangeType | 'none';
  /** Null where nothing would be published. */
  readonly proposedVersion: string | null;
  /** What depends on the asset, whatever the change does. */
  readonly downstream: Lineage;
}

export interface UpdateContract extends Guarded<Contract>, Overriding {
  readonly contractId: ContractId;
  readonly status: Exclude<ContractStatus, 'active'>;
  readonly supersede?: boolean | undefined;
  /** Of an admin, with a reason: archived although a registration pins it. */
  readonly force?: boolean | undefined;
  /** Asks the consumers, or does nothing: what asks nobody is not done from here. */
  readonly onlyPropose?: boolean | undefined;
}

export type UpdateContractResult =
  | { readonly action: 'updated'; readonly contract: Contract }
  | ProposalCreated;

// Registrations.

export interface RegisterConsumer {
  readonly contractId: ContractId;
  readonly consumerTeamId: TeamId;
  readonly notes?: string | undefined;
  /** The producer may be its own consumer only if it says so. */
  readonly allowSelf?: boolean | undefined;
  readonly source?: RegistrationSource | undefined;
}

export interface UpdateRegistration extends Guarded<Registration> {
  readonly registrationId: RegistrationId;
  readonly notes?: string | null | undefined;
  readonly status?: RegistrationStatus | undefined;
  /** Moves it to another version of the same asset. */
  readonly contractId?: ContractId | undefined;
}

export interface DeleteRegistration extends Guarded<Registration> {
  readonly registrationId: RegistrationId;
}

// Proposals. approve, rebase, force and withdraw answer the proposal as it then is.

export interface AcknowledgeProposal extends Guarded<Proposal> {
  readonly proposalId: ProposalId;
  /** Needed of who acts for several teams. */
  readonly teamId?: TeamId | undefined;
  readonly response: AcknowledgementResponse;
  readonly until?: Timestamp | undefined;
  readonly notes?: string | undefined;
  /** The round that was read: another one is refused. */
  readonly round?: number | undefined;
  /** Why an administrator answers in another team's name. */
  readonly reason?: string | undefined;
}

export interface Acknowledged {
  /** False for `blocked`. */
  readonly acknowledged: boolean;
  readonly acknowledgedAt: Timestamp;
  readonly remainingConsumers: number;
  readonly proposal: Proposal;
}

export interface ApproveProposal {
  readonly proposalId: ProposalId;
}

export interface PublishProposal extends Overriding {
  readonly proposalId: ProposalId;
}

export interface PublishedProposal {
  readonly proposal: Proposal;
  /** Null where the proposal was not about a schema or a mode, or where it was parked. */
  readonly contract: Contract | null;
}

export interface ForceProposal extends Overriding {
  readonly proposalId: ProposalId;
  readonly reason: string;
}

export interface RebaseProposal {
  readonly proposalId: ProposalId;
}

export interface WithdrawProposal extends Overriding {
  readonly proposalId: ProposalId;
  readonly reason: string;
}

// Imports.

export interface ImportAssets {
  readonly kind: ImportKind;
  readonly read: ReadImport;
  readonly options: ImportOptions;
  readonly dryRun: boolean;
}

export interface PreviewImport {
  readonly kind: ImportKind;
  readonly read: ReadImport;
  readonly environment: string;
  /** Whose file it is, where the caller says it. */
  readonly ownerTeamId: TeamId | null;
}

/** Every write verb by its name, with what it answers. */
export interface Verbs {
  readonly createTeam: Verb<CreateTeam, Team>;
  readonly updateTeam: Verb<UpdateTeam, Team>;
  readonly deleteTeam: Verb<DeleteTeam, Deleted>;
  readonly issueApiKey: Verb<IssueApiKey, ApiKey>;
  readonly revokeApiKey: Verb<RevokeApiKey, Deleted>;
  readonly createUser: Verb<CreateUser, User>;
  readonly updateUser: Verb<UpdateUser, User>;
  readonly deactivateUser: Verb<DeactivateUser, Deleted>;
  readonly logIn: Verb<LogIn, User>;
  readonly logOut: Verb<LogOut, Deleted>;
  readonly recordRefusedEntry: Verb<RecordRefusedEntry, null>;
  readonly ensureFirstAdmin: Verb<EnsureFirstAdmin, FirstAdmin | null>;
  readonly createAsset: Verb<CreateAsset, Asset>;
  readonly updateAsset: Verb<UpdateAsset, UpdateAssetResult>;
  readonly claimAsset: Verb<ClaimAsset, Asset>;
  readonly releaseAsset: Verb<ReleaseAsset, Asset>;
  readonly deleteAsset: Verb<DeleteAsset, Deleted>;
  readonly restoreAsset: Verb<RestoreAsset, Asset>;
  readonly publishContract: Verb<PublishContract, PublishResult>;
  readonly declareContract: Verb<DeclareContract, Declared>;
  readonly assessImpact: Verb<AssessImpact, Impact>;
  readonly importAssets: Verb<ImportAssets, Imported>;
  readonly previewImport: Verb<PreviewImport, Assessed>;
  readonly updateContract: Verb<UpdateContract, UpdateContractResult>;
  readonly registerConsumer: Verb<RegisterConsumer, Registration>;
  readonly updateRegistration: Verb<UpdateRegistration, Registration>;
  readonly deleteRegistration: Verb<DeleteRegistration, Deleted>;
  readonly addDependency: Verb<AddDependency, Dependency>;
  readonly deleteDependency: Verb<DeleteDependency, Deleted>;
  readonly recordQualityRun: Verb<RecordQualityRun, QualityRun>;
  readonly recordRunResults: Verb<RecordRunResults, RecordedRuns>;
  readonly acknowledgeProposal: Verb<AcknowledgeProposal, Acknowledged>;
  readonly approveProposal: Verb<ApproveProposal, Proposal>;
  readonly publishProposal: Verb<PublishProposal, PublishedProposal>;
  readonly forceProposal: Verb<ForceProposal, PublishedProposal>;
  readonly rebaseProposal: Verb<RebaseProposal, Proposal>;
  readonly withdrawProposal: Verb<WithdrawProposal, Proposal>;
  readonly confirmSource: Verb<ConfirmSource, SourceState>;
  readonly createWebhook: Verb<CreateWebhook, Webhook>;
  readonly updateWebhook: Verb<UpdateWebhook, Webhook>;
  readonly deleteWebhook: Verb<DeleteWebhook, Deleted>;
  readonly replayDelivery: Verb<ReplayDelivery, Replayed>;
  readonly replayParked: Verb<ReplayParked, Webhook>;
}
