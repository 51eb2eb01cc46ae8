// Suspended objects on a real API server: what waits for them continues, and nothing else does.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, type TestRegistry } from '../support/open-controller.ts';

let registry: TestRegistry;
let cluster: TestClusterController;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: { 'suspended-shop': 'checkout', 'suspended-billing': 'billing' },
  });
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
});

const fqn = 'suspended.orders';
const put = (type: string, suspend: boolean) =>
  cluster.put('DataContract', 'orders', { fqn, schema: { type }, suspend });
const typesOf = (conditions: readonly { type: string; status: string }[] = []) =>
  conditions.map(({ type, status }) => `${type} ${status}`);

test('a contract that is suspended stays Ready, and publishes once it goes on', async () => {
  await put('object', false);
  await cluster.until('DataContract', 'orders', 'Published', /1\.0\.0/);
  await put('string', true);
  const { status } = await cluster.until('DataContract', 'orders', 'Suspended', /spec\.suspend/);
  expect(typesOf(status?.conditions)).toEqual(['Ready True', 'Suspended True']);
  expect(status?.version).toBe('1.0.0');
  const wait = ['wait', '--for=condition=Ready', 'datacontract/orders', '-n', 'suspended-shop'];
  await kubectlOk(cluster.address, [...wait, '--timeout=1s']);
  await put('string', false);
  const after = await cluster.until('DataContract', 'orders', 'Published', /2\.0\.0/);
  expect(typesOf(after.status?.conditions)).toEqual(['Ready True']);
});

test('a registration that is suspended from the start registers nothing, and is current', async () => {
  const reads = 'suspended-billing/reads';
  await cluster.put('ContractRegistration', reads, { fqn, suspend: true });
  const { status } = await cluster.until('ContractRegistration', reads, 'Suspended');
  expect(typesOf(status?.conditions)).toEqual(['Suspended True']);
  expect(status?.registrationId).toBeUndefined();
  await cluster.put('ContractRegistration', reads, { fqn, suspend: false });
  await cluster.until('ContractRegistration', reads, 'UpToDate');
});
