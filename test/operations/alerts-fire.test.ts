// Alerts on a real registry in trouble: what it reports is scraped twice, the state is said to last, and
// Prometheus' own tool says whether the alert fires. The SQL of the runbooks runs on a real Postgres.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isJsonObject, type Json } from '../../src/core/value/json.ts';
import { promtool } from '../chart/promtool.ts';
import { at, one } from '../chart/release.ts';
import { render } from '../chart/render.ts';
import { type Gate, openGate } from '../support/client/client-gate.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  openWorld,
  publish,
  publishedAsset,
  type World,
} from '../support/client/client-world.ts';
import { readMetrics, type Series } from '../support/metrics.ts';

const runbooks = join(import.meta.dirname, '../../docs/runbooks');
const target = 'namespace="data",service="shop-registry-concordat",pod="a"';

let folder: string;
let gate: Gate;
let registry: TestRegistry;
let world: World;
let rules: Json;

beforeAll(async () => {
  rules = at(
    one(await render({ metrics: { prometheusRule: { enabled: true } } }), 'PrometheusRule'),
    'spec',
  );
  folder = await mkdtemp(join(tmpdir(), 'concordat-alerts-'));
  await mkdir(join(folder, 'contracts/shop'), { recursive: true });
  await writeFile(
    join(folder, 'contracts/shop/orders.yaml'),
    'apiVersion: concordat.dev/v1\nkind: DataContract\nmetadata: {name: orders}\n' +
      'spec: {fqn: shop.orders, schema: {type: object}}\n',
  );
  registry = await openRegistry(
    {
      ...{ CONTRACTS_DIR: join(folder, 'contracts'), DATABASE_POOL_SIZE: '3' },
      // Every comparison that needs a step is undecided.
      COMPARE_STEP_BUDGET: '1',
    },
    async (url) => {
      gate = await openGate(url);
      return gate.url;
    },
  );
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  gate.open();
  registry.takeCrashes();
  await registry.stop();
  await gate.close();
  await rm(folder, { recursive: true, force: true });
});

/** From one scrape to the next, and then a minute like that for an hour and a half. */
function goesOn(before: readonly Series[], after: readonly Series[]) {
  const earlier = new Map(before.map(({ text, value }) => [text, value]));
  return after.map(({ name, labels, text, value }) => {
    const isCounter = /_(total|count|sum|bucket)$/.test(name);
    const gained = isCounter ? Math.max(0, value - (earlier.get(text) ?? 0)) : 0;
    const own = Object.entries(labels).map(([label, of]) => `,${label}="${of}"`);
    return { series: `${name}{${target}${own.join('')}}`, values: `${value}+${gained}x90` };
  });
}

/** Whether the alert fires if the trouble lasts. */
async function fires(
  alert: string,
  before: readonly Series[],
  after: readonly Series[],
): Promise<boolean> {
  if (!isJsonObject(rules)) throw new Error('a PrometheusRule has a spec');
  const quiet = {
    interval: '1m',
    input_series: goesOn(before, after).filter(({ values }) => !values.startsWith('NaN')),
    alert_rule_test: [{ eval_time: '90m', alertname: alert, exp_alerts: [] }],
  };
  const files = {
    'rules.yaml': rules,
    'tests.yaml': { rule_files: ['rules.yaml'], tests: [quiet] },
  };
  const { code, stdout, stderr } = await promtool(['test', 'rules', 'tests.yaml'], files);
  // The tool fails because an alert was there where none was expected.
  if (code !== 0 && !`${stdout}${stderr}`.includes(`alertname="${alert}"`)) {
    throw new Error(`${stdout}${stderr}`);
  }
  return code !== 0;
}

const scrape = async () => (await readMetrics(registry.url)).series;
const readAssets = (count: number) =>
  Array.from({ length: count }, () => world.producer.client.listAssets());

