// Answers that a ContractRegistration keeps in git, on a real API server.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ContractRegistration } from '../../../src/controller/crd/resources.ts';
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
    namespaces: { 'answers-shop': 'checkout', 'answers-billing': 'billing' },
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

const noDigest = '0'.repeat(32);

/** A DataContract that waits for nobody, and a ContractRegistration of billing for it. */
async function consumed() {
  const name = `a${++count}`;
  const fqn = `answers.${name}`;
  const reads = `answers-billing/${name}`;
  const put = (...columns: string[]) =>
    cluster.put('DataContract', name, { fqn, schema: table(...columns) });
  const register = (acknowledgements: readonly object[] = [], more: object = {}) =>
    cluster.put('ContractRegistration', reads, { fqn, acknowledgements, ...more });
  const propose = (...columns: string[]) =>
    cluster.put('ContractProposal', `${name}-first`, { fqn, schema: table(...columns) });
  await put('id', 'amount', 'note');
  await cluster.until('DataContract', name, 'Published', /1\.0\.0/);
  await register();
  await cluster.until('ContractRegistration', reads, 'UpToDate');
  return { name, fqn, reads, put, register, propose };
}

const statesOf = ({ status }: ContractRegistration) =>
  status?.acknowledgements?.map(({ proposalRef, state }) => [
    proposalRef.name ?? proposalRef.id,
    state,
  ]);

/** Waits until the status, for the current spec, has these answers. */
const untilStates = (reads: string, states: readonly (readonly [string, string])[]) =>
  vi.waitFor(async () => {
    const found = await cluster.get('ContractRegistration', reads);
    expect(found.status?.observedGeneration).toBe(found.metadata.generation);
    expect(statesOf(found)).toEqual(states);
    return found;
  }, patience);

async function askedOf(name: string) {
  const { status } = await cluster.until('ContractProposal', name, 'ProposalPending');
  return { id: status?.proposalId ?? '', digest: status?.digest ?? '' };
}

const proposalOf = async (id: string) => registry.ports.reads.getProposal(id);

const answersTo = async (id: string) => {
  const answered = await proposalOf(id);
  const answers = await registry.ports.reads.listAnswers(answered?.assetId ?? '', billing.id);
  return answers.filter(({ proposal }) => proposal.id === id).map(({ response }) => response);
};

const answerElsewhere = async (proposalId: string, response: 'approved' | 'blocked') =>
  accepted(
    await verbs.acknowledgeProposal(registry.ports, registry.admin, {
      proposalId,
      teamId: billing.id,
      reason: 'They told us so.',
      notes: 'By telephone.',
      response,
    }),
  );

