import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CuttingProxy, openCuttingProxy } from '../../support/kubernetes/kubernetes-proxy.ts';
import {
  openTestController,
  openTestRegistry,
  patience,
  type TestController,
  type TestRegistry,
} from '../support/open-controller.ts';

let proxy: CuttingProxy;
let target: string;
let registry: TestRegistry;
let controller: TestController;

beforeAll(async () => {
  registry = await openTestRegistry(async (databaseUrl) => {
    const url = new URL(databaseUrl);
    target = `tcp://${url.host}`;
    proxy = await openCuttingProxy({ server: target });
    url.host = new URL(proxy.server).host;
    return url.href;
  });
  await registry.team('checkout');
  controller = await openTestController(registry, { shop: ['checkout'] });
});

afterAll(async () => {
  await controller?.stop();
  await registry?.stop();
  await proxy?.close();
});

test('an outage of the registry is told by those that wait for it, and by nobody else', async () => {
  const spec = (name: string) => ({ fqn: `outage.${name}`, schema: { type: 'object' } });
  await controller.put('shop/settled.yaml', spec('settled'));
  await controller.put('shop/leaving.yaml', spec('leaving'));
  const settled = await controller.until('settled', 'Published');
  await controller.until('leaving', 'Published');
  await proxy.close();

  await controller.put('shop/new.yaml', spec('new'));
  await controller.remove('shop/leaving.yaml');
  const status = await controller.until('new', 'RegistryUnavailable', /cannot reach its database/);
  expect(status.conditions?.map(({ type, status: is }) => [type, is])).toEqual([
    ['Ready', 'Unknown'],
    ['Reconciling', 'True'],
  ]);
  await controller.until('leaving', 'RegistryUnavailable');
  // Reconciling a settled object fails as well, but does not change its status.
  const errorsBefore = controller.errors.length;
  await controller.put('shop/settled.yaml', spec('settled'), {
    annotations: { 'concordat.dev/reconcile-at': 'now' },
  });
  await vi.waitFor(
    () =>
      expect(controller.errors.slice(errorsBefore).join('\n')).toContain(
        'reconciling DataContract/shop/settled',
      ),
    patience,
  );
  expect(await controller.until('settled', 'Published')).toEqual(settled);

  proxy = await openCuttingProxy({ server: target }, Number(new URL(proxy.server).port));
  await controller.until('new', 'Published');
  await controller.untilGone('leaving');
  expect((await controller.until('settled', 'Published')).conditions).toEqual(settled.conditions);
});
