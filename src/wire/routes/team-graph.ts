// The graph of teams.

import { z } from 'zod';
import { graphBlocks } from '../../core/team-graph.ts';
import { answer, apiPrefix, route } from '../route.ts';
import { TeamGraph } from '../shapes/overviews/team-graph.ts';
import { choice, exampleId, id, text } from '../shapes/shape.ts';

export const teamGraphRoutes = {
  getTeamGraph: route({
    method: 'GET',
    path: `${apiPrefix}/graph`,
    tag: 'Lineage',
    summary: 'Get the graph of teams',
    description:
      'Counts registrations and dependencies by team, so the size of the response depends on the ' +
      'number of teams, not of assets. The counts are always current.',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      by: choice(
        graphBlocks,
        'What a block is. `service`: the assets of a service are one block, and those without a service belong to the block of their team; ids and names of teams are then those of blocks.',
        'service',
      ).default('team'),
      owner_team_id: id(
        'Only assets of this team, and the teams that use them.',
        exampleId.team,
      ).optional(),
      environment: text(
        'Only assets in this environment, and the teams that use them.',
        'production',
        100,
      ).optional(),
    }),
    answers: { 200: answer('The teams, and the lines between them.', TeamGraph) },
    errors: [],
    fromReplica: true,
  }),
};
