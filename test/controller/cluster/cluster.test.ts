import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/controller/clock.ts';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { controllerRights } from '../../../src/controller/cluster/rights.ts';
import { type Controller, startController } from '../../../src/controller/controller.ts';
import type { DataContract } from '../../../src/controller/crd/resources.ts';
import { describeCluster, openCluster } from '../../../src/controller/source/cluster.ts';
import type { Team } from '../../../src/core/team.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import {
  type ClusterAddress,
  configOf,
  kubectl,
  kubectlOk,
  listWrites,
} from '../../support/kubernetes/kubernetes.ts';
import { type CuttingProxy, openCuttingProxy } from '../../support/kubernetes/kubernetes-proxy.ts';
import { shareKubernetes } from '../../support/kubernetes/kubernetes-setup.ts';
import { computeKstatus } from '../support/kstatus.ts';
import {
  accepted,
  leadSource,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

const namespace = 'cluster-source';

let address: ClusterAddress;
let release: () => Promise<void>;
let registry: TestRegistry;
let proxy: CuttingProxy;
let client: ApiClient;
let controller: Controller;
let billing: Team;
const errors: string[] = [];
let hears = true;
/** The objects reconciled since the last start. */
let finished: string[] = [];

beforeAll(async () => {
  ({ address, release } = await shareKubernetes());
  registry = await openTestRegistry();
  await registry.team('checkout');
  billing = await registry.team('billing');
  await kubectlOk(address, ['create', 'namespace', namespace]);
  await kubectlOk(address, ['label', 'namespace', namespace, 'concordat.dev/team=checkout']);
  await apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'controller' },
    rules: controllerRights,
  });
  const binding = ['create', 'clusterrolebinding', 'controller', '--clusterrole=controller'];
  await kubectlOk(address, [...binding, '--user=controller']);
  proxy = await openCuttingProxy(address);
  client = new ApiClient(configOf({ ...address, server: proxy.server }, 'controller'));
  await start();
});

afterAll(async () => {
  hears = false;
  await controller?.stop();
  client?.close();
  await proxy?.close();
  await registry?.stop();
  await release?.();
});

async function start(): Promise<void> {
  hears = true;
  finished = [];
  const description = await describeCluster(client);
  const { identity } = description;
  const { fence: _, ...led } = await leadSource(registry, description, () => hears);
  controller = await startController({
    ...led,
    source: openCluster({ client, clock: systemClock, instance: 'test', identity }),
    mapping: new Map(),
    clock: systemClock,
    isLeading: () => true,
    observe: (event) => {
      if (event.kind === 'finished') finished.push(event.key);
    },
    onError: (error, during) => {
      errors.push(`${during}: ${error instanceof Error ? error.message : error}`);
    },
  });
}

const apply = (manifest: object) =>
  kubectlOk(address, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(manifest) });

const put = (name: string, spec: object, more: object = {}) =>
  apply({
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name, namespace, ...more },
    spec,
  });

async function get(name: string): Promise<DataContract> {
  const args = ['get', 'datacontract', name, '-n', namespace, '-o', 'json'];
  return JSON.parse(await kubectlOk(address, args));
}

async function until(name: string, reason: string, message = /./): Promise<DataContract> {
  await vi.waitFor(async () => {
    const { metadata, status } = await get(name);
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    expect([status?.observedGeneration, ready?.reason, ready?.message]).toEqual([
      metadata.generation,
      reason,
      expect.stringMatching(message),
    ]);
  }, patience);
  const found = await get(name);
  const isReady = found.status?.conditions?.[0]?.status === 'True';
  expect(computeKstatus(found as Parameters<typeof computeKstatus>[0]) === 'Current').toBe(isReady);
  return found;
}

const writesTo = async (name: string) =>
  (await listWrites(address)).filter(
    (write) => write.user === 'controller' && write.name === name && write.namespace === namespace,
  );

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

