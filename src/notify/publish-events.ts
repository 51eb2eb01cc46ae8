// Sends the events of the audit trail to a bus, from the place where the last process stopped. One process
// at a time sends. What was sent and not noted is sent again: each event arrives at least once, and without the
// repeats those of an asset are in their order, because the next process begins before what the last one sent.

import { setTimeout as delay } from 'node:timers/promises';
import { maySeeEvent } from '../core/event.ts';
import type { BusLease, BusPlaces } from '../registry/audit/bus-places.ts';
import type { StreamedEvent, StreamedPage } from '../registry/audit/event-feed.ts';
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
  readonly connect: () => Promise<BusConnection>;
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
const retryMs = { first: 500, most: 15_000 };

export function startPublishing(deps: PublishDeps): Publishing {
  const { topic, holder, places } = deps;
  const lease: BusLease = { topic, holder, forMs: leaseMs };
  const stopping = new AbortController();
  const { signal } = stopping;
  const bell = openBell();
  const unsubscribe = deps.onNews(() => bell.ring());
  let oldestUnsent: number | null = null;

  const sendAll = async (
    connect: () => Promise<BusConnection>,
    events: readonly StreamedEvent[],
  ) => {
    if (events.length === 0) return;
    oldestUnsent = Math.min(...events.map(({ event }) => Date.parse(event.timestamp)));
    const bus = await connect();
    for (const batch of batchesOf(events.map((each) => busRecordOf(each, deps.source)))) {
      await bus.send(batch);
    }
    oldestUnsent = null;
    deps.countSent(events.length);
  };
  /** Sends until the lease is lost or the process stops. */
  const lead = async (first: string, connect: () => Promise<BusConnection>) => {
    let place = first;
    let notedAt = performance.now();
    while (!signal.aborted) {
      const { next, events, isBehind } = await readPage(deps, place);
      await sendAll(connect, events);
      // An idle registry need not note anything but its lease.
      if (events.length > 0 || isBehind || performance.now() - notedAt > leaseMs / 3) {
        if (!(await places.advance(lease, { from: place, to: next }))) return;
        place = next;
        notedAt = performance.now();
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
    try {
      await lead(place, () => {
        bus ??= deps.connect();
        return bus;
      });
    } finally {
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
    return { next: formatPlace(startingAt(page.through)), events: [], isBehind: true };
  }
  return {
    next: formatPlace(nextPlace(place, page)),
    // What administrators alone may see stays in the registry.
    events: page.events.filter(({ event }) => maySeeEvent([], event)),
    isBehind: page.events.length === pageSize,
  };
}

function nextPlace({ before }: StreamPlace, { through, events }: StreamedPage): StreamPlace {
  const last = events.length === pageSize ? events.at(-1) : undefined;
  return last === undefined ? startingAt(through) : { before, through, after: last.position };
}

function startingAt(before: string): StreamPlace {
  return { before, through: null, after: 0 };
}
