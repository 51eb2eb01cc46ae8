// The commands and results of the write verbs for assets, contracts, proposals and registrations.

import type {
  Asset,
  DeadlineAct,
  FileKind,
  ImportIdentity,
  ManagedBy,
  NeedsMode,
} from '../asset.ts';
import type {
  Change,
  CompatibilityMode,
  Direction,
  GuaranteeMode,
  Guarantees,
} from '../comparison.ts';
import type {
  Contract,
  ContractChangeType,
  ContractFormat,
  ContractSource,
  ContractStatus,
} from '../contract.ts';
import type { Lineage } from '../dependency.ts';
import type { Outcome } from '../failure.ts';
import type {
  AssetId,
  CommentId,
  ContractId,
  ProposalId,
  RegistrationId,
  ServiceId,
  TeamId,
  Timestamp,
  UserId,
} from '../id.ts';
import type { ConsumerVerdict, FoundPlace, FoundSource, StatedNeed } from '../need.ts';
import type { AcknowledgementResponse, ChangeRequest, Proposal } from '../proposal.ts';
import type {
  Consumer,
  Registration,
  RegistrationSource,
  RegistrationStatus,
} from '../registration.ts';
import type { Dialect } from '../schema/dialects.ts';
import type { Service } from '../team.ts';
import type { Json, JsonObject } from '../value/json.ts';
import type { Overriding } from './access.ts';

/** The state that the caller expects: any other state is 412 PRECONDITION_FAILED. */
export interface Guarded<Entity> {
  readonly precondition?: ((current: Entity) => boolean) | undefined;
}

export interface Deleted {
  readonly deleted: true;
}

/** Fields of a change request. Absent fields stay as they are; null removes them. */
export type RequestFields = {
  readonly [Field in keyof ChangeRequest]?: ChangeRequest[Field] | undefined;
};

// Assets.

export interface CreateAsset {
  readonly fqn: string;
  readonly ownerTeamId: TeamId;
  readonly ownerUserId?: UserId | undefined;
  readonly serviceId?: ServiceId | undefined;
  readonly environment?: string | undefined;
  readonly guaranteeMode?: GuaranteeMode | undefined;
  readonly needsMode?: NeedsMode | undefined;
  readonly autoPublish?: boolean | undefined;
  readonly onDeadline?: DeadlineAct | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly managedBy?: ManagedBy | undefined;
  readonly standsFor?: StandsFor | undefined;
}

export interface UpdateAsset extends Guarded<Asset>, Overriding {
  readonly assetId: AssetId;
  /** Null removes the owning user. */
  readonly ownerUserId?: UserId | null | undefined;
  /** Null takes it out of its service. */
  readonly serviceId?: ServiceId | null | undefined;
  readonly autoPublish?: boolean | undefined;
  readonly onDeadline?: DeadlineAct | undefined;
  /** A merge patch. */
  readonly metadata?: JsonObject | undefined;
  /** Changes of these four ask the consumers first, if there are any. */
  readonly ownerTeamId?: TeamId | undefined;
  readonly environment?: string | undefined;
  readonly guaranteeMode?: GuaranteeMode | undefined;
  readonly needsMode?: NeedsMode | undefined;
  readonly supersede?: boolean | undefined;
  readonly request?: RequestFields | undefined;
  /** Only proposes: a change that needs no proposal is not made. */
  readonly onlyPropose?: boolean | undefined;
  /** Decides, and writes nothing. */
  readonly dryRun?: boolean | undefined;
}

export type UpdateAssetResult =
  | { readonly action: 'updated'; readonly asset: Asset }
  | ProposalCreated;

export interface DeleteAsset extends Guarded<Asset>, Overriding {
  readonly assetId: AssetId;
  /** For admins, with a reason: delete it even though consumers are registered. */
  readonly force: boolean;
}

/** What an asset is in the document that its contract comes from. */
export interface StandsFor {
  readonly kind: FileKind;
  readonly identity: ImportIdentity;
}

/** From now on, only this source may write the asset. */
export interface ClaimAsset {
  readonly assetId: AssetId;
  readonly managedBy: ManagedBy;
  /** Takes it from a source that is gone or unknown, too. */
  readonly adopt?: boolean;
  readonly standsFor?: StandsFor | undefined;
}

