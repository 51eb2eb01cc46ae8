// Which ids a pack of events may be about: a Bloom filter. Ids are random where it counts, so their own
// digits are the hashes.

import { type AuditEvent, assetOf } from '../event.ts';

/** One id in 300 that is not there is taken for one that is. */
const bitsForEach = 12;
const looksForEach = 6;

/**
 * @example mayHold(marksOf([event]), event.actorId) // true
 */
export function marksOf(events: readonly AuditEvent[]): Uint8Array {
  const ids = new Set(events.flatMap(idsOf));
  const marks = new Uint8Array(Math.max(8, Math.ceil((ids.size * bitsForEach) / 8)));
  for (const id of ids) {
    for (const bit of bitsOf(id, marks.length * 8)) {
      marks[bit >> 3] = (marks[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return marks;
}

/** False if no event is about the id, or was done by it. */
export function mayHold(marks: Uint8Array, id: string): boolean {
  return bitsOf(id, marks.length * 8).every(
    (bit) => ((marks[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0,
  );
}

function idsOf(event: AuditEvent): readonly string[] {
  const asset = assetOf(event);
  return [event.entityId, event.actorId, ...(asset === null ? [] : [asset])];
}

function bitsOf(id: string, size: number): readonly number[] {
  const digits = id.replaceAll('-', '').slice(-16);
  const first = Number.parseInt(digits.slice(0, 8), 16);
  // Odd, so that it is never 0.
  const step = Number.parseInt(digits.slice(8), 16) | 1;
  return Array.from({ length: looksForEach }, (_, look) => (first + look * (step >>> 0)) % size);
}
