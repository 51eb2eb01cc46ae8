// The input and output of planning an import, as plain data. The registry loads the facts in a
// fixed number of statements, plans, and applies the changes in sets within one transaction.

import type { ImportedAs, NeedsMode } from '../../asset.ts';
import type { Comparison, ContractTerms, GuaranteeMode } from '../../comparison.ts';
import type { ContractFormat, ContractStatus } from '../../contract.ts';
import type { Asking } from '../../decide/asking.ts';
import type { AssetId, ContractId, ProposalId, TeamId, UserId } from '../../id.ts';
import type { Verdicts } from '../../need.ts';
import type { Consumer } from '../../registration.ts';
import type { JsonObject } from '../../value/json.ts';
import type { Candidate, ImportProblem } from '../candidate.ts';

type ConflictMode = 'ignore' | 'overwrite' | 'fail';

export interface ImportOptions {
  /** Owns assets for which the file names no owner. */
  readonly ownerTeamId: TeamId;
  /** Used if the file names no environment. */
  readonly environment: string;
  readonly conflictMode: ConflictMode;
  readonly autoPublishContracts: boolean;
  readonly autoCreateProposals: boolean;
  readonly autoRegisterConsumers: boolean;
  readonly inferConsumersFromRefs: boolean;
  readonly prune: 'report' | 'deprecate';
  /** Leaves out assets whose change breaks, instead of refusing the whole import. */
  readonly partial: boolean;
}

/** The registry's facts, without deleted assets, teams and users. */
export interface ImportFacts {
  /** By the name that the file states: only the registry knows which capitals count. */
  readonly teams: readonly { readonly id: TeamId; readonly name: string }[];
  readonly users: readonly {
    readonly id: UserId;
    readonly email: string;
    readonly teamId: TeamId | null;
  }[];
  /** The assets that candidates name, and those that an earlier import of the same source made. */
  readonly assets: readonly ExistingAsset[];
  /**
   * The last deleted holders of free names, whose contracts and consumers the next holder
   * continues.
   */
  readonly predecessors: readonly ExistingAsset[];
}

export interface ExistingAsset {
  readonly id: AssetId;
  readonly fqn: string;
  readonly environment: string;
  readonly ownerTeamId: TeamId;
  readonly ownerUserId: UserId | null;
  readonly guaranteeMode: GuaranteeMode;
  readonly metadata: JsonObject;
  /** What earlier files said that it is. */
  readonly importedAs: ImportedAs;
  /** The team whose file brought it; null if no file did, or that was before this was stored. */
  readonly importedFor: TeamId | null;
  /** Its contract is in force no longer, and a consumer has not agreed to lose it, or has yet to leave. */
  readonly isBeingLeft: boolean;
  /** True if a source such as a cluster manages the asset. */
  readonly isManagedElsewhere: boolean;
  /** The contract that a publish is compared with. */
  readonly base: ExistingContract | null;
  /** Teams with a registration that was not deleted, active or not. */
  readonly registeredTeamIds: readonly TeamId[];
  /** The active ones of them. */
  readonly consumers: readonly Consumer[];
  readonly needsMode: NeedsMode;
  readonly openProposal: ExistingProposal | null;
  /** Dependencies that an import made. */
  readonly importedUpstream: readonly AssetKey[];
  /** Dependencies that people made. */
  readonly manualUpstream: readonly AssetKey[];
  /** It came from the same source as this file, so if it is not in the file, it vanished. */
  readonly isOfThisSource: boolean;
}

/** Pending or approved. */
export interface ExistingProposal {
  readonly id: ProposalId;
  /** Null if it is not about a contract's terms. */
  readonly terms: ContractTerms | null;
  /** The contract that it would deprecate, if it is about that. */
  readonly deprecates: ContractId | null;
}

export interface ExistingContract {
  readonly id: ContractId;
  readonly version: string;
  readonly status: ContractStatus;
  readonly terms: ContractTerms;
}

/** A comparison for the engine, made before the plan and outside of the request thread. */
export interface ComparisonTask {
  readonly key: AssetKey;
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly guaranteeMode: GuaranteeMode;
}

/** An asset's FQN and environment as one text, made by `assetKey`. */
export type AssetKey = string;

export type Comparisons = ReadonlyMap<AssetKey, Comparison>;

/** What the changes do to the needs of consumers. Assets without needs are missing. */
export type NeedVerdicts = ReadonlyMap<AssetKey, Verdicts>;

/** One candidate with the registry's facts about it. */
export interface Assessment {
  readonly key: AssetKey;
  readonly candidate: Candidate;
  readonly environment: string;
  readonly existing: ExistingAsset | null;
  /** The asset whose contracts and consumers it has: itself, otherwise the name's last holder. */
  readonly line: ExistingAsset | null;
  /** The existing asset is another thing, whose name this one would take. */
  readonly takesName: boolean;
  /** The terms to publish, completed from the active contract; null without a schema. */
  readonly terms: ContractTerms | null;
  /** Null if there is nothing to compare with. */
  readonly comparison: Comparison | null;
  /** Whom the change asks. */
  readonly asking: Asking;
  readonly changeType: 'new' | 'modified' | 'unchanged';
}

