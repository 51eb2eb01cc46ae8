// The registry's database is restored to a moment before what the objects of a cluster say: nothing
// in a status is believed that the registry does not have.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { verbs } from '../../../src/registry/verbs.ts';
import { copyDatabase, restoreDatabase } from '../../support/postgres/postgres.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import {
  accepted,
  openTestRegistry,
  patience,
  type TestRegistry,
} from '../support/open-controller.ts';

let before: TestRegistry;
let after: TestRegistry;
/** The registry that the controller uses. */
let registry: TestRegistry;
let cluster: TestClusterController;

beforeAll(async () => {
  before = await openTestRegistry();
  await before.team('checkout');
  await before.team('billing');
  registry = { ...before };
  cluster = await openClusterController(registry, {
    namespaces: { 'old-shop': 'checkout', 'old-billing': 'billing' },
  });
});

afterAll(async () => {
  await cluster?.close();
  await Promise.all([before?.stop(), after?.stop()]);
});

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const put = (name: string, ...columns: string[]) =>
  cluster.put('DataContract', name, { fqn: `old.${name}`, schema: table(...columns) });

const register = (name: string, more: object = {}) =>
  cluster.put('ContractRegistration', `old-billing/${name}`, { fqn: `old.${name}`, ...more });

const activeOf = async (name: string) => {
  const { reads } = registry.ports;
  const asset = await reads.findAssetByName(`old.${name}`, 'production');
  const contract = await reads.getContract(asset?.activeContractId ?? '');
  const { properties } = (contract?.schema ?? {}) as { readonly properties?: object };
  return [
    contract?.version,
    Object.keys(properties ?? {})
      .sort()
      .join(),
  ];
};

const lateTeams = () => registry.ports.reads.listTeamsBySlug(['late-team']);

