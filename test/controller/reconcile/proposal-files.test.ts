// ContractProposals in files: checked as by an API server, and proposed as in a cluster.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Team } from '../../../src/core/team.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import {
  accepted,
  openTestController,
  openTestRegistry,
  type TestController,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let controller: TestController;
let billing: Team;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  billing = await registry.team('billing');
  controller = await openTestController(registry, { shop: ['checkout'] });
});

afterAll(async () => {
  await controller?.stop();
  await registry?.stop();
});

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const consumers = [{ team: 'billing' }];

const publish = async (name: string, ...columns: string[]) => {
  const spec = { fqn: `files.${name}`, schema: table(...columns), consumers };
  await controller.put(`shop/${name}.yaml`, spec);
  return controller.until(name, 'Published');
};

const propose = (name: string, spec: object) =>
  controller.write(
    `shop/${name}-proposal.yaml`,
    stringify({
      apiVersion: 'concordat.dev/v1',
      kind: 'ContractProposal',
      metadata: { name, namespace: 'shop' },
      spec,
    }),
  );

const untilAsked = (name: string, reason: string, message?: RegExp) =>
  controller.until(`ContractProposal/shop/${name}`, reason, message);

test('what a file proposes is asked, and the DataContract that follows is published at once', async () => {
  await publish('agreed', 'id', 'amount');
  const schema = table('id');
  await propose('agreed', { contractRef: { name: 'agreed' }, schema, decision: 'Approve' });
  const asked = await untilAsked('agreed', 'ProposalPending', /0 of 1/);
  expect(asked).toMatchObject({ phase: 'Pending', total: 1 });
  const { proposalId = '' } = asked as { proposalId?: string };
  const answer = {
    proposalId,
    teamId: billing.id,
    reason: 'They told us.',
    response: 'approved',
  } as const;
  accepted(await verbs.acknowledgeProposal(registry.ports, registry.admin, answer));
  await untilAsked('agreed', 'ProposalPending', /Approved/);
  await controller.put('shop/agreed.yaml', { fqn: 'files.agreed', schema, consumers });
  expect(await controller.until('agreed', 'Published', /2\.0\.0/)).toMatchObject({
    version: '2.0.0',
  });
  await untilAsked('agreed', 'Published');
});

describe('A ContractProposal in a file', () => {
  test.each([
    ['nothing', { contractRef: { name: 'a' } }, /nothing is proposed/],
    ['both', { contractRef: { name: 'a' }, fqn: 'a.b', schema: {} }, /exactly one of contractRef/],
    ['reasonless', { fqn: 'a.b', schema: {}, decision: 'Withdraw' }, /decisionReason is needed/],
    ['unknown', { fqn: 'a.b', schema: {}, decided: 'Publish' }, /unknown field/],
    ['number', { fqn: 7, schema: {} }, /spec\.fqn: must be a string/],
  ])('that says %s is refused with what to change', async (name, spec, message) => {
    await propose(name, spec);
    await untilAsked(name, 'InvalidSpec', message);
  });

  test('forces nothing', async () => {
    await publish('forced', 'id', 'amount');
    const decided = { decision: 'Force', decisionReason: 'We cannot wait.' };
    await propose('forced', { contractRef: { name: 'forced' }, schema: table('id'), ...decided });
    await untilAsked('forced', 'NotPermitted', /Forcing from a resource is disabled/);
    const asset = await registry.ports.reads.findAssetByName('files.forced', 'production');
    expect(asset?.activeContractVersion).toBe('1.0.0');
  });

  test('asks about one asset for as long as it is there', async () => {
    await publish('first', 'id', 'amount');
    await publish('second', 'id', 'amount');
    await propose('moved', { contractRef: { name: 'first' }, schema: table('id') });
    const asked = await untilAsked('moved', 'ProposalPending');
    await propose('moved', { contractRef: { name: 'second' }, schema: table('id') });
    await untilAsked('moved', 'InvalidSpec', /immutable.*is about files\.first in production/);
    await propose('moved', { contractRef: { name: 'first' }, schema: table('id') });
    expect(await untilAsked('moved', 'ProposalPending')).toMatchObject({
      proposalId: (asked as { proposalId?: string }).proposalId,
    });
  });
});

test('a DataContract in a file keeps its name, and what it manages under it', async () => {
  const { assetId } = await publish('renamed', 'id');
  await controller.put('shop/renamed.yaml', { fqn: 'files.other', schema: table('id'), consumers });
  await controller.until(
    'renamed',
    'InvalidSpec',
    /immutable.*manages files\.renamed in production/,
  );
  expect(await registry.ports.reads.findAssetByName('files.other', 'production')).toBeNull();
  await controller.put('shop/renamed.yaml', {
    fqn: 'files.renamed',
    schema: table('id'),
    consumers,
  });
  expect(await controller.until('renamed', 'UpToDate')).toMatchObject({ assetId });
});
