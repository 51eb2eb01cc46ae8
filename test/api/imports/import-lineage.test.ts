// After an import the lineage is that of the manifest, and a recreated name continues.

import { beforeEach, describe, expect, test } from 'vitest';
import {
  must,
  openRegistryForFile,
  register,
  type World,
} from '../../support/client/client-world.ts';
import { type Model, manifestOf } from '../../support/manifest.ts';

const { registry, world } = await openRegistryForFile();

let environment: string;
let environments = 0;
beforeEach(() => {
  environments++;
  environment = `e${environments}`;
});

type Upload = Parameters<World['admin']['uploadDbt']>[0]['body'];

async function upload(models: readonly Model[], more: Partial<Upload> = {}) {
  const body: Upload = {
    manifest: manifestOf('shop', models),
    owner_team_id: world.producer.teamId,
    environment,
    ...more,
  };
  return must(await world.producer.client.uploadDbt({ body }), 200);
}

async function assetId(name: string): Promise<string> {
  const query = { environment, fqn: `shop.public.${name}` };
  const { results } = must(await world.admin.listAssets({ query }), 200);
  return results[0]?.id ?? '';
}

async function upstreamOf(name: string) {
  const params = { asset_id: await assetId(name) };
  const { results } = must(await world.admin.listDependencies({ params }), 200);
  return results
    .map(({ depends_on_fqn, source, type }) => ({ on: depends_on_fqn, source, type }))
    .sort((a, b) => (a.on < b.on ? -1 : 1));
}

const made = (name: string) => ({ on: `shop.public.${name}`, source: 'dbt', type: 'transforms' });

async function eventCount(): Promise<number> {
  const [row] = await registry.database.query('select count(*)::int as count from audit_event');
  return Number(row?.count);
}

