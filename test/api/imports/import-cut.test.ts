// Imports that run at the same time, that are observed, and that are interrupted: all or nothing.

import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openClient, type TestClient } from '../../support/client/client.ts';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import { must, openWorld, type World } from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';
import { readMetrics } from '../../support/metrics.ts';

let registry: TestRegistry;
let beside: ProcessRegistry;
let world: World;

beforeAll(async () => {
  registry = await openRegistry();
  beside = await openProcess(registry.database.serviceUrl);
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await beside.stop();
  await registry.stop();
});

let environment: string;
let environments = 0;
beforeEach(() => {
  environments++;
  environment = `e${environments}`;
});

const count = 30;
const patience = { timeout: 120_000, interval: 20 };

function bodyOf(description: string) {
  const models = Array.from({ length: count }, (_, index) => ({
    name: `m${index}`,
    refs: index === 0 ? [] : [`m${index - 1}`],
    description,
  }));
  return {
    manifest: manifestOf('shop', models),
    owner_team_id: world.producer.teamId,
    environment,
    conflict_mode: 'overwrite' as const,
    auto_publish_contracts: true,
  };
}

async function rowsOfEnvironment() {
  return registry.database.query(
    `select asset.fqn, asset.metadata ->> 'description' as description,
      array_agg(contract.version order by contract.ordinal) as versions,
      (select count(*)::int from dependency where dependency.asset_id = asset.id) as upstream,
      max(contract.schema -> 'properties' -> 'id' ->> 'description')
        filter (where contract.status = 'active') as active
     from asset left join contract on contract.asset_id = asset.id
     where environment = $1 group by asset.id order by fqn`,
    [environment],
  );
}

test('two different imports at once, in two processes, have the same result as one after the other', async () => {
  const at = (url: string) => openClient(url, world.producer.key);
  const answers = await Promise.all([
    at(registry.url).uploadDbt({ body: bodyOf('left') }),
    at(beside.url).uploadDbt({ body: bodyOf('right') }),
  ]);
  const [left, right] = answers.map((answer) => must(answer, 200));
  const told = [left, right].map((made) => [made?.assets.created, made?.assets.updated]);
  expect(told.sort()).toEqual([
    [0, count],
    [count, 0],
  ]);
  const last = left?.assets.created === count ? 'right' : 'left';
  const rows = await rowsOfEnvironment();
  expect(rows).toHaveLength(count);
  for (const row of rows) {
    const isFirst = row.fqn === 'shop.public.m0';
    expect(row).toEqual({
      fqn: row.fqn,
      description: last,
      versions: ['1.0.0', '1.0.1'],
      upstream: isFirst ? 0 : 1,
      active: last,
    });
  }
});

test('an import and a publish for one of its assets at once both take effect', async () => {
  must(await world.producer.client.uploadDbt({ body: bodyOf('before') }), 200);
  const query = { environment, fqn: 'shop.public.m7' };
  const { results } = must(await world.admin.listAssets({ query }), 200);
  const params = { asset_id: results[0]?.id ?? '' };
  const schema = { type: 'object', properties: { id: { type: 'integer', description: 'mine' } } };
  const [imported, published] = await Promise.all([
    openClient(beside.url, world.producer.key).uploadDbt({ body: bodyOf('after') }),
    world.producer.client.publishContract({ params, body: { schema } }),
  ]);
  must(imported, 200);
  must(published, 201);
  const { results: contracts } = must(
    await world.admin.listAssetContracts({ params, query: {} }),
    200,
  );
  expect(contracts.map(({ version }) => version)).toEqual(['1.0.2', '1.0.1', '1.0.0']);
  expect(contracts.filter(({ status }) => status === 'active')).toHaveLength(1);
});

