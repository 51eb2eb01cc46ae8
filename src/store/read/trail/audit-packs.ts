// Which packs of the archived audit trail hold what somebody asks for.

import { type CommonQueryMethods, sql } from 'slonik';
import { z } from 'zod';
import { ArchiveUnavailable } from '../../../core/unavailable.ts';
import type { AuditPack, PackReader } from '../../../registry/audit/archive-trail.ts';
import { id, timestamp } from '../../postgres/rows.ts';

const packRow = z.object({ key: z.string(), digest: z.string(), lastSequence: z.number() });

const placeOfPack = sql.fragment`audit_pack.key, encode(audit_pack.digest, 'hex') as digest,
  audit_pack.last_sequence as "lastSequence"`;

/** The pack with the seal after this one, if that has left Postgres. */
export function findPackAfter(
  connection: CommonQueryMethods,
  after: number,
): Promise<z.infer<typeof packRow> | null> {
  return connection.maybeOne(sql.type(packRow)`
    select ${placeOfPack}
    from audit_pack
    where last_sequence > ${after} and ${after}::bigint < (select sequence from audit_archive)
    order by last_sequence
    limit 1`);
}

const foundRow = packRow.extend({ firstEvent: id, lastEvent: id, marks: z.string() });

export type FoundPack = Pick<AuditPack, 'key' | 'digest' | 'firstEvent' | 'lastEvent' | 'marks'>;

/** A page: with a day of a busy registry each, more than a month. */
const foundAtOnce = 50;

/**
 * Packs of events before an id, whose ids are not all below `from`: those with the highest ids first. Further
 * pages begin below the last one's highest id.
 */
export async function findPacks(
  connection: CommonQueryMethods,
  { before, from, below }: { before: string; from: string; below: string | null },
): Promise<readonly FoundPack[]> {
  const rows = await connection.any(sql.type(foundRow)`
    select ${placeOfPack}, first_event as "firstEvent", last_event as "lastEvent",
      encode(marks, 'base64') as marks
    from audit_pack
    where first_event < ${before}::uuid and last_event >= ${from}::uuid
      and last_sequence <= (select sequence from audit_archive)
      and (${below}::uuid is null or last_event < ${below}::uuid)
    order by last_event desc
    limit ${foundAtOnce}`);
  return rows.map((row) => ({ ...row, marks: Buffer.from(row.marks, 'base64') }));
}

const stateRow = z.object({ before: timestamp, floor: id });

/** What has left; null if nothing has. */
export async function readArchived(
  connection: CommonQueryMethods,
): Promise<z.infer<typeof stateRow> | null> {
  return connection.maybeOne(sql.type(stateRow)`
    select before, uuid_floor(before) as floor from audit_archive where before is not null`);
}

/** The store that the packs are in. */
export function mustHaveStore(packs: PackReader | null): PackReader {
  if (packs !== null) return packs;
  throw new ArchiveUnavailable(
    'Months of the audit trail are in an object store that this process does not know. Set OBJECT_STORE_URL.',
  );
}
