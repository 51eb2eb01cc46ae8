// Events as they happen.

import { z } from 'zod';
import { apiPrefix, eventStream, route } from '../route.ts';
import { entityType, eventType } from '../shapes/audit.ts';
import { exampleId, flag, id, text } from '../shapes/shape.ts';

const streamedEvent = z
  .object({
    id: text('Send it as `Last-Event-ID` to resume after this event.', '812:812:').optional(),
    event: text('`reset` if events before this one are missing.', 'message').optional(),
    data: text('The audit event, as JSON.', '{"event_type":"asset.created"}'),
  })
  .meta({ id: 'StreamedEvent', description: 'One event; each field is a line of the stream.' });

export const eventStreamRoutes = {
  streamEvents: route({
    method: 'GET',
    path: `${apiPrefix}/events/stream`,
    tag: 'Audit',
    summary: 'Follow events as they happen',
    description:
      'Server-sent events. The `data` of each is an audit event as GET /audit/events lists it, ' +
      'with the `asset_id` it is about. Events of one asset arrive in order. Reconnect to any ' +
      'replica with the last `id` as `Last-Event-ID`: no event is lost or repeated. After an ' +
      '`event: reset`, events are missing; read what you need again. A client that reads too ' +
      'slowly is disconnected and may reconnect.',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      event_type: eventType.optional(),
      entity_type: entityType.optional(),
      asset_id: id('Only events about this asset.', exampleId.asset).optional(),
      last_event_id: text(
        'The same as `Last-Event-ID`, for clients that cannot send headers.',
        '812:812:',
        10_000,
      )
        .min(1)
        .optional(),
      follow: flag(
        'Whether the stream stays open. With `false` it ends after the events up to now; resume from its last `id`.',
        false,
      ).default(true),
    }),
    answers: { 200: eventStream('The events.', streamedEvent) },
    errors: [],
    resumes: true,
  }),
};
