// Services.

import { accept } from '../../core/failure.ts';
import { serviceSortFields } from '../../registry/lists.ts';
import { representService, representServiceListed } from '../../wire/represent/represent.ts';
import { type Handler, listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { notFound } from '../not-found.ts';

export const createService: Handler<'createService'> = write({
  verb: (verbs) => verbs.createService,
  command: ({ body }) => ({
    name: body.name,
    ownerTeamId: body.owner_team_id,
    repository: body.repository,
    description: body.description,
    metadata: body.metadata,
  }),
  reply: (service) => ({ status: 201, body: representService(service) }),
});

export const listServices: Handler<'listServices'> = async ({ ports }, { query }) => {
  const listed = await ports.reads.listServices({
    ...listQueryOf(query, serviceSortFields),
    ownerTeamId: query.owner_team_id,
    name: query.name,
    q: query.q,
  });
  return pageOf(listed, query, representServiceListed);
};

export const getService: Handler<'getService'> = async ({ ports }, { params }) => {
  const service = await ports.reads.getService(params.service_id);
  if (service === null) return notFound('SERVICE_NOT_FOUND', params.service_id);
  return accept({ status: 200, body: representService(service) });
};

export const updateService: Handler<'updateService'> = write({
  verb: (verbs) => verbs.updateService,
  command: ({ params, body, ifMatch }) => ({
    serviceId: params.service_id,
    name: body.name,
    ownerTeamId: body.owner_team_id,
    repository: body.repository,
    description: body.description,
    metadata: body.metadata,
    precondition: preconditionOf(ifMatch, representService),
  }),
  reply: (service) => ({ status: 200, body: representService(service) }),
});

export const deleteService: Handler<'deleteService'> = write({
  verb: (verbs) => verbs.deleteService,
  command: ({ params, ifMatch }) => ({
    serviceId: params.service_id,
    precondition: preconditionOf(ifMatch, representService),
  }),
  reply: () => ({ status: 204, body: undefined }),
});
