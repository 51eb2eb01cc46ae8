import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import type { JsonObject } from '../../src/core/value/json.ts';
import { readConfig, settings } from '../../src/ops/config/config.ts';
import {
  kubectl,
  kubectlOk,
  startKubernetes,
  type TestCluster,
  users,
} from '../support/kubernetes/kubernetes.ts';
import { at, environmentOf, everything, kindsOfOthers, odds, one, operated } from './release.ts';
import { chart, helm, least, refusalOf, render, validate } from './render.ts';

/** Installs or builds the tools once. */
beforeAll(async () => {
  await helm(['version']);
  await validate([], '1.32');
});

describe('The chart', () => {
  test.each([
    ['by itself', {}],
    ['with the least', least],
    ['with everything', { ...least, ...everything }],
    ['with an operator', operated],
    ['with odd values', odds],
  ])('is clean under helm lint --strict: %s', async (_, values) => {
    const how = ['--strict', '--kube-version', '1.32.0', '--values', '-'];
    const { code, stdout, stderr } = await helm(['lint', chart, ...how], JSON.stringify(values));
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
    expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
  });

  test.each(
    ['1.32', '1.35', '1.37'].flatMap((version) =>
      (
        [
          ['the least', {}],
          ['everything', everything],
          ['an operator', operated],
          ['odd values', odds],
        ] as const
      ).map(([what, values]) => [version, what, values] as const),
    ),
  )('is what Kubernetes %s takes, with %s', async (version, _, values) => {
    const objects = await render(values);
    const said = await validate(objects, version);
    const strangers = objects.filter((__, index) => said[index] === null);
    expect(
      strangers.map(({ kind }) => String(kind)).filter((k) => !kindsOfOthers.includes(k)),
    ).toEqual([]);
    expect(said.filter((problem) => problem !== null && problem !== '')).toEqual([]);
  });

  test('is what Kubernetes takes where the namespace and the release are numbers', async () => {
    const values = JSON.stringify({ ...least, ...everything, fullnameOverride: '123' });
    const how = ['--namespace', '123', '--kube-version', '1.32.0', '--values', '-'];
    const { stdout } = await helm(['template', '123', chart, ...how], values);
    const objects = parseAllDocuments(stdout).map((document) => document.toJS());
    const said = await validate(
      objects.filter((object) => object !== null),
      '1.32',
    );
    expect(said.filter((problem) => problem !== null && problem !== '')).toEqual([]);
  });

  test('gives no Service a name and nothing a label that is longer than 63 letters', async () => {
    const objects = await render(odds);
    const services = objects.filter(({ kind }) => kind === 'Service');
    const named = services.map((object) => String(at(object, 'metadata', 'name')));
    const labels = objects.flatMap((object) => [
      ...Object.values(at(object, 'metadata', 'labels') ?? {}),
      ...Object.values(at(object, 'spec', 'template', 'metadata', 'labels') ?? {}),
    ]);
    expect(labels.length).toBeGreaterThan(20);
    expect([...named, ...labels].filter((text) => String(text).length > 63)).toEqual([]);
  });

  test('has a validator that would see a mistake', async () => {
    const objects = await render();
    const deployment = one(objects, 'Deployment');
    const mistyped = JSON.parse(
      JSON.stringify(deployment).replace('"livenessProbe"', '"liveProbe"'),
    );
    const wrong = JSON.parse(JSON.stringify(deployment).replace('"replicas":2', '"replicas":"2"'));
    expect(await validate([mistyped, wrong, { apiVersion: 'a/v1', kind: 'No' }], '1.32')).toEqual([
      expect.stringContaining('liveProbe'),
      expect.stringContaining('replicas'),
      null,
    ]);
  });

  test('is not installed on a Kubernetes older than 1.32', async () => {
    const how = ['--kube-version', '1.31.9', '--values', '-'];
    const { code, stderr } = await helm(['template', 'x', chart, ...how], JSON.stringify(least));
    expect([code, stderr]).toEqual([1, expect.stringContaining('requires kubeVersion: >=1.32.0')]);
  });

  test('takes its default values, and refuses what it does not know', async () => {
    expect(await refusalOf({ replica: 2 })).toContain('additional properties');
    expect(await refusalOf({ webhook: { failurepolicy: 'Fail' } })).toContain('failurepolicy');
    expect(await refusalOf({ webhook: { failurePolicy: 'Maybe' } })).toContain('failurePolicy');
    expect(await refusalOf({ settings: { LOG_LEVLE: 'x' } })).toContain('LOG_LEVLE');
    // Secrets belong in Secrets, and settings that the chart sets itself have their own values.
    expect(await refusalOf({ settings: { BOOTSTRAP_KEY: 'x'.repeat(20) } })).toContain(
      'BOOTSTRAP_KEY',
    );
    expect(await refusalOf({ settings: { PORT: 9000 } })).toContain('PORT');
    expect(await refusalOf({ image: { digest: 'sha256:x' } })).toContain('digest');
    expect(await refusalOf({ httpRoute: { enabled: true } })).toContain('parentRefs is needed');
    expect(await refusalOf({ autoscaling: { enabled: true, minReplicas: 9 } })).toContain(
      'minReplicas is above',
    );
    const signIn = { providersSecret: 'providers', passwords: false };
    expect(await refusalOf({ signIn, settings: { PASSWORD_SIGN_IN: 'true' } })).toContain(
      'not both',
    );
    // `--set controller.watchNamespaces={}` is a list of one empty text.
    for (const watchNamespaces of [[''], ['a, b'], ['a', 'a']]) {
      expect(await refusalOf({ controller: { watchNamespaces } })).toContain('watchNamespaces');
    }
    // Pods with the owner's URL could alter the audit trail.
    expect(await refusalOf({ database: { migrateSecret: { name: 'owner' } } })).toContain(
      'database.migrateSecret needs migrations.mode: job',
    );
  });

  test('sets nothing that the program would refuse', async () => {
    for (const values of [{}, everything, operated, { ...odds, fullnameOverride: '' }]) {
      const environment = environmentOf(await render(values));
      expect(Object.keys(environment).filter((name) => !(name in settings))).toEqual([]);
      const read = readConfig({ ...environment, DATABASE_URL: 'postgres://x@y/z' });
      expect(read.ok ? [] : read.problems).toEqual([]);
    }
  });
});

