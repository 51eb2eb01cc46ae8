// The audit trail.

import { z } from 'zod';
import { answer, apiPrefix, document, route } from '../route.ts';
import {
  AuditEvent,
  AuditEventList,
  AuditVerification,
  entityType,
  eventTopic,
  eventType,
  headQuery,
} from '../shapes/audit.ts';
import { cursor, exampleId, id, includeTotal, moment } from '../shapes/shape.ts';

const aboutPeople =
  'Events about users, keys and sign-ins are returned only to those who may read the audit trail (`read_audit`), and to the user or key that they are about.';

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
  start_date: moment(
    'Events after this time. Events that were archived are listed only if this is sent.',
  ).optional(),
  end_date: moment('Events before this time.').optional(),
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
      about: eventTopic.optional(),
      event_type: eventType.optional(),
      entity_type: entityType.optional(),
      entity_id: id('The object it happened to.', exampleId.contract).optional(),
      asset_id: id(
        'Only events about this asset, its contracts, proposals, consumers, dependencies and quality runs.',
        exampleId.asset,
      ).optional(),
      actor_id: id('The user or key that did it.', exampleId.key).optional(),
      ...window,
    }),
    answers: { 200: answer('Events, newest first.', AuditEventList) },
    errors: [],
    fromReplica: true,
  }),
  exportEvents: route({
    method: 'GET',
    path: `${apiPrefix}/audit/events/export`,
    tag: 'Audit',
    summary: 'Export the audit trail with its seals',
    description:
      'One JSON object per line: each event as GET /audit/events/{event_id} returns it, with its ' +
      '`seal`; a `head` for the checkpoint of each batch; the events without a seal; and an `end`. ' +
      'Without the `end`, the export is incomplete. `concordat verify-audit` verifies an export ' +
      'on any machine.',
    scope: 'read_audit',
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
      'Reads the whole trail: a million events take about 20 seconds. Names the first event that was ' +
      'altered, removed, added or swapped. Send a checkpoint that you kept as `head` to detect a truncated trail.',
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
          description: 'A trusted checkpoint to start from. Defaults to the first event.',
        })
        .optional(),
    }),
    answers: { 200: answer('The result of the verification.', AuditVerification) },
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
    description: `All events of the object, newest first, in pages. ${aboutPeople}`,
    scope: 'read',
    who: 'scope',
    params: z.strictObject({
      entity_type: entityType,
      entity_id: id('The object.', exampleId.contract),
    }),
    query: z.strictObject(window),
    answers: { 200: answer('The events of the object, newest first.', AuditEventList) },
    errors: [],
    fromReplica: true,
  }),
};
