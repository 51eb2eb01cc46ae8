// Attempts to have a break pass `diff --agreements` that its consumers have not agreed to.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  must,
  openRegistryForFile,
  register,
  uniqueName,
} from '../../support/client/client-world.ts';
import { makeRepository, type TestRepository } from '../../support/git-repository.ts';
import { type Folder, makeFolder, run } from '../support.ts';

const { registry, world } = await openRegistryForFile();
const { producer, consumer, other, admin } = world;

let branch: TestRepository;
let apart: Folder;
beforeAll(async () => {
  branch = await makeRepository();
  apart = await makeFolder();
});
afterAll(async () => {
  await branch.remove();
  await apart.remove();
});

const newFqn = () => `shop.attacks.${uniqueName('orders').replace(' ', '_')}`;

interface Told {
  readonly fqn?: string;
  readonly environment?: string;
  readonly fields: readonly string[];
}

const contract = ({ fqn, environment, fields }: Told) =>
  JSON.stringify({
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name: 'orders' },
    spec: {
      ...{ fqn, team: producer.name, environment },
      schema: {
        type: 'object',
        properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
      },
    },
  });

const concordat = (url: string, args: readonly string[]) =>
  run(args, '', {
    cwd: branch.folder,
    env: { CONCORDAT_URL: url, CONCORDAT_KEY: producer.key },
  });

/** The exit code of the check, and what it says about each contract. */
async function check(url = registry.url, ...more: readonly string[]) {
  const args = ['diff', '--against', 'HEAD~1', '--agreements', '--format', 'json', ...more];
  const { code, stdout, stderr } = await concordat(url, args);
  const { items = [] } = JSON.parse(stdout) as {
    readonly items?: readonly { readonly name: string; readonly agreement?: string }[];
  };
  return { code, stderr, told: items.map(({ agreement }) => agreement ?? null) };
}

/** Commits the file as it was, then as it is now. */
async function edit(name: string, before: string, after: string): Promise<void> {
  await branch.commit({ [name]: before });
  await branch.commit({ [name]: after });
}

async function publish(text: string, ...more: readonly string[]): Promise<string | null> {
  const file = await apart.file('published.json', text);
  const args = ['publish', '--format', 'json', ...more, file];
  const { stdout, stderr } = await concordat(registry.url, args);
  const [made] = JSON.parse(stdout || `[] ${stderr}`) as readonly {
    readonly proposal?: { readonly id: string };
  }[];
  return made?.proposal?.id ?? null;
}

async function activeOf(fqn: string, environment = 'production') {
  const { results } = must(await admin.listAssets({ query: { fqn, environment } }), 200);
  return { assetId: results[0]?.id ?? '', contractId: results[0]?.active_contract_id ?? '' };
}

const answer = async (by: typeof consumer, id: string, response: 'approved' | 'blocked') =>
  must(
    await by.client.acknowledgeProposal({
      params: { proposal_id: id },
      body: { response, team_id: by.teamId, notes: 'We read it.' },
    }),
    200,
  );

/** A contract with one consumer, and a proposal that this consumer has approved. */
async function agreed(fqn = newFqn(), environment?: string) {
  const told = { fqn, ...(environment !== undefined && { environment }) };
  const v1 = contract({ ...told, fields: ['id', 'email', 'phone'] });
  const v2 = contract({ ...told, fields: ['id', 'phone'] });
  await publish(v1);
  const active = await activeOf(fqn, environment);
  await register(consumer, active.contractId);
  const id = (await publish(v2)) ?? 'no proposal';
  await answer(consumer, id, 'approved');
  return { ...active, fqn, v1, v2, id };
}

