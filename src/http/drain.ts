// Stops a replica while others continue. If an idle connection is closed just as its client sends
// the next request, the client cannot know whether the request was received. So connections are not
// closed at once: each response asks its client to reconnect, and it then reaches another replica.

import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

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

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
