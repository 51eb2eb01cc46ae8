// What a request costs in statements: a key is checked by a cached digest, and a read is one
// question.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../support/client-registry.ts';
import { must, openWorld, publishedAsset, type World } from '../support/client-world.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';

let registry: TestRegistry;
let world: World;
let proxy: PostgresProxy;

beforeAll(async () => {
  registry = await openRegistry({}, async (url) => {
    proxy = await startPostgresProxy(url);
    return proxy.url;
  });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await proxy.close();
});

test('An authenticated read is one statement, and none is about its key', async () => {
  const { assetId } = await publishedAsset(world.producer);
  const params = { asset_id: assetId };
  const { client } = world.producer;
  must(await client.getAsset({ params }), 200);
  const statements = await proxy.record(async () => {
    for (let i = 0; i < 10; i++) must(await client.getAsset({ params }), 200);
  });
  const asked = statements.filter(({ text }) => !/^\s*(select|listen \w+)?\s*;?\s*$/i.test(text));
  expect(asked).toHaveLength(10);
  expect(asked.filter(({ text }) => text.includes('api_key'))).toEqual([]);
});

test('A key that does not look like one is refused without a statement', async () => {
  const statements = await proxy.record(async () => {
    for (const key of ['x', 'cdt_live_short', undefined]) {
      expect((await world.admin.as(key).listTeams()).status).toBe(401);
    }
  });
  expect(statements.filter(({ text }) => text.includes('api_key'))).toEqual([]);
});
