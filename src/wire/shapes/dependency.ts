// Dependencies and lineage.

import { z } from 'zod';
import {
  choice,
  count,
  exampleId,
  flag,
  id,
  jsonObject,
  pageAnswer,
  text,
  timestamp,
} from './shape.ts';

const dependencyTypes = ['consumes', 'references', 'transforms'] as const;
export const lineageDirections = ['upstream', 'downstream'] as const;

const type = choice(dependencyTypes, 'How the asset uses the other one.', 'transforms');

export const Dependency = z
  .object({
    id: id('The dependency.', exampleId.dependency),
    asset_id: id('The asset that depends.', exampleId.asset),
    asset_fqn: text('The FQN of that asset.', 'shop.public.revenue'),
    depends_on_asset_id: id('The asset that it depends on.', exampleId.otherAsset),
    depends_on_fqn: text('The FQN of that asset.', 'shop.public.orders'),
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
    depends_on_asset_id: id(
      'The asset that it depends on. Must be a different asset.',
      exampleId.otherAsset,
    ),
    type: type.default('consumes'),
  })
  .meta({
    id: 'DependencyCreate',
    description: 'An asset that this asset depends on.',
    examples: [{ depends_on_asset_id: exampleId.otherAsset, type: 'transforms' }],
  });

const LineageConsumer = z
  .object({
    team_id: id('The team.', exampleId.otherTeam),
    team_name: text('The name of the team.', 'Billing'),
  })
  .meta({ id: 'LineageConsumer', description: 'A team that is registered for the asset.' });

export const LineageAsset = z
  .object({
    asset_id: id('The asset.', exampleId.otherAsset),
    fqn: text('The FQN of that asset.', 'shop.public.revenue'),
    environment: text('The environment of the asset.', 'production'),
    owner_team_id: id('The team that owns it.', exampleId.team),
    owner_team_name: text('The name of the owner team.', 'Checkout'),
    depth: z
      .int()
      .min(1)
      .meta({ description: 'The number of dependencies between the two assets.', examples: [1] }),
    type,
    path: z.array(z.string()).meta({
      description: 'A shortest path to it from the requested asset, as FQNs.',
      examples: [['shop.public.orders', 'shop.public.revenue']],
    }),
    consumers: z
      .array(LineageConsumer)
      .meta({ description: 'The teams that are registered for it.' }),
  })
  .meta({ id: 'LineageAsset', description: 'An asset of the lineage.' });

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
  .meta({ id: 'LineageEdge', description: 'A dependency between two assets of the lineage.' });

export const Lineage = z
  .object({
    asset_id: id('The requested asset.', exampleId.asset),
    direction: choice(lineageDirections, 'The direction that was followed.'),
    ...lineageAnswer,
    edges: z.array(LineageEdge).meta({
      description:
        'Every dependency between the listed assets and the requested one, not only those on ' +
        'shortest paths. Nearest first, at most 2,000.',
    }),
    edges_truncated: flag('Whether dependencies are missing from `edges`.', false),
  })
  .meta({
    id: 'Lineage',
    description: 'The assets that an asset depends on, or that depend on it.',
  });

export const Downstream = z.object(lineageAnswer).meta({
  id: 'Downstream',
  description: 'All assets that depend on the asset, directly or indirectly.',
});

const exampleDataset = { namespace: 'postgres://shop', name: 'shop.public.orders' };

const datasets = (description: string) =>
  z.array(jsonObject('A dataset.', exampleDataset)).max(500).meta({ description }).optional();

/** Other fields of the event, such as its producer, are taken and not used. */
export const LineageEvent = z
  .looseObject({
    eventTime: text('When it happened. Not used, because clocks differ.', '2026-11-27T08:00:00Z'),
    eventType: text('`START` alone does not count as reading everything.', 'COMPLETE').optional(),
    job: jsonObject('The job, with its namespace and name.', { namespace: 'etl', name: 'totals' })
      .meta({ description: 'The job. An event without one is about a dataset, and reads nothing.' })
      .optional(),
    inputs: datasets('The datasets that the job reads.'),
    outputs: datasets('The datasets that it writes, with the lineage of their columns.'),
  })
  .meta({
    id: 'LineageEvent',
    description: 'An event of OpenLineage, as its clients send it.',
    examples: [
      {
        eventTime: '2026-11-27T08:00:00Z',
        eventType: 'COMPLETE',
        run: { runId: '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c11' },
        job: { namespace: 'etl', name: 'totals' },
        inputs: [exampleDataset],
        outputs: [],
      },
    ],
  });

export const LineageFound = z
  .object({
    results: z
      .array(
        z.object({
          asset_fqn: text('The FQN that the dataset has.', 'shop.public.orders'),
          outcome: choice(
            ['kept', 'registered', 'unknown_asset', 'no_contract', 'own_asset'],
            '`registered`: the team became a consumer, and what was found is kept. The last three are skipped: the registry does not have the asset, nothing was published for it, or the team owns it.',
            'kept',
          ),
          fields: z
            .array(text('A field, as a path in values.', '$.total'))
            .nullable()
            .meta({ description: 'What the job reads; null: everything.' }),
          registration_id: id('The registration that has it.', exampleId.registration)
            .nullable()
            .meta({ description: 'The registration that has it; null if it was skipped.' }),
        }),
      )
      .meta({ description: 'Each dataset that the job reads.' }),
  })
  .meta({ id: 'LineageFound', description: 'What was found in an event.' });
