import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/controller/clock.ts';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { Informer, type InformerChange } from '../../../src/controller/cluster/informer.ts';
import { isJsonObject, type JsonObject } from '../../../src/core/value/json.ts';
import {
  configOf,
  kubectlOk,
  startKubernetes,
  type TestCluster,
} from '../../support/kubernetes/kubernetes.ts';
import { type CuttingProxy, openCuttingProxy } from '../../support/kubernetes/kubernetes-proxy.ts';

// ConfigMaps stand for any kind: these tests are about the list and the watch.
const namespace = 'informer';
const path = `/api/v1/namespaces/${namespace}/configmaps`;

let cluster: TestCluster;
let client: ApiClient;

beforeAll(async () => {
  cluster = await startKubernetes();
  client = new ApiClient(configOf(cluster));
  await kubectlOk(cluster, ['create', 'namespace', namespace]);
});

afterAll(async () => {
  client?.close();
  await cluster?.stop();
});

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function put(name: string, value: string): Promise<void> {
  await client.expect({
    method: 'PATCH',
    path: `${path}/${name}`,
    query: { fieldManager: 'test', force: true },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { value } },
  });
}

async function remove(name: string): Promise<void> {
  await client.expect({ method: 'DELETE', path: `${path}/${name}` });
}

async function versionNow(): Promise<number> {
  const { metadata = null } = await client.expect({ method: 'GET', path, query: { limit: 1 } });
  return Number(isJsonObject(metadata) ? metadata.resourceVersion : Number.NaN);
}

/** A proxy to the API server that answers the first requests with 429 and Retry-After. */
async function openBusyServer(refusals: number) {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (asked <= refusals) {
      request.resume();
      response.writeHead(429, { 'retry-after': '0', 'content-type': 'application/json' });
      response.end('{"kind":"Status","code":429,"reason":"TooManyRequests"}');
      return;
    }
    const { method, url, headers } = request;
    const { host: _, ...kept } = headers;
    const ca = readFileSync(cluster.caFile);
    const onward = requestHttps(new URL(url ?? '', cluster.server), { method, headers: kept, ca });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const config = configOf(cluster);
  const [known] = config.clusters;
  if (known === undefined) throw new Error('The configuration names the cluster.');
  config.clusters = [{ ...known, server: `http://127.0.0.1:${port}`, skipTLSVerify: true }];
  const busy = new ApiClient(config);
  closing.push(async () => {
    busy.close();
    server.close();
    await once(server, 'close');
  });
  return { busy, asked: () => asked };
}

interface Following {
  readonly informer: Informer<string>;
  readonly changes: InformerChange<string>[];
  readonly errors: { readonly during: string; readonly message: string }[];
  /** The objects in the informer whose names have the prefix, name to value. */
  readonly held: (prefix: string) => Record<string, string>;
}

async function follow(
  options: {
    readonly through?: CuttingProxy;
    readonly onChange?: (change: InformerChange<string>) => void;
    readonly pageSize?: number;
    readonly user?: 'admin' | 'mallory';
    readonly idleMs?: number;
  } = {},
): Promise<Following> {
  const { through, user = 'admin', onChange = () => {}, ...more } = options;
  const own = new ApiClient(
    configOf({ ...cluster, server: through?.server ?? cluster.server }, user),
  );
  const changes: InformerChange<string>[] = [];
  const errors: Following['errors'] = [];
  const informer = new Informer<string>({
    client: own,
    clock: systemClock,
    path,
    keep: dataOf,
    onChange: (change) => {
      changes.push(change);
      onChange(change);
    },
    onError: (error, during) => {
      errors.push({ during, message: error instanceof Error ? error.message : String(error) });
    },
    ...more,
  });
  closing.push(async () => {
    await informer.stop();
    own.close();
  });
  informer.start();
  if (user === 'admin') await informer.synced;
  return {
    informer,
    changes,
    errors,
    held: (prefix) =>
      Object.fromEntries(
        [...informer.keys()]
          .filter((key) => key.startsWith(`${namespace}/${prefix}`))
          .sort()
          .map((key) => [key.slice(namespace.length + 1), informer.get(key) ?? '']),
      ),
  };
}

function dataOf(object: JsonObject): string {
  const data = object.data ?? null;
  return isJsonObject(data) ? String(data.value) : '';
}

const patience = { timeout: 120_000, interval: 20 };

