// Suspended objects on a real API server: what waits for them continues, and nothing else does.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Team } from '../../../src/core/team.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let billing: Team;
let cluster: TestClusterController;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  billing = await registry.team('billing');
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
  const why = /it has no condition Ready/;
  const { status } = await cluster.until('ContractRegistration', reads, 'Suspended', why);
  expect(typesOf(status?.conditions)).toEqual(['Suspended True']);
  expect(status?.registrationId).toBeUndefined();
  await cluster.put('ContractRegistration', reads, { fqn, suspend: false });
  await cluster.until('ContractRegistration', reads, 'UpToDate');
});

test('a contract that is suspended while consumers answer says at once what became of it', async () => {
  const spec = { fqn: 'suspended.answered', addConsumers: [{ team: 'billing' }] };
  const put = (column: string, suspend: boolean) =>
    cluster.put('DataContract', 'answered', {
      ...spec,
      schema: { properties: { [column]: { type: 'string' } } },
      suspend,
    });
  const answer = async (response: 'blocked' | 'approved') => {
    const { status } = await cluster.get('DataContract', 'answered');
    const proposalId = status?.proposal?.id ?? '';
    const said = {
      proposalId,
      teamId: billing.id,
      response,
      reason: 'They told us.',
      notes: 'Not yet.',
    };
    accepted(await verbs.acknowledgeProposal(registry.ports, registry.admin, said));
  };
  const untilSaid = (reason: string, message: RegExp) =>
    vi.waitFor(async () => {
      const { status } = await cluster.get('DataContract', 'answered');
      expect(typesOf(status?.conditions)).toContain('Suspended True');
      expect(status?.conditions?.[0]).toMatchObject({
        reason,
        message: expect.stringMatching(message),
      });
      return status;
    }, patience);
  await put('id', false);
  await cluster.until('DataContract', 'answered', 'Published');
  await put('key', false);
  const asked = await cluster.until('DataContract', 'answered', 'ProposalPending');
  await put('key', true);
  await cluster.until('DataContract', 'answered', 'Suspended');
  await answer('blocked');
  const blocked = await untilSaid('ProposalRejected', /Billing|billing/);
  expect(blocked?.proposal?.name).toBe(asked.status?.proposal?.name);
  await answer('approved');
  const after = await untilSaid('Published', /2\.0\.0/);
  expect([typesOf(after?.conditions), after?.version, after?.proposal]).toEqual([
    ['Ready True', 'Suspended True'],
    '2.0.0',
    undefined,
  ]);
  await put('key', false);
  const { status } = await cluster.until('DataContract', 'answered', 'Published');
  expect([typesOf(status?.conditions), status?.version]).toEqual([['Ready True'], '2.0.0']);
});
