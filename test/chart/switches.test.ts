// Every value of the chart, one row each: a value, and its effect on the release. The other files
// test that the whole release is correct; this one ensures that no value is forgotten.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import { chart, helm, render } from './render.ts';

interface Switch {
  readonly value: Json;
  /** Kinds, or text of the manifests, that are rendered only with the value. */
  readonly brings?: string;
  /** Kinds, or text of the manifests, that are rendered only without the value. */
  readonly takes?: string;
  /** Other values that this one needs to have an effect. */
  readonly beside?: JsonObject;
  /** The values to compare with, if not `beside` alone. */
  readonly instead?: JsonObject;
}

const git = { git: { url: 'https://example.org/a.git' } };
const database = { database: { secret: { name: 'postgres' } } };
const ingress = { ingress: { enabled: true, host: 'a.example.org' } };
const operator = { database: { secret: { name: '' } }, cloudnativepg: { enabled: true } };
const route = { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } };
const scaling = { autoscaling: { enabled: true } };
const labels = { found: 'by-this' };

const switches: Readonly<Record<string, Switch>> = {
  replicas: { value: 7, brings: '"replicas":7' },
  nameOverride: { value: 'other', brings: '"app.kubernetes.io/name":"other"' },
  fullnameOverride: { value: 'other', brings: '"name":"other"' },
  'image.repository': { value: 'example.org/x', brings: '"image":"example.org/x:' },
  'image.tag': { value: 'v9', brings: ':v9"' },
  'image.digest': { value: `sha256:${'c'.repeat(64)}`, brings: '@sha256:ccc' },
  'image.pullPolicy': { value: 'Always', brings: '"imagePullPolicy":"Always"' },
  imagePullSecrets: { value: [{ name: 'pull' }], brings: '"imagePullSecrets":[{"name":"pull"}]' },
  'database.secret.name': { value: 'other', brings: '"secretKeyRef":{"name":"other"' },
  'database.secret.key': { value: 'url', brings: '"key":"url"', beside: database },
  'database.secret.asFile': { value: true, brings: '"name":"DATABASE_URL_FILE"', beside: database },
  'database.migrateSecret.name': {
    value: 'owner',
    brings: '"name":"MIGRATE_DATABASE_URL","valueFrom":{"secretKeyRef":{"name":"owner","key":"uri"',
    beside: { ...database, migrations: { mode: 'job' } },
  },
  'database.migrateSecret.key': {
    value: 'url',
    brings: '"key":"url"',
    beside: {
      database: { ...database.database, migrateSecret: { name: 'owner' } },
      migrations: { mode: 'job' },
    },
  },
  'database.listenSecret.name': {
    value: 'direct',
    brings: '"name":"LISTEN_DATABASE_URL","valueFrom":{"secretKeyRef":{"name":"direct","key":"uri"',
    beside: database,
  },
  'database.listenSecret.key': {
    value: 'url',
    brings: '"key":"url"',
    beside: { database: { ...database.database, listenSecret: { name: 'direct' } } },
  },
  'database.listenSecret.asFile': {
    value: true,
    brings: '"name":"LISTEN_DATABASE_URL_FILE","value":"/etc/concordat/listen-database/uri"',
    beside: { database: { ...database.database, listenSecret: { name: 'direct' } } },
  },
  'database.readSecret.name': {
    value: 'replicas',
    brings:
      '"name":"DATABASE_READ_URLS","valueFrom":{"secretKeyRef":{"name":"replicas","key":"uris"',
    beside: database,
  },
  'database.readSecret.key': {
    value: 'urls',
    brings: '"key":"urls"',
    beside: { database: { ...database.database, readSecret: { name: 'replicas' } } },
  },
  'database.readSecret.asFile': {
    value: true,
    brings: '"name":"DATABASE_READ_URLS_FILE","value":"/etc/concordat/read-databases/uris"',
    beside: { database: { ...database.database, readSecret: { name: 'replicas' } } },
  },
  'database.poolSize': { value: 33, brings: '"DATABASE_POOL_SIZE":"33"', beside: database },
  'cloudnativepg.enabled': {
    value: true,
    brings: '"kind":"Cluster"',
    beside: operator,
    instead: {},
  },
  'cloudnativepg.instances': { value: 5, brings: '"instances":5', beside: operator },
  'cloudnativepg.storage.size': { value: '77Gi', brings: '"size":"77Gi"', beside: operator },
  'cloudnativepg.storage.storageClass': {
    value: 'fast',
    brings: '"storageClass":"fast"',
    beside: operator,
  },
  'migrations.mode': { value: 'job', brings: '"kind":"Job"' },
  baseUrl: { value: 'https://a.example.org', brings: '"BASE_URL":"https://a.example.org"' },
  basePath: { value: '/contracts', brings: '"BASE_PATH":"/contracts"' },
  settings: { value: { LOG_LEVEL: 'debug' }, brings: '"LOG_LEVEL":"debug"' },
  secretSettings: { value: 'more', brings: '{"secretRef":{"name":"more"}}' },
  'controller.enabled': { value: false, takes: '"KUBERNETES":"in-cluster"' },
  'controller.clusterName': { value: 'eu-west', brings: '"CLUSTER_NAME":"eu-west"' },
  'controller.readConfigMaps': { value: false, takes: '"configmaps"' },
  'controller.watchNamespaces': { value: ['shop'], brings: '"WATCH_NAMESPACES":"shop"' },
  'controller.watchNamespaceSelector.matchLabels': {
    value: { tier: 'gold' },
    brings: '"WATCH_NAMESPACE_SELECTOR":"tier=gold"',
  },
  'controller.watchNamespaceSelector.matchExpressions': {
    value: [{ key: 'paused', operator: 'DoesNotExist' }],
    brings: '"WATCH_NAMESPACE_SELECTOR":"!paused"',
  },
  'controller.teamMapping': { value: { shop: ['billing'] }, brings: 'billing' },
  'controller.allowForce': { value: true, brings: '"ALLOW_FORCE_FROM_RESOURCES":"true"' },
  'git.url': { value: 'https://example.org/b.git', brings: 'example.org/b.git' },
  'git.ref': { value: 'release', brings: '"GIT_REF":"release"', beside: git },
  'checks.enabled': { value: true, brings: '"cronjobs"' },
  'checks.registryUrl': {
    value: 'https://data.example.org',
    brings: '"CHECK_REGISTRY_URL":"https://data.example.org"',
    beside: { checks: { enabled: true } },
  },
  'git.path': { value: 'deploy', brings: '"GIT_PATH":"deploy"', beside: git },
  'git.intervalSeconds': { value: 17, brings: '"GIT_INTERVAL_SECONDS":"17"', beside: git },
  'git.credentialsSecret': { value: 'push', brings: '"secretName":"push"', beside: git },
  'git.cloneSizeLimit': { value: '9Gi', brings: '"sizeLimit":"9Gi"' },
  'trustedAuthorities.configMap': {
    value: 'house',
    brings: '"value":"/etc/concordat/authorities/ca.crt"',
  },
  'trustedAuthorities.key': {
    value: 'root.pem',
    brings: '"value":"/etc/concordat/authorities/root.pem"',
    beside: { trustedAuthorities: { configMap: 'house' } },
  },
  'crds.enabled': { value: false, takes: '"kind":"CustomResourceDefinition"' },
  'policies.enabled': { value: false, takes: '"kind":"ValidatingAdmissionPolicy"' },
  'webhook.enabled': { value: false, takes: '"kind":"ValidatingWebhookConfiguration"' },
  'webhook.failurePolicy': { value: 'Fail', takes: '"failurePolicy":"Ignore"' },
  'webhook.timeoutSeconds': { value: 9, brings: '"timeoutSeconds":9' },
  'webhook.certManager.enabled': { value: true, brings: '"kind":"Certificate"' },
  'webhook.certManager.issuerRef': {
    value: { kind: 'ClusterIssuer', name: 'ours' },
    brings: '"issuerRef":{"kind":"ClusterIssuer","name":"ours"}',
    beside: { webhook: { certManager: { enabled: true } } },
  },
  'rbac.create': { value: false, takes: '"kind":"ClusterRoleBinding"' },
  'rbac.userRoles': { value: false, takes: 'aggregate-to-view' },
  'serviceAccount.create': {
    value: false,
    takes: '"kind":"ServiceAccount","metadata"',
    beside: { serviceAccount: { name: 'theirs' } },
  },
  'serviceAccount.name': { value: 'theirs', brings: '"serviceAccountName":"theirs"' },
  'serviceAccount.annotations': { value: labels, brings: '"annotations":{"found":"by-this"}' },
  'service.type': { value: 'NodePort', brings: '"type":"NodePort"' },
  'service.port': { value: 8443, brings: '"port":8443' },
  'service.annotations': { value: labels, brings: '"annotations":{"found":"by-this"}' },
  'ingress.enabled': { value: true, brings: '"kind":"Ingress"', beside: ingress, instead: {} },
  'ingress.className': { value: 'own', brings: '"ingressClassName":"own"', beside: ingress },
  'ingress.host': { value: 'b.example.org', brings: '"host":"b.example.org"', beside: ingress },
  'ingress.tlsSecret': { value: 'tls', brings: '"secretName":"tls"', beside: ingress },
  'ingress.annotations': {
    value: labels,
    brings: '"annotations":{"found":"by-this"}',
    beside: ingress,
  },
  resources: { value: { limits: { cpu: '3' } }, brings: '"cpu":"3"' },
  'podDisruptionBudget.enabled': { value: false, takes: '"kind":"PodDisruptionBudget"' },
  'podDisruptionBudget.maxUnavailable': { value: '40%', brings: '"maxUnavailable":"40%"' },
  'topologySpread.enabled': { value: false, takes: '"topologySpreadConstraints"' },
  terminationGracePeriodSeconds: { value: 99, brings: '"terminationGracePeriodSeconds":99' },
  preStopSeconds: { value: 13, brings: '"sleep":{"seconds":13}' },
  'httpRoute.enabled': { value: true, brings: '"kind":"HTTPRoute"', beside: route, instead: {} },
  'httpRoute.parentRefs': { value: [{ name: 'own' }], brings: '[{"name":"own"}]', beside: route },
  'httpRoute.hostnames': {
    value: ['a.example.org'],
    brings: '"hostnames":["a.example.org"]',
    beside: route,
  },
  'httpRoute.annotations': { value: labels, brings: '"found":"by-this"', beside: route },
  'autoscaling.enabled': { value: true, takes: '"replicas":' },
  'autoscaling.minReplicas': { value: 3, brings: '"minReplicas":3', beside: scaling },
  'autoscaling.maxReplicas': { value: 9, brings: '"maxReplicas":9', beside: scaling },
  'autoscaling.targetCPUUtilizationPercentage': {
    value: 55,
    brings: '"averageUtilization":55',
    beside: scaling,
  },
  extraEnv: { value: [{ name: 'TZ', value: 'UTC' }], brings: '{"name":"TZ","value":"UTC"}' },
  extraVolumes: {
    value: [{ name: 'more', emptyDir: {} }],
    brings: '{"emptyDir":{},"name":"more"}',
  },
  extraVolumeMounts: {
    value: [{ name: 'more', mountPath: '/more' }],
    brings: '"mountPath":"/more"',
  },
  extraArgs: { value: ['--log-level', 'debug'], brings: '["serve","--log-level","debug"]' },
  'probes.startup': { value: { failureThreshold: 999 }, brings: '"failureThreshold":999' },
  'probes.liveness': { value: { timeoutSeconds: 17 }, brings: '"timeoutSeconds":17' },
  'probes.readiness': { value: { periodSeconds: 17 }, brings: '"periodSeconds":17' },
  deploymentAnnotations: { value: labels, brings: '"found":"by-this"' },
  podAnnotations: { value: labels, brings: '"found":"by-this"' },
  podLabels: { value: labels, brings: '"found":"by-this"' },
  nodeSelector: { value: { disk: 'ssd' }, brings: '"nodeSelector":{"disk":"ssd"}' },
  tolerations: { value: [{ key: 'own' }], brings: '"tolerations":[{"key":"own"}]' },
  'signIn.providersSecret': { value: 'providers', brings: '"secret":{"secretName":"providers"}' },
  'signIn.passwords': {
    value: false,
    brings: '"PASSWORD_SIGN_IN":"false"',
    beside: { signIn: { providersSecret: 'providers' } },
  },
  affinity: { value: { nodeAffinity: {} }, brings: '"affinity":{"nodeAffinity":{}}' },
  priorityClassName: { value: 'high', brings: '"priorityClassName":"high"' },
  'networkPolicy.enabled': { value: false, takes: '"kind":"NetworkPolicy"' },
  'networkPolicy.ingressFrom': { value: [{ podSelector: {} }], brings: '"from":[{"podSelector"' },
  'networkPolicy.egress': { value: [{ to: [] }], brings: '"policyTypes":["Ingress","Egress"]' },
  ...metricSwitch('serviceMonitor', '"kind":"ServiceMonitor"'),
  'metrics.serviceMonitor.interval': {
    value: '77s',
    brings: '"interval":"77s"',
    beside: { metrics: { serviceMonitor: { enabled: true } } },
  },
  ...metricSwitch('prometheusRule', '"kind":"PrometheusRule"'),
  'metrics.prometheusRule.runbookUrl': {
    value: 'https://b.example.org/runbooks',
    brings: 'https://b.example.org/runbooks/ConcordatDown.md',
    beside: { metrics: { prometheusRule: { enabled: true } } },
  },
  ...metricSwitch('dashboard', 'concordat-dashboard'),
  ...metricSwitch('customResourceState', 'concordat-state-metrics'),
};