export type PlannedChange =
  | {
      readonly kind: 'create_asset';
      readonly key: AssetKey;
      readonly fqn: string;
      readonly environment: string;
      readonly ownerTeamId: TeamId;
      readonly ownerUserId: UserId | null;
      readonly metadata: JsonObject;
      readonly importedAs: ImportedAs;
    }
  | {
      readonly kind: 'update_asset';
      readonly key: AssetKey;
      readonly assetId: AssetId;
      readonly ownerTeamId: TeamId;
      readonly ownerUserId: UserId | null;
      readonly metadata: JsonObject;
      readonly importedAs: ImportedAs;
      readonly importedFor: TeamId | null;
    }
  | {
      /** Asks the consumers before an asset gets another owner. */
      readonly kind: 'propose_move';
      readonly key: AssetKey;
      readonly assetId: AssetId;
      readonly ownerTeamId: TeamId;
    }
  | {
      readonly kind: 'publish_contract';
      readonly key: AssetKey;
      /** Null for an asset that the same plan creates. */
      readonly assetId: AssetId | null;
      readonly base: ExistingContract | null;
      readonly terms: ContractTerms;
      readonly format: ContractFormat;
      /** Null for the first contract. */
      readonly comparison: Comparison | null;
      readonly asking: Asking;
    }
  | {
      readonly kind: 'create_proposal';
      readonly key: AssetKey;
      /** Null for an asset that the same plan creates, with a name that existed before. */
      readonly assetId: AssetId | null;
      readonly base: ExistingContract;
      readonly terms: ContractTerms;
      readonly format: ContractFormat;
      readonly comparison: Comparison;
      readonly asking: Asking;
    }
  | {
      readonly kind: 'register_consumer';
      readonly key: AssetKey;
      readonly assetId: AssetId | null;
      readonly consumerTeamId: TeamId;
      readonly notes: string | null;
      readonly origin: 'declared' | 'inferred';
    }
  | {
      readonly kind: 'add_dependency' | 'remove_dependency';
      readonly key: AssetKey;
      readonly assetId: AssetId | null;
      readonly upstreamKey: AssetKey;
    }
  | {
      readonly kind: 'deprecate_contract' | 'propose_deprecation';
      readonly key: AssetKey;
      readonly assetId: AssetId;
      readonly contractId: ContractId;
    };

export type PlannedKind = PlannedChange['kind'];

/** The result for each candidate's row. */
export type AssetAction = 'created' | 'updated' | 'skipped' | 'unchanged' | 'failed';

export interface ImportPlan {
  /** In the order to apply them: assets before contracts, contracts before registrations. */
  readonly changes: readonly PlannedChange[];
  readonly items: readonly PlannedItem[];
  readonly removed: readonly RemovedAsset[];
  readonly errors: readonly ImportError[];
  /** The teams that the plan acts for; the caller needs a right to each. */
  readonly ownerTeamIds: readonly TeamId[];
}

export interface PlannedItem {
  readonly assessment: Assessment;
  readonly action: AssetAction;
}

export interface RemovedAsset {
  readonly key: AssetKey;
  readonly asset: ExistingAsset;
  /** It has a contract and consumers. */
  readonly isBreaking: boolean;
  /** Something else in the file would take its name. */
  readonly isReplaced: boolean;
  /** The FQN at which the file has the same node of dbt; null if it does not. */
  readonly movedTo: string | null;
}

/** In the form of the response. */
export interface ImportError {
  readonly code: ImportProblem['code'] | PlanErrorCode;
  readonly message: string;
  readonly fqn: string | null;
  readonly place: string;
}

export type PlanErrorCode =
  | 'OWNER_USER_NOT_FOUND'
  | 'OWNER_NOT_MEMBER'
  | 'CONSUMER_TEAM_NOT_FOUND'
  | 'CONSUMER_IS_OWNER'
  | 'NO_CONTRACT'
  | 'BREAKING_CHANGE'
  | 'PROPOSAL_PENDING'
  | 'SHOWN_TYPE_WAITS'
  | 'ASSET_MANAGED_ELSEWHERE'
  | 'OWNER_CHANGE'
  | 'LINE_CONTINUES'
  | 'NAME_TAKEN'
  | 'SAME_TABLE'
  | 'DEPRECATION';

/** The ids that applying a plan created, by asset, for the report. Empty in a dry run. */
export interface AppliedIds {
  readonly assetIds: ReadonlyMap<AssetKey, AssetId>;
  readonly contractIds: ReadonlyMap<AssetKey, ContractId>;
  readonly proposalIds: ReadonlyMap<AssetKey, ProposalId>;
}

/** A plan in progress: changes, errors, and the owner of each asset afterwards. */
export interface PlanDraft {
  readonly changes: PlannedChange[];
  readonly errors: ImportError[];
  readonly owners: Map<AssetKey, TeamId>;
}
