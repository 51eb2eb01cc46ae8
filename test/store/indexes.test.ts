// No list reads a growing table completely. Postgres itself counts the rows that it reads.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LineageDirection } from '../../src/core/dependency.ts';
import { accept, type Outcome } from '../../src/core/failure.ts';
import type { Listed } from '../../src/registry/lists.ts';
import type { Reads } from '../../src/registry/ports.ts';
import { openStore } from '../../src/store/store.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

let database: TestDatabase;
const some = { team: '', asset: '', contract: '', entity: '', service: '' };

/** Enough that reading a whole table costs more than any index, few enough to create in seconds. */
const assetCount = 20_000;

beforeAll(async () => {
  database = await openDatabase();
  const ids = (kind: string) => `md5('${kind}' || i)::uuid`;
  const count = `generate_series(1, ${assetCount}) i`;
  const soon = `now() - make_interval(secs => i)`;
  const actor = `'system', md5('system')::uuid, 'system'`;
  await database.query(`insert into team (id, name, slug, metadata, created_at, updated_at)
    select ${ids('team')}, 'team ' || i, 'team-' || i, '{}', ${soon}, ${soon}
    from generate_series(1, 2000) i`);
  await database.query(`insert into service (id, name, owner_team_id, metadata, created_at,
      updated_at)
    select ${ids('service')}, 'service-' || i, md5('team' || (i % 2000 + 1))::uuid, '{}', ${soon},
      ${soon} from ${count}`);
  await database.query(`insert into asset (id, fqn, environment, owner_team_id, guarantee_mode,
      auto_publish, metadata, resource_type, tags, search_text, managed_source,
      managed_reference, service_id, created_at, updated_at)
    select ${ids('asset')}, 'shop.table_' || i, 'production', md5('team' || (i % 2000 + 1))::uuid,
      'notify', false, '{}', case when i % 500 = 0 then 'seed' else 'model' end,
      case when i % 500 = 0 then array['rare'] else array['common'] end,
      'shop table word' || i, 'kubernetes', 'shop/table-' || i || ' in cluster',
      md5('service' || (i % 1000 + 1))::uuid, ${soon}, ${soon}
    from ${count}`);
  await database.query(`insert into contract (id, asset_id, ordinal, version, status, schema,
      schema_digest, compatibility_mode, format, direction, change_type, published_at,
      published_by, actor_type, actor_id, actor_name, source)
    select md5('contract' || i || '/' || v)::uuid, ${ids('asset')}, v, v || '.0.0',
      case when v = 2 then 'active' else 'deprecated' end, '{}', repeat('0', 64), 'backward',
      'jsonschema', 'data', 'major', ${soon}, md5('team1')::uuid, ${actor}, 'api'
    from ${count}, generate_series(1, 2) v`);
  await database.query(`insert into registration (id, asset_id, contract_id, registered_version,
      consumer_team_id, status, source, actor_type, actor_id, actor_name, created_at, updated_at)
    select ${ids('registration')}, ${ids('asset')}, md5('contract' || i || '/2')::uuid, '2.0.0',
      md5('team' || (i % 1999 + 1))::uuid, 'active', 'api', ${actor}, ${soon}, ${soon}
    from ${count}`);
  await database.query(`insert into proposal (id, asset_id, kind, status, proposed,
      proposed_digest, changes, breaking_changes, breaking_changes_count, base_contract_id, round,
      proposed_at, proposed_by, actor_type, actor_id, actor_name)
    select ${ids('proposal')}, ${ids('asset')}, 'schema',
      case when i % 100 = 0 then 'pending' else 'withdrawn' end, '{}', '', '[]', '[]', 0,
      md5('contract' || i || '/2')::uuid, 1, ${soon}, md5('team1')::uuid, ${actor} from ${count}`);
  await database.query(`insert into audit_event (id, event_type, entity_type, entity_id,
      actor_type, actor_id, occurred_at, request_id, metadata)
    select uuid_floor(${soon}), case when i % 500 = 0 then 'team.updated' else 'asset.updated' end,
      case when i % 500 = 0 then 'team' else 'asset' end, ${ids('asset')}, 'system',
      md5('actor' || i % 100)::uuid, ${soon}, null, '{}' from ${count}`);
  await database.query(`insert into dependency (id, asset_id, depends_on_asset_id, type, source,
      created_at)
    select ${ids('dependency')}, ${ids('asset')}, md5('asset' || i % ${assetCount} + 1)::uuid,
      'references', 'dbt', ${soon} from ${count}`);
  await database.query(`insert into quality_run (id, asset_id, status, triggered_by, guarantees,
      metadata, occurred_at, recorded_at)
    select ${ids('run')}, md5('asset' || i % 1000 + 1)::uuid,
      case when i % 3 = 0 then 'failed' else 'passed' end,
      case when i % 5 = 0 then 'schedule' else 'build_test' end,
      '[{"name": "not_null", "status": "failed"}]', '{}', ${soon}, ${soon} from ${count}`);
  await database.query(`insert into app_user (id, email, name, role, created_at, updated_at)
    select ${ids('user')}, 'person' || i || '@example.com', 'Person ' || i, 'viewer', ${soon},
      ${soon} from ${count}`);
  await database.query(`insert into api_key (id, name, digest, prefix, team_id, scopes, team_ids,
      all_teams, created_at, expires_at, last_used_at)
    select ${ids('key')}, 'key ' || i, sha256(('key' || i)::bytea), 'ck_' || lpad(i::text, 9, '0'),
      md5('team' || (i % 1999 + 1))::uuid, array['read'], array[md5('team' || (i % 1999 + 1))::uuid],
      false, ${soon}, case when i % 3 = 0 then ${soon} end, case when i % 2 = 0 then ${soon} end
    from ${count}`);
  await database.query('vacuum analyze');
  const [row] = await database.query(
    `select md5('team7')::uuid as team, md5('asset7')::uuid as asset,
       md5('contract7/2')::uuid as contract, md5('actor7')::uuid as entity, md5('service7')::uuid as service`,
  );
  Object.assign(some, row);
});
afterAll(() => database.drop());

