// The results of a dbt run become quality runs of the tested assets.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { checkedFetch } from '../../support/client/client.ts';
import { must, mustRefuse, openRegistryForFile } from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

beforeAll(async () => {
  for (const name of ['orders', 'customer_success', 'ingestion', 'marketing']) {
    must(await world.admin.createTeam({ body: { name } }), 201);
  }
});

const manifest: JsonObject = JSON.parse(
  readFileSync(new URL('../../fixtures/import/dbt-before.json', import.meta.url), 'utf8'),
);

let environment: string;
let environments = 0;
beforeEach(async () => {
  environments++;
  environment = `e${environments}`;
  const body = { manifest, owner_team_id: world.producer.teamId, environment };
  must(await world.admin.syncDbt({ body }), 200);
});

const results = {
  metadata: {
    dbt_schema_version: 'https://schemas.getdbt.com/dbt/run-results/v6.json',
    dbt_version: '1.11.2',
    generated_at: '2026-01-01T00:00:09.123456Z',
    invocation_id: 'run-1',
  },
  results: [
    {
      unique_id: 'test.feature.not_null_fct_orders_order_id.4e687af8d0',
      status: 'fail',
      failures: 3,
      message: 'Got 3 results, configured to fail if != 0',
      timing: [
        {
          name: 'execute',
          started_at: '2026-01-01T00:00:03.500000Z',
          completed_at: '2026-01-01T00:00:04.750000Z',
        },
      ],
    },
    {
      unique_id: 'test.feature.unique_fct_orders_order_id.523ddb6ce5',
      status: 'pass',
      failures: 0,
    },
    {
      unique_id: 'test.feature.source_unique_raw_customers_id.9027d6b367',
      status: 'warn',
      failures: 1,
    },
    { unique_id: 'test.feature.not_null_stg_customers_email.d7cf761533', status: 'skipped' },
  ],
};

async function historyOf(fqn: string) {
  const { results: found } = must(
    await world.admin.listAssets({ query: { environment, fqn } }),
    200,
  );
  const params = { asset_id: found[0]?.id ?? '' };
  return must(await world.admin.listQualityRuns({ params }), 200).results;
}

test('each asset gets a run in its history with the guarantees that were checked', async () => {
  const body = { run_results: results, environment };
  const recorded = must(await world.admin.recordBuildtoolResults({ body }), 200);
  const [run] = await historyOf('feat.analytics.fct_orders');
  expect(recorded).toMatchObject({
    status: 'success',
    runs: { recorded: 2, unchanged: 0, failed: 1 },
    results: [
      {
        fqn: 'feat.analytics.fct_orders',
        quality_run_id: run?.id,
        action: 'recorded',
        status: 'failed',
        guarantees: 2,
        failed_guarantees: 1,
      },
      { status: 'passed', guarantees: 1, failed_guarantees: 0 },
    ],
    errors: [],
  });
  expect(run).toMatchObject({
    status: 'failed',
    triggered_by: 'build_test',
    run_id: 'run-1',
    guarantees: [
      {
        name: 'test.feature.not_null_fct_orders_order_id.4e687af8d0',
        status: 'failed',
        rows: 3,
        message: 'Got 3 results, configured to fail if != 0',
      },
      { name: 'test.feature.unique_fct_orders_order_id.523ddb6ce5', status: 'passed', rows: 0 },
    ],
    started_at: '2026-01-01T00:00:03.500Z',
    finished_at: '2026-01-01T00:00:04.750Z',
    occurred_at: '2026-01-01T00:00:04.750Z',
    metadata: { dbt_version: '1.11.2' },
  });
  const [source] = await historyOf('raw_db.raw.customers');
  expect(source).toMatchObject({
    status: 'passed',
    guarantees: [{ status: 'warned', rows: 1 }],
    finished_at: '2026-01-01T00:00:09.123Z',
  });
  const { results: events } = must(
    await world.admin.listEvents({ query: { event_type: 'audit_run.recorded' } }),
    200,
  );
  expect(events[0]?.metadata).toMatchObject({ run_id: 'run-1', triggered_by: 'build_test' });
});

test('the same run again changes nothing and says so, also at the same time', async () => {
  const body = { run_results: results, environment };
  const answers = await Promise.all([1, 2].map(() => world.admin.recordDbtResults({ body })));
  const told = answers.map((answer) => must(answer, 200).runs);
  expect(told.map(({ recorded, unchanged }) => [recorded, unchanged]).sort()).toEqual([
    [0, 2],
    [2, 0],
  ]);
  expect(await historyOf('feat.analytics.fct_orders')).toHaveLength(1);
  const next = { ...results, metadata: { ...results.metadata, invocation_id: 'run-2' } };
  must(await world.admin.recordDbtResults({ body: { run_results: next, environment } }), 200);
  expect(await historyOf('feat.analytics.fct_orders')).toHaveLength(2);
});

test('the file itself is accepted, also compressed, for production', async () => {
  const body = { manifest, owner_team_id: world.producer.teamId };
  must(await world.admin.syncDbt({ body }), 200);
  const response = await checkedFetch(`${registry.url}/api/v1/sync/buildtool/run-results`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${registry.bootstrapKey}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: new Uint8Array(gzipSync(JSON.stringify(results))),
  });
  expect(await response.json()).toMatchObject({ runs: { recorded: 2 } });
});

test('a test with a custom name is matched by the manifest, and reported without it', async () => {
  const id = 'test.feature.assert_positive_order_id';
  const run_results = { ...results, results: [{ unique_id: id, status: 'error' }] };
  const alone = await world.admin.recordDbtResults({ body: { run_results, environment } });
  expect(must(alone, 200)).toMatchObject({
    status: 'partial',
    runs: { recorded: 0 },
    errors: [{ code: 'BROKEN_REFERENCE', place: '$.results[0]' }],
  });
  const placed = await world.admin.recordDbtResults({
    body: { run_results, manifest, environment },
  });
  expect(must(placed, 200).results).toMatchObject([
    { fqn: 'feat.analytics.fct_orders', status: 'failed' },
  ]);
});

test('assets that nobody imported are reported, and the rest is recorded', async () => {
  const body = { run_results: results, manifest, environment: 'elsewhere' };
  expect(must(await world.admin.recordDbtResults({ body }), 200)).toMatchObject({
    status: 'partial',
    runs: { recorded: 0 },
    errors: [{ code: 'BROKEN_REFERENCE' }, { code: 'BROKEN_REFERENCE' }],
  });
});

test('a file other than run_results.json is refused, and so are results for another team', async () => {
  const wrong = { run_results: { metadata: {} }, environment };
  const refused = mustRefuse(
    await world.admin.recordDbtResults({ body: wrong }),
    422,
    'INVALID_MANIFEST',
  );
  expect(refused.place).toBe('$.results');
  const missing = { environment } as unknown as typeof wrong;
  mustRefuse(await world.admin.recordDbtResults({ body: missing }), 400, 'VALIDATION_ERROR');
  const body = { run_results: results, environment };
  mustRefuse(await world.other.client.recordDbtResults({ body }), 403, 'FORBIDDEN');
  expect(await historyOf('feat.analytics.fct_orders')).toEqual([]);
});
