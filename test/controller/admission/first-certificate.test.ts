// Right after an install there is no certificate yet. The webhook loads the first one within a
// second, and checks less often afterwards.

import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  issueCertificate,
  makeAuthority,
} from '../../../src/controller/admission/make-certificates.ts';
import {
  type ServingCertificate,
  startWebhook,
  type Webhook,
} from '../../../src/controller/admission/webhook-server.ts';
import { ManualClock } from '../support/manual-clock.ts';

const clock = new ManualClock();
let asked = 0;
let certificate: ServingCertificate | null = null;
let webhook: Webhook;

beforeAll(async () => {
  webhook = await startWebhook({
    port: 0,
    host: '127.0.0.1',
    clock,
    readCertificate: async () => {
      asked += 1;
      return certificate;
    },
    review: async () => ({ allowed: true, warnings: [] }),
    onError: (error) => {
      throw error;
    },
  });
});

afterAll(() => webhook?.stop());

/** Advances the clock, and waits until whatever this started has ended. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await vi.waitFor(() => expect(clock.waiting).toBe(1));
}

/** Whether a handshake succeeds, without verifying the certificate. */
function isServed(): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port: webhook.port, rejectUnauthorized: false };
    const socket = connect(options, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

test('the first certificate is served within a second of being there', async () => {
  expect([asked, await isServed()]).toEqual([1, false]);
  await pass(1_000);
  expect([asked, await isServed()]).toEqual([2, false]);

  const validity = { fromMs: Date.now() - 60_000, toMs: Date.now() + 3_600_000 };
  const { key } = makeAuthority('an authority', validity);
  certificate = issueCertificate({ name: 'an authority', key }, ['webhook.data.svc'], validity);
  await pass(1_000);
  expect([asked, await isServed()]).toEqual([3, true]);

  await pass(9_999);
  expect(asked).toBe(3);
  await pass(1);
  expect(asked).toBe(4);
});
