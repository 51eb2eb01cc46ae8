// Moves months of the audit trail to an object store: first copies of what is sealed, in packs; then
// the month leaves Postgres. docs/decisions/trail-archive.md

import type { AuditItem } from '../../core/audit/check-audit.ts';
import { marksOf } from '../../core/audit/pack-marks.ts';
import type { HeadReference, Seal, Sha256 } from '../../core/audit/seal.ts';
import type { AuditEvent } from '../../core/event.ts';
import type { EventId } from '../../core/id.ts';
import { ArchiveUnavailable } from '../../core/unavailable.ts';
import type { Reads } from '../ports.ts';

/** Seals in a row, with their events and heads, in one object. */
export interface AuditPack {
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** The last seal. */
  readonly hash: string;
  /** The lowest and the highest id. */
  readonly firstEvent: EventId;
  readonly lastEvent: EventId;
  readonly key: string;
  /** SHA-256 of its text. */
  readonly digest: string;
  /** Which ids its events may be about. */
  readonly marks: Uint8Array;
}

/** A month that ended long enough ago and is still in Postgres. */
interface DueMonth {
  /** Its first day. */
  readonly month: string;
  /** The checkpoint of the highest seal of its events; null while one of them has none. */
  readonly through: number | null;
}

/** Why a month cannot leave yet. */
export const heldReasons = [
  'elsewhere',
  'recent',
  'order',
  'unpacked',
  'deliveries',
  'bus',
  'forbidden',
] as const;
type HeldReason = (typeof heldReasons)[number];

export interface AuditPacks {
  /** The oldest one that ended so many months ago. */
  readonly findDue: (months: number) => Promise<DueMonth | null>;
  /** The last seal that stands in a pack. */
  readonly last: () => Promise<HeadReference>;
  /** Does nothing if another process added one. */
  readonly add: (pack: AuditPack) => Promise<void>;
  /** Null once the month has left. */
  readonly leave: (month: string) => Promise<HeldReason | null>;
}

/** Texts in an object store. */
interface TextStore {
  readonly put: (key: string, text: string) => Promise<void>;
  /** Null if there is no such object. */
  readonly get: (key: string) => Promise<string | null>;
}

/** What a pack says, as lines of an export of the trail. */
interface PackFormat {
  readonly write: (from: HeadReference, items: readonly AuditItem[]) => string;
  readonly read: (text: string) => readonly AuditItem[] | null;
}

export interface Archive {
  readonly packs: AuditPacks;
  readonly objects: TextStore;
  readonly format: PackFormat;
  readonly sha256: Sha256;
}

type Archiving =
  | { readonly kind: 'left'; readonly month: string }
  | { readonly kind: 'held'; readonly month: string; readonly by: HeldReason | 'unsealed' };

interface PackSize {
  readonly seals: number;
  /** Of the events' own contents; the page that exceeds it is the last one. */
  readonly characters: number;
}

/** A pack of ordinary events has some 4 MB, and less than a tenth of it compressed. */
const defaultSize: PackSize = { seals: 10_000, characters: 32_000_000 };

/** Moves months that are due, the oldest first, until one is held up. */
export async function* archiveTrail(
  reads: Pick<Reads, 'listSealed'>,
  archive: Archive,
  months: number,
  signal: AbortSignal,
  size = defaultSize,
): AsyncGenerator<Archiving> {
  while (!signal.aborted) {
    const due = await archive.packs.findDue(months);
    if (due === null) return;
    const { month, through } = due;
    if (through === null) return yield { kind: 'held', month, by: 'unsealed' };
    let last = await archive.packs.last();
    while (last.sequence < through) {
      if (signal.aborted) return;
      last = await writePack(reads, archive, last, through, size);
    }
    const held = await archive.packs.leave(month);
    if (held !== null) return yield { kind: 'held', month, by: held };
    yield { kind: 'left', month };
  }
}

