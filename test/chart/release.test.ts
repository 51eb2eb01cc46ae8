import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { kinds } from '../../src/controller/crd/kinds.ts';
import type { Json } from '../../src/core/value/json.ts';
import { all, at, container, environmentOf, everything, one, operated, pod } from './release.ts';
import { least, refusalOf, render } from './render.ts';

describe('A release', () => {
  test('has pods that may do nothing that they need not', async () => {
    const objects = await render();
    expect(pod(objects, 'securityContext')).toEqual({
      runAsNonRoot: true,
      runAsUser: 10001,
      runAsGroup: 10001,
      fsGroup: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container(objects, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container(objects, 'volumeMounts')).toEqual([
      { name: 'data', mountPath: '/data' },
      { name: 'tmp', mountPath: '/tmp' },
    ]);
    expect(at(one(objects, 'ServiceAccount'), 'automountServiceAccountToken')).toBe(false);
  });

  test('is probed for start, life and readiness, and ends in order', async () => {
    const objects = await render({ terminationGracePeriodSeconds: 60, preStopSeconds: 7 });
    const pathOf = (probe: string) => container(objects, probe, 'httpGet', 'path');
    expect(['startupProbe', 'livenessProbe', 'readinessProbe'].map(pathOf)).toEqual([
      '/health/live',
      '/health/live',
      '/health/ready',
    ]);
    expect(container(objects, 'lifecycle')).toEqual({ preStop: { sleep: { seconds: 7 } } });
    expect(pod(objects, 'terminationGracePeriodSeconds')).toBe(60);
    expect(at(one(objects, 'Deployment'), 'spec', 'strategy', 'rollingUpdate')).toEqual({
      maxSurge: 1,
      maxUnavailable: 0,
    });
  });

  test('is kept together: replicas, a budget, a spread', async () => {
    const objects = await render({ replicas: 4 });
    expect(at(one(objects, 'Deployment'), 'spec', 'replicas')).toBe(4);
    expect(at(one(objects, 'PodDisruptionBudget'), 'spec', 'maxUnavailable')).toBe(1);
    const spread = pod(objects, 'topologySpreadConstraints');
    expect(Array.isArray(spread) && spread.map((rule: Json) => at(rule, 'topologyKey'))).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
    const without = await render({
      podDisruptionBudget: { enabled: false },
      topologySpread: { enabled: false },
    });
    expect(all(without, 'PodDisruptionBudget')).toEqual([]);
    expect(pod(without, 'topologySpreadConstraints')).toBeNull();
  });

  test('runs the image that is asked for', async () => {
    expect(container(await render(), 'image')).toBe('concordat:0.1.0');
    const digest = `sha256:${'b'.repeat(64)}`;
    const image = { repository: 'example.org/concordat', tag: 'v1', digest, pullPolicy: 'Always' };
    const objects = await render({ image, imagePullSecrets: [{ name: 'pull' }] });
    expect(container(objects, 'image')).toBe(`example.org/concordat:v1@${digest}`);
    expect(container(objects, 'imagePullPolicy')).toBe('Always');
    expect(pod(objects, 'imagePullSecrets')).toEqual([{ name: 'pull' }]);
  });

  test('gets its secrets from Secrets', async () => {
    const objects = await render({
      database: { secret: { name: 'db', key: 'url' }, poolSize: 5 },
      secretSettings: 'more',
    });
    const secretKeyRef = { name: 'db', key: 'url' };
    expect(container(objects, 'env')).toEqual([
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef } },
    ]);
    expect(container(objects, 'envFrom')).toEqual([
      { configMapRef: { name: 'shop-registry-concordat' } },
      { secretRef: { name: 'more' } },
    ]);
    expect(environmentOf(objects).DATABASE_POOL_SIZE).toBe('5');
    // Changes of a mounted file take effect without a roll-out.
    const mounted = await render({
      database: { secret: { name: 'db', key: 'url', asFile: true } },
    });
    expect(container(mounted, 'env')).toEqual([
      { name: 'DATABASE_URL_FILE', value: '/etc/concordat/database/url' },
    ]);
    const items = [{ key: 'url', path: 'url' }];
    const secret = { secretName: 'db', items };
    expect(pod(mounted, 'volumes')).toContainEqual({ name: 'database', secret });
    expect(container(mounted, 'volumeMounts')).toContainEqual({
      name: 'database',
      mountPath: '/etc/concordat/database',
      readOnly: true,
    });
    const both = await render({
      database: { ...least.database, listenSecret: { name: 'direct', asFile: true } },
    });
    expect(pod(both, 'volumes')).toContainEqual({
      name: 'listen-database',
      secret: { secretName: 'direct', items: [{ key: 'uri', path: 'uri' }] },
    });
    expect(all(objects, 'Secret')).toEqual([]);
    expect(await refusalOf({ database: { secret: { name: '' } } })).toContain(
      'database.secret.name is needed',
    );
  });

  test('has other pods where its settings are others', async () => {
    const checksum = async (values: object) =>
      at(one(await render(values), 'Deployment'), 'spec', 'template', 'metadata', 'annotations');
    expect(await checksum({})).toEqual(await checksum({}));
    expect(await checksum({})).not.toEqual(await checksum({ settings: { LOG_LEVEL: 'warn' } }));
    const objects = await render({
      database: { ...least.database, poolSize: 2000000 },
      settings: { LOG_LEVEL: 'warn', RATE_LIMIT_READ: 1000000 },
    });
    expect(environmentOf(objects)).toMatchObject({
      LOG_LEVEL: 'warn',
      // Not 1e+06.
      RATE_LIMIT_READ: '1000000',
      DATABASE_POOL_SIZE: '2000000',
    });
  });

  test('migrates its database at the start, or by a job', async () => {
    const atStart = await render();
    expect([environmentOf(atStart).MIGRATE, all(atStart, 'Job')]).toEqual(['true', []]);
    const byJob = await render({ migrations: { mode: 'job' } });
    const job = one(byJob, 'Job');
    expect(environmentOf(byJob).MIGRATE).toBe('false');
    expect(at(job, 'metadata', 'annotations', 'helm.sh/hook')).toBe('pre-install,pre-upgrade');
    expect(at(job, 'spec', 'template', 'spec', 'containers', 0, 'args')).toEqual(['migrate']);
    expect(await refusalOf({ ...operated, migrations: { mode: 'job' } })).toContain('use start');
  });

  test('migrates by a job on the nodes, and with the certificates, that its pods have', async () => {
    const beside = {
      extraEnv: [{ name: 'PGSSLCERT', value: '/client/tls.crt' }],
      extraVolumes: [{ name: 'client', secret: { secretName: 'client' } }],
      extraVolumeMounts: [{ name: 'client', mountPath: '/client' }],
      podAnnotations: { inject: 'false' },
      nodeSelector: { pool: 'data' },
      tolerations: [{ key: 'data', operator: 'Exists' }],
      affinity: { podAffinity: {} },
      priorityClassName: 'high',
    };
    const objects = await render({ migrations: { mode: 'job' }, ...beside });
    const template = at(one(objects, 'Job'), 'spec', 'template');
    const only = at(template, 'spec', 'containers', 0);
    expect(at(only, 'env')).toEqual(expect.arrayContaining(beside.extraEnv));
    expect(at(only, 'volumeMounts')).toEqual(expect.arrayContaining(beside.extraVolumeMounts));
    expect(at(template, 'spec', 'volumes')).toEqual(expect.arrayContaining(beside.extraVolumes));
    expect(at(template, 'metadata', 'annotations')).toEqual(beside.podAnnotations);
    for (const name of ['nodeSelector', 'tolerations', 'affinity', 'priorityClassName'] as const) {
      expect(at(template, 'spec', name)).toEqual(beside[name]);
    }
  });

  test('may have its Postgres from CloudNativePG, which stays', async () => {
    const objects = await render(operated);
    const cluster = one(objects, 'Cluster');
    expect(at(cluster, 'metadata', 'annotations', 'helm.sh/resource-policy')).toBe('keep');
    expect(at(cluster, 'spec', 'storage')).toEqual({ size: '10Gi', storageClass: 'fast' });
    expect(container(objects, 'env', 0, 'valueFrom', 'secretKeyRef')).toEqual({
      name: `${at(cluster, 'metadata', 'name')}-app`,
      key: 'uri',
    });
    expect(await refusalOf({ cloudnativepg: { enabled: true } })).toContain('not both');
  });

  test('is named as it is asked to be', async () => {
    const nameOf = async (values: object) =>
      at(one(await render(values), 'Deployment'), 'metadata', 'name');
    expect(await nameOf({})).toBe('shop-registry-concordat');
    expect(await nameOf({ fullnameOverride: 'other' })).toBe('other');
    expect(await nameOf({ nameOverride: 'registry' })).toBe('shop-registry');
    expect(String(await nameOf({ fullnameOverride: 'x'.repeat(63) })).length).toBe(50);
  });

  test('is scheduled as it is asked to be', async () => {
    const { podAnnotations, podLabels, nodeSelector, tolerations, affinity } = everything;
    const objects = await render(everything);
    const metadata = at(one(objects, 'Deployment'), 'spec', 'template', 'metadata');
    expect(metadata).toMatchObject({ labels: podLabels, annotations: podAnnotations });
    expect(pod(objects)).toMatchObject({ nodeSelector, tolerations, affinity });
    expect(pod(objects, 'priorityClassName')).toBe('high');
  });

  test('is reached through its Service, and an Ingress', async () => {
    const service = { type: 'LoadBalancer', port: 8443, annotations: { a: 'b' } };
    const objects = await render({ ...everything, service });
    const api = one(objects, 'Service', 'shop-registry-concordat');
    expect(at(api, 'spec', 'type')).toBe('LoadBalancer');
    expect(at(api, 'spec', 'ports')).toEqual([{ name: 'http', port: 8443, targetPort: 'http' }]);
    expect(at(api, 'metadata', 'annotations')).toEqual({ a: 'b' });
    expect(at(one(objects, 'Ingress'), 'spec')).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ secretName: 'tls', hosts: ['contracts.example.org'] }],
      rules: [{ host: 'contracts.example.org' }],
    });
    expect(environmentOf(objects).BASE_URL).toBe('https://contracts.example.org');
    expect(all(await render(), 'Ingress')).toEqual([]);
    expect(await refusalOf({ ingress: { enabled: true } })).toContain('ingress.host is needed');
  });

  test('is called by those who may', async () => {
    const open = one(await render(), 'NetworkPolicy');
    expect(at(open, 'spec', 'policyTypes')).toEqual(['Ingress']);
    expect(at(open, 'spec', 'ingress')).toEqual([
      { ports: [{ port: 'http' }] },
      { ports: [{ port: 'webhook' }] },
    ]);
    const { networkPolicy } = everything;
    const closed = one(await render({ networkPolicy }), 'NetworkPolicy');
    expect(at(closed, 'spec', 'ingress', 0, 'from')).toEqual([{ namespaceSelector: {} }]);
    expect(at(closed, 'spec', 'policyTypes')).toEqual(['Ingress', 'Egress']);
    expect(at(closed, 'spec', 'egress')).toEqual(networkPolicy.egress);
    expect(all(await render({ networkPolicy: { enabled: false } }), 'NetworkPolicy')).toEqual([]);
  });

  test('is watched by Prometheus where that is switched on', async () => {
    const off = await render();
    expect([...all(off, 'ServiceMonitor'), ...all(off, 'PrometheusRule')]).toEqual([]);
    expect(all(off, 'ConfigMap')).toHaveLength(1);
    const objects = await render(everything);
    const monitor = one(objects, 'ServiceMonitor');
    const api = one(objects, 'Service', 'shop-registry-concordat');
    expect(at(monitor, 'metadata', 'labels', 'release')).toBe('prometheus');
    const selected = at(monitor, 'spec', 'selector', 'matchLabels') as object;
    expect(at(api, 'metadata', 'labels')).toMatchObject(selected);
    // The webhook's Service has no metrics.
    const other = one(objects, 'Service', 'shop-registry-concordat-webhook');
    expect(at(other, 'metadata', 'labels')).not.toMatchObject(selected);
    const rules = at(one(objects, 'PrometheusRule'), 'spec', 'groups', 0, 'rules');
    // alerts.test.ts tests the list of alerts and when they fire.
    expect(at(rules, 0, 'alert')).toBe('ConcordatDown');
    expect(JSON.stringify(rules)).toContain('namespace=\\"data\\"');
    const states = one(objects, 'ConfigMap', 'shop-registry-concordat-state-metrics');
    const config: Json = parse(String(at(states, 'data', 'concordat.yaml')));
    expect(at(config, 'spec', 'resources')).toHaveLength(kinds.length);
  });
});
