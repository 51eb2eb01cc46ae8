// A controller over a real cluster, on a real registry, with the rights that the chart gives it.

import { expect, vi } from 'vitest';
import { type Clock, systemClock } from '../../../src/controller/clock.ts';
import {
  type ApiAnswer,
  ApiClient,
  type ApiRequest,
  type WatchStream,
} from '../../../src/controller/cluster/api-client.ts';
import {
  type LabelSelector,
  parseLabelSelector,
} from '../../../src/controller/cluster/label-selector.ts';
import { ObservedApiClient } from '../../../src/controller/cluster/observed-client.ts';
import { collectionPath, objectPath } from '../../../src/controller/cluster/resources.ts';
import {
  controllerRights,
  namespaceRight,
  teamRights,
} from '../../../src/controller/cluster/rights.ts';
import { type Controller, startController } from '../../../src/controller/controller.ts';
import type { KindName } from '../../../src/controller/crd/kinds.ts';
import type {
  ContractCheck,
  ContractProposal,
  ContractRegistration,
  DataContract,
  Team,
} from '../../../src/controller/crd/resources.ts';
import { describeCluster, openCluster } from '../../../src/controller/source/cluster.ts';
import type { Source } from '../../../src/controller/source/source.ts';
import { type Metrics, openMetrics } from '../../../src/ops/observe/metrics.ts';
import {
  configOf,
  kubectlOk,
  listWrites,
  type TestCluster,
} from '../../support/kubernetes/kubernetes.ts';
import { type CuttingProxy, openCuttingProxy } from '../../support/kubernetes/kubernetes-proxy.ts';
import {
  startKubernetesWithKinds,
  startNewKubernetes,
} from '../../support/kubernetes/kubernetes-setup.ts';
import { computeKstatus } from './kstatus.ts';
import { leadSource, patience, type TestRegistry } from './open-controller.ts';

interface Kinds {
  readonly DataContract: DataContract;
  readonly ContractProposal: ContractProposal;
  readonly ContractRegistration: ContractRegistration;
  readonly ContractCheck: ContractCheck;
  readonly Team: Team;
}

export interface TestClusterController {
  readonly address: TestCluster;
  readonly proxy: CuttingProxy;
  readonly errors: string[];
  readonly apply: (manifest: object) => Promise<string>;
  /** `namespace/name`, or a name in the first namespace. */
  readonly put: (kind: KindName, name: string, spec: object, metadata?: object) => Promise<void>;
  readonly get: <Kind extends KindName>(kind: Kind, name: string) => Promise<Kinds[Kind]>;
  readonly list: <Kind extends KindName>(kind: Kind) => Promise<readonly Kinds[Kind][]>;
  readonly until: <Kind extends KindName>(
    kind: Kind,
    name: string,
    reason: string,
    message?: RegExp,
  ) => Promise<Kinds[Kind]>;
  readonly remove: (kind: KindName, name: string) => Promise<void>;
  readonly untilGone: (kind: KindName, name: string) => Promise<void>;
  /** The controller's writes to objects of the test's namespaces. */
  readonly writes: () => Promise<readonly string[]>;
  /** The metrics of the API server's client. */
  readonly metrics: Metrics;
  /** What the leader notes with its lease. */
  readonly reading: Controller['reading'];
  /** Whether the watch has reported the object with this key. */
  readonly knows: (key: string) => boolean;
  /** The objects whose reconcile began since the last start, in order. */
  readonly started: () => readonly string[];
  /** The number of reconciles that ended since the last start. */
  readonly looks: () => number;
  /** The watch of this kind stays open, and tells nothing any more. */
  readonly hang: (kind: KindName | 'Namespace') => void;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface ClusterTest {
  /** Namespaces with the slugs of their teams; the first one is the default. */
  readonly namespaces: Readonly<Record<string, string>>;
  readonly allowForce?: boolean;
  /** How long a registration stays after its last object was deleted. */
  readonly departurePauseMs?: number;
  /** Whether no other cluster of the run may have the same identity. */
  readonly isNew?: boolean;
  /** Begins another term, with everything unread, once it is fenced, as `runSource` does. */
  readonly leadsAgain?: boolean;
  /** CLUSTER_NAME. */
  readonly name?: string;
  readonly clock?: Clock;
  /** WATCH_NAMESPACES, with the rights that the chart gives then. */
  readonly watched?: () => readonly string[];
  /** WATCH_NAMESPACE_SELECTOR. */
  readonly selector?: string;
  /** The action of another writer just before each request of the controller. */
  readonly before?: (asked: ApiRequest) => Promise<void>;
}

class InterruptedClient extends ObservedApiClient {
  before: NonNullable<ClusterTest['before']> = async () => {};

