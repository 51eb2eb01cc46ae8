// A registry of a given size, written directly to the database, and every list and history that can
// be requested.

import type { TestClient } from '../client/client.ts';
import { insertManyEvents, sealAsTheyAre, someId } from './audit-events.ts';

interface LargeSize {
  readonly assets: number;
  readonly events: number;
}

interface Database {
  query(sql: string): Promise<Record<string, unknown>[]>;
}

/**
 * Directly in the database, because it would take an hour otherwise. Indexes are built at the end.
 */
export async function seedLargeRegistry(database: Database, size: LargeSize): Promise<void> {
  const { assets: assetCount, events: eventCount } = size;
  const contractCount = 2 * assetCount;
  const registrationCount = 2 * assetCount;
  const runCount = 2 * assetCount;
  const teamCount = Math.ceil(assetCount / 25);
  // In random order, like a table that was written over a long time.
  const soon = `now() - make_interval(secs => i * 7919 % 100003)`;
  const actor = `'system', ${someId(`'system'`)}, 'system'`;
  const team = `${someId(`'team' || i % ${teamCount} + 1`)}`;
  const asset = `${someId(`'asset' || i % ${assetCount} + 1`)}`;
  await database.query('set synchronous_commit = off');
  await insertManyEvents(database, eventCount, assetCount);
  await sealAsTheyAre(database);
  await database.query(`insert into team (id, name, slug, metadata, created_at, updated_at)
    select ${someId(`'team' || i`)}, 'team ' || i, 'team-' || i, '{}', ${soon}, ${soon}
    from generate_series(1, ${teamCount}) i`);
  await database.query(`insert into asset (id, fqn, environment, owner_team_id, guarantee_mode,
      auto_publish, metadata, resource_type, tags, search_text, created_at, updated_at)
    select ${someId(`'asset' || i`)}, 'shop.area_' || i % 100 || '.table_' || i, 'production', ${team},
      'notify', false, '{}', case when i % 500 = 0 then 'seed' else 'model' end,
      case when i % 500 = 0 then array['rare'] else array['common'] end,
      'shop table word' || i, ${soon}, ${soon} from generate_series(1, ${assetCount}) i`);
  await database.query(`insert into contract (id, asset_id, ordinal, version, status, schema,
      schema_digest, compatibility_mode, format, direction, change_type, published_at,
      published_by, actor_type, actor_id, actor_name, source, deprecated_at)
    select ${someId(`'contract' || i`)}, ${asset}, 1 + (i - 1) / ${assetCount},
      1 + (i - 1) / ${assetCount} || '.0.0',
      case when i > ${assetCount} then 'active' else 'deprecated' end, '{}', repeat('0', 64),
      'backward', 'jsonschema', 'data', 'major', ${soon}, ${someId(`'team1'`)}, ${actor}, 'api',
      case when i > ${assetCount} then null else ${soon} end
    from generate_series(1, ${contractCount}) i`);
  await database.query(`insert into registration (id, asset_id, contract_id, registered_version,
      consumer_team_id, status, source, actor_type, actor_id, actor_name, created_at, updated_at)
    select ${someId(`'registration' || i`)}, ${asset}, ${someId(`'contract' || i`)}, '1.0.0',
      ${someId(`'team' || (i + i / ${assetCount}) % ${teamCount} + 1`)},
      case when i % 50 = 0 then 'inactive' else 'active' end, 'api', ${actor}, ${soon}, ${soon}
    from generate_series(1, ${registrationCount}) i`);
  await database.query(`insert into proposal (id, asset_id, kind, status, proposed,
      proposed_digest, changes, breaking_changes, breaking_changes_count, base_contract_id, round,
      proposed_at, proposed_by, actor_type, actor_id, actor_name, decided_consumers, decided_total,
      decided_acknowledged)
    select ${someId(`'proposal' || i`)}, ${asset}, 'schema',
      case when i % 100 = 0 then 'pending' else 'withdrawn' end, '{"kind": "schema"}', '', '[]',
      '[]', 0, ${someId(`'contract' || i`)}, 1, ${soon}, ${someId(`'team1'`)}, ${actor}, '[]', 0, 0
    from generate_series(1, ${assetCount}) i`);
  await database.query(`insert into dependency (id, asset_id, depends_on_asset_id, type, source,
      created_at)
    select ${someId(`'dependency' || i`)}, ${asset}, ${someId(`'asset' || (i * 7) % ${assetCount} + 1`)},
      'references', 'dbt', ${soon}
    from generate_series(1, ${assetCount}) i where (i * 7 - i) % ${assetCount} <> 0`);
  await database.query(`insert into quality_run (id, asset_id, status, triggered_by, guarantees,
      metadata, occurred_at, recorded_at)
    select ${someId(`'run' || i`)}, ${someId(`'asset' || i % ${Math.ceil(assetCount / 50)} + 1`)},
      case when i % 3 = 0 then 'failed' else 'passed' end, 'build_test',
      '[{"name": "not_null", "status": "failed"}]', '{}', ${soon}, ${soon}
    from generate_series(1, ${runCount}) i`);
  await insertDeliveries(database, 2 * assetCount);
  await database.query('vacuum (analyze)');
  await waitUntilVisible(database);
}

