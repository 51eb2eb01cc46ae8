// Who sends slowly holds a connection, and nothing else, for a limited time.

import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, type HttpServer } from '../../src/http/server.ts';
import { openEventFeed } from '../../src/notify/event-feed.ts';
import { startComparePool } from '../../src/ops/compare-pool.ts';
import { openMetrics } from '../../src/ops/metrics.ts';
import { newUuid } from '../../src/ops/uuid.ts';
import { verbs } from '../../src/registry/verbs.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { openDatabase, type TestDatabase } from '../support/postgres.ts';

const key = 'bootstrap-key-of-the-tests';

let database: TestDatabase;
let store: Store;
let server: HttpServer;
let port: number;
let stopEngine: () => Promise<void>;

beforeAll(async () => {
  database = await openDatabase();
  store = await openStore({ url: database.url });
  const engine = startComparePool({ workers: 1, stepBudget: 1_000 });
  stopEngine = engine.stop;
  const log = pino({ level: 'silent' });
  server = createServer({
    ports: { ...store, engine, reportError: () => {} },
    verbs,
    runImport: () => Promise.reject(new Error('Nobody imports here.')),
    feed: openEventFeed({
      listStreamed: store.reads.listStreamed,
      onNews: () => () => {},
      reportError: () => {},
    }),
    keyChanges: { isListening: () => true, onChange: () => {} },
    noteKeyUse: () => {},
    noteSessionUse: () => {},
    log,
    metrics: openMetrics(),
    tracing: null,
    now: () => new Date().toISOString(),
    newId: newUuid,
    readiness: async () => ({}),
    version: '0.0.0',
    settings: {
      bootstrapKey: key,
      bodyLimitBytes: 1_000_000,
      importLimitBytes: 1_000_000,
      rateLimitRead: 1_000,
      rateLimitWrite: 1_000,
      rateLimitLogin: 1_000,
      rateLimitStranger: 1_000,
      baseUrl: undefined,
      isBehindTls: false,
      streamLimits: { streams: 1, streamsOfOne: 1, heartbeatMs: 1_000 },
      requestTimeoutMs: 500,
    },
  });
  port = await server.listen(0, '127.0.0.1');
});

afterAll(async () => {
  await server.close(1_000);
  await stopEngine();
  await store.stop();
  await database.drop();
});

const post =
  `POST /api/v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
  'Content-Type: application/json\r\n';

test('A body that never ends is 408 in the error form', async () => {
  const answer = await exchange(`${post}Content-Length: 100\r\n\r\n{"name"`);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toMatch(/\r\nX-Request-ID: [0-9a-f-]{36}\r\n/);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').detail.code).toBe('REQUEST_TIMEOUT');
});

test('Headers that never end are 408', async () => {
  expect(await exchange('GET /health HTTP/1.1\r\nHost: x\r\n')).toMatch(/^HTTP\/1\.1 408 /);
});

test('A body that goes on after its refusal is cut off without a second answer', async () => {
  const answer = await exchange(`${post}Content-Length: 209715200\r\n\r\n{`);
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
});

/** What comes back until the other side closes the connection. */
function exchange(sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
