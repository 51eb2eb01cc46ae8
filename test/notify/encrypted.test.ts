// Receivers over https: only a receiver with a valid certificate for its name gets the content.

import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type CertifiedKey,
  issueCertificate,
  makeAuthority,
} from '../../src/controller/admission/make-certificates.ts';
import { openAddressGuard } from '../../src/notify/address-guard.ts';
import { openPost } from '../../src/notify/post.ts';

const name = 'hooks.example.com';
const dayMs = 24 * 60 * 60 * 1000;
const now = { fromMs: Date.now() - dayMs, toMs: Date.now() + dayMs };
const past = { fromMs: Date.now() - 2 * dayMs, toMs: Date.now() - dayMs };
const known = { name: 'known', key: '' };
const stranger = { name: 'stranger', key: makeAuthority('stranger', now).key };
const before = getCACertificates('default');

let server: Server | undefined;
let received: string[];
let connections: number;

beforeAll(() => {
  const authority = makeAuthority(known.name, now);
  known.key = authority.key;
  setDefaultCACertificates([...before, authority.certificate]);
});
afterAll(() => setDefaultCACertificates(before));
afterEach(async () => {
  await new Promise((done) => server?.close(done));
});

async function listen({ certificate, key }: CertifiedKey): Promise<number> {
  received = [];
  connections = 0;
  const listening = createServer({ cert: certificate, key }, (request, response) => {
    request.on('data', (chunk) => received.push(String(chunk)));
    request.on('end', () => response.end());
  });
  server = listening;
  listening.on('connection', () => connections++);
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
  return (listening.address() as AddressInfo).port;
}

function post(port: number, allowed: readonly string[] = ['127.0.0.1']): Promise<number> {
  const send = openPost({
    guard: openAddressGuard(allowed),
    timeoutMs: 5_000,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const url = `https://${name}:${port}/hook`;
  return send({ url, headers: {}, body: 'told', signal: new AbortController().signal });
}

test('A receiver with a valid certificate for its name gets events', async () => {
  const port = await listen(issueCertificate(known, [name], now));
  expect(await post(port)).toBe(200);
  expect(received).toEqual(['told']);
});

test.each([
  ['for another name', () => issueCertificate(known, ['other.example.com'], now), 'altnames'],
  ['that is over', () => issueCertificate(known, [name], past), 'certificate has expired'],
  ['by a stranger', () => issueCertificate(stranger, [name], now), 'unable to verify'],
])('A receiver with a certificate %s gets nothing', async (_, make, problem) => {
  const port = await listen(make());
  await expect(post(port)).rejects.toThrow(problem);
  expect(received).toEqual([]);
});

test('A private address is not connected to at all', async () => {
  const port = await listen(issueCertificate(known, [name], now));
  await expect(post(port, [])).rejects.toThrow('is a private or special address');
  expect(connections).toBe(0);
});
