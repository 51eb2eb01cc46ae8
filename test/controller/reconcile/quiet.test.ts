// Nothing is written if nothing changed. Verified for the API server by its audit log, and for the
// database by the transactions of its rows.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, patience, type TestRegistry } from '../support/open-controller.ts';

/**
 * `make verify` uses more objects: without a write for any of these, ten times as many cause none
 * either.
 */
const objects = Number(process.env.QUIET_OBJECTS ?? 100);
const watchMs = Number(process.env.QUIET_WATCH_MS ?? 0);

let registry: TestRegistry;
let cluster: TestClusterController;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: { 'quiet-shop': 'checkout', 'quiet-billing': 'billing' },
  });
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
});

/** For every table but the leases: the number of rows, and the transactions that wrote them. */
async function stateOfTables(): Promise<Record<string, unknown>> {
  const tables = await registry.database.query(
    `select relname as name from pg_stat_user_tables where relname <> 'controller_lease'`,
  );
  const state: Record<string, unknown> = {};
  for (const { name } of tables) {
    const sql = `select count(*) as rows, sum(xmin::text::bigint) as written from "${name}"`;
    [state[String(name)]] = await registry.database.query(sql);
  }
  return state;
}

test('a restart and a quiet time write nothing, whatever the number of objects', async () => {
  const name = (index: number) => `quiet-${String(index).padStart(5, '0')}`;
  const manifests = Array.from({ length: objects }, (_, index) => ({
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name: name(index), namespace: 'quiet-shop' },
    spec: {
      fqn: `quiet.table_${index}`,
      schema: { type: 'object', properties: { id: { type: 'string' } } },
    },
  }));
  await cluster.apply({ apiVersion: 'v1', kind: 'List', items: manifests });
  await cluster.put('ContractRegistration', 'quiet-billing/reads', { fqn: 'quiet.table_0' });
  const spec = { fqn: 'quiet.table_0' };
  await vi.waitFor(
    async () => {
      const all = await cluster.list('DataContract');
      const ready = all.filter(({ status }) => status?.conditions?.[0]?.status === 'True');
      expect(ready).toHaveLength(objects);
    },
    { timeout: 500_000, interval: 1_000 },
  );
  await cluster.until('ContractRegistration', 'quiet-billing/reads', 'UpToDate');
  // One of them waits for its consumer, and keeps waiting.
  await cluster.put('DataContract', name(0), { ...spec, schema: { type: 'object' } });
  const waiting = await cluster.until('DataContract', name(0), 'ProposalPending');
  const proposal = waiting.status?.proposal?.name ?? '';
  await cluster.until('ContractProposal', proposal, 'ProposalPending');
  await vi.waitFor(async () => {
    const { status } = await cluster.get('ContractRegistration', 'quiet-billing/reads');
    expect(status?.pendingProposals).toHaveLength(1);
  }, patience);

  // One status write for each new object, in addition to Events.
  const spent = (await cluster.writes()).filter((write) => !write.includes(' events '));
  expect(spent.filter((write) => write.includes(`${name(1)} `))).toEqual([
    `patch datacontracts/status ${name(1)} 200`,
  ]);

  await cluster.stop();
  const writesBefore = await cluster.writes();
  const stateBefore = await stateOfTables();
  await cluster.start();
  // The registration, the proposal, and every contract are reconciled again.
  await vi.waitFor(() => expect(cluster.looks()).toBeGreaterThanOrEqual(objects + 2), {
    timeout: 300_000,
  });
  await delay(watchMs);
  expect(cluster.errors).toEqual([]);
  expect(await stateOfTables()).toEqual(stateBefore);
  expect((await cluster.writes()).slice(writesBefore.length)).toEqual([]);
}, 900_000);
