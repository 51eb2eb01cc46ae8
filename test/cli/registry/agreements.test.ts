// `diff --against --agreements`: what the registry knows about the breaks of a branch.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { must, openRegistryForFile, register } from '../../support/client/client-world.ts';
import { makeRepository, type TestRepository } from '../../support/git-repository.ts';
import { run } from '../support.ts';

const { registry, world } = await openRegistryForFile();
const { producer, consumer, other, admin } = world;
const fqn = 'shop.agreed.orders';

const contract = (...fields: readonly string[]) =>
  JSON.stringify({
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name: 'orders' },
    spec: {
      ...{ fqn, team: producer.name },
      schema: {
        type: 'object',
        properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
      },
    },
  });

let branch: TestRepository;
beforeAll(async () => {
  branch = await makeRepository();
  await branch.commit({ 'orders.json': contract('id', 'email', 'phone') });
  await branch.git('checkout', '--quiet', '-b', 'topic');
  await concordat('publish', 'orders.json');
  const { results } = must(await admin.listAssets({ query: { fqn } }), 200);
  const contractId = results[0]?.active_contract_id ?? 'no contract';
  for (const party of [consumer, other]) await register(party, contractId);
});
afterAll(() => branch.remove());

const concordat = (command: string, ...args: readonly string[]) =>
  run([command, ...args], '', {
    cwd: branch.folder,
    env: { CONCORDAT_URL: registry.url, CONCORDAT_KEY: producer.key },
  });

async function diff(env: Readonly<Record<string, string>> = {}, ...more: readonly string[]) {
  const args = ['diff', '--against', 'main', '--agreements', '--format', 'json', ...more];
  const { code, stdout, stderr } = await run(args, '', {
    cwd: branch.folder,
    env: { CONCORDAT_URL: registry.url, CONCORDAT_KEY: producer.key, ...env },
  });
  const { items } = JSON.parse(stdout) as {
    readonly items: readonly {
      readonly agreement?: string;
      readonly consumers?: readonly string[];
      readonly changes: readonly { readonly accepted?: { readonly reason: string } }[];
    }[];
  };
  const { agreement, consumers, changes = [] } = items[0] ?? {};
  const reasons = new Set(changes.map(({ accepted }) => accepted?.reason));
  return { code, stderr, agreement, consumers, reasons: [...reasons].filter(Boolean) };
}

const answer = async (by: typeof consumer, id: string, response: 'approved' | 'migrating') =>
  must(
    await by.client.acknowledgeProposal({
      params: { proposal_id: id },
      body: { response, team_id: by.teamId },
    }),
    200,
  );

async function propose(): Promise<string> {
  const ran = await concordat('publish', '--format', 'json', '--supersede', 'orders.json');
  const [made] = JSON.parse(ran.stdout) as readonly {
    readonly proposal: { readonly id: string };
  }[];
  return made?.proposal.id ?? 'no proposal';
}

describe('A break passes', () => {
  test('when all its consumers have agreed to exactly it, and another edit asks again', async () => {
    const consumers = [consumer.name, other.name];
    const waiting = { code: 1, stderr: '', consumers, reasons: [] };
    await branch.commit({ 'orders.json': contract('id', 'phone') });
    expect(await diff()).toEqual({ ...waiting, agreement: 'Nobody has been asked for it yet.' });
    const id = await propose();
    expect(await diff()).toEqual({
      ...waiting,
      agreement: `Without an agreement: ${consumer.name} and ${other.name}. Proposal ${id}.`,
    });
    await answer(consumer, id, 'approved');
    expect(await diff()).toEqual({
      ...waiting,
      agreement: `${consumer.name} has agreed to exactly this. Without an agreement: ${other.name}. Proposal ${id}.`,
    });
    await answer(other, id, 'migrating');
    const agreed = `${consumer.name} and ${other.name} have agreed to exactly this. Proposal ${id}.`;
    const passing = { code: 0, stderr: '', consumers, agreement: undefined };
    expect(await diff()).toEqual({ ...passing, reasons: [agreed] });
    const spelled = JSON.parse(contract('phone', 'id')) as object;
    await branch.commit({ 'orders.json': JSON.stringify(spelled, null, 4) });
    expect(await diff()).toEqual({ ...passing, reasons: [agreed] });

    const another = { ...waiting, agreement: `The open proposal ${id} is about another change.` };
    await branch.commit({ 'orders.json': contract('id', 'email') });
    expect(await diff()).toEqual(another);
    await branch.commit({ 'orders.json': contract('id', 'phone', 'note') });
    expect(await diff()).toEqual(another);
    const strict = JSON.parse(contract('id', 'phone')) as { spec: Record<string, unknown> };
    strict.spec.compatibilityMode = 'full';
    await branch.commit({ 'orders.json': JSON.stringify(strict) });
    expect(await diff()).toEqual(another);

    await branch.commit({ 'orders.json': contract('id', 'phone') });
    must(await producer.client.publishProposal({ params: { proposal_id: id } }), 200);
    expect(await diff()).toMatchObject({
      code: 0,
      reasons: ['It is version 2.0.0 of the registry.'],
    });
  });

  test('in each form of a report with who has agreed', async () => {
    const args = ['--against', 'main', '--agreements', '--format'];
    for (const format of ['text', 'markdown', 'github', 'sarif', 'junit']) {
      const { stdout } = await concordat('diff', ...args, format);
      expect(stdout).toMatch(/agreed: It is version 2\.0\.0 of the registry\./i);
    }
  });
});

describe('A break stays a break', () => {
  const lines = (stderr: string) => stderr.trim().split('\n').length;

  test('if the registry cannot be asked, which is told once', async () => {
    const wrong = [{ CONCORDAT_URL: 'http://127.0.0.1:1' }, { CONCORDAT_KEY: 'wrong' }];
    for (const env of [...wrong, { CONCORDAT_KEY: '' }]) {
      const { code, stderr } = await diff(env);
      expect({ code, lines: lines(stderr) }).toEqual({ code: 1, lines: 1 });
      expect(stderr).toContain('The registry was not asked who has agreed.');
    }
  });

  test('if the registry does not know the asset', async () => {
    const { code, agreement } = await diff({}, '--environment', 'staging');
    expect({ code, agreement }).toEqual({
      code: 1,
      agreement: `The registry has no asset ${fqn}.`,
    });
  });

  test('and without a break, nothing is asked', async () => {
    await branch.commit({ 'orders.json': contract('id', 'email', 'phone', 'note') });
    expect(await diff({ CONCORDAT_URL: 'http://127.0.0.1:1' })).toMatchObject({
      ...{ code: 0, stderr: '' },
    });
  });
});
