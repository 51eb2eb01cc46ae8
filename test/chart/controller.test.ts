import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { toWebhookConfiguration } from '../../src/controller/admission/webhook-configuration.ts';
import { parseLabelSelector } from '../../src/controller/cluster/label-selector.ts';
import {
  checkRights,
  controllerRights,
  namespaceRight,
  type Right,
  teamRights,
} from '../../src/controller/cluster/rights.ts';
import { kinds } from '../../src/controller/crd/kinds.ts';
import { policies } from '../../src/controller/crd/policies.ts';
import type { Json, JsonObject } from '../../src/core/value/json.ts';
import { all, at, container, environmentOf, everything, one, operated, pod } from './release.ts';
import { chart, refusalOf, render } from './render.ts';

const root = join(chart, '../..');

describe('The controller of a release', () => {
  test('brings the kinds, which stay when it goes', async () => {
    const found = all(await render(), 'CustomResourceDefinition');
    const expected = kinds.map(({ plural }) => {
      const definition = parse(readFileSync(join(root, `crds/${plural}.yaml`), 'utf8'));
      const annotations = { 'helm.sh/resource-policy': 'keep' };
      return { ...definition, metadata: { ...definition.metadata, annotations } };
    });
    const byName = (a: JsonObject, b: JsonObject) =>
      String(at(a, 'metadata', 'name')) < String(at(b, 'metadata', 'name')) ? -1 : 1;
    expect([...found].sort(byName)).toEqual(expected.sort(byName));
    expect(all(await render({ crds: { enabled: false } }), 'CustomResourceDefinition')).toEqual([]);
  });

  test('may create Jobs only where checks are enabled, and tells them where the registry is', async () => {
    const rulesOf = async (values: JsonObject) => {
      const objects = await render(values);
      const roles = [...all(objects, 'ClusterRole'), ...all(objects, 'Role')];
      const found = roles.flatMap((role) => at(role, 'rules') as JsonObject[]);
      return { rules: found, settings: environmentOf(objects) };
    };
    const without = await rulesOf({});
    expect(JSON.stringify(without.rules)).not.toContain('batch');
    expect(without.settings.CHECK_IMAGE).toBeUndefined();
    const image = { repository: 'example.org/concordat', tag: '1' };
    const { rules, settings } = await rulesOf({ checks: { enabled: true }, image, basePath: '/c' });
    expect(rules).toEqual(expect.arrayContaining([...checkRights]));
    expect(settings).toMatchObject({
      CHECK_IMAGE: 'example.org/concordat:1',
      CHECK_REGISTRY_URL: 'http://shop-registry-concordat.data.svc:80/c',
    });
  });

  test('reconciles the namespaces that it is told, with a Role in each and no other right', async () => {
    const objects = await render({ controller: { watchNamespaces: ['shop', 'billing'] } });
    expect(environmentOf(objects).WATCH_NAMESPACES).toBe('shop,billing');
    const namespaces = {
      ...namespaceRight,
      resourceNames: ['kube-system', 'shop', 'billing'],
    };
    const roles = all(objects, 'ClusterRole').filter(
      (role) => at(role, 'metadata', 'name') === 'data-shop-registry-concordat',
    );
    expect(JSON.stringify(roles)).not.toContain('configmaps');
    expect(roles.map((role) => at(role, 'rules', 0))).toEqual([namespaces]);
    // Teams belong to no namespace.
    expect(roles.map((role) => at(role, 'rules'))).toEqual([
      expect.arrayContaining([...teamRights]),
    ]);
    const inEach = all(objects, 'Role').filter(
      (role) => at(role, 'metadata', 'namespace') !== 'data',
    );
    expect(inEach.map((role) => at(role, 'metadata', 'namespace'))).toEqual(['shop', 'billing']);
    for (const role of inEach) {
      expect(at(role, 'rules')).toEqual(
        controllerRights.filter(
          (right) => right !== namespaceRight && !right.resources.includes('leases'),
        ),
      );
    }
    const bound = all(objects, 'RoleBinding').map((binding) =>
      at(binding, 'metadata', 'namespace'),
    );
    expect(bound).toEqual(expect.arrayContaining(['shop', 'billing']));
    const configuration = one(objects, 'ValidatingWebhookConfiguration');
    expect(at(configuration, 'webhooks', 0, 'namespaceSelector', 'matchExpressions')).toEqual([
      { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop', 'billing'] },
    ]);
    expect(environmentOf(await render()).WATCH_NAMESPACES).toBeUndefined();
  });

  test.each([{}, { watchNamespaces: ['shop'] }])(
    'may read ConfigMaps only where it should: %j',
    async (controller) => {
      const rolesOf = async (more: object) => {
        const objects = await render({
          controller: { ...controller, ...more },
          rbac: { userRoles: false },
        });
        return [...all(objects, 'ClusterRole'), ...all(objects, 'Role')].map((role) =>
          at(role, 'rules'),
        );
      };
      const usual = await rolesOf({});
      const reduced = usual.map((rules) =>
        (rules as unknown as Right[]).filter(({ resources }) => !resources.includes('configmaps')),
      );
      expect(reduced).not.toEqual(usual);
      expect(await rolesOf({ readConfigMaps: false })).toEqual(reduced);
    },
  );

  test('reconciles the namespaces with the labels that it is told, and rights in all of them', async () => {
    const watchNamespaceSelector = {
      matchLabels: { contracts: 'yes', 'example.org/tier': 'gold' },
      matchExpressions: [
        { key: 'region', operator: 'In', values: ['eu', 'us'] },
        { key: 'stage', operator: 'NotIn', values: ['test'] },
        { key: 'owner', operator: 'Exists' },
        { key: 'paused', operator: 'DoesNotExist' },
      ],
    };
    const objects = await render({ controller: { watchNamespaceSelector } });
    const asked = environmentOf(objects).WATCH_NAMESPACE_SELECTOR ?? '';
    expect(asked).toBe(
      'contracts=yes,example.org/tier=gold,region in (eu,us),stage notin (test),owner,!paused',
    );
    expect(parseLabelSelector(asked).ok).toBe(true);
    const configuration = one(objects, 'ValidatingWebhookConfiguration');
    expect(at(configuration, 'webhooks', 0, 'namespaceSelector')).toEqual(watchNamespaceSelector);
    expect(all(objects, 'ClusterRole')).toEqual(all(await render(), 'ClusterRole'));
    const both = { watchNamespaceSelector, watchNamespaces: ['shop'] };
    expect(await refusalOf({ controller: both })).toContain(
      'controller.watchNamespaces or controller.watchNamespaceSelector, not both',
    );
    const valueless = { matchExpressions: [{ key: 'region', operator: 'In' }] };
    expect(await refusalOf({ controller: { watchNamespaceSelector: valueless } })).toContain(
      'In and NotIn need values',
    );
  });

  test('brings the policies, without which nobody forces', async () => {
    const objects = await render();
    const found = [
      ...all(objects, 'ValidatingAdmissionPolicy'),
      ...all(objects, 'ValidatingAdmissionPolicyBinding'),
    ];
    const expected = policies.flatMap(({ file }) =>
      parseAllDocuments(readFileSync(join(root, `policies/${file}.yaml`), 'utf8')).map((document) =>
        document.toJS(),
      ),
    );
    expect(found).toHaveLength(expected.length);
    expect(found).toEqual(expect.arrayContaining(expected));
    expect(environmentOf(objects).ALLOW_FORCE_FROM_RESOURCES).toBe('false');
    const forcing = await render({ controller: { allowForce: true } });
    expect(environmentOf(forcing).ALLOW_FORCE_FROM_RESOURCES).toBe('true');
    const off = { policies: { enabled: false } };
    expect(all(await render(off), 'ValidatingAdmissionPolicy')).toEqual([]);
    expect(await refusalOf({ ...off, controller: { allowForce: true } })).toContain(
      'controller.allowForce needs policies.enabled',
    );
  });

  test('has a webhook that the API server calls as the program expects', async () => {
    const objects = await render();
    const configuration = one(objects, 'ValidatingWebhookConfiguration');
    const { ADMISSION_CONFIGURATION, ADMISSION_SERVICE, ADMISSION_SECRET } = environmentOf(objects);
    const made = toWebhookConfiguration({
      name: ADMISSION_CONFIGURATION ?? '',
      clientConfig: { service: { name: ADMISSION_SERVICE, namespace: 'data', path: '/validate' } },
    });
    const { metadata, ...rest } = configuration;
    expect(at(metadata ?? null, 'name')).toBe(ADMISSION_CONFIGURATION);
    const { metadata: _, ...expected } = made as JsonObject;
    expect(rest).toEqual(expected);
    expect(one(objects, 'Service', ADMISSION_SERVICE)).toMatchObject({
      spec: { ports: [{ name: 'webhook', port: 443, targetPort: 'webhook' }] },
    });
    expect(container(objects, 'ports')).toEqual([
      { name: 'http', containerPort: 8080 },
      { name: 'webhook', containerPort: 9443 },
    ]);
    const role = one(objects, 'Role');
    expect(JSON.stringify(at(role, 'rules'))).toContain(`"resourceNames":["${ADMISSION_SECRET}"]`);
    const strict = await render({ webhook: { failurePolicy: 'Fail', timeoutSeconds: 9 } });
    expect(at(one(strict, 'ValidatingWebhookConfiguration'), 'webhooks', 0)).toMatchObject({
      failurePolicy: 'Fail',
      timeoutSeconds: 9,
    });
  });

  test('has no trace of the webhook where it is off', async () => {
    const objects = await render({ webhook: { enabled: false } });
    expect(all(objects, 'ValidatingWebhookConfiguration')).toEqual([]);
    expect(JSON.stringify(objects)).not.toMatch(/webhook/i);
  });

  test('leaves the certificate to cert-manager where that is asked for', async () => {
    const objects = await render(everything);
    const certificate = one(objects, 'Certificate');
    const configuration = one(objects, 'ValidatingWebhookConfiguration');
    const name = at(certificate, 'spec', 'secretName');
    expect(at(configuration, 'metadata', 'annotations', 'cert-manager.io/inject-ca-from')).toBe(
      `data/${at(certificate, 'metadata', 'name')}`,
    );
    expect(at(certificate, 'spec', 'dnsNames', 0)).toBe('shop-registry-concordat-webhook.data.svc');
    expect(pod(objects, 'volumes')).toContainEqual({
      name: 'webhook',
      secret: { secretName: name },
    });
    expect(environmentOf(objects).ADMISSION_CERTIFICATE_DIR).toBe('/etc/concordat/webhook');
    expect(at(certificate, 'spec', 'issuerRef', 'name')).toBe(
      at(one(objects, 'Issuer'), 'metadata', 'name'),
    );
    // Then the program needs no rights on Secrets and webhook configurations.
    expect(JSON.stringify(all(objects, 'Role'))).not.toContain('secrets');
    const theirs = await render(operated);
    expect(at(one(theirs, 'Certificate'), 'spec', 'issuerRef', 'name')).toBe('ours');
    expect(all(theirs, 'Issuer')).toEqual([]);
  });

  test('reads the mapping of teams from a file', async () => {
    const objects = await render(everything);
    const teams = one(objects, 'ConfigMap', 'shop-registry-concordat-teams');
    expect(parse(String(at(teams, 'data', 'teams.yaml')))).toEqual({
      shop: ['checkout', 'billing'],
    });
    expect(environmentOf(objects).TEAM_MAPPING_FILE).toBe('/etc/concordat/teams/teams.yaml');
    expect(environmentOf(await render()).TEAM_MAPPING_FILE).toBeUndefined();
  });

  test('reads a repository, with the credentials of its protocol', async () => {
    const https = await render(everything);
    expect(environmentOf(https)).toMatchObject({
      GIT_URL: 'https://example.org/contracts.git',
      GIT_REF: 'HEAD',
      GIT_PATH: 'deploy',
      GIT_INTERVAL_SECONDS: '60',
    });
    const names = (objects: readonly JsonObject[]) => {
      const found = container(objects, 'env');
      return Array.isArray(found) ? found.map((row: Json) => at(row, 'name')) : [];
    };
    expect(names(https)).toEqual(['DATABASE_URL', 'GIT_USERNAME', 'GIT_PASSWORD_FILE']);
    expect(names(await render(operated))).toEqual([
      'DATABASE_URL',
      'GIT_SSH_KEY_FILE',
      'GIT_SSH_KNOWN_HOSTS_FILE',
    ]);
    const open = await render({ git: { url: 'https://example.org/a', cloneSizeLimit: '5Gi' } });
    expect(names(open)).toEqual(['DATABASE_URL']);
    expect(pod(open, 'volumes', 0)).toEqual({ name: 'data', emptyDir: { sizeLimit: '5Gi' } });
  });

  test('may be left out: then nothing of the cluster is asked for', async () => {
    const objects = await render({ controller: { enabled: false } });
    const rest = objects
      .map(({ kind }) => kind)
      .filter((kind) => kind !== 'CustomResourceDefinition');
    expect([...rest].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ]);
    expect(pod(objects, 'automountServiceAccountToken')).toBe(false);
    expect(environmentOf(objects).KUBERNETES).toBeUndefined();
  });

  test('has its rights by name, and people theirs by the built-in roles', async () => {
    const objects = await render();
    const roles = all(objects, 'ClusterRole').map((role) => at(role, 'metadata', 'name'));
    expect(roles).toEqual([
      'data-shop-registry-concordat',
      'data-shop-registry-concordat-view',
      'data-shop-registry-concordat-edit',
      'data-shop-registry-concordat-decide',
    ]);
    // Rights on leases and certificates are limited to the namespace of the release.
    const own = one(objects, 'ClusterRole', 'data-shop-registry-concordat');
    expect(JSON.stringify(own)).not.toMatch(/leases|secrets|"\*"/);
    expect(JSON.stringify(one(objects, 'Role'))).toContain('leases');
    const view = one(objects, 'ClusterRole', 'data-shop-registry-concordat-view');
    expect(at(view, 'metadata', 'labels')).toMatchObject({
      'rbac.authorization.k8s.io/aggregate-to-view': 'true',
    });
    const binding = one(objects, 'ClusterRoleBinding');
    expect(at(binding, 'subjects', 0)).toEqual({
      kind: 'ServiceAccount',
      name: at(one(objects, 'ServiceAccount'), 'metadata', 'name'),
      namespace: 'data',
    });
    const without = await render({ rbac: { create: false, userRoles: false } });
    expect(without.filter(({ kind }) => /Role/.test(String(kind)))).toEqual([]);
    const given = await render({ serviceAccount: { create: false, name: 'theirs' } });
    expect(all(given, 'ServiceAccount')).toEqual([]);
    expect(pod(given, 'serviceAccountName')).toBe('theirs');
    expect(await refusalOf({ serviceAccount: { create: false } })).toContain(
      'serviceAccount.name is needed',
    );
  });
});
