// What a search found, as JSON.

import type { z } from 'zod';
import type { Hit, SearchFound } from '../../core/search/search.types.ts';
import type { SearchResults } from '../shapes/overviews/search.ts';

type Shown = z.output<typeof SearchResults>;

export function representSearch({ hits, cutContracts, pendingContracts }: SearchFound): Shown {
  return {
    results: hits.map(representHit),
    cut_contracts: cutContracts,
    pending_contracts: pendingContracts,
  };
}

function representHit(hit: Hit): Shown['results'][number] {
  const { type, rank, why } = hit;
  switch (type) {
    case 'asset':
      return {
        ...{ type, rank, why, ...assetOf(hit) },
        owner_team_name: hit.ownerTeamName,
        version: hit.version,
      };
    case 'field':
      return {
        ...{ type, rank, why, ...assetOf(hit), path: hit.path },
        contract_id: hit.contractId,
        version: hit.version,
      };
    case 'service':
      return {
        ...{ type, rank, why, service_id: hit.serviceId, name: hit.name },
        owner_team_name: hit.ownerTeamName,
      };
    case 'team':
      return { type, rank, why, team_id: hit.teamId, name: hit.name };
    case 'proposal':
      return {
        ...{ type, rank, why, ...assetOf(hit), proposal_id: hit.proposalId },
        ...{ kind: hit.kind, status: hit.status, proposed_at: hit.proposedAt },
      };
    case 'user':
      return { type, rank, why, user_id: hit.userId, name: hit.name, email: hit.email };
    default:
      return hit satisfies never;
  }
}

function assetOf({ assetId, fqn, environment }: Extract<Hit, { readonly fqn: string }>) {
  return { asset_id: assetId, fqn, environment };
}
