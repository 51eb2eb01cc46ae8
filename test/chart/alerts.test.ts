// Each alert fires on its problem and not on similar situations, and has a runbook. Checked with
// Prometheus' own tool, on the rules as the chart renders them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import { metricTable, processMetrics } from '../../src/ops/observe/metric-table.ts';
import { metricsOfOthers, promtool, unknownSeries } from './promtool.ts';
import { all, at, everything, one } from './release.ts';
import { chart, refusalOf, render } from './render.ts';

const runbooks = join(chart, '../../docs/runbooks');
const enabled = {
  metrics: { prometheusRule: { enabled: true } },
  checks: { enabled: true },
};

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

let spec: JsonObject;
let rules: readonly Rule[];

beforeAll(async () => {
  const found = at(one(await render(enabled), 'PrometheusRule'), 'spec');
  if (!isJsonObject(found)) throw new Error('a PrometheusRule has a spec');
  spec = found;
  rules = rulesOf(spec);
});

function rulesOf(of: JsonObject): readonly Rule[] {
  const groups = Array.isArray(of.groups) ? of.groups : [];
  // The chart's rules; promtool checks their form below.
  return groups.flatMap((group: Json) => at(group, 'rules') as unknown as Rule[]);
}

/** Series of the release, by minute, in promtool's notation. */
type Input = Readonly<Record<string, string>>;

interface Case {
  readonly fires: { readonly input: Input; readonly at: string; readonly labels?: object };
  readonly quiet: { readonly input: Input; readonly at: string };
}

const release = 'namespace="data",service="shop-registry-concordat"';
const pod = (name: string, more = '') =>
  `{${release},pod="${name}"${more === '' ? '' : `,${more}`}}`;
const a = (more = '') => pod('a', more);
const b = (more = '') => pod('b', more);

/**
 * One row for each alert. The quiet input is close to the firing one: shorter, smaller, or of
 * another release.
 */
