// What an import is planned from, and what the plan is: data alone. The registry loads the facts in
// a fixed number of statements, plans, and applies the changes set-wise in one transaction.

import type { Comparison, ContractTerms, GuaranteeMode } from '../../comparison.ts';
import type { ContractFormat, ContractStatus } from '../../contract.ts';
import type { AssetId, ContractId, ProposalId, TeamId, UserId } from '../../id.ts';
import type { JsonObject } from '../../value/json.ts';
import type { Candidate, ImportProblem } from '../candidate.ts';

type ConflictMode = 'ignore' | 'overwrite' | 'fail';

export interface ImportOptions {
  /** Owns what names no owner of its own. */
  readonly ownerTeamId: TeamId;
  /** Where the file does not say one. */
  readonly environment: string;
  readonly conflictMode: ConflictMode;
  readonly autoPublishContracts: boolean;
  readonly autoCreateProposals: boolean;
  readonly autoRegisterConsumers: boolean;
  readonly inferConsumersFromRefs: boolean;
  readonly prune: 'report' | 'deprecate';
  /** Leaves out an asset whose change breaks, instead of refusing the whole. */
  readonly partial: boolean;
}

/** What the registry knows. Deleted assets, teams and users are not in it. */
export interface ImportFacts {
  readonly teams: readonly { readonly id: TeamId; readonly name: string }[];
  readonly users: readonly {
    readonly id: UserId;
    readonly email: string;
    readonly teamId: TeamId | null;
  }[];
  /** Those that the candidates name, and those that an earlier import of the same source made. */
  readonly assets: readonly ExistingAsset[];
  /** The last deleted holders of names that are free: whoever takes the name goes on with theirs. */
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
  /** True where something else writes it, such as a cluster. */
  readonly isManagedElsewhere: boolean;
  /** The contract that a publish is compared with. */
  readonly base: ExistingContract | null;
  /** Teams with a living registration, active or not. */
  readonly registeredTeamIds: readonly TeamId[];
  /** Those of them that have a say. */
  readonly consumerTeamIds: readonly TeamId[];
  readonly openProposal: ExistingProposal | null;
  /** What it depends on because an import said so. */
  readonly importedUpstream: readonly AssetKey[];
  /** What it depends on because people said so. */
  readonly manualUpstream: readonly AssetKey[];
  /** It came from the file that is imported again: if it is not in it, it vanished. */
  readonly isOfThisSource: boolean;
}

/** Pending or approved. */
export interface ExistingProposal {
  readonly id: ProposalId;
  /** Null where it is not about a contract's terms. */
  readonly terms: ContractTerms | null;
  /** The contract that it would deprecate, if that is what it is about. */
  readonly deprecates: ContractId | null;
}

export interface ExistingContract {
  readonly id: ContractId;
  readonly version: string;
  readonly status: ContractStatus;
  readonly terms: ContractTerms;
}

/** A question for the engine, asked off the request loop before the plan is made. */
export interface ComparisonTask {
  readonly key: AssetKey;
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly guaranteeMode: GuaranteeMode;
}

/** An asset's FQN and environment in one text. `assetKey` makes it. */
export type AssetKey = string;

export type Comparisons = ReadonlyMap<AssetKey, Comparison>;

/** One candidate beside what the registry has of it. */
export interface Assessment {
  readonly key: AssetKey;
  readonly candidate: Candidate;
  readonly environment: string;
  readonly existing: ExistingAsset | null;
  /** Whose contracts and consumers it has: its own, else those of the name's last holder. */
  readonly line: ExistingAsset | null;
  /** The terms to publish, completed from the active contract; null without a schema. */
  readonly terms: ContractTerms | null;
  /** Null where there is nothing to compare with. */
  readonly comparison: Comparison | null;
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
    }
  | {
      readonly kind: 'update_asset';
      readonly key: AssetKey;
      readonly assetId: AssetId;
      readonly ownerTeamId: TeamId;
      readonly ownerUserId: UserId | null;
      readonly metadata: JsonObject;
    }
  | {
      /** Consumers are asked before an asset changes hands. */
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
    }
  | {
      readonly kind: 'create_proposal';
      readonly key: AssetKey;
      /** Null for an asset that the same plan creates: its name was held before. */
      readonly assetId: AssetId | null;
      readonly base: ExistingContract;
      readonly terms: ContractTerms;
      readonly format: ContractFormat;
      readonly comparison: Comparison;
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

/** What came of each candidate's row. */
export type AssetAction = 'created' | 'updated' | 'skipped' | 'unchanged' | 'failed';

export interface ImportPlan {
  /** Assets before contracts, contracts before registrations: the order to apply them in. */
  readonly changes: readonly PlannedChange[];
  readonly items: readonly PlannedItem[];
  readonly removed: readonly RemovedAsset[];
  readonly errors: readonly ImportError[];
  /** The teams that the plan acts for: the caller has to have a right to each. */
  readonly ownerTeamIds: readonly TeamId[];
}

export interface PlannedItem {
  readonly assessment: Assessment;
  readonly action: AssetAction;
}

export interface RemovedAsset {
  readonly key: AssetKey;
  readonly asset: ExistingAsset;
  /** It has a contract, and consumers who count on it. */
  readonly isBreaking: boolean;
}

/** As it stands in the answer. */
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
  | 'DEPRECATION';

/** What applying a plan made, by asset; for a report. In a dry run nothing. */
export interface AppliedIds {
  readonly assetIds: ReadonlyMap<AssetKey, AssetId>;
  readonly contractIds: ReadonlyMap<AssetKey, ContractId>;
  readonly proposalIds: ReadonlyMap<AssetKey, ProposalId>;
}

/** What is being planned: changes, errors, and who owns each asset once it is applied. */
export interface PlanDraft {
  readonly changes: PlannedChange[];
  readonly errors: ImportError[];
  readonly owners: Map<AssetKey, TeamId>;
}
