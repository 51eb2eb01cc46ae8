// The sources that contracts are reconciled from, and the status of their objects.

import { z } from 'zod';
import { answer, apiPrefix, route } from '../route.ts';
import { choice, exampleId, flag, id, NoBody, pageQuery, text } from '../shapes/shape.ts';
import {
  objectKinds,
  Source,
  SourceList,
  SourceObjectList,
  TakenOver,
  TakeOver,
} from '../shapes/source.ts';

const sourceParams = z.strictObject({ source_id: id('The source.', exampleId.source) });

export const sourceRoutes = {
  listSources: route({
    method: 'GET',
    path: `${apiPrefix}/sources`,
    tag: 'Sources',
    summary: 'List sources',
    scope: 'read',
    who: 'scope',
    answers: { 200: answer('All sources.', SourceList) },
    errors: [],
  }),
  listSourceObjects: route({
    method: 'GET',
    path: `${apiPrefix}/sources/{source_id}/objects`,
    tag: 'Sources',
    summary: 'List the objects of a source',
    description:
      'Lists the objects of a folder or a repository, with their status. For a cluster, use `kubectl`.',
    scope: 'read',
    who: 'scope',
    params: sourceParams,
    query: z.strictObject({
      kind: choice(objectKinds, 'Only objects of this kind.').optional(),
      namespace: text('Only objects in this namespace.', 'shop', 253).optional(),
      name: text('Only objects with exactly this name.', 'orders', 253).optional(),
      ready: flag('Only objects that are ready (`true`) or not ready (`false`).').optional(),
      ...pageQuery(['name', '-name', 'updated_at', '-updated_at']),
    }),
    answers: { 200: answer('A page of objects, by namespace and name.', SourceObjectList) },
    errors: ['SOURCE_NOT_FOUND'],
    fromReplica: true,
  }),
  confirmSource: route({
    method: 'POST',
    path: `${apiPrefix}/sources/{source_id}/confirm`,
    tag: 'Sources',
    summary: 'Confirm that objects were removed from a source',
    description:
      'If a source becomes empty or loses many objects at once, nothing is deleted until an ' +
      'administrator confirms that this is intended. Within seconds of the confirmation, the ' +
      'registry follows the present contents of the source.',
    scope: 'admin',
    who: 'scope',
    params: sourceParams,
    body: NoBody,
    answers: { 200: answer('The source before the confirmation.', Source) },
    errors: ['SOURCE_NOT_FOUND'],
  }),
  takeOverSource: route({
    method: 'POST',
    path: `${apiPrefix}/sources/{source_id}/take-over`,
    tag: 'Sources',
    summary: 'Take over from a source that is gone',
    description:
      'Hands everything that a source manages and has registered to another source, such as a ' +
      'cluster that was rebuilt. The other source needs the same objects, in namespaces and under ' +
      'names as before: what it does not have is released. A source is gone once its lease was not ' +
      'renewed for a minute. Use `dry_run` first to see what would change.',
    scope: 'admin',
    who: 'scope',
    params: sourceParams,
    body: TakeOver,
    answers: { 200: answer('What was handed over.', TakenOver) },
    errors: ['SOURCE_NOT_FOUND', 'SOURCE_ALIVE'],
  }),
};
