// A million events, 100,000 contracts, 100,000 registrations: no list, no history and no background
// task reads a growing table completely. The statements are those that the server really sends,
// captured on their way to Postgres, which explains them itself.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withSettings } from '../../src/store/postgres/pool.ts';
import { openStore } from '../../src/store/store.ts';
import { openClient, type TestClient } from '../support/client/client.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  countedLists,
  knownIds,
  page,
  questions,
  seedLargeRegistry,
  window,
} from '../support/postgres/large-registry.ts';
import {
  type PostgresProxy,
  type Statement,
  startPostgresProxy,
} from '../support/postgres/postgres-proxy.ts';

const eventCount = 1_000_000;
const size = { assets: 50_000, events: eventCount };

/** A page of 100 with its joins, or a batch of the sealer; less than a thousandth of the events. */
const rowLimit = 2_500;

/** A table with fewer rows may be read completely, because that is fastest. */
const smallTable = 5_000;

let registry: TestRegistry;
let proxy: PostgresProxy;
let client: TestClient;
let postgres: pg.Client;
let grown: ReadonlySet<string>;

const database = {
  query: async (text: string) => (await postgres.query(text)).rows,
};

/** Creating a million events takes minutes on a small machine, so `make verify` runs this. */
const isAsked = process.env.LARGE_TESTS === 'true';

describe.runIf(isAsked)('At a million events, 100,000 contracts and 100,000 registrations', () => {
  beforeAll(async () => {
    registry = await openRegistry({}, async (url, ownerUrl) => {
      postgres = new pg.Client(withSettings(ownerUrl));
      await postgres.connect();
      await seedLargeRegistry(database, size);
      proxy = await startPostgresProxy(url);
      return proxy.url;
    });
    client = openClient(registry.url, registry.bootstrapKey);
    const { rows } = await postgres.query(
      `select relname from pg_class where relkind = 'r' and reltuples > ${smallTable}`,
    );
    grown = new Set(rows.map((row) => String(row.relname)));
  });
  afterAll(async () => {
    await postgres.end();
    await registry.stop();
    await proxy.close();
  });

  test.each(questions)('%s: through indexes', async (_name, ask) => {
    const ids = await knownIds(database, size);
    const statements = await proxy.record(async () => {
      const answer = await ask(client, ids);
      expect(answer.status, JSON.stringify(answer.body ?? answer)).toBe(200);
    });
    const reads = statements.filter(isRead);
    expect(reads.length).toBeGreaterThan(0);
    for (const read of reads) expect(await problemsOf(read), read.text).toEqual([]);
  });

  test.each(countedLists)('%s with their total: counted along an index', async (_name, ask) => {
    const ids = await knownIds(database, size);
    const statements = await proxy.record(async () => {
      const answer = await ask(client, ids);
      expect(answer.status, JSON.stringify(answer.body ?? answer)).toBe(200);
    });
    // Counting reads all index entries, but no rows of the table.
    const limit = Number.POSITIVE_INFINITY;
    for (const read of statements.filter(isRead)) {
      expect(await problemsOf(read, limit), read.text).toEqual([]);
    }
  });

  test('pages by cursor, however far: through indexes', async () => {
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
    // A backlog in one transaction, which statistics describe worst.
    await postgres.query(
      `update audit_seal_state set snapshot = '1:1:', pass = null, pass_at = null`,
    );
    const batches = await proxy.record(async () => {
      await expect.poll(atEvent, { timeout: 20_000, interval: 10 }).not.toBe(null);
    });
    // As in the sealer's transaction.
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

  test('the inbox of a team and the sweep read at most two pages for each pending proposal', async () => {
    const { rows } = await postgres.query(
      `select count(*)::int as n from proposal where status = 'pending'`,
    );
    const pending = Number(rows[0]?.n);
    const { team } = await knownIds(database, size);
    const store = await openStore({ url: proxy.url });
    const asked = await proxy.record(async () => {
      const query = { ...page, consumer_team_id: team, awaiting: true };
      expect((await client.listProposals({ query })).status).toBe(200);
      await store.reads.listOverdueProposals(null, 100);
    });
    await store.stop();
    const reads = asked.filter((one) => isRead(one) && /\bproposal\b/.test(one.text));
    expect(reads.length).toBe(2);
    for (const { text, parameters } of reads) {
      const explained = `explain (analyze, timing off, buffers, format json) ${text}`;
      // The first run also reads Postgres' own catalogs, so the second one counts.
      await explain(explained, parameters);
      const plan = await explain(explained, parameters);
      const pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      expect(pages, text).toBeLessThan(2 * pending);
    }
  });

  test('the queries of the sweep, the metrics and a stream: through indexes', async () => {
    const store = await openStore({ url: proxy.url });
    const now = new Date().toISOString();
    const asked = await proxy.record(async () => {
      await store.figures();
      await store.reads.listContractsToArchive(now, 100);
      await store.reads.listDueMigrations(now, 100);
      await store.reads.listDueDepartures(now, 100);
      // Everything since the first event is too much, and Postgres does not compute how much.
      const missed = { before: null, through: null, after: 0, limit: 100 };
      const { events } = await store.reads.listStreamed({ ...missed, inAnyOrder: true });
      expect(events).toHaveLength(100);
    });
    await store.stop();
    for (const its of [
      /"failingSeconds"/,
      /deprecated_at </,
      /migrates_at <=/,
      /ends_at <=/,
      /"isElsewhere"/,
    ]) {
      const reads = asked.filter((one) => isRead(one) && its.test(one.text));
      expect(reads.length, String(its)).toBeGreaterThan(0);
      // Counts of waiting items stop at 10,000; of contracts to archive, one in fifty is not
      // pinned.
      for (const read of reads) expect(await problemsOf(read, 10_500), read.text).toEqual([]);
    }
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
    // The sealer's own statements run in between, and are tested above.
    const reads = statements.filter(
      ({ text }) => /audit_(seal|head|event)/.test(text) && !text.includes('under_way'),
    );
    const distinct = new Map(reads.map((read) => [read.text, read]));
    expect(distinct.size).toBeGreaterThanOrEqual(4);
    for (const read of [...distinct.values()].filter(isRead)) {
      // A page has 20,000 ids, compared with their seals.
      expect(await problemsOf(read, 45_000), read.text).toEqual([]);
    }
  });
});

/** The listener's heartbeat reads nothing. */
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
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** With the plan for these parameters, as it ran, and with the generic plan. */
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