describe('The chart on a real API server', () => {
  let address: TestCluster;

  beforeAll(async () => {
    address = await startKubernetes();
    const standard = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const labels = { ...standard, 'pod-security.kubernetes.io/warn': 'restricted' };
    const namespaces = ['data', 'shop'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels },
    }));
    await apply([
      ...namespaces,
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'mallory' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'writer' },
        rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'patch'] }],
      },
    ]);
  });

  afterAll(() => address?.stop());

  const apply = (objects: readonly object[], ...more: string[]) => {
    const input = objects.map((object) => stringify(object)).join('---\n');
    return kubectl(address, ['apply', '--server-side', '-f', '-', ...more], { input });
  };
  const release = async (verb: string, values: object, ...more: string[]) => {
    const server = ['--kube-apiserver', address.server, '--kube-ca-file', address.caFile];
    const as = ['--kube-token', users.admin.token, '--namespace', 'data'];
    const input = JSON.stringify({ ...least, ...values });
    const ran = await helm([verb, 'shop-registry', ...more, ...server, ...as], input);
    if (ran.code !== 0) throw new Error(ran.stderr);
    return ran;
  };
  const names = async (kind: string) =>
    (await kubectlOk(address, ['get', kind, '-A', '-o', 'name'])).trim().split('\n');

  test('is taken by a namespace that enforces the restricted standard, without a warning', async () => {
    const ours = (objects: readonly JsonObject[]) =>
      objects.filter(({ kind }) => !kindsOfOthers.includes(String(kind)));
    const objects = ours(await render({ ...everything, webhook: {} }));
    const { code, stdout, stderr } = await apply(objects, '--dry-run=server');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toHaveLength(objects.length);
    const risky = JSON.parse(
      JSON.stringify(one(objects, 'Deployment')).replace(
        '"allowPrivilegeEscalation":false',
        '"allowPrivilegeEscalation":true',
      ),
    );
    const warned = await apply([risky], '--dry-run=server');
    expect(warned.stderr).toContain('would violate PodSecurity "restricted');
  });

  test('is installed, upgraded and uninstalled, and the contracts stay', async () => {
    const chartAndValues = [chart, '--values', '-'];
    const { stdout, stderr } = await release('install', {}, ...chartAndValues);
    expect(stderr).toBe('');
    expect(stdout.slice(stdout.indexOf('NOTES:'))).toMatch(
      /rollout status deployment\/shop-registry-concordat[\s\S]+service\/shop-registry-concordat 8080:80[\s\S]+password of the first administrator[\s\S]+concordat.dev\/team=TEAM/,
    );
    await kubectlOk(address, ['wait', '--for=condition=Established', 'crd', '--all']);
    const spec = { fqn: 'shop.orders', schema: { type: 'object' } };
    const metadata = { name: 'orders', namespace: 'shop' };
    // A webhook that nobody serves does not block anything.
    const contract = { apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata, spec };
    expect((await apply([contract])).code).toBe(0);
    // The policies apply even before a pod runs.
    const label = ['label', 'namespace', 'shop', 'concordat.dev/team=orders'];
    await vi.waitFor(
      async () => {
        const asked = await kubectl(address, [...label, '--dry-run=server'], { user: 'mallory' });
        expect(asked.stderr).toContain('needs the verb use');
      },
      { timeout: 30_000, interval: 100 },
    );

    const values = { replicas: 3, secretSettings: 'x', webhook: { enabled: false } };
    const upgraded = await release('upgrade', values, ...chartAndValues);
    expect(upgraded.stdout).not.toContain('password of the first administrator');
    const replicas = ['get', 'deployment', '-n', 'data', '-o', 'jsonpath={..spec.replicas}'];
    expect(await kubectlOk(address, replicas)).toBe('3');
    expect(await names('validatingwebhookconfigurations')).toEqual(['']);

    await release('uninstall', {});
    expect(await names('deployments')).toEqual(['']);
    expect(await names('validatingadmissionpolicies')).toEqual(['']);
    expect(await names('datacontracts')).toEqual(['datacontract.concordat.dev/orders']);
    // A new release of the same name takes over the remaining objects.
    await release('install', {}, ...chartAndValues);
    expect(await names('datacontracts')).toEqual(['datacontract.concordat.dev/orders']);
  });
});
