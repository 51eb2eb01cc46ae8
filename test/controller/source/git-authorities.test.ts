// A repository over https with a certificate from a private authority: the process is told of the
// authority once, like Node, and git trusts it too.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import {
  issueCertificate,
  makeAuthority,
} from '../../../src/controller/admission/make-certificates.ts';
import { createClient } from '../../../src/wire/client.ts';
import { openProcess, type ProcessRegistry } from '../../support/client/client-registry.ts';
import {
  type GitServer,
  makeRepository,
  serveRepository,
  type TestRepository,
} from '../../support/git-repository.ts';
import { openFolder } from '../../support/open-folder.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { patience } from '../support/open-controller.ts';

const key = 'bootstrap-key-of-the-tests';
const validity = { fromMs: Date.now() - 60_000, toMs: Date.now() + 3_600_000 };
const authority = makeAuthority('Authority of the house', validity);
const certified = issueCertificate(
  { name: 'Authority of the house', key: authority.key },
  ['localhost'],
  validity,
);

let database: TestDatabase;
let repository: TestRepository;
let server: GitServer;
let folder: string;
let serving: ProcessRegistry | undefined;

beforeAll(async () => {
  database = await openDatabase();
  repository = await makeRepository();
  await repository.commit({
    'shop/orders.yaml': stringify({
      apiVersion: 'concordat.dev/v1',
      kind: 'DataContract',
      metadata: { name: 'orders' },
      spec: { fqn: 'shop.orders', schema: { type: 'object' } },
    }),
  });
  server = await serveRepository(repository, certified);
  folder = await openFolder('concordat-authorities-');
  await writeFile(join(folder, 'authority.pem'), authority.certificate);
  await writeFile(join(folder, 'teams.yaml'), 'shop: checkout\n');
});

afterEach(() => serving?.stop());

afterAll(async () => {
  await server?.close();
  await database?.drop();
  await repository?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function open(settings: Record<string, string>) {
  serving = await openProcess(database.serviceUrl, {
    ...{ GIT_URL: server.url, GIT_INTERVAL_SECONDS: '0.2', DATA_DIR: folder },
    TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
    ...settings,
  });
  return createClient({ baseUrl: serving.url, key });
}

test('is not read while nobody vouches for it, and the source says so', async () => {
  const client = await open({});
  await vi.waitFor(async () => {
    const sources = await client.listSources({});
    const said = sources.ok ? sources.body.results.map(({ problem }) => problem) : [];
    expect(said).toEqual([expect.stringMatching(/certificate/)]);
  }, patience);
});

test('is read once the authority is named by NODE_EXTRA_CA_CERTS', async () => {
  const client = await open({ NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') });
  await client.createTeam({ body: { name: 'checkout', slug: 'checkout' } });
  await vi.waitFor(async () => {
    const listed = await client.listContracts({ query: { page_size: 1 } });
    expect(listed.ok && listed.body.results.map(({ asset_fqn }) => asset_fqn)).toEqual([
      'shop.orders',
    ]);
  }, patience);
});
