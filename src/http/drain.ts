// Stops a replica while others continue. If an idle connection is closed just as its client sends
// the next request, the client cannot know whether the request was received. So connections are not
// closed at once: each response asks its client to reconnect, and it then reaches another replica.

import type { Server } from 'node:http';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';

/** Keeps answering for at most this long, and only while clients are connected. */
export type Drain = (forMs: number) => Promise<void>;

const pollMs = 50;

export function createDrain(server: Server): Drain {
  let isDraining = false;
  // Before every handler, so that the header is set however the response is written.
  server.prependListener('request', (_request, response) => {
    if (isDraining) response.setHeader('Connection', 'close');
  });
  return async (forMs) => {
    isDraining = true;
    const endsAtMs = performance.now() + forMs;
    while (performance.now() < endsAtMs && (await countConnections(server)) > 0) {
      await delay(pollMs);
    }
  };
}

/** Without a connection or a request for so long, clients wait for their answers or are gone. */
const quietMs = 50;
/** Where strangers keep coming, there is no such moment. */
const quietLimitMs = 1_000;

/**
 * Returns a function that waits until nobody connects or asks. When a server closes, the kernel resets
 * connections that wait to be accepted, although their clients may have sent a request.
 */
export function watchArrivals(server: Server): () => Promise<void> {
  let lastAtMs = 0;
  const note = () => {
    lastAtMs = performance.now();
  };
  server.on('connection', note);
  server.on('request', note);
  return async () => {
    const endsAtMs = performance.now() + quietLimitMs;
    for (let seenAtMs = -1; seenAtMs !== lastAtMs; ) {
      while (performance.now() < Math.min(lastAtMs + quietMs, endsAtMs)) await delay(quietMs / 10);
      seenAtMs = lastAtMs;
      // One turn of the event loop that brings nobody, after whatever held this one up.
      await setImmediate();
      if (performance.now() >= endsAtMs) return;
    }
  };
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