/**
 * The newest events about assets, delivered to one webhook; pending deliveries are due tomorrow.
 */
async function insertDeliveries(database: Database, count: number): Promise<void> {
  await database.query(`insert into webhook (id, url, secret, events, team_ids, created_at,
      updated_at)
    values (${someId(`'webhook1'`)}, 'https://hooks.example.com', '', '{}', '{}', now(), now())`);
  await database.query(`insert into delivery (webhook_id, asset_id, sequence, place, event_id,
      event_type, team_ids, state, attempts, created_at, queued_at, finished_at)
    select ${someId(`'webhook1'`)}, asset_id, i, i, id, 'contract.published', '{}',
      case when i % 100 = 0 then 'pending' when i % 100 = 1 then 'parked' else 'delivered' end, 1,
      now() - make_interval(secs => i), now(), case when i % 100 = 0 then null else now() end
    from (
      select id, asset_id, row_number() over (order by id desc) as i
      from audit_event where asset_id is not null order by id desc limit ${count}
    ) newest`);
  await database.query(`insert into delivery_lane (webhook_id, asset_id, due_at)
    select distinct webhook_id, asset_id, now() + interval '1 day' from delivery
    where state = 'pending'`);
}

/** Waits until vacuum can finish: rows that an older snapshot still needs are checked again. */
async function waitUntilVisible(database: Database): Promise<void> {
  for (;;) {
    const hidden = await database.query(`select relname from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
        and relpages > 100 and relallvisible < relpages * 0.99`);
    if (hidden.length === 0) return;
    for (const { relname } of hidden) await database.query(`vacuum "${relname}"`);
  }
}

/** The ids of one object of each kind, for an asset in the middle. */
export async function knownIds(database: Database, { assets }: LargeSize): Promise<KnownIds> {
  const names = {
    asset: 'asset7',
    contract: `contract${assets + 6}`,
    team: 'team7',
    thing: 'thing7',
    actor: 'actor7',
    proposal: 'proposal7',
    registration: 'registration7',
    webhook: 'webhook1',
  };
  const columns = Object.entries(names).map(([key, name]) => `${someId(`'${name}'`)} as ${key}`);
  const anEvent = 'audit_event order by id desc offset 1000 limit 1';
  const [row] = await database.query(
    `select ${columns.join(', ')}, (select id from ${anEvent}) as event`,
  );
  // The cast is safe: the query has one column for each name.
  return row as unknown as KnownIds;
}

interface KnownIds {
  readonly asset: string;
  readonly contract: string;
  readonly team: string;
  readonly thing: string;
  readonly actor: string;
  readonly proposal: string;
  readonly registration: string;
  readonly webhook: string;
  readonly event: string;
}

