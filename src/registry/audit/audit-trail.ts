// Reads the audit trail from beginning to end, a page at a time.

import {
  type AuditCheckOptions,
  type AuditItem,
  type AuditReport,
  startAuditCheck,
} from '../../core/audit/check-audit.ts';
import { genesisHash, type HeadReference } from '../../core/audit/seal.ts';
import type { EventId } from '../../core/id.ts';
import type { Reads, TrailMoment } from '../ports.ts';

type TrailReads = Pick<Reads, 'getTrailMoment' | 'listSealed' | 'listUnsealedEvents'>;

type SealedPage = Awaited<ReturnType<TrailReads['listSealed']>>;
type UnsealedPage = Awaited<ReturnType<TrailReads['listUnsealedEvents']>>;

/** The id before all event ids. */
const noEvent: EventId = '00000000-0000-0000-0000-000000000000';

/** Yields every event that was committed at that moment, sealed or not, as it was then. */
export async function* walkAudit(
  reads: TrailReads,
  from: number,
  moment: TrailMoment,
): AsyncGenerator<readonly AuditItem[]> {
  const { lastSequence } = moment;
  if (from < lastSequence) {
    const sealed = pagesOf<number, SealedPage>(
      (after) => reads.listSealed(after, lastSequence),
      from,
    );
    for await (const page of sealed) yield page.items;
  }
  const unsealed = pagesOf<EventId, UnsealedPage>(
    (after) => reads.listUnsealedEvents(after, moment),
    noEvent,
  );
  for await (const page of unsealed) {
    yield page.events.map(({ event, isPassed }) => ({ kind: 'unsealed', event, isPassed }));
  }
}

/** Postgres reads the next page while the caller processes one, so two pages are in memory. */
async function* pagesOf<Place, Page extends { readonly last: Place | null }>(
  read: (after: Place) => Promise<Page>,
  from: Place,
): AsyncGenerator<Page> {
  let next: Promise<Page> | null = read(from);
  while (next !== null) {
    const page: Page = await next;
    next = page.last === null ? null : read(page.last);
    // If the caller stops reading, the error of the pending read does not matter.
    next?.catch(() => {});
    yield page;
  }
}

/** Verifies the whole trail, and keeps only the problems that it finds. */
export async function verifyAudit(
  reads: TrailReads,
  options: AuditCheckOptions,
): Promise<AuditReport> {
  const moment = await reads.getTrailMoment();
  const { sequence, hash } = moment;
  const { from: asked, expected = [] } = options;
  const isThere = asked === undefined || (await holds(reads, asked));
  // If the trail does not contain the checkpoint to start from, reading all of it shows why.
  const from = isThere ? asked : undefined;
  const start = from?.sequence ?? 0;
  // The position that the sealer noted is another checkpoint that the trail must contain.
  const note = sequence > start ? [{ sequence, hash }] : [];
  const wanted = asked === undefined || isThere ? [] : [asked];
  const check = startAuditCheck({ ...options, from, expected: [...note, ...wanted, ...expected] });
  for await (const items of walkAudit(reads, start, moment)) {
    for (const item of items) check.take(item);
  }
  return check.finish();
}

async function holds(reads: TrailReads, { sequence, hash }: HeadReference): Promise<boolean> {
  if (sequence === 0) return hash === genesisHash;
  const { items } = await reads.listSealed(sequence - 1, sequence);
  return items.some((item) => item.kind === 'sealed' && item.seal.hash === hash);
}
