// Files of imports that end early, late or not at all, and senders who hang up.

import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  bootstrapKey,
  openRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import { openWorld, type World } from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';

const importLimitBytes = 100_000;
const path = '/api/v1/sync/dbt/upload';

const waiting = { timeout: 60_000 };

let registry: TestRegistry;
let world: World;
const strays: unknown[] = [];
const noteStray = (error: unknown) => void strays.push(error);
beforeAll(async () => {
  process.on('uncaughtException', noteStray);
  registry = await openRegistry({ IMPORT_LIMIT_BYTES: String(importLimitBytes) });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  process.off('uncaughtException', noteStray);
  await registry.stop();
});

function textOf(name: string, bytes = 0): string {
  const body = { manifest: manifestOf('shop', [{ name }]), owner_team_id: world.producer.teamId };
  return JSON.stringify(body).padEnd(bytes);
}

async function send(body: Uint8Array<ArrayBuffer> | string, coding = 'identity') {
  const headers = {
    authorization: `Bearer ${bootstrapKey}`,
    'content-type': 'application/json',
    'content-encoding': coding,
  };
  const response = await fetch(`${registry.url}${path}`, { method: 'POST', headers, body });
  return { status: response.status, body: await response.json() };
}

/** Sends the beginning of a body, waits for the answer if there is one, and hangs up. */
async function hangUp(sent: Uint8Array, coding: string, waitsForAnswer: boolean): Promise<string> {
  const { hostname, port } = new URL(registry.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bootstrapKey}\r\nContent-Type: application/json\r\n` +
      `Content-Encoding: ${coding}\r\nContent-Length: 100000000\r\n\r\n`,
  );
  const answered = new Promise<string>((done) => socket.once('data', (data) => done(String(data))));
  await new Promise((done) => socket.write(sent, done));
  const answer = waitsForAnswer ? await answered : '';
  socket.destroy();
  return answer.slice(9, 12);
}

test.each([
  ['in the middle of a file', () => Buffer.from(textOf('a')).subarray(0, 50), 'identity', ''],
  ['in the middle of a packed file', () => gzipSync(textOf('a')).subarray(0, 60), 'gzip', ''],
  ['after a file that is too large', () => Buffer.alloc(200_000, 0x20), 'identity', '413'],
  [
    'after a packed file that is too large',
    () => gzipSync(Buffer.alloc(200_000, 0x20)),
    'gzip',
    '413',
  ],
  ['after a file that is not packed', () => Buffer.from('not packed at all'), 'gzip', '400'],
  [
    'after a packed file and something else',
    () => Buffer.concat([gzipSync(textOf('tail')), Buffer.from('something else')]),
    'gzip',
    '400',
  ],
] as const)(
  'a sender who hangs up %s ends only its own request',
  async (_, sent, coding, status) => {
    expect(await hangUp(sent(), coding, status !== '')).toBe(status);
    // Everything that it held is free again.
    await vi.waitFor(async () => {
      expect((await send(textOf('largest', importLimitBytes))).status).toBe(200);
    }, waiting);
    expect(strays).toEqual([]);
  },
);

test.each([
  ['of exactly the limit', () => send(textOf('limit', importLimitBytes)), 200],
  ['of one byte more', () => send(textOf('limit', importLimitBytes + 1)), 413],
  ['that unpacks to exactly the limit', () => packed(textOf('limit', importLimitBytes)), 200],
  ['that unpacks to one byte more', () => packed(textOf('limit', importLimitBytes + 1)), 413],
  ['without a byte', () => send(''), 400],
  ['that unpacks to nothing', () => packed(''), 400],
  [
    'that was packed in two parts',
    () => packed(textOf('a').slice(0, 20), textOf('a').slice(20)),
    200,
  ],
  [
    'that ends before its packing does',
    () => send(gzipSync(textOf('a')).subarray(0, -9), 'gzip'),
    400,
  ],
] as const)('a file %s is answered', async (_, answer, status) => {
  expect((await answer()).status).toBe(status);
});

function packed(...parts: readonly string[]) {
  return send(Buffer.concat(parts.map((part) => gzipSync(part))), 'gzip');
}
