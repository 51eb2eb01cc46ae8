// A slow sender holds only a connection, and for a limited time.

import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, type HttpServer } from '../../../src/http/server.ts';
import { bootstrapKey, openApp, type TestApp } from '../../support/client/open-app.ts';

let app: TestApp;
let server: HttpServer;
let port: number;

beforeAll(async () => {
  app = await openApp();
  const settings = { ...app.deps.settings, requestTimeoutMs: 500 };
  server = createServer({ ...app.deps, settings });
  port = await server.listen(0, '127.0.0.1');
});

afterAll(async () => {
  await server.close(1_000);
  await app.close();
});

const post =
  `POST /api/v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bootstrapKey}\r\n` +
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

test('A body that continues after its refusal is cut off without a second response', async () => {
  const answer = await exchange(`${post}Content-Length: 209715200\r\n\r\n{`);
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
});

/** Returns everything that arrives until the other side closes the connection. */
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
