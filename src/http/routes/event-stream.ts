import { maySeeEvent, personalEventsOf } from '../../core/event.ts';
import { accept } from '../../core/failure.ts';
import type { Handler } from '../handler.ts';

export const streamEvents: Handler<'streamEvents'> = async ({ streams }, call) => {
  const { query, actor, visit, lastEventId } = call;
  const personal = personalEventsOf(actor);
  const opened = await streams.open({
    actorId: actor.id,
    // A reconnecting browser requests the same URL, and sends its position in the header.
    from: lastEventId ?? query.last_event_id ?? null,
    follows: query.follow,
    wants: ({ event, assetId }) =>
      maySeeEvent(personal, event) &&
      (query.event_type === undefined || event.eventType === query.event_type) &&
      (query.entity_type === undefined || event.entityType === query.entity_type) &&
      (query.asset_id === undefined || assetId === query.asset_id),
    isStillAdmitted: visit.isStillAdmitted,
  });
  if (!opened.ok) return opened;
  const contentType = 'text/event-stream; charset=utf-8';
  return accept({ status: 200, body: '', contentType, live: opened.value });
};
