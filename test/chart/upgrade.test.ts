// Upgrades from the chart of the last release (`test/fixtures/previous-chart`) to this one: `helm
// upgrade` with the earlier values, on existing objects with fields that may not change.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import {
  kubectlOk,
  startKubernetes,
  type TestCluster,
  users,
} from '../support/kubernetes/kubernetes.ts';
import { all, at, everything, one, operated } from './release.ts';
import { chart, helm, least, previousChart, render } from './render.ts';

const sets: readonly (readonly [string, object])[] = [
  ['the least', {}],
  ['everything', everything],
  ['an operator', operated],
];

const nameOf = ({ kind, metadata }: JsonObject) =>
  `${kind} ${at(metadata ?? null, 'namespace') ?? ''}/${at(metadata ?? null, 'name')}`;

/** The fields that may never change, for the API server or for users, one row for each kind. */
const fixed: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Deployment: [['spec', 'selector']],
  Service: [
    ['spec', 'selector'],
    ['spec', 'clusterIP'],
    ['spec', 'ports'],
  ],
  ClusterRoleBinding: [['roleRef']],
  RoleBinding: [['roleRef']],
  CustomResourceDefinition: [
    ['spec', 'group'],
    ['spec', 'scope'],
    // A short name may change: it is typed, but not stored.
    ['spec', 'names', 'kind'],
    ['spec', 'names', 'listKind'],
    ['spec', 'names', 'plural'],
    ['spec', 'names', 'singular'],
    // These objects stay when the release is uninstalled.
    ['metadata', 'annotations', 'helm.sh/resource-policy'],
  ],
  Cluster: [
    ['spec', 'storage', 'storageClass'],
    ['metadata', 'annotations', 'helm.sh/resource-policy'],
  ],
};

/** Settings by which old and new pods find each other: the lease, and the webhook's names. */
const fixedSettings = /^(LEASE|ADMISSION)_|^DATA_DIR$/;

/** The problems of an upgrade from one to the other. */
function hurts(before: readonly JsonObject[], after: readonly JsonObject[]): readonly string[] {
  const now = new Map(after.map((object) => [nameOf(object), object]));
  return before.flatMap((old) => {
    const name = nameOf(old);
    const next = now.get(name);
    if (next === undefined) return [`${name} is gone`];
    const changed = (fixed[String(old.kind)] ?? [])
      .filter((path) => !isSame(at(old, ...path), at(next, ...path)))
      .map((path) => `${name} has another ${path.join('.')}`);
    return [...changed, ...settingsHurt(name, old, next), ...versionsHurt(name, old, next)];
  });
}

const isSame = (a: Json, b: Json) => JSON.stringify(a) === JSON.stringify(b);

function settingsHurt(name: string, old: JsonObject, next: JsonObject): readonly string[] {
  const data = old.kind === 'ConfigMap' ? (old.data ?? null) : null;
  if (data === null || !isJsonObject(data)) return [];
  return Object.entries(data)
    .filter(([key, value]) => fixedSettings.test(key) && !isSame(value, at(next, 'data', key)))
    .map(([key]) => `${name} has another ${key}`);
}

/** A version must stay until all objects stored with it have been written with another one. */
function versionsHurt(name: string, old: JsonObject, next: JsonObject): readonly string[] {
  if (old.kind !== 'CustomResourceDefinition') return [];
  const versions = (object: JsonObject) => {
    const found = at(object, 'spec', 'versions');
    return Array.isArray(found) ? found.filter(isJsonObject) : [];
  };
  const stored = (object: JsonObject) => versions(object).find(({ storage }) => storage === true);
  const lost = versions(old)
    .filter(({ served }) => served === true)
    .filter(({ name }) => !versions(next).some((one) => one.name === name && one.served === true))
    .map((version) => `${name} serves ${version.name} no more`);
  const moved = stored(old)?.name !== stored(next)?.name;
  return [...lost, ...(moved ? [`${name} is stored under another version`] : [])];
}

