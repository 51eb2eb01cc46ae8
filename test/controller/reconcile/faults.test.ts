// Faults of the leader and of the API server, with real processes and real signals.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { DataContract } from '../../../src/controller/crd/resources.ts';
import { bootstrapActor } from '../../../src/core/actor.ts';
import { newUuid } from '../../../src/ops/uuid.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { configOf, kubectlOk, type TestCluster } from '../../support/kubernetes/kubernetes.ts';
import { startKubernetesWithKinds } from '../../support/kubernetes/kubernetes-setup.ts';
import { programEnvironment } from '../../support/program-environment.ts';
import { openTestRegistry, type TestRegistry } from '../support/open-controller.ts';

const main = resolve(import.meta.dirname, '../../../src/main.ts');
const namespace = 'faults';
/** `make soak` uses 500 objects, and an outage of a minute. */
const changes = Number(process.env.FAULT_OBJECTS ?? 60);
const awayMs = Number(process.env.FAULT_AWAY_MS ?? 0);
/** A lease without renewal expires after 15 s; the rest is for two slow cores. */
const takeover = { timeout: 60_000, interval: 200 };

let cluster: TestCluster;
let registry: TestRegistry;
let folder: string;
const replicas: ChildProcess[] = [];

beforeAll(async () => {
  cluster = await startKubernetesWithKinds();
  folder = await mkdtemp(join(tmpdir(), 'concordat-faults-'));
  await writeFile(join(folder, 'kubeconfig'), configOf(cluster).exportConfig());
  for (const name of [namespace, 'concordat']) {
    await kubectlOk(cluster, ['create', 'namespace', name]);
  }
  await kubectlOk(cluster, ['label', 'namespace', namespace, 'concordat.dev/team=checkout']);
});

afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
});

afterEach(async () => {
  for (const replica of replicas.splice(0)) {
    if (replica.exitCode !== null || replica.signalCode !== null) continue;
    replica.kill('SIGKILL');
    await once(replica, 'exit');
  }
  await kubectlOk(cluster, ['delete', 'lease', '--all', '-n', 'concordat']);
  await registry.stop();
});

/** Starts the program as an administrator would. */
async function serve(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: {
      ...programEnvironment(),
      PORT: '0',
      DATABASE_URL: registry.database.url,
      KUBERNETES: 'kubeconfig',
      KUBECONFIG: join(folder, 'kubeconfig'),
      LOG_LEVEL: 'error',
      ADMIN_EMAIL: 'admin@example.org',
      ADMIN_PASSWORD: 'correct horse battery',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  replicas.push(child);
  await once(child.stdout ?? child, 'data');
  return child;
}

async function put(names: readonly string[], columns: readonly string[]): Promise<void> {
  const items = names.map((name) => ({
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name, namespace },
    spec: {
      fqn: `faults.${name.replaceAll('-', '_')}`,
      schema: {
        type: 'object',
        properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
      },
    },
  }));
  const list = { apiVersion: 'v1', kind: 'List', items };
  await kubectlOk(cluster, ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(list) });
}

async function versions(names: readonly string[]): Promise<readonly (string | undefined)[]> {
  const text = await kubectlOk(cluster, ['get', 'datacontract', '-n', namespace, '-o', 'json']);
  const items: readonly DataContract[] = JSON.parse(text).items;
  return names.map((name) => {
    const { metadata, status } = items.find((item) => item.metadata.name === name) ?? {};
    const isSeen = status?.observedGeneration === metadata?.generation;
    return isSeen && status?.conditions?.[0]?.status === 'True' ? status.version : undefined;
  });
}

const untilAll = (names: readonly string[], version: string, patience = takeover) =>
  vi.waitFor(async () => expect(await versions(names)).toEqual(names.map(() => version)), patience);

async function leader(): Promise<ChildProcess> {
  const [row] = await registry.database.query('select holder from controller_lease');
  const found = replicas.find(({ pid }) => String(row?.holder).includes(`-${pid}-`));
  if (found === undefined) throw new Error(`nobody of ours leads: ${row?.holder}`);
  return found;
}

/** All versions of each asset: none twice, none left out. */
async function published(): Promise<Record<string, string>> {
  const rows = await registry.database.query(
    `select fqn, string_agg(version, ' ' order by ordinal) as versions
     from contract join asset on asset.id = contract.asset_id group by fqn order by fqn`,
  );
  return Object.fromEntries(rows.map((row) => [String(row.fqn), String(row.versions)]));
}

const everything = (names: readonly string[], all: string) =>
  Object.fromEntries(names.map((name) => [`faults.${name.replaceAll('-', '_')}`, all]));

async function deleteAll(names: readonly string[]): Promise<void> {
  await kubectlOk(cluster, ['delete', 'datacontract', '-n', namespace, ...names, '--timeout=300s']);
}

