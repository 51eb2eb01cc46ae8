// Queries on skewed data, where one object has thousands of rows and others have one: the right
// plan for one is wrong for the others, and Postgres cannot choose without the values, or without
// statistics about a table that was just filled.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/store/store.ts';
import { contextOf, page } from '../registry/world.ts';
import { someId } from '../support/postgres/audit-events.ts';
import { pagesRead, withoutValues } from '../support/postgres/pages-read.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import {
  type PostgresProxy,
  type Statement,
  startPostgresProxy,
} from '../support/postgres/postgres-proxy.ts';

const count = 4_000;
const actor = `'system', ${someId(`'system'`)}, 'system'`;
const of = (kind: string, n = 'i') => someId(`'${kind}' || ${n}`);

let database: TestDatabase;
let proxy: PostgresProxy;
let store: Store;

beforeAll(async () => {
  database = await openDatabase();
  await seed();
  proxy = await startPostgresProxy(database.url);
  store = await openStore({ url: proxy.url, rowChecks: 'every' });
});
afterAll(async () => {
  await store.stop();
  await proxy.close();
  await database.drop();
});

/**
 * Team 1 owns nearly all assets. Asset 1 has a consumer in every team, and everything depends on
 * it.
 */
async function seed(): Promise<void> {
  for (const table of ['team', 'asset', 'contract', 'registration', 'proposal', 'dependency']) {
    await database.query(`alter table ${table} set (autovacuum_enabled = off)`);
  }
  const each = `from generate_series(1, ${count}) i`;
  await database.query(`insert into team (id, name, slug, metadata, created_at, updated_at)
    select ${of('team')}, 'team ' || i, 'team-' || i, '{}', now(), now() ${each}`);
  await database.query(`insert into asset (id, fqn, environment, owner_team_id, guarantee_mode,
      auto_publish, metadata, resource_type, tags, search_text, created_at, updated_at)
    select ${of('asset')}, 'shop.area.table_' || i, 'production',
      case when i % 1000 = 0 then ${of('team', '2')} else ${of('team', '1')} end, 'notify', false, '{}',
      'model', '{}', 'word', now(), now() ${each}`);
  await database.query(`insert into contract (id, asset_id, ordinal, version, status, schema,
      schema_digest, compatibility_mode, format, direction, change_type, published_at,
      published_by, actor_type, actor_id, actor_name, source)
    select ${of('contract')}, ${of('asset')}, 1, '1.0.0', 'active', '{}', repeat('0', 64),
      'backward', 'jsonschema', 'data', 'initial', now(), ${of('team', '1')}, ${actor}, 'api' ${each}`);
  await database.query(`insert into registration (id, asset_id, contract_id, registered_version,
      consumer_team_id, status, source, actor_type, actor_id, actor_name, created_at, updated_at)
    select ${of('used')}, ${of('asset', '1')}, ${of('contract', '1')}, '1.0.0', ${of('team')},
      'active', 'api', ${actor}, now(), now() ${each}`);
  await database.query(`insert into registration (id, asset_id, contract_id, registered_version,
      consumer_team_id, status, source, actor_type, actor_id, actor_name, created_at, updated_at)
    select ${of('using')}, ${of('asset')}, ${of('contract')}, '1.0.0', ${of('team', '3')},
      'active', 'api', ${actor}, now(), now() ${each} where i > 1`);
  await database.query(`insert into proposal (id, asset_id, kind, status, proposed,
      proposed_digest, changes, breaking_changes, breaking_changes_count, base_contract_id, round,
      proposed_at, proposed_by, actor_type, actor_id, actor_name, decided_total,
      decided_acknowledged, decided_consumers)
    select ${of('proposal')}, ${of('asset', '1')}, 'schema', 'withdrawn', '{"kind": "schema"}', '', '[]',
      '[]', 0, ${of('contract', '1')}, 1, now(), ${of('team', '1')}, ${actor}, 0, 0, '[]'
    from generate_series(1, 50) i`);
  await database.query(`insert into dependency (id, asset_id, depends_on_asset_id, type, source,
      created_at)
    select ${of('dependency')}, ${of('asset')}, ${of('asset', '1')}, 'references', 'dbt', now()
    ${each} where i > 1`);
  await database.query(`insert into dependency (id, asset_id, depends_on_asset_id, type, source,
      created_at)
    select ${of('step')}, ${of('asset')}, ${of('asset', '(i - 1)')}, 'references', 'dbt', now()
    ${each} where i > 10`);
  await database.query(`insert into dependency (id, asset_id, depends_on_asset_id, type, source,
      created_at)
    select ${of('end')}, ${of('asset', '2')}, ${of('asset')}, 'references', 'dbt', now()
    ${each} where i between 10 and 1000`);
}

async function idOf(kind: string, n: number): Promise<string> {
  const [row] = await database.query(`select ${of(kind, String(n))} as id`);
  return String(row?.id);
}

/** The only statement of an act that contains this text. */
async function statementOf(act: () => Promise<unknown>, has: RegExp): Promise<Statement> {
  const statements = await proxy.record(async () => void (await act()));
  const [statement, ...others] = statements.filter(({ text }) => has.test(text));
  if (statement === undefined || others.length > 0) throw new Error('Not one statement.');
  return statement;
}

async function pagesOf(statement: Statement, settings: readonly string[] = []): Promise<number> {
  return (await pagesRead(database.url, statement, settings)).pages;
}

const short = { ...page, pageSize: 10, includeTotal: false };

