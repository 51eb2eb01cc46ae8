// The queries and results of lists. The cursor is opaque outside the store.

import type { ContractStatus } from '../core/contract.ts';
import type {
  AuditEvent,
  EntityType,
  EventTopic,
  EventType,
  PersonalEvents,
} from '../core/event.ts';
import type {
  ApiKeyId,
  AssetId,
  ContractId,
  ProposalId,
  ServiceId,
  TeamId,
  Timestamp,
} from '../core/id.ts';
import type { ProposalKind } from '../core/proposal.ts';
import type { ProposalState } from '../core/proposal-machine.ts';
import type { QualityRunStatus } from '../core/quality-run.ts';
import type { RegistrationStatus } from '../core/registration.ts';
import type { Role } from '../core/user.ts';

export interface ListQuery<SortField extends string> {
  /** Counts from 1. Ignored if a cursor is given. */
  readonly page: number;
  readonly pageSize: number;
  readonly cursor?: string | undefined;
  readonly includeTotal: boolean;
  readonly sort?: Sort<SortField> | undefined;
}

export interface Sort<Field extends string> {
  readonly field: Field;
  readonly direction: 'ascending' | 'descending';
}

export interface Listed<T> {
  readonly results: readonly T[];
  /** Null if it was not requested. */
  readonly total: number | null;
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export const teamSortFields = ['name', 'created_at'] as const;
export const serviceSortFields = ['name', 'created_at'] as const;
export const assetSortFields = ['fqn', 'created_at', 'updated_at'] as const;
export const contractSortFields = ['published_at'] as const;
export const registrationSortFields = ['created_at'] as const;
export const proposalSortFields = ['proposed_at', 'answer_by'] as const;
export const commentSortFields = ['written_at'] as const;
export const apiKeySortFields = ['created_at', 'name', 'expires_at', 'last_used_at'] as const;
export const trustSortFields = ['created_at'] as const;
export const userSortFields = ['created_at', 'email', 'name'] as const;

export interface TeamQuery extends ListQuery<(typeof teamSortFields)[number]> {
  /** Exact match, ignoring case. */
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
  /** Part of the name, ignoring case. */
  readonly q?: string | undefined;
  readonly includeDeleted?: boolean | undefined;
}

export interface ServiceQuery extends ListQuery<(typeof serviceSortFields)[number]> {
  readonly ownerTeamId?: TeamId | undefined;
  /** Exact match. */
  readonly name?: string | undefined;
  /** Part of the name, ignoring case. */
  readonly q?: string | undefined;
}

export interface UserQuery extends ListQuery<(typeof userSortFields)[number]> {
  /** Exact match, ignoring case. */
  readonly email?: string | undefined;
  readonly teamId?: TeamId | undefined;
  readonly role?: Role | undefined;
  readonly includeDeactivated: boolean;
}

/** What SCIM filters by, as conditions that all hold. */
export interface ProvisionedQuery {
  readonly where: readonly {
    readonly by: 'id' | 'userName' | 'externalId' | 'displayName' | 'email' | 'active' | 'members';
    readonly is: string | boolean;
  }[];
  readonly offset: number;
  readonly limit: number;
}

export interface ProvisionedPage<Entity> {
  readonly results: readonly Entity[];
  readonly total: number;
}

export interface ApiKeyQuery extends ListQuery<(typeof apiKeySortFields)[number]> {
  /** Only keys that can be used at `from`, and not any more at `before`. */
  readonly ends?: { readonly from: Timestamp; readonly before: Timestamp } | undefined;
  readonly teamId?: TeamId | undefined;
}

export interface TrustQuery extends ListQuery<(typeof trustSortFields)[number]> {
  readonly teamId?: TeamId | undefined;
}

export interface AssetQuery extends ListQuery<(typeof assetSortFields)[number]> {
  /** Exact match, or a prefix that ends at a dot. */
  readonly fqn?: string | undefined;
  readonly ownerTeamId?: TeamId | undefined;
  /** With a registration of this team that is not inactive. */
  readonly consumerTeamId?: TeamId | undefined;
  readonly serviceId?: ServiceId | undefined;
  readonly environment?: string | undefined;
  /** Part of the FQN, the description or a tag, ignoring case. */
  readonly q?: string | undefined;
  readonly tag?: string | undefined;
  readonly resourceType?: string | undefined;
  /** The result of its newest quality run. */
  readonly quality?: QualityRunStatus | undefined;
  readonly includeDeleted?: boolean | undefined;
}

export interface ContractQuery extends ListQuery<(typeof contractSortFields)[number]> {
  readonly assetId?: AssetId | undefined;
  readonly status?: ContractStatus | undefined;
  readonly version?: string | undefined;
}

export interface RegistrationQuery extends ListQuery<(typeof registrationSortFields)[number]> {
  readonly assetId?: AssetId | undefined;
  readonly contractId?: ContractId | undefined;
  readonly consumerTeamId?: TeamId | undefined;
  readonly status?: RegistrationStatus | undefined;
}

export interface ProposalQuery extends ListQuery<(typeof proposalSortFields)[number]> {
  readonly assetId?: AssetId | undefined;
  readonly status?: ProposalState | undefined;
  readonly kind?: ProposalKind | undefined;
  /** The producer: the team that owns the asset. */
  readonly teamId?: TeamId | undefined;
  readonly consumerTeamId?: TeamId | undefined;
  /** Whose missing answers count as none, or all others. */
  readonly escalated?: boolean | undefined;
  /** Only proposals that a newer one has replaced, or only the others. */
  readonly superseded?: boolean | undefined;
  /** Together with a consumer team: only proposals that wait for its answer. */
  readonly awaiting?: boolean | undefined;
}

export interface CommentQuery extends ListQuery<(typeof commentSortFields)[number]> {
  readonly proposalId: ProposalId;
}

/** Always newest first. */
export interface EventQuery {
  readonly personal: PersonalEvents;
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
  readonly includeTotal: boolean;
  readonly about?: EventTopic | undefined;
  readonly eventType?: EventType | undefined;
  readonly entityType?: EntityType | undefined;
  readonly entityId?: string | undefined;
  /** Everything about the asset: its own events, and those of its contracts and consumers. */
  readonly assetId?: AssetId | undefined;
  readonly actorId?: UserOrKeyId | undefined;
  /** After this time. */
  readonly startDate?: Timestamp | undefined;
  /** Before this time. */
  readonly endDate?: Timestamp | undefined;
}

export interface ListedEvents extends Listed<AuditEvent> {
  /** Events of before have left Postgres; null if there are none, or if they were looked for. */
  readonly archivedBefore: Timestamp | null;
}

type UserOrKeyId = ApiKeyId | string;