export type Ask = (
  client: TestClient,
  ids: KnownIds,
) => Promise<{
  readonly status: number;
  readonly body?: unknown;
}>;

export const page = { include_total: false, page_size: 100 } as const;
export const window = { include_total: false, limit: 100 } as const;
const day = '2020-01-01T00:00:00Z';

/** Every list and history of the API with every filter, and the reads of one object. */
export const questions: readonly (readonly [string, Ask])[] = [
  ['events', (client) => client.listEvents({ query: window })],
  [
    'events of a type',
    (client) => client.listEvents({ query: { ...window, event_type: 'team.created' } }),
  ],
  [
    'events of a common type',
    (client) => client.listEvents({ query: { ...window, event_type: 'asset.updated' } }),
  ],
  [
    'events of a kind',
    (client) => client.listEvents({ query: { ...window, entity_type: 'webhook' } }),
  ],
  [
    'events of a thing',
    (client, { thing }) => client.listEvents({ query: { ...window, entity_id: thing } }),
  ],
  [
    'events about an asset',
    (client, { asset }) => client.listEvents({ query: { ...window, asset_id: asset } }),
  ],
  [
    'events of an actor',
    (client, { actor }) => client.listEvents({ query: { ...window, actor_id: actor } }),
  ],
  [
    'events about an asset, by an actor, of a type',
    (client, { asset, actor }) =>
      client.listEvents({
        query: { ...window, asset_id: asset, actor_id: actor, event_type: 'asset.updated' },
      }),
  ],
  [
    'events of a rare type and a common kind',
    (client) =>
      client.listEvents({ query: { ...window, event_type: 'team.created', entity_type: 'asset' } }),
  ],
  [
    'events of a thing since a day, counted',
    (client, { thing }) => client.listEvents({ query: { entity_id: thing, start_date: day } }),
  ],
  [
    'events of an actor before a day',
    (client, { actor }) =>
      client.listEvents({ query: { ...window, actor_id: actor, end_date: day } }),
  ],
  ['events since a day', (client) => client.listEvents({ query: { ...window, start_date: day } })],
  ['events before a day', (client) => client.listEvents({ query: { ...window, end_date: day } })],
  [
    'how many events an asset has',
    (client, { asset }) => client.listEvents({ query: { asset_id: asset, limit: 1 } }),
  ],
  [
    'the history of a thing, counted',
    (client, { thing }) =>
      client.listEntityHistory({ params: { entity_type: 'asset', entity_id: thing }, query: {} }),
  ],
  ['contracts', (client) => client.listContracts({ query: page })],
  [
    'contracts in a state',
    (client) => client.listContracts({ query: { ...page, status: 'active' } }),
  ],
  [
    'contracts in no state',
    (client) => client.listContracts({ query: { ...page, status: 'archived' } }),
  ],
  [
    'contracts of a version that none has',
    (client) => client.listContracts({ query: { ...page, version: '9.9.9' } }),
  ],
  [
    'contracts of a version, in a state',
    (client) => client.listContracts({ query: { ...page, version: '2.0.0', status: 'active' } }),
  ],
  [
    'contracts of an asset, in a state, counted',
    (client, { asset }) => client.listContracts({ query: { asset_id: asset, status: 'active' } }),
  ],
  [
    'contracts, oldest first',
    (client) => client.listContracts({ query: { ...page, sort: 'published_at' } }),
  ],
  [
    'contracts of an asset, counted',
    (client, { asset }) => client.listContracts({ query: { asset_id: asset } }),
  ],
  [
    'versions of an asset, counted',
    (client, { asset }) => client.listAssetContracts({ params: { asset_id: asset } }),
  ],
  [
    'the latest version',
    (client, { asset }) =>
      client.getAssetContract({ params: { asset_id: asset, version: 'latest' } }),
  ],
  [
    'a contract to export',
    (client, { contract }) => client.exportContract({ params: { contract_id: contract } }),
  ],
  [
    'registrations on a contract, counted',
    (client, { contract }) =>
      client.listContractRegistrations({ params: { contract_id: contract } }),
  ],
  ['registrations', (client) => client.listRegistrations({ query: page })],
  [
    'registrations in a state',
    (client) => client.listRegistrations({ query: { ...page, status: 'inactive' } }),
  ],
  [
    'registrations in a state, oldest first',
    (client) =>
      client.listRegistrations({ query: { ...page, status: 'inactive', sort: 'created_at' } }),
  ],
  [
    'registrations of a team, in a state, counted',
    (client, { team }) =>
      client.listRegistrations({ query: { consumer_team_id: team, status: 'inactive' } }),
  ],
  [
    'registrations on a contract, in a state, counted',
    (client, { contract }) =>
      client.listContractRegistrations({
        params: { contract_id: contract },
        query: { status: 'inactive' },
      }),
  ],
  [
    'registrations of a team, counted',
    (client, { team }) => client.listRegistrations({ query: { consumer_team_id: team } }),
  ],
  [
    'registrations of an asset, counted',
    (client, { asset }) => client.listRegistrations({ query: { asset_id: asset } }),
  ],
  ['assets', (client) => client.listAssets({ query: page })],
  ['assets by change', (client) => client.listAssets({ query: { ...page, sort: '-updated_at' } })],
  ['assets by creation', (client) => client.listAssets({ query: { ...page, sort: 'created_at' } })],
  [
    'assets below a name',
    (client) => client.listAssets({ query: { ...page, fqn: 'shop.area_7' } }),
  ],
  [
    'assets of a team, counted',
    (client, { team }) => client.listAssets({ query: { owner_team_id: team } }),
  ],
  [
    'assets of an environment',
    (client) => client.listAssets({ query: { ...page, environment: 'staging' } }),
  ],
  ['assets with a rare tag, counted', (client) => client.listAssets({ query: { tag: 'rare' } })],
  [
    'assets of a rare type',
    (client) => client.listAssets({ query: { ...page, resource_type: 'seed' } }),
  ],
  ['assets with a word, counted', (client) => client.listAssets({ query: { q: 'word777' } })],
  [
    'assets whose checks failed',
    (client) => client.listAssets({ query: { ...page, quality: 'failed' } }),
  ],
  [
    'assets with a rare tag, by change',
    (client) => client.listAssets({ query: { ...page, tag: 'rare', sort: '-updated_at' } }),
  ],
  [
    'assets of a rare type, by creation',
    (client) =>
      client.listAssets({ query: { ...page, resource_type: 'seed', sort: '-created_at' } }),
  ],
  [
    'assets below a name, by change',
    (client) => client.listAssets({ query: { ...page, fqn: 'shop.area_7', sort: '-updated_at' } }),
  ],
  [
    'assets of a team with a word, counted',
    (client, { team }) => client.listAssets({ query: { owner_team_id: team, q: 'word7' } }),
  ],
  [
    'deleted assets too',
    (client) => client.listAssets({ query: { ...page, include_deleted: true } }),
  ],
  ['proposals', (client) => client.listProposals({ query: page })],
  [
    'proposals in a state',
    (client) => client.listProposals({ query: { ...page, status: 'pending' } }),
  ],
  [
    'proposals by their last day',
    (client) => client.listProposals({ query: { ...page, sort: 'answer_by' } }),
  ],
  [
    'proposals in a state, by their last day',
    (client) => client.listProposals({ query: { ...page, sort: 'answer_by', status: 'pending' } }),
  ],
  [
    'proposals of a kind that none has, by their last day',
    (client) =>
      client.listProposals({ query: { ...page, sort: 'answer_by', kind: 'guarantee_mode' } }),
  ],
  [
    'proposals of an asset, counted',
    (client, { asset }) => client.listProposals({ query: { asset_id: asset } }),
  ],
  [
    'proposals of a producer',
    (client, { team }) => client.listProposals({ query: { ...page, team_id: team } }),
  ],
  [
    'the inbox of a team',
    (client, { team }) =>
      client.listProposals({ query: { ...page, consumer_team_id: team, awaiting: true } }),
  ],
  [
    'proposals of a kind that none has',
    (client) => client.listProposals({ query: { ...page, kind: 'guarantee_mode' } }),
  ],
  [
    'proposals of a kind, in a state',
    (client) => client.listProposals({ query: { ...page, kind: 'move', status: 'withdrawn' } }),
  ],
  [
    'proposals that ask a team',
    (client, { team }) => client.listProposals({ query: { ...page, consumer_team_id: team } }),
  ],
  [
    'proposals that ask a team, in a state, counted',
    (client, { team }) =>
      client.listProposals({ query: { consumer_team_id: team, status: 'withdrawn' } }),
  ],
  [
    'proposals of a producer, counted',
    (client, { team }) => client.listProposals({ query: { team_id: team } }),
  ],
  [
    'proposals of a producer, in a state',
    (client, { team }) =>
      client.listProposals({ query: { ...page, team_id: team, status: 'pending' } }),
  ],
  [
    'what an asset depends on, counted',
    (client, { asset }) => client.listDependencies({ params: { asset_id: asset } }),
  ],
  [
    'what depends on an asset, counted',
    (client, { asset }) =>
      client.listDependencies({ params: { asset_id: asset }, query: { direction: 'downstream' } }),
  ],
  [
    'lineage',
    (client, { asset }) =>
      client.getLineage({ params: { asset_id: asset }, query: { direction: 'downstream' } }),
  ],
  [
    'the impact of a schema',
    (client, { asset }) =>
      client.assessImpact({ params: { asset_id: asset }, body: { proposed_schema: {} } }),
  ],
  [
    'quality runs, counted',
    (client, { asset }) => client.listQualityRuns({ params: { asset_id: asset } }),
  ],
  [
    'quality runs that failed, counted',
    (client, { asset }) =>
      client.listQualityRuns({ params: { asset_id: asset }, query: { status: 'failed' } }),
  ],
  [
    'quality runs of a trigger, counted',
    (client, { asset }) =>
      client.listQualityRuns({ params: { asset_id: asset }, query: { triggered_by: 'none' } }),
  ],
  [
    'quality trends',
    (client, { asset }) => client.getQualityTrends({ params: { asset_id: asset } }),
  ],
  [
    'deliveries to a webhook',
    (client, { webhook }) =>
      client.listDeliveries({ params: { webhook_id: webhook }, query: page }),
  ],
  [
    'deliveries in a state, counted',
    (client, { webhook }) =>
      client.listDeliveries({ params: { webhook_id: webhook }, query: { state: 'parked' } }),
  ],
  [
    'deliveries about an asset, counted',
    (client, { webhook, asset }) =>
      client.listDeliveries({ params: { webhook_id: webhook }, query: { asset_id: asset } }),
  ],
  [
    'deliveries about an asset, in a state, counted',
    (client, { webhook, asset }) =>
      client.listDeliveries({
        params: { webhook_id: webhook },
        query: { asset_id: asset, state: 'delivered' },
      }),
  ],
];

/** Whole lists with their total, which is included by default. */
export const countedLists: readonly (readonly [string, Ask])[] = [
  ['events', (client) => client.listEvents({ query: {} })],
  ['contracts', (client) => client.listContracts({ query: {} })],
  ['contracts in a state', (client) => client.listContracts({ query: { status: 'active' } })],
  ['registrations', (client) => client.listRegistrations({ query: {} })],
  [
    'registrations in a state',
    (client) => client.listRegistrations({ query: { status: 'active' } }),
  ],
  ['assets', (client) => client.listAssets({ query: {} })],
  ['proposals', (client) => client.listProposals({ query: {} })],
  [
    'deliveries to a webhook',
    (client, { webhook }) => client.listDeliveries({ params: { webhook_id: webhook } }),
  ],
];