function metricSwitch(name: string, brings: string): Record<string, Switch> {
  const beside = { metrics: { [name]: { enabled: true } } };
  return {
    [`metrics.${name}.enabled`]: { value: true, brings },
    [`metrics.${name}.labels`]: { value: labels, brings: '"found":"by-this"', beside },
  };
}

/** Installs or builds the tool once. */
beforeAll(async () => {
  await helm(['version']);
});

const read = (file: string) => readFileSync(join(chart, file), 'utf8');

test('no value is forgotten: what the schema knows, what has a default, and what is tried, are the same', () => {
  const inSchema = leavesOfSchema(JSON.parse(read('values.schema.json')));
  // Helm passes `global` to subcharts.
  const known = inSchema.filter((path) => path !== 'global').sort();
  expect(Object.keys(switches).sort()).toEqual(known);
  expect(known.filter((path) => find(parse(read('values.yaml')), path) === undefined)).toEqual([]);
});

/** Most switches are compared with the same release. */
const rendered = new Map<string, string>();

test.each(Object.entries(switches))('%s changes the release', async (path, row) => {
  const { value, brings, takes, beside = {}, instead = beside } = row;
  const text = async (values: JsonObject) =>
    (await render(values)).map((object) => JSON.stringify(object)).join('\n');
  const key = JSON.stringify(instead);
  const without = await (rendered.get(key) ?? text(instead));
  rendered.set(key, without);
  const set = await text(withPath(beside, path, value));
  if (brings !== undefined)
    expect([without.includes(brings), set.includes(brings)]).toEqual([false, true]);
  if (takes !== undefined)
    expect([without.includes(takes), set.includes(takes)]).toEqual([true, false]);
  expect(brings ?? takes).toBeDefined();
});