describe('Lineage', () => {
  test('follows the references of the manifest, also under ignore; the same file adds nothing', async () => {
    await upload([{ name: 'a' }, { name: 'b' }, { name: 'c', refs: ['a'] }]);
    expect(await upstreamOf('c')).toEqual([made('a')]);
    const again = await upload([{ name: 'a' }, { name: 'b' }, { name: 'c', refs: ['b'] }]);
    expect(again.assets).toMatchObject({ skipped: 3, updated: 0 });
    expect(await upstreamOf('c')).toEqual([made('b')]);
    const before = await eventCount();
    await upload([{ name: 'a' }, { name: 'b' }, { name: 'c', refs: ['b'] }]);
    expect(await eventCount()).toBe(before);
    const walked = await world.admin.getLineage({
      params: { asset_id: await assetId('b') },
      query: { direction: 'downstream' },
    });
    expect(must(walked, 200).results.map(({ fqn }) => fqn)).toEqual(['shop.public.c']);
  });

  test('records each change in the audit trail, with its source', async () => {
    await upload([{ name: 'a' }, { name: 'c', refs: ['a'] }]);
    await upload([{ name: 'a' }, { name: 'c' }]);
    const events = await Promise.all(
      (['dependency.created', 'dependency.deleted'] as const).map(async (event_type) => {
        const { results } = must(await world.admin.listEvents({ query: { event_type } }), 200);
        return results[0]?.metadata;
      }),
    );
    const told = { asset_fqn: 'shop.public.c', depends_on_fqn: 'shop.public.a', source: 'dbt' };
    expect(events).toMatchObject([told, told]);
  });

  test('keeps dependencies that people added, and does not duplicate them', async () => {
    await upload([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    const params = { asset_id: await assetId('c') };
    for (const name of ['a', 'b']) {
      const body = { depends_on_asset_id: await assetId(name), type: 'consumes' as const };
      must(await world.producer.client.addDependency({ params, body }), 201);
    }
    await upload([{ name: 'a' }, { name: 'b' }, { name: 'c', refs: ['a'] }]);
    const manual = (name: string) => ({ ...made(name), source: 'manual', type: 'consumes' });
    expect(await upstreamOf('c')).toEqual([manual('a'), manual('b')]);
  });

  test('of a vanished model is removed with prune', async () => {
    await upload([{ name: 'a' }, { name: 'c', refs: ['a'] }]);
    expect((await upload([{ name: 'a' }])).removed).toHaveLength(1);
    expect(await upstreamOf('c')).toEqual([made('a')]);
    await upload([{ name: 'a' }], { prune: 'deprecate' });
    expect(await upstreamOf('c')).toEqual([]);
  });

  test('continues in both directions when a deleted name is recreated', async () => {
    const chain = [{ name: 'a' }, { name: 'b', refs: ['a'] }, { name: 'c', refs: ['b'] }];
    await upload(chain);
    const params = { asset_id: await assetId('b') };
    must(await world.producer.client.deleteAsset({ params, query: {} }), 204);
    expect(await upstreamOf('c')).toEqual([]);
    await upload(chain);
    expect(await upstreamOf('b')).toEqual([made('a')]);
    expect(await upstreamOf('c')).toEqual([made('b')]);
    const before = await eventCount();
    await upload(chain);
    expect(await eventCount()).toBe(before);
  });
});

describe('Importing a name that was deleted', () => {
  const published = { auto_publish_contracts: true };

  async function deleteConsumed(): Promise<string> {
    const first = await upload(
      [{ name: 'a', columns: { id: 'bigint', total: 'float' } }],
      published,
    );
    await register(world.consumer, first.models[0]?.contract_id ?? '');
    const params = { asset_id: await assetId('a') };
    must(
      await world.admin.deleteAsset({ params, query: { force: true, reason: 'It has to be.' } }),
      204,
    );
    return first.models[0]?.contract_id ?? '';
  }

  test('keeps its contract and consumers and reports that; the same file again changes nothing', async () => {
    const contractId = await deleteConsumed();
    const models = [{ name: 'a', columns: { id: 'bigint', total: 'float' } }];
    const again = await upload(models, published);
    expect(again.assets.created).toBe(1);
    expect(again.errors).toMatchObject([{ code: 'LINE_CONTINUES', fqn: 'shop.public.a' }]);
    expect(again.models[0]?.contract_id).toBe(contractId);
    const query = { contract_id: contractId };
    const { results } = must(await world.admin.listRegistrations({ query }), 200);
    expect(results.map(({ consumer_team_id }) => consumer_team_id)).toEqual([
      world.consumer.teamId,
    ]);
    const before = await eventCount();
    await upload(models, published);
    expect(await eventCount()).toBe(before);
  });

  test('compares with the earlier contract, and proposes breaks to its consumers', async () => {
    await deleteConsumed();
    const narrower = [{ name: 'a' }];
    const body = { manifest: manifestOf('shop', narrower), environment };
    const diff = must(await world.admin.diffDbt({ body }), 200);
    expect(diff.models).toMatchObject([{ change_type: 'new', schema_change_type: 'breaking' }]);
    const asked = await upload(narrower, { auto_create_proposals: true });
    expect(asked.proposals).toMatchObject({ created: 1 });
    const proposal = must(
      await world.admin.getProposal({
        params: { proposal_id: asked.proposals.details[0]?.proposal_id ?? '' },
      }),
      200,
    );
    expect(proposal).toMatchObject({
      asset_fqn: 'shop.public.a',
      status: 'pending',
      consumers: [{ team_id: world.consumer.teamId }],
    });
  });

  test('publishes the next version of a compatible change', async () => {
    await deleteConsumed();
    const wider = { id: 'bigint', total: 'float', note: 'text' };
    const made = await upload([{ name: 'a', columns: wider }], published);
    expect(made.contracts.published).toBe(1);
    const params = { asset_id: await assetId('a') };
    const { results } = must(await world.admin.listAssetContracts({ params, query: {} }), 200);
    expect(results.map(({ version, status }) => [version, status])).toEqual([
      ['1.1.0', 'active'],
      ['1.0.0', 'deprecated'],
    ]);
  });
});