const page = { page: 1, pageSize: 20, includeTotal: false };
const by = <const Field extends string>(field: Field) => ({
  sort: { field, direction: 'ascending' as const },
});
const byLastDay = { sort: { field: 'answer_by', direction: 'ascending' } } as const;
const events = { personal: 'all' as const, limit: 50, offset: 0, includeTotal: false };

type Lists = readonly (readonly [string, (reads: Reads) => Promise<Outcome<Listed<unknown>>>])[];

const lists: Lists = [
  ['assets', (reads) => reads.listAssets(page)],
  ['assets below a name', (reads) => reads.listAssets({ ...page, fqn: 'shop.table_7' })],
  ['assets of one name', (reads) => reads.listAssets({ ...page, fqn: 'shop.table_7777' })],
  ['assets that all begin alike', (reads) => reads.listAssets({ ...page, fqn: 'shop.' })],
  ['assets of a team', (reads) => reads.listAssets({ ...page, ownerTeamId: some.team })],
  [
    'assets that a team consumes',
    (reads) => reads.listAssets({ ...page, consumerTeamId: some.team }),
  ],
  ['assets of a service', (reads) => reads.listAssets({ ...page, serviceId: some.service })],
  ['services', (reads) => reads.listServices(page)],
  ['services by their age', (reads) => reads.listServices({ ...page, ...by('created_at') })],
  ['services of a team', (reads) => reads.listServices({ ...page, ownerTeamId: some.team })],
  ['services with a name', (reads) => reads.listServices({ ...page, name: 'service-7' })],
  ['assets with a tag', (reads) => reads.listAssets({ ...page, tag: 'rare' })],
  ['assets of a type', (reads) => reads.listAssets({ ...page, resourceType: 'seed' })],
  ['assets with a word', (reads) => reads.listAssets({ ...page, q: 'word777' })],
  [
    'assets of a table, whatever its capitals',
    async (reads) => whole(await reads.listAssetsOfTable('SHOP.Table_7777', 'production')),
  ],
  [
    'assets of a manager',
    async (reads) =>
      whole(
        await reads.listAssetsManagedBy({
          source: 'kubernetes',
          reference: 'shop/table-7 in cluster',
        }),
      ),
  ],
  ['contracts', (reads) => reads.listContracts(page)],
  ['contracts of an asset', (reads) => reads.listContracts({ ...page, assetId: some.asset })],
  ['contracts that are active', (reads) => reads.listContracts({ ...page, status: 'active' })],
  ['registrations', (reads) => reads.listRegistrations(page)],
  [
    'registrations of a team',
    (reads) => reads.listRegistrations({ ...page, consumerTeamId: some.team }),
  ],
  [
    'registrations on a contract',
    (reads) => reads.listRegistrations({ ...page, contractId: some.contract }),
  ],
  ['proposals', (reads) => reads.listProposals(page)],
  ['proposals of an asset', (reads) => reads.listProposals({ ...page, assetId: some.asset })],
  ['proposals that are pending', (reads) => reads.listProposals({ ...page, status: 'pending' })],
  ['proposals by their last day', (reads) => reads.listProposals({ ...page, ...byLastDay })],
  [
    'proposals that are pending, by their last day',
    (reads) => reads.listProposals({ ...page, ...byLastDay, status: 'pending' }),
  ],
  [
    'proposals of a kind, by their last day',
    (reads) => reads.listProposals({ ...page, ...byLastDay, kind: 'schema' }),
  ],
  [
    'the inbox of a team',
    (reads) => reads.listProposals({ ...page, consumerTeamId: some.team, awaiting: true }),
  ],
  ['proposals of a producer', (reads) => reads.listProposals({ ...page, teamId: some.team })],
  [
    'what an asset depends on',
    (reads) => reads.listDependencies({ ...page, assetId: some.asset, direction: 'upstream' }),
  ],
  [
    'what depends on an asset',
    (reads) => reads.listDependencies({ ...page, assetId: some.asset, direction: 'downstream' }),
  ],
  ['lineage upstream', (reads) => lineageOf(reads, 'upstream')],
  ['lineage downstream', (reads) => lineageOf(reads, 'downstream')],
  ['quality runs', (reads) => reads.listQualityRuns({ ...page, assetId: some.asset })],
  [
    'quality runs that failed',
    (reads) => reads.listQualityRuns({ ...page, assetId: some.asset, status: 'failed' }),
  ],
  [
    'quality runs of a trigger',
    (reads) => reads.listQualityRuns({ ...page, assetId: some.asset, triggeredBy: 'build_test' }),
  ],
  [
    'quality trends',
    async (reads) => whole(await reads.getQualityTrends(some.asset, new Date().toISOString())),
  ],
  ['incidents', async (reads) => whole(await reads.listIncidents(some.asset))],
  [
    'users by name',
    (reads) => reads.listUsers({ ...page, ...by('name'), includeDeactivated: false }),
  ],
  ['keys by name', (reads) => reads.listApiKeys({ ...page, ...by('name') })],
  ['keys by their end', (reads) => reads.listApiKeys({ ...page, ...by('expires_at') })],
  ['keys by their last use', (reads) => reads.listApiKeys({ ...page, ...by('last_used_at') })],
  ['events', (reads) => reads.listEvents(events)],
  ['events of an entity', (reads) => reads.listEvents({ ...events, entityId: some.asset })],
  ['events of an actor', (reads) => reads.listEvents({ ...events, actorId: some.entity })],
  ['events of a type', (reads) => reads.listEvents({ ...events, eventType: 'team.updated' })],
  ['events of a kind of thing', (reads) => reads.listEvents({ ...events, entityType: 'team' })],
  [
    'events of a day',
    (reads) =>
      reads.listEvents({ ...events, startDate: new Date(Date.now() - 60_000).toISOString() }),
  ],
];