test('every object is reconciled with what an older database has', async () => {
  for (const name of ['first', 'version', 'question']) {
    await put(name, 'id', 'amount');
    await cluster.until('DataContract', name, 'Published');
    await register(name);
    await cluster.until('ContractRegistration', `old-billing/${name}`, 'UpToDate');
  }
  await put('registered', 'id', 'amount');
  await cluster.until('DataContract', 'registered', 'Published');
  await put('reader', 'id', 'amount');
  await cluster.until('DataContract', 'reader', 'Published');
  await register('reader', { needs: { fields: ['$.id'] } });
  await cluster.until('ContractRegistration', 'old-billing/reader', 'UpToDate');
  await put('states', 'id', 'amount');
  await cluster.until('DataContract', 'states', 'Published');
  await register('states');
  await cluster.until('ContractRegistration', 'old-billing/states', 'UpToDate');
  await put('narrowed', 'id', 'amount');
  await cluster.until('DataContract', 'narrowed', 'Published');
  await register('narrowed');
  const { status } = await cluster.until(
    'ContractRegistration',
    'old-billing/narrowed',
    'UpToDate',
  );
  const narrower = { needs: { fields: ['$.id'] }, reason: 'They asked us to.' };
  const command = { registrationId: status?.registrationId ?? '', ...narrower };
  accepted(await verbs.updateRegistration(before.ports, before.admin, command));
  await cluster.stop();
  const copy = await copyDatabase(before.database);
  await vi.waitFor(() => cluster.start(), patience);

  await put('version', 'id', 'amount', 'note');
  await cluster.until('DataContract', 'version', 'Published', /1\.1\.0/);
  await put('question', 'id');
  await cluster.until('DataContract', 'question', 'ProposalPending', /waiting for billing/);
  const metadata = { name: 'late-team' };
  await cluster.apply({ apiVersion: 'concordat.dev/v1', kind: 'Team', metadata, spec: {} });
  await vi.waitFor(async () => expect(await lateTeams()).toHaveLength(1), patience);
  const plan = { fqn: 'old.first', schema: table('id') };
  await cluster.put('ContractProposal', 'plan', plan);
  await cluster.until('ContractProposal', 'plan', 'ProposalPending', /waiting for billing/);
  await put('late', 'id', 'amount');
  await cluster.until('DataContract', 'late', 'Published');
  await register('late', { needs: { fields: ['$.id'] } });
  await cluster.until('ContractRegistration', 'old-billing/late', 'UpToDate');
  await register('registered');
  await cluster.until('ContractRegistration', 'old-billing/registered', 'UpToDate');
  await register('reader');
  await cluster.until('ContractRegistration', 'old-billing/reader', 'UpToDate', /Registered/);
  await register('narrowed', { needs: { fields: ['$.id', '$.amount'] } });
  await cluster.until('ContractRegistration', 'old-billing/narrowed', 'UpToDate', /Registered/);
  await register('states', { needs: { fields: ['$.id'] } });
  await cluster.until('ContractRegistration', 'old-billing/states', 'UpToDate', /Registered/);

  await cluster.stop();
  // The first thing that the controller sees are breaks of what the older database knows no reader of.
  for (const name of ['registered', 'reader', 'narrowed']) await put(name, 'id');
  after = await openTestRegistry(undefined, undefined, copy);
  Object.assign(registry, after);
  await cluster.start();
  await vi.waitFor(async () => {
    expect(await lateTeams()).toHaveLength(1);
    expect(await activeOf('version')).toEqual(['1.1.0', 'amount,id,note']);
    expect(await activeOf('late')).toEqual(['1.0.0', 'amount,id']);
  }, patience);
  for (const name of ['registered', 'reader', 'narrowed']) {
    await cluster.until('DataContract', name, 'ProposalPending', /waiting for billing/);
    expect(await activeOf(name)).toEqual(['1.0.0', 'amount,id']);
  }
  // What the controller made for the lost proposals is gone.
  await vi.waitFor(async () => {
    const made = await cluster.list('ContractProposal');
    expect(made.map(({ status }) => status?.conditions?.[0]?.reason)).toEqual(
      made.map(() => 'ProposalPending'),
    );
  }, patience);
  const states = await cluster.get('ContractRegistration', 'old-billing/states');
  await vi.waitFor(async () => {
    const { registrationId = '' } = states.status ?? {};
    const registered = await registry.ports.reads.getRegistration(registrationId);
    expect(registered?.need?.stated).toEqual({ fields: ['$.id'] });
  }, patience);
  await cluster.until('DataContract', 'version', 'Published', /1\.1\.0/);
  await cluster.until('DataContract', 'late', 'Published', /1\.0\.0/);
  await cluster.until('DataContract', 'first', 'Published', /1\.0\.0/);
  await cluster.until('DataContract', 'question', 'ProposalPending', /waiting for billing/);
  const asset = await registry.ports.reads.findAssetByName('old.question', 'production');
  await vi.waitFor(async () => {
    const open = await registry.ports.reads.getOpenProposal(asset?.id ?? '');
    const { status } = await cluster.get('DataContract', 'question');
    expect([open?.status, status?.proposal?.id]).toEqual(['pending', open?.id]);
    const made = await cluster.get('ContractProposal', status?.proposal?.name ?? '');
    expect([made.status?.proposalId, made.status?.conditions?.[0]?.reason]).toEqual([
      open?.id,
      'ProposalPending',
    ]);
  }, patience);
  await vi.waitFor(async () => {
    const planned = await registry.ports.reads.findAssetByName('old.first', 'production');
    const open = await registry.ports.reads.getOpenProposal(planned?.id ?? '');
    const { status } = await cluster.get('ContractProposal', 'plan');
    expect([open?.status, status?.proposalId]).toEqual(['pending', open?.id]);
  }, patience);
  await cluster.until('ContractProposal', 'plan', 'ProposalPending', /waiting for billing/);
  const late = await registry.ports.reads.findAssetByName('old.late', 'production');
  await vi.waitFor(async () => {
    const facts = await registry.ports.reads.getAssetFacts(late?.id ?? '');
    expect(facts?.consumers.map(({ teamName }) => teamName)).toEqual(['billing']);
  }, patience);
  await put('late', 'amount');
  await cluster.until('DataContract', 'late', 'ProposalPending', /waiting for billing/);
  expect(await activeOf('first')).toEqual(['1.0.0', 'amount,id']);
});

test('a controller that runs on while the database is restored reads every consumer again, before a break', async () => {
  const living = await openTestRegistry();
  await living.team('checkout');
  const kept = await openClusterController(living, {
    namespaces: { 'young-shop': 'checkout', 'young-reads': 'young' },
    leadsAgain: true,
  });
  try {
    const names = ['one', 'two', 'three', 'four', 'five'];
    const putAll = (...columns: string[]) =>
      Promise.all(
        names.map((name) =>
          kept.put('DataContract', name, { fqn: `young.${name}`, schema: table(...columns) }),
        ),
      );
    await putAll('id', 'amount');
    for (const name of names) await kept.until('DataContract', name, 'Published');
    const copy = await copyDatabase(living.database);
    await kept.put('Team', '/young', {});
    for (const name of names) {
      await kept.put('ContractRegistration', `young-reads/${name}`, { fqn: `young.${name}` });
    }
    for (const name of names) {
      await kept.until('ContractRegistration', `young-reads/${name}`, 'UpToDate');
    }
    await restoreDatabase(living.database, copy, async () => {
      await putAll('id');
    });
    for (const name of names) {
      await kept.until('DataContract', name, 'ProposalPending', /waiting for young/);
      await kept.until('ContractRegistration', `young-reads/${name}`, 'UpToDate', /waits for/);
    }
  } finally {
    await kept.close();
    await living.stop();
  }
});
