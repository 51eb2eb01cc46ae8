// The sources that contracts are reconciled from, and what became of their objects.

import { z } from 'zod';
import { answer, apiPrefix, route } from '../route.ts';
import { choice, exampleId, flag, id, NoBody, pageQuery, text } from '../shapes/shape.ts';
import { objectKinds, Source, SourceList, SourceObjectList } from '../shapes/source.ts';

const sourceParams = z.strictObject({ source_id: id('The source.', exampleId.source) });

export const sourceRoutes = {
  listSources: route({
    method: 'GET',
    path: `${apiPrefix}/sources`,
    tag: 'Sources',
    summary: 'List sources',
    scope: 'read',
    who: 'scope',
    answers: { 200: answer('All there are.', SourceList) },
    errors: [],
  }),
  listSourceObjects: route({
    method: 'GET',
    path: `${apiPrefix}/sources/{source_id}/objects`,
    tag: 'Sources',
    summary: 'List the objects of a source',
    description:
      'Of a folder or a repository, with their status. The objects of a cluster are asked there.',
    scope: 'read',
    who: 'scope',
    params: sourceParams,
    query: z.strictObject({
      kind: choice(objectKinds, 'Of this kind.').optional(),
      namespace: text('In this namespace.', 'shop', 253).optional(),
      name: text('Of exactly this name.', 'orders', 253).optional(),
      ready: flag('Only those that are ready, or only those that are not.').optional(),
      ...pageQuery(['name', '-name', 'updated_at', '-updated_at']),
    }),
    answers: { 200: answer('A page of objects, by namespace and name.', SourceObjectList) },
    errors: ['SOURCE_NOT_FOUND'],
  }),
  confirmSource: route({
    method: 'POST',
    path: `${apiPrefix}/sources/{source_id}/confirm`,
    tag: 'Sources',
    summary: 'Confirm what is missing from a source',
    description:
      'A source that is empty, or has lost much at once, deletes nothing until an administrator ' +
      'has looked at it. Within seconds what is there is taken for what is meant.',
    scope: 'admin',
    who: 'scope',
    params: sourceParams,
    body: NoBody,
    answers: { 200: answer('The source, as it was.', Source) },
    errors: ['SOURCE_NOT_FOUND'],
  }),
};
