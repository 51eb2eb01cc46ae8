// A registration: a team says that it consumes an asset, and by which version it reads it.

import type { AssetId, ContractId, RegistrationId, TeamId, Timestamp } from './id.ts';

export type RegistrationStatus = 'active' | 'inactive';

export type RegistrationSource = 'api' | 'kubernetes' | 'git' | 'sync';

export interface Registration {
  readonly id: RegistrationId;
  readonly assetId: AssetId;
  readonly assetFqn: string;
  readonly contractId: ContractId;
  /** The version that it reads now; it moves with compatible publishes. */
  readonly contractVersion: string;
  /** The version that it first registered on. */
  readonly registeredVersion: string;
  readonly consumerTeamId: TeamId;
  readonly consumerTeamName: string;
  readonly notes: string | null;
  readonly status: RegistrationStatus;
  /** When a team that answered `migrating` with a date moves on to the active contract. */
  readonly migratesAt: Timestamp | null;
  readonly source: RegistrationSource;
  /** The sources of the controller that ask for it. The first one holds it. */
  readonly claims: readonly string[];
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

/** A team with an active registration, on whichever version of the asset. */
export interface Consumer {
  readonly teamId: TeamId;
  readonly teamName: string;
  readonly registrationId: RegistrationId;
  readonly contractId: ContractId;
  readonly contractVersion: string;
}
