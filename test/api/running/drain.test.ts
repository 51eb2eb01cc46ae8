// A replica that stops while others continue: no client's connection is closed during a request.

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from '../../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../../src/start/serve.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';

let database: TestDatabase;
let server: RunningServer;
let agent: Agent;

beforeEach(async () => {
  database = await openDatabase();
  const read = readConfig({ PORT: '0', DATABASE_URL: database.url, LOG_LEVEL: 'error' });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  server = await start(read.config);
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});

afterEach(async () => {
  agent.destroy();
  await server?.stop();
  await database?.drop();
});

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly reused: boolean;
}

const ask = (path: string) =>
  new Promise<Answer>((resolve, reject) => {
    const asked = request(`${server.url}${path}`, { agent }, (answer: IncomingMessage) => {
      const { statusCode: status, headers } = answer;
      const { connection } = headers;
      answer
        .resume()
        .once('end', () => resolve({ status, connection, reused: asked.reusedSocket }));
    });
    asked.once('error', reject);
    asked.end();
  });

test('while draining, an open connection gets one more response and is asked to close', async () => {
  expect(await ask('/health/live')).toEqual({
    status: 200,
    connection: 'keep-alive',
    reused: false,
  });
  const drained = server.drain(60_000);
  expect(await ask('/api/v1/teams')).toEqual({ status: 401, connection: 'close', reused: true });
  // No client is connected any more, so there is nothing to wait for.
  await drained;
  // New requests are still answered.
  expect(await ask('/health/live')).toEqual({ status: 200, connection: 'close', reused: false });
});

test.each(['kept', 'new'])(
  'under load a stop cuts off no requests on %s connections, with no other replica to turn to',
  async (kind) => {
    const clients = new Worker(new URL('../../support/client/busy-clients.ts', import.meta.url), {
      workerData: { url: `${server.url}/health/live`, keepAlive: kind === 'kept', clients: 20 },
    });
    const messages: unknown[] = [];
    clients.on('message', (message) => messages.push(message));
    const ended = once(clients, 'exit');
    await vi.waitUntil(() => messages.includes('busy'), { timeout: 300_000 });
    await server.drain(300);
    await server.stop();
    await ended;
    // Each client was answered, or refused before it sent anything.
    expect(messages.filter((message) => message !== 'busy')).toEqual([]);
  },
);

test('a client that stays and asks nothing is waited for no longer than was said', async () => {
  await ask('/health/live');
  const startedAtMs = performance.now();
  await server.drain(200);
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(200);
});