/** The statements of a runbook, as an operator would copy them. */
async function statementsOf(file: string): Promise<readonly string[]> {
  const text = await readFile(join(runbooks, file), 'utf8');
  return [...text.matchAll(/`(select [^`]+)`/g)].map(([, sql = '']) => sql);
}

describe('On a registry that is well', () => {
  test('none of these alerts fires', async () => {
    const before = await scrape();
    await publishedAsset(world.producer);
    const after = await scrape();
    for (const alert of [
      'ConcordatWaitsForConnections',
      'ConcordatDatabaseAway',
      'ConcordatServesErrors',
      'ConcordatSourceSuspicious',
      'ConcordatComparisonsUndecided',
    ]) {
      expect([alert, await fires(alert, before, after)]).toEqual([alert, false]);
    }
  });
});

describe('The alert of the trouble fires', () => {
  test('when a lock holds up the pool; Postgres is not said to be away, and the runbook finds who holds it', async () => {
    const before = await scrape();
    const locker = new pg.Client({
      connectionString: registry.database.url,
      application_name: 'a forgotten terminal',
    });
    await locker.connect();
    await locker.query('begin; lock table asset in access exclusive mode');
    const write = createAsset(world.producer);
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock'";
    await vi.waitUntil(async () => (await registry.database.query(waiting)).length > 0, {
      timeout: 60_000,
    });
    const reads = readAssets(12);
    const after = await vi.waitUntil(
      async () => {
        const metrics = await readMetrics(registry.url);
        return metrics.value('concordat_database_busy_total') > 0 ? metrics.series : null;
      },
      { timeout: 60_000 },
    );
    // The reads give up; the write still waits.
    const [blocking = '', holding = ''] = await statementsOf('ConcordatWaitsForConnections.md');
    for (const statement of [blocking, holding]) {
      const found = await registry.database.query(statement);
      expect(found).toMatchObject([{ application_name: 'a forgotten terminal' }]);
    }
    await locker.query('rollback');
    await locker.end();
    await Promise.all([write, ...reads]);
    expect(await fires('ConcordatWaitsForConnections', before, after)).toBe(true);
    expect(await fires('ConcordatDatabaseAway', before, after)).toBe(false);
  });

  test('when Postgres is away, and API requests fail although the probes of the process succeed', async () => {
    gate.shut();
    const before = await scrape();
    await Promise.all(readAssets(10));
    for (let i = 0; i < 40; i++) await fetch(`${registry.url}/health`);
    const after = await vi.waitUntil(
      async () => {
        const metrics = await readMetrics(registry.url);
        return metrics.value('concordat_database_up') === 0 ? metrics.series : null;
      },
      { timeout: 60_000 },
    );
    expect(await fires('ConcordatDatabaseAway', before, after)).toBe(true);
    expect(await fires('ConcordatServesErrors', before, after)).toBe(true);
    gate.open();
    await vi.waitUntil(
      async () => (await readMetrics(registry.url)).value('concordat_database_up') === 1,
      { timeout: 60_000 },
    );
  });

  test('when comparisons end undecided', async () => {
    const { client } = world.producer;
    const before = await scrape();
    const { id } = await createAsset(world.producer);
    const texts = (pattern: string) => ({
      schema: { type: 'object', properties: { code: { type: 'string', pattern } } },
    });
    await publish(client, id, texts('^(a|b)*abb$'));
    for (let i = 0; i < 12; i++) {
      await publish(client, id, { ...texts('^[ab]+b$'), dry_run: true });
    }
    expect(await fires('ConcordatComparisonsUndecided', before, await scrape())).toBe(true);
  });

  test('when a folder of contracts is suddenly empty', async () => {
    const suspicious = 'concordat_source_suspicious{source="directory"}';
    await vi.waitUntil(async () => (await readMetrics(registry.url)).value(suspicious) === 0, {
      timeout: 60_000,
    });
    const before = await scrape();
    await rm(join(folder, 'contracts/shop'), { recursive: true });
    const after = await vi.waitUntil(
      async () => {
        const metrics = await readMetrics(registry.url);
        return metrics.value(suspicious) === 1 ? metrics.series : null;
      },
      { timeout: 120_000 },
    );
    expect(await fires('ConcordatSourceSuspicious', before, after)).toBe(true);
  });
});

test('every SQL line of the runbooks runs as copied', async () => {
  const files = await readdir(runbooks);
  const statements = (await Promise.all(files.map(statementsOf))).flat();
  const ready = statements.filter((sql) => !/\b(PID|pid)\)$/.test(sql));
  expect(ready.length).toBeGreaterThan(2);
  for (const sql of ready) await registry.database.query(sql);
});
