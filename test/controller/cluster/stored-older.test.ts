// Objects that the last release stored, in the registry's spelling, on a real API server: an
// upgrade of the kinds neither asks anybody nor publishes anything.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { objectPath } from '../../../src/controller/cluster/resources.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { configOf, kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { applyKinds } from '../../support/kubernetes/kubernetes-setup.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

const namespace = 'stored-shop';
const released = join(import.meta.dirname, '../../fixtures/released-crds');

let registry: TestRegistry;
let cluster: TestClusterController;
let admin: ApiClient;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  await registry.team('billing');
  await registry.team('reports');
  cluster = await openClusterController(registry, {
    namespaces: { [namespace]: 'checkout', 'stored-reports': 'reports' },
  });
  admin = new ApiClient(configOf(cluster.address));
});

afterAll(async () => {
  admin?.close();
  await cluster?.close();
  await registry?.stop();
});

async function applyReleasedKinds(): Promise<void> {
  for (const file of await readdir(released)) {
    const input = await readFile(join(released, file), 'utf8');
    const args = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
    await kubectlOk(cluster.address, args, { input });
  }
}

/** Writes like the last release, with the same manager. */
const patch = (kind: 'DataContract' | 'ContractProposal', name: string, body: object, sub = '') =>
  admin.expect({
    method: 'PATCH',
    path: `${objectPath(kind, namespace, name)}${sub}`,
    query: { fieldManager: 'concordat' },
    contentType: 'application/merge-patch+json',
    body,
  });

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const older = {
  fqn: 'words.stored',
  compatibilityMode: 'full',
  guaranteeMode: 'strict',
  schema: table('id', 'amount'),
  guarantees: {
    freshness: { max_staleness_minutes: 60, measured_by: 'at' },
    nullability: { id: 'never' },
    accepted_values: { state: ['a'] },
  },
  consumers: [{ team: 'billing' }],
};
/** The digest that the last release computed for that spec. */
const handledDigest = '30e6f43165c799159def6b37be659e97abd8820a1c8a4d8e440c906ce97db669';

const respelled = {
  fqn: older.fqn,
  compatibilityMode: 'Full',
  guaranteeMode: 'Strict',
  schema: table('id'),
  guarantees: {
    freshness: { maxStalenessMinutes: 60, measuredBy: 'at' },
    nullability: { id: 'Never' },
    acceptedValues: { state: ['a'] },
  },
  addConsumers: [{ team: 'billing' }],
};

const removed = (type: string) => ({ type, path: '$.properties.amount', description: 'Told.' });

const told = async () => {
  const rows = await registry.database.query(
    `select (select count(*)::int from contract) as contracts,
       (select count(*)::int from registration) as registrations,
       (select count(*)::int from proposal) as proposals`,
  );
  return rows[0];
};

test('what the last release stored is reconciled as it was left, and may be respelled', async () => {
  await cluster.put('DataContract', 'orders', older);
  const first = await cluster.until('DataContract', 'orders', 'Published', /1\.0\.0/);
  expect(first.status?.handledDigest).toBe(handledDigest);
  expect(first.status?.effective?.compatibilityMode).toBe('Full');
  await cluster.put('DataContract', 'orders', { ...older, schema: table('id') });
  // Its answer is about a proposal that is long gone.
  const acknowledge = [{ proposal: 'orders-1', response: 'Approved' }];
  const reads = { fqn: older.fqn, notes: 'Invoices.', acknowledge };
  await cluster.put('ContractRegistration', 'stored-reports/reads', reads);
  const read = await cluster.until('ContractRegistration', 'stored-reports/reads', 'UpToDate');
  const asked = await cluster.until('DataContract', 'orders', 'ProposalPending', /0 of 2/);
  const { id = '', name = '' } = asked.status?.proposal ?? {};
  const made = await cluster.get('ContractProposal', name);
  expect(made.spec).toMatchObject({
    compatibilityMode: 'Full',
    guarantees: { freshness: { maxStalenessMinutes: 60 }, nullability: { id: 'Never' } },
  });

  await cluster.stop();
  await applyReleasedKinds();
  await patch('DataContract', 'orders', { status: { proposal: { digest: null } } }, '/status');
  const old = {
    effective: { compatibilityMode: 'full' },
    lastChange: {
      bump: 'major',
      changes: [
        { type: 'volume_added', path: '$.guarantees.volume.min_rows', description: 'Told.' },
      ],
    },
    source: { kind: 'cluster' },
  };
  await patch('DataContract', 'orders', { status: old }, '/status');
  const { guarantees, compatibilityMode } = older;
  const renamed = { maxStalenessMinutes: null, measuredBy: null };
  await patch('ContractProposal', name, {
    spec: {
      compatibilityMode,
      guarantees: {
        ...guarantees,
        freshness: { ...guarantees.freshness, ...renamed },
        acceptedValues: null,
      },
    },
  });
  const { status } = await cluster.get('ContractProposal', name);
  await admin.expect({
    method: 'PATCH',
    path: `${objectPath('ContractProposal', namespace, name)}/status`,
    query: { fieldManager: 'concordat', force: true },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: 'concordat.dev/v1',
      kind: 'ContractProposal',
      metadata: { name, namespace },
      status: { ...status, progress: '0/2', breakingChanges: [removed('property_removed')] },
    },
  });
  const before = await told();

  await applyKinds(cluster.address);
  await cluster.start();
  await vi.waitFor(async () => {
    const { status } = await cluster.get('DataContract', 'orders');
    expect(status?.effective?.compatibilityMode).toBe('Full');
    expect(status?.lastChange).toMatchObject({
      bump: 'Major',
      changes: [{ type: 'VolumeAdded', path: '$.guarantees.volume.minRows', description: 'Told.' }],
    });
    expect(status?.proposal).toMatchObject({ id, name, acknowledged: 0, total: 2 });
    const kept = await cluster.get('ContractProposal', name);
    expect(kept.spec).toMatchObject({ compatibilityMode: 'full' });
    expect(kept.status).not.toHaveProperty('progress');
    expect(kept.status?.breakingChanges?.[0]).toMatchObject({
      type: 'PropertyRemoved',
      path: '$.properties.amount',
    });
    const now = await cluster.get('ContractRegistration', 'stored-reports/reads');
    expect(now.status?.registrationId).toBe(read.status?.registrationId);
    expect(now.spec).toMatchObject(reads);
  }, patience);

  const { notes: purpose, ...rest } = reads;
  await cluster.put('ContractRegistration', 'stored-reports/reads', { ...rest, purpose });
  await cluster.until('ContractRegistration', 'stored-reports/reads', 'UpToDate');
  const registered = await registry.ports.reads.getRegistration(read.status?.registrationId ?? '');
  expect(registered?.notes).toBe(purpose);
  await cluster.put('DataContract', 'orders', respelled);
  const after = await cluster.until('DataContract', 'orders', 'ProposalPending', /0 of 2/);
  expect(after.status?.proposal?.id).toBe(id);
  expect(await told()).toEqual(before);

  for (const { id: teamId } of await registry.ports.reads.listTeamsBySlug(['billing', 'reports'])) {
    const answer = { teamId, reason: 'They told us.', response: 'approved' } as const;
    const said = { proposalId: id, ...answer };
    accepted(await verbs.acknowledgeProposal(registry.ports, registry.admin, said));
  }
  await cluster.until('DataContract', 'orders', 'Published', /2\.0\.0/);
});
