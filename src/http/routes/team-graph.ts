// The graph of all teams.

import { accept } from '../../core/failure.ts';
import { representTeamGraph } from '../../wire/represent/represent-team-graph.ts';
import type { Handler } from '../handler.ts';

export const getTeamGraph: Handler<'getTeamGraph'> = async ({ ports }, { query }) => {
  const graph = await ports.reads.getTeamGraph({
    by: query.by,
    ownerTeamId: query.owner_team_id,
    environment: query.environment,
  });
  return accept({ status: 200, body: representTeamGraph(graph) });
};
