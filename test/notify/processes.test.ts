// Several processes on one database, one of which is killed while sending.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient } from '../support/client/client.ts';
import { openProcess, openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  must,
  openWorld,
  type Published,
  publishedAsset,
  publishOk,
  type World,
} from '../support/client/client-world.ts';
import { answerWith, type Message, openReceiver, type Receiver } from './receiver.ts';

let registry: TestRegistry;
let world: World;
let receiver: Receiver;

const settings = {
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_RETRY_SECONDS: '0.05',
  WEBHOOK_TIMEOUT_SECONDS: '1',
};
const waiting = { timeout: 40_000 };

beforeAll(async () => {
  registry = await openRegistry(settings);
  world = await openWorld(registry.url, registry.bootstrapKey);
  receiver = await openReceiver();
  must(await world.admin.createWebhook({ body: { url: receiver.url } }), 201);
});
afterAll(async () => {
  await registry.stop();
  await receiver.stop();
});

async function publishMany(asset: Published, url: string, count: number): Promise<void> {
  const client = openClient(url, world.producer.key);
  for (let i = 0; i < count; i++) {
    const required = { id: { type: 'integer' }, total: { type: 'number' } };
    const more = Object.fromEntries(
      Array.from({ length: i + 1 }, (_, n) => [`more_${n}`, { type: 'string' }]),
    );
    const schema = { type: 'object', properties: { ...required, ...more }, required: ['id'] };
    await publishOk(client, asset.assetId, { schema });
  }
}

function orderOf(messages: readonly Message[], assetId: string): readonly unknown[] {
  return messages
    .filter(({ asset }) => asset.id === assetId)
    .map(({ event }) => event.metadata.version);
}

const versions = (count: number) => Array.from({ length: count }, (_, i) => `1.${i}.0`);

test('Two processes share the work, and killing one loses nothing: each asset keeps its order', async () => {
  const second = await openProcess(registry.database.serviceUrl, settings);
  const assets = await Promise.all(Array.from({ length: 6 }, () => publishedAsset(world.producer)));
  // Every request hangs until the kill, so that the other process has some of those in progress.
  let isHanging = true;
  receiver.behave((response, received) => {
    if (!isHanging) answerWith(200)(response, received);
  });
  const writing = assets.map((asset, i) =>
    publishMany(asset, i % 2 === 0 ? registry.url : second.url, 4),
  );
  await Promise.all(writing);
  const holders = () =>
    registry.database.query(
      `select count(*)::int as claims from delivery_lane where claim is not null`,
    );
  // One webhook has four deliveries in progress per process, so more than four come from both.
  await expect.poll(async () => Number((await holders())[0]?.claims), waiting).toBeGreaterThan(4);
  await second.kill();
  isHanging = false;
  await expect.poll(() => receiver.taken().length, waiting).toBe(6 * 4);
  for (const asset of assets) {
    expect(orderOf(receiver.taken(), asset.assetId)).toEqual(versions(4));
  }
  const left = () => registry.database.query("select id from delivery where state <> 'delivered'");
  await expect.poll(left, waiting).toEqual([]);
  // Repeated deliveries have the same id, so receivers can recognize them.
  const ids = new Map(receiver.received.map(({ body }) => [body.event.id, body.id]));
  expect(receiver.received.every(({ body }) => ids.get(body.event.id) === body.id)).toBe(true);
});

test('Claimed deliveries are released when a process stops, and another sends them at once', async () => {
  const second = await openProcess(registry.database.serviceUrl, settings);
  const asset = await publishedAsset(world.producer);
  await publishMany(asset, second.url, 5);
  await second.stop();
  await expect.poll(() => orderOf(receiver.taken(), asset.assetId), waiting).toEqual(versions(5));
});