export interface ReleaseAsset {
  readonly assetId: AssetId;
  /** The source that releases the asset; assets that another source manages do not change. */
  readonly managedBy: ManagedBy;
}

export interface RestoreAsset {
  readonly assetId: AssetId;
}

// Services.

interface ServiceFields {
  /** Null removes it. */
  readonly repository?: string | null | undefined;
  readonly description?: string | null | undefined;
}

export interface CreateService extends ServiceFields {
  readonly name: string;
  readonly ownerTeamId: TeamId;
  readonly metadata?: JsonObject | undefined;
}

export interface UpdateService extends Guarded<Service>, ServiceFields {
  readonly serviceId: ServiceId;
  readonly name?: string | undefined;
  readonly ownerTeamId?: TeamId | undefined;
  /** A merge patch. */
  readonly metadata?: JsonObject | undefined;
}

export interface DeleteService extends Guarded<Service> {
  readonly serviceId: ServiceId;
}

// Contracts.

export interface PublishContract extends Overriding {
  readonly assetId: AssetId;
  readonly schema: Json;
  /** Absent terms are those of the contract that it is compared with. */
  readonly compatibilityMode?: CompatibilityMode | undefined;
  /** Null removes them. */
  readonly guarantees?: Guarantees | null | undefined;
  readonly version?: string | undefined;
  readonly dialect?: Dialect | undefined;
  readonly format?: ContractFormat | undefined;
  readonly direction?: Direction | undefined;
  readonly dryRun: boolean;
  readonly supersede: boolean;
  readonly request?: RequestFields | undefined;
  readonly source?: ContractSource | undefined;
  readonly sourceReference?: string | undefined;
  readonly commit?: string | undefined;
  /** Only proposes: a change that needs no proposal is not made. */
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
  readonly modeChange?: ModeChange;
}

/** The compatibility modes of two contracts that differ in it. */
export interface ModeChange {
  readonly from: CompatibilityMode;
  readonly to: CompatibilityMode;
}

interface PublishedContract extends Omit<Contract, 'id'> {
  readonly id: ContractId | null;
}

/** Creates an asset with its first version, in one transaction. */
export interface DeclareContract {
  /** Chosen by callers that want events about the asset from its beginning. */
  readonly assetId: AssetId;
  readonly asset: CreateAsset;
  readonly contract: FirstContract;
}

export type FirstContract = Omit<
  PublishContract,
  'assetId' | 'dryRun' | 'supersede' | 'request' | 'onlyPropose' | keyof Overriding
>;

