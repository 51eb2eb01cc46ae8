// An external reference in a schema causes no request: the registry uses only what the schema
// contains.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  openWorld,
  publishedAsset,
  type World,
} from '../support/client/client-world.ts';

let registry: TestRegistry;
let world: World;
let elsewhere: Server;
let asked = 0;

beforeAll(async () => {
  registry = await openRegistry();
  world = await openWorld(registry.url, registry.bootstrapKey);
  elsewhere = createServer((_request, response) => {
    asked++;
    response.end('{"type": "string"}');
  });
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  await new Promise((done) => elsewhere.close(done));
  await registry.stop();
});

test.each(['$ref', '$dynamicRef', '$schema', '$id'])(
  'A schema with an external %s is published or refused, and compared, without a request to it',
  async (keyword) => {
    const { port } = elsewhere.address() as AddressInfo;
    const places = [
      `http://127.0.0.1:${port}/a.json`,
      `http://169.254.169.254:${port}/latest`,
      `file:///etc/passwd`,
      `//127.0.0.1:${port}/a.json#/b`,
    ];
    for (const place of places) {
      const schema = { type: 'object', properties: { a: { [keyword]: place } } };
      const whole = { type: 'object', [keyword]: place };
      const { producer } = world;
      const fresh = await createAsset(producer);
      const known = await publishedAsset(producer);
      for (const body of [schema, whole]) {
        const published = await producer.client.publishContract({
          params: { asset_id: fresh.id },
          body: { schema: body },
        });
        const impact = await producer.client.assessImpact({
          params: { asset_id: known.assetId },
          body: { proposed_schema: body },
        });
        for (const { status } of [published, impact]) expect(status).toBeLessThan(500);
        expect(JSON.stringify([published, impact])).not.toContain('root:');
      }
    }
    expect(asked).toBe(0);
  },
);