  readonly #watches = new Map<string, { hangs: boolean }>();

  /** The present watch stays open, and tells nothing any more. */
  hang(path: string): void {
    const watch = this.#watches.get(path);
    if (watch === undefined) throw new Error(`${path} is not watched`);
    watch.hangs = true;
  }

  override async watch(asked: ApiRequest, stream: WatchStream): Promise<void> {
    const watch = { hangs: false };
    this.#watches.set(asked.path, watch);
    const onLine = (line: string) => {
      if (!watch.hangs) stream.onLine(line);
    };
    return super.watch(asked, { ...stream, onLine });
  }

  override async request(asked: ApiRequest): Promise<ApiAnswer> {
    await this.before(asked);
    return super.request(asked);
  }
}

export async function openClusterController(
  registry: TestRegistry,
  given: ClusterTest,
): Promise<TestClusterController> {
  const { namespaces, allowForce = false, departurePauseMs } = given;
  const { name, clock = systemClock, watched, before } = given;
  const selector = given.selector === undefined ? null : mustParse(given.selector);
  // A cluster of its own, because a controller reconciles every namespace, and two would fight.
  const address = await (given.isNew ? startNewKubernetes() : startKubernetesWithKinds());
  const [first = ''] = Object.keys(namespaces);
  const apply = (manifest: object) =>
    kubectlOk(address, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(manifest) });
  const scope = watched?.() ?? null;
  // At once: each kubectl takes a fifth of a second of processor time.
  await apply({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      ...Object.entries(namespaces).map(([name, label]) => ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, labels: { 'concordat.dev/team': label } },
      })),
      rightsOfController(scope),
      bindingOfController('ClusterRole'),
      ...(scope ?? []).flatMap((namespace) => [
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'controller', namespace },
          rules: controllerRights.filter((right) => right !== namespaceRight),
        },
        bindingOfController('Role', namespace),
      ]),
    ],
  });
  const proxy = await openCuttingProxy(address);
  const metrics = openMetrics();
  const config = configOf({ ...address, server: proxy.server }, 'controller');
  const client = new InterruptedClient(config, metrics);
  if (before !== undefined) client.before = before;
  const errors: string[] = [];
  let hears = true;
  let looks = 0;
  let started: string[] = [];
  let controller: Controller | null = null;
  let isEnding = false;
  let source: Source | null = null;
  const placeOf = (name: string) => {
    const [namespace, inside] = name.includes('/') ? name.split('/') : [first, name];
    return { namespace: namespace ?? first, name: inside ?? name };
  };
  // Polling with kubectl would keep a processor busy.
  const admin = new ApiClient(configOf(address));
  const pathOf = (kind: KindName, name: string) => {
    const place = placeOf(name);
    return objectPath(kind, place.namespace, place.name);
  };
  const ask = async (path: string) =>
    JSON.parse(JSON.stringify(await admin.expect({ method: 'GET', path })));
  const get: TestClusterController['get'] = (kind, name) => ask(pathOf(kind, name));
  const start = async () => {
    hears = true;
    looks = 0;
    started = [];
    const description = await describeCluster(client, name);
    const { identity } = description;
    const { fence: _, ...led } = await leadSource(registry, description, () => hears);
    const namespaces = watched?.() ?? null;
    source = openCluster({ client, clock, instance: 'test', identity, namespaces, selector });
    controller = await startController({
      ...led,
      allowForce,
      departurePauseMs,
      source,
      mapping: new Map(),
      clock,
      isLeading: () => true,
      onFenced: () => {
        if (!given.leadsAgain || isEnding) return;
        isEnding = true;
        void stop()
          .then(start)
          .finally(() => {
            isEnding = false;
          });
      },
      observe: (event) => {
        if (event.kind === 'started') started.push(event.key);
        if (event.kind === 'finished') looks += 1;
      },
      onError: (error, during) => {
        errors.push(`${during}: ${error instanceof Error ? error.message : error}`);
      },
    });
  };
  const stop = async () => {
    hears = false;
    await controller?.stop();
    controller = null;
  };
  await start();
  return {
    address,
    proxy,
    errors,
    apply,
    put: async (kind, name, spec, metadata = {}) => {
      await admin.expect({
        method: 'PATCH',
        path: pathOf(kind, name),
        query: { fieldManager: 'kubectl', fieldValidation: 'Strict' },
        contentType: 'application/apply-patch+yaml',
        body: {
          apiVersion: 'concordat.dev/v1',
          kind,
          metadata: { ...placeOf(name), ...metadata },
          spec,
        },
      });
    },
    get,
    list: async (kind) => {
      const lists = await Promise.all(
        Object.keys(namespaces).map((namespace) => ask(collectionPath(kind, namespace))),
      );
      // Within a list, the API server leaves these two out.
      return lists.flatMap(({ items }) =>
        items.map((item: object) => ({ apiVersion: 'concordat.dev/v1', kind, ...item })),
      );
    },
    until: async (kind, name, reason, message = /./) => {
      await vi.waitFor(async () => {
        const { metadata, status } = await get(kind, name);
        const conditions = new Map(status?.conditions?.map((one) => [one.type, one]));
        const ready = conditions.get('Suspended') ?? conditions.get('Ready');
        const seen = [status?.observedGeneration, ready?.reason, ready?.message];
        expect(seen, errors.slice(-5).join('\n')).toEqual([
          metadata.generation,
          reason,
          expect.stringMatching(message),
        ]);
      }, patience);
      const found = await get(kind, name);
      const isReady = found.status?.conditions?.[0]?.status === 'True';
      const made = computeKstatus(found as Parameters<typeof computeKstatus>[0]);
      expect(made === 'Current').toBe(isReady);
      return found;
    },
    remove: async (kind, name) => {
      await admin.expect({ method: 'DELETE', path: pathOf(kind, name) });
    },
    untilGone: (kind, name) =>
      vi.waitFor(async () => {
        const { status } = await admin.request({ method: 'GET', path: pathOf(kind, name) });
        expect(status).toBe(404);
      }, patience),
    writes: async () =>
      (await listWrites(address))
        .filter(({ user, namespace }) => user === 'controller' && namespace in namespaces)
        .map(({ verb, resource, subresource, name, code }) =>
          [verb, `${resource}${subresource === '' ? '' : `/${subresource}`}`, name, code].join(' '),
        ),
    metrics,
    hang: (kind) =>
      client.hang(kind === 'Namespace' ? '/api/v1/namespaces' : collectionPath(kind, undefined)),
    reading: () => controller?.reading() ?? null,
    knows: (key) => source?.get(key) != null,
    started: () => started,
    looks: () => looks,
    stop,
    start,
    close: async () => {
      await stop();
      client.close();
      admin.close();
      await proxy.close();
      await address.stop();
    },
  };
}

function mustParse(text: string): LabelSelector {
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}

const rightsOfController = (scope: readonly string[] | null) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'controller' },
  rules:
    scope === null
      ? [...controllerRights, ...teamRights]
      : [{ ...namespaceRight, resourceNames: ['kube-system', ...scope] }, ...teamRights],
});

const bindingOfController = (kind: 'ClusterRole' | 'Role', namespace?: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name: 'controller', ...(namespace !== undefined && { namespace }) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'controller' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'controller' }],
});
