// A manifest that takes its change back while the consumers answer: at the same moment, and later.

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Team } from '../../../src/core/team.ts';
import type { Verbs } from '../../../src/registry/commands.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import {
  accepted,
  openTestController,
  openTestRegistry,
  patience,
  type TestController,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let controller: TestController;
let billing: Team;
let count = 0;
let fqn: string;
/** Actions of others between two steps of the controller. */
let beforeWithdrawal: () => Promise<void>;
let beforePublish: () => Promise<void>;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  billing = await registry.team('billing');
  const interrupted: Verbs = {
    ...verbs,
    publishContract: async (...asked) => {
      await beforePublish();
      return verbs.publishContract(...asked);
    },
    withdrawProposal: async (...asked) => {
      await beforeWithdrawal();
      return verbs.withdrawProposal(...asked);
    },
  };
  controller = await openTestController(registry, { shop: ['checkout'] }, { verbs: interrupted });
});

afterAll(async () => {
  await controller?.stop();
  await registry?.stop();
});

beforeEach(() => {
  fqn = `taken_back.table_${++count}`;
  beforeWithdrawal = async () => {};
  beforePublish = async () => {};
});

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const put = (schema: object) =>
  controller.put(`shop/c${count}.yaml`, { fqn, schema, consumers: [{ team: 'billing' }] });

const until = (reason: string, message?: RegExp) => controller.until(`c${count}`, reason, message);

const acknowledge = (proposalId: string, response: 'approved' | 'blocked') =>
  verbs.acknowledgeProposal(registry.ports, registry.admin, {
    proposalId,
    teamId: billing.id,
    reason: 'They told us.',
    response,
    notes: 'Because.',
  });

/** Publishes a contract, and leaves a breaking change waiting for billing. */
async function propose(): Promise<string> {
  await put(table('id', 'amount'));
  await until('Published', /1\.0\.0/);
  await put(table('id'));
  return (await until('ProposalPending')).proposal?.id ?? '';
}

async function activeSchema(): Promise<unknown> {
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  return (await registry.ports.reads.getContract(asset?.activeContractId ?? ''))?.schema;
}

test.each([
  ['back to the active version', table('id', 'amount')],
  ['on to a compatible one', { ...table('id', 'amount'), description: 'Said better.' }],
])('what is agreed to at the very moment the spec goes %s does not stay', async (_, schema) => {
  const proposalId = await propose();
  let answers = 0;
  beforeWithdrawal = async () => {
    if (answers++ === 0) accepted(await acknowledge(proposalId, 'approved'));
  };
  await put(schema);
  const status = await until('Published', /2\.[01]\.[01]/);
  expect(answers).toBeGreaterThan(0);
  expect(await activeSchema()).toEqual(schema);
  expect(status.conditions?.map(({ type }) => type)).toEqual(['Ready']);
});

test('what is agreed to just before the spec breaks more is the base of the new question', async () => {
  const proposalId = await propose();
  let answers = 0;
  beforePublish = async () => {
    if (answers++ === 0) accepted(await acknowledge(proposalId, 'approved'));
  };
  await put(table());
  await vi.waitFor(async () => {
    const { proposal } = await until('ProposalPending', /0 of 1/);
    expect(proposal?.id).not.toBe(proposalId);
  }, patience);
  const asked = await until('ProposalPending', /0 of 1/);
  expect(await activeSchema()).toEqual(table('id'));
  expect(asked.version).toBe('2.0.0');
  accepted(await acknowledge(asked.proposal?.id ?? '', 'approved'));
  await until('Published', /3\.0\.0/);
  expect(await activeSchema()).toEqual(table());
});

test.each([
  ['back to the active version', table('id', 'amount'), 'UpToDate'],
  ['on to a compatible one', table('id', 'amount', 'note'), 'Published'],
])('what was blocked cannot be agreed to once the spec went %s', async (_, schema, reason) => {
  const proposalId = await propose();
  accepted(await acknowledge(proposalId, 'blocked'));
  await until('ProposalRejected');
  await put(schema);
  await until(reason);
  const late = await acknowledge(proposalId, 'approved');
  expect(late).toMatchObject({ ok: false, failure: { code: 'PROPOSAL_NOT_PENDING' } });
  expect(await activeSchema()).toEqual(schema);
});

test('what a team blocked that has left says how it is proposed again', async () => {
  const proposalId = await propose();
  accepted(await acknowledge(proposalId, 'blocked'));
  await until('ProposalRejected', /billing: Because\..*they can change their answer/);
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  const facts = await registry.ports.reads.getAssetFacts(asset?.id ?? '');
  const [consumer] = facts?.consumers ?? [];
  accepted(
    await verbs.deleteRegistration(registry.ports, registry.admin, {
      registrationId: consumer?.registrationId ?? '',
      reason: 'They told us.',
    }),
  );
  await until('ProposalRejected', /no consumer any more\. Set the annotation/);
  expect(await activeSchema()).toEqual(table('id', 'amount'));
});

test('what was blocked cannot be agreed to once its DataContract is deleted', async () => {
  const proposalId = await propose();
  accepted(await acknowledge(proposalId, 'blocked'));
  await until('ProposalRejected');
  await controller.remove(`shop/c${count}.yaml`);
  await controller.untilGone(`c${count}`);
  const late = await acknowledge(proposalId, 'approved');
  expect(late).toMatchObject({ ok: false, failure: { code: 'PROPOSAL_NOT_PENDING' } });
  expect(await activeSchema()).toEqual(table('id', 'amount'));
});
