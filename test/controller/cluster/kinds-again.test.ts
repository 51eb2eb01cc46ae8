// Kinds that are deleted with all their objects while the controller runs, and installed again.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { applyKinds } from '../../support/kubernetes/kubernetes-setup.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, patience, type TestRegistry } from '../support/open-controller.ts';

let registry: TestRegistry;
let cluster: TestClusterController;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: { 'again-shop': 'checkout', 'again-billing': 'billing' },
  });
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
});

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

async function reinstall(plural: string): Promise<void> {
  await kubectlOk(cluster.address, ['delete', 'crd', `${plural}.concordat.dev`, '--wait']);
  await applyKinds(cluster.address);
}

test('a consumer is asked still, and every object says so', async () => {
  const fqn = 'again.orders';
  const put = (...columns: string[]) =>
    cluster.put('DataContract', 'orders', { fqn, schema: table(...columns) });
  await put('id', 'amount');
  await cluster.until('DataContract', 'orders', 'Published', /1\.0\.0/);
  await cluster.put('ContractRegistration', 'again-billing/reads', { fqn });
  await cluster.until('ContractRegistration', 'again-billing/reads', 'UpToDate');
  await put('id');
  const asked = await cluster.until('DataContract', 'orders', 'ProposalPending');
  const made = asked.status?.proposal?.name ?? '';
  await cluster.until('ContractProposal', made, 'ProposalPending');

  await reinstall('contractproposals');
  // The ContractProposal exists again for reviewers.
  await vi.waitFor(
    async () => expect((await cluster.list('ContractProposal')).length).toBe(1),
    patience,
  );
  await cluster.until('ContractProposal', made, 'ProposalPending', /waiting for billing/);

  await reinstall('datacontracts');
  await vi.waitFor(async () => {
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    expect(asset?.managedBy).toBeNull();
  }, patience);
  await put('id');
  await cluster.until('DataContract', 'orders', 'ProposalPending', /waiting for billing/);
  await cluster.until('ContractRegistration', 'again-billing/reads', 'UpToDate');
  expect((await cluster.get('DataContract', 'orders')).status?.proposal?.acknowledged).toBe(0);

  await reinstall('contractregistrations');
  await cluster.until('DataContract', 'orders', 'ProposalPending', /waiting for billing/);
  await put('amount');
  await cluster.until('DataContract', 'orders', 'ProposalPending', /waiting for billing/);
  await cluster.put('ContractRegistration', 'again-billing/reads', { fqn });
  await cluster.until('ContractRegistration', 'again-billing/reads', 'UpToDate', /waits for/);
  await cluster.remove('ContractRegistration', 'again-billing/reads');
  await cluster.until('DataContract', 'orders', 'Published', /2\.0\.0/);
});

test('what should be deleted with its object stays when all objects of its kind go', async () => {
  const fqn = 'again.kept';
  const deletionPolicy = 'Delete';
  await cluster.put('DataContract', 'kept', { fqn, schema: table('id'), deletionPolicy });
  await cluster.until('DataContract', 'kept', 'Published', /1\.0\.0/);
  const team = { apiVersion: 'concordat.dev/v1', kind: 'Team', metadata: { name: 'again' } };
  await cluster.apply({ ...team, spec: { deletionPolicy } });
  const teamOf = async () => (await registry.ports.reads.listTeamsBySlug(['again']))[0];
  await vi.waitFor(async () => expect((await teamOf())?.managedBy).toBeTruthy(), patience);
  await reinstall('datacontracts');
  await reinstall('teams');
  await vi.waitFor(async () => {
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    expect(asset).toMatchObject({ fqn, managedBy: null });
    expect(await teamOf()).toMatchObject({ slug: 'again', managedBy: null });
  }, patience);
});
