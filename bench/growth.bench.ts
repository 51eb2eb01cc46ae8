// The growth of queries with the amount of data: the statements that the server sends for each
// list, search and read, and their cost for Postgres, at three sizes. Touched pages are the most
// reliable measure, because a busy machine does not change them. BENCH_FULL continues to ten
// million events.

import { readFileSync } from 'node:fs';
import pg from 'pg';
import { openClient, type TestClient } from '../test/support/client/client.ts';
import {
  type Ask,
  knownIds,
  questions,
  seedLargeRegistry,
} from '../test/support/postgres/large-registry.ts';
import { type Statement, startPostgresProxy } from '../test/support/postgres/postgres-proxy.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import { bootstrapKey, startBenchDatabase, startProduct } from './support/processes.ts';

const isFull = process.env.BENCH_FULL === 'true';

const sizes = [
  { assets: 1_000, events: 10_000 },
  { assets: 10_000, events: 100_000 },
  { assets: 100_000, events: isFull ? 10_000_000 : 1_000_000 },
] as const;

/** Queries that the test of plans omits because they count or skip rows, and so grow. */
const further: readonly (readonly [string, Ask])[] = [
  ['assets, counted', (client) => client.listAssets()],
  [
    'assets, page 10 by its number',
    (client) => client.listAssets({ query: { page: 10, page_size: 100, include_total: false } }),
  ],
  [
    'assets with a word that all have',
    (client) => client.listAssets({ query: { q: 'table', include_total: false } }),
  ],
  [
    'assets with a tag that most have',
    (client) => client.listAssets({ query: { tag: 'common', include_total: false } }),
  ],
  ['contracts, counted', (client) => client.listContracts()],
  ['registrations, counted', (client) => client.listRegistrations()],
  ['proposals, counted', (client) => client.listProposals()],
  ['events, counted', (client) => client.listEvents()],
  [
    'events, offset 900',
    (client) => client.listEvents({ query: { include_total: false, offset: 900, limit: 100 } }),
  ],
  ['teams, counted', (client) => client.listTeams()],
  [
    'assets whose newest run failed',
    (client) => client.listAssets({ query: { quality: 'failed', include_total: false } }),
  ],
  [
    'assets whose newest run failed, counted',
    (client) => client.listAssets({ query: { quality: 'failed' } }),
  ],
  ['an asset', (client, { asset }) => client.getAsset({ params: { asset_id: asset } })],
  ['a team', (client, { team }) => client.getTeam({ params: { team_id: team } })],
  [
    'a contract',
    (client, { contract }) => client.getContract({ params: { contract_id: contract } }),
  ],
  [
    'a version',
    (client, { asset }) =>
      client.getAssetContract({ params: { asset_id: asset, version: '1.0.0' } }),
  ],
  [
    'two versions compared',
    (client, { asset }) =>
      client.diffAsset({ params: { asset_id: asset }, query: { from: '1.0.0', to: '2.0.0' } }),
  ],
  [
    'a proposal',
    (client, { proposal }) => client.getProposal({ params: { proposal_id: proposal } }),
  ],
  [
    'what a proposal waits for',
    (client, { proposal }) => client.getProposalStatus({ params: { proposal_id: proposal } }),
  ],
  [
    'a registration',
    (client, { registration }) =>
      client.getRegistration({ params: { registration_id: registration } }),
  ],
  ['an event', (client, { event }) => client.getEvent({ params: { event_id: event } })],
  ['users', (client) => client.listUsers()],
  ['keys', (client) => client.listApiKeys()],
  ['webhooks', (client) => client.listWebhooks()],
  ['sources', (client) => client.listSources()],
  ['the graph of the whole', (client) => client.getTeamGraph()],
  [
    'the graph of a team',
    (client, { team }) => client.getTeamGraph({ query: { owner_team_id: team } }),
  ],
];

const asked = [...questions, ...further];

interface Cost {
  readonly statements: number;
  /** Pages of 8 kB, from memory or disk. */
  readonly pages: number;
  /** Of the backend that answers, without planning. */
  readonly cpuMicros: number;
  /** Tables that were read completely. */
  readonly wholeTables: readonly string[];
}

interface Growth {
  readonly name: string;
  readonly costs: readonly Cost[];
  /** The growth of pages with assets: 0 is constant, 1 is linear. */
  readonly exponent: number;
}

async function measureGrowth(): Promise<readonly Growth[]> {
  const measured: ReadonlyMap<string, Cost>[] = [];
  for (const size of sizes) measured.push(await measureAt(size));
  return asked.map(([name]) => {
    const costs = measured.flatMap((each) => each.get(name) ?? []);
    return { name, costs, exponent: exponentOf(costs.map(({ pages }) => pages)) };
  });
}