const cases: Readonly<Record<string, Case>> = {
  ConcordatDown: {
    fires: { input: { [`up${a()}`]: '0x20', [`up${b()}`]: '1 1 0x20' }, at: '10m' },
    quiet: { input: { [`up${a()}`]: '0x20', [`up${b()}`]: '1x20' }, at: '20m' },
  },
  ConcordatReplicaGone: {
    fires: { input: { [`up${a()}`]: '1x20', [`up${b()}`]: '1 1 0x20' }, at: '4m' },
    quiet: { input: { [`up${a()}`]: '1x20', [`up${b()}`]: '1 0 1x20' }, at: '4m' },
  },
  ConcordatRestarts: {
    fires: { input: { [`process_start_time_seconds${a()}`]: '0+60x20' }, at: '20m' },
    quiet: { input: { [`process_start_time_seconds${a()}`]: '0 0 0 500 500 900x20' }, at: '20m' },
  },
  ConcordatServesErrors: {
    fires: {
      input: {
        ...answers('/api/v1/assets', { '5xx': 2, '2xx': 10 }),
        // Probes and scrapes would hide two failing requests a minute.
        ...answers('/health/ready', { '2xx': 600 }),
      },
      at: '15m',
    },
    quiet: {
      input: {
        ...answers('/api/v1/assets', { '5xx': 4, '4xx': 20, '2xx': 76 }),
        ...answers('/health/ready', { '5xx': 60 }),
      },
      at: '15m',
    },
  },
  ConcordatIsSlow: {
    fires: { input: durations('read', '0+80x30', '0+100x30'), at: '20m' },
    quiet: {
      input: {
        ...durations('write', '0+98x30', '0+100x30'),
        ...durations('import', '0+0x30', '0+100x30'),
      },
      at: '20m',
    },
  },
  ConcordatDatabaseAway: {
    fires: {
      input: {
        [`concordat_database_up${a()}`]: '1 0x20',
        [`concordat_database_up${b()}`]: '1x20',
      },
      at: '5m',
    },
    quiet: { input: { [`concordat_database_up${a()}`]: '1 1 0 1x20' }, at: '5m' },
  },
  ConcordatDatabaseRefuses: {
    fires: {
      input: {
        [`concordat_database_refused_total${a('reason="disk_full"')}`]: '0x5 1 1 1 1 2x4 3x20',
      },
      at: '16m',
      labels: { reason: 'disk_full' },
    },
    quiet: {
      input: {
        // A failover: a standby was asked for a few seconds, and later for a few more.
        [`concordat_database_refused_total${a('reason="read_only"')}`]: '0x5 40x20 90x20',
        [`concordat_database_refused_total${a('reason="disk_full"')}`]: '7x60',
      },
      at: '30m',
    },
  },
  ConcordatWaitsForConnections: {
    fires: {
      input: {
        [`concordat_database_waiting${a()}`]: '0x20',
        [`concordat_database_busy_total${b()}`]: '0+3x20',
      },
      at: '10m',
    },
    quiet: {
      input: {
        [`concordat_database_waiting${a()}`]: '9 9 0 9 9 0 9 9 0 9 9',
        [`concordat_database_busy_total${b()}`]: '0x3 40x20',
      },
      at: '10m',
    },
  },
  ConcordatWaitsForThreads: {
    fires: {
      input: { [`concordat_thread_queue_depth${a('pool="engine"')}`]: '11x20' },
      at: '10m',
      labels: { pool: 'engine' },
    },
    quiet: { input: { [`concordat_thread_queue_depth${a('pool="engine"')}`]: '10x20' }, at: '10m' },
  },
  ConcordatEventLoopHeldUp: {
    fires: { input: { [`nodejs_eventloop_lag_p99_seconds${a()}`]: '0.6x20' }, at: '15m' },
    quiet: { input: { [`nodejs_eventloop_lag_p99_seconds${a()}`]: '0.6x8 0.1x20' }, at: '15m' },
  },
  ConcordatComparisonsUndecided: {
    fires: {
      input: { [`concordat_engine_questions_total${a('outcome="undecided"')}`]: '0+1x60' },
      at: '60m',
    },
    quiet: {
      input: {
        [`concordat_engine_questions_total${a('outcome="breaking"')}`]: '0+9x60',
        [`concordat_engine_questions_total${a('outcome="failed"')}`]: '0x30 5x30',
      },
      at: '60m',
    },
  },
  ConcordatAuditUnsealed: {
    fires: { input: { [`concordat_audit_unsealed_seconds${a()}`]: '0+60x20' }, at: '15m' },
    quiet: { input: { [`concordat_audit_unsealed_seconds${a()}`]: '299x20' }, at: '15m' },
  },
  ConcordatAuditEventsAstray: {
    fires: { input: { [`concordat_audit_stray_events${a()}`]: '1x30' }, at: '20m' },
    quiet: { input: { [`concordat_audit_stray_events${a()}`]: '0x30' }, at: '20m' },
  },
  ConcordatDataDoesNotMatch: {
    fires: {
      input: {
        [`concordat_assets_failing${a()}`]: '2x90',
        [`concordat_assets_failing${b()}`]: '2x90',
      },
      at: '70m',
    },
    quiet: { input: { [`concordat_assets_failing${a()}`]: '2x50 0x40' }, at: '80m' },
  },
  ConcordatProposalsWait: {
    fires: {
      input: {
        [`concordat_proposals_overdue${a()}`]: '0x10 1x90',
        [`concordat_proposals_oldest_seconds${a()}`]: '60x100',
      },
      at: '80m',
    },
    quiet: {
      input: {
        [`concordat_proposals_overdue${a()}`]: '0x100',
        [`concordat_proposals_oldest_seconds${a()}`]: '2591000x100',
      },
      at: '80m',
    },
  },
  ConcordatDeliveriesGivenUp: {
    fires: {
      input: { [`concordat_delivery_attempts_total${a('outcome="parked"')}`]: '0x10 1x20' },
      at: '20m',
    },
    quiet: {
      input: {
        [`concordat_delivery_attempts_total${a('outcome="failed"')}`]: '0+3x20',
        [`concordat_delivery_attempts_total${a('outcome="parked"')}`]: '7x20',
      },
      at: '20m',
    },
  },
  ConcordatSecretsUnencrypted: {
    fires: {
      input: {
        [`concordat_plain_webhook_secrets${a()}`]: '2x90',
        [`concordat_plain_webhook_secrets${b()}`]: '2x90',
      },
      at: '70m',
    },
    quiet: { input: { [`concordat_plain_webhook_secrets${a()}`]: '2x30 0x60' }, at: '70m' },
  },
  ConcordatReceiverFails: {
    fires: { input: { [`concordat_delivery_failing_seconds${a()}`]: '3000+60x40' }, at: '30m' },
    quiet: {
      input: {
        [`concordat_delivery_failing_seconds${a()}`]: '0+60x40',
        'concordat_delivery_failing_seconds{namespace="other",service="x",pod="a"}': '9000x40',
      },
      at: '30m',
    },
  },
  ConcordatDeliveriesLate: {
    fires: { input: { [`concordat_outbox_oldest_seconds${b()}`]: '0+120x20' }, at: '15m' },
    quiet: {
      input: {
        [`concordat_outbox_oldest_seconds${a()}`]: '5x20',
        [`concordat_delivery_lane_overdue_seconds${a()}`]: '550x20',
      },
      at: '15m',
    },
  },
  ConcordatEventBusBehind: {
    fires: { input: { [`concordat_event_bus_unsent_seconds${b()}`]: '0+120x20' }, at: '15m' },
    quiet: { input: { [`concordat_event_bus_unsent_seconds${a()}`]: '550x20' }, at: '15m' },
  },
  ConcordatNobodyLeads: {
    fires: {
      input: {
        [`leader_election_master_status${a('name="cluster"')}`]: '0x20',
        [`leader_election_master_status${b('name="cluster"')}`]: '0x20',
        [`leader_election_master_status${b('name="git"')}`]: '1x20',
      },
      at: '10m',
    },
    quiet: {
      input: {
        [`leader_election_master_status${a('name="cluster"')}`]: '1 1 1 0x20',
        [`leader_election_master_status${b('name="cluster"')}`]: '0 0 0 0 1x20',
      },
      at: '15m',
    },
  },
  ConcordatReconcilesFail: {
    fires: {
      input: { [`controller_runtime_reconcile_total${a('result="error"')}`]: '0+10x40' },
      at: '35m',
    },
    quiet: {
      input: {
        [`controller_runtime_reconcile_total${a('result="error"')}`]: '0+5x40',
        [`controller_runtime_reconcile_total${a('result="success"')}`]: '0+100x40',
      },
      at: '35m',
    },
  },
  ConcordatIsBehind: {
    fires: { input: { [`workqueue_depth${a('name="cluster"')}`]: '101x20' }, at: '16m' },
    quiet: { input: { [`workqueue_depth${a('name="cluster"')}`]: '500x10 90x10' }, at: '20m' },
  },
  ConcordatSourceSuspicious: {
    fires: {
      input: { [`concordat_source_suspicious${a('source="git"')}`]: '1x20' },
      at: '10m',
      labels: { source: 'git' },
    },
    quiet: {
      input: { [`concordat_source_suspicious${a('source="git"')}`]: '1x3 0x20' },
      at: '10m',
    },
  },
  ConcordatCriticalDataDoesNotMatch: {
    fires: {
      input: {
        [`concordat_check_runs_total${a('state="failed",severity="critical"')}`]: '0x10 1x60',
      },
      at: '15m',
    },
    quiet: {
      input: {
        [`concordat_check_runs_total${a('state="failed",severity="warning"')}`]: '0x10 1x60',
      },
      at: '15m',
    },
  },
  ConcordatChecksDoNotRun: {
    fires: {
      input: {
        [`concordat_check_runs_total${a('state="error",severity="warning"')}`]: '0x10 1x90',
      },
      at: '60m',
    },
    quiet: {
      input: {
        [`concordat_check_runs_total${a('state="failed",severity="warning"')}`]: '0x10 1x90',
      },
      at: '60m',
    },
  },
  ConcordatAdmissionUnchecked: {
    fires: {
      input: {
        [`concordat_admission_reviews_total${a('outcome="unchecked"')}`]: '0+1x30',
        [`concordat_admission_reviews_total${a('outcome="allowed"')}`]: '0+30x30',
      },
      at: '25m',
    },
    quiet: {
      input: {
        [`concordat_admission_reviews_total${a('outcome="unchecked"')}`]: '0+1x3 3x30',
        [`concordat_admission_reviews_total${a('outcome="refused"')}`]: '0+30x30',
      },
      at: '25m',
    },
  },
  ConcordatAdmissionUnreachable: {
    fires: {
      input: {
        'apiserver_admission_webhook_fail_open_count{name="validate.concordat.dev",type="validating"}':
          '0+1x30',
      },
      at: '25m',
    },
    quiet: {
      input: {
        'apiserver_admission_webhook_fail_open_count{name="validate.concordat.dev",type="validating"}':
          '0+1x3 3x30',
        'apiserver_admission_webhook_rejection_count{name="validate.concordat.dev",error_type="no_error"}':
          '0+1x30',
      },
      at: '25m',
    },
  },
  ConcordatApiServerRefuses: {
    fires: {
      input: {
        [`rest_client_requests_total${a('code="403"')}`]: '0+30x20',
        [`rest_client_requests_total${a('code="200"')}`]: '0+70x20',
      },
      at: '16m',
    },
    quiet: {
      input: {
        [`rest_client_requests_total${a('code="404"')}`]: '0+30x20',
        [`rest_client_requests_total${a('code="<error>"')}`]: '0+10x20',
        [`rest_client_requests_total${a('code="200"')}`]: '0+60x20',
      },
      at: '16m',
    },
  },
};

