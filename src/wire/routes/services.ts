// Services.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import { Service, ServiceCreate, ServiceList, ServiceUpdate } from '../shapes/service.ts';
import { exampleId, id, pageQuery, text } from '../shapes/shape.ts';

const serviceParams = z.strictObject({ service_id: id('The service.', exampleId.service) });

export const serviceRoutes = {
  createService: route({
    method: 'POST',
    path: `${apiPrefix}/services`,
    tag: 'Services',
    summary: 'Create a service',
    scope: 'write',
    who: 'named_owner',
    body: ServiceCreate,
    answers: { 201: answer('The new service.', Service) },
    errors: ['TEAM_NOT_FOUND', 'SERVICE_EXISTS'],
  }),
  listServices: route({
    method: 'GET',
    path: `${apiPrefix}/services`,
    tag: 'Services',
    summary: 'List services',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      owner_team_id: id('Only services of this team.', exampleId.team).optional(),
      name: text('Only the service with exactly this name.', 'checkout-api', 100).optional(),
      q: text(
        'Only services whose name contains this text, ignoring case.',
        'check',
        100,
      ).optional(),
      ...pageQuery(['name', '-name', 'created_at', '-created_at']),
    }),
    answers: { 200: answer('A page of services, by name.', ServiceList) },
    errors: [],
    fromReplica: true,
  }),
  getService: route({
    method: 'GET',
    path: `${apiPrefix}/services/{service_id}`,
    tag: 'Services',
    summary: 'Get a service',
    scope: 'read',
    who: 'scope',
    params: serviceParams,
    answers: { 200: answer('The service.', Service) },
    errors: ['SERVICE_NOT_FOUND'],
    tagged: true,
  }),
  updateService: route({
    method: 'PATCH',
    path: `${apiPrefix}/services/{service_id}`,
    tag: 'Services',
    summary: 'Change a service',
    description: 'Another owner gets the service, not its assets.',
    scope: 'write',
    who: 'service_owner',
    params: serviceParams,
    body: ServiceUpdate,
    answers: { 200: answer('The changed service.', Service) },
    errors: ['SERVICE_NOT_FOUND', 'SERVICE_EXISTS', 'TEAM_NOT_FOUND'],
    tagged: true,
  }),
  deleteService: route({
    method: 'DELETE',
    path: `${apiPrefix}/services/{service_id}`,
    tag: 'Services',
    summary: 'Delete a service',
    description: 'Its assets stay, and belong to no service. The name is free again.',
    scope: 'write',
    who: 'service_owner',
    params: serviceParams,
    answers: { 204: noContent('The service is deleted.') },
    errors: ['SERVICE_NOT_FOUND'],
    tagged: true,
  }),
};
