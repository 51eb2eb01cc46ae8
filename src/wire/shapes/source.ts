// Sources: the folders, repositories and clusters that contracts are reconciled from.

import { z } from 'zod';
import { choice, count, exampleId, id, jsonObject, pageAnswer, text, timestamp } from './shape.ts';

const sourceKinds = ['cluster', 'directory', 'git'] as const;
export const objectKinds = ['DataContract', 'ContractProposal', 'ContractRegistration'] as const;

export const Source = z
  .object({
    id: id('The source.', exampleId.source),
    kind: choice(sourceKinds, 'What it is.', 'directory'),
    place: text('The folder, the URL or the server.', '/srv/contracts'),
    identity: text(
      'The name of the source in the assets that it manages.',
      'directory-/srv/contracts',
    ),
    leader: text('The process that reconciles it, or did last.', 'concordat-0-12-9f2c'),
    renewed_at: timestamp('When the leader last renewed its lease; null for a cluster.')
      .nullable()
      .meta({ description: 'When the leader last renewed its lease; null for a cluster.' }),
    problem: text('Why nothing is concluded from it.', 'SourceSuspicious: /srv is empty')
      .nullable()
      .meta({ description: 'Why nothing is concluded from it at the moment; null: all is well.' }),
    objects: count('How many objects it has; those of a cluster are not counted.', 12),
    not_ready: count('How many of them are not ready.', 0),
  })
  .meta({ id: 'Source', description: 'A place that contracts are reconciled from.' });

export const SourceList = z
  .object({ results: z.array(Source).meta({ description: 'All there are.' }) })
  .meta({ id: 'SourceList', description: 'The sources.' });

export const SourceObject = z
  .object({
    id: id('The object.', exampleId.sourceObject),
    source_id: id('Its source.', exampleId.source),
    kind: choice(objectKinds, 'What it is.'),
    namespace: text('The first folder below the root.', 'shop'),
    name: text('Its name.', 'orders'),
    generation: count('How often its spec changed, and one.', 3),
    observed_generation: z
      .int()
      .meta({ description: 'What `status` speaks of; -1 before the first look.', examples: [3] }),
    ready: z
      .object({
        status: choice(['True', 'False', 'Unknown'], 'Whether it is.'),
        reason: text('Why, in one word.', 'Published'),
        message: text('Why, and what to do next.', 'Published version 1.2.0.'),
      })
      .nullable()
      .meta({ description: 'The condition Ready; null before the first look.' }),
    status: jsonObject('The whole status, as `kubectl get -o yaml` would show it.', {
      version: '1.2.0',
    }),
    updated_at: timestamp('When it last changed.'),
  })
  .meta({ id: 'SourceObject', description: 'An object of a folder or a repository.' });

export const SourceObjectList = z
  .object({
    results: z.array(SourceObject).meta({ description: 'The objects of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'SourceObjectList', description: 'A page of objects.' });
