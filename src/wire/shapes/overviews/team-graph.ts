// The graph of teams: which team uses the data of which other.

import { z } from 'zod';
import { graphBlocks } from '../../../core/team-graph.ts';
import { choice, count, exampleId, flag, id, text } from '../shape.ts';

const GraphTeam = z
  .object({
    team_id: id('The team.', exampleId.team),
    team_name: text('The name of the team.', 'Checkout'),
    kind: choice(graphBlocks, 'With `by=service`: what the block is.', 'service').optional(),
    owned: count('Number of assets that it owns.', 12),
    consumed: count('Number of assets that it is registered for, including its own.', 3),
    pending: count('Number of pending or approved proposals for its assets.', 1),
  })
  .meta({ id: 'GraphTeam', description: 'A team that owns assets, or uses those of others.' });

const GraphExample = z
  .object({
    asset_id: id('The asset.', exampleId.asset),
    fqn: text('The FQN of the asset.', 'shop.public.orders'),
    proposal_id: id('Its open proposal.', exampleId.proposal)
      .nullable()
      .meta({ description: 'Its open proposal; null if there is none.' }),
  })
  .meta({ id: 'GraphExample', description: 'One of the assets that the line stands for.' });

const GraphLine = z
  .object({
    from_team_id: id('The team that owns the assets.', exampleId.team),
    to_team_id: id('The other team, which uses them.', exampleId.otherTeam),
    assets: count(
      'Number of assets that it uses: it is registered for them, depends on them, or both.',
      4,
    ),
    consumed: count('Number of these assets that it is registered for.', 3),
    dependencies: count('Number of dependencies of its own assets on these assets.', 2),
    pending: count('Number of these assets with a pending or approved proposal.', 1),
    examples: z.array(GraphExample).meta({
      description:
        'Up to three of the assets: one with an open proposal first, the oldest, and the newest.',
    }),
  })
  .meta({ id: 'GraphLine', description: 'The assets of one team that another team uses.' });

export const TeamGraph = z
  .object({
    teams: z.array(GraphTeam).meta({
      description:
        'At most 200 teams, by name. If there are more, teams with pending changes, as owner or as ' +
        'consumer, come first, then teams with the most assets.',
    }),
    lines: z.array(GraphLine).meta({
      description:
        'At most 1,000 lines between the listed teams: lines with a pending change first, then those with the most assets.',
    }),
    team_count: count('Number of teams, listed or not.', 2),
    line_count: count('Number of lines, listed or not.', 1),
    asset_count: count('Number of assets that were counted.', 12),
    truncated: flag('Whether teams or lines are missing from the list.', false),
  })
  .meta({ id: 'TeamGraph', description: 'Which team uses the assets of which other team.' });