test('a leader that is frozen past its lease changes nothing when it wakes; one that is killed is followed', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `leader-${index}`);
  await serve();
  await serve();
  await put(names, ['id']);
  await untilAll(names, '1.0.0');
  const frozen = await leader();
  frozen.kill('SIGSTOP');
  await put(names, ['id', 'a']);
  await untilAll(names, '1.1.0');
  const next = await leader();
  expect(next.pid).not.toBe(frozen.pid);
  frozen.kill('SIGCONT');
  await put(names, ['id', 'a', 'b']);
  await untilAll(names, '1.2.0');
  expect((await leader()).pid).toBe(next.pid);
  expect(frozen.exitCode).toBeNull();

  next.kill('SIGKILL');
  await put(names, ['id', 'a', 'b', 'c']);
  await untilAll(names, '1.3.0');
  expect((await leader()).pid).toBe(frozen.pid);
  expect(await published()).toEqual(everything(names, '1.0.0 1.1.0 1.2.0 1.3.0'));
  // On SIGTERM it releases its lease and exits with 0.
  const last = await leader();
  await deleteAll(names);
  last.kill('SIGTERM');
  const [code] = await once(last, 'exit');
  expect(code).toBe(0);
  const lease = await kubectlOk(cluster, [
    ...['get', 'lease', 'concordat', '-n', 'concordat'],
    ...['-o', 'jsonpath={.spec.holderIdentity}'],
  ]);
  expect(lease).toBe('');
});

test('an API server that is killed in the middle of many changes loses none of them', async () => {
  const names = Array.from({ length: changes }, (_, index) => `api-${index}`);
  await serve();
  await put(names, ['id']);
  await vi.waitFor(async () => {
    expect(Object.keys(await published()).length).toBeGreaterThan(5);
  }, takeover);
  await cluster.killApiServer();
  const duringOutage = Object.keys(await published()).length;
  await delay(awayMs);
  await cluster.startApiServer();
  await untilAll(names, '1.0.0', { ...takeover, timeout: 240_000 });
  await put(names, ['id', 'a']);
  await untilAll(names, '1.1.0', { ...takeover, timeout: 240_000 });
  expect(await published()).toEqual(everything(names, '1.0.0 1.1.0'));
  const [counted] = await registry.database.query(
    "select count(*)::integer as events from audit_event where event_type = 'contract.published'",
  );
  expect(counted).toEqual({ events: 2 * names.length });
  // It really was cut off in the middle.
  expect(duringOutage).toBeLessThan(names.length);
  await deleteAll(names);
}, 900_000);

test('a leader that is killed before it could release what was deleted is followed by one that does', async () => {
  const first = await serve();
  await put(['released'], ['id']);
  await untilAll(['released'], '1.0.0');
  const fqn = 'faults.released';
  const gate = new pg.Client(registry.database.url);
  await gate.connect();
  await gate.query('begin');
  await gate.query('select from asset where fqn = $1 for update', [fqn]);
  await kubectlOk(cluster, [
    'delete',
    'datacontract',
    'released',
    '-n',
    namespace,
    '--timeout=30s',
  ]);
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await vi.waitFor(
    async () => expect(await registry.database.query(waiting)).toHaveLength(1),
    takeover,
  );
  first.kill('SIGKILL');
  await once(first, 'exit');
  // Nobody waits for the lock any more, so nothing is written.
  await gate.query('commit');
  await gate.end();
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  expect(asset?.managedBy?.reference).toMatch(/^faults\/released in /);
  await serve();
  await vi.waitFor(async () => {
    const now = await registry.ports.reads.findAssetByName(fqn, 'production');
    expect(now).toMatchObject({ managedBy: null, activeContractVersion: '1.0.0' });
  }, takeover);
});

test('what is deleted while nobody reconciles is settled by the next one', async () => {
  const [name = ''] = ['gone'];
  const first = await serve();
  await put([name], ['id']);
  await untilAll([name], '1.0.0');
  first.kill('SIGKILL');
  await once(first, 'exit');
  await kubectlOk(cluster, ['delete', 'datacontract', name, '-n', namespace, '--wait=false']);
  const context = { actor: bootstrapActor, requestId: null, newId: newUuid };
  const asset = await registry.ports.reads.findAssetByName('faults.gone', 'production');
  expect(asset?.managedBy).not.toBeNull();
  // The team is renamed in the meantime, which must not affect other assets.
  const team = { teamId: asset?.ownerTeamId ?? '', name: 'Renamed' };
  await verbs.updateTeam(registry.ports, { ...context, now: registry.admin.now }, team);
  await serve();
  await vi.waitFor(async () => {
    const now = await registry.ports.reads.findAssetByName('faults.gone', 'production');
    expect(now).toMatchObject({ managedBy: null, ownerTeamName: 'Renamed' });
  }, takeover);
});
