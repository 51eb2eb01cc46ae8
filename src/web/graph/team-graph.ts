// Who owns and who consumes, by team: assets, registrations and open proposals put together.

import type { AssetListed, ProposalListed, Registration } from '../data/shapes.ts';

export interface TeamNode {
  readonly id: string;
  readonly name: string;
  readonly owned: number;
  readonly consumed: number;
  /** Changes of its assets that are being asked about. */
  readonly pending: readonly ProposalListed[];
}

/** What one team consumes of another. */
export interface TeamEdge {
  readonly from: string;
  readonly to: string;
  readonly assets: readonly NamedAsset[];
  readonly pending: readonly ProposalListed[];
}

export type NamedAsset = Pick<AssetListed, 'id' | 'fqn'>;

export interface TeamGraph {
  readonly teams: readonly TeamNode[];
  readonly edges: readonly TeamEdge[];
  /** Registrations for assets that are not among those given. */
  readonly elsewhere: number;
}

interface MutableTeam {
  readonly id: string;
  readonly name: string;
  owned: number;
  readonly consumed: Set<string>;
  readonly pending: ProposalListed[];
}

interface MutableEdge {
  readonly from: string;
  readonly to: string;
  readonly assets: Map<string, NamedAsset>;
  readonly pending: ProposalListed[];
}

/** A team that consumes what it owns itself has no line to itself. */
export function makeTeamGraph(
  assets: readonly AssetListed[],
  registrations: readonly Registration[],
  proposals: readonly ProposalListed[],
): TeamGraph {
  const teams = new Map<string, MutableTeam>();
  const edges = new Map<string, MutableEdge>();
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  const open = groupByAsset(proposals);
  const teamOf = (id: string, name: string): MutableTeam => {
    const team = teams.get(id) ?? { id, name, owned: 0, consumed: new Set(), pending: [] };
    teams.set(id, team);
    return team;
  };
  for (const asset of assets) {
    const owner = teamOf(asset.owner_team_id, asset.owner_team_name);
    owner.owned++;
    owner.pending.push(...(open.get(asset.id) ?? []));
  }
  let elsewhere = 0;
  for (const { asset_id, consumer_team_id, consumer_team_name } of registrations) {
    const asset = byId.get(asset_id);
    if (asset === undefined) {
      elsewhere++;
      continue;
    }
    teamOf(consumer_team_id, consumer_team_name).consumed.add(asset_id);
    if (consumer_team_id === asset.owner_team_id) continue;
    const key = `${asset.owner_team_id} ${consumer_team_id}`;
    const edge: MutableEdge = edges.get(key) ?? {
      from: asset.owner_team_id,
      to: consumer_team_id,
      assets: new Map(),
      pending: [],
    };
    edges.set(key, edge);
    if (edge.assets.has(asset_id)) continue;
    edge.assets.set(asset_id, { id: asset.id, fqn: asset.fqn });
    edge.pending.push(...(open.get(asset_id) ?? []));
  }
  return {
    teams: [...teams.values()].map((team) => ({ ...team, consumed: team.consumed.size })),
    edges: [...edges.values()].map((edge) => ({ ...edge, assets: [...edge.assets.values()] })),
    elsewhere,
  };
}

function groupByAsset(proposals: readonly ProposalListed[]): Map<string, ProposalListed[]> {
  const groups = new Map<string, ProposalListed[]>();
  for (const proposal of proposals) {
    groups.set(proposal.asset_id, [...(groups.get(proposal.asset_id) ?? []), proposal]);
  }
  return groups;
}
