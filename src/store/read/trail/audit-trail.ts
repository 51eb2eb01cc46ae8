// Reads the sealed trail page by page. No cost here grows with the table.

import { type CommonQueryMethods, type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { AuditItem } from '../../../core/audit/check-audit.ts';
import type { AuditEvent } from '../../../core/event.ts';
import type { PackReader } from '../../../registry/audit/archive-trail.ts';
import type { Reads, TrailMoment } from '../../../registry/ports.ts';
import { eventColumns, eventRow, id, timestamp } from '../../postgres/rows.ts';
import { findPackAfter, mustHaveStore } from './audit-packs.ts';

type TrailReads = Pick<Reads, 'getTrailMoment' | 'listSealed' | 'listUnsealedEvents'>;

export function readAuditTrail(pool: DatabasePool, packs: PackReader | null): TrailReads {
  return {
    // One statement sees a single state of the database.
    getTrailMoment: () =>
      pool.one(sql.type(momentRow)`
      select noted.sequence, encode(noted.hash, 'hex') as hash,
        greatest(noted.sequence, (select coalesce(max(sequence), 0) from audit_seal)) as "lastSequence",
        case when not ${isElsewhere} then pg_current_snapshot()::text end as committed,
        case when not ${isElsewhere} then audit_seal_state.snapshot::text end as passed
      from audit_seal_state, lateral (
        select audit_seal_state.sequence, audit_seal_state.hash
        union all
        (
          select last_sequence, audit_pack.hash from audit_pack
          where last_sequence <= (select audit_archive.sequence from audit_archive)
          order by last_sequence desc
          limit 1
        )
        order by sequence desc
        limit 1
      ) noted`),

    listSealed: async (after, through) => {
      const page = await listPacked(pool, packs, after, through);
      if (page !== null) return page;
      const here = await listHere(pool, after, through);
      // A month may have left between two statements.
      return (await listPacked(pool, packs, after, through)) ?? here;
    },

    listUnsealedEvents: (after, moment) => listUnsealed(pool, after, moment),
  };
}

/** About 1 MB of events, and 10 ms of hashing. */
const pageSize = 1_000;

/** Only ids: a page of them is read in 20 ms. */
const idPageSize = 20_000;

const momentRow = z.object({
  sequence: z.number(),
  hash: z.string(),
  lastSequence: z.number(),
  committed: z.string().nullable(),
  passed: z.string().nullable(),
});
const sealRow = z.object({ sequence: z.number(), eventId: id, hash: z.string() });
const headRow = z.object({
  sequence: z.number(),
  hash: z.string(),
  sealedAt: timestamp,
  completeAt: timestamp.nullable(),
  mac: z.string().nullable(),
  keyId: z.string().nullable(),
});

type SealedPage = Awaited<ReturnType<TrailReads['listSealed']>>;

/** Null if the next seal has not left. */
async function listPacked(
  connection: CommonQueryMethods,
  packs: PackReader | null,
  after: number,
  through: number,
): Promise<SealedPage | null> {
  const pack = await findPackAfter(connection, after);
  if (pack === null) return null;
  const items = await mustHaveStore(packs).readAsIs(pack);
  const isWanted = (sequence: number) => sequence > after && sequence <= through;
  return {
    items: items.filter((item) => isWanted(sequenceOf(item))),
    last: pack.lastSequence >= through ? null : pack.lastSequence,
  };
}

async function listHere(
  connection: CommonQueryMethods,
  after: number,
  through: number,
): Promise<SealedPage> {
  const seals = await connection.any(sql.type(sealRow)`
    select sequence, event_id as "eventId", encode(hash, 'hex') as hash
    from audit_seal
    where sequence > ${after} and sequence <= ${through}
    order by sequence
    limit ${pageSize}`);
  const last = seals.length < pageSize ? through : (seals.at(-1)?.sequence ?? through);
  const events = await readEvents(
    connection,
    seals.map(({ eventId }) => eventId),
  );
  const heads = await connection.any(sql.type(headRow)`
    select sequence, encode(hash, 'hex') as hash, sealed_at as "sealedAt",
      complete_at as "completeAt", encode(mac, 'hex') as mac, key_id as "keyId"
    from audit_head
    where sequence > ${after} and sequence <= ${last}
    order by sequence`);
  const sealed = seals.map(
    (seal): AuditItem => ({ kind: 'sealed', seal, event: events.get(seal.eventId) ?? null }),
  );
  const items = inOrder(
    sealed,
    heads.map((head): AuditItem => ({ kind: 'head', head })),
  );
  return { items, last: last >= through ? null : last };
}

/** Puts each checkpoint after the seal that it names. */
function inOrder(sealed: readonly AuditItem[], heads: readonly AuditItem[]): readonly AuditItem[] {
  const items: AuditItem[] = [];
  let next = 0;
  for (const head of heads) {
    while (next < sealed.length && sequenceOf(sealed[next]) <= sequenceOf(head)) {
      items.push(...sealed.slice(next, next + 1));
      next++;
    }
    items.push(head);
  }
  return [...items, ...sealed.slice(next)];
}

function sequenceOf(item: AuditItem | undefined): number {
  if (item?.kind === 'sealed') return item.seal.sequence;
  return item?.kind === 'head' ? item.head.sequence : Number.POSITIVE_INFINITY;
}

// The exact text, to the microsecond, so a change to any part of it is noticed.
const exactEventRow = eventRow.extend({ micros: z.number() });

async function readEvents(
  connection: CommonQueryMethods,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AuditEvent>> {
  const rows = await connection.any(sql.type(exactEventRow)`
    select ${eventColumns},
      extract(microseconds from audit_event.occurred_at)::integer % 1000 as micros
    from audit_event
    where audit_event.id = any (${sql.array(ids, 'uuid')})`);
  return new Map(rows.map((row) => [row.id, exactEvent(row)]));
}

/** The product writes whole milliseconds; anything finer did not come from it. */
function exactEvent({ micros, ...event }: z.infer<typeof exactEventRow>): AuditEvent {
  if (micros === 0) return event;
  const exact = `${event.timestamp.slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
  return { ...event, timestamp: exact };
}

const unsealedRow = z.object({
  id: id.nullable(),
  isPassed: z.boolean().nullable(),
  last: id.nullable(),
});

/**
 * A database that was restored into another cluster has a new count of transactions. The sealer's
 * recorded position is meaningless until the sealer has searched the restored events.
 */
export const isElsewhere = sql.fragment`(pg_snapshot_xmax(coalesce(audit_seal_state.pass,
  audit_seal_state.snapshot)) > pg_snapshot_xmax(pg_current_snapshot()))`;

/**
 * Reads the next events that had no seal at that moment; `last` is null after the last page. A
 * transaction cannot have written before it began: an event that claims this is reported, not left
 * out.
 */
export async function listUnsealed(
  connection: CommonQueryMethods,
  after: string,
  { lastSequence, committed, passed }: Pick<TrailMoment, 'lastSequence' | 'committed' | 'passed'>,
) {
  const rows = await connection.any(sql.type(unsealedRow)`
    with page as materialized (
      select id, transaction_id from audit_event
      where id > ${after}::uuid
      order by id
      limit ${idPageSize}
    ), whole as (
      select case when count(*) = ${idPageSize}
        then (select id from page order by id desc limit 1) end as last
      from page
    )
    select unsealed.id, unsealed."isPassed", whole.last
    from whole
    left join (
      select page.id,
        pg_visible_in_snapshot(page.transaction_id, ${passed}::pg_snapshot) as "isPassed"
      from page
      where (select true from audit_seal
          where audit_seal.event_id = page.id and sequence <= ${lastSequence}) is null
        and (${committed}::text is null
          or pg_visible_in_snapshot(page.transaction_id, ${committed}::pg_snapshot)
          or page.transaction_id >= pg_snapshot_xmax(pg_current_snapshot()))
    ) unsealed on true
    order by unsealed.id`);
  const isPassed = new Map(rows.map((row) => [row.id, row.isPassed === true]));
  const ids = rows.flatMap((row) => (row.id === null ? [] : [row.id]));
  const events =
    ids.length === 0 ? new Map<string, AuditEvent>() : await readEvents(connection, ids);
  return {
    events: ids.flatMap((eventId) => {
      const event = events.get(eventId);
      return event === undefined ? [] : [{ event, isPassed: isPassed.get(eventId) === true }];
    }),
    last: rows[0]?.last ?? null,
  };
}
