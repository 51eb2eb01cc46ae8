// Dependencies between assets, and the lineage that follows from them.

import { describe, expect, test } from 'vitest';
import {
  createAsset,
  must,
  mustRefuse,
  narrowerSchema,
  openRegistryForFile,
  publishedAsset,
  register,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';
const anId = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const make = (owner = world.producer) => createAsset(owner);

async function depend(assetId: string, dependsOnId: string, client = world.admin) {
  const made = await client.addDependency({
    params: { asset_id: assetId },
    body: { depends_on_asset_id: dependsOnId, type: 'transforms' },
  });
  return must(made, 201);
}

describe('A dependency', () => {
  test('is added with 201, has the same form when read, is listed from both ends, and is recorded in the audit trail', async () => {
    const [asset, upstream] = [await make(), await make(world.other)];
    const made = await depend(asset.id, upstream.id, world.producer.client);
    expect(made).toEqual({
      id: anId,
      asset_id: asset.id,
      asset_fqn: asset.fqn,
      depends_on_asset_id: upstream.id,
      depends_on_fqn: upstream.fqn,
      type: 'transforms',
      source: 'manual',
      created_at: aTime,
    });
    const params = { asset_id: asset.id, dependency_id: made.id };
    expect(must(await world.consumer.client.getDependency({ params }), 200)).toEqual(made);
    const page = { results: [made], total: 1, page: 1, page_size: 20, next_cursor: null };
    const none = { results: [], total: 0, page: 1, page_size: 20, next_cursor: null };
    expect(await listed(asset.id)).toEqual(page);
    expect(await listed(asset.id, 'downstream')).toEqual(none);
    expect(await listed(upstream.id, 'downstream')).toEqual(page);
    expect(await listed(upstream.id)).toEqual(none);
    expect(await eventsOf(made.id)).toMatchObject([
      {
        event_type: 'dependency.created',
        metadata: {
          asset_id: asset.id,
          asset_fqn: asset.fqn,
          depends_on_asset_id: upstream.id,
          depends_on_fqn: upstream.fqn,
          type: 'transforms',
          source: 'manual',
        },
      },
    ]);
  });

  test('has the type consumes by default', async () => {
    const [asset, upstream] = [await make(), await make()];
    const body = { depends_on_asset_id: upstream.id };
    const params = { asset_id: asset.id };
    expect(must(await world.producer.client.addDependency({ params, body }), 201).type).toBe(
      'consumes',
    );
  });

  test('is paged by cursor, newest first', async () => {
    const asset = await make();
    const upstreams = [await make(), await make(), await make()];
    for (const { id } of upstreams) await depend(asset.id, id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { page_size: 2, ...(cursor !== undefined && { cursor }) };
      const params = { asset_id: asset.id };
      const page = must(await world.admin.listDependencies({ params, query }), 200);
      seen.push(...page.results.map((one) => one.depends_on_asset_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(upstreams.map(({ id }) => id).reverse());
  });

  test('is refused on itself, twice, and on assets that do not exist', async () => {
    const [asset, upstream] = [await make(), await make()];
    const add = (assetId: string, dependsOnId: string) =>
      world.producer.client.addDependency({
        params: { asset_id: assetId },
        body: { depends_on_asset_id: dependsOnId },
      });
    const field = 'depends_on_asset_id';
    expect(mustRefuse(await add(asset.id, asset.id), 400, 'VALIDATION_ERROR').field).toBe(field);
    expect(mustRefuse(await add(asset.id, nobody), 404, 'ASSET_NOT_FOUND').field).toBe(field);
    expect(mustRefuse(await add(nobody, asset.id), 404, 'ASSET_NOT_FOUND').field).toBeUndefined();
    const { id } = must(await add(asset.id, upstream.id), 201);
    expect(mustRefuse(await add(asset.id, upstream.id), 409, 'DEPENDENCY_EXISTS')).toMatchObject({
      field,
      dependency_id: id,
    });
    const twice = await Promise.all([add(upstream.id, asset.id), add(upstream.id, asset.id)]);
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test('is removed with 204 by the owner', async () => {
    const [asset, upstream] = [await make(), await make()];
    const { id } = await depend(asset.id, upstream.id);
    const params = { asset_id: asset.id, dependency_id: id };
    mustRefuse(await world.other.client.deleteDependency({ params }), 403, 'FORBIDDEN');
    const elsewhere = { asset_id: upstream.id, dependency_id: id };
    const { client } = world.producer;
    mustRefuse(await client.deleteDependency({ params: elsewhere }), 404, 'DEPENDENCY_NOT_FOUND');
    must(await client.deleteDependency({ params }), 204);
    mustRefuse(await client.deleteDependency({ params }), 404, 'DEPENDENCY_NOT_FOUND');
    mustRefuse(await client.getDependency({ params }), 404, 'DEPENDENCY_NOT_FOUND');
    expect((await eventsOf(id)).map((event) => event.event_type)).toEqual([
      'dependency.deleted',
      'dependency.created',
    ]);
  });

  test('is hidden while an asset is deleted, and continues with the next asset of its name', async () => {
    const [asset, upstream] = [await make(), await make()];
    const { id } = await depend(asset.id, upstream.id);
    must(await world.admin.deleteAsset({ params: { asset_id: upstream.id } }), 204);
    expect((await listed(asset.id)).results).toEqual([]);
    expect((await lineageOf(asset.id)).results).toEqual([]);
    const again = await createAsset(world.producer, { fqn: upstream.fqn });
    expect(again.id).not.toBe(upstream.id);
    expect((await listed(asset.id)).results).toMatchObject([
      { id, depends_on_asset_id: again.id, depends_on_fqn: upstream.fqn },
    ]);
  });

  test('lists and lineage of an asset that does not exist are 404', async () => {
    const params = { asset_id: nobody };
    mustRefuse(await world.admin.listDependencies({ params }), 404, 'ASSET_NOT_FOUND');
    mustRefuse(await world.admin.getLineage({ params }), 404, 'ASSET_NOT_FOUND');
  });
});

describe('Lineage', () => {
  test('lists nearest assets first, each once with a shortest path and its consumers', async () => {
    // d depends on b and c, which depend on a; the consumer reads d, and a depends on d: a cycle.
    const [a, b, c] = [await make(), await make(), await make()];
    const published = await publishedAsset(world.producer);
    const d = { id: published.assetId, fqn: published.fqn };
    await register(world.consumer, published.contractId);
    await depend(b.id, a.id);
    await depend(c.id, a.id);
    await depend(d.id, b.id);
    await depend(d.id, c.id);
    await depend(a.id, d.id);
    const shared = {
      environment: 'production',
      owner_team_id: world.producer.teamId,
      owner_team_name: world.producer.name,
      type: 'transforms',
      consumers: [],
    };
    const consumers = [{ team_id: world.consumer.teamId, team_name: world.consumer.name }];
    const [first, second] = b.fqn < c.fqn ? [b, c] : [c, b];
    const edge = (asset: { id: string }, on: { id: string }) => ({
      asset_id: asset.id,
      depends_on_asset_id: on.id,
      type: 'transforms',
    });
    expect(await lineageOf(a.id, 'downstream')).toEqual({
      asset_id: a.id,
      direction: 'downstream',
      max_depth: 10,
      truncated: false,
      results: [
        { ...shared, asset_id: b.id, fqn: b.fqn, depth: 1, path: [a.fqn, b.fqn] },
        { ...shared, asset_id: c.id, fqn: c.fqn, depth: 1, path: [a.fqn, c.fqn] },
        {
          ...shared,
          asset_id: d.id,
          fqn: d.fqn,
          depth: 2,
          path: [a.fqn, b.fqn, d.fqn],
          consumers,
        },
      ].sort((x, y) => x.depth - y.depth || (x.fqn < y.fqn ? -1 : 1)),
      // Every path to d, and the one back, which the results alone do not show.
      edges: [edge(first, a), edge(second, a), edge(a, d), edge(d, first), edge(d, second)],
      edges_truncated: false,
    });
    const upstream = await lineageOf(a.id, 'upstream');
    expect(upstream.results.map(({ depth }) => depth)).toEqual([1, 2, 2]);
    expect(upstream.results[0]?.path).toEqual([a.fqn, d.fqn]);
  });

  test('has dependencies that pass the asset, if they are asked for', async () => {
    const [top, middle, bottom, beside] = [await make(), await make(), await make(), await make()];
    await depend(middle.id, top.id);
    await depend(bottom.id, middle.id);
    await depend(bottom.id, top.id);
    // A line within the other direction.
    await depend(top.id, beside.id);
    const pairsOf = async (query: { direction: 'upstream' | 'downstream'; passing?: boolean }) => {
      const params = { asset_id: middle.id };
      const { edges } = must(await world.consumer.client.getLineage({ params, query }), 200);
      return edges.map(({ asset_id, depends_on_asset_id }) => [asset_id, depends_on_asset_id]);
    };
    const direction = 'downstream';
    expect(await pairsOf({ direction })).toEqual([[bottom.id, middle.id]]);
    expect(await pairsOf({ direction, passing: true })).toEqual([
      [bottom.id, middle.id],
      [bottom.id, top.id],
    ]);
    expect(await pairsOf({ direction: 'upstream', passing: true })).toEqual([
      [middle.id, top.id],
      [top.id, beside.id],
      [bottom.id, top.id],
    ]);
  });

  test('stops at depth ten, and says that there is more', async () => {
    const chain = [];
    for (let i = 0; i < 12; i++) chain.push(await make());
    for (const [i, { id }] of chain.entries()) {
      const next = chain[i + 1];
      if (next !== undefined) await depend(id, next.id);
    }
    const [first, second] = chain;
    const whole = await lineageOf(first?.id ?? '');
    expect(whole.results.map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(whole.truncated).toBe(true);
    expect(whole.results.at(-1)?.path).toEqual(chain.slice(0, 11).map(({ fqn }) => fqn));
    expect((await lineageOf(second?.id ?? '')).truncated).toBe(false);
    const near = await lineageOf(second?.id ?? '', 'upstream', 3);
    expect(near).toMatchObject({ max_depth: 3, truncated: true });
    expect(near.results).toHaveLength(3);
    const params = { asset_id: nobody };
    const refused = await world.admin.getLineage({ params, query: { depth: 11 } });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR').field).toBe('depth');
  });

  test('is the downstream of an impact, whether or not the change breaks', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const [near, far] = [await make(), await make(world.other)];
    await depend(near.id, assetId);
    await depend(far.id, near.id);
    const { results, truncated } = await lineageOf(assetId, 'downstream');
    expect(results.map(({ asset_id }) => asset_id)).toEqual([near.id, far.id]);
    for (const [proposed_schema, isBreaking] of [
      [narrowerSchema, true],
      [widerSchema, false],
    ] as const) {
      const params = { asset_id: assetId };
      const impact = await world.consumer.client.assessImpact({
        params,
        body: { proposed_schema },
      });
      const { is_breaking, downstream } = must(impact, 200);
      expect(is_breaking).toBe(isBreaking);
      expect(downstream).toEqual({ results, max_depth: 10, truncated });
    }
  });

  test('lists at most 500 assets, and does not follow every path in a dense graph', async () => {
    // Nine layers of 60, each asset depending on the whole layer before: 60^9 paths.
    const webId = (layer: string, i: string) =>
      `overlay(overlay(md5('web' || ${layer} || '/' || ${i}) placing '7' from 13) placing '8' from 17)::uuid`;
    const root = await make();
    await registry.database.query(`
      insert into asset (id, fqn, environment, owner_team_id, guarantee_mode, auto_publish,
        metadata, tags, search_text, created_at, updated_at)
      select ${webId('layer', 'i')}, 'web.layer_' || layer || '.table_' || i, 'production',
        '${world.producer.teamId}', 'notify', false, '{}', '{}', '', now(), now()
      from generate_series(1, 9) layer, generate_series(1, 60) i`);
    await registry.database.query(`
      insert into dependency (id, asset_id, depends_on_asset_id, type, source, created_at)
      select gen_random_uuid(), ${webId('layer', 'i')},
        case when layer = 1 then '${root.id}'
          else ${webId('layer - 1', 'j')} end, 'references', 'dbt', now()
      from generate_series(1, 9) layer, generate_series(1, 60) i, generate_series(1, 60) j
      where layer > 1 or j = 1`);
    const web = await lineageOf(root.id, 'downstream');
    expect(web.results).toHaveLength(500);
    expect(new Set(web.results.map(({ asset_id }) => asset_id)).size).toBe(500);
    expect(web.truncated).toBe(true);
    expect([web.edges.length, web.edges_truncated]).toEqual([2_000, true]);
    const reached = new Set([root.id, ...web.results.map(({ asset_id }) => asset_id)]);
    expect(web.edges.every((one) => reached.has(one.asset_id))).toBe(true);
    expect(web.edges.every((one) => reached.has(one.depends_on_asset_id))).toBe(true);
    const near = await lineageOf(root.id, 'downstream', 1);
    expect([near.edges.length, near.edges_truncated]).toEqual([60, false]);
    expect(web.results.filter(({ depth }) => depth === 8)).toHaveLength(60);
    const most = await lineageOf(root.id, 'downstream', 8);
    expect(most.results).toHaveLength(480);
  });
});

async function listed(assetId: string, direction?: 'upstream' | 'downstream') {
  const params = { asset_id: assetId };
  const query = direction === undefined ? {} : { direction };
  return must(await world.consumer.client.listDependencies({ params, query }), 200);
}

async function lineageOf(assetId: string, direction?: 'upstream' | 'downstream', depth?: number) {
  const params = { asset_id: assetId };
  const query = {
    ...(direction !== undefined && { direction }),
    ...(depth !== undefined && { depth }),
  };
  return must(await world.consumer.client.getLineage({ params, query }), 200);
}

async function eventsOf(id: string) {
  const params = { entity_type: 'dependency', entity_id: id } as const;
  return must(await world.admin.listEntityHistory({ params }), 200).results;
}
