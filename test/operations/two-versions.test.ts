// The previous release serves while this version migrates its database, both serve for a while, and
// the previous release is started again on the result, as `helm rollback` does.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/wire/client.ts';
import { openProcess, type ProcessRegistry } from '../support/client/client-registry.ts';
import { must } from '../support/client/client-world.ts';
import { openPrevious } from './previous-release.ts';

const root = join(import.meta.dirname, '../..');
const key = 'bootstrap-key-of-the-tests';
const settings = { MIGRATE: 'true', AUDIT_KEY: 'the audit key of the tests, long enough' };

let previous: Awaited<ReturnType<typeof openPrevious>> | undefined;
let folder: string;
let url: string;
let old: ProcessRegistry;
let next: ProcessRegistry | undefined;

beforeAll(async () => {
  previous = await openPrevious('two_versions');
  ({ folder, url } = previous);
  old = await openProcess(url, settings, folder);
});

afterAll(async () => {
  await next?.stop();
  await old?.stop();
  await previous?.remove();
});

async function statement(sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const clientOf = ({ url: baseUrl }: ProcessRegistry): Client => createClient({ baseUrl, key });
const migrationsOf = async (of: string) =>
  (await readdir(join(of, 'src/store/migrations'))).filter((name) => name.endsWith('.sql')).sort();
const applied = async () =>
  (await statement(`select name || '.sql' as name from schema_migration order by number`)).map(
    ({ name }) => name,
  );

/** The first step adds a value, the second removes it, which breaks and asks the consumer. */
const schemaOf = (words: number) => ({
  type: 'object',
  properties: { status: { enum: Array.from({ length: words }, (_, index) => `word ${index}`) } },
});

interface Story {
  readonly assetId: string;
  readonly producer: string;
  readonly consumer: string;
  readonly consumerKey: string;
}

async function begin(client: Client, name: string): Promise<Story> {
  const team = async (role: string) =>
    must(await client.createTeam({ body: { name: `${name} ${role}` } }), 201).id;
  const [producer, consumer] = [await team('producer'), await team('consumer')];
  const body = { fqn: `shop.public.${name}`, owner_team_id: producer };
  const assetId = must(await client.createAsset({ body }), 201).id;
  const published = must(
    await client.publishContract({ params: { asset_id: assetId }, body: { schema: schemaOf(2) } }),
    201,
  );
  const contract_id = published.action === 'published' ? published.contract.id : null;
  if (contract_id === null) throw new Error('The first version was not published.');
  must(await client.registerConsumer({ body: { contract_id, consumer_team_id: consumer } }), 201);
  const issued = { name: 'consumer', team_id: consumer, scopes: ['write' as const] };
  const { key: consumerKey = '' } = must(await client.issueApiKey({ body: issued }), 201);
  return { assetId, producer, consumer, consumerKey };
}

/**
 * One turn of typical work: a run, another version, and a breaking change that the consumer agrees
 * to. Each step uses the next client. Returns the id of the last version.
 */
async function takeTurn(story: Story, turn: number, clients: readonly Client[]): Promise<string> {
  let step = turn;
  const client = (): Client => {
    step += 1;
    const found = clients[step % clients.length];
    if (found === undefined) throw new Error('There is nobody to ask.');
    return found;
  };
  const params = { asset_id: story.assetId };
  const status = turn % 2 === 0 ? ('failed' as const) : ('passed' as const);
  const quality = { status, triggered_by: 'build_test' as const, guarantees: [] };
  must(await client().recordQualityRun({ params, body: quality }), 201);
  const wider = { schema: schemaOf(3) };
  expect(must(await client().publishContract({ params, body: wider }), 201).action).toBe(
    'published',
  );
  const asked = await client().publishContract({ params, body: { schema: schemaOf(2) } });
  if (!asked.ok || asked.body.action !== 'proposal_created' || asked.body.proposal.id === null) {
    throw new Error(`A change that breaks was not asked about: ${JSON.stringify(asked)}`);
  }
  const proposal = { params: { proposal_id: asked.body.proposal.id } };
  // By a key of the consumer's own: for another team an administrator gives a reason, which the
  // version before does not know.
  const headers = { authorization: `Bearer ${story.consumerKey}` };
  must(await client().acknowledgeProposal({ ...proposal, body: {}, headers }), 200);
  const { contract } = must(await client().publishProposal(proposal), 200);
  const found = must(await client().getAsset({ params }), 200);
  if (contract === null) throw new Error('What was agreed was not published.');
  expect(found.current_contract_id).toBe(contract.id);
  return contract.id;
}

/** Repeats turns until stopped; a refused step ends it and is reported by `stop`. */
function startTurns(story: Story, clients: () => readonly Client[]) {
  let turns = 0;
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      await takeTurn(story, turns, clients());
      turns += 1;
    }
  })();
  done.catch(() => {});
  return {
    turns: () => turns,
    stop: async () => {
      isStopped = true;
      await done;
      return turns;
    },
    /** Waits for this many further turns, or for a refusal. */
    more: async (count: number) => {
      const enough = turns + count;
      const reached = expect.poll(() => turns >= enough, { timeout: 60_000 }).toBe(true);
      await Promise.race([reached, done]);
    },
  };
}

