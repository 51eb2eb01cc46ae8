import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { type AuditEvent, type EventType, personalEntityTypes } from '../../../core/event.ts';
import { accept } from '../../../core/failure.ts';
import type { PackReader } from '../../../registry/audit/archive-trail.ts';
import type { EventQuery } from '../../../registry/lists.ts';
import type { Reads } from '../../../registry/ports.ts';
import { eventColumns, eventRow, id, plannedEachTime, timestamp } from '../../postgres/rows.ts';
import { all, formatCursor, haveRivals, parseCursor, refuseCursor } from '../list.ts';
import { findArchived, lastEvent, listArchived, newestFirst } from './archived-events.ts';
import { mustHaveStore, readArchived } from './audit-packs.ts';
import { isElsewhere } from './audit-trail.ts';

type EventReads = Pick<Reads, 'getEvent' | 'listEvents'>;

/** The id before all event ids. */
const noEvent = '00000000-0000-0000-0000-000000000000';

const soughtRow = eventRow.extend({ isStray: z.boolean() });
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
      const found = await pool.maybeOne(
        sql.type(soughtRow)`
          select ${eventColumns}, coalesce(audit_event.id < uuid_floor(before), false) as "isStray"
          from audit_event, audit_archive
          where audit_event.id = ${id}`,
      );
      if (found?.isStray === false) return withoutMark(found);
      const archived = await readArchived(pool);
      const left =
        archived === null || id >= archived.floor
          ? null
          : await findArchived(pool, mustHaveStore(packs), id);
      return left ?? (found === null ? null : withoutMark(found));
    },

    listEvents: async (query) => {
      const from =
        query.cursor === undefined ? null : parseCursor(query.cursor, 'id', 'descending');
      if (from === 'malformed') return refuseCursor();
      const conditions = conditionsOf(query);
      const hidden = hiddenOf(query);
      const after = from === null ? [] : [sql.fragment`audit_event.id < ${from.id}::uuid`];
      // With the archive, what has left is listed from there, and with it what came with an id of that time.
      const kept = query.startDate === undefined ? [] : [keptSince(query.startDate)];
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
          where ${all([...conditions, ...kept, ...seen, ...after])}
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
        coversArchive && skips > 0
          ? skips - (await countOf(pool, hidden, [...conditions, ...kept]))
          : 0;
      const older =
        coversArchive && here.length <= query.limit
          ? await listLeft(pool, packs, query, {
              reached: here.at(-1)?.id ?? from?.id ?? lastEvent,
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

function withoutMark({ isStray: _, ...event }: z.infer<typeof soughtRow>): AuditEvent {
  return event;
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

/** For a list that also reads the archive: only events of months that are still in Postgres. */
function keptSince(startDate: string): FragmentSqlToken {
  return sql.fragment`audit_event.id >= coalesce(
    (select uuid_floor(before) from audit_archive where before > ${startDate}::timestamptz),
    ${noEvent}::uuid)`;
}

const spanRow = z.object({ from: id, before: id });

/**
 * Events with ids of the months that have left, newest first. Most stand in packs; a few came to Postgres
 * afterwards, from a clock that was behind. What stands in a pack counts if both have it.
 */
async function listLeft(
  pool: DatabasePool,
  packs: PackReader | null,
  query: EventQuery,
  { reached, count }: { reached: string; count: number },
): Promise<readonly AuditEvent[]> {
  // An id may lie a minute before the time of its event.
  const { from, before } = await pool.one(sql.type(spanRow)`
    select uuid_floor(${query.startDate ?? null}::timestamptz - interval '1 minute') as "from",
      least(uuid_floor(before), ${reached}::uuid,
        uuid_floor(${query.endDate ?? null}::timestamptz + interval '1 minute')) as before
    from audit_archive`);
  const hidden = hiddenOf(query);
  const strays = await pool.any(sql.type(eventRow)`
    select ${eventColumns}
    from audit_event
    where ${all([
      ...conditionsOf(query),
      ...(hidden === null ? [] : [sql.fragment`not ${hidden}`]),
      sql.fragment`audit_event.id < ${before}::uuid`,
    ])}
    order by audit_event.id desc
    limit ${count}`);
  const archived = await listArchived(pool, mustHaveStore(packs), query, { from, before, count });
  const known = new Set(archived.map((event) => event.id));
  return [...archived, ...strays.filter((event) => !known.has(event.id))]
    .toSorted(newestFirst)
    .slice(0, count);
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
