// The command in a job without a key: the token of the job is exchanged for one.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { must, openRegistryForFile, orderSchema } from '../../support/client/client-world.ts';
import { openLyingProvider } from '../../support/sign-in/lying-provider.ts';
import { type Folder, makeFolder, run } from '../support.ts';

const forge = await openLyingProvider();
const { registry, world } = await openRegistryForFile({
  ISSUER_ALLOWED_NETWORKS: '127.0.0.0/8,::1',
});
const { admin, producer } = world;

/** What GitHub answers to a job that asks for a token: here, with the status that a test sets. */
const asked: { status: number; last: { url: string; authorization: string | undefined } | null } = {
  status: 200,
  last: null,
};
const actions = createServer((request, response) => {
  const { authorization } = request.headers;
  asked.last = { url: request.url ?? '', authorization };
  const aud = new URL(request.url ?? '', forge.issuer).searchParams.get('audience');
  const claims = { aud, sub: 'repo:acme/shop:ref:refs/heads/main', jti: crypto.randomUUID() };
  void forge.sign(claims).then((value) => {
    response.writeHead(asked.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ value, count: 1 }));
  });
});
let folder: Folder;
let ofGitHub: Readonly<Record<string, string>>;

const trustFor = async (more: Record<string, unknown> = {}) =>
  must(
    await admin.createTrust({
      body: {
        ...{ name: 'shop CI', issuer: forge.issuer, audience: registry.url },
        ...{ claims: { sub: 'repo:acme/*' }, team_id: producer.teamId },
        ...{ scopes: ['write' as const], ...more },
      },
    }),
    201,
  );

beforeAll(async () => {
  folder = await makeFolder();
  await folder.file('orders.json', orderSchema);
  await new Promise<void>((listening) => actions.listen(0, 'localhost', listening));
  const { port } = actions.address() as AddressInfo;
  ofGitHub = {
    GITHUB_ACTIONS: 'true',
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://localhost:${port}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
  };
  await trustFor();
});
afterAll(async () => {
  actions.close();
  await folder.remove();
});

const inJob = (args: string, env: Readonly<Record<string, string>>) =>
  run(args.split(' '), '', { env: { CONCORDAT_URL: registry.url, ...env }, cwd: folder.path });

describe('A job', () => {
  test('of GitHub publishes with nothing but the address of the registry', async () => {
    const asset = must(
      await producer.client.createAsset({
        body: { fqn: 'jobs.orders', owner_team_id: producer.teamId },
      }),
      201,
    );
    const ran = await inJob('publish --asset jobs.orders orders.json', ofGitHub);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(asked.last).toEqual({
      url: `/token?api-version=2.0&audience=${encodeURIComponent(registry.url)}`,
      authorization: 'Bearer of-the-job',
    });
    const { results } = must(
      await admin.listEvents({ query: { event_type: 'contract.published' } }),
      200,
    );
    expect(results.map(({ metadata }) => [metadata.asset_id, metadata.actor_name])).toEqual([
      [asset.id, 'repo:acme/shop:ref:refs/heads/main'],
    ]);
  });

  test('of GitLab uses one token for several commands', async () => {
    const trust = await trustFor({ claims: { project_path: 'acme/shop' }, reusable: true });
    const token = await forge.sign({
      ...{ aud: registry.url, sub: 'project_path:acme/shop', project_path: 'acme/shop' },
    });
    for (let command = 0; command < 2; command++) {
      const ran = await inJob('team list', { CONCORDAT_ID_TOKEN: token });
      expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    }
    must(await admin.deleteTrust({ params: { trust_id: trust.id } }), 204);
  });

  test('in a pod reads the token from its file', async () => {
    const path = await folder.file(
      'token',
      `${await forge.sign({ aud: registry.url, sub: 'repo:acme/pod' })}\n`,
    );
    const ran = await inJob('team list', { CONCORDAT_ID_TOKEN_FILE: path });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('with a key uses the key', async () => {
    const ran = await inJob('team list', { ...ofGitHub, CONCORDAT_KEY: 'wrong' });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('Check CONCORDAT_KEY');
  });
});

describe('A job is told', () => {
  test('that no trust accepts it, with what its token says', async () => {
    const audience = { CONCORDAT_AUDIENCE: 'https://elsewhere.example.org' };
    const ran = await inJob('team list', { ...ofGitHub, ...audience });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('No trust accepts the audience https://elsewhere.example.org');
    expect(ran.stderr).not.toContain('CONCORDAT_KEY');
  });

  test('that GitHub gave no token', async () => {
    asked.status = 500;
    const ran = await inJob('team list', ofGitHub);
    asked.status = 200;
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('GitHub gave no token for this job: it answered 500.'),
    });
  });

  test('which permission is missing', async () => {
    const ran = await inJob('team list', { GITHUB_ACTIONS: 'true' });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('"id-token: write"');
  });

  test('that its token cannot be read', async () => {
    const ran = await inJob('team list', { CONCORDAT_ID_TOKEN_FILE: '/nothing/here' });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('CONCORDAT_ID_TOKEN_FILE cannot be read');
  });
});