export interface Declared {
  readonly asset: Asset;
  /** Null if a deleted asset of that name had versions: the next version is compared with them. */
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
  /**
   * The new proposal. Without consumers, auto_publish may follow immediately. The id is null in a
   * dry run.
   */
  readonly proposal: ProposalView;
  /** The same change was already proposed, and this is that proposal. */
  readonly existing: boolean;
  readonly changes: readonly Change[];
  readonly breakingChanges: readonly Change[];
  readonly modeChange?: ModeChange;
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

/** What a change does to one consumer. */
export interface ConsumerImpact extends ConsumerVerdict {
  readonly consumer: Consumer;
  /**
   * `declared`: by the need that the consumer has stated. `found`: by what was found besides.
   * `none`: it has stated none.
   */
  readonly origin: 'declared' | 'found' | 'none';
}

export interface Impact {
  readonly isBreaking: boolean;
  readonly changes: readonly Change[];
  readonly breakingChanges: readonly Change[];
  readonly affectedConsumers: readonly Consumer[];
  readonly consumers: readonly ConsumerImpact[];
  readonly changeType: ContractChangeType | 'none';
  /** Null if nothing would be published. */
  readonly proposedVersion: string | null;
  /** The assets that depend on this one, whether or not the change breaks. */
  readonly downstream: Lineage;
}

export interface UpdateContract extends Guarded<Contract>, Overriding {
  readonly contractId: ContractId;
  readonly status: Exclude<ContractStatus, 'active'>;
  readonly supersede?: boolean | undefined;
  readonly request?: RequestFields | undefined;
  /** For admins, with a reason: archive it even though a registration pins it. */
  readonly force?: boolean | undefined;
  /** Only proposes: a change that needs no proposal is not made. */
  readonly onlyPropose?: boolean | undefined;
}

export type UpdateContractResult =
  | { readonly action: 'updated'; readonly contract: Contract }
  | ProposalCreated;

// Registrations.

/** An answer in the name of a team. */
interface ForOther {
  /** Why an administrator answers for another team. */
  readonly reason?: string | undefined;
}

/** What a consumer states about itself. */
export interface SetNeed {
  /** Null: the consumer reads everything, as without a need. */
  readonly needs?: StatedNeed | null | undefined;
  /** Keeps a need that the contract in force does not meet. */
  readonly allowUnmet?: boolean | undefined;
  /** Leaves out stated fields that the contract in force does not have, unless none is left. */
  readonly leavesOut?: boolean | undefined;
}

export interface RegisterConsumer extends SetNeed {
  readonly contractId: ContractId;
  readonly consumerTeamId: TeamId;
  readonly notes?: string | undefined;
  /** A producer may register for its own asset only with this. */
  readonly allowSelf?: boolean | undefined;
  readonly source?: RegistrationSource | undefined;
  /** The source of the controller that requests it. */
  readonly claim?: string | undefined;
  /** Somebody else declares the team: what it has said in a registration that will end stays. */
  readonly onlyAdds?: boolean | undefined;
}

export interface UpdateRegistration extends Guarded<Registration>, SetNeed, ForOther {
  readonly registrationId: RegistrationId;
  readonly notes?: string | null | undefined;
  readonly status?: RegistrationStatus | undefined;
  /** Moves the registration to another version of the same asset. */
  readonly contractId?: ContractId | undefined;
  /** A source of the controller that also requests it. */
  readonly claim?: string | undefined;
}

/** What was read of one source now. */
export interface FindNeeds extends FoundSource {
  readonly registrationId: RegistrationId;
  /** Whoever sends it, nothing of the source is taken back: it may be a part, or late. */
  readonly onlyAdds?: boolean;
  readonly places: readonly FoundPlace[];
}

/** An event of OpenLineage: what a job of the team reads. */
export interface RecordLineage {
  readonly event: Json;
  readonly teamId: TeamId;
  readonly environment: string;
}

/** States what was found as a need. */
export interface ConfirmNeeds extends ForOther {
  readonly registrationId: RegistrationId;
  /** What the person has seen: refused if something else was found since. */
  readonly digest: string;
}

export interface DeleteRegistration extends Guarded<Registration>, ForOther {
  readonly registrationId: RegistrationId;
  /** A source that no longer requests it; while others do, the registration stays. */
  readonly claim?: string | undefined;
  /** With a claim: the registration ends then, unless another object requests it before. */
  readonly endsAt?: Timestamp | undefined;
}

// Proposals. approve, rebase, force and withdraw return the proposal as it is afterwards.

export interface AcknowledgeProposal extends Guarded<Proposal>, ForOther {
  readonly proposalId: ProposalId;
  /** Required if the actor acts for several teams. */
  readonly teamId?: TeamId | undefined;
  readonly response: AcknowledgementResponse;
  readonly until?: Timestamp | undefined;
  readonly notes?: string | undefined;
  /** The round that the caller read: any other round is refused. */
  readonly round?: number | undefined;
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
  /** Null if the proposal was not about a schema or a mode, or if it was only approved. */
  readonly contract: Contract | null;
}

export interface ForceProposal extends Overriding {
  readonly proposalId: ProposalId;
  readonly reason: string;
  /** The round that the caller read: any other round is refused. */
  readonly round?: number | undefined;
}

export interface RebaseProposal {
  readonly proposalId: ProposalId;
}

export interface UpdateProposal extends Guarded<Proposal> {
  readonly proposalId: ProposalId;
  readonly request: RequestFields;
}

export interface CommentOnProposal {
  readonly proposalId: ProposalId;
  readonly text: string;
  readonly replyTo?: CommentId | undefined;
  /** Required if the actor acts for several teams that the proposal concerns. */
  readonly teamId?: TeamId | undefined;
}

export interface ObjectToProposal {
  readonly proposalId: ProposalId;
  /** Null takes the objection of the team back. */
  readonly reason: string | null;
  /** Required if the actor acts for several teams. */
  readonly teamId?: TeamId | undefined;
}

export interface RemindConsumers {
  readonly proposalId: ProposalId;
}

export interface ExpireProposal extends Overriding {
  readonly proposalId: ProposalId;
}

export interface WithdrawProposal extends Overriding {
  readonly proposalId: ProposalId;
  readonly reason: string;
}
