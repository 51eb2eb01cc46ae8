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
      'Server-sent events: the `data` of each is an audit event as GET /audit/events lists it, ' +
      'with the `asset_id` it is about; those of one asset come in their order. Who comes back ' +
      'with the last `id` as `Last-Event-ID` misses nothing and gets nothing twice, from any ' +
      'replica. After an `event: reset` what happened in between is not known, or too much: read ' +
      'again. A reader that is too slow is cut off, and may come back.',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      event_type: eventType.optional(),
      entity_type: entityType.optional(),
      asset_id: id('About this asset.', exampleId.asset).optional(),
      last_event_id: text('Where to go on, for who cannot send the header.', '812:812:', 10_000)
        .min(1)
        .optional(),
      follow: flag(
        'Whether it goes on; false ends it when everything up to now was told, and its last `id` is where to go on.',
        false,
      ).default(true),
    }),
    answers: { 200: eventStream('The events.', streamedEvent) },
    errors: [],
    resumes: true,
  }),
};
