// The audit trail.

import type { AuditEvent } from '../../core/event.ts';
import type { Outcome } from '../../core/failure.ts';
import { accept } from '../../core/failure.ts';
import type { Listed } from '../../registry/lists.ts';
import { representEvent, representEventListed } from '../../wire/represent.ts';
import type { Handler } from '../handler.ts';
import { notFound } from '../not-found.ts';
import { toUtc } from '../to-utc.ts';

export const listEvents: Handler<'listEvents'> = async ({ ports }, { query }) => {
  const listed = await ports.reads.listEvents({
    ...windowOf(query),
    eventType: query.event_type,
    entityType: query.entity_type,
    entityId: query.entity_id,
    actorId: query.actor_id,
    startDate: query.start_date === undefined ? undefined : toUtc(query.start_date),
    endDate: query.end_date === undefined ? undefined : toUtc(query.end_date),
  });
  return eventsOf(listed);
};

export const getEvent: Handler<'getEvent'> = async ({ ports }, { params }) => {
  const event = await ports.reads.getEvent(params.event_id);
  if (event === null) return notFound('EVENT_NOT_FOUND', params.event_id);
  return accept({ status: 200, body: representEvent(event) });
};

export const listEntityHistory: Handler<'listEntityHistory'> = async (
  { ports },
  { params, query },
) => {
  const listed = await ports.reads.listEvents({
    ...windowOf(query),
    entityType: params.entity_type,
    entityId: params.entity_id,
  });
  return eventsOf(listed);
};

interface Window {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
  readonly include_total: boolean;
}

function windowOf({ limit, offset, cursor, include_total }: Window) {
  return { limit, offset, cursor, includeTotal: include_total };
}

function eventsOf(listed: Outcome<Listed<AuditEvent>>) {
  if (!listed.ok) return listed;
  const { results, total, nextCursor } = listed.value;
  const body = {
    results: results.map(representEventListed),
    ...(total !== null && { total }),
    next_cursor: nextCursor,
  };
  return accept({ status: 200 as const, body });
}
