// Dependencies, and what is reached over them.

import { z } from 'zod';
import { choice, count, exampleId, flag, id, pageAnswer, text, timestamp } from './shape.ts';

const dependencyTypes = ['consumes', 'references', 'transforms'] as const;
export const lineageDirections = ['upstream', 'downstream'] as const;

const type = choice(dependencyTypes, 'What the asset does with the other one.', 'transforms');

export const Dependency = z
  .object({
    id: id('The dependency.', exampleId.dependency),
    asset_id: id('The asset that depends.', exampleId.asset),
    asset_fqn: text('Its FQN.', 'shop.public.revenue'),
    depends_on_asset_id: id('The asset that it depends on.', exampleId.otherAsset),
    depends_on_fqn: text('The FQN of that one.', 'shop.public.orders'),
    type,
    source: choice(['manual', 'dbt'], 'Where it was declared.'),
    created_at: timestamp('When it was added.'),
  })
  .meta({ id: 'Dependency', description: 'A dependency of one asset on another.' });

export const DependencyList = z
  .object({
    results: z.array(Dependency).meta({ description: 'The dependencies of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'DependencyList', description: 'A page of dependencies, newest first.' });

export const DependencyCreate = z
  .strictObject({
    depends_on_asset_id: id('The asset that it depends on; another one.', exampleId.otherAsset),
    type: type.default('consumes'),
  })
  .meta({
    id: 'DependencyCreate',
    description: 'What the asset is made from.',
    examples: [{ depends_on_asset_id: exampleId.otherAsset, type: 'transforms' }],
  });

const LineageConsumer = z
  .object({
    team_id: id('The team.', exampleId.otherTeam),
    team_name: text('Its name.', 'Billing'),
  })
  .meta({ id: 'LineageConsumer', description: 'A team that is registered for the asset.' });

export const LineageAsset = z
  .object({
    asset_id: id('The asset.', exampleId.otherAsset),
    fqn: text('Its FQN.', 'shop.public.revenue'),
    environment: text('Where it lives.', 'production'),
    owner_team_id: id('The team that owns it.', exampleId.team),
    owner_team_name: text('The name of that team.', 'Checkout'),
    depth: z
      .int()
      .min(1)
      .meta({ description: 'How many dependencies away it is.', examples: [1] }),
    type,
    path: z.array(z.string()).meta({
      description: 'A shortest way to it, as FQNs, from the asset that was asked about.',
      examples: [['shop.public.orders', 'shop.public.revenue']],
    }),
    consumers: z.array(LineageConsumer).meta({ description: 'Who is registered for it.' }),
  })
  .meta({ id: 'LineageAsset', description: 'An asset that is reached over dependencies.' });

const lineageAnswer = {
  results: z
    .array(LineageAsset)
    .meta({ description: 'The assets reached, nearest first: each one once, at most 500.' }),
  max_depth: count('The largest number of levels followed.', 10),
  truncated: flag('Whether assets are missing from the list: further away, or beyond 500.', false),
};

const LineageEdge = z
  .object({
    asset_id: id('The asset that depends.', exampleId.otherAsset),
    depends_on_asset_id: id('The asset that it depends on.', exampleId.asset),
    type,
  })
  .meta({ id: 'LineageEdge', description: 'A dependency between two assets of a lineage.' });

export const Lineage = z
  .object({
    asset_id: id('The asset that was asked about.', exampleId.asset),
    direction: choice(lineageDirections, 'Which way was followed.'),
    ...lineageAnswer,
    edges: z.array(LineageEdge).meta({
      description:
        'Every dependency between the assets that are listed and the one that was asked about: ' +
        'each way in, not only the shortest. Nearest first, at most 2,000.',
    }),
    edges_truncated: flag(
      'Whether there are more dependencies between them than are listed.',
      false,
    ),
  })
  .meta({ id: 'Lineage', description: 'What an asset is made from, or what is made from it.' });

export const Downstream = z.object(lineageAnswer).meta({
  id: 'Downstream',
  description: 'All assets that depend on the asset, directly or indirectly.',
});