describe('An import that has written but not committed', () => {
  let lock: pg.Client;

  /** When events are written, everything else has been written already. */
  beforeEach(async () => {
    lock = new pg.Client(registry.database.url);
    await lock.connect();
    await lock.query('begin');
    await lock.query('lock table outbox in access exclusive mode');
  });
  afterEach(() => lock.end());

  async function heldUp(): Promise<number> {
    const [row] = await registry.database.query(
      // The outbox also waits there; only sessions that write events are imports.
      `select count(*)::int as count from pg_locks join pg_stat_activity using (pid)
       where not granted and relation = 'outbox'::regclass and query like '%insert into outbox%'`,
    );
    return Number(row?.count);
  }

  const release = () => lock.query('rollback');

  async function seen(client: TestClient) {
    const query = { environment };
    const { total } = must(await client.listAssets({ query }), 200);
    return { assets: total };
  }

  test('is invisible to readers, and afterwards visible completely', async () => {
    const importing = world.producer.client.uploadDbt({ body: bodyOf('seen') });
    await vi.waitFor(async () => expect(await heldUp()).toBe(1), patience);
    expect(await seen(world.admin)).toEqual({ assets: 0 });
    expect(await seen(openClient(beside.url, registry.bootstrapKey))).toEqual({ assets: 0 });
    await release();
    must(await importing, 200);
    const rows = await rowsOfEnvironment();
    expect(rows.map(({ versions }) => versions)).toEqual(rows.map(() => ['1.0.0']));
    expect(await seen(world.admin)).toEqual({ assets: count });
  });

  test('leaves nothing when its client disconnects', async () => {
    const gone = new AbortController();
    const importing = fetch(`${registry.url}/api/v1/sync/dbt/upload`, {
      method: 'POST',
      signal: gone.signal,
      headers: {
        authorization: `Bearer ${world.producer.key}`,
        'content-type': 'application/json',
        'idempotency-key': 'cut',
      },
      body: JSON.stringify(bodyOf('gone')),
    });
    await vi.waitFor(async () => expect(await heldUp()).toBe(1), patience);
    gone.abort();
    await expect(importing).rejects.toThrow();
    // The client notices at once, the server only later: an earlier commit stays.
    await expect.poll(importsAtWork, patience).toBe(0);
    await release();
    await vi.waitFor(async () => expect(await underWay()).toBe(0), patience);
    expect(await rowsOfEnvironment()).toEqual([]);
    // The server continues to work.
    const again = must(await world.producer.client.uploadDbt({ body: bodyOf('back') }), 200);
    expect(again.assets.created).toBe(count);
  });

  test('leaves nothing when its process is killed', async () => {
    const doomed = await openProcess(registry.database.serviceUrl);
    const body = bodyOf('killed');
    const importing = openClient(doomed.url, world.producer.key).uploadDbt({ body });
    const refused = expect(importing).rejects.toThrow();
    await vi.waitFor(async () => expect(await heldUp()).toBe(1), patience);
    await doomed.kill();
    await refused;
    await release();
    await vi.waitFor(async () => expect(await underWay()).toBe(0), patience);
    expect(await rowsOfEnvironment()).toEqual([]);
    const again = must(await world.producer.client.uploadDbt({ body }), 200);
    expect(again.assets.created).toBe(count);
  });

  async function importsAtWork(): Promise<number> {
    return (await readMetrics(registry.url)).value('concordat_threads{pool="import",state="busy"}');
  }

  /** The number of transactions that still write. */
  async function underWay(): Promise<number> {
    const [row] = await registry.database.query(
      `select count(*)::int as count from pg_locks
       where relation = 'asset'::regclass and mode = 'RowExclusiveLock'
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return Number(row?.count);
  }
});

test('with an interrupted body leaves nothing', async () => {
  const text = JSON.stringify(bodyOf('cut'));
  const gone = new AbortController();
  const half = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2)));
    },
  });
  const importing = fetch(`${registry.url}/api/v1/sync/dbt/upload`, {
    method: 'POST',
    signal: gone.signal,
    headers: {
      authorization: `Bearer ${world.producer.key}`,
      'content-type': 'application/json',
    },
    body: half,
    duplex: 'half',
  } as RequestInit);
  const refused = expect(importing).rejects.toThrow();
  gone.abort();
  await refused;
  expect(await rowsOfEnvironment()).toEqual([]);
  must(await world.producer.client.uploadDbt({ body: bodyOf('cut') }), 200);
});