/** Responses of a route by status, with a rate per minute for each. */
function answers(route: string, byStatus: Readonly<Record<string, number>>): Input {
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, perMinute]) => [
      `concordat_http_requests_total${a(`route="${route}",status="${status}"`)}`,
      `0+${perMinute}x20`,
    ]),
  );
}

function durations(kind: string, withinOne: string, whole: string): Input {
  const bucket = (le: string) =>
    `concordat_http_request_duration_seconds_bucket${a(`kind="${kind}",le="${le}"`)}`;
  return { [bucket('1')]: withinOne, [bucket('10')]: whole, [bucket('+Inf')]: whole };
}

/** The same input for another release: no alert of this one may react to it. */
function elsewhere(input: Input): Input {
  return Object.fromEntries(
    Object.entries(input).map(([series, values]) => [
      series
        .replace('namespace="data"', 'namespace="theirs"')
        .replace('validate.concordat.dev', 'validate.example.org'),
      values,
    ]),
  );
}

function ruleTest(rule: Rule, { input, at: time }: Case['quiet'], alerts: readonly object[]) {
  return {
    interval: '1m',
    input_series: Object.entries(input).map(([series, values]) => ({ series, values })),
    alert_rule_test: [{ eval_time: time, alertname: rule.alert, exp_alerts: alerts }],
  };
}

