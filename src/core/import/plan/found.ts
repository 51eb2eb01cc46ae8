// What an import found in the registry: read by one question, for all of its assets.

import type { ContractFormat } from '../../contract.ts';
import type { AssetFacts, BaseContract, OpenProposal } from '../../decide/facts.ts';
import type { DependencySource, DependencyType } from '../../dependency.ts';
import type { AssetId, DependencyId, TeamId, Timestamp, UserId } from '../../id.ts';
import type { Proposed } from '../../proposal.ts';
import type { Dialect } from '../../schema/dialects.ts';
import type { Json } from '../../value/json.ts';

export interface ImportFound {
  readonly assets: readonly FoundAsset[];
  /** The last deleted holders of names that are free: their lines go on. */
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
  /** What it depends on, deleted or not. */
  readonly upstream: readonly FoundDependency[];
  /** The team whose import made it; null of what was made otherwise, or before that was kept. */
  readonly importedFor: TeamId | null;
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
  /** What it came from. */
  readonly format: ContractFormat;
  /** Null where its fingerprint is the one that was asked about. */
  readonly schema: Json | null;
  readonly dialect: Dialect | null;
}

export interface FoundProposal extends OpenProposal {
  readonly proposed: Proposed;
}
