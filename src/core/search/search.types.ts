// What a search finds.

import type { AssetId, ContractId, ProposalId, ServiceId, TeamId, UserId } from '../id.ts';
import type { ProposalKind, ProposalSummary } from '../proposal.ts';
import type { Rank } from './rank-name.ts';

export const searchTypes = ['asset', 'field', 'service', 'team', 'proposal', 'user'] as const;

export type SearchType = (typeof searchTypes)[number];

export interface SearchQuestion {
  readonly q: string;
  readonly types: readonly SearchType[];
  /** The maximum number of hits of each type. */
  readonly limit: number;
}

interface Match {
  readonly rank: Rank;
  /** A sentence. */
  readonly why: string;
}

interface OfAsset {
  readonly assetId: AssetId;
  readonly fqn: string;
  readonly environment: string;
}

export type Hit = Match &
  (
    | ({
        readonly type: 'asset';
        readonly ownerTeamName: string;
        readonly version: string | null;
      } & OfAsset)
    | ({
        readonly type: 'field';
        readonly path: string;
        readonly contractId: ContractId;
        readonly version: string;
      } & OfAsset)
    | {
        readonly type: 'service';
        readonly serviceId: ServiceId;
        readonly name: string;
        readonly ownerTeamName: string;
      }
    | { readonly type: 'team'; readonly teamId: TeamId; readonly name: string }
    | ({
        readonly type: 'proposal';
        readonly proposalId: ProposalId;
        readonly kind: ProposalKind;
        readonly status: ProposalSummary['status'];
        readonly proposedAt: string;
      } & OfAsset)
    | {
        readonly type: 'user';
        readonly userId: UserId;
        readonly name: string;
        readonly email: string;
      }
  );

export interface SearchFound {
  /** The best first, and types in their order. */
  readonly hits: readonly Hit[];
  /** Active contracts with more fields than a search knows. */
  readonly cutContracts: number;
  /** Active contracts whose fields are not known to the search yet. */
  readonly pendingContracts: number;
}
