// The audit trail.

import { z } from 'zod';
import { answer, apiPrefix, document, route } from '../route.ts';
import {
  AuditEvent,
  AuditEventList,
  AuditVerification,
  entityType,
  eventType,
  headQuery,
} from '../shapes/audit.ts';
import { cursor, exampleId, id, includeTotal, moment } from '../shapes/shape.ts';

const aboutPeople =
  "Events about users, keys and sign-ins are an administrator's to read, or one's own: the others are left out.";

const window = {
  limit: z
    .int()
    .min(1)
    .max(100)
    .default(50)
    .meta({ description: 'Number of events to return; at most 100.', examples: [50] }),
  offset: z
    .int()
    .min(0)
    .max(10_000_000)
    .default(0)
    .meta({ description: 'Number of events to skip.', examples: [0] }),
  cursor: cursor.optional(),
  include_total: includeTotal,
};

export const auditRoutes = {
  listEvents: route({
    method: 'GET',
    path: `${apiPrefix}/audit/events`,
    tag: 'Audit',
    summary: 'Query events',
    description: `Newest first. ${aboutPeople}`,
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      event_type: eventType.optional(),
      entity_type: entityType.optional(),
      entity_id: id('What it happened to.', exampleId.contract).optional(),
      asset_id: id(
        'About this asset: what happened to it, its contracts, proposals, consumers, dependencies and quality runs.',
        exampleId.asset,
      ).optional(),
      actor_id: id('The user or key that did it.', exampleId.key).optional(),
      start_date: moment('Events after this time.').optional(),
      end_date: moment('Events before this time.').optional(),
      ...window,
    }),
    answers: { 200: answer('Events, newest first.', AuditEventList) },
    errors: [],
  }),
  exportEvents: route({
    method: 'GET',
    path: `${apiPrefix}/audit/events/export`,
    tag: 'Audit',
    summary: 'Export the audit trail with its seals',
    description:
      'One JSON object a line: each event as GET /audit/events/{event_id} answers it, with its ' +
      '`seal`; the `head` of each batch; what has no seal yet; and an `end`, without which the ' +
      'export was cut short. `concordat verify-audit` checks it on any machine.',
    scope: 'admin',
    who: 'scope',
    query: z.strictObject({
      from: headQuery
        .meta({ description: 'Export only events sealed after this trusted checkpoint.' })
        .optional(),
    }),
    answers: { 200: document('The events, oldest first.', ['application/x-ndjson']) },
    errors: [],
  }),
  verifyAudit: route({
    method: 'GET',
    path: `${apiPrefix}/audit/verify`,
    tag: 'Audit',
    summary: 'Verify the audit trail',
    description:
      'Reads all of it: a million events take some 20 seconds. Names the first event that was ' +
      'altered, removed, added or swapped; a tail that was cut is found by a `head` kept elsewhere.',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      head: headQuery
        .meta({
          description:
            'A checkpoint that the trail must still contain, from the log or an earlier response.',
        })
        .optional(),
      from: headQuery
        .meta({
          description:
            'Where to start: a head that is known to be right. Absent: at the first event.',
        })
        .optional(),
    }),
    answers: { 200: answer('What was found.', AuditVerification) },
    errors: [],
  }),
  getEvent: route({
    method: 'GET',
    path: `${apiPrefix}/audit/events/{event_id}`,
    tag: 'Audit',
    summary: 'Get an event',
    description: aboutPeople,
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
    summary: 'List the events of an object',
    description: `All its events, newest first; the pages together hold all. ${aboutPeople}`,
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
