// Helpers to inspect a rendered release, and values that enable everything.

import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';

export const all = (objects: readonly JsonObject[], kind: string) =>
  objects.filter((object) => object.kind === kind);

export function one(objects: readonly JsonObject[], kind: string, name?: string): JsonObject {
  const found = all(objects, kind).filter(
    (object) => name === undefined || at(object, 'metadata', 'name') === name,
  );
  const [first] = found;
  if (found.length !== 1 || first === undefined) {
    throw new Error(`${found.length} of ${kind} ${name ?? ''}`);
  }
  return first;
}

export function at(value: Json, ...path: readonly (string | number)[]): Json {
  return path.reduce<Json>(
    (inner, key) =>
      Array.isArray(inner)
        ? (inner[Number(key)] ?? null)
        : isJsonObject(inner)
          ? (inner[key] ?? null)
          : null,
    value,
  );
}

export const pod = (objects: readonly JsonObject[], ...path: readonly (string | number)[]) =>
  at(one(objects, 'Deployment'), 'spec', 'template', 'spec', ...path);
export const container = (objects: readonly JsonObject[], ...path: readonly (string | number)[]) =>
  pod(objects, 'containers', 0, ...path);
export const environmentOf = (objects: readonly JsonObject[]) =>
  at(one(objects, 'ConfigMap', 'shop-registry-concordat'), 'data') as Record<string, string>;

/** Everything that can be enabled, in two sets, because some of it excludes the rest. */
export const everything = {
  replicas: 3,
  image: { tag: 'x', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  baseUrl: 'https://contracts.example.org',
  settings: { RATE_LIMIT_READ: 100, LOG_LEVEL: 'debug', OPENAPI_AUTO_PUBLISH: false },
  secretSettings: 'registry-settings',
  migrations: { mode: 'job' },
  controller: { allowForce: true, teamMapping: { shop: ['checkout', 'billing'] } },
  git: { url: 'https://example.org/contracts.git', path: 'deploy', credentialsSecret: 'git' },
  webhook: { certManager: { enabled: true } },
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'contracts.example.org',
    tlsSecret: 'tls',
    annotations: { a: 'b' },
  },
  serviceAccount: { name: 'registry', annotations: { role: 'x' } },
  podAnnotations: { a: 'b' },
  podLabels: { c: 'd' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'high',
  networkPolicy: {
    ingressFrom: [{ namespaceSelector: {} }],
    egress: [{ ports: [{ port: 5432 }] }],
  },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
    dashboard: { enabled: true },
    customResourceState: { enabled: true },
  },
};
export const operated = {
  database: { secret: { name: '' } },
  cloudnativepg: { enabled: true, storage: { storageClass: 'fast' } },
  git: { url: 'ssh://git@example.org/contracts.git', credentialsSecret: 'git' },
  webhook: { certManager: { enabled: true, issuerRef: { kind: 'ClusterIssuer', name: 'ours' } } },
};

/** Texts that YAML without quotes would read as something else, and names as long as they may be. */
const odd = { yes: 'true', number: '1e3', octal: '0123', null: 'null', empty: '', at: '@a: {b' };
const environment = Object.entries(odd).map(([name, value]) => ({ name, value }));
const labels = { yes: 'true', number: '1e3', octal: '0123', null: 'null', empty: '' };
const longName = 'x'.repeat(63);
const secret = (name: string) => ({ name, key: '1e3', asFile: true });

/** What the two sets above leave out, with odd texts wherever a text may stand. */
export const odds = {
  fullnameOverride: 'f'.repeat(63),
  database: {
    secret: secret('123'),
    migrateSecret: { name: 'true', key: 'null' },
    listenSecret: secret('1e3'),
    readSecret: secret(longName),
  },
  migrations: { mode: 'job' },
  basePath: '/1e3',
  settings: { LOG_LEVEL: 'debug', RATE_LIMIT_READ: 1e3 },
  secretSettings: 'null',
  signIn: { providersSecret: '0123', passwords: false },
  controller: {
    clusterName: '1e3',
    watchNamespaces: ['true', '123'],
    teamMapping: { true: ['null', '1e3'] },
  },
  checks: { enabled: true, registryUrl: 'http://registry' },
  trustedAuthorities: { configMap: '123', key: 'true' },
  service: { type: 'LoadBalancer', annotations: odd },
  httpRoute: {
    enabled: true,
    parentRefs: [{ name: 'true', namespace: '123', sectionName: 'null' }],
    hostnames: ['1e3.example.org'],
    annotations: odd,
  },
  autoscaling: { enabled: true, minReplicas: 1, maxReplicas: 99 },
  extraEnv: environment,
  extraVolumes: [
    { name: 'true', emptyDir: {} },
    { name: '123', secret: { secretName: 'null' } },
  ],
  extraVolumeMounts: [
    { name: 'true', mountPath: '/true' },
    { name: '123', mountPath: '/1e3', readOnly: true },
  ],
  extraArgs: ['--log-level', 'true', 'null', ''],
  probes: {
    startup: { failureThreshold: 1 },
    liveness: { timeoutSeconds: 1 },
    readiness: { successThreshold: 1 },
  },
  deploymentAnnotations: odd,
  podAnnotations: odd,
  podLabels: labels,
  nodeSelector: labels,
  tolerations: [{ key: 'true', operator: 'Equal', value: '1e3', effect: 'NoSchedule' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'a', operator: 'In', values: ['true', '1e3'] }] },
        ],
      },
    },
  },
  priorityClassName: 'true',
  serviceAccount: { name: '123', annotations: odd },
};

/** Kinds of other projects, whose schemas Kubernetes does not have. */
export const kindsOfOthers = [
  'Certificate',
  'Cluster',
  'HTTPRoute',
  'Issuer',
  'PrometheusRule',
  'ServiceMonitor',
];