describe('A 429 that says when to come again', () => {
  test('is no refusal: the client comes again, with all that it had to say', async () => {
    const { busy, asked } = await openBusyServer(2);
    const metadata = { name: 'busy', namespace };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: 'said' } };
    await busy.expect({ method: 'POST', path, body });
    expect(asked()).toBe(3);
    expect(dataOf(await client.expect({ method: 'GET', path: `${path}/busy` }))).toBe('said');
  });

  test('is one where it never ends', async () => {
    const { busy, asked } = await openBusyServer(Number.POSITIVE_INFINITY);
    await expect(busy.expect({ method: 'GET', path })).rejects.toMatchObject({ status: 429 });
    expect(asked()).toBe(11);
  });
});

describe('The informer', () => {
  test('throws when it is stopped in the middle of a list, of which half would pass for all', async () => {
    for (const name of ['half-1', 'half-2']) await put(name, 'value');
    const { informer } = await follow({ pageSize: 1 });
    const listing = informer.listNow();
    await listing.next();
    await informer.stop();
    const rest = async () => {
      for await (const _ of listing);
    };
    await expect(rest()).rejects.toThrow('aborted');
    for (const name of ['half-1', 'half-2']) await remove(name);
  });

  test('lists in pages, then follows additions, changes and deletions', async () => {
    for (const name of ['a-1', 'a-2', 'a-3']) await put(name, 'old');
    const { informer, changes, held } = await follow({ pageSize: 2 });
    expect(held('a-')).toEqual({ 'a-1': 'old', 'a-2': 'old', 'a-3': 'old' });
    changes.length = 0;
    const listedAtMs = systemClock.monotonicMs();
    // It knows nothing of what comes after its last line.
    expect(informer.readAtMs).toBeLessThan(listedAtMs);
    await put('a-4', 'new');
    await put('a-1', 'changed');
    await remove('a-2');
    await vi.waitFor(() => expect(changes).toHaveLength(3), patience);
    expect(informer.readAtMs).toBeGreaterThan(listedAtMs);
    expect(changes).toEqual([
      { key: `${namespace}/a-4`, before: null, now: 'new' },
      { key: `${namespace}/a-1`, before: 'old', now: 'changed' },
      { key: `${namespace}/a-2`, before: 'old', now: null },
    ]);
    expect(informer.listCount).toBe(1);
  });

  test('goes on after a handler that throws', async () => {
    const { errors, held } = await follow({
      onChange: ({ key }) => {
        if (key.endsWith('/b-1')) throw new Error('a bug in a handler');
      },
    });
    await put('b-1', 'x');
    await put('b-2', 'y');
    await vi.waitFor(() => expect(held('b-')).toEqual({ 'b-1': 'x', 'b-2': 'y' }), patience);
    expect(errors).toEqual([
      { during: `handling a change of ${namespace}/b-1`, message: 'a bug in a handler' },
    ]);
  });

  test('loses nothing where the connection is cut all the time, and lists no second time', async () => {
    const proxy = await openCuttingProxy(cluster);
    closing.push(() => proxy.close());
    const { informer, changes, held } = await follow({ through: proxy });
    for (let i = 0; i < 60; i++) {
      await put('c-1', `${i}`);
      if (i % 10 !== 5) continue;
      // Cut while the informer watches; the missed changes arrive when it watches again.
      await vi.waitFor(() => expect(held('c-')).toEqual({ 'c-1': `${i}` }), patience);
      proxy.cut();
    }
    await put('c-2', 'last');
    await vi.waitFor(() => expect(held('c-')).toEqual({ 'c-1': '59', 'c-2': 'last' }), patience);
    const seen = changes.filter(({ key }) => key.endsWith('/c-1')).map(({ now }) => now);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => `${i}`));
    expect(proxy.connectionCount()).toBeGreaterThan(6);
    expect(informer.listCount).toBe(1);
  });

  test('survives a refusal, and goes on once it is allowed', async () => {
    const { informer, errors } = await follow({ user: 'mallory' });
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1), patience);
    expect(errors[0]?.message).toContain('403');
    const role = ['create', 'clusterrole', 'reads', '--verb=list,watch', '--resource=configmaps'];
    await kubectlOk(cluster, role);
    const binding = ['create', 'clusterrolebinding', 'reads', '--clusterrole=reads'];
    await kubectlOk(cluster, [...binding, '--user=mallory']);
    await informer.synced;
    await put('d-1', 'x');
    await vi.waitFor(() => expect(informer.get(`${namespace}/d-1`)).toBe('x'), patience);
  });

  test('notices a server that no longer says anything', async () => {
    const { informer, errors, held } = await follow({ idleMs: 300 });
    cluster.freezeApiServer();
    closing.push(async () => cluster.thawApiServer());
    await vi.waitFor(
      () => expect(errors.map((error) => error.message).join()).toContain('no data within 300 ms'),
      patience,
    );
    cluster.thawApiServer();
    await put('e-1', 'x');
    await vi.waitFor(() => expect(held('e-')).toEqual({ 'e-1': 'x' }), patience);
    expect(informer.listCount).toBe(1);
  });

  test('survives an API server that is killed and comes back', async () => {
    const { informer, errors, held } = await follow();
    await put('f-1', 'before');
    await vi.waitFor(() => expect(held('f-')).toEqual({ 'f-1': 'before' }), patience);
    await cluster.killApiServer();
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(3), patience);
    await cluster.startApiServer();
    await put('f-1', 'after');
    await vi.waitFor(() => expect(held('f-')).toEqual({ 'f-1': 'after' }), patience);
    expect(informer.size).toBeGreaterThan(0);
  });

  test('lists again where etcd was restored, and its versions are given anew', async () => {
    await put('restored', 'before');
    const { held } = await follow();
    await cluster.saveEtcd();
    // More versions than the API server needs for itself when it starts.
    for (let round = 0; round < 300; round += 1) await put('restored', `${round}`);
    await vi.waitFor(() => expect(held('restored')).toEqual({ restored: '299' }), patience);
    await cluster.restoreEtcd();
    await vi.waitFor(() => expect(held('restored')).toEqual({ restored: 'before' }), patience);
    await put('restored', 'after');
    await vi.waitFor(() => expect(held('restored')).toEqual({ restored: 'after' }), patience);
  });

  test.each(['change', 'deletion'])(
    'lists again where etcd was restored, and as many versions were given anew: the last event was a %s',
    async (last) => {
      const name = `anew-${last}`;
      await put(`${name}-1`, 'before');
      await put(`${name}-2`, 'before');
      const proxy = await openCuttingProxy(cluster);
      const { informer, errors, held } = await follow({ through: proxy });
      await cluster.saveEtcd();
      if (last === 'change') await remove(`${name}-2`);
      for (let round = 0; round < 100; round += 1) await put(`${name}-1`, 'lost');
      if (last === 'deletion') await remove(`${name}-2`);
      await vi.waitFor(() => expect(held(name)).toEqual({ [`${name}-1`]: 'lost' }), patience);
      const lost = await versionNow();
      await proxy.close();
      await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), patience);
      await cluster.restoreEtcd();
      while ((await versionNow()) <= lost) await put('other', `${await versionNow()}`);
      // The informer cannot tell what it knew from this alone.
      await put(`${name}-1`, 'again');
      const again = await openCuttingProxy(cluster, Number(new URL(proxy.server).port));
      closing.push(() => again.close());
      await vi.waitFor(
        () => expect(held(name)).toEqual({ [`${name}-1`]: 'again', [`${name}-2`]: 'before' }),
        patience,
      );
      expect(informer.listCount).toBe(2);
    },
  );

  test('lists no second time where only the history of other kinds was compacted away', async () => {
    const proxy = await openCuttingProxy(cluster);
    closing.push(() => proxy.close());
    await put('q-1', 'kept');
    const { informer, held } = await follow({ through: proxy });
    for (let round = 0; round < 3; round += 1) {
      await kubectlOk(cluster, ['label', '--overwrite', 'namespace', 'default', `round=${round}`]);
    }
    await cluster.compactEtcd();
    proxy.cut();
    await put('q-1', 'changed');
    await vi.waitFor(() => expect(held('q-')).toEqual({ 'q-1': 'changed' }), patience);
    expect(informer.listCount).toBe(1);
  });

  test('lists again where the history was compacted away, and tells what it missed', async () => {
    const proxy = await openCuttingProxy(cluster);
    await put('g-2', 'old');
    await put('g-1', 'old');
    const { informer, changes, errors, held } = await follow({ through: proxy });
    await proxy.close();
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), patience);
    changes.length = 0;
    await put('g-1', 'new');
    await remove('g-2');
    await put('g-3', 'new');
    await cluster.compactEtcd();
    // The server's own cache would still contain the history.
    await cluster.killApiServer();
    await cluster.startApiServer();
    const again = await openCuttingProxy(cluster, Number(new URL(proxy.server).port));
    closing.push(() => again.close());
    await vi.waitFor(() => expect(held('g-')).toEqual({ 'g-1': 'new', 'g-3': 'new' }), patience);
    expect(informer.listCount).toBe(2);
    expect(errors.map((error) => error.message).join('\n')).toContain('410');
    expect(changes.filter(({ key }) => key.includes('/g-'))).toEqual([
      { key: `${namespace}/g-1`, before: 'old', now: 'new' },
      { key: `${namespace}/g-3`, before: null, now: 'new' },
      { key: `${namespace}/g-2`, before: 'old', now: null },
    ]);
  });
});
