// `status` with a registry that reconciles a folder, and the results of a dbt run.

import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import { createAsset, must, openWorld, type World } from '../../support/client/client-world.ts';
import { type Folder, makeFolder, run } from '../support.ts';

let registry: TestRegistry;
let world: World;
let folder: Folder;

beforeAll(async () => {
  folder = await makeFolder();
  await folder.file('contracts/shop/orders.yaml', {
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name: 'orders' },
    spec: { fqn: 'shop.sources.orders', team: 'nobody', schema: { type: 'object' } },
  });
  registry = await openRegistry({ CONTRACTS_DIR: `${folder.path}/contracts` });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await folder.remove();
});

const env = () => ({ CONCORDAT_URL: registry.url, CONCORDAT_KEY: registry.bootstrapKey });

test('status --watch prints again after a change, such as an object that is not ready', async () => {
  const child = spawn(
    process.execPath,
    [
      resolve(import.meta.dirname, '../../../bin/concordat.js'),
      'status',
      '--watch',
      '--interval',
      '0.2',
    ],
    { env: { ...env(), PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise((done) => child.once('close', done));
  let printed = '';
  const seen = new Promise<void>((done) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (/DataContract shop\/orders: TeamNotResolved/.test(printed)) done();
    });
  });
  await seen;
  child.kill('SIGINT');
  await ended;
  expect(printed).toContain(`! directory ${folder.path}/contracts: 1 object, 1 not ready\n`);
  // An unchanged status is printed once.
  const looks = printed.split(`${registry.url}: Concordat`).slice(1);
  expect(new Set(looks).size).toBe(looks.length);
});

test('status --format json has the sources', async () => {
  const ran = await run(['status', '--format', 'json'], '', { env: env() });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({
    ready: true,
    sources: [{ kind: 'directory', objects: 1, not_ready_total: 1 }],
  });
});

test('import records the results of a dbt run, and the same run again changes nothing', async () => {
  for (const name of ['orders', 'customer_success', 'ingestion', 'marketing']) {
    must(await world.admin.createTeam({ body: { name } }), 201);
  }
  const manifest = resolve(import.meta.dirname, '../../fixtures/import/dbt-before.json');
  const imported = await run(['import', '--owner', world.producer.name, manifest], '', {
    env: env(),
  });
  expect(imported).toMatchObject({ code: 0, stderr: '' });
  expect(imported.stdout).toContain('8 assets were created');
  const results = await folder.file('run_results.json', {
    metadata: {
      dbt_schema_version: 'https://schemas.getdbt.com/dbt/run-results/v6.json',
      generated_at: '2026-01-01T00:00:09Z',
      invocation_id: 'run-1',
    },
    results: [
      {
        unique_id: 'test.feature.not_null_fct_orders_order_id.4e687af8d0',
        status: 'fail',
        failures: 3,
      },
    ],
  });
  const first = await run(['import', results], '', { env: env() });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(
    /: 1 quality run recorded, 0 unchanged; 1 failed\.\n {2}✗ feat\.analytics\.fct_orders: 1 of /,
  );
  const again = await run(['import', results], '', { env: env() });
  expect(again.stdout).toContain('0 quality runs recorded, 1 unchanged');
});

test('take-over shows what would change, and does it with --yes', async () => {
  const fqn = 'shop.sources.moved';
  const asset = await createAsset(world.producer, { fqn });
  await registry.database.query(
    `insert into controller_lease (identity, kind, place, fence, holder, renewed_at)
     values ('eu-1', 'cluster', 'https://old', 1, 'nobody', '-infinity'),
       ('eu-2', 'cluster', 'https://new', 1, 'somebody', now())`,
  );
  await registry.database.query(
    `update asset set managed_source = 'kubernetes', managed_reference = 'shop/moved in eu-1'
     where id = $1`,
    [asset.id],
  );
  const managedBy = async () =>
    (
      await registry.database.query('select managed_reference from asset where id = $1', [asset.id])
    )[0]?.managed_reference;
  const args = ['take-over', 'eu-1', '--to', 'eu-2', '--reason', 'The cluster was rebuilt.'];
  const shown = await run(args, '', { env: env() });
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toBe(
    '1 asset:\n' +
      `  ${fqn} (production): managed by shop/moved in eu-2\n` +
      '0 registrations:\n' +
      'Nothing was changed. Run the command again with --yes to take over.\n',
  );
  expect(await managedBy()).toBe('shop/moved in eu-1');
  const other = await run([...args, '--asset', 'no.such', '--yes'], '', { env: env() });
  expect(other.code).not.toBe(0);
  const done = await run([...args, '--asset', fqn, '--yes'], '', { env: env() });
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(await managedBy()).toBe('shop/moved in eu-2');
  const alive = await run(['take-over', 'eu-2', '--to', 'eu-1', ...args.slice(4)], '', {
    env: env(),
  });
  expect(alive.stderr).toContain('is still reconciled. Stop it first');
  expect(alive.code).toBe(2);
});