const service = 'http://shop-registry-concordat.data.svc';

async function firstRunbook(values: object): Promise<string | undefined> {
  const rule = at(one(await render({ ...enabled, ...values }), 'PrometheusRule'), 'spec');
  const [first] = isJsonObject(rule) ? rulesOf(rule) : [];
  return first?.annotations.runbook_url;
}

async function runTests(tests: readonly object[]) {
  const files = { 'rules.yaml': spec, 'tests.yaml': { rule_files: ['rules.yaml'], tests } };
  return promtool(['test', 'rules', 'tests.yaml'], files);
}

describe('The alerts of the chart', () => {
  test('are rules that Prometheus takes, without a remark of its linter', async () => {
    const { code, stderr, stdout } = await promtool(['check', 'rules', 'rules.yaml'], {
      'rules.yaml': spec,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  test('each have a case here, and each case an alert', () => {
    expect(Object.keys(cases).sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  test.each(Object.keys(cases))('%s fires on what it is about', async (name) => {
    const rule = rules.find(({ alert }) => alert === name);
    const { fires } = cases[name] ?? {};
    if (rule === undefined || fires === undefined) throw new Error(`there is no ${name}`);
    const alert = {
      exp_labels: { ...rule.labels, ...fires.labels },
      exp_annotations: rule.annotations,
    };
    expect(await runTests([ruleTest(rule, fires, [alert])])).toMatchObject({ code: 0 });
  });

  test.each(Object.keys(cases))('%s is quiet on what is near to it', async (name) => {
    const rule = rules.find(({ alert }) => alert === name);
    const row = cases[name];
    if (rule === undefined || row === undefined) throw new Error(`there is no ${name}`);
    const tests = [ruleTest(rule, row.quiet, [])];
    // Alerts on missing series fire if nothing is known of this release.
    if (!/absent\(|vector\(0\)/.test(rule.expr)) {
      const { fires } = row;
      tests.push(ruleTest(rule, { ...fires, input: elsewhere(fires.input) }, []));
    }
    expect(await runTests(tests)).toMatchObject({ code: 0 });
  });

  test('ask only for metrics that there are', () => {
    const strangers = rules.flatMap(({ alert, expr }) =>
      unknownSeries(expr).map((name) => `${alert}: ${name}`),
    );
    expect(strangers).toEqual([]);
  });

  test('say what is the matter, and where to read on', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook_url', 'summary']);
      const page = `http://shop-registry-concordat.data.svc:80/docs/guide/runbooks/${alert}.md`;
      expect(annotations.runbook_url).toBe(page);
      expect(['critical', 'warning']).toContain(labels.severity);
    }
  });

  test.each([
    [
      'its Ingress',
      { ingress: { enabled: true, host: 'a.org', tlsSecret: 'tls' } },
      'https://a.org',
    ],
    ['one without TLS', { ingress: { enabled: true, host: 'a.org' } }, 'http://a.org'],
    ['its base URL', { baseUrl: 'https://b.org/' }, 'https://b.org'],
    ['its Service, by another port', { service: { port: 8443 } }, `${service}:8443`],
  ])('link to the guide of the release at %s', async (_, values, address) => {
    expect(await firstRunbook(values)).toBe(`${address}/docs/guide/runbooks/ConcordatDown.md`);
  });

  test('link to where the release says that its runbooks are', async () => {
    const runbookUrl = 'https://wiki.example.org/concordat/';
    const elsewhere = { metrics: { prometheusRule: { enabled: true, runbookUrl } } };
    expect(await firstRunbook(elsewhere)).toBe(
      'https://wiki.example.org/concordat/ConcordatDown.md',
    );
    const wrong = { metrics: { prometheusRule: { enabled: true, runbookUrl: 'wiki' } } };
    expect(await refusalOf(wrong)).toContain('runbookUrl');
  });

  test('say nothing of a controller that is not there, and are there only when asked for', async () => {
    const without = { ...enabled, controller: { enabled: false } };
    const names = rulesOf(at(one(await render(without), 'PrometheusRule'), 'spec') as JsonObject);
    const gone = rules.filter((rule) => !names.some(({ alert }) => alert === rule.alert));
    expect(gone.map(({ alert }) => alert)).toEqual([
      'ConcordatNobodyLeads',
      'ConcordatReconcilesFail',
      'ConcordatIsBehind',
      'ConcordatSourceSuspicious',
      'ConcordatApiServerRefuses',
      'ConcordatAdmissionUnchecked',
      'ConcordatAdmissionUnreachable',
      'ConcordatCriticalDataDoesNotMatch',
      'ConcordatChecksDoNotRun',
    ]);
    expect(all(await render(), 'PrometheusRule')).toEqual([]);
    expect(all(await render(everything), 'PrometheusRule')).toHaveLength(1);
  });
});

describe('The runbooks', () => {
  // A drill is started by a person, not by an alert.
  const others = ['README.md', 'rebuilt-cluster.md'];
  const pages = readdirSync(runbooks).filter((name) => !others.includes(name));
  const known = new Set<string>([
    ...Object.keys(metricTable),
    ...processMetrics,
    ...metricsOfOthers,
    'up',
  ]);

  test('are one for each alert, and none for what is no alert', () => {
    expect(pages.sort()).toEqual(rules.map(({ alert }) => `${alert}.md`).sort());
  });

  test.each(pages)('%s says what it means, how to look, and what to do', (page) => {
    const text = readFileSync(join(runbooks, page), 'utf8');
    expect(text.startsWith(`# ${page.replace('.md', '')}\n`)).toBe(true);
    for (const heading of ['## What it means', '## How to investigate', '## What to do']) {
      expect(text).toContain(heading);
    }
    const named = [
      ...text.matchAll(
        /`((?:concordat|controller_runtime|workqueue|leader_election|rest_client|process|nodejs|apiserver)_\w+|up)[`{]/g,
      ),
    ];
    const metrics = named.map(([, name = '']) =>
      known.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
    );
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !known.has(name))).toEqual([]);
    // The runbook uses a metric of the alert's expression.
    const rule = rules.find(({ alert }) => `${alert}.md` === page);
    expect(metrics.some((name) => rule?.expr.includes(name))).toBe(true);
  });
});
