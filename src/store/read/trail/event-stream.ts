// Reads the events committed between two snapshots. A snapshot says which transactions it saw: an
// event of a transaction that began before it and committed after it is new, whatever its number.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { StreamedPage } from '../../../registry/audit/event-feed.ts';
import type { Reads } from '../../../registry/ports.ts';
import { eventColumns, eventRow, id } from '../../postgres/rows.ts';

const streamedRow = z.union([
  eventRow.extend({
    through: z.string(),
    isElsewhere: z.boolean(),
    position: z.int(),
    assetId: id.nullable(),
  }),
  z.looseObject({ id: z.null(), through: z.string(), isElsewhere: z.boolean() }),
]);

const emptySnapshot = '1:1:';

export function readEventStream(pool: DatabasePool): Pick<Reads, 'listStreamed'> {
  return {
    listStreamed: async ({ before, through, after, limit, inAnyOrder }): Promise<StreamedPage> => {
      const since = sql.fragment`${before ?? emptySnapshot}::pg_snapshot`;
      const columns = sql.fragment`${eventColumns}, audit_event.stream_position as "position",
        audit_event.asset_id as "assetId"`;
      const isNew = sql.fragment`
        audit_event.stream_position > ${after}
        and pg_visible_in_snapshot(audit_event.transaction_id, look.through)`;
      // Who was away for months missed events that are in the archive.
      const hasLeft =
        inAnyOrder === true
          ? sql.fragment`pg_snapshot_xmin(${since}) <= (select transaction_id from audit_archive
              where transaction_id < pg_snapshot_xmax(pg_current_snapshot()))`
          : sql.fragment`false`;
      // To find the first by position, Postgres would read all of them. If there are too many, any
      // will do.
      const first =
        inAnyOrder === true
          ? sql.fragment`order by audit_event.transaction_id, audit_event.id limit ${limit}`
          : sql.fragment`order by audit_event.stream_position limit ${limit}`;
      // Each range through its index, however long the trail is: transactions that began since, and
      // those that were running. A range even for a single id, because for "equal to" Postgres
      // expects as many events as an import writes.
      const rows = await pool.any(sql.type(streamedRow)`
        select look.through::text, look."isElsewhere", page.*
        from (
          select coalesce(${through}::text::pg_snapshot, pg_current_snapshot()) as through,
            greatest(pg_snapshot_xmax(${since}),
                pg_snapshot_xmax(coalesce(${through}::text::pg_snapshot, ${since})))
              > pg_snapshot_xmax(pg_current_snapshot()) or coalesce(${hasLeft}, false) as "isElsewhere"
        ) look
        left join lateral (
          select * from (
            (
              select ${columns}
              from audit_event
              where audit_event.transaction_id >= pg_snapshot_xmax(${since})
                and audit_event.transaction_id < pg_snapshot_xmax(look.through) and ${isNew}
              ${first}
            )
            union all
            (
              select its.*
              from pg_snapshot_xip(${since}) as under_way (transaction_id)
              cross join lateral (
                select ${columns}
                from audit_event
                where audit_event.transaction_id >= under_way.transaction_id
                  and audit_event.transaction_id <= under_way.transaction_id and ${isNew}
                ${first}
              ) its
            )
          ) found
          order by found."position"
          limit ${limit}
        ) page on not look."isElsewhere"
        order by page."position"`);
      const [head] = rows;
      if (head === undefined) throw new Error('A look at the events answers one row at least.');
      return {
        through: head.through,
        isElsewhere: head.isElsewhere,
        events: rows.flatMap((row) => {
          if (row.id === null) return [];
          const { through: _, isElsewhere: __, position, assetId, ...event } = row;
          return [{ position, assetId, event }];
        }),
      };
    },
  };
}