const newestRuns = (client: Client, quality: 'failed' | 'passed') =>
  client.listAssets({ query: { quality, fqn: 'shop.public' } });

test('the previous release and this one work on one database, during and after the migration', async () => {
  const [before, now] = [await migrationsOf(folder), await migrationsOf(root)];
  expect(await applied()).toEqual(before);
  const stories = [await begin(clientOf(old), 'orders'), await begin(clientOf(old), 'parcels')];

  // During the migration.
  let clients = [clientOf(old)];
  const work = stories.map((story) => startTurns(story, () => clients));
  await Promise.all(work.map(({ more }) => more(3)));
  next = await openProcess(url, settings);
  expect(await applied()).toEqual(now);

  // Both at once: the steps of a turn alternate between them.
  clients = [clientOf(old), clientOf(next)];
  await Promise.all(work.map(({ more }) => more(5)));
  const turns = await Promise.all(work.map(({ stop }) => stop()));

  // Nothing is lost: two versions per turn, after the first one, each with its event.
  const counted = await statement(
    `select asset_id, count(*)::int as versions, max(ordinal)::int as last
     from contract group by asset_id`,
  );
  for (const [index, { assetId }] of stories.entries()) {
    const versions = 1 + 2 * (turns[index] ?? 0);
    expect(counted).toContainEqual({ asset_id: assetId, versions, last: versions });
  }
  for (const client of clients) {
    const verified = must(await client.verifyAudit({ query: {} }), 200);
    expect(verified).toMatchObject({ intact: true });
  }
  for (const quality of ['failed', 'passed'] as const) {
    const told = await Promise.all(
      clients.map(async (client) => must(await newestRuns(client, quality), 200)),
    );
    const ids = told.map(({ results }) => results.map(({ id }) => id).sort());
    expect(ids[0]).toEqual(ids[1]);
  }

  // Nor in the search, which this release keeps and the previous one does not know.
  const { url: baseUrl } = next;
  const found = async () => {
    const query = { q: 'status', types: 'field' };
    const { results } = must(await createClient({ baseUrl, key }).search({ query }), 200);
    return results.map((hit) => 'fqn' in hit && hit.fqn);
  };
  await takeTurn(stories[0] as Story, 0, [clientOf(old)]);
  await expect
    .poll(found, { timeout: 20_000 })
    .toEqual(['shop.public.orders', 'shop.public.parcels']);

  // Back to the previous release, which starts on the migrated database.
  await next.stop();
  next = undefined;
  await old.stop();
  old = await openProcess(url, settings, folder);
  for (const story of stories) await takeTurn(story, 0, [clientOf(old)]);
  expect(must(await clientOf(old).verifyAudit({ query: {} }), 200)).toMatchObject({ intact: true });
});