async function lineageOf(reads: Reads, direction: LineageDirection) {
  const lineage = await reads.walkLineage({ assetId: some.asset, direction, maxDepth: 10 });
  return whole(lineage.assets);
}

function whole<T>(results: readonly T[]): Outcome<Listed<T>> {
  return accept({ results, total: null, nextCursor: null });
}

/** From the sixth execution Postgres may use a generic plan. */
const times = 7;
/** A page of 50 with its joins; a tenth of any growing table here. */
const rowLimit = 2_000;

test.each(lists)('%s are read through an index', async (_name, list) => {
  const before = await readRows();
  const store = await openStore({ url: database.url, maxConnections: 1 });
  for (let time = 0; time < times; time++) {
    const listed = await list(store.reads);
    expect(listed.ok && listed.value.results.length).toBeGreaterThan(0);
  }
  await store.stop();
  // Postgres reports a connection's statistics when it closes.
  await expect.poll(connections).toBe(1);
  const after = await readRows();
  expect(after.wholeTables).toEqual(before.wholeTables);
  // Walking an index and discarding most of it is no better than reading the table.
  expect(after.rows - before.rows).toBeLessThan(times * rowLimit);
});

async function connections(): Promise<number> {
  const rows = await database.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend'`,
  );
  return rows.length;
}

async function readRows(): Promise<{ readonly wholeTables: unknown; readonly rows: number }> {
  const tables = await database.query(
    `select relname, seq_scan, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
     from pg_stat_user_tables where n_live_tup >= ${assetCount / 2} order by relname`,
  );
  return {
    wholeTables: tables.map(({ relname, seq_scan }) => ({ relname, seq_scan })),
    rows: tables.reduce((sum, { rows }) => sum + Number(rows), 0),
  };
}
