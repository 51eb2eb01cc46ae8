// Who owns and who uses data, by team.

import { z } from 'zod';
import { count, exampleId, flag, id, text } from './shape.ts';

const GraphTeam = z
  .object({
    team_id: id('The team.', exampleId.team),
    team_name: text('Its name.', 'Checkout'),
    owned: count('How many assets it owns.', 12),
    consumed: count('How many assets it is registered for, its own among them.', 3),
    pending: count('How many changes of what it owns are pending or approved.', 1),
  })
  .meta({ id: 'GraphTeam', description: 'A team that owns data, or uses that of others.' });

const GraphExample = z
  .object({
    asset_id: id('The asset.', exampleId.asset),
    fqn: text('Its FQN.', 'shop.public.orders'),
    proposal_id: id('Its open proposal.', exampleId.proposal)
      .nullable()
      .meta({ description: 'Its open proposal; null without one.' }),
  })
  .meta({ id: 'GraphExample', description: 'One of the assets that flow along a line.' });

const GraphLine = z
  .object({
    from_team_id: id('The team that owns the data.', exampleId.team),
    to_team_id: id('The team that uses it; another one.', exampleId.otherTeam),
    assets: count('How many assets it uses: registered for, depended on, or both.', 4),
    consumed: count('How many of these it is registered for.', 3),
    dependencies: count('How many dependencies its own assets have on these.', 2),
    pending: count('How many of these have a change that is pending or approved.', 1),
    examples: z.array(GraphExample).meta({
      description:
        'Up to three of the assets: one with an open proposal first, the oldest, and the newest.',
    }),
  })
  .meta({ id: 'GraphLine', description: 'Data of one team that another one uses.' });

export const TeamGraph = z
  .object({
    teams: z.array(GraphTeam).meta({
      description:
        'At most 200, by name; where there are more, those that pending changes concern, on either ' +
        'side, and then those with the most data.',
    }),
    lines: z.array(GraphLine).meta({
      description:
        'Between the teams that are listed, at most 1,000: those with a pending change, then those with the most assets, first.',
    }),
    team_count: count('How many teams there are, listed or not.', 2),
    line_count: count('How many lines there are, listed or not.', 1),
    asset_count: count('How many assets all of this is about.', 12),
    truncated: flag('Whether teams or lines are missing from the list.', false),
  })
  .meta({ id: 'TeamGraph', description: 'Who owns and who uses data, by team.' });
