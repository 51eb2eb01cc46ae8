// The dashboard queries existing metrics, in expressions that Prometheus accepts.

import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import { metricTable } from '../../src/ops/observe/metric-table.ts';
import { promtool, unknownSeries } from './promtool.ts';
import { all, at, everything, one } from './release.ts';
import { render } from './render.ts';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly place: string;
  readonly expressions: readonly string[];
}

const name = 'shop-registry-concordat-dashboard';
const enabled = { metrics: { dashboard: { enabled: true } } };

async function dashboard(): Promise<JsonObject> {
  const text = at(one(await render(enabled), 'ConfigMap', name), 'data', 'concordat.json');
  const parsed: Json = JSON.parse(String(text));
  if (!isJsonObject(parsed)) throw new Error('a dashboard is an object');
  return parsed;
}

function panelsOf(of: JsonObject): readonly Panel[] {
  const list = (value: Json) => (Array.isArray(value) ? value : []);
  return list(of.panels ?? null).map((panel) => ({
    id: Number(at(panel, 'id')),
    title: String(at(panel, 'title')),
    place: JSON.stringify([at(panel, 'gridPos', 'x'), at(panel, 'gridPos', 'y')]),
    expressions: list(at(panel, 'targets')).map((target) => String(at(target, 'expr'))),
  }));
}

test('each panel asks for metrics that there are, of the release that was chosen', async () => {
  const expressions = panelsOf(await dashboard()).flatMap((panel) => panel.expressions);
  expect(expressions.length).toBeGreaterThan(20);
  expect(expressions.flatMap(unknownSeries)).toEqual([]);
  for (const expression of expressions) {
    const selectors = [...expression.matchAll(/\{([^}]*)\}/g)].map((match) => match[1] ?? '');
    expect(selectors.filter((one) => !one.includes('service="$service"'))).toEqual([]);
  }
});

test('every metric of the registry is on it, but those that say what runs and how it is set', async () => {
  const text = panelsOf(await dashboard())
    .flatMap((panel) => panel.expressions)
    .join('\n');
  const absent = Object.keys(metricTable).filter((metric) => !text.includes(metric));
  expect(absent.sort()).toEqual([
    'concordat_api_keys_expiring',
    'concordat_audit_stray_events',
    'concordat_bootstrap_key_accepted',
    'concordat_build_info',
    'concordat_database_connections_max',
    'concordat_database_up',
    'concordat_delivery_attempt_duration_seconds',
    'concordat_import_duration_seconds',
    'concordat_plain_webhook_secrets',
    'concordat_source_suspicious',
    'workqueue_adds_total',
    'workqueue_retries_total',
  ]);
});

test('Prometheus can read every expression', async () => {
  const rules = panelsOf(await dashboard()).flatMap(({ id, expressions }) =>
    expressions.map((expression, at) => ({
      record: `panel:${id}:${at}`,
      expr: expression.replaceAll('$__rate_interval', '5m'),
    })),
  );
  const files = { 'rules.yaml': { groups: [{ name: 'dashboard', rules }] } };
  const { code, stderr } = await promtool(['check', 'rules', 'rules.yaml'], files);
  expect([code, stderr]).toEqual([0, '']);
});

test('no two panels share an id or a place', async () => {
  const panels = panelsOf(await dashboard());
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ place }) => place)).size).toBe(panels.length);
});

test("is found by Grafana's sidecar, under the labels that were chosen, and only when asked for", async () => {
  const labels = at(one(await render(enabled), 'ConfigMap', name), 'metadata', 'labels');
  expect(labels).toMatchObject({ grafana_dashboard: '1' });
  const named = { metrics: { dashboard: { enabled: true, labels: { team: 'data' } } } };
  const chosen = at(one(await render(named), 'ConfigMap', name), 'metadata', 'labels');
  expect(chosen).toMatchObject({ team: 'data' });
  const found = (objects: readonly JsonObject[]) =>
    all(objects, 'ConfigMap').filter((object) => at(object, 'metadata', 'name') === name).length;
  expect([found(await render()), found(await render(everything))]).toEqual([0, 1]);
});
