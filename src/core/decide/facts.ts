// The facts of decisions: read in one transaction, under its locks.

import type { Asset } from '../asset.ts';
import type { CompatibilityMode, Direction, Guarantees } from '../comparison.ts';
import type { Contract, ContractStatus } from '../contract.ts';
import type { AssetId, ContractId, ProposalId, QualityRunId, TeamId, Timestamp } from '../id.ts';
import type { AcknowledgementResponse, Proposal } from '../proposal.ts';
import type { ProposalState } from '../proposal-machine.ts';
import type { RunStreak } from '../quality-run.ts';
import type { Consumer, Registration } from '../registration.ts';
import type { ApiKey, Service, Team, Trust } from '../team.ts';
import type { User } from '../user.ts';
import type { Webhook } from '../webhook.ts';

export interface AssetFacts {
  /** May be deleted. */
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
  /** The digest of the proposed content: equal digests are the same proposal. */
  readonly proposedDigest: string;
  /** The explicit version that it asked for, if any. */
  readonly version: string | null;
}

/** What a consumer answered to the proposal that a version was published from. */
export interface AnsweredTeam {
  readonly teamName: string;
  readonly response: AcknowledgementResponse;
}

export interface AssetName {
  readonly fqn: string;
  readonly environment: string;
}

export interface RunNames {
  readonly environment: string;
  readonly fqns: readonly string[];
  /** The id of the run in the system that ran it. */
  readonly runId: string | null;
}

export interface RunFacts {
  readonly asset: Pick<Asset, 'id' | 'fqn' | 'environment' | 'ownerTeamId'>;
  readonly consumerTeamIds: readonly TeamId[];
  /** The earlier record of the run, if there is one. */
  readonly known: QualityRunId | null;
  /** The runs of the build tool so far. */
  readonly before: RunStreak | null;
}

export interface ProposalFacts extends AssetFacts {
  readonly proposal: Proposal;
  readonly proposedDigest: string;
}

export interface CommentFacts extends ProposalFacts {
  readonly commentCount: number;
  /** The comment that is replied to; null if there is none, or if the proposal has no such comment. */
  readonly repliedTo: { readonly teamId: TeamId | null } | null;
}

export interface ObjectionFacts extends ProposalFacts {
  /** The team that objects; null if there is none with its id. */
  readonly team: Team | null;
}

export interface ContractFacts extends AssetFacts {
  readonly contract: Contract;
}

export interface RegistrationFacts extends AssetFacts {
  readonly registration: Registration;
}

export interface NameFacts {
  readonly living: AssetId | null;
  /**
   * The last deleted asset with that name, whose contracts and consumers the next one continues.
   */
  readonly predecessor: AssetId | null;
  readonly predecessorConsumers: number;
}

export interface TeamFacts {
  readonly team: Team;
  /** The assets that the team owned or consumed before it was locked. Later ones are not locked. */
  readonly lockedAssets: readonly AssetId[];
  readonly ownedAssets: readonly Asset[];
  readonly ownedServices: readonly Service[];
  readonly registrations: readonly DepartingRegistration[];
  readonly apiKeys: readonly ApiKey[];
  /** Their keys end with them. */
  readonly trusts: readonly Trust[];
  /** The notifications that the team set up. */
  readonly webhooks: readonly Webhook[];
}

interface DepartingRegistration extends Registration {
  readonly environment: string;
  readonly ownerTeamId: TeamId;
  readonly assetDeletedAt: Timestamp | null;
}

export type UserFacts = Pick<User, 'id' | 'role' | 'name' | 'teamId' | 'duties'>;
