// Packs of the archived audit trail, and the months that leave Postgres once they stand in packs.

import { type DatabasePool, type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import { genesisHash } from '../../core/audit/seal.ts';
import { type AuditPacks, heldReasons } from '../../registry/audit/archive-trail.ts';
import { whileAvailable } from '../postgres/database-errors.ts';
import { nothingRow } from '../postgres/rows.ts';

const monthRow = z.object({ month: z.string() });
const throughRow = z.object({ through: z.number().nullable() });
const headRow = z.object({ sequence: z.number(), hash: z.string() });
const rightRow = z.object({ may: z.boolean() });
const heldRow = z.object({ held: z.enum([...heldReasons, 'absent']).nullable() });

export function auditPacksOf(pool: DatabasePool): AuditPacks {
  return {
    findDue: (months) =>
      patiently(pool, async (connection) => {
        const due = await connection.maybeOne(sql.type(monthRow)`
          select replace(substr(relname, length('audit_event_') + 1), '_', '-') || '-01' as month
          from pg_inherits
          join pg_class on pg_class.oid = inhrelid
          where inhparent = 'audit_event'::regclass and relname ~ '^audit_event_\\d{4}_\\d\\d$'
            and relname < 'audit_event_' || to_char(
              now() at time zone 'utc' - make_interval(months => ${months}), 'YYYY_MM')
          order by relname
          limit 1`);
        if (due === null) return null;
        const { month } = due;
        const first = sql.fragment`(${month}::timestamp at time zone 'utc')`;
        const end = sql.fragment`((${month}::timestamp + interval '1 month') at time zone 'utc')`;
        const { through } = await connection.one(sql.type(throughRow)`
          select coalesce((select min(sequence) from audit_head where sequence >= highest), highest)
            as through
          from (
            select case when count(*) = count(sequence) then coalesce(max(sequence), 0) end as highest
            from audit_event
            left join audit_seal on audit_seal.event_id = audit_event.id
            where audit_event.id >= uuid_floor(${first}) and audit_event.id < uuid_floor(${end})
          ) month`);
        return { month, through };
      }),

    last: () =>
      whileAvailable(async () => {
        const last = await pool.maybeOne(sql.type(headRow)`
          select last_sequence as sequence, encode(hash, 'hex') as hash
          from audit_pack
          order by last_sequence desc
          limit 1`);
        return last ?? { sequence: 0, hash: genesisHash };
      }),

    // In a row, and with the seal that is here: what it replaces.
    add: (pack) =>
      whileAvailable(async () => {
        await pool.query(sql.type(nothingRow)`
          insert into audit_pack (first_sequence, last_sequence, hash, first_event, last_event, key,
            digest, marks)
          select ${pack.firstSequence}, audit_seal.sequence, audit_seal.hash,
            ${pack.firstEvent}::uuid, ${pack.lastEvent}::uuid, ${pack.key},
            decode(${pack.digest}, 'hex'),
            decode(${Buffer.from(pack.marks).toString('base64')}, 'base64')
          from audit_seal
          where audit_seal.sequence = ${pack.lastSequence}
            and audit_seal.hash = decode(${pack.hash}, 'hex')
            and ${pack.firstSequence - 1}::bigint
              = (select coalesce(max(last_sequence), 0) from audit_pack)
          on conflict do nothing`);
      }),

    leave: (month) =>
      patiently(pool, async (connection) => {
        const { may } = await connection.one(sql.type(rightRow)`
          select has_function_privilege('leave_audit_month(date)', 'execute') as may`);
        if (!may) return 'forbidden';
        // Writers wait as long as this waits for the readers of the trail.
        await connection.query(sql.type(nothingRow)`set local lock_timeout = '2s'`);
        const { held } = await connection.one(
          sql.type(heldRow)`select leave_audit_month(${month}::date) as held`,
        );
        // Another process was faster.
        return held === 'absent' ? null : held;
      }),
  };
}

/** A month of ten million events takes minutes. */
const monthPatienceMs = 30 * 60_000;

function patiently<T>(
  pool: DatabasePool,
  work: (connection: DatabaseTransactionConnection) => Promise<T>,
): Promise<T> {
  return whileAvailable(
    () =>
      pool.transaction(async (connection) => {
        await connection.query(
          sql.type(
            nothingRow,
          )`set local statement_timeout = ${sql.literalValue(String(monthPatienceMs))}`,
        );
        return work(connection);
      }),
    monthPatienceMs,
  );
}
