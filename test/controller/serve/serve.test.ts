// The program as it is started: the examples for `make run`, with two replicas.

import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createStory } from '../../../src/cli/story/create-story.ts';
import { type Config, readConfig } from '../../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../../src/start/serve.ts';
import { createClient } from '../../../src/wire/client.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { replaceFile } from '../../support/replace-file.ts';
import { patience } from '../support/open-controller.ts';

const examples = resolve(import.meta.dirname, '../../../examples');
const key = 'bootstrap-key-of-the-tests';

let database: TestDatabase;
let folder: string;
const servers: RunningServer[] = [];

beforeAll(async () => {
  database = await openDatabase();
  folder = await mkdtemp(join(tmpdir(), 'concordat-examples-'));
  await cp(examples, folder, { recursive: true });
});

afterAll(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

function configWith(more: Readonly<Record<string, string>> = {}): Config {
  const read = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    BOOTSTRAP_KEY: key,
    LOG_LEVEL: 'silent',
    CHECK_ROWS: 'true',
    CONTRACTS_DIR: join(folder, 'contracts'),
    TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
    ...more,
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.config;
}

async function serve(): Promise<ReturnType<typeof createClient>> {
  const server = await start(configWith());
  servers.push(server);
  return createClient({ baseUrl: server.url, key });
}

async function holderOf(): Promise<string> {
  const [row] = await database.query('select holder from controller_lease');
  return String(row?.holder);
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const target = join(folder, 'contracts', path);
  await replaceFile(target, change(await readFile(target, 'utf8')));
}

test('the examples fit the story, an edited file shows, and another replica goes on', async () => {
  const first = await serve();
  const second = await serve();
  const versionsOf = async (client: typeof first) => {
    const listed = await client.listAssets({ query: { page_size: 100 } });
    if (!listed.ok) throw new Error(listed.refusal.message);
    return Object.fromEntries(
      listed.body.results.map((asset) => [asset.fqn, asset.active_contract_version]),
    );
  };
  // One team is declared by a manifest: its contract may be there at once, and the story is told all the same.
  const own = { 'concordat.registry.events': '1.0.0' };
  await vi.waitFor(async () => expect(await versionsOf(first)).toEqual(own), patience);
  await createStory(first);
  const started = {
    ...own,
    'warehouse.finance.invoices': '1.0.0',
    'warehouse.sales.customers': '1.0.0',
    'warehouse.sales.order_lines': '1.0.0',
    'warehouse.sales.orders': '1.1.0',
  };
  await vi.waitFor(async () => expect(await versionsOf(second)).toEqual(started), patience);
  const holder = await holderOf();

  await edit('orders/customers.yaml', (text) =>
    text.replace('      email:', '      nickname: { type: string }\n      email:'),
  );
  const edited = { ...started, 'warehouse.sales.customers': '1.1.0' };
  await vi.waitFor(async () => expect(await versionsOf(second)).toEqual(edited), patience);

  const listed = await second.listSources({});
  if (!listed.ok) throw new Error(listed.refusal.message);
  const [source] = listed.body.results;
  expect(listed.body.results).toEqual([
    {
      id: expect.any(String),
      kind: 'directory',
      place: join(folder, 'contracts'),
      identity: `directory-${join(folder, 'contracts')}`,
      leader: holder,
      renewed_at: expect.any(String),
      problem: null,
      objects: 7,
      not_ready: 0,
    },
  ]);
  const params = { source_id: source?.id ?? '' };
  const query = { kind: 'DataContract', ready: true, sort: '-name' } as const;
  const listObjects = async () => {
    const objects = await second.listSourceObjects({ params, query });
    if (!objects.ok) throw new Error(objects.refusal.message);
    return objects.body.results;
  };
  await vi.waitFor(async () => {
    expect((await listObjects())[2]?.observed_generation).toBe(2);
  }, patience);
  const objects = await listObjects();
  expect(objects.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([
    'platform/registry-events',
    'orders/order-lines',
    'orders/customers',
    'finance/invoices',
  ]);
  expect(objects[2]).toMatchObject({
    generation: 2,
    observed_generation: 2,
    ready: { status: 'True', reason: 'Published', message: 'Published version 1.1.0.' },
    status: { version: '1.1.0', source: { path: 'orders/customers.yaml' } },
  });

  // The first one led from the start. It releases its lease, and the other takes over.
  await servers.shift()?.stop();
  await edit('orders/customers.yaml', (text) =>
    text.replace('      email:', '      phone: { type: string }\n      email:'),
  );
  const again = { ...started, 'warehouse.sales.customers': '1.2.0' };
  await vi.waitFor(async () => expect(await versionsOf(second)).toEqual(again), patience);
  expect(await holderOf()).not.toBe(holder);
  const rows = await database.query(
    'select fqn, managed_source from asset where managed_source is not null order by fqn',
  );
  expect(rows.map(({ managed_source: source }) => source)).toEqual(Array(4).fill('directory'));
});

test('what is missing is deleted once an administrator confirmed it', async () => {
  const [server] = servers;
  if (server === undefined) throw new Error('nobody serves');
  const client = createClient({ baseUrl: server.url, key });
  await rename(join(folder, 'contracts'), join(folder, 'away'));
  await mkdir(join(folder, 'contracts'));
  const sourceOf = async () => {
    const listed = await client.listSources({});
    if (!listed.ok) throw new Error(listed.refusal.message);
    return listed.body.results[0];
  };
  await vi.waitFor(async () => {
    expect((await sourceOf())?.problem).toMatch(/is empty, and 7 objects came from it/);
  }, patience);
  const params = { source_id: (await sourceOf())?.id ?? '' };
  const confirmed = await client.confirmSource({ params });
  expect(confirmed.ok).toBe(true);
  // An object of another name may still come in their place, unless a person ends them.
  const leaving = () =>
    database.query(
      'select id from registration where cardinality(claims) = 0 and ends_at > updated_at',
    );
  await vi.waitFor(async () => expect(await leaving()).toHaveLength(2), patience);
  for (const { id } of await leaving()) {
    const ended = { params: { registration_id: String(id) }, query: { reason: 'Not needed.' } };
    expect((await client.deleteRegistration(ended)).ok).toBe(true);
  }
  await vi.waitFor(async () => {
    expect(await sourceOf()).toMatchObject({ problem: null, objects: 0 });
  }, patience);
  const events = await client.listEvents({ query: { event_type: 'source.confirmed' } });
  expect(events.ok ? events.body.results.length : 0).toBe(1);
});

test('a mapping that is none ends the start, and says where', async () => {
  const file = join(folder, 'wrong.yaml');
  await writeFile(file, 'shop: Not A Slug\n');
  await expect(start(configWith({ TEAM_MAPPING_FILE: file }))).rejects.toThrow(
    /wrong\.yaml: shop: "Not A Slug" is not a slug/,
  );
});
