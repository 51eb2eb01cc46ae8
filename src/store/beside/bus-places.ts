// The place of each topic, and the lease of the process that sends to it.

import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { BusPlaces } from '../../registry/audit/bus-places.ts';
import { whileAvailable } from '../postgres/database-errors.ts';
import { nothingRow } from '../postgres/rows.ts';

const placeRow = z.object({ place: z.string() });

export function busPlacesOf(pool: DatabasePool): BusPlaces {
  return {
    take: ({ topic, holder, forMs }) =>
      whileAvailable(async () => {
        const row = await pool.maybeOne(sql.type(placeRow)`
          insert into event_bus as bus (topic, place, holder, held_until)
          values (${topic}, pg_current_snapshot()::text, ${holder}, ${until(forMs)})
          on conflict (topic) do update
          set holder = excluded.holder, held_until = excluded.held_until
          where bus.held_until < clock_timestamp() or bus.holder = excluded.holder
          returning place`);
        return row?.place ?? null;
      }),
    advance: ({ topic, holder, forMs }, { from, to }) =>
      whileAvailable(async () => {
        const row = await pool.maybeOne(sql.type(placeRow)`
          update event_bus set place = ${to}, held_until = ${until(forMs)}
          where topic = ${topic} and holder = ${holder} and place = ${from}
          returning place`);
        return row !== null;
      }),
    giveBack: ({ topic, holder }) =>
      whileAvailable(async () => {
        await pool.query(sql.type(nothingRow)`
          update event_bus set held_until = '-infinity'
          where topic = ${topic} and holder = ${holder}`);
      }),
    rewind: (topic, since) =>
      whileAvailable(async () => {
        // What began earlier and was committed later is sent, too: an event more does no harm. What was not
        // sent yet is not left out.
        const row = await pool.maybeOne(sql.type(placeRow)`
          update event_bus
          set place = (
            select format('%1$s:%1$s:', least(
              min(transaction_id::text::bigint),
              pg_snapshot_xmin(split_part(place, '/', 1)::pg_snapshot)::text::bigint,
              pg_snapshot_xmin(pg_current_snapshot())::text::bigint
            ))
            from audit_event where id >= uuid_floor(${since.toISOString()}::timestamptz))
          where topic = ${topic}
          returning place`);
        return row !== null;
      }),
  };
}

const until = (forMs: number) =>
  sql.fragment`clock_timestamp() + make_interval(secs => ${forMs / 1000})`;