describe('An upgrade from the chart of the last release', () => {
  test.each(sets)(
    'with %s takes its values, and changes nothing that has to stay',
    async (_, values) => {
      const before = await render(values, previousChart);
      expect(before.length).toBeGreaterThan(10);
      expect(hurts(before, await render(values))).toEqual([]);
    },
  );

  test('finds its pods by the labels that they had', async () => {
    const [before, after] = [await render({}, previousChart), await render()];
    const labels = at(one(after, 'Deployment'), 'spec', 'template', 'metadata', 'labels');
    const selectors = [...all(before, 'Service'), ...all(before, 'PodDisruptionBudget')].map(
      (object) => at(object, 'spec', 'selector', 'matchLabels') ?? at(object, 'spec', 'selector'),
    );
    expect(selectors.length).toBeGreaterThan(2);
    for (const selector of selectors) expect(labels).toMatchObject(selector as object);
  });

  test('would be found out: the comparison sees each way of hurting', async () => {
    const before = await render(operated);
    const kindsThere = new Set(before.map(({ kind }) => String(kind)));
    expect(Object.keys(fixed).filter((kind) => !kindsThere.has(kind))).toEqual([]);
    for (const [kind, paths] of Object.entries(fixed)) {
      for (const path of paths) {
        const after = before.map((object) =>
          object.kind === kind ? without(object, path) : object,
        );
        const stays = before.every(
          (object) => object.kind !== kind || at(object, ...path) === null,
        );
        expect([kind, path, hurts(before, after).length > 0]).toEqual([kind, path, !stays]);
      }
    }
    expect(hurts(before, before.slice(1))).toEqual([expect.stringContaining('is gone')]);
    const next = JSON.stringify(before).replaceAll('"name":"v1"', '"name":"v2"');
    expect(hurts(before, JSON.parse(next))).toContainEqual(expect.stringContaining('v1 no more'));
    const moved = JSON.stringify(before).replaceAll('"LEASE_NAME":"', '"LEASE_NAME":"x');
    expect(hurts(before, JSON.parse(moved))).toEqual([expect.stringContaining('LEASE_NAME')]);
  });
});

function without(object: JsonObject, path: readonly string[]): JsonObject {
  const [key = '', ...rest] = path;
  const { [key]: inner = null, ...others } = object;
  if (rest.length === 0) return others;
  return isJsonObject(inner) ? { ...others, [key]: without(inner, rest) } : object;
}

describe('An upgrade from the chart of the last release, on a real API server', () => {
  let address: TestCluster;

  beforeAll(async () => {
    address = await startKubernetes();
    await kubectlOk(address, ['create', 'namespace', 'data']);
  });

  afterAll(() => address?.stop());

  const release = async (verb: string, ...more: string[]) => {
    const server = ['--kube-apiserver', address.server, '--kube-ca-file', address.caFile];
    const as = ['--kube-token', users.admin.token, '--namespace', 'data'];
    const ran = await helm(
      [verb, 'shop-registry', ...more, ...server, ...as],
      JSON.stringify(least),
    );
    expect([verb, ran.code, ran.stderr]).toEqual([verb, 0, '']);
  };

  /** By name: a recreated object has another uid. */
  const uids = async () => {
    const kinds = 'deployments,services,configmaps,crd,clusterroles,clusterrolebindings,roles';
    const named = 'jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.uid}{"\\n"}{end}';
    const args = [
      'get',
      kinds,
      '-n',
      'data',
      '-l',
      'app.kubernetes.io/part-of=concordat',
      '-o',
      named,
    ];
    return (await kubectlOk(address, args)).trim().split('\n').sort();
  };

  test('replaces nothing, and goes back again', async () => {
    await release('install', previousChart, '--values', '-');
    await kubectlOk(address, ['wait', '--for=condition=Established', 'crd', '--all']);
    const before = await uids();
    expect(before.length).toBeGreaterThan(5);

    await release('upgrade', chart, '--values', '-');
    const after = await uids();
    expect(before.filter((line) => !after.includes(line))).toEqual([]);

    await release('rollback', '1');
    const back = await uids();
    expect(before.filter((line) => !back.includes(line))).toEqual([]);
  });
});
