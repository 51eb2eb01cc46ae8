// Objects that were there and are gone, or were made anew under the same name, without having waited
// for anybody: their places are looked at again, so that what they managed is released. The watch
// tells of most; those that went while nobody looked are found by comparing what the registry says
// is managed from here with what is there.

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
  /** An object that was there is gone: what it managed is still to be released. */
  readonly note: (key: ObjectKey) => void;
  /** What was under this name before, if anything was; `now` is who is there by now. */
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

/** Postgres may be away: as often as an object that fails is tried. */
const retry = { firstMs: 100, capMs: 30_000 };

interface FindingDepartures {
  /** Without waiting for the next time: a namespace is looked at that was not before. */
  readonly findNow: () => void;
  readonly stop: () => Promise<void>;
}

/** At once, and again and again. */
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

/** Each is parsed, 20 microseconds: a few milliseconds before others have their turn. */
const comparedAtOnce = 200;

/** One statement, however many objects there are. */
async function findDeparted({
  source,
  listManaged,
}: DeparturesOptions): Promise<ReadonlySet<ObjectKey>> {
  const nowhere = managerOf({ source }, { namespace: '', name: '' });
  const ending = nowhere.reference.slice('/'.length);
  const managed = await listManaged(nowhere.source, ending);
  const found = new Set<ObjectKey>();
  for (const [index, { reference, fqn, environment }] of managed.entries()) {
    if (index % comparedAtOnce === 0) await setImmediate();
    const [namespace = '', name = ''] = reference.slice(0, -ending.length).split('/');
    const key = keyOf('DataContract', namespace, name);
    if (source.covers?.(namespace) === false) continue;
    if (!isAskedFor({ fqn, environment }, source.get(key))) found.add(key);
  }
  return found;
}
