// The commands in docs/operations.md for an uninstalled release: they remove its finalizers, and no
// others.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scriptOf } from '../../docs/blocks.ts';
import { configOf } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, type TestRegistry } from '../support/open-controller.ts';

const run = promisify(execFile);

let registry: TestRegistry;
let cluster: TestClusterController;
let folder: string;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: { 'gone-shop': 'checkout', 'gone-billing': 'billing' },
  });
  folder = await mkdtemp(join(tmpdir(), 'concordat-uninstall-'));
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('objects can be deleted after the lines of the page, and keep what others hold them by', async () => {
  const schema = { type: 'object' };
  const fqn = 'gone.orders';
  const orders = { fqn, schema, deletionPolicy: 'Delete' };
  await cluster.put('DataContract', 'orders', orders, { finalizers: ['example.org/theirs'] });
  await cluster.until('DataContract', 'orders', 'Published');
  const reads = 'gone-billing/orders';
  await cluster.put('ContractRegistration', reads, { fqn });
  await cluster.until('ContractRegistration', reads, 'UpToDate');
  const ours = 'concordat.dev/registry';
  expect((await cluster.get('DataContract', 'orders')).metadata.finalizers).toContain(ours);
  expect((await cluster.get('ContractRegistration', reads)).metadata.finalizers).toEqual([ours]);
  await cluster.stop();

  const lines = scriptOf('docs/operations.md', 'run: uninstall');
  expect(lines).toContain('kubectl');
  await symlink(cluster.address.binaries.kubectl, join(folder, 'kubectl'));
  await writeFile(join(folder, 'kubeconfig'), configOf(cluster.address).exportConfig());
  // kubectl keeps a cache in the home folder.
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    KUBECONFIG: join(folder, 'kubeconfig'),
  };
  await run('sh', ['-ec', lines], { env });

  const held = await cluster.get('DataContract', 'orders');
  expect(held.metadata.finalizers).toEqual(['example.org/theirs']);
  expect(held.spec).toEqual(orders);
  await cluster.remove('ContractRegistration', reads);
  await cluster.untilGone('ContractRegistration', reads);
});
