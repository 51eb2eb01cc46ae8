// Sources: the folders, repositories and clusters that contracts are reconciled from.

import { z } from 'zod';
import { choice, count, exampleId, id, jsonObject, pageAnswer, text, timestamp } from './shape.ts';

const sourceKinds = ['cluster', 'directory', 'git'] as const;
export const objectKinds = ['DataContract', 'ContractProposal', 'ContractRegistration'] as const;

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
    renewed_at: timestamp('When the leader last renewed its lease; null for a cluster.')
      .nullable()
      .meta({ description: 'When the leader last renewed its lease; null for a cluster.' }),
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