async function writePack(
  reads: Pick<Reads, 'listSealed'>,
  { packs, objects, format, sha256 }: Archive,
  from: HeadReference,
  wanted: number,
  size: PackSize,
): Promise<HeadReference> {
  const items = await readPack(reads, from, Math.min(wanted, from.sequence + size.seals), size);
  const last = sealsOf(items).at(-1);
  if (last === undefined) throw new Error('A pack has a seal at least.');
  const through = last.sequence;
  const events = eventsOf(items);
  const ids = events.map(({ id }) => id).sort();
  const [firstEvent, lastEvent] = [ids[0], ids.at(-1)];
  if (firstEvent === undefined || lastEvent === undefined) {
    throw new Error('A pack has an event at least.');
  }
  const text = format.write(from, items);
  const digest = sha256(text);
  const pack: AuditPack = {
    firstSequence: from.sequence + 1,
    lastSequence: through,
    hash: last.hash,
    firstEvent,
    lastEvent,
    key: keyOf(from.sequence + 1, through, digest),
    digest,
    marks: marksOf(events),
  };
  await objects.put(pack.key, text);
  // What leaves Postgres must be there, and be the same.
  const kept = await objects.get(pack.key);
  if (kept === null || sha256(kept) !== pack.digest) {
    throw new Error(`The object store does not have ${pack.key} as it was written.`);
  }
  await packs.add(pack);
  return { sequence: through, hash: last.hash };
}

/** What follows a checkpoint, up to the last checkpoint within a limit, so that a check of a pack needs no other. */
async function readPack(
  reads: Pick<Reads, 'listSealed'>,
  from: HeadReference,
  limit: number,
  size: PackSize,
): Promise<readonly AuditItem[]> {
  const items: AuditItem[] = [];
  let at: number | null = from.sequence;
  let characters = 0;
  while (at !== null && characters < size.characters) {
    const page: Awaited<ReturnType<Reads['listSealed']>> = await reads.listSealed(at, limit);
    for (const { metadata } of eventsOf(page.items)) characters += JSON.stringify(metadata).length;
    items.push(...page.items);
    at = page.last;
  }
  const seals = sealsOf(items);
  const through = at ?? limit;
  // What was altered or removed before is told by the check of the pack, as it was of Postgres.
  if (seals.at(-1)?.sequence !== through || seals.length !== through - from.sequence) {
    throw new Error(
      `Seals after ${from.sequence} are missing, so the audit trail was not archived. Run concordat verify-audit.`,
    );
  }
  const lastHead = items.findLastIndex(({ kind }) => kind === 'head');
  return lastHead === -1 ? items : items.slice(0, lastHead + 1);
}

function sealsOf(items: readonly AuditItem[]): readonly Seal[] {
  return items.flatMap((item) => (item.kind === 'sealed' ? [item.seal] : []));
}

/** In the order of seals. Another text, as after a restore, has another name, so nothing is ever overwritten. */
function keyOf(first: number, last: number, digest: string): string {
  const [from, to] = [first, last].map((sequence) => String(sequence).padStart(12, '0'));
  return `audit/${from}-${to}-${digest.slice(0, 16)}.ndjson.gz`;
}

export interface PackReader {
  /** As it stands in the store, also if somebody changed it: for a check that finds it. Empty if it is gone. */
  readonly readAsIs: (pack: Pick<AuditPack, 'key'>) => Promise<readonly AuditItem[]>;
  /** Fails if it is not what was written. */
  readonly readEvents: (pack: Pick<AuditPack, 'key' | 'digest'>) => Promise<readonly AuditEvent[]>;
}

export function packReader({
  objects,
  format,
  sha256,
}: Pick<Archive, 'objects' | 'format' | 'sha256'>): PackReader {
  const readEvents: PackReader['readEvents'] = async ({ key, digest }) => {
    const text = await objects.get(key);
    if (text === null || sha256(text) !== digest) {
      throw new ArchiveUnavailable(
        `${key} in the object store is ${text === null ? 'missing' : 'not what was written there'}. Put it back from a copy of the store.`,
      );
    }
    return eventsOf(format.read(text) ?? []);
  };
  // The next page of a list asks for the same pack.
  let last: { readonly key: string; readonly events: Promise<readonly AuditEvent[]> } | null = null;
  return {
    readAsIs: async ({ key }) => format.read((await objects.get(key)) ?? '') ?? [],
    readEvents: async (pack) => {
      if (last?.key === pack.key) return last.events;
      const events = readEvents(pack);
      last = { key: pack.key, events };
      return events.catch((error: unknown) => {
        last = null;
        throw error;
      });
    },
  };
}

function eventsOf(items: readonly AuditItem[]): readonly AuditEvent[] {
  return items.flatMap((item) =>
    item.kind === 'sealed' && item.event !== null ? [item.event] : [],
  );
}
