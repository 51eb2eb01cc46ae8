// Pods without keys: the token of a service account, which the API server signed, is exchanged for a
// key. The registry reads the keys of the API server without signing in there.

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import { must, mustRefuse, openWorld, type World } from '../../support/client/client-world.ts';
import { kubectlOk } from '../../support/kubernetes/kubernetes.ts';

const cluster = inject('kubernetes');
const namespace = 'pods-without-keys';
const audience = 'https://contracts.example.org';

let registry: TestRegistry;
let serving: ProcessRegistry;
let world: World;

beforeAll(async () => {
  registry = await openRegistry();
  serving = await openProcess(registry.database.serviceUrl, {
    ISSUER_ALLOWED_NETWORKS: '127.0.0.1',
    NODE_EXTRA_CA_CERTS: cluster.caFile,
  });
  world = await openWorld(serving.url, registry.bootstrapKey);
  await kubectlOk(cluster, ['create', 'namespace', namespace]);
  for (const name of ['publisher', 'stranger']) {
    await kubectlOk(cluster, ['create', 'serviceaccount', name, '-n', namespace]);
  }
});
afterAll(async () => {
  await kubectlOk(cluster, ['delete', 'clusterrolebinding', namespace, '--ignore-not-found']);
  await serving?.stop();
  await registry?.stop();
});

const tokenOf = async (name: string, forWhom = audience) =>
  (
    await kubectlOk(cluster, [
      ...['create', 'token', name, '-n', namespace, `--audience=${forWhom}`],
    ])
  ).trim();

test('A service account is exchanged for a key, once the cluster shows its keys to everybody', async () => {
  const { admin, producer } = world;
  const stranger = admin.as(undefined);
  must(
    await admin.createTrust({
      body: {
        ...{ name: 'publisher', issuer: cluster.server, audience, reusable: true },
        claims: { sub: `system:serviceaccount:${namespace}:publisher` },
        ...{ team_id: producer.teamId, scopes: ['write'] },
      },
    }),
    201,
  );
  const exchange = (token: string) => stranger.exchangeToken({ body: { token } });
  const token = await tokenOf('publisher');
  mustRefuse(await exchange(token), 503, 'ISSUER_UNAVAILABLE');
  await kubectlOk(cluster, [
    ...['create', 'clusterrolebinding', namespace, '--group=system:unauthenticated'],
    '--clusterrole=system:service-account-issuer-discovery',
  ]);
  // The API server hears of the binding a moment later.
  await expect.poll(async () => (await exchange(token)).status, { timeout: 30_000 }).toBe(201);
  const made = must(await exchange(token), 201);
  expect(made.name).toBe(`system:serviceaccount:${namespace}:publisher`);
  must(await admin.as(made.key).listTeams(), 200);
  mustRefuse(await exchange(await tokenOf('stranger')), 401, 'UNAUTHENTICATED');
  mustRefuse(await exchange(await tokenOf('publisher', 'other')), 401, 'UNAUTHENTICATED');
});
