// Steady requests from several clients, alternating reads and writes, and their results.

import { setInterval } from 'node:timers/promises';
import { bootstrapKey } from './installation.ts';

const clients = 4;
const everyMs = 50;

interface Load {
  readonly sent: () => number;
  /** Ends the load, and returns every request that failed. */
  stop(): Promise<readonly string[]>;
}

/** Each write creates a team whose name has the given prefix; each read lists the teams. */
export function startLoad(url: string, names: string): Load {
  const failed: string[] = [];
  let sent = 0;
  const ended = new AbortController();
  const ask = async (name: string) => {
    const asked = `${url}/api/v1/teams`;
    const headers = {
      authorization: `Bearer ${bootstrapKey}`,
      'content-type': 'application/json',
    };
    sent += 1;
    const body = sent % 2 === 0 ? JSON.stringify({ name, slug: name }) : undefined;
    const method = body === undefined ? 'GET' : 'POST';
    try {
      const answer = await fetch(asked, { method, headers, ...(body !== undefined && { body }) });
      const text = await answer.text();
      if (!answer.ok) failed.push(`${method} ${answer.status} ${text}`);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : error;
      failed.push(`${method} ${String(error)} ${String(cause)}`);
    }
  };
  const work = async (client: number) => {
    let count = 0;
    try {
      for await (const _ of setInterval(everyMs, null, { signal: ended.signal })) {
        count += 1;
        await ask(`${names}-${client}-${count}`);
      }
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    }
  };
  const workers = Array.from({ length: clients }, (_, client) => work(client));
  return {
    sent: () => sent,
    stop: async () => {
      ended.abort();
      await Promise.all(workers);
      return failed;
    },
  };
}