test('OpenShift chooses the uid; elsewhere it is fixed', async () => {
  const text = async (...apis: readonly string[]) =>
    JSON.stringify(await render({ migrations: { mode: 'job' } }, chart, apis));
  expect((await text()).match(/"runAsUser":10001/g)).toHaveLength(2);
  const there = await text('security.openshift.io/v1');
  expect(there).not.toMatch(/runAsUser|runAsGroup|fsGroup/);
  expect(there.match(/"runAsNonRoot":true/g)).toHaveLength(2);
});

/** The paths of the values: an object with named members is replaced by its members. */
function leavesOfSchema(schema: Json, path: readonly string[] = []): readonly string[] {
  const properties = isJsonObject(schema) ? (schema.properties ?? null) : null;
  const isWhole = path.join('.') === 'settings' || properties === null || !isJsonObject(properties);
  if (isWhole) return [path.join('.')];
  return Object.entries(properties).flatMap(([name, inner]) =>
    leavesOfSchema(inner, [...path, name]),
  );
}

function find(values: Json, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>(
      (inner, key) => (inner !== undefined && isJsonObject(inner) ? inner[key] : undefined),
      values,
    );
}

function withPath(values: JsonObject, path: string, value: Json): JsonObject {
  const [key = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...values, [key]: value };
  const inner = values[key] ?? {};
  return { ...values, [key]: withPath(isJsonObject(inner) ? inner : {}, rest.join('.'), value) };
}
