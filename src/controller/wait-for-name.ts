// A cluster whose CLUSTER_NAME another one still has waits until that one is gone. Its objects say so meanwhile: this
// process holds the Lease of their cluster, so nobody else writes their statuses.

import type { JsonObject } from '../core/value/json.ts';
import { type Fence, NameTaken } from '../registry/sources/fencing.ts';
import { type Clock, pause } from './clock.ts';
import { type Condition, toConditions } from './conditions.ts';
import { done, WorkQueue } from './queue.ts';
import { secondsOf } from './reconcile/write-object-status.ts';
import type { ObjectKey, Source } from './source/source.ts';

interface Waiting {
  readonly clock: Clock;
  readonly now: () => string;
  readonly take: () => Promise<Fence>;
  readonly open: () => Source;
  /** Called when another cluster turns out to have the name. */
  readonly onWaiting: () => void;
  readonly onError: (error: unknown, during: string) => void;
  readonly signal: AbortSignal;
}

/** As often as it was tried again when each attempt was a term. */
const tryAgainMs = 4_000;

/** Null if the signal aborts first. */
export async function waitForName(waiting: Waiting): Promise<Fence | null> {
  const { clock, take, onWaiting, onError, signal } = waiting;
  let telling: { readonly stop: () => Promise<void> } | null = null;
  try {
    while (!signal.aborted) {
      try {
        return await take();
      } catch (error) {
        if (!(error instanceof NameTaken)) throw error;
        onWaiting();
        onError(error, 'leading');
        telling ??= tellObjects(waiting, error.message);
      }
      await pause(clock, tryAgainMs, signal);
    }
    return null;
  } finally {
    await telling?.stop();
  }
}

function tellObjects({ clock, now, open, onError }: Waiting, message: string) {
  const source = open();
  const queue = new WorkQueue({
    clock,
    concurrency: 1,
    work: async (key) => {
      const object = source.get(key);
      // The status speaks of this generation already, and may still be right.
      if (object === null || object.status?.observedGeneration === object.generation) return done;
      // The controller wrote the status, and the schema of its kind has checked it.
      const { conditions: before = [] } = (object.status ?? {}) as JsonObject & {
        readonly conditions?: readonly Condition[];
      };
      const verdict = { reason: 'RegistryUnavailable', message } as const;
      const said = toConditions(verdict, object.generation, before, secondsOf(now()));
      const conditions = said.map((condition) => ({ ...condition }));
      await source.writeStatus(object, { ...object.status, conditions });
      return done;
    },
  });
  const onChange = (key: ObjectKey) => queue.add(key, 'changed');
  void source.start({ onChange, onError }).then(() => {
    for (const key of source.keys()) onChange(key);
    queue.start();
  });
  return {
    stop: async () => {
      await queue.stop();
      await source.stop();
    },
  };
}
