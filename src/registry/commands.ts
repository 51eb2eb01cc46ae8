// What each write verb is asked, and what it answers. The verb itself stands in a file of its name:
// `publish-contract.ts` exports `publishContract: Verb<PublishContract, PublishResult>`.

import type { KeyScope } from '../core/actor.ts';
import type { Asset } from '../core/asset.ts';
import type {
  Acknowledged,
  AcknowledgeProposal,
  ApproveProposal,
  AssessImpact,
  ClaimAsset,
  CreateAsset,
  DeclareContract,
  Declared,
  DeleteAsset,
  Deleted,
  DeleteRegistration,
  ForceProposal,
  Guarded,
  Impact,
  PublishContract,
  PublishedProposal,
  PublishProposal,
  PublishResult,
  RebaseProposal,
  RegisterConsumer,
  ReleaseAsset,
  RestoreAsset,
  UpdateAsset,
  UpdateAssetResult,
  UpdateContract,
  UpdateContractResult,
  UpdateRegistration,
  WithdrawProposal,
} from '../core/decide/commands.ts';
import type { Dependency } from '../core/dependency.ts';
import type { Outcome } from '../core/failure.ts';
import type { ApiKeyId, TeamId, Timestamp, UserId } from '../core/id.ts';
import type { ImportKind } from '../core/import/candidate.ts';
import type { Assessed } from '../core/import/plan/diff-report.ts';
import type { Imported } from '../core/import/plan/import-report.ts';
import type { ImportOptions } from '../core/import/plan/plan.types.ts';
import type { Proposal } from '../core/proposal.ts';
import type { QualityRun } from '../core/quality-run.ts';
import type { Registration } from '../core/registration.ts';
import type { SourceState } from '../core/source.ts';
import type { ApiKey, Team } from '../core/team.ts';
import type { User } from '../core/user.ts';
import type { JsonObject } from '../core/value/json.ts';
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
