// Listens for commits of other processes: LISTEN on a separate connection, which is reopened for as
// long as it takes. Subscribers are told when listening began again, because messages in between
// are lost.

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { connect } from '../../ops/postgres/connect.ts';
import { watchAddress } from '../../ops/postgres/watch-address.ts';
import { channel } from '../write/apply.ts';

/** `many` if a transaction did more than a message can carry: subscribers query for themselves. */
type Heard =
  | { readonly events: readonly HeardEvent[]; readonly actorId: string }
  | { readonly events: 'many' };

interface HeardEvent {
  readonly eventType: string;
  readonly entityId: string;
  /** The asset concerned; null if there is none. */
  readonly assetId: string | null;
}

export interface Listener {
  /** False as soon as a message could have been missed. */
  readonly isListening: () => boolean;
  /** Returns a function that ends the subscription. */
  readonly onHeard: (hear: (heard: Heard) => void) => () => void;
  readonly stop: () => Promise<void>;
}

/** A connection without an answer within this time counts as dead, half-open ones too. */
const silenceLimitMs = 1_000;
/** Leaves half of the limit for the answer. */
const heartbeatMs = 500;
const retryMs = 200;

const payloadShape = z.object({
  by: z.string().default(''),
  events: z.union([
    z.literal('many'),
    z.array(z.tuple([z.string(), z.string(), z.string().nullable()])),
  ]),
});

export function startListener(url: string): Listener {
  const hearers = new Set<(heard: Heard) => void>();
  const stopping = new AbortController();
  let answeredAt = Number.NEGATIVE_INFINITY;
  let leave = () => {};
  const unwatch = watchAddress(url, () => leave());
  const tell = (heard: Heard) => {
    for (const hear of hearers) hear(heard);
  };

  const listenOnce = async () => {
    const connecting = connect(url, { keepAlive: true, connectionTimeoutMillis: silenceLimitMs });
    const client = await within(connecting, stopping.signal).catch((error: unknown) => {
      // A connection that opens too late is closed.
      void connecting.then((late) => late.end()).catch(() => {});
      throw error;
    });
    const closed = new Promise<void>((done) => client.once('end', done));
    leave = () => void client.end().catch(() => {});
    client.on('notification', ({ payload }) => tell(parsePayload(payload ?? '')));
    try {
      await within(client.query(`listen ${channel}`), stopping.signal);
      answeredAt = performance.now();
      tell({ events: 'many' });
      while (!stopping.signal.aborted) {
        await Promise.race([delay(heartbeatMs, null, { signal: stopping.signal }), closed]);
        await within(client.query('select'), stopping.signal);
        answeredAt = performance.now();
      }
    } finally {
      answeredAt = Number.NEGATIVE_INFINITY;
      leave = () => {};
      // Closing a dead connection properly would wait for ever.
      await Promise.race([
        client.end().catch(() => {}),
        delay(silenceLimitMs, null, { ref: false }),
      ]);
    }
  };

  const running = (async () => {
    while (!stopping.signal.aborted) {
      await listenOnce().catch(() => {});
      await delay(retryMs, null, { signal: stopping.signal }).catch(() => {});
    }
  })();

  return {
    isListening: () => performance.now() - answeredAt < silenceLimitMs,
    onHeard: (hear) => {
      const own = (heard: Heard) => hear(heard);
      hearers.add(own);
      return () => void hearers.delete(own);
    },
    stop: () => {
      unwatch();
      stopping.abort();
      return running;
    },
  };
}

function parsePayload(payload: string): Heard {
  const parsed = payloadShape.safeParse(readJson(payload));
  if (!parsed.success || parsed.data.events === 'many') return { events: 'many' };
  return {
    actorId: parsed.data.by,
    events: parsed.data.events.map(([eventType, entityId, assetId]) => ({
      eventType,
      entityId,
      assetId,
    })),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Rejects on the signal, or when the promise takes longer than the silence limit. */
function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<T>();
  // A plain timer, because aborting a signal creates an error each time.
  const timer = setTimeout(() => reject(new Error('Postgres did not answer.')), silenceLimitMs);
  const stop = () => reject(new Error('It was stopped.'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  // A late result may also be an error, which nobody needs any more.
  promise.then(resolve, reject);
  return ended.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  });
}