describe('A cluster of contracts', () => {
  test('tells the whole story: publish, change, break, acknowledge, delete', async () => {
    const consumers = [{ team: 'billing' }];
    const fqn = 'cluster.story';
    await put('story', { fqn, schema: table('id', 'amount'), consumers });
    await kubectlOk(address, [
      ...['wait', 'datacontract/story', '-n', namespace],
      ...['--for=condition=Ready', '--timeout=20s'],
    ]);
    const first = await until('story', 'Published');
    expect(first.status).toMatchObject({ version: '1.0.0', consumers: 1 });
    // Its asset is only released in the end, so it needs no finalizer.
    expect(first.metadata.finalizers).toBeUndefined();
    await put('story', { fqn, schema: table('id', 'amount', 'note'), consumers });
    await until('story', 'Published', /1\.1\.0/);
    await put('story', { fqn, schema: table('id', 'note'), consumers });
    const waiting = await until('story', 'ProposalPending', /0 of 1/);
    const proposalId = waiting.status?.proposal?.id ?? '';
    accepted(
      await verbs.acknowledgeProposal(registry.ports, registry.admin, {
        proposalId,
        teamId: billing.id,
        reason: 'They told us.',
        response: 'approved',
      }),
    );
    await until('story', 'Published', /2\.0\.0/);
    // Events are written in the background.
    await vi.waitFor(async () => {
      const described = await kubectlOk(address, [
        'describe',
        'datacontract',
        'story',
        '-n',
        namespace,
      ]);
      expect(described).toMatch(/Normal\s+ProposalPending[^\n]+ concordat/);
    }, patience);
    await kubectlOk(address, ['delete', 'datacontract', 'story', '-n', namespace, '--timeout=20s']);
    const assetId = first.status?.assetId ?? '';
    await vi.waitFor(async () => {
      expect(await registry.ports.reads.getAsset(assetId)).toMatchObject({
        managedBy: null,
        activeContractVersion: '2.0.0',
      });
    }, patience);
  });

  test('costs one write a new object, and none where nothing changed', async () => {
    await put('cost', { fqn: 'cluster.cost', schema: table('id') });
    await until('cost', 'Published');
    const spent = (await writesTo('cost')).map(({ verb, subresource, code }) => [
      verb,
      subresource,
      code,
    ]);
    expect(spent).toEqual([['patch', 'status', 200]]);
    hears = false;
    await controller.stop();
    await start();
    await vi.waitFor(() => expect(finished).toContain(`DataContract/${namespace}/cost`), patience);
    expect(await writesTo('cost')).toHaveLength(1);
  });

  test('is not taken for ready before the new generation was looked at', async () => {
    hears = false;
    await controller.stop();
    await put('cost', { fqn: 'cluster.cost', schema: table('id', 'more') });
    const unseen = await get('cost');
    expect(unseen.status?.conditions?.[0]?.status).toBe('True');
    expect(computeKstatus(unseen as Parameters<typeof computeKstatus>[0])).toBe('InProgress');
    await start();
    await until('cost', 'Published', /1\.1\.0/);
  });

  test('follows its ConfigMap and the label of its namespace', async () => {
    const schemaFrom = { configMapKeyRef: { name: 'schemas', key: 'a.json' } };
    await put('from', { fqn: 'cluster.from', schemaFrom });
    await until('from', 'SourceNotFound');
    const data = { 'a.json': JSON.stringify(table('id')) };
    await apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'schemas', namespace },
      data,
    });
    await until('from', 'Published');
    const label = ['label', 'namespace', namespace, '--overwrite'];
    await kubectlOk(address, [...label, 'concordat.dev/team-']);
    await until('from', 'TeamNotResolved', /acts for no team/);
    await kubectlOk(address, [...label, 'concordat.dev/team=checkout']);
    await until('from', 'UpToDate');
  });

  test('survives connections that are cut all the time', async () => {
    proxy.cutEvery(1_000);
    for (let i = 0; i < 20; i++) {
      await put(`cut-${i}`, { fqn: `cluster.cut_${i}`, schema: table('id') });
    }
    for (let i = 0; i < 20; i++) await until(`cut-${i}`, 'Published', /1\.0\.0/);
    expect(proxy.connectionCount()).toBeGreaterThan(5);
  });

  test('settles an object that is first seen terminating', async () => {
    const fqn = 'cluster.terminating';
    await put('terminating', { fqn, schema: table('id'), deletionPolicy: 'Delete' });
    const { status } = await until('terminating', 'Published');
    hears = false;
    await controller.stop();
    const args = ['delete', 'datacontract', 'terminating', '-n', namespace, '--wait=false'];
    await kubectlOk(address, args);
    await start();
    await vi.waitFor(async () => {
      const { code } = await kubectl(address, [
        'get',
        'datacontract',
        'terminating',
        '-n',
        namespace,
      ]);
      expect(code).toBe(1);
    }, patience);
    expect(await registry.ports.reads.getAsset(status?.assetId ?? '')).toBeNull();
  });

  test('never lets a second writer of the status win, nor loops against it', async () => {
    await put('fought', { fqn: 'cluster.fought', schema: table('id') });
    const { status } = await until('fought', 'Published');
    await kubectlOk(address, [
      ...[
        'patch',
        'datacontract',
        'fought',
        '-n',
        namespace,
        '--subresource=status',
        '--type=merge',
      ],
      ...['-p', '{"status":{"version":"9.9.9"}}'],
    ]);
    await vi.waitFor(async () => expect((await get('fought')).status).toEqual(status), patience);
    // The same write again is noticed again.
    await kubectlOk(address, [
      ...[
        'patch',
        'datacontract',
        'fought',
        '-n',
        namespace,
        '--subresource=status',
        '--type=merge',
      ],
      ...['-p', '{"status":{"version":"9.9.9","conditions":null}}'],
    ]);
    await vi.waitFor(async () => {
      const { conditions, ...rest } = (await get('fought')).status ?? {};
      const { conditions: before, ...held } = status ?? {};
      expect(rest).toEqual(held);
      expect(conditions?.map(({ type }) => type)).toEqual(before?.map(({ type }) => type));
    }, patience);
  });
});