describe('Before Postgres has statistics about new data', () => {
  test('the consumers of an asset are found through the asset', async () => {
    const assetId = await idOf('asset', 7);
    const facts = () => store.reads.getAssetFacts(assetId);
    expect((await facts())?.consumers).toHaveLength(1);
    expect(await pagesOf(await statementOf(facts, /highestVersion/))).toBeLessThan(50);
  });

  test('decided proposals look up no consumers', async () => {
    const list = () => store.reads.listProposals({ ...page, status: 'withdrawn' });
    expect(await list()).toMatchObject({ ok: true, value: { total: 50 } });
    expect(await pagesOf(await statementOf(list, /decided_total/))).toBeLessThan(1_000);
  });

  test('the graph of teams does not compare every use with every asset', async () => {
    const graph = () => store.reads.getTeamGraph({ by: 'team', environment: 'production' });
    expect((await graph()).assetCount).toBe(count);
    const asked = await statementOf(graph, /owned/);
    const { mismatches } = await pagesRead(database.url, asked);
    expect(mismatches).toBeLessThan(1_000_000);
  });
});

describe('With statistics', () => {
  beforeAll(async () => {
    await database.query('vacuum (analyze)');
  });

  test('a page of the consumers of one asset is selected before it is joined, with any plan', async () => {
    const assetId = await idOf('asset', 1);
    const list = () => store.reads.listRegistrations({ ...short, assetId });
    expect((await list()).ok).toBe(true);
    const asked = await statementOf(list, /registeredVersion/);
    // Its registrations are read once and sorted.
    expect(await pagesOf(asked)).toBeLessThan(5_000);
    expect(await pagesOf(asked, [withoutValues])).toBeLessThan(5_000);
  });

  test('the registration of a team that uses everything, for an asset that all use, is found by its key', async () => {
    const assetId = await idOf('asset', 1);
    const consumerTeamId = await idOf('team', 3);
    const list = () => store.reads.listRegistrations({ ...short, assetId, consumerTeamId });
    expect(await list()).toMatchObject({ value: { results: [{ id: await idOf('used', 3) }] } });
    const asked = await statementOf(list, /registeredVersion/);
    expect(await pagesOf(asked)).toBeLessThan(50);
    expect(await pagesOf(asked, [withoutValues])).toBeLessThan(50);
  });

  test.each([
    [
      'two filters',
      () => store.reads.listAssets({ ...short, environment: 'x', resourceType: 'y' }),
    ],
    ['a word', () => store.reads.listAssets({ ...short, q: 'nothing' })],
    [
      'what a team consumes',
      async () => store.reads.listAssets({ ...short, consumerTeamId: await idOf('team', 3) }),
    ],
    [
      'a state and a team',
      async () => {
        const consumerTeamId = await idOf('team', 3);
        return store.reads.listRegistrations({ ...short, consumerTeamId, status: 'inactive' });
      },
    ],
    [
      'a version and a state',
      () => store.reads.listContracts({ ...short, version: '1.0.0', status: 'archived' }),
    ],
    [
      'proposals of an owner',
      async () => store.reads.listProposals({ ...short, teamId: await idOf('team', 2) }),
    ],
    [
      'events of a type and a kind',
      () =>
        store.reads.listEvents({
          personal: 'all',
          limit: 10,
          offset: 0,
          includeTotal: false,
          eventType: 'team.created',
          entityType: 'team',
        }),
    ],
    [
      'teams of an owner',
      async () => store.reads.getTeamGraph({ by: 'team', ownerTeamId: await idOf('team', 2) }),
    ],
  ])('%s: planned for the values each time', async (_name, ask) => {
    const asked = await statementOf(ask, /select/);
    expect(asked.name).toBe('');
    expect(await pagesOf(asked)).toBeLessThan(500);
  });

  test('queries about one object keep their plan', async () => {
    const assetId = await idOf('asset', 7);
    const list = () => store.reads.listContracts({ ...short, assetId });
    expect((await statementOf(list, /select/)).name).not.toBe('');
  });

  test('deleting a team reads what it has, not all assets', async () => {
    const teamId = await idOf('team', 2);
    const lock = () =>
      store.transact(contextOf(), async (transaction) => {
        const facts = await transaction.lockTeam(teamId);
        expect(facts?.lockedAssets).toHaveLength(5);
        return { ok: true, value: null };
      });
    const asked = await statementOf(lock, /owner_team_id = .* union/s);
    expect(await pagesOf(asked)).toBeLessThan(200);
    expect(await pagesOf(asked, [withoutValues])).toBeLessThan(200);
  });

  test('lines between a few assets are looked up from the dependent side', async () => {
    const ids = await Promise.all([1, 3, 4, 5].map((n) => idOf('asset', n)));
    const edges = () => store.reads.listLineageEdges(ids);
    expect(await edges()).toHaveLength(3);
    const asked = await statementOf(edges, /unnest/);
    expect(await pagesOf(asked)).toBeLessThan(50);
    expect(await pagesOf(asked, [withoutValues])).toBeLessThan(50);
  });

  test('an empty lane is removed by its key', async () => {
    await database.query(`insert into webhook (id, url, secret, events, team_ids, created_at, updated_at)
      values (${of('webhook', '1')}, 'https://hooks.example.com', '', '{}', '{}', now(), now())`);
    await database.query(`insert into delivery_lane (webhook_id, asset_id, due_at)
      select ${of('webhook', '1')}, ${of('lane')}, case when i <= 5 then now() end
      from generate_series(1, 30000) i`);
    await database.query('vacuum (analyze) delivery_lane');
    const question = { limit: 10, webhookLimit: 10, underWay: new Map(), leaseMs: 60_000 };
    const claim = async () => {
      expect(await store.outbox.claim(question)).toEqual({ dispatches: [], nextDueInMs: null });
    };
    const asked = await statementOf(claim, /due_at = null/);
    expect(await pagesOf(asked)).toBeLessThan(100);
    expect(await pagesOf(asked, [withoutValues])).toBeLessThan(100);
  });
});
