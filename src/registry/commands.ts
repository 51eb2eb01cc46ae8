// The command and the result of each write verb. The verb itself is in a file of the same name:
// `publish-contract.ts` exports `publishContract: Verb<PublishContract, PublishResult>`.

import type { Asset } from '../core/asset.ts';
import type { Comment } from '../core/comment.ts';
import type {
  Acknowledged,
  AcknowledgeProposal,
  ApproveProposal,
  AssessImpact,
  ClaimAsset,
  CommentOnProposal,
  ConfirmNeeds,
  CreateAsset,
  CreateService,
  DeclareContract,
  Declared,
  DeleteAsset,
  Deleted,
  DeleteRegistration,
  DeleteService,
  ExpireProposal,
  FindNeeds,
  ForceProposal,
  Impact,
  ObjectToProposal,
  PublishContract,
  PublishedProposal,
  PublishProposal,
  PublishResult,
  RebaseProposal,
  RecordLineage,
  RegisterConsumer,
  ReleaseAsset,
  RemindConsumers,
  RestoreAsset,
  UpdateAsset,
  UpdateAssetResult,
  UpdateContract,
  UpdateContractResult,
  UpdateProposal,
  UpdateRegistration,
  UpdateService,
  WithdrawProposal,
} from '../core/decide/commands.ts';
import type {
  AddDependency,
  DeleteDependency,
  RecordQualityRun,
} from '../core/decide/lineage/commands.ts';
import type {
  AdmittedUser,
  AdmitUser,
  CreateTeam,
  CreateTrust,
  CreateUser,
  DeactivateUser,
  DeclareTeam,
  DeleteTeam,
  DeleteTrust,
  EndProviderSession,
  EnsureFirstAdmin,
  ExchangeToken,
  FirstAdmin,
  IssueApiKey,
  LogIn,
  LogOut,
  ProvisionGroup,
  ProvisionUser,
  RecordRefusedEntry,
  ReleaseTeam,
  RestoreTeam,
  RevokeApiKey,
  UpdateTeam,
  UpdateUser,
} from '../core/decide/people/commands.ts';
import type { TakenOver, TakeOverSource } from '../core/decide/sources/take-over.ts';
import type {
  ChooseNotifications,
  Chosen,
  CreateWebhook,
  DeleteWebhook,
  ReplayDelivery,
  Replayed,
  ReplayParked,
  UpdateWebhook,
} from '../core/decide/webhooks/commands.ts';
import type { Dependency } from '../core/dependency.ts';
import type { Outcome } from '../core/failure.ts';
import type { ServiceId, TeamId } from '../core/id.ts';
import type { ImportKind } from '../core/import/candidate.ts';
import type { Assessed } from '../core/import/plan/diff-report.ts';
import type { Imported } from '../core/import/plan/import-report.ts';
import type { ImportOptions } from '../core/import/plan/plan.types.ts';
import type { Proposal } from '../core/proposal.ts';
import type { QualityRun } from '../core/quality-run.ts';
import type { Registration } from '../core/registration.ts';
import type { SourceState } from '../core/source.ts';
import type { ApiKey, Service, Team, Trust } from '../core/team.ts';
import type { ProvisionedGroup, ProvisionedUser, User } from '../core/user.ts';
import type { Webhook } from '../core/webhook.ts';
import type { ReadImport } from './imports/import.types.ts';
import type { RecordedLineage } from './lineage/record-lineage.types.ts';
import type { RecordedRuns, RecordRunResults } from './lineage/run-results.types.ts';
import type { Context, Ports } from './ports.ts';
import type { ConfirmSource } from './sources/sources.ts';

export type Verb<Command, Result> = (
  ports: Ports,
  context: Context<Result>,
  command: Command,
) => Promise<Outcome<Result>>;

export interface ImportAssets {
  readonly kind: ImportKind;
  readonly read: ReadImport;
  readonly options: ImportOptions;
  /** What assets that the import creates belong to. */
  readonly serviceId: ServiceId | null;
  readonly dryRun: boolean;
}

export interface PreviewImport {
  readonly kind: ImportKind;
  readonly read: ReadImport;
  readonly environment: string;
  /** The team that the file belongs to, if the caller names one. */
  readonly ownerTeamId: TeamId | null;
}

/** Every write verb by name, with its result. */
export interface Verbs {
  readonly createTeam: Verb<CreateTeam, Team>;
  readonly updateTeam: Verb<UpdateTeam, Team>;
  readonly restoreTeam: Verb<RestoreTeam, Team>;
  readonly deleteTeam: Verb<DeleteTeam, Deleted>;
  /** For the controller on behalf of a Team. */
  readonly declareTeam: Verb<DeclareTeam, Team>;
  readonly releaseTeam: Verb<ReleaseTeam, Deleted>;
  readonly issueApiKey: Verb<IssueApiKey, ApiKey>;
  readonly revokeApiKey: Verb<RevokeApiKey, Deleted>;
  readonly createTrust: Verb<CreateTrust, Trust>;
  readonly deleteTrust: Verb<DeleteTrust, Deleted>;
  readonly exchangeToken: Verb<ExchangeToken, ApiKey>;
  readonly createUser: Verb<CreateUser, User>;
  readonly updateUser: Verb<UpdateUser, User>;
  readonly deactivateUser: Verb<DeactivateUser, Deleted>;
  readonly admitUser: Verb<AdmitUser, AdmittedUser>;
  /** By SCIM. */
  readonly provisionUser: Verb<ProvisionUser, ProvisionedUser>;
  readonly provisionGroup: Verb<ProvisionGroup, ProvisionedGroup>;
  readonly logIn: Verb<LogIn, User>;
  readonly endProviderSession: Verb<EndProviderSession, number>;
  readonly logOut: Verb<LogOut, Deleted>;
  readonly recordRefusedEntry: Verb<RecordRefusedEntry, null>;
  readonly ensureFirstAdmin: Verb<EnsureFirstAdmin, FirstAdmin | null>;
  readonly createService: Verb<CreateService, Service>;
  readonly updateService: Verb<UpdateService, Service>;
  readonly deleteService: Verb<DeleteService, Deleted>;
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
  readonly findNeeds: Verb<FindNeeds, Registration>;
  readonly recordLineage: Verb<RecordLineage, RecordedLineage>;
  readonly confirmNeeds: Verb<ConfirmNeeds, Registration>;
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
  readonly updateProposal: Verb<UpdateProposal, Proposal>;
  readonly remindConsumers: Verb<RemindConsumers, Proposal>;
  readonly commentOnProposal: Verb<CommentOnProposal, Comment>;
  readonly objectToProposal: Verb<ObjectToProposal, Proposal>;
  readonly withdrawProposal: Verb<WithdrawProposal, Proposal>;
  readonly expireProposal: Verb<ExpireProposal, Proposal>;
  readonly confirmSource: Verb<ConfirmSource, SourceState>;
  readonly takeOverSource: Verb<TakeOverSource, TakenOver>;
  readonly chooseNotifications: Verb<ChooseNotifications, Chosen>;
  readonly createWebhook: Verb<CreateWebhook, Webhook>;
  readonly updateWebhook: Verb<UpdateWebhook, Webhook>;
  readonly deleteWebhook: Verb<DeleteWebhook, Deleted>;
  readonly replayDelivery: Verb<ReplayDelivery, Replayed>;
  readonly replayParked: Verb<ReplayParked, Webhook>;
}
