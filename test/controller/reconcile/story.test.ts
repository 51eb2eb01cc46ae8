// The whole story on a real API server, and every possible reason of Ready.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readyReasons } from '../../../src/controller/conditions.ts';
import type { Team } from '../../../src/core/team.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { kubectl, kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

const shop = 'story-shop';
const billingNamespace = 'story-billing';

let registry: TestRegistry;
let cluster: TestClusterController;
let search: Team;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  search = await registry.team('search');
  cluster = await openClusterController(registry, {
    namespaces: {
      [shop]: 'checkout',
      [billingNamespace]: 'billing',
      'story-nobody': 'nobody',
      'story-none': '',
    },
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

const waitFor = (name: string, seconds: number) =>
  kubectl(cluster.address, [
    ...['wait', `datacontract/${name}`, '-n', shop],
    ...['--for=condition=Ready', `--timeout=${seconds}s`],
  ]);

test('apply, publish, change, break, ask, answer by API and by resource, publish', async () => {
  const fqn = 'story.orders';
  const put = (schema: object) => cluster.put('DataContract', 'orders', { fqn, schema });
  await put(table('id', 'amount'));
  expect((await waitFor('orders', 20)).code).toBe(0);
  await cluster.until('DataContract', 'orders', 'Published', /1\.0\.0/);

  await put(table('id', 'amount', 'note'));
  await cluster.until('DataContract', 'orders', 'Published', /1\.1\.0/);

  await cluster.put('ContractRegistration', `${billingNamespace}/orders`, { fqn });
  await cluster.until('ContractRegistration', `${billingNamespace}/orders`, 'UpToDate');
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  accepted(
    await verbs.registerConsumer(registry.ports, registry.admin, {
      contractId: asset?.activeContractId ?? '',
      consumerTeamId: search.id,
    }),
  );
  await vi.waitFor(async () => {
    expect((await cluster.get('DataContract', 'orders')).status?.consumers).toBe(2);
  }, patience);

  await put(table('id', 'note'));
  const waiting = await cluster.until('DataContract', 'orders', 'ProposalPending', /0 of 2/);
  expect(waiting.status).toMatchObject({
    version: '1.1.0',
    lastChange: { bump: 'Major', breaking: true },
  });
  const proposal = waiting.status?.proposal?.name ?? '';
  await cluster.until('ContractProposal', proposal, 'ProposalPending', /billing, search/);
  // The old generation was ready; the current one is not, and is never reported as ready.
  expect((await waitFor('orders', 1)).code).toBe(1);
  await vi.waitFor(async () => {
    const { status } = await cluster.get('ContractRegistration', `${billingNamespace}/orders`);
    expect(status?.pendingProposals).toMatchObject([{ name: proposal }]);
  }, patience);

  accepted(
    await verbs.acknowledgeProposal(registry.ports, registry.admin, {
      proposalId: waiting.status?.proposal?.id ?? '',
      teamId: search.id,
      reason: 'They told us.',
      response: 'approved',
    }),
  );
  await cluster.until('DataContract', 'orders', 'ProposalPending', /1 of 2/);
  await cluster.until(
    'ContractProposal',
    proposal,
    'ProposalPending',
    /1 of 2.*waiting for billing/,
  );
  await cluster.put('ContractRegistration', `${billingNamespace}/orders`, {
    fqn,
    acknowledge: [{ proposal, response: 'Approved' }],
  });
  expect((await waitFor('orders', 20)).code).toBe(0);
  const published = await cluster.until('DataContract', 'orders', 'Published', /2\.0\.0/);
  expect(published.status).toMatchObject({ version: '2.0.0', consumers: 2 });
  expect(published.status?.proposal).toBeUndefined();
  await cluster.until('ContractProposal', proposal, 'Published', /2\.0\.0/);
  await vi.waitFor(async () => {
    const { status } = await cluster.get('ContractRegistration', `${billingNamespace}/orders`);
    expect(status).toMatchObject({ contractVersion: '2.0.0', pendingProposals: [] });
  }, patience);
  // Events are written in the background.
  await vi.waitFor(async () => {
    const described = await kubectlOk(cluster.address, ['describe', 'dcon', 'orders', '-n', shop]);
    for (const reason of ['Published', 'ProposalPending']) {
      expect(described).toMatch(new RegExp(`Normal\\s+${reason}[^\\n]+ concordat`));
    }
  }, patience);
});

test('every reason of Ready is reached, and tools make of each what they should', async () => {
  const reached = new Set<string>();
  const until = async (name: string, reason: string, message = /./) => {
    const found = await cluster.until('DataContract', name, reason, message);
    reached.add(reason);
    return found;
  };
  const put = (name: string, spec: object, more: object = {}) =>
    cluster.put(
      'DataContract',
      name,
      { fqn: `reasons.${name.replace(/^.*\//, '').replaceAll('-', '_')}`, ...spec },
      more,
    );
  const consumers = [{ team: 'search' }];

  await put('one', { schema: table('id', 'amount'), consumers });
  await until('one', 'Published');
  await put('one', { schema: table('id', 'amount'), consumers, description: 'Changed.' });
  await until('one', 'UpToDate');
  await put('one', { schema: table('id'), consumers });
  const { status } = await until('one', 'ProposalPending');
  const proposalId = status?.proposal?.id ?? '';
  const blocked = {
    proposalId,
    teamId: search.id,
    reason: 'They told us.',
    response: 'blocked',
    notes: 'No.',
  } as const;
  accepted(await verbs.acknowledgeProposal(registry.ports, registry.admin, blocked));
  await until('one', 'ProposalRejected');
  const withdrawal = { proposalId, reason: 'Then not.', override: true };
  accepted(await verbs.withdrawProposal(registry.ports, registry.admin, withdrawal));
  await until('one', 'ProposalWithdrawn');

  await put('two', { schema: table('id', 'amount'), consumers, deletionPolicy: 'Delete' });
  const two = await until('two', 'Published');
  accepted(
    await verbs.publishContract(registry.ports, registry.admin, {
      assetId: two.status?.assetId ?? '',
      schema: table('amount'),
      dryRun: false,
      supersede: false,
      override: true,
      reason: 'It has to be.',
    }),
  );
  await put('two', { schema: table('id'), consumers, deletionPolicy: 'Delete' });
  await until('two', 'ProposalConflict');
  await cluster.remove('DataContract', 'two');
  await until('two', 'DeletionBlocked', /1 registered consumer\b/);

  await put('three', { schema: { type: 'strnig' } });
  await until('three', 'InvalidSchema');
  await put('four', { schema: {}, ownerUser: 'nobody@example.org' });
  await until('four', 'InvalidSpec');
  await put('story-nobody/five', { schema: {} });
  await until('story-nobody/five', 'TeamNotFound', /No team has the slug nobody/);
  await put('story-none/five', { schema: {} });
  await until('story-none/five', 'TeamNotResolved', /acts for no team/);
  await put('six', { fqn: 'reasons.one', schema: {} });
  await until('six', 'FqnConflict', /story-shop\/one/);
  await put('seven', { schema: {}, team: 'billing' });
  await until('seven', 'NotPermitted');
  const schemaFrom = { configMapKeyRef: { name: 'nowhere', key: 'x' } };
  await put('eight', { schemaFrom });
  await until('eight', 'SourceNotFound');
  // An object of each kind that waits for another object says so.
  await cluster.put('ContractProposal', 'for-nobody', {
    contractRef: { name: 'nobody' },
    schema: {},
  });
  await cluster.until('ContractProposal', 'for-nobody', 'ContractNotFound');
  await cluster.put('ContractRegistration', 'early', { fqn: 'reasons.nowhere' });
  await cluster.until('ContractRegistration', 'early', 'AssetNotFound');
  reached.add('ContractNotFound').add('AssetNotFound');
  await put('nine', { schema: {}, suspend: true });
  await until('nine', 'Suspended');
  const asset = accepted(
    await verbs.createAsset(registry.ports, registry.admin, {
      fqn: 'reasons.ten',
      ownerTeamId: search.id,
      managedBy: { source: 'git', reference: 'shop/ten in git-1' },
    }),
  );
  await put('ten', { schema: {} });
  await until('ten', 'ManagedElsewhere', /managed by git/);
  expect((await registry.ports.reads.getAsset(asset.id))?.managedBy?.source).toBe('git');
  const readers = [`${billingNamespace}/reads`, `${billingNamespace}/renamed`] as const;
  const readerUntil = (name: string, reason: string) =>
    cluster.until('ContractRegistration', name, reason);
  await cluster.put('ContractRegistration', readers[0], { fqn: 'reasons.one' });
  const first = await readerUntil(readers[0], 'UpToDate');
  await cluster.put('ContractRegistration', readers[1], { fqn: 'reasons.one' });
  await readerUntil(readers[1], 'Conflict');
  reached.add('Conflict');
  // When the holder is deleted, the next object takes over without a gap.
  await cluster.remove('ContractRegistration', readers[0]);
  const next = await readerUntil(readers[1], 'UpToDate');
  expect(next.status?.registrationId).toBe(first.status?.registrationId);
  // RegistryUnavailable needs a database that can be cut off: see outage.test.ts. The other two are of
  // checks: see checks.test.ts.
  const elsewhere = ['RegistryUnavailable', 'CheckFailed', 'JobRefused'];
  const expected = readyReasons.filter((reason) => !elsewhere.includes(reason));
  expect([...reached].sort()).toEqual([...expected, 'Suspended'].sort());
});
