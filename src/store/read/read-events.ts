import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { type EventType, personalEntityTypes } from '../../core/event.ts';
import { accept } from '../../core/failure.ts';
import type { EventQuery } from '../../registry/lists.ts';
import type { Reads } from '../../registry/ports.ts';
import { eventColumns, eventRow, plannedEachTime } from '../postgres/rows.ts';
import { isElsewhere } from './audit-trail.ts';
import { all, formatCursor, haveRivals, parseCursor, refuseCursor } from './list.ts';

type EventReads = Pick<Reads, 'getEvent' | 'listEvents'>;

const pageRow = z.union([
  eventRow.extend({ total: z.number().nullable() }),
  z.looseObject({ id: z.null(), total: z.number().nullable() }),
]);
const plannedPageRow = plannedEachTime(pageRow);

/**
 * Ids are UUIDv7, so newest first is the order of ids, and one index per filter also serves the
 * order.
 */
export function readEvents(pool: DatabasePool): EventReads {
  return {
    getEvent: (id) =>
      pool.maybeOne(
        sql.type(eventRow)`
          select ${eventColumns} from audit_event where audit_event.id = ${id}`,
      ),

    listEvents: async (query) => {
      const from =
        query.cursor === undefined ? null : parseCursor(query.cursor, 'id', 'descending');
      if (from === 'malformed') return refuseCursor();
      const conditions = conditionsOf(query);
      const hidden = hiddenOf(query);
      const after = from === null ? [] : [sql.fragment`audit_event.id < ${from.id}::uuid`];
      const seen = hidden === null ? [] : [sql.fragment`not ${hidden}`];
      const total = query.includeTotal ? totalOf(hidden, conditions) : sql.fragment`null::bigint`;
      const { eventType, entityType, entityId, assetId, actorId } = query;
      const isRivalled = haveRivals([eventType, entityType, entityId, assetId, actorId]);
      const rows = await pool.any(sql.type(isRivalled ? plannedPageRow : pageRow)`
        select counted.total, page.*
        from (select ${total} as total) counted
        left join (
          select ${eventColumns}
          from audit_event
          where ${all([...conditions, ...seen, ...after])}
          order by audit_event.id desc
          limit ${query.limit + 1} offset ${from === null ? query.offset : 0}
        ) page on true
        order by page.id desc`);
      const events = rows.filter((row) => row.id !== null).slice(0, query.limit);
      const last = events.at(-1);
      const goesOn = rows.length > query.limit && last !== undefined;
      return accept({
        results: events.map(({ total: _, ...event }) => event),
        total: rows[0]?.total ?? null,
        nextCursor: goesOn ? formatCursor('id', 'descending', { key: '', id: last.id }) : null,
      });
    },
  };
}

function totalOf(
  hidden: FragmentSqlToken | null,
  conditions: readonly FragmentSqlToken[],
): FragmentSqlToken {
  if (conditions.length > 0) {
    const seen = hidden === null ? [] : [sql.fragment`not ${hidden}`];
    return sql.fragment`(select count(*) from audit_event where ${all([...conditions, ...seen])})`;
  }
  if (hidden === null) return sql.fragment`(${countOfAll})`;
  // Counts the events that the caller may not read, because they are fewer than the others.
  return sql.fragment`((${countOfAll}) - (select count(*) from audit_event where ${hidden}))`;
}

const isAboutAccess = sql.fragment`
  audit_event.entity_type = any (${sql.array([...personalEntityTypes], 'text')})`;

function isOfPersonal(eventType: EventType): boolean {
  // Signing in is told of a user or a key.
  return ['auth', ...personalEntityTypes].some((type) => eventType.startsWith(`${type}.`));
}

/**
 * The events that are not shown, which are fewer than the others: those that the reader may not see
 * (`maySeeEvent`), or all about people and keys; null if a filter excludes all of them.
 */
function hiddenOf({
  about,
  personal,
  eventType,
  entityType,
  assetId,
}: EventQuery): FragmentSqlToken | null {
  if (about === 'contracts') return isAboutAccess;
  if (personal === 'all' || assetId !== undefined) return null;
  if (entityType !== undefined && !personalEntityTypes.includes(entityType)) return null;
  if (eventType !== undefined && !isOfPersonal(eventType)) return null;
  return sql.fragment`(
    ${isAboutAccess}
    and audit_event.entity_id <> all (${sql.array([...personal], 'uuid')})
    and coalesce(audit_event.metadata ->> 'user_id', '') <> all (${sql.array([...personal], 'text')}))`;
}

/**
 * Sealed events are numbered, so only events that no pass of the sealer has seen are counted. Some
 * of them may be sealed, which is looked up one by one, in a subquery that no planner turns into a
 * join. After a restore into another cluster the sealer's snapshot is meaningless until the sealer
 * has adopted the database.
 */
const countOfAll = sql.fragment`
  select case
    when ${isElsewhere}
      then (select count(*) from audit_event)
    else sequence - coalesce((select min(seal.sequence) - 1 from audit_seal seal), 0)
      + (
        select count(*) filter (where (
          select true from audit_seal where audit_seal.event_id = audit_event.id
        ) is null)
        from audit_event
        where audit_event.transaction_id >= pg_snapshot_xmin(snapshot)
          and audit_event.transaction_id < pg_snapshot_xmax(pg_current_snapshot())
      )
    end
  from audit_seal_state`;

function conditionsOf(query: EventQuery): FragmentSqlToken[] {
  const conditions: FragmentSqlToken[] = [];
  if (query.about === 'access') conditions.push(isAboutAccess);
  if (query.eventType !== undefined) {
    conditions.push(sql.fragment`audit_event.event_type = ${query.eventType}`);
  }
  if (query.entityType !== undefined) {
    conditions.push(sql.fragment`audit_event.entity_type = ${query.entityType}`);
  }
  if (query.entityId !== undefined) {
    conditions.push(sql.fragment`audit_event.entity_id = ${query.entityId}`);
  }
  if (query.assetId !== undefined) {
    conditions.push(sql.fragment`audit_event.asset_id = ${query.assetId}`);
  }
  if (query.actorId !== undefined) {
    conditions.push(sql.fragment`audit_event.actor_id = ${query.actorId}`);
  }
  if (query.startDate !== undefined) {
    // The id contains the time, too, nearly exactly, so this condition selects the partitions.
    conditions.push(sql.fragment`audit_event.occurred_at > ${query.startDate}::timestamptz
      and audit_event.id >= uuid_floor(${query.startDate}::timestamptz - interval '1 minute')`);
  }
  if (query.endDate !== undefined) {
    conditions.push(sql.fragment`audit_event.occurred_at < ${query.endDate}::timestamptz
      and audit_event.id < uuid_floor(${query.endDate}::timestamptz + interval '1 minute')`);
  }
  return conditions;
}
