// The facts that an import finds in the registry, read in one query for all of its assets.

import type { ImportedAs } from '../../asset.ts';
import type { ContractFormat } from '../../contract.ts';
import type { AssetFacts, BaseContract, OpenProposal } from '../../decide/facts.ts';
import type { DependencySource, DependencyType } from '../../dependency.ts';
import type { AssetId, DependencyId, TeamId, Timestamp, UserId } from '../../id.ts';
import type { Proposed } from '../../proposal.ts';
import type { Dialect } from '../../schema/dialects.ts';
import type { Json } from '../../value/json.ts';

export interface ImportFound {
  readonly assets: readonly FoundAsset[];
  /** The last deleted holders of free names, whose contracts and consumers continue. */
  readonly predecessors: readonly FoundAsset[];
  readonly teams: readonly { readonly id: TeamId; readonly name: string }[];
  readonly users: readonly FoundUser[];
}

interface FoundUser {
  readonly id: UserId;
  readonly name: string;
  readonly email: string;
  readonly teamId: TeamId | null;
}

export interface FoundAsset extends AssetFacts {
  readonly base: FoundBase | null;
  readonly openProposal: FoundProposal | null;
  /** Teams with a registration, active or not. */
  readonly registeredTeamIds: readonly TeamId[];
  /** The assets that it depends on, deleted or not. */
  readonly upstream: readonly FoundDependency[];
  /**
   * The team whose import made the asset; null if it was made otherwise, or before this was stored.
   */
  readonly importedFor: TeamId | null;
  readonly importedAs: ImportedAs;
  /** Its contract is in force no longer, and a consumer has not agreed to lose it, or has yet to leave. */
  readonly isBeingLeft: boolean;
}

export interface FoundDependency {
  readonly id: DependencyId;
  readonly type: DependencyType;
  readonly source: DependencySource;
  readonly createdAt: Timestamp;
  readonly assetId: AssetId;
  readonly fqn: string;
  readonly environment: string;
  readonly ownerTeamId: TeamId;
}

export interface FoundBase extends BaseContract {
  /** The format that it was made from. */
  readonly format: ContractFormat;
  /** Null if its fingerprint equals the one in the query. */
  readonly schema: Json | null;
  readonly dialect: Dialect | null;
  readonly hasUnreadVariants: boolean;
}

export interface FoundProposal extends OpenProposal {
  readonly proposed: Proposed;
}
