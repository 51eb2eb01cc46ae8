// Sends the events of the audit trail to a bus, from the place where the last process stopped. One process
// at a time sends. What was sent and not noted is sent again: each event arrives at least once, and without the
// repeats those of an asset are in their order, because the next process begins before what the last one sent.

import { setTimeout as delay } from 'node:timers/promises';
import { maySeeEvent } from '../core/event.ts';
import type { BusLease, BusPlaces } from '../registry/audit/bus-places.ts';
import type { StreamedEvent } from '../registry/audit/event-feed.ts';
import type { Reads } from '../registry/ports.ts';
import { openBell } from './bell.ts';
import { type BusRecord, batchesOf, busRecordOf } from './cloud-event.ts';
import { formatPlace, parsePlace, type StreamPlace } from './stream-place.ts';

export interface BusConnection {
  /** Settles once the bus has kept all of them. */
  readonly send: (records: readonly BusRecord[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface PublishDeps {
  readonly listStreamed: Reads['listStreamed'];
  readonly places: BusPlaces;
  /** Gives up once the signal says so. */
  readonly connect: (cut: AbortSignal) => Promise<BusConnection>;
  readonly topic: string;
  /** Names this process. */
  readonly holder: string;
  /** The public address of the registry. */
  readonly source: string;
  /** Subscribes to commits. Returns a function that unsubscribes. */
  readonly onNews: (hear: () => void) => () => void;
  readonly countSent: (events: number) => void;
  readonly reportError: (error: unknown, during: string) => void;
}

export interface Publishing {
  /** How long the oldest event waits that this process could not send yet; 0 if none does. */
  readonly waitedMs: () => number;
  readonly stop: () => Promise<void>;
}

/** Each page looks through all that is left, so that a long backlog takes few of them. */
const pageSize = 5_000;
/** Finds events without a notification within this time. */
const pollMs = 1_000;
/** A process that is killed is replaced after this time. */
const leaseMs = 15_000;
/** What is under way is sent within this time, once the process stops. */
const graceMs = 3_000;
const retryMs = { first: 500, most: 15_000 };

export function startPublishing(deps: PublishDeps): Publishing {
  const { topic, holder, places } = deps;
  const lease: BusLease = { topic, holder, forMs: leaseMs };
  const stopping = new AbortController();
  const { signal } = stopping;
  const bell = openBell();
  const unsubscribe = deps.onNews(() => bell.ring());
  let oldestUnsent: number | null = null;

  /** Sends until the lease is lost or the process stops. */
  const lead = async (first: string, connect: () => Promise<BusConnection>) => {
    let place = first;
    let notedAt = performance.now();
    const note = async (to: string) => {
      if (!(await places.advance(lease, { from: place, to }))) return false;
      place = to;
      notedAt = performance.now();
      return true;
    };
    while (!signal.aborted) {
      const { next, events, isBehind, placeAfter } = await readPage(deps, place);
      if (events.length > 0) {
        oldestUnsent = Math.min(...events.map(({ event }) => Date.parse(event.timestamp)));
        const bus = await connect();
        let sent = 0;
        for (const batch of batchesOf(events.map((each) => busRecordOf(each, deps.source)))) {
          await bus.send(batch);
          sent += batch.length;
          deps.countSent(batch.length);
          // A page may take longer than the lease: two processes would send it in turn, and never end.
          const last = events[sent - 1];
          if (last === undefined || sent === events.length) continue;
          if (!(await note(placeAfter(last))) || signal.aborted) return;
        }
        oldestUnsent = null;
      }
      // Where nothing happens, only the lease is renewed.
      if (events.length > 0 || isBehind || performance.now() - notedAt > leaseMs / 3) {
        if (!(await note(next))) return;
      }
      if (!isBehind) await bell.wait(pollMs);
    }
  };
  const runOnce = async () => {
    const place = await places.take(lease);
    if (place === null) {
      // Another process sends.
      oldestUnsent = null;
      return;
    }
    let bus: Promise<BusConnection> | null = null;
    // A process that stops does not wait for a bus that gives no answer.
    const cutting = new AbortController();
    const cut = () =>
      setTimeout(() => {
        cutting.abort();
        void closeQuietly(bus);
      }, graceMs).unref();
    signal.addEventListener('abort', cut);
    try {
      await lead(place, () => {
        bus ??= deps.connect(cutting.signal);
        return bus;
      });
    } finally {
      signal.removeEventListener('abort', cut);
      await closeQuietly(bus);
    }
  };
  const run = async () => {
    let failures = 0;
    while (!signal.aborted) {
      let waitMs = pollMs;
      try {
        await runOnce();
        failures = 0;
      } catch (error) {
        if (!signal.aborted) deps.reportError(error, 'sending events to the bus');
        waitMs = Math.min(retryMs.most, retryMs.first * 2 ** failures);
        failures += 1;
        await places.giveBack(lease).catch(() => {});
      }
      await delay(waitMs, null, { signal, ref: false }).catch(() => {});
    }
    await places.giveBack(lease).catch(() => {});
  };
  const running = run();
  return {
    waitedMs: () => (oldestUnsent === null ? 0 : Math.max(0, Date.now() - oldestUnsent)),
    stop: async () => {
      stopping.abort();
      unsubscribe();
      bell.ring();
      await running;
    },
  };
}

/** A connection that failed to open, or that broke, has been reported where it was used. */
async function closeQuietly(bus: Promise<BusConnection> | null): Promise<void> {
  try {
    await (await bus)?.close();
  } catch {}
}

interface ReadPage {
  readonly next: string;
  readonly events: readonly StreamedEvent[];
  readonly isBehind: boolean;
  /** Where a process continues that has sent this event of the page, and those before it. */
  readonly placeAfter: (event: StreamedEvent) => string;
}

async function readPage(deps: PublishDeps, from: string): Promise<ReadPage> {
  const place = parsePlace(from);
  if (place === 'malformed') throw new Error(`The place ${from} of the bus cannot be read.`);
  const page = await deps.listStreamed({ ...place, limit: pageSize });
  if (page.isElsewhere) {
    // A restored database gives its transactions other numbers.
    const error = new Error(
      `The database was restored, and what was not sent before is not known. Send everything since then again: concordat bus rewind --since TIME`,
    );
    deps.reportError(error, 'continuing to send events');
    const next = formatPlace(startingAt(page.through));
    return { next, events: [], isBehind: true, placeAfter: () => next };
  }
  const { before } = place;
  const { through } = page;
  const placeAfter = ({ position }: StreamedEvent) =>
    formatPlace({ before, through, after: position });
  const last = page.events.length === pageSize ? page.events.at(-1) : undefined;
  return {
    next: last === undefined ? formatPlace(startingAt(through)) : placeAfter(last),
    placeAfter,
    // What administrators alone may see stays in the registry.
    events: page.events.filter(({ event }) => maySeeEvent([], event)),
    isBehind: page.events.length === pageSize,
  };
}

function startingAt(before: string): StreamPlace {
  return { before, through: null, after: 0 };
}
