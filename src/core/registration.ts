// A registration: a team declares that it consumes an asset, and which version it reads.

import type { AssetId, ContractId, RegistrationId, TeamId, Timestamp } from './id.ts';
import type { FoundNeed, RegisteredNeed } from './need.ts';

export type RegistrationStatus = 'active' | 'inactive';

export type RegistrationSource = 'api' | 'kubernetes' | 'git' | 'sync';

export interface Registration {
  readonly id: RegistrationId;
  readonly assetId: AssetId;
  readonly assetFqn: string;
  readonly contractId: ContractId;
  /** The version that it reads now; compatible publishes move it. */
  readonly contractVersion: string;
  /** The version that it registered on first. */
  readonly registeredVersion: string;
  readonly consumerTeamId: TeamId;
  readonly consumerTeamName: string;
  readonly notes: string | null;
  readonly status: RegistrationStatus;
  /** When a team that answered `migrating` with a date moves to the active contract. */
  readonly migratesAt: Timestamp | null;
  /** When it ends, because the last object that requested it was deleted; see `isLeaving`. */
  readonly endsAt: Timestamp | null;
  readonly source: RegistrationSource;
  /** The sources of the controller that request it. The first one holds it. */
  readonly claims: readonly string[];
  /** What the team reads; null if it has not said so, and in lists. */
  readonly need: RegisteredNeed | null;
  /** What was found that the team reads; null if nothing was, and in lists. */
  readonly found: FoundNeed | null;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

/**
 * Whether no object requests it any more, and it will end. A date beside claims means nothing:
 * the release before this one leaves it there.
 */
export function isLeaving({ endsAt, claims }: Pick<Registration, 'endsAt' | 'claims'>): boolean {
  return endsAt !== null && claims.length === 0;
}

/** A team with an active registration on any version of the asset. */
export interface Consumer {
  readonly teamId: TeamId;
  readonly teamName: string;
  readonly registrationId: RegistrationId;
  readonly contractId: ContractId;
  readonly contractVersion: string;
  /** The digest of its need, if it has one that the contract in force met. */
  readonly needDigest: string | null;
  /** The digest of what was found that it reads, if anything was. */
  readonly foundDigest: string | null;
  /** Its registration will end, so whoever registers the team has to register it anew. */
  readonly isLeaving: boolean;
}
