// Events that have left Postgres, found in their packs.

import type { CommonQueryMethods } from 'slonik';
import { mayHold } from '../../../core/audit/pack-marks.ts';
import { type AuditEvent, assetOf, maySeeEvent, personalEntityTypes } from '../../../core/event.ts';
import type { PackReader } from '../../../registry/audit/archive-trail.ts';
import type { EventQuery } from '../../../registry/lists.ts';
import { type FoundPack, findPacks } from './audit-packs.ts';

/** The id after all event ids. */
export const lastEvent = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

interface Wanted {
  /** Events with lower ids. */
  readonly before: string;
  /** Packs with lower ids only are left out. */
  readonly from: string;
  readonly count: number;
}

/** The newest ones, newest first. */
export async function listArchived(
  connection: CommonQueryMethods,
  packs: PackReader,
  query: EventQuery,
  { before, from, count }: Wanted,
): Promise<readonly AuditEvent[]> {
  const ids = [query.entityId, query.assetId, query.actorId].filter((id) => id !== undefined);
  const found: AuditEvent[] = [];
  const held: AuditEvent[] = [];
  for await (const pack of packsOf(connection, before, from)) {
    // Nothing in this pack or a further one is newer.
    const newer = held.filter((event) => event.id > pack.lastEvent);
    found.push(...newer.toSorted(newestFirst));
    if (found.length >= count) return found.slice(0, count);
    held.splice(0, held.length, ...held.filter((event) => event.id <= pack.lastEvent));
    if (!ids.every((id) => mayHold(pack.marks, id))) continue;
    const events = await packs.readEvents(pack);
    held.push(...events.filter((event) => event.id < before && isAsked(query, event)));
  }
  return [...found, ...held.toSorted(newestFirst)].slice(0, count);
}

export async function findArchived(
  connection: CommonQueryMethods,
  packs: PackReader,
  id: string,
): Promise<AuditEvent | null> {
  for await (const pack of packsOf(connection, lastEvent, id)) {
    if (pack.firstEvent > id) continue;
    const event = (await packs.readEvents(pack)).find((one) => one.id === id);
    if (event !== undefined) return event;
  }
  return null;
}

async function* packsOf(
  connection: CommonQueryMethods,
  before: string,
  from: string,
): AsyncGenerator<FoundPack> {
  let below: string | null = null;
  for (;;) {
    const page: readonly FoundPack[] = await findPacks(connection, { before, from, below });
    yield* page;
    below = page.at(-1)?.lastEvent ?? null;
    if (below === null) return;
  }
}

export function newestFirst(one: AuditEvent, other: AuditEvent): number {
  return one.id < other.id ? 1 : -1;
}

/** The conditions of a question in Postgres, for an event. */
function isAsked(query: EventQuery, event: AuditEvent): boolean {
  const { about, personal, assetId, startDate, endDate } = query;
  const isAboutAccess = personalEntityTypes.includes(event.entityType);
  if (about !== undefined && isAboutAccess !== (about === 'access')) return false;
  if (assetId === undefined && !maySeeEvent(personal, event)) return false;
  const time = Date.parse(event.timestamp);
  return (
    (assetId === undefined || assetOf(event) === assetId) &&
    (query.eventType === undefined || event.eventType === query.eventType) &&
    (query.entityType === undefined || event.entityType === query.entityType) &&
    (query.entityId === undefined || event.entityId === query.entityId) &&
    (query.actorId === undefined || event.actorId === query.actorId) &&
    (startDate === undefined || time > Date.parse(startDate)) &&
    (endDate === undefined || time < Date.parse(endDate))
  );
}