describe('A break does not pass', () => {
  test('by a proposal whose consumers do not agree any more', async () => {
    const { fqn, v1, v2, id, contractId } = await agreed();
    await edit('a.json', v1, v2);
    expect(await check()).toMatchObject({ code: 0 });
    await register(other, contractId);
    expect(await check()).toMatchObject({
      code: 1,
      told: [
        `${consumer.name} has agreed to exactly this. Without an agreement: ${other.name}. Proposal ${id}.`,
      ],
    });
    await answer(other, id, 'approved');
    expect(await check()).toMatchObject({ code: 0 });
    await answer(consumer, id, 'blocked');
    expect(await check()).toMatchObject({ code: 1 });
    await answer(consumer, id, 'approved');
    expect(await check()).toMatchObject({ code: 0 });
    must(
      await producer.client.withdrawProposal({
        params: { proposal_id: id },
        body: { reason: 'Not needed any more.' },
      }),
      200,
    );
    expect(await check()).toMatchObject({ code: 1, told: ['Nobody has been asked for it yet.'] });
    // Another proposal has to be answered of its own.
    const again = await publish(v2);
    expect(await check()).toMatchObject({
      code: 1,
      told: [`Without an agreement: ${consumer.name} and ${other.name}. Proposal ${again}.`],
    });
    expect(fqn).toContain('shop.attacks');
    await branch.commit({ 'a.json': null });
  });

  test('by answers to the round before a rebase, or by an older or newer file than the one answered', async () => {
    const { fqn, v1, v2, id, assetId } = await agreed();
    await edit('g.json', v1, v2);
    expect(await check()).toMatchObject({ code: 0 });
    const v1More = contract({ fqn, fields: ['id', 'email', 'phone', 'note'] });
    const body = { schema: JSON.parse(v1More).spec.schema };
    const publishing = { params: { asset_id: assetId }, body };
    must(await producer.client.publishContract(publishing), 201);
    // Its consumers were not asked about the new contract, nor does the file have what that one has.
    expect(await check()).toMatchObject({ code: 1 });
    must(await producer.client.rebaseProposal({ params: { proposal_id: id } }), 200);
    expect(await check()).toMatchObject({ code: 1 });
    await answer(consumer, id, 'approved');
    expect(await check()).toMatchObject({ code: 0 });
    const worse = contract({ fqn, fields: ['id'] });
    await edit('g.json', v1More, worse);
    expect(await check()).toMatchObject({ code: 1 });
    await branch.commit({ 'g.json': null });
  });

  test('by a force of another change; what was forced is the version in force', async () => {
    const { fqn, v1, v2, id } = await agreed();
    await answer(consumer, id, 'blocked');
    await edit('h.json', v1, v2);
    expect(await check()).toMatchObject({ code: 1 });
    const body = { reason: 'Legal wants it gone today.' };
    must(await admin.forceProposal({ params: { proposal_id: id }, body }), 200);
    expect(await check()).toMatchObject({ code: 0 });
    const worse = contract({ fqn, fields: ['id'] });
    await edit('h.json', v1, worse);
    expect(await check()).toMatchObject({ code: 1, told: ['Nobody has been asked for it yet.'] });
    await branch.commit({ 'h.json': null });
  });

  test('by what was agreed to for another version, another asset or another environment', async () => {
    const first = await agreed();
    const rival = contract({ fqn: first.fqn, fields: ['id', 'email', 'phone', 'note'] });
    await publish(rival, '--supersede');
    await edit('b.json', rival, first.v2);
    const told = await check();
    expect(told.code).toBe(1);
    await branch.commit({ 'b.json': null });

    const second = await agreed();
    const untouched = newFqn();
    const fields = ['id', 'email', 'phone'];
    await publish(contract({ fqn: untouched, fields }));
    await register(other, (await activeOf(untouched)).contractId);
    const two = (list: readonly string[]) =>
      [second.fqn, untouched].map((fqn) => contract({ fqn, fields: list })).join('\n---\n');
    await edit('c.yaml', two(fields), two(['id', 'phone']));
    expect(await check()).toMatchObject({
      code: 1,
      told: [null, 'Nobody has been asked for it yet.'],
    });
    await branch.commit({ 'c.yaml': null });

    const staged = await agreed(second.fqn, 'staging');
    await edit('d.json', second.v1, staged.v2);
    expect(await check()).toMatchObject({ code: 1 });
    await branch.commit({ 'd.json': null });
  });

  test('by naming another asset', async () => {
    const old = newFqn();
    const fields = ['id', 'email'];
    await publish(contract({ fqn: old, fields }));
    await register(consumer, (await activeOf(old)).contractId);
    const mine = newFqn();
    await publish(contract({ fqn: mine, fields: ['id'] }));
    const before = contract({ fqn: old, fields });
    const after = contract({ fqn: mine, fields: ['id'] });
    await edit('e.json', before, after);
    expect((await check()).code).toBe(1);
    await branch.commit({ 'old.json': before, 'new.json': after, 'e.json': null });
    const pair = await concordat(registry.url, ['diff', 'old.json', 'new.json', '--agreements']);
    expect(pair).toMatchObject({ code: 1 });
    await branch.commit({ 'old.json': null, 'new.json': null });
  });

  const api = (title: string, openapi: string, properties: Record<string, unknown>) => ({
    openapi,
    info: { title, version: '1' },
    paths: {
      '/orders': {
        get: {
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { type: 'object', properties } } },
            },
          },
        },
      },
    },
  });
  const importApi = async (document: Record<string, unknown>) =>
    must(
      await producer.client.importOpenapi({
        body: { spec: document, owner_team_id: producer.teamId },
      } as never),
      200,
    );

  test('by the title of another API', async () => {
    const both = { id: { type: 'string' }, email: { type: 'string' } };
    const before = api('Attacked', '3.1.0', both);
    const after = api('Mine', '3.1.0', { id: { type: 'string' } });
    await importApi(before);
    await importApi(after);
    await edit('api.json', JSON.stringify(before), JSON.stringify(after));
    expect((await check()).code).toBe(1);
    await branch.commit({ 'api.json': null });
  });

  test('by the same words in a dialect that gives them another meaning, until it is agreed to', async () => {
    const properties = { id: { type: 'string', nullable: true } };
    const before = api('Dialects', '3.1.0', properties);
    const after = api('Dialects', '3.0.3', properties);
    await importApi(before);
    await edit('api.json', JSON.stringify(before), JSON.stringify(after));
    expect(await check()).toMatchObject({ code: 1, told: ['Nobody has been asked for it yet.'] });
    const { assetId, contractId } = await activeOf('api.dialects.get_orders');
    await register(consumer, contractId);
    await importApi(after);
    const { results } = must(await admin.listProposals({ query: { asset_id: assetId } }), 200);
    const id = results[0]?.id ?? 'no proposal';
    expect((await check()).code).toBe(1);
    await answer(consumer, id, 'approved');
    expect((await check()).code).toBe(0);
    must(await producer.client.publishProposal({ params: { proposal_id: id } }), 200);
    expect((await check()).code).toBe(0);
    await branch.commit({ 'api.json': null });
  });

  test("by an answer that is not a registry's", async () => {
    const { v1, v2 } = await agreed();
    await edit('f.json', v1, v2);
    const answers = [
      '<html>Sign in</html>',
      '{}',
      '[]',
      'null',
      '{"results":[]}',
      '{"results":null}',
    ];
    for (const text of answers) {
      const server = createServer((_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      );
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}`;
      const { code } = await check(url);
      server.close();
      expect({ text, code }).toEqual({ text, code: 1 });
    }
    await branch.commit({ 'f.json': null });
  });
});
