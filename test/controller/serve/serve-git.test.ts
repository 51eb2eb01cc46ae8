// The program with a repository: committed contracts are published, with their commit.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { readConfig } from '../../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../../src/start/serve.ts';
import { createClient } from '../../../src/wire/client.ts';
import { makeRepository, type TestRepository } from '../../support/git-repository.ts';
import { readMetrics } from '../../support/metrics.ts';
import { openFolder } from '../../support/open-folder.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { patience } from '../support/open-controller.ts';

const key = 'bootstrap-key-of-the-tests';

let database: TestDatabase;
let repository: TestRepository;
let folder: string;
let server: RunningServer | undefined;

beforeAll(async () => {
  database = await openDatabase();
  repository = await makeRepository();
  folder = await openFolder('concordat-served-git-');
});

afterAll(async () => {
  await server?.stop();
  await database?.drop();
  await repository?.remove();
  await rm(folder, { recursive: true, force: true });
});

const contract = (properties: object) =>
  stringify({
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name: 'orders' },
    spec: { fqn: 'shop.orders', schema: { type: 'object', properties } },
  });

test('serve publishes what is committed, and says with which commit', async () => {
  const first = await repository.commit({ 'deploy/shop/orders.yaml': contract({ id: {} }) });
  await writeFile(join(folder, 'teams.yaml'), 'shop: checkout\n');
  const read = readConfig({
    ...{ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DATA_DIR: folder },
    ...{ DATABASE_URL: database.url, BOOTSTRAP_KEY: key },
    ...{ GIT_URL: repository.url, GIT_PATH: 'deploy', GIT_INTERVAL_SECONDS: '0.2' },
    TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  server = await start(read.config);
  const client = createClient({ baseUrl: server.url, key });
  const made = await client.createTeam({ body: { name: 'checkout', slug: 'checkout' } });
  expect(made.ok).toBe(true);
  const newest = async () => {
    const listed = await client.listContracts({ query: { page_size: 1 } });
    if (!listed.ok) throw new Error(listed.refusal.message);
    const [found] = listed.body.results;
    return found === undefined
      ? null
      : [found.asset_fqn, found.version, found.source, found.commit];
  };
  await vi.waitFor(
    async () => expect(await newest()).toEqual(['shop.orders', '1.0.0', 'git', first]),
    patience,
  );
  const second = await repository.commit({
    'deploy/shop/orders.yaml': contract({ id: {}, amount: {} }),
  });
  await vi.waitFor(
    async () => expect(await newest()).toEqual(['shop.orders', '1.1.0', 'git', second]),
    patience,
  );
  const fetched = 'concordat_git_last_fetch_timestamp_seconds';
  const { url } = server;
  const before = (await readMetrics(url)).value(fetched);
  expect(Math.abs(before - Date.now() / 1000)).toBeLessThan(600);
  await vi.waitFor(
    async () => expect((await readMetrics(url)).value(fetched)).toBeGreaterThan(before),
    patience,
  );
});