describe('An answer in git', () => {
  test('holds for the digest that it names, and says whether it counts', async () => {
    const { name, reads, put, register } = await consumed();
    await put('id', 'amount');
    const contract = await cluster.until('DataContract', name, 'ProposalPending');
    const made = contract.status?.proposal?.name ?? '';
    const { id, digest } = await askedOf(made);
    const waits = new RegExp(`Proposal ${id} waits for the answer of billing`);
    await cluster.until('ContractRegistration', reads, 'UpToDate', waits);
    expect(digest).toMatch(/^[0-9a-f]{32}$/);
    const proposalRef = { name: made };
    const another = { name: 'no-such' };
    await register([
      { proposalRef, digest: noDigest, response: 'Approved' },
      { proposalRef: another, digest: noDigest, response: 'Approved' },
    ]);
    const { status } = await untilStates(reads, [
      [made, 'Stale'],
      ['no-such', 'NotFound'],
    ]);
    expect(status?.acknowledgements).toEqual([
      {
        proposalRef,
        digest: noDigest,
        state: 'Stale',
        message: expect.stringContaining(`the proposal has the digest ${digest}`),
      },
      { proposalRef: another, digest: noDigest, state: 'NotFound' },
    ]);
    const waitsForOne = /no-such: answers\.a\d+ has no proposal of this name.*pendingProposals/;
    await cluster.until('ContractRegistration', reads, 'UpToDate', waitsForOne);
    expect(await answersTo(id)).toEqual([]);
    await register([{ proposalRef, digest, response: 'Migrating', reason: 'In May.' }]);
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
    await untilStates(reads, [[made, 'Applied']]);
    expect((await proposalOf(id))?.consumers).toMatchObject([
      { response: 'migrating', notes: 'In May.' },
    ]);
    await vi.waitFor(
      async () =>
        expect((await cluster.get('ContractProposal', made)).status?.consumers).toMatchObject([
          { response: 'Migrating', reason: 'In May.' },
        ]),
      patience,
    );
  });

  test('is taken back by name after a block', async () => {
    const { name, reads, put, register } = await consumed();
    await put('id', 'amount');
    const contract = await cluster.until('DataContract', name, 'ProposalPending');
    const made = contract.status?.proposal?.name ?? '';
    const { id, digest } = await askedOf(made);
    const answer = { proposalRef: { name: made }, digest };
    const blocked = { ...answer, response: 'Blocked', reason: 'We read it.' };
    await register([blocked]);
    await cluster.until('DataContract', name, 'ProposalRejected', /We read it/);
    await untilStates(reads, [[made, 'Applied']]);
    await register([{ ...answer, response: 'Approved' }]);
    await cluster.until('DataContract', name, 'Published', /2\.0\.0/);
    expect(await answersTo(id)).toEqual(['approved', 'blocked']);
  });

  test('may be blocked, approved and blocked again: each change of an entry counts', async () => {
    const { name, register, propose } = await consumed();
    await propose('id');
    const { id, digest } = await askedOf(`${name}-first`);
    const answer = { proposalRef: { id }, digest };
    const blocked = { ...answer, response: 'Blocked', reason: 'We read it.' };
    const statusIs = (status: string) =>
      vi.waitFor(async () => expect((await proposalOf(id))?.status).toBe(status), patience);
    await register([blocked]);
    await statusIs('rejected');
    await register([{ ...answer, response: 'Approved' }]);
    await statusIs('pending');
    await register([blocked]);
    await statusIs('rejected');
    // If two entries answer one proposal, the last one counts.
    await register([blocked, { ...answer, response: 'Approved' }]);
    await statusIs('pending');
    await untilStates(`answers-billing/${name}`, [
      [id, 'Stale'],
      [id, 'Applied'],
    ]);
    expect(await answersTo(id)).toEqual(['approved', 'blocked', 'approved', 'blocked']);
  });

  test('to a proposal that comes later counts when it comes, and for one proposal only', async () => {
    const { name, reads, register, propose } = await consumed();
    const first = `${name}-first`;
    const remove = async () => {
      await cluster.remove('ContractProposal', first);
      await cluster.untilGone('ContractProposal', first);
    };
    await propose('id');
    const { id: unanswered, digest } = await askedOf(first);
    await remove();
    await register([{ proposalRef: { name: first }, digest, response: 'Approved' }]);
    await untilStates(reads, [[first, 'NotFound']]);
    await propose('id');
    const again = await askedOf(first);
    expect(again).toEqual({ id: expect.not.stringContaining(unanswered), digest });
    await untilStates(reads, [[first, 'Applied']]);
    expect(await answersTo(again.id)).toEqual(['approved']);
    // The team changed its answer elsewhere: the old answer is not given to the next proposal.
    await answerElsewhere(again.id, 'blocked');
    await remove();
    await propose('id');
    const third = await askedOf(first);
    const { status } = await untilStates(reads, [[first, 'Stale']]);
    expect(status?.acknowledgements?.[0]?.message).toContain(`answer with the id ${third.id}`);
    expect(await answersTo(third.id)).toEqual([]);
    await register([{ proposalRef: { id: third.id }, digest, response: 'Approved' }]);
    await untilStates(reads, [[third.id, 'Applied']]);
    expect(await answersTo(third.id)).toEqual(['approved']);
  });

  test('counts for the contract that it was written about, and not for a wider one', async () => {
    const { name, fqn, reads, register } = await consumed();
    const first = `${name}-first`;
    const listing = (...values: string[]) => ({
      type: 'object',
      properties: { ...table('id', 'amount', 'note').properties, state: { enum: values } },
    });
    const publish = (...values: string[]) =>
      cluster.put('DataContract', name, { fqn, schema: listing(...values) });
    const propose = () => cluster.put('ContractProposal', first, { fqn, schema: listing('open') });
    await publish('open', 'closed');
    await cluster.until('DataContract', name, 'Published', /1\.1\.0/);
    await propose();
    const { digest } = await askedOf(first);
    await cluster.remove('ContractProposal', first);
    await cluster.untilGone('ContractProposal', first);
    await publish('open', 'closed', 'paid', 'sent');
    await cluster.until('DataContract', name, 'Published', /1\.2\.0/);
    await register([{ proposalRef: { name: first }, digest, response: 'Approved' }]);
    await propose();
    const again = await askedOf(first);
    await untilStates(reads, [[first, 'Stale']]);
    expect(await answersTo(again.id)).toEqual([]);
  });

  test('is given although the status of another team names the registration', async () => {
    const { name, reads, put, register } = await consumed();
    const { status } = await cluster.get('ContractRegistration', reads);
    const { registrationId } = status ?? {};
    const forged = `answers-shop/${name}`;
    await cluster.put('ContractRegistration', forged, { fqn: 'no.such', suspend: true });
    await cluster.until('ContractRegistration', forged, 'Suspended');
    const patch = ['patch', 'contractregistration', name, '-n', 'answers-shop', '--type=merge'];
    const body = JSON.stringify({ status: { registrationId } });
    await kubectlOk(cluster.address, [...patch, '--subresource=status', '-p', body]);
    await put('id', 'amount');
    const contract = await cluster.until('DataContract', name, 'ProposalPending');
    const made = contract.status?.proposal?.name ?? '';
    const { id, digest } = await askedOf(made);
    await cluster.stop();
    // The object was renamed in git: only the registry still knows its registration.
    const finalizers = ['patch', 'contractregistration', name, '-n', 'answers-billing'];
    const none = JSON.stringify({ metadata: { finalizers: [] } });
    await kubectlOk(cluster.address, [...finalizers, '--type=merge', '-p', none]);
    await cluster.remove('ContractRegistration', reads);
    await register([
      { proposalRef: { name: made }, digest, response: 'Blocked', reason: 'We read it.' },
    ]);
    await cluster.start();
    await untilStates(reads, [[made, 'Applied']]);
    expect((await proposalOf(id))?.status).toBe('rejected');
  });

  test('is not given again by an object that was restored without its status', async () => {
    const { name, reads, register, propose } = await consumed();
    const first = `${name}-first`;
    await propose('id');
    const { id, digest } = await askedOf(first);
    const answers = [{ proposalRef: { name: first }, digest, response: 'Approved' }];
    await register(answers);
    await untilStates(reads, [[first, 'Applied']]);
    await answerElsewhere(id, 'blocked');
    await cluster.remove('ContractRegistration', reads);
    await cluster.untilGone('ContractRegistration', reads);
    await register(answers);
    await untilStates(reads, [[first, 'Applied']]);
    await register(answers, { purpose: 'Edited.' });
    await untilStates(reads, [[first, 'Applied']]);
    expect((await proposalOf(id))?.status).toBe('rejected');
    expect(await answersTo(id)).toEqual(['blocked', 'approved']);
  });
});

test('a ContractProposal that the controller made and somebody edited says that it shows something else', async () => {
  const { name, put } = await consumed();
  await put('id', 'amount');
  const contract = await cluster.until('DataContract', name, 'ProposalPending');
  const made = contract.status?.proposal?.name ?? '';
  const patch = JSON.stringify({ spec: { schema: { type: 'string' } } });
  await kubectlOk(cluster.address, [
    ...['patch', 'contractproposal', made, '-n', 'answers-shop'],
    ...['--type', 'merge', '-p', patch],
  ]);
  await cluster.until('ContractProposal', made, 'InvalidSpec', /spec\.schema was changed/);
});
