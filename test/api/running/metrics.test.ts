// The metrics of work done through the API; no series contains the name of an object.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import {
  type MetricRow,
  metricTable,
  processMetrics,
} from '../../../src/ops/observe/metric-table.ts';
import { firstSentenceOf, openMetrics } from '../../../src/ops/observe/metrics.ts';
import { routes } from '../../../src/wire/routes.ts';
import { checkedFetch } from '../../support/client/client.ts';
import { type Gate, openGate } from '../../support/client/client-gate.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  createAsset,
  must,
  openWorld,
  orderSchema,
  proposedAsset,
  publish,
  publishedAsset,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';
import { readMetrics, type Series } from '../../support/metrics.ts';

let registry: TestRegistry;
let world: World;
let gate: Gate;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concordat-metrics-'));
  await mkdir(join(folder, 'contracts/shop'), { recursive: true });
  await writeFile(join(folder, 'teams.yaml'), 'shop: [nobody-yet]\n');
  await writeFile(
    join(folder, 'contracts/shop/orders.yaml'),
    'apiVersion: concordat.dev/v1\nkind: DataContract\nmetadata: {name: orders}\n' +
      'spec: {fqn: shop.orders, schema: {type: object}}\n',
  );
  registry = await openRegistry(
    { CONTRACTS_DIR: join(folder, 'contracts'), TEAM_MAPPING_FILE: join(folder, 'teams.yaml') },
    async (url) => {
      gate = await openGate(url);
      return gate.url;
    },
  );
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await gate.close();
  await rm(folder, { recursive: true, force: true });
});

const read = () => readMetrics(registry.url);

/** The increase of a series during the act. */
async function gained(act: () => Promise<unknown>): Promise<(series: string) => number> {
  const before = await read();
  await act();
  const after = await read();
  return (series) => after.value(series) - (before.value(series) || 0);
}

