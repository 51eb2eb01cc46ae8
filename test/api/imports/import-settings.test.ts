// The defaults of imports are settings, and a call may override them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import { must, openWorld, uniqueName, type World } from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';

const columns = { id: 'numeric(38,0)', note: 'text' };

async function schemaOf(world: World, more: Record<string, unknown> = {}) {
  const name = uniqueName('model').replace(' ', '_');
  const manifest = Object(manifestOf('shop', [{ name, columns }]));
  const node = manifest.nodes[`model.shop.${name}`];
  node.constraints = [{ type: 'not_null', columns: ['id'] }];
  const { client, teamId } = world.producer;
  const made = must(
    await client.uploadDbt({
      body: { manifest, owner_team_id: teamId, auto_publish_contracts: true, ...more },
    }),
    200,
  );
  const params = { contract_id: made.models[0]?.contract_id ?? '' };
  return must(await client.getContract({ params }), 200).schema;
}

const plain = {
  type: 'object',
  properties: { id: { type: 'number' }, note: { type: 'string' } },
};
const strict = {
  type: 'object',
  properties: { id: { type: 'integer' }, note: { type: ['string', 'null'] } },
  required: ['id'],
};
const openapi = () => ({
  spec: {
    openapi: '3.1.0',
    info: { title: uniqueName('api'), version: '1' },
    paths: {
      '/a': { get: { parameters: [{ name: 'x', in: 'query', schema: { type: 'string' } }] } },
    },
  },
});

describe('A registry with default settings', () => {
  let registry: TestRegistry;
  let world: World;
  beforeAll(async () => {
    registry = await openRegistry();
    world = await openWorld(registry.url, registry.bootstrapKey);
  });
  afterAll(() => registry.stop());

  test('reads dbt columns by the table of types, and a call may choose otherwise', async () => {
    expect(await schemaOf(world)).toEqual(plain);
    const more = { nullable_columns: true, integer_at_scale_0: true, not_null_as_required: true };
    expect(await schemaOf(world, more)).toEqual(strict);
  });

  test('publishes OpenAPI contracts, unless a call says not to', async () => {
    const { client, teamId } = world.producer;
    const published = async (more: object) => {
      const body = { ...openapi(), owner_team_id: teamId, ...more };
      return must(await client.importOpenapi({ body }), 200).contracts_published;
    };
    expect(await published({})).toBe(1);
    expect(await published({ auto_publish_contracts: false })).toBe(0);
  });
});

describe('A registry with other settings', () => {
  let registry: TestRegistry;
  let world: World;
  beforeAll(async () => {
    registry = await openRegistry({
      NULLABLE_COLUMNS: 'true',
      INTEGER_AT_SCALE_0: 'true',
      NOT_NULL_AS_REQUIRED: 'true',
      META_ALIASES: 'governance, contract',
      OPENAPI_AUTO_PUBLISH: 'false',
    });
    world = await openWorld(registry.url, registry.bootstrapKey);
  });
  afterAll(() => registry.stop());

  test('reads dbt columns as configured, and a call may choose otherwise', async () => {
    expect(await schemaOf(world)).toEqual(strict);
    const less = {
      nullable_columns: false,
      integer_at_scale_0: false,
      not_null_as_required: false,
    };
    expect(await schemaOf(world, less)).toEqual(plain);
  });

  test('also reads the meta block under configured names, after its own', async () => {
    const { admin, producer, consumer } = world;
    const block = (name: string) => ({ owner_team: name });
    const manifest = manifestOf('shop', [
      { name: 'alias', meta: { contract: block(consumer.name) } },
      { name: 'both', meta: { governance: block('nobody'), svc: block(consumer.name) } },
    ]);
    const body = { manifest, owner_team_id: producer.teamId };
    const made = must(await admin.uploadDbt({ body }), 200);
    for (const { asset_id } of made.models) {
      const asset = await admin.getAsset({ params: { asset_id: asset_id ?? '' } });
      expect(must(asset, 200).owner_team_name).toBe(consumer.name);
    }
  });

  test('publishes no contracts unless a call requests it', async () => {
    const { client, teamId } = world.producer;
    const body = { ...openapi(), owner_team_id: teamId };
    expect(must(await client.importOpenapi({ body }), 200).contracts_published).toBe(0);
  });
});
