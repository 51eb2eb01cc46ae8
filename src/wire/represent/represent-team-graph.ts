// The graph of the teams, as JSON.

import type { z } from 'zod';
import type { TeamGraph as TeamGraphEntity } from '../../core/team-graph.ts';
import type { TeamGraph } from '../shapes/overviews/team-graph.ts';

export function representTeamGraph(graph: TeamGraphEntity): z.output<typeof TeamGraph> {
  const { teams, lines, teamCount, lineCount, assetCount } = graph;
  return {
    teams: teams.map(({ id, name, kind, owned, consumed, pending }) => ({
      team_id: id,
      team_name: name,
      ...(kind !== undefined && { kind }),
      owned,
      consumed,
      pending,
    })),
    lines: lines.map((line) => ({
      from_team_id: line.fromTeamId,
      to_team_id: line.toTeamId,
      assets: line.assets,
      consumed: line.consumed,
      dependencies: line.dependencies,
      pending: line.pending,
      examples: line.examples.map(({ assetId, fqn, proposalId }) => ({
        asset_id: assetId,
        fqn,
        proposal_id: proposalId,
      })),
    })),
    team_count: teamCount,
    line_count: lineCount,
    asset_count: assetCount,
    truncated: teamCount > teams.length || lineCount > lines.length,
  };
}
