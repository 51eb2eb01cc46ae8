// The whole at a glance.

import { z } from 'zod';
import { answer, apiPrefix, route } from '../route.ts';
import { exampleId, id, text } from '../shapes/shape.ts';
import { TeamGraph } from '../shapes/team-graph.ts';

export const teamGraphRoutes = {
  getTeamGraph: route({
    method: 'GET',
    path: `${apiPrefix}/graph`,
    tag: 'Lineage',
    summary: 'Get the graph of teams',
    description:
      'Registrations and dependencies counted by team: the answer grows with teams, not with assets. ' +
      'It is counted when it is asked for.',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      owner_team_id: id('What this team owns, and who uses it.', exampleId.team).optional(),
      environment: text(
        'What lives in this environment, and who uses it.',
        'production',
        100,
      ).optional(),
    }),
    answers: { 200: answer('The teams, and the lines between them.', TeamGraph) },
    errors: [],
  }),
};
