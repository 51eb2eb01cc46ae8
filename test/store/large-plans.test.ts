// A million events, 100,000 contracts, 100,000 registrations: no list, no history and no chore reads
// a growing table from end to end. The statements are those that the server really sends, seen on
// their way to Postgres, which says itself how it answers them.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertManyEvents, someId } from '../support/audit-events.ts';
import { openClient, type TestClient } from '../support/client.ts';
import { openRegistry, type TestRegistry } from '../support/client-registry.ts';
import {
  type PostgresProxy,
  type Statement,
  startPostgresProxy,
} from '../support/postgres-proxy.ts';

const eventCount = 1_000_000;
const assetCount = 50_000;
const contractCount = 100_000;
const registrationCount = 100_000;
const teamCount = 2_000;

/** A page of 100 with what is joined to it, and a batch of the sealer; no thousandth of the events. */
const rowLimit = 2_500;

/** Below this many rows a table may be read whole: that is the quickest way. */
const smallTable = 5_000;

let registry: TestRegistry;
let proxy: PostgresProxy;
let client: TestClient;
let postgres: pg.Client;
let grown: ReadonlySet<string>;

/** Past the product: it would take an hour. Indexes are built once, when everything is there. */
async function seed(database: pg.Client): Promise<void> {
  // In no order with the rows, as a table is that was written to for long.
  const soon = `now() - make_interval(secs => i * 7919 % 100003)`;
  const actor = `'system', ${someId(`'system'`)}, 'system'`;
  const team = `${someId(`'team' || i % ${teamCount} + 1`)}`;
  const asset = `${someId(`'asset' || i % ${assetCount} + 1`)}`;
  await database.query('set synchronous_commit = off');
  await insertManyEvents(
    { query: async (sql) => (await database.query(sql)).rows },
    eventCount,
    assetCount,
  );
  // As if they had all been sealed: what the sealer reads is what came since.
  await database.query(`insert into audit_seal (sequence, event_id, hash)
    select row_number() over (order by id), id, sha256(id::text::bytea) from audit_event`);
  await database.query(`update audit_seal_state set sequence = ${eventCount},
    snapshot = pg_current_snapshot()`);
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
      proposed_at, proposed_by, actor_type, actor_id, actor_name)
    select ${someId(`'proposal' || i`)}, ${asset}, 'schema',
      case when i % 100 = 0 then 'pending' else 'withdrawn' end, '{"kind": "schema"}', '', '[]',
      '[]', 0, ${someId(`'contract' || i`)}, 1, ${soon}, ${someId(`'team1'`)}, ${actor}
    from generate_series(1, ${assetCount}) i`);
  await database.query(`insert into dependency (id, asset_id, depends_on_asset_id, type, source,
      created_at)
    select ${someId(`'dependency' || i`)}, ${asset}, ${someId(`'asset' || (i * 7) % ${assetCount} + 1`)},
      'references', 'dbt', ${soon}
    from generate_series(1, ${assetCount}) i where (i * 7 - i) % ${assetCount} <> 0`);
  await database.query(`insert into quality_run (id, asset_id, status, triggered_by, guarantees,
      metadata, occurred_at, recorded_at)
    select ${someId(`'run' || i`)}, ${someId(`'asset' || i % 1000 + 1`)},
      case when i % 3 = 0 then 'failed' else 'passed' end, 'build_test',
      '[{"name": "not_null", "status": "failed"}]', '{}', ${soon}, ${soon}
    from generate_series(1, 100000) i`);
  await database.query('vacuum (analyze)');
}

const idOf = async (text: string): Promise<string> => {
  const { rows } = await postgres.query(`select ${someId(`'${text}'`)} as id`);
  return String(rows[0]?.id);
};

type Ask = (ids: Record<'asset' | 'contract' | 'team' | 'thing' | 'actor', string>) => Promise<{
  readonly status: number;
  readonly body?: unknown;
}>;

const page = { include_total: false, page_size: 100 } as const;
const window = { include_total: false, limit: 100 } as const;
const day = '2020-01-01T00:00:00Z';

/** Every list and history of the API, by every filter that it has; and the reads of one thing. */
const questions: readonly (readonly [string, Ask])[] = [
  ['events', () => client.listEvents({ query: window })],
  [
    'events of a type',
    () => client.listEvents({ query: { ...window, event_type: 'team.created' } }),
  ],
  [
    'events of a common type',
    () => client.listEvents({ query: { ...window, event_type: 'asset.updated' } }),
  ],
  ['events of a kind', () => client.listEvents({ query: { ...window, entity_type: 'webhook' } })],
  [
    'events of a thing',
    ({ thing }) => client.listEvents({ query: { ...window, entity_id: thing } }),
  ],
  [
    'events about an asset',
    ({ asset }) => client.listEvents({ query: { ...window, asset_id: asset } }),
  ],
  [
    'events of an actor',
    ({ actor }) => client.listEvents({ query: { ...window, actor_id: actor } }),
  ],
  [
    'events about an asset, by an actor, of a type',
    ({ asset, actor }) =>
      client.listEvents({
        query: { ...window, asset_id: asset, actor_id: actor, event_type: 'asset.updated' },
      }),
  ],
  ['events since a day', () => client.listEvents({ query: { ...window, start_date: day } })],
  ['events before a day', () => client.listEvents({ query: { ...window, end_date: day } })],
  [
    'how many events an asset has',
    ({ asset }) => client.listEvents({ query: { asset_id: asset, limit: 1 } }),
  ],
  [
    'the history of a thing, counted',
    ({ thing }) =>
      client.listEntityHistory({ params: { entity_type: 'asset', entity_id: thing }, query: {} }),
  ],
  ['contracts', () => client.listContracts({ query: page })],
  ['contracts in a state', () => client.listContracts({ query: { ...page, status: 'active' } })],
  ['contracts in no state', () => client.listContracts({ query: { ...page, status: 'archived' } })],
  [
    'contracts, oldest first',
    () => client.listContracts({ query: { ...page, sort: 'published_at' } }),
  ],
  [
    'contracts of an asset, counted',
    ({ asset }) => client.listContracts({ query: { asset_id: asset } }),
  ],
  [
    'versions of an asset, counted',
    ({ asset }) => client.listAssetContracts({ params: { asset_id: asset } }),
  ],
  [
    'the latest version',
    ({ asset }) => client.getAssetContract({ params: { asset_id: asset, version: 'latest' } }),
  ],
  [
    'a contract to export',
    ({ contract }) => client.exportContract({ params: { contract_id: contract } }),
  ],
  [
    'registrations on a contract, counted',
    ({ contract }) => client.listContractRegistrations({ params: { contract_id: contract } }),
  ],
  ['registrations', () => client.listRegistrations({ query: page })],
  [
    'registrations in a state',
    () => client.listRegistrations({ query: { ...page, status: 'inactive' } }),
  ],
  [
    'registrations of a team, counted',
    ({ team }) => client.listRegistrations({ query: { consumer_team_id: team } }),
  ],
  [
    'registrations of an asset, counted',
    ({ asset }) => client.listRegistrations({ query: { asset_id: asset } }),
  ],
  ['assets', () => client.listAssets({ query: page })],
  ['assets by change', () => client.listAssets({ query: { ...page, sort: '-updated_at' } })],
  ['assets by creation', () => client.listAssets({ query: { ...page, sort: 'created_at' } })],
  ['assets below a name', () => client.listAssets({ query: { ...page, fqn: 'shop.area_7' } })],
  [
    'assets of a team, counted',
    ({ team }) => client.listAssets({ query: { owner_team_id: team } }),
  ],
  [
    'assets of an environment',
    () => client.listAssets({ query: { ...page, environment: 'staging' } }),
  ],
  ['assets with a rare tag, counted', () => client.listAssets({ query: { tag: 'rare' } })],
  ['assets of a rare type', () => client.listAssets({ query: { ...page, resource_type: 'seed' } })],
  ['assets with a word, counted', () => client.listAssets({ query: { q: 'word777' } })],
  ['proposals', () => client.listProposals({ query: page })],
  ['proposals in a state', () => client.listProposals({ query: { ...page, status: 'pending' } })],
  [
    'proposals of an asset, counted',
    ({ asset }) => client.listProposals({ query: { asset_id: asset } }),
  ],
  [
    'proposals of a producer',
    ({ team }) => client.listProposals({ query: { ...page, team_id: team } }),
  ],
  [
    'the inbox of a team',
    ({ team }) =>
      client.listProposals({ query: { ...page, consumer_team_id: team, awaiting: true } }),
  ],
  [
    'what an asset depends on, counted',
    ({ asset }) => client.listDependencies({ params: { asset_id: asset } }),
  ],
  [
    'what depends on an asset, counted',
    ({ asset }) =>
      client.listDependencies({ params: { asset_id: asset }, query: { direction: 'downstream' } }),
  ],
  [
    'lineage',
    ({ asset }) =>
      client.getLineage({ params: { asset_id: asset }, query: { direction: 'downstream' } }),
  ],
  [
    'the impact of a schema',
    ({ asset }) =>
      client.assessImpact({ params: { asset_id: asset }, body: { proposed_schema: {} } }),
  ],
  ['quality runs, counted', ({ asset }) => client.listQualityRuns({ params: { asset_id: asset } })],
  ['quality trends', ({ asset }) => client.getQualityTrends({ params: { asset_id: asset } })],
];

/** Making a million events takes minutes on a small machine: `make verify` runs it. */
const isAsked = process.env.LARGE_TESTS === 'true';

describe.runIf(isAsked)('At a million events, 100,000 contracts and 100,000 registrations', () => {
  beforeAll(async () => {
    registry = await openRegistry({}, async (url) => {
      postgres = new pg.Client(url);
      await postgres.connect();
      await seed(postgres);
      proxy = await startPostgresProxy(url);
      return proxy.url;
    });
    client = openClient(registry.url, registry.bootstrapKey);
    const { rows } = await postgres.query(
      `select relname from pg_class where relkind = 'r' and reltuples > ${smallTable}`,
    );
    grown = new Set(rows.map((row) => String(row.relname)));
  }, 600_000);
  afterAll(async () => {
    await postgres.end();
    await registry.stop();
    await proxy.close();
  });

  test.each(questions)('%s: through indexes', async (_name, ask) => {
    const ids = {
      asset: await idOf('asset7'),
      contract: await idOf(`contract${assetCount + 6}`),
      team: await idOf('team7'),
      thing: await idOf('thing7'),
      actor: await idOf('actor7'),
    };
    const statements = await proxy.record(async () => {
      const answer = await ask(ids);
      expect(answer.status, JSON.stringify(answer.body ?? answer)).toBe(200);
    });
    const reads = statements.filter(isRead);
    expect(reads.length).toBeGreaterThan(0);
    for (const read of reads) expect(await problemsOf(read), read.text).toEqual([]);
  });

  test('the pages behind a cursor, however far: through indexes', async () => {
    for (const list of [
      (cursor?: string) => client.listEvents({ query: { ...window, ...(cursor && { cursor }) } }),
      (cursor?: string) => client.listAssets({ query: { ...page, ...(cursor && { cursor }) } }),
      (cursor?: string) => client.listContracts({ query: { ...page, ...(cursor && { cursor }) } }),
      (cursor?: string) =>
        client.listRegistrations({ query: { ...page, ...(cursor && { cursor }) } }),
    ]) {
      let cursor: string | undefined;
      let statements: readonly Statement[] = [];
      for (let number = 0; number < 20; number++) {
        statements = await proxy.record(async () => {
          const answer = await list(cursor);
          if (!answer.ok) throw new Error(answer.refusal.message);
          cursor = answer.body.next_cursor ?? undefined;
        });
      }
      const reads = statements.filter(isRead);
      for (const read of reads) expect(await problemsOf(read), read.text).toEqual([]);
    }
  });

  test('the sealer and the sweep: through indexes', async () => {
    const statements = await proxy.record(async () => {
      for (let i = 0; i < 3; i++) {
        const body = { name: `sealed ${i}` };
        expect((await client.createTeam({ body })).status).toBe(201);
        await expect.poll(unsealed, { timeout: 10_000, interval: 50 }).toBe(0);
      }
    });
    const reads = statements.filter(({ text }) => text.includes('audit_seal'));
    expect(reads.length).toBeGreaterThan(3);
    // A backlog of one transaction, which is what statistics tell least of.
    await postgres.query(
      `update audit_seal_state set snapshot = '1:1:', pass = null, pass_at = null`,
    );
    const batches = await proxy.record(async () => {
      await expect.poll(atEvent, { timeout: 20_000, interval: 10 }).not.toBe(null);
    });
    // As the sealer's transaction has it.
    await postgres.query('set enable_sort = off');
    const batch = batches.filter((statement) => statement.text.includes('under_way'));
    expect(batch.length).toBeGreaterThan(0);
    for (const read of [...reads, ...batch].filter(isRead)) {
      expect(await problemsOf(read), read.text).toEqual([]);
    }
    await postgres.query('set enable_sort = on');
    await postgres.query(
      `update audit_seal_state
       set snapshot = pg_current_snapshot(), pass = null, pass_at = null, at_transaction = null,
         at_event = null`,
    );
  });

  test('an export and a verification, page by page: through indexes', async () => {
    const { rows } = await postgres.query(
      `select sequence || ':' || encode(hash, 'hex') as head from audit_seal
       where sequence = ${eventCount - 5_000}`,
    );
    const statements = await proxy.record(async () => {
      const answer = await client.verifyAudit({ query: { from: String(rows[0]?.head) } });
      expect(answer.status).toBe(200);
    });
    // The sealer's own statements, which come in between, are looked at above.
    const reads = statements.filter(
      ({ text }) => /audit_(seal|head|event)/.test(text) && !text.includes('under_way'),
    );
    const distinct = new Map(reads.map((read) => [read.text, read]));
    expect(distinct.size).toBeGreaterThanOrEqual(4);
    for (const read of [...distinct.values()].filter(isRead)) {
      // A page of ids is 20,000 of them, held against their seals.
      expect(await problemsOf(read, 45_000), read.text).toEqual([]);
    }
  });
});

/** The heartbeat of the listener asks for nothing. */
function isRead({ text }: Statement): boolean {
  return (
    /^\s*(select|with)\s+\S/i.test(text) && !/\b(insert into|update|delete from)\b/i.test(text)
  );
}

async function atEvent(): Promise<unknown> {
  const { rows } = await postgres.query('select at_event from audit_seal_state');
  return rows[0]?.at_event ?? null;
}

async function unsealed(): Promise<number> {
  const { rows } = await postgres.query(
    `select count(*)::int as n from audit_event
     where transaction_id >= (select pg_snapshot_xmax(snapshot) from audit_seal_state)
       and not exists (select from audit_seal where event_id = audit_event.id)`,
  );
  return Number(rows[0]?.n);
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** By the plan for these parameters, as it ran, and by the plan that knows none. */
async function problemsOf({ text, parameters }: Statement, limit = rowLimit): Promise<string[]> {
  const ran = await explain(`explain (analyze, timing off, format json) ${text}`, parameters);
  const generic = await explain(`explain (generic_plan, format json) ${text}`, []);
  return [
    ...nodesOf(ran).flatMap((node) => problemOfNode(node, limit)),
    ...nodesOf(generic)
      .filter(isWhole)
      .map((node) => `by a plan without parameters: Seq Scan on ${node['Relation Name']}`),
  ];
}

async function explain(text: string, parameters: Statement['parameters']): Promise<PlanNode> {
  const values = [...parameters];
  const { rows } = await postgres.query(values.length === 0 ? { text } : { text, values });
  return rows[0]?.['QUERY PLAN'][0].Plan;
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function isWhole(node: PlanNode): boolean {
  return node['Node Type'].includes('Seq Scan') && grown.has(node['Relation Name'] ?? '');
}

function problemOfNode(node: PlanNode, limit: number): readonly string[] {
  const relation = node['Relation Name'];
  if (isWhole(node)) return [`Seq Scan on ${relation}`];
  if (relation === undefined || !grown.has(relation)) return [];
  const removed = node['Rows Removed by Filter'] ?? 0;
  const read = ((node['Actual Rows'] ?? 0) + removed) * (node['Actual Loops'] ?? 1);
  return read > limit ? [`${node['Node Type']} on ${relation} reads ${read} rows`] : [];
}
