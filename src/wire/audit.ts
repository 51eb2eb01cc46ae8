// The audit trail.

import { z } from 'zod';
import { entityTypes, eventTypes } from '../core/event.ts';
import { actorType } from './actor.ts';
import { choice, count, exampleId, id, jsonObject, nextCursor, text, timestamp } from './shape.ts';

export const entityType = choice(entityTypes, 'What kind of thing it happened to.');
export const eventType = choice(eventTypes, 'What happened.', 'contract.published');

const shared = {
  id: id('The event. Later events have higher ids.', exampleId.event),
  event_type: eventType,
  entity_type: entityType,
  entity_id: id('The thing it happened to.', exampleId.contract),
  actor_id: id('The user, key or resource that did it.', exampleId.key),
  actor_type: actorType,
  timestamp: timestamp('When it happened.'),
  metadata: jsonObject('What a reader needs to understand it.', { version: '1.2.0' }),
};

export const AuditEventListed = z
  .object(shared)
  .meta({ id: 'AuditEventListed', description: 'An audit event, as lists show it.' });

export const AuditEvent = z
  .object({
    ...shared,
    request_id: text('The X-Request-ID of the request.', 'b2d1c7e0-1f3a-4f0e-9f43-0d6a5c4b3a21')
      .nullable()
      .meta({ description: 'The X-Request-ID of the request that did it; null where none did.' }),
  })
  .meta({ id: 'AuditEvent', description: 'Something that happened.' });

export const AuditEventList = z
  .object({
    results: z.array(AuditEventListed).meta({ description: 'The events, newest first.' }),
    total: count('How many events match; absent with `include_total=false`.', 42).optional(),
    next_cursor: nextCursor,
  })
  .meta({ id: 'AuditEventList', description: 'Events, newest first.' });
