// Handles objects that are gone, or were recreated under the same name, without waiting for their
// finalizer: what they managed is released. The watch reports most of them; those that disappeared
// while nobody watched are found by comparing the assets managed from this source with its objects.

import { setImmediate } from 'node:timers/promises';
import type { Reads } from '../registry/ports.ts';
import { backoffMs, type Clock, pause } from './clock.ts';
import { done, type WorkResult } from './queue.ts';
import { isAskedFor } from './reconcile/release-departed.ts';
import { managerOf } from './reconcile/world.ts';
import { keyOf, type ObjectKey, placeOf, type Source, type SourceObject } from './source/source.ts';

interface DeparturesOptions {
  readonly source: Source;
  readonly clock: Clock;
  readonly listManaged: Reads['listManaged'];
  /** Between two comparisons. */
  readonly everyMs: number;
  readonly onDeparture: (key: ObjectKey) => void;
  readonly onError: (error: unknown, during: string) => void;
}

interface Departures {
  /** Notes that an object is gone and that what it managed must be released. */
  readonly note: (key: ObjectKey) => void;
  /**
   * Releases what the earlier object of this name managed, if one was noted; `now` is the current
   * object of that name.
   */
  readonly settle: (key: ObjectKey, now: SourceObject | null) => Promise<WorkResult>;
}

type Place = Pick<SourceObject, 'namespace' | 'name'>;

export function openDepartures(
  release: (place: Place, now: SourceObject | null) => Promise<void>,
): Departures {
  const noted = new Set<ObjectKey>();
  return {
    note: (key) => void noted.add(key),
    settle: async (key, now) => {
      if (!noted.delete(key)) return done;
      const { kind, ...place } = placeOf(key);
      if (kind !== 'DataContract') return done;
      try {
        await release(place, now);
        return done;
      } catch (error) {
        noted.add(key);
        return { kind: 'failed', error };
      }
    },
  };
}

/** For an unreachable Postgres; the cap is that of failing objects. */
const retry = { firstMs: 100, capMs: 30_000 };

interface FindingDepartures {
  /** Compares now instead of at the next interval, because another namespace is covered. */
  readonly findNow: () => void;
  readonly stop: () => Promise<void>;
}

/** Compares at once, then at every interval. */
export function startFindingDepartures(options: DeparturesOptions): FindingDepartures {
  const { source, clock, everyMs, onDeparture, onError } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let waiting = new AbortController();
  const findNowAndThen = async () => {
    let failures = 0;
    while (!signal.aborted) {
      waiting = new AbortController();
      try {
        for (const key of await findDeparted(options)) onDeparture(key);
        failures = 0;
      } catch (error) {
        failures += 1;
        onError(error, 'comparing what is managed from here with what is there');
      }
      const pauseMs = failures === 0 ? everyMs : backoffMs(retry, failures);
      await pause(clock, pauseMs, AbortSignal.any([signal, waiting.signal]));
    }
  };
  const finding = source.losesObjects ? findNowAndThen() : Promise.resolve();
  return {
    findNow: () => waiting.abort(),
    stop: () => {
      stopping.abort();
      return finding;
    },
  };
}

/** Parsing takes 20 microseconds each, so other work waits a few milliseconds at most. */
const comparedAtOnce = 200;

/** Uses one statement, however many objects there are. */
async function findDeparted({
  source,
  listManaged,
}: DeparturesOptions): Promise<ReadonlySet<ObjectKey>> {
  const nowhere = managerOf({ source }, { namespace: '', name: '' });
  const ending = nowhere.reference;
  const managed = await listManaged(nowhere.source, ending);
  const found = new Set<ObjectKey>();
  for (const [index, { reference, ...asset }] of managed.entries()) {
    if (index % comparedAtOnce === 0) await setImmediate();
    const [namespace = '', name = ''] = reference.slice(0, -ending.length).split('/');
    const key = keyOf('DataContract', namespace, name);
    if (source.covers?.(namespace) === false) continue;
    if (!isAskedFor(asset, source.get(key))) found.add(key);
  }
  return found;
}
