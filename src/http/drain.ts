// The end of a replica while others go on. A client that keeps its connection may send its next
// request at the very moment that an idle connection is closed, and would have to guess whether it
// was heard. So nothing is closed at once: each answer asks its client to connect anew, which then
// reaches another replica.

import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Answers for that long at most, and no longer than anybody is connected. */
export type Drain = (forMs: number) => Promise<void>;

const pollMs = 50;

export function createDrain(server: Server): Drain {
  let isDraining = false;
  // Before every handler: what is set on a response is there however it is written.
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
