// A producer's decisions in git, and the sources of its objects, on a real API server.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/controller/clock.ts';
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
let cluster: TestClusterController;
let billing: Team;
let count = 0;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  billing = await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: { 'decided-shop': 'checkout', 'decided-billing': 'billing' },
    // Disables long delays, so that nothing passes only because of a later resync.
    clock: {
      ...systemClock,
      after: (delayMs, call) => (delayMs < 30_000 ? systemClock.after(delayMs, call) : () => {}),
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

/** A contract that breaks billing, with publishPolicy Manual by default. */
async function broken(publishPolicy: 'Manual' | 'Automatic' = 'Manual') {
  const name = `d${++count}`;
  const fqn = `decided.${name}`;
  const put = (schema: object, more: object = {}) =>
    cluster.put('DataContract', name, {
      fqn,
      schema,
      publishPolicy,
      addConsumers: [{ team: 'billing' }],
      ...more,
    });
  await put(table('id', 'amount'));
  await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
  await put(table('id'));
  const { status } = await cluster.until('DataContract', name, 'ProposalPending', /0 of 1/);
  const { id = '', digest = '' } = status?.proposal ?? {};
  const agree = async (response: 'approved' | 'blocked' = 'approved') =>
    accepted(
      await verbs.acknowledgeProposal(registry.ports, registry.admin, {
        proposalId: id,
        teamId: billing.id,
        reason: 'They told us.',
        response,
        ...(response === 'blocked' && { notes: 'Not yet.' }),
      }),
    );
  return { name, fqn, put, id, digest, agree };
}

test('Publish in a DataContract holds for the digest that it names, once everybody has agreed', async () => {
  const { name, put, digest, agree } = await broken();
  await agree();
  await cluster.until('DataContract', name, 'ProposalPending', new RegExp(`digest ${digest}`));
  const decisions = [{ digest: '0'.repeat(32), decision: 'Publish' }];
  await put(table('id'), { decisions });
  const other = `waits for a decision.*about other changes.*0{32}.*status\\.proposal\\.digest is ${digest}`;
  await cluster.until('DataContract', name, 'ProposalPending', new RegExp(other));
  await put(table('id'), { decisions: [...decisions, { digest, decision: 'Publish' }] });
  await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
});

test('Publish may be in git before anybody has agreed, and overrides nobody', async () => {
  const { name, put, digest, agree } = await broken();
  await put(table('id'), { decisions: [{ digest, decision: 'Publish' }] });
  await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
  await agree();
  await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
});

test('Approve in a DataContract approves, and Publish then publishes', async () => {
  const { name, put, id, digest, agree } = await broken();
  await put(table('id'), { decisions: [{ digest, decision: 'Approve' }] });
  await agree();
  await cluster.until('DataContract', name, 'ProposalPending', /is approved/);
  expect((await registry.ports.reads.getProposal(id))?.status).toBe('approved');
  await put(table('id'), { decisions: [{ digest, decision: 'Publish' }] });
  await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
});

test.each(['pending', 'blocked'])('Withdraw in a DataContract ends what is %s', async (state) => {
  const { name, put, digest, agree } = await broken('Automatic');
  if (state === 'blocked') await agree('blocked');
  const reason = 'We keep the column.';
  await put(table('id'), { decisions: [{ digest, decision: 'Withdraw', reason }] });
  await cluster.until('DataContract', name, 'ProposalWithdrawn', /We keep the column/);
});

test('a decision in a ContractProposal that names another digest is not carried out', async () => {
  const { name, id, agree } = await broken();
  const { status } = await cluster.get('DataContract', name);
  const made = status?.proposal?.name ?? '';
  const decide = (decisionDigest: string) =>
    cluster.put('ContractProposal', made, { decision: 'Publish', decisionDigest });
  await decide('0'.repeat(32));
  await agree();
  await cluster.until('ContractProposal', made, 'ProposalPending', /read it, then decide anew/);
  expect((await registry.ports.reads.getProposal(id))?.status).toBe('pending');
  await decide(status?.proposal?.digest ?? '');
  await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
});

test('what became of a proposal is told without its DataContract, and what else it asks waits for that', async () => {
  const name = `d${++count}`;
  const plan = `${name}-plan`;
  const addConsumers = [{ team: 'billing' }];
  const put = (...columns: string[]) =>
    cluster.put('DataContract', name, {
      fqn: `decided.${name}`,
      schema: table(...columns),
      addConsumers,
    });
  const propose = (columns: readonly string[], more: object = {}) =>
    cluster.put('ContractProposal', plan, {
      contractRef: { name },
      schema: table(...columns),
      ...more,
    });
  await put('id', 'amount');
  await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
  await propose(['id']);
  const { status } = await cluster.until('ContractProposal', plan, 'ProposalPending', /billing/);
  const answer = { teamId: billing.id, reason: 'They told us.', response: 'approved' as const };
  const proposalId = status?.proposalId ?? '';
  accepted(
    await verbs.acknowledgeProposal(registry.ports, registry.admin, { proposalId, ...answer }),
  );
  await propose(['id'], { decision: 'Publish' });
  await put('id');
  await cluster.until('ContractProposal', plan, 'Published', /2\.0\.0/);
  await cluster.remove('DataContract', name);
  await cluster.untilGone('DataContract', name);
  await propose(['id'], { decision: 'Publish', decisionReason: 'As agreed.' });
  await cluster.until('ContractProposal', plan, 'Published', /2\.0\.0/);
  await propose(['amount']);
  await cluster.until('ContractProposal', plan, 'ContractNotFound', /continues once it exists/);
});

test('a change is asked anew, once, when the ContractProposal that asked it is deleted', async () => {
  const name = `d${++count}`;
  const fqn = `decided.${name}`;
  const plan = `${name}-plan`;
  const put = (...columns: string[]) =>
    cluster.put('DataContract', name, {
      fqn,
      schema: table(...columns),
      addConsumers: [{ team: 'billing' }],
    });
  await put('id', 'amount');
  await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
  await cluster.put('ContractProposal', plan, { contractRef: { name }, schema: table('id') });
  const asked = await cluster.until('ContractProposal', plan, 'ProposalPending', /billing/);
  await put('id');
  await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
  const before = (await cluster.get('DataContract', name)).status?.proposal?.id;
  expect(before).toBe(asked.status?.proposalId);
  await cluster.remove('ContractProposal', plan);
  const { status } = await vi.waitFor(async () => {
    const found = await cluster.until(
      'DataContract',
      name,
      'ProposalPending',
      /waiting for billing/,
    );
    expect(found.status?.proposal?.id).not.toBe(before);
    return found;
  }, patience);
  const own = status?.proposal?.id ?? '';
  // A withdrawal of what it asks itself is final.
  accepted(
    await verbs.withdrawProposal(registry.ports, registry.admin, {
      proposalId: own,
      override: true,
      reason: `ContractProposal decided-shop/${plan} was deleted`,
    }),
  );
  await cluster.until('DataContract', name, 'ProposalWithdrawn', new RegExp(own));
  const assetId = status?.assetId ?? '';
  const page = { page: 1, pageSize: 10, includeTotal: false };
  const listed = accepted(await registry.ports.reads.listProposals({ assetId, ...page }));
  expect(listed.results.map(({ status }) => status)).toEqual(['withdrawn', 'withdrawn']);
});

test('a decision on no proposal is told beside Ready, until somebody removes it', async () => {
  const { name, put, digest, agree } = await broken();
  const decided = { digest, decision: 'Publish' };
  const other = { digest: '0'.repeat(32), decision: 'Publish' };
  const told = async () => {
    const { status } = await cluster.get('DataContract', name);
    return status?.conditions?.find(({ type }) => type === 'UnknownDecision')?.message;
  };
  await put(table('id'), { decisions: [decided, other] });
  await agree();
  await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
  expect(await told()).toMatch(/no proposal of decided\.d\d+ has \(0{32}\).*remove the entry/);
  await put(table('id'), { decisions: [decided, other], suspend: true });
  await cluster.until('DataContract', name, 'Suspended');
  expect(await told()).toMatch(/0{32}/);
  await put(table('id'), { decisions: [decided] });
  await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
  expect(await told()).toBeUndefined();
});

test('a decision on an earlier round is one on a proposal, and is not told', async () => {
  const { name, put, id, digest, agree } = await broken();
  await put(table('id'), { decisions: [{ digest, decision: 'Publish' }] });
  await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
  accepted(await verbs.rebaseProposal(registry.ports, registry.admin, { proposalId: id }));
  const next = await vi.waitFor(async () => {
    const { status } = await cluster.get('DataContract', name);
    expect(status?.proposal?.digest).not.toBe(digest);
    return status?.proposal?.digest ?? '';
  }, patience);
  await agree();
  const decisions = [digest, next].map((each) => ({ digest: each, decision: 'Publish' }));
  await put(table('id'), { decisions });
  const { status } = await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
  expect(status?.conditions?.find(({ type }) => type === 'UnknownDecision')).toBeUndefined();
});

test('what is published automatically asks nobody to decide', async () => {
  const { name, agree } = await broken('Automatic');
  const { status } = await cluster.get('DataContract', name);
  const made = status?.proposal?.name ?? '';
  const waiting = await cluster.until('ContractProposal', made, 'ProposalPending');
  expect(waiting.status?.conditions?.[0]?.message).not.toMatch(/[Dd]ecide|decision/);
  await agree();
  await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
});

test('an answer that counts is an Event of its ContractRegistration, once', async () => {
  const { fqn, id, digest } = await broken();
  const reads = `decided-billing/reads-${count}`;
  const acknowledgements = [{ proposalRef: { id }, digest, response: 'Approved' }];
  await cluster.put('ContractRegistration', reads, { fqn, acknowledgements });
  await cluster.until('ContractRegistration', reads, 'UpToDate');
  await cluster.put('ContractRegistration', reads, { fqn, acknowledgements, purpose: 'Again.' });
  await cluster.until('ContractRegistration', reads, 'UpToDate');
  const events = async () => {
    const [namespace = '', name = ''] = reads.split('/');
    const where = `involvedObject.name=${name},reason=Acknowledged`;
    const args = ['get', 'events', '-n', namespace, `--field-selector=${where}`, '-o', 'json'];
    return JSON.parse(await kubectlOk(cluster.address, args)).items;
  };
  await vi.waitFor(async () => expect(await events()).toHaveLength(1), patience);
  const [event] = await events();
  expect([event.message, event.count ?? 1]).toEqual([`Answered Approved to proposal ${id}.`, 1]);
});

test('a deletion that consumers hold up says how it goes on, and goes on when they leave', async () => {
  const name = `d${++count}`;
  const fqn = `decided.${name}`;
  const addConsumers = [{ team: 'billing' }];
  await cluster.put('DataContract', name, {
    fqn,
    schema: table('id'),
    addConsumers,
    deletionPolicy: 'Delete',
  });
  const { status } = await cluster.until('DataContract', name, 'Published');
  await cluster.remove('DataContract', name);
  await cluster.until(
    'DataContract',
    name,
    'DeletionBlocked',
    /set spec\.deletionPolicy to Retain/,
  );
  const listed = accepted(
    await registry.ports.reads.listRegistrations({
      assetId: status?.assetId ?? '',
      page: 1,
      pageSize: 1,
      includeTotal: false,
    }),
  );
  const registrationId = listed.results[0]?.id ?? '';
  const command = { registrationId, reason: 'They asked us to.' };
  accepted(await verbs.deleteRegistration(registry.ports, registry.admin, command));
  await cluster.untilGone('DataContract', name);
});

test('a contract that cannot be read says what became of what it asked before', async () => {
  const { name, put, agree } = await broken('Automatic');
  await put({ type: 'strnig' });
  await cluster.until('DataContract', name, 'InvalidSchema');
  await agree();
  await vi.waitFor(async () => {
    const { status } = await cluster.get('DataContract', name);
    const said = [status?.conditions?.[0]?.reason, status?.version, status?.proposal];
    expect(said).toEqual(['InvalidSchema', '2.0.0', undefined]);
  }, patience);
});

test('a proposal whose namespace gets another environment says which asset it is about', async () => {
  const { name } = await broken();
  const { status } = await cluster.get('DataContract', name);
  const made = status?.proposal?.name ?? '';
  const label = (value: string) => {
    const args = ['namespace', 'decided-shop', `concordat.dev/environment${value}`];
    return kubectlOk(cluster.address, ['label', '--overwrite', ...args]);
  };
  await label('=staging');
  try {
    await cluster.until(
      'ContractProposal',
      made,
      'InvalidSpec',
      /is about decided\..* in production/,
    );
  } finally {
    await label('-');
  }
  await cluster.until('ContractProposal', made, 'ProposalPending', /waiting for billing/);
});

test('the environment comes from the namespace, and cannot be changed by its label', async () => {
  const name = `d${++count}`;
  const fqn = `decided.${name}`;
  const label = (value: string) =>
    kubectlOk(cluster.address, [
      'label',
      '--overwrite',
      'namespace',
      'decided-shop',
      `concordat.dev/environment${value}`,
    ]);
  await label('=staging');
  try {
    await vi.waitFor(async () => {
      await cluster.put('DataContract', name, { fqn, schema: table('id') });
      const { status } = await cluster.until('DataContract', name, 'Published');
      expect(status?.effective?.environment).toBe('staging');
    }, patience);
    expect(await registry.ports.reads.findAssetByName(fqn, 'production')).toBeNull();
    await cluster.put('DataContract', `${name}-explicit`, {
      fqn,
      schema: table('id'),
      environment: 'production',
    });
    await cluster.until('DataContract', `${name}-explicit`, 'Published');
    await label('=test');
    await cluster.until('DataContract', name, 'InvalidSpec', /manages .* in staging/);
  } finally {
    await label('-');
  }
});
