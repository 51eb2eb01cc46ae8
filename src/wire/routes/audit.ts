// The audit trail.

import { z } from 'zod';
import { AuditEvent, AuditEventList, entityType, eventType } from '../audit.ts';
import { answer, apiPrefix, route } from '../route.ts';
import { cursor, exampleId, id, includeTotal, moment } from '../shape.ts';

const window = {
  limit: z
    .int()
    .min(1)
    .max(100)
    .default(50)
    .meta({ description: 'How many events to answer; at most 100.', examples: [50] }),
  offset: z
    .int()
    .min(0)
    .max(10_000_000)
    .default(0)
    .meta({ description: 'How many events to pass over.', examples: [0] }),
  cursor: cursor.optional(),
  include_total: includeTotal,
};

export const auditRoutes = {
  listEvents: route({
    method: 'GET',
    path: `${apiPrefix}/audit/events`,
    tag: 'Audit',
    summary: 'Query events',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      event_type: eventType.optional(),
      entity_type: entityType.optional(),
      entity_id: id('What it happened to.', exampleId.contract).optional(),
      actor_id: id('The user or key that did it.', exampleId.key).optional(),
      start_date: moment('Events after this time.').optional(),
      end_date: moment('Events before this time.').optional(),
      ...window,
    }),
    answers: { 200: answer('Events, newest first.', AuditEventList) },
    errors: [],
  }),
  getEvent: route({
    method: 'GET',
    path: `${apiPrefix}/audit/events/{event_id}`,
    tag: 'Audit',
    summary: 'Get an event',
    scope: 'read',
    who: 'scope',
    params: z.strictObject({ event_id: id('The event.', exampleId.event) }),
    answers: { 200: answer('The event.', AuditEvent) },
    errors: ['EVENT_NOT_FOUND'],
    tagged: true,
  }),
  listEntityHistory: route({
    method: 'GET',
    path: `${apiPrefix}/audit/entities/{entity_type}/{entity_id}/history`,
    tag: 'Audit',
    summary: 'List what happened to one thing',
    description: 'All its events, newest first; the pages together hold all.',
    scope: 'read',
    who: 'scope',
    params: z.strictObject({
      entity_type: entityType,
      entity_id: id('The thing.', exampleId.contract),
    }),
    query: z.strictObject(window),
    answers: { 200: answer('Its events, newest first.', AuditEventList) },
    errors: [],
  }),
};
