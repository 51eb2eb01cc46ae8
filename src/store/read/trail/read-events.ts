import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { type EventType, personalEntityTypes } from '../../../core/event.ts';
import { accept } from '../../../core/failure.ts';
import type { PackReader } from '../../../registry/audit/archive-trail.ts';
import type { EventQuery } from '../../../registry/lists.ts';
import type { Reads } from '../../../registry/ports.ts';
import { eventColumns, eventRow, id, plannedEachTime, timestamp } from '../../postgres/rows.ts';
import { all, formatCursor, haveRivals, parseCursor, refuseCursor } from '../list.ts';
import { findArchived, lastEvent, listArchived } from './archived-events.ts';
import { mustHaveStore, readArchived } from './audit-packs.ts';
import { isElsewhere } from './audit-trail.ts';

type EventReads = Pick<Reads, 'getEvent' | 'listEvents'>;

const ofPage = { total: z.number().nullable(), archivedBefore: timestamp.nullable() };
const pageRow = z.union([eventRow.extend(ofPage), z.looseObject({ id: z.null(), ...ofPage })]);
const plannedPageRow = plannedEachTime(pageRow);

/**
 * Ids are UUIDv7, so newest first is the order of ids, and one index per filter also serves the
 * order.
 */
export function readEvents(pool: DatabasePool, packs: PackReader | null): EventReads {
  return {
    getEvent: async (id) => {
      const event = await pool.maybeOne(
        sql.type(eventRow)`
          select ${eventColumns} from audit_event where audit_event.id = ${id}`,
      );
      if (event !== null) return event;
      const archived = await readArchived(pool);
      if (archived === null || id >= archived.floor) return null;
      return findArchived(pool, mustHaveStore(packs), id);
    },

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
        select counted.total, counted."archivedBefore", page.*
        from (
          select ${total} as total, (select before from audit_archive) as "archivedBefore"
        ) counted
        left join (
          select ${eventColumns}
          from audit_event
          where ${all([...conditions, ...seen, ...after])}
          order by audit_event.id desc
          limit ${query.limit + 1} offset ${from === null ? query.offset : 0}
        ) page on true
        order by page.id desc`);
      const { total: counted = null, archivedBefore = null } = rows[0] ?? {};
      const here = rows.filter((row) => row.id !== null);
      const coversArchive =
        archivedBefore !== null &&
        query.startDate !== undefined &&
        query.startDate < archivedBefore;
      // Of the events that a page number skips, those that are here come first.
      const skips = from === null && here.length === 0 ? query.offset : 0;
      const skipped =
        coversArchive && skips > 0 ? skips - (await countOf(pool, hidden, conditions)) : 0;
      const older =
        coversArchive && here.length <= query.limit
          ? await listArchived(pool, mustHaveStore(packs), query, {
              ...(await spanOf(pool, query.startDate, here.at(-1)?.id ?? from?.id ?? lastEvent)),
              count: skipped + query.limit + 1 - here.length,
            })
          : [];
      const found = [
        ...here.map(({ total: _, archivedBefore: __, ...event }) => event),
        ...older.slice(skipped),
      ];
      const events = found.slice(0, query.limit);
      const last = events.at(-1);
      const goesOn = found.length > query.limit && last !== undefined;
      return accept({
        results: events,
        // What is in the archive is not counted.
        total: coversArchive ? null : counted,
        nextCursor: goesOn ? formatCursor('id', 'descending', { key: '', id: last.id }) : null,
        archivedBefore: goesOn || coversArchive ? null : archivedBefore,
      });
    },
  };
}

const countRow = z.object({ count: z.number() });

async function countOf(
  pool: DatabasePool,
  hidden: FragmentSqlToken | null,
  conditions: readonly FragmentSqlToken[],
): Promise<number> {
  const { count } = await pool.one(sql.type(countRow)`
    select ${totalOf(hidden, conditions)} as count`);
  return count;
}

const spanRow = z.object({ from: id, before: id });

/**
 * The ids of what has left, below one that was reached: events of the next month that stand in packs are listed
 * from here. An id may lie a minute before the time of its event.
 */
function spanOf(pool: DatabasePool, startDate: string, reached: string) {
  return pool.one(sql.type(spanRow)`
    select uuid_floor(${startDate}::timestamptz - interval '1 minute') as "from",
      least(uuid_floor(before), ${reached}::uuid) as before
    from audit_archive`);
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
const unseen = sql.fragment`(
        select count(*) filter (where (
          select true from audit_seal where audit_seal.event_id = audit_event.id
        ) is null)
        from audit_event
        where audit_event.transaction_id >= pg_snapshot_xmin(snapshot)
          and audit_event.transaction_id < pg_snapshot_xmax(pg_current_snapshot())
      )`;
const countOfAll = sql.fragment`
  select case
    when ${isElsewhere}
      then (select count(*) from audit_event)
    when audit_archive.sequence > 0
      then audit_seal_state.sequence - audit_archive.sequence + ${unseen}
        + (select count(*) from audit_seal seal where seal.sequence <= audit_archive.sequence)
    else audit_seal_state.sequence - coalesce((select min(seal.sequence) - 1 from audit_seal seal), 0)
      + ${unseen}
    end
  from audit_seal_state, audit_archive`;
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
