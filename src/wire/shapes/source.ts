// Sources: the folders, repositories and clusters that contracts are reconciled from.

import { z } from 'zod';
import {
  choice,
  count,
  exampleId,
  flag,
  id,
  jsonObject,
  pageAnswer,
  reason,
  text,
  timestamp,
} from './shape.ts';

const sourceKinds = ['cluster', 'directory', 'git'] as const;
export const objectKinds = [
  'DataContract',
  'ContractProposal',
  'ContractRegistration',
  'Team',
] as const;

export const Source = z
  .object({
    id: id('The source.', exampleId.source),
    kind: choice(sourceKinds, 'The kind of source.', 'directory'),
    place: text(
      'The path of the folder, the URL of the repository or the API server of the cluster.',
      '/srv/contracts',
    ),
    identity: text(
      'The name of the source in the assets that it manages.',
      'directory-/srv/contracts',
    ),
    leader: text('The process that reconciles it, or that did so last.', 'concordat-0-12-9f2c'),
    renewed_at: timestamp('When the leader last renewed its lease; null if it gave it back.')
      .nullable()
      .meta({ description: 'When the leader last renewed its lease; null if it gave it back.' }),
    problem: text(
      'Why the registry does not follow it at the moment.',
      'SourceSuspicious: /srv is empty',
    )
      .nullable()
      .meta({
        description:
          'Why the registry does not follow it at the moment; null if there is no problem.',
      }),
    objects: count('Number of objects; those of a cluster are not counted.', 12),
    not_ready: count('Number of objects that are not ready.', 0),
  })
  .meta({
    id: 'Source',
    description: 'A folder, repository or cluster that contracts are reconciled from.',
  });

export const SourceList = z
  .object({ results: z.array(Source).meta({ description: 'All sources.' }) })
  .meta({ id: 'SourceList', description: 'The sources.' });

const movedAsset = z
  .object({
    id: id('The asset.', exampleId.asset),
    fqn: text('The name of the asset.', 'shop.orders'),
    environment: text('The environment of the asset.', 'production'),
    from: text('The object that managed it.', 'shop/orders in eu-west'),
    to: text('The object that manages it from now on.', 'shop/orders in eu-west-2'),
  })
  .meta({ description: 'An asset and who manages it.' });

const movedRegistration = z
  .object({
    id: id('The registration.', exampleId.registration),
    fqn: text('The name of the asset.', 'shop.orders'),
    environment: text('The environment of the asset.', 'production'),
    consumer_team_name: text('The name of the consumer team.', 'billing'),
  })
  .meta({ description: 'A registration that the source had claimed.' });

export const TakeOver = z
  .strictObject({
    to_source_id: id('The source that takes over.', exampleId.source),
    asset_id: id(
      'Only this asset and its registrations; default: everything.',
      exampleId.asset,
    ).optional(),
    reason: reason('Why.'),
    dry_run: flag('Return the same response without changing anything.', false).optional(),
  })
  .meta({
    id: 'TakeOver',
    description: 'Who takes over what.',
    examples: [
      { to_source_id: exampleId.source, reason: 'The old cluster is gone.', dry_run: true },
    ],
  });

export const TakenOver = z
  .object({
    dry_run: flag('Whether nothing was written.', false),
    from_source_id: id('The source that was taken over from.', exampleId.source),
    to_source_id: id('The source that took over.', exampleId.source),
    assets: z.array(movedAsset).meta({ description: 'The first hundred assets.' }),
    assets_total: count('Number of assets.', 12),
    registrations: z
      .array(movedRegistration)
      .meta({ description: 'The first hundred registrations.' }),
    registrations_total: count('Number of registrations.', 3),
    has_more: flag('Whether there was too much for one request. Send it again.', false),
  })
  .meta({ id: 'TakenOver', description: 'What was handed over.' });

export const SourceObject = z
  .object({
    id: id('The object.', exampleId.sourceObject),
    source_id: id('Its source.', exampleId.source),
    kind: choice(objectKinds, 'The kind of object.'),
    namespace: text('The first folder below the root.', 'shop'),
    name: text('Its name.', 'orders'),
    generation: count('Starts at 1 and rises with each change of the spec.', 3),
    observed_generation: z.int().meta({
      description: 'The generation that `status` describes; -1 before the first reconcile.',
      examples: [3],
    }),
    ready: z
      .object({
        status: choice(['True', 'False', 'Unknown'], 'The status of the condition.'),
        reason: text('The reason, in one word.', 'Published'),
        message: text('The reason, and what to do next.', 'Published version 1.2.0.'),
      })
      .nullable()
      .meta({ description: 'The condition Ready; null before the first reconcile.' }),
    status: jsonObject('The complete status, as `kubectl get -o yaml` would show it.', {
      version: '1.2.0',
    }),
    updated_at: timestamp('When it last changed.'),
  })
  .meta({ id: 'SourceObject', description: 'An object in a folder or a repository.' });

export const SourceObjectList = z
  .object({
    results: z.array(SourceObject).meta({ description: 'The objects of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'SourceObjectList', description: 'A page of objects.' });