describe('/metrics', () => {
  test('needs no key, and has no metric that is not in the table, in the text format', async () => {
    const response = await checkedFetch(`${registry.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const { described } = await read();
    const written = [...described.keys()];
    const inTable = written.filter((name) => name in metricTable);
    expect(written.filter((name) => !inTable.includes(name)).sort()).toEqual(
      [...processMetrics].sort(),
    );
    for (const [name, { type, help }] of Object.entries<MetricRow>(metricTable)) {
      if (inTable.includes(name)) {
        expect(described.get(name), name).toEqual({ type, help: firstSentenceOf(help) });
      }
    }
  });

  test('has the running version', async () => {
    const series = `concordat_build_info{version="${packageFile.version}",node_version="${process.version}"}`;
    expect((await read()).value(series)).toBe(1);
  });

  test('measures the lag of the event loop, without the pause between two samples', async () => {
    const told = async () => {
      const seconds = (await read()).value('nodejs_eventloop_lag_min_seconds');
      // Zero if there was no sample since the last request.
      return seconds > 0 && seconds < 0.05;
    };
    await expect.poll(told, { timeout: 30_000, interval: 500 }).toBe(true);
  });

  test('counts and times requests by route, not by path', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const path = '/api/v1/assets/{asset_id}';
    const more = await gained(async () => {
      for (let i = 0; i < 3; i++) {
        must(await world.producer.client.getAsset({ params: { asset_id: assetId } }), 200);
      }
      const missing = { asset_id: '01890000-0000-7000-8000-000000000000' };
      await world.producer.client.getAsset({ params: missing });
      await fetch(`${registry.url}/api/v1/nothing/${assetId}`);
      await fetch(`${registry.url}/api/v1/assets/${assetId}`, { method: 'PUT' });
      await fetch(`${registry.url}/nowhere`, { method: 'REPORT' });
    });
    expect(more(`concordat_http_requests_total{route="${path}",status="2xx"}`)).toBe(3);
    expect(more(`concordat_http_requests_total{route="${path}",status="4xx"}`)).toBe(1);
    expect(more('concordat_http_requests_total{route="none",status="4xx"}')).toBe(2);
    expect(more('concordat_http_requests_total{route="page",status="4xx"}')).toBe(1);
    const duration = 'concordat_http_request_duration_seconds';
    expect(more(`${duration}_count{kind="read"}`)).toBe(4);
    expect(more(`${duration}_bucket{kind="read",le="+Inf"}`)).toBe(4);
    const seconds = `concordat_http_request_seconds_total{route="${path}"}`;
    expect(more(`${duration}_sum{kind="read"}`)).toBeGreaterThanOrEqual(more(seconds));
    expect(more(seconds)).toBeGreaterThan(0);
  });

  test('counts invalid keys, conflicts and rate limits apart from other 4xx', async () => {
    const series = (status: string) =>
      `concordat_http_requests_total{route="/api/v1/teams",status="${status}"}`;
    const more = await gained(async () => {
      const body = { name: 'Counted twice' };
      must(await world.admin.createTeam({ body }), 201);
      expect((await world.admin.createTeam({ body })).status).toBe(409);
      expect((await world.admin.as('no key').createTeam({ body })).status).toBe(401);
      expect((await world.admin.createTeam({ body: { name: '' } })).status).toBe(400);
    });
    expect(['2xx', '409', '4xx'].map((status) => more(series(status)))).toEqual([1, 1, 1]);
    // It was refused before its route.
    const ofAll = 'concordat_http_requests_total{route="/api/v1",status="401"}';
    expect(more(ofAll)).toBe(1);
  });

  test('times statements and the wait for a connection', async () => {
    const more = await gained(async () => void (await publishedAsset(world.producer)));
    expect(more('concordat_database_statement_duration_seconds_count')).toBeGreaterThan(3);
    expect(more('concordat_database_wait_duration_seconds_count')).toBeGreaterThan(1);
  });

  test('shows no histogram that is empty, and is compressed for who accepts gzip', async () => {
    const { series } = await read();
    const empty = series.filter(({ name, value }) => name.endsWith('_count') && value === 0);
    expect(empty).toEqual([]);
    // fetch decompresses what it gets, so the size is what the server says.
    const response = await fetch(`${registry.url}/metrics`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(10_000);
    expect((await response.text()).startsWith('# HELP concordat_build_info')).toBe(true);
  });

  test('counts callers that disconnect, and requests in flight', async () => {
    const hangUp = new AbortController();
    const path = '/api/v1/events/stream';
    const streams = 'concordat_event_streams';
    const response = await fetch(`${registry.url}${path}`, {
      headers: { authorization: `Bearer ${registry.bootstrapKey}` },
      signal: hangUp.signal,
    });
    expect(response.status).toBe(200);
    const during = await read();
    expect(during.value(streams)).toBe(1);
    // Includes this request.
    expect(during.value('concordat_http_requests_in_flight')).toBe(2);
    hangUp.abort();
    await vi.waitFor(async () => {
      const after = await read();
      expect(after.value(streams)).toBe(0);
      const aborted = `concordat_http_requests_total{route="${path}",status="aborted"}`;
      expect(after.value(aborted)).toBe(1);
    });
  });

  test('counts publishes and comparisons by their outcome', async () => {
    const { client } = world.producer;
    const more = await gained(async () => {
      const { assetId } = await publishedAsset(world.producer);
      await publish(client, assetId, { schema: orderSchema });
      await publish(client, assetId, { schema: widerSchema, dry_run: true });
      const params = { asset_id: assetId };
      const refused = await client.publishContract({ params, body: { schema: { type: 12 } } });
      expect(refused.status).toBe(422);
      const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
      await world.admin.forceProposal({
        params: { proposal_id: proposalId },
        body: { reason: 'It has to be.' },
      });
    });
    const publishes = (way: string, outcome: string) =>
      more(`concordat_publishes_total{way="${way}",outcome="${outcome}"}`);
    expect(publishes('direct', 'published')).toBe(2);
    expect(publishes('direct', 'unchanged')).toBe(1);
    expect(publishes('direct', 'dry_run')).toBe(1);
    expect(publishes('direct', 'refused')).toBe(1);
    expect(publishes('direct', 'proposal_created')).toBe(1);
    expect(publishes('force', 'published')).toBe(1);
    const questions = (outcome: string) =>
      more(`concordat_engine_questions_total{question="examine",outcome="${outcome}"}`);
    expect(questions('refused')).toBe(1);
    expect(questions('breaking')).toBe(1);
    expect(questions('compatible')).toBeGreaterThan(0);
    expect(
      more('concordat_engine_question_duration_seconds_count{question="examine"}'),
    ).toBeGreaterThan(3);
  });

  test('counts an import, whichever thread runs it', async () => {
    const labels = 'import="importGraphql"';
    const more = await gained(async () => {
      const body = { schema: 'type Q { a: Int }', owner_team_id: world.producer.teamId };
      must(await world.producer.client.importGraphql({ body }), 200);
      await world.producer.client.importGraphql({ body: { ...body, schema: 'type {' } });
    });
    expect(more(`concordat_imports_total{${labels},outcome="done"}`)).toBe(1);
    expect(more(`concordat_imports_total{${labels},outcome="refused"}`)).toBe(1);
    expect(more(`concordat_import_duration_seconds_count`)).toBe(2);
  });

  test("has the state of this process's source under the names that dashboards know", async () => {
    await vi.waitFor(
      async () => {
        const found = await read();
        expect(found.value('leader_election_master_status{name="directory"}')).toBe(1);
        const result = 'controller="datacontract",result="success"';
        const reconciles = found.value(`controller_runtime_reconcile_total{${result}}`);
        expect(reconciles).toBeGreaterThan(0);
        const took = 'controller_runtime_reconcile_time_seconds_count{controller="datacontract"}';
        expect(found.value(took)).toBe(reconciles);
        expect(found.value('workqueue_adds_total{name="directory"}')).toBeGreaterThan(0);
        expect(found.value('concordat_source_suspicious{source="directory"}')).toBe(0);
        const waits = found.value('workqueue_queue_duration_seconds_count{name="directory"}');
        expect(waits).toBeGreaterThan(0);
      },
      { timeout: 30_000, interval: 200 },
    );
    const settled = await read();
    expect(settled.value('workqueue_depth{name="directory"}')).toBe(0);
    const workers = 'controller_runtime_active_workers{controller="datacontract"}';
    expect(settled.value(workers)).toBe(0);
  });

  test('has no series with names of objects', async () => {
    const known = {
      route: new Set<string>([
        ...Object.values(routes).map(({ path }) => path),
        ...['page', 'none', '/api/v1', '/scim/v2'],
      ]),
    };
    const { series, text } = await read();
    const strangers = series.filter(
      ({ labels, text: whole }: Series) =>
        whole.startsWith('concordat_http') &&
        Object.entries(known).some(
          ([label, values]) => labels[label] !== undefined && !values.has(labels[label]),
        ),
    );
    expect(strangers).toEqual([]);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    for (const name of [folder, 'shop', world.producer.teamId, registry.bootstrapKey]) {
      expect(text).not.toContain(name);
    }
  });

  test('shows that the database is unavailable, and no figures that are then unknown', async () => {
    const asked = [...Object.entries(metricTable)]
      .filter(([, row]) => 'isQueried' in row)
      .map(([name]) => name);
    const shown = async () =>
      new Set((await read()).series.map(({ name }) => name).filter((name) => asked.includes(name)));
    expect([...(await shown())].sort()).toEqual([...asked].sort());
    gate.shut();
    await vi.waitFor(
      async () => {
        expect((await read()).value('concordat_database_up')).toBe(0);
        expect([...(await shown())]).toEqual([]);
      },
      { timeout: 20_000, interval: 200 },
    );
    gate.open();
    await vi.waitFor(async () => expect((await read()).value('concordat_database_up')).toBe(1), {
      timeout: 20_000,
      interval: 200,
    });
    expect([...(await shown())].sort()).toEqual([...asked].sort());
  });
});

describe('The queues in the registry', () => {
  test('are counted: proposals, and figures for which the database is rarely asked', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    expect(proposalId).toBeDefined();
    await vi.waitFor(
      async () => expect((await read()).value('concordat_proposals{state="pending"}')).toBe(1),
      { timeout: 20_000, interval: 200 },
    );
  });

  test('are aged: the oldest proposal that waits, and those past their last day', async () => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const shows = (name: string, isRight: (value: number | undefined) => boolean) =>
      vi.waitFor(async () => expect(isRight((await read()).value(name))).toBe(true), {
        timeout: 20_000,
        interval: 200,
      });
    await shows('concordat_proposals_overdue', (value) => value === 0);
    await registry.database.query(
      `update proposal set answer_by = current_date - 3, proposed_at = now() - interval '9 days'
       where id = $1`,
      [proposalId],
    );
    await shows('concordat_proposals_overdue', (value) => value === 1);
    await shows('concordat_proposals_oldest_seconds', (value) => (value ?? 0) >= 9 * 86_400);
    const params = { proposal_id: proposalId };
    must(
      await world.producer.client.withdrawProposal({ params, body: { reason: 'Not needed.' } }),
      200,
    );
    await shows('concordat_proposals_overdue', (value) => value === 0);
    await shows('concordat_proposals_oldest_seconds', (value) => (value ?? 0) < 86_400);
  });

  test('are counted: assets whose newest run failed, unless they are deleted', async () => {
    const counted = (count: number) =>
      vi.waitFor(async () => expect((await read()).value('concordat_assets_failing')).toBe(count), {
        timeout: 20_000,
        interval: 200,
      });
    const ids: string[] = [];
    for (const status of ['failed', 'failed', 'passed'] as const) {
      const { id } = await createAsset(world.producer);
      ids.push(id);
      const body = { status, triggered_by: 'nightly' };
      must(await world.producer.client.recordQualityRun({ params: { asset_id: id }, body }), 201);
    }
    await counted(2);
    const [gone = ''] = ids;
    const deleted = await world.producer.client.deleteAsset({ params: { asset_id: gone } });
    expect(deleted.ok).toBe(true);
    await counted(1);
  });
});

test('a histogram counts a value in the first bucket that contains it, and in every later one', async () => {
  const metrics = openMetrics();
  const duration = metrics.histogram('concordat_delivery_attempt_duration_seconds');
  for (const seconds of [0.001, 0.002, 31]) duration.observe(seconds);
  const text = await metrics.text();
  const of = (le: string) =>
    new RegExp(`^concordat_delivery_attempt_duration_seconds_bucket\\{le="${le}"\\} (\\d+)$`, 'm')
      .exec(text)
      ?.at(1);
  expect([of('0.001'), of('0.0025'), of('30'), of('\\+Inf')]).toEqual(['1', '2', '2', '3']);
  expect(text).toContain('concordat_delivery_attempt_duration_seconds_sum 31.003');
});
