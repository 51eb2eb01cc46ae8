// What a transaction reads about an asset under its lock.

import type { Asset } from '../../core/asset.ts';
import type { CompatibilityMode, Direction, Guarantees } from '../../core/comparison.ts';
import type { ContractStatus } from '../../core/contract.ts';
import type { ContractId, ProposalId } from '../../core/id.ts';
import type { ProposalState } from '../../core/proposal-machine.ts';
import type { Consumer } from '../../core/registration.ts';

export interface AssetFacts {
  /** Deleted ones too. */
  readonly asset: Asset;
  /** The contract that a publish is compared with. */
  readonly base: BaseContract | null;
  /** The highest version that the asset ever had. */
  readonly highestVersion: string | null;
  readonly consumers: readonly Consumer[];
  /** Pending or approved. */
  readonly openProposal: OpenProposal | null;
}

export interface BaseContract {
  readonly id: ContractId;
  readonly version: string;
  readonly status: ContractStatus;
  readonly compatibilityMode: CompatibilityMode;
  readonly guarantees: Guarantees | null;
  readonly direction: Direction;
  readonly schemaDigest: string;
}

export interface OpenProposal {
  readonly id: ProposalId;
  readonly status: ProposalState;
  /** Of what it proposes: the same digest is the same proposal. */
  readonly proposedDigest: string;
  /** The explicit version that it asked for, if any. */
  readonly version: string | null;
}

export interface AssetName {
  readonly fqn: string;
  readonly environment: string;
}
