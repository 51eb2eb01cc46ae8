// The program with a folder and a repository: what moves from one to the other while it is stopped.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { readConfig } from '../../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../../src/start/serve.ts';
import { createClient } from '../../../src/wire/client.ts';
import { makeRepository, type TestRepository } from '../../support/git-repository.ts';
import { openFolder } from '../../support/open-folder.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { replaceFile } from '../../support/replace-file.ts';
import { patience } from '../support/open-controller.ts';

const key = 'bootstrap-key-of-the-tests';

let database: TestDatabase;
let repository: TestRepository;
let folder: string;
let server: RunningServer | undefined;

beforeAll(async () => {
  database = await openDatabase();
  repository = await makeRepository();
  folder = await openFolder('concordat-two-sources-');
  await writeFile(join(folder, 'teams.yaml'), 'shop: checkout\naccounts: billing\n');
});

afterAll(async () => {
  await server?.stop();
  await database?.drop();
  await repository?.remove();
  await rm(folder, { recursive: true, force: true });
});

const manifest = (kind: string, name: string, spec: object) =>
  stringify({ apiVersion: 'concordat.dev/v1', kind, metadata: { name }, spec });
const contract = (...columns: string[]) =>
  manifest('DataContract', 'orders', {
    fqn: 'shop.orders',
    schema: {
      type: 'object',
      properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
    },
  });
const reader = manifest('ContractRegistration', 'reads-orders', { fqn: 'shop.orders' });

const serve = async () => {
  const read = readConfig({
    ...{ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DATA_DIR: folder },
    ...{ DATABASE_URL: database.url, BOOTSTRAP_KEY: key, GIT_URL: repository.url },
    ...{ GIT_INTERVAL_SECONDS: '0.2', CONTRACTS_DIR: join(folder, 'contracts') },
    TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  server = await start(read.config);
  return createClient({ baseUrl: server.url, key });
};

test('a registration that moved to a source which cannot be read yet holds a break back', async () => {
  const first = { 'shop/orders.yaml': contract('id', 'amount') };
  await repository.commit({ ...first, 'accounts/reads.yaml': reader });
  await mkdir(join(folder, 'contracts/shop'), { recursive: true });
  let client = await serve();
  for (const slug of ['checkout', 'billing']) {
    expect((await client.createTeam({ body: { name: slug, slug } })).ok).toBe(true);
  }
  const registrations = async () => {
    const listed = await client.listRegistrations({ query: {} });
    if (!listed.ok) throw new Error(listed.refusal.message);
    return listed.body.results.map(({ id, status }) => ({ id, status }));
  };
  await vi.waitFor(async () => expect(await registrations()).toHaveLength(1), patience);
  const [registered] = await registrations();
  await server?.stop();

  await repository.commit({ 'shop/orders.yaml': contract('id'), 'accounts/reads.yaml': null });
  await rm(join(folder, 'contracts'), { recursive: true });
  client = await serve();
  /** What each source says of the objects of this name. */
  const objects = async (name: string) => {
    const sources = await client.listSources({});
    if (!sources.ok) throw new Error(sources.refusal.message);
    const said = sources.body.results.map(async ({ id, kind }) => {
      const listed = await client.listSourceObjects({ params: { source_id: id }, query: { name } });
      if (!listed.ok) throw new Error(listed.refusal.message);
      return listed.body.results.map(({ ready }) => [kind, ready?.reason, ready?.message]);
    });
    return (await Promise.all(said)).flat();
  };
  await vi.waitFor(
    async () =>
      expect(await objects('reads-orders')).toEqual([
        ['git', 'DeletionBlocked', expect.stringContaining(join(folder, 'contracts'))],
      ]),
    patience,
  );
  await vi.waitFor(
    async () =>
      expect(await objects('orders')).toEqual([['git', 'ProposalPending', expect.anything()]]),
    patience,
  );

  await mkdir(join(folder, 'contracts/accounts'), { recursive: true });
  const file = join(folder, 'contracts/accounts/reads.yaml');
  for (const [text, message] of [
    [reader.replace('fqn:', 'purpose: 7\n  fqn:'), 'spec.purpose'],
    ['<<<<<<<\n', 'reads.yaml'],
  ] as const) {
    await replaceFile(file, text);
    const both = [
      ['directory', 'InvalidSpec', expect.stringContaining(message)],
      ['git', 'DeletionBlocked', expect.anything()],
    ];
    await vi.waitFor(
      async () => expect(await objects('reads-orders')).toEqual(expect.arrayContaining(both)),
      patience,
    );
  }
  expect(await registrations()).toEqual([registered]);
  await replaceFile(file, reader);
  await vi.waitFor(
    async () =>
      expect(await objects('reads-orders')).toEqual([['directory', 'UpToDate', expect.anything()]]),
    patience,
  );
  expect(await registrations()).toEqual([registered]);
  expect(await objects('orders')).toEqual([['git', 'ProposalPending', expect.anything()]]);
});