async function measureAt(size: (typeof sizes)[number]): Promise<ReadonlyMap<string, Cost>> {
  process.stderr.write(`  ${size.assets} assets, ${size.events} events ...\n`);
  const database = await startBenchDatabase();
  await seedLargeRegistry(database, size);
  const [disk] = await database.query('select pg_database_size(current_database()) as bytes');
  process.stderr.write(`  ${(Number(disk?.bytes) / 1e6).toFixed()} MB of disk\n`);
  const proxy = await startPostgresProxy(database.url);
  const product = await startProduct(proxy.url);
  const backend = new pg.Client(database.url);
  await backend.connect();
  try {
    const client = openClient(`http://127.0.0.1:${product.port}`, bootstrapKey);
    const ids = await knownIds(database, size);
    const costs = new Map<string, Cost>();
    for (const [name, ask] of asked) {
      // The first request also looks up the key and similar facts.
      await mustAnswer(name, ask, client, ids);
      const seen: (readonly Statement[])[] = [];
      for (let i = 0; i < recordings; i++) {
        seen.push(await proxy.record(() => mustAnswer(name, ask, client, ids)));
      }
      // Some runs include background work of the process, so the run with the fewest statements
      // counts.
      const [fewest = []] = seen.map((each) => each.filter(isRead)).sort(byLength);
      costs.set(name, await costOf(backend, fewest));
    }
    return costs;
  } finally {
    await backend.end();
    await product.stop();
    await proxy.close();
    await database.stop();
  }
}

const recordings = 3;
const byLength = (a: readonly unknown[], b: readonly unknown[]) => a.length - b.length;

async function mustAnswer(
  name: string,
  ask: Ask,
  client: TestClient,
  ids: Parameters<Ask>[1],
): Promise<void> {
  const answer = await ask(client, ids);
  if (answer.status !== 200) throw new Error(`${name}: ${JSON.stringify(answer)}`);
}

/** Excludes background work, which seals or listens; a list that counts events also reads seals. */
function isRead({ text }: Statement): boolean {
  if (!/^\s*(select|with)\s+\S/i.test(text)) return false;
  if (/\bcounted\.total\b/.test(text)) return true;
  return !/\b(insert into|update|delete from|audit_seal_state|delivery_lane|outbox)\b/i.test(text);
}

/** Enough for a clock with nanoseconds. */
const repetitions = 5;

async function costOf(backend: pg.Client, statements: readonly Statement[]): Promise<Cost> {
  const { rows } = await backend.query('select pg_backend_pid() as pid');
  const pid = Number(rows[0]?.pid);
  let [pages, cpuMicros] = [0, 0];
  const wholeTables = new Set<string>();
  for (const { text, parameters } of statements) {
    const query = { text, values: [...parameters] };
    const plan = await backend.query({
      ...query,
      text: `explain (analyze, buffers, timing off, format json) ${text}`,
    });
    const top = plan.rows[0]?.['QUERY PLAN'][0].Plan;
    pages += Number(top['Shared Hit Blocks']) + Number(top['Shared Read Blocks']);
    for (const table of wholeTablesOf(top)) wholeTables.add(table);
    const named = { ...query, name: `growth_${prepared++}` };
    await backend.query(named);
    const before = cpuOf(pid);
    for (let i = 0; i < repetitions; i++) await backend.query(named);
    cpuMicros += (cpuOf(pid) - before) / repetitions;
  }
  return { statements: statements.length, pages, cpuMicros, wholeTables: [...wholeTables] };
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** An index would not make a scan of fewer rows cheaper. */
const fewRows = 1_000;

function wholeTablesOf(plan: Plan): readonly string[] {
  const read = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const isWhole = plan['Node Type'] === 'Seq Scan' && read > fewRows;
  const own = isWhole && plan['Relation Name'] !== undefined ? [plan['Relation Name']] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(wholeTablesOf)];
}

/** The number of prepared texts, each with its own name. */
let prepared = 0;

/** The processor time of a process in microseconds; only Linux reports it this precisely. */
function cpuOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
}

/** The slope of a regression line with logarithmic axes. */
function exponentOf(values: readonly number[]): number {
  const points = values.map((value, at) => ({
    x: Math.log(sizes[at]?.assets ?? 1),
    y: Math.log(Math.max(value, 1)),
  }));
  const mean = (of: 'x' | 'y') => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [mean('x'), mean('y')];
  const over = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  return over / points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
}

/** The table in docs/scaling.md. */
function growthTable(growths: readonly Growth[]): string {
  const head = sizes.map(({ assets }) => `${assets / 1000}k`);
  const lines = [
    `| asked | pages at ${head.join(', ')} assets | CPU of Postgres, µs | exponent | read whole |`,
    '|---|---|---|---|---|',
  ];
  for (const { name, costs, exponent } of growths) {
    const cells = [
      name,
      costs.map(({ pages }) => pages).join(', '),
      costs.map(({ cpuMicros }) => Math.round(cpuMicros)).join(', '),
      exponent.toFixed(2),
      (costs.at(-1)?.wholeTables ?? []).join(', '),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}

export const benchmark: Benchmark = {
  name: 'How cost grows',
  run: async () => {
    const growths = await measureGrowth();
    process.stderr.write(`${growthTable(growths)}\n`);
    return growths.map(
      ({ name, costs, exponent }): Figure => ({
        name: `${name}: pages at 100,000 assets`,
        unit: 'pages',
        value: costs[2]?.pages ?? 0,
        against: { name: 'at 10,000', value: Math.max(1, costs[1]?.pages ?? 0) },
        note: `exponent ${exponent.toFixed(2)}`,
      }),
    );
  },
};
