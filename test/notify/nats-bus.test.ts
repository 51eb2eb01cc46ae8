// Servers of NATS that fail while a process connects to them.

import { appendFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openNatsBus } from '../../src/notify/nats-bus.ts';
import { openRegistry } from '../support/client/client-registry.ts';
import { openWorld } from '../support/client/client-world.ts';
import { makeCertificate } from '../support/local-certificate.ts';
import { openFolder } from '../support/open-folder.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server that takes connections, with what it does then. */
async function serve(greet: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    greet(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((done) => server.close(done));
  });
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('The server has no port.');
  return { address: `127.0.0.1:${at.port}`, openCount: () => sockets.size };
}

test('A server that resets the connection while the certificates are read is told as a failure, and ends nothing', async () => {
  const greeting = { version: '2.10.0', proto: 1, max_payload: 1_048_576, tls_required: true };
  const server = await serve((socket) => {
    socket.write(`INFO ${JSON.stringify(greeting)}\r\n`);
    setTimeout(() => socket.resetAndDestroy(), 1);
  });
  const { file: ca } = makeCertificate(await openFolder('concordat-nats-reset-'));
  // So that reading it takes longer than the connection lasts.
  await appendFile(ca, '# \n'.repeat(4 * 1024 * 1024));
  const address = { servers: [server.address], topic: 'events', login: null, creds: null };
  const opening = openNatsBus({ ...address, tls: { ca } }, new AbortController().signal);
  await expect(opening).rejects.toThrow(/ECONNRESET|disconnected/);
});

test('A server that takes connections and says nothing keeps none of them, and the registry stops', async () => {
  const server = await serve(() => {});
  const servers = `${server.address},${server.address.replace('127.0.0.1', 'localhost')}`;
  const registry = await openRegistry({ EVENT_BUS_URL: `nats://${servers}/events` });
  closing.push(registry.stop);
  const found = () => registry.database.query("select topic from event_bus where topic = 'events'");
  await expect.poll(found).toHaveLength(1);
  await openWorld(registry.url, registry.bootstrapKey);
  await expect.poll(server.openCount).toBe(1);
  registry.takeCrashes();
  await closing.pop()?.();
  await expect.poll(server.openCount).toBe(0);
});
