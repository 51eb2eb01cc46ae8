// Rights and credentials that end automatically or with their user: rights of keys, keys, the
// bootstrap key, sessions.

import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/ops/config/config.ts';
import { start } from '../../../src/start/serve.ts';
import { openClient } from '../../support/client/client.ts';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import {
  createAsset,
  createUser,
  issueKey,
  must,
  mustRefuse,
  openWorld,
  proposedAsset,
  signIn,
  uniqueName,
  type World,
} from '../../support/client/client-world.ts';
import { readMetrics } from '../../support/metrics.ts';

let registry: TestRegistry;
let world: World;
const processes: ProcessRegistry[] = [];

beforeAll(async () => {
  registry = await openRegistry();
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  for (const each of processes) await each.stop();
  await registry.stop();
});

async function openBeside(settings: Record<string, string> = {}): Promise<ProcessRegistry> {
  const opened = await openProcess(registry.database.serviceUrl, settings);
  processes.push(opened);
  return opened;
}

const dayMs = 24 * 60 * 60 * 1000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

describe('The key of a user', () => {
  const identityOf = async (key: string) => {
    const { scopes, team_ids, all_teams } = must(await world.admin.as(key).getIdentity(), 200);
    return { scopes, team_ids, all_teams };
  };

  test('may do only what the user may do now: a demotion and its reversal take effect at once', async () => {
    const team_id = world.producer.teamId;
    const user = await createUser(world.admin, { role: 'admin', team_id });
    const key = await issueKey(world.admin, { user_id: user.id, scopes: ['admin'] });
    const params = { user_id: user.id };
    const client = world.admin.as(key);
    must(await client.createTeam({ body: { name: uniqueName('by an admin') } }), 201);
    must(await world.admin.updateUser({ params, body: { role: 'editor' } }), 200);
    await expect
      .poll(() => identityOf(key))
      .toEqual({ scopes: ['read', 'acknowledge', 'write'], team_ids: [team_id], all_teams: false });
    const body = { name: uniqueName('by an editor') };
    mustRefuse(await client.createTeam({ body }), 403, 'FORBIDDEN');
    await createAsset({ ...world.producer, key, client });
    must(await world.admin.updateUser({ params, body: { role: 'viewer' } }), 200);
    await expect.poll(async () => (await identityOf(key)).scopes).toEqual(['read']);
    must(await world.admin.updateUser({ params, body: { role: 'admin' } }), 200);
    await expect.poll(async () => (await identityOf(key)).scopes).toContain('admin');
  });

  test("acts only for the user's team, and for none once the user leaves it", async () => {
    const { producer, consumer, other } = world;
    const user = await createUser(world.admin, { role: 'editor', team_id: consumer.teamId });
    const own = await issueKey(world.admin, {
      user_id: user.id,
      team_id: consumer.teamId,
      scopes: ['write'],
    });
    const all = await issueKey(world.admin, {
      user_id: user.id,
      all_teams: true,
      scopes: ['write'],
    });
    expect([await identityOf(own), await identityOf(all)]).toEqual([
      { scopes: ['read', 'acknowledge', 'write'], team_ids: [consumer.teamId], all_teams: false },
      { scopes: ['read', 'write'], team_ids: [consumer.teamId], all_teams: false },
    ]);
    const { proposalId } = await proposedAsset(producer, [consumer]);
    const params = { user_id: user.id };
    must(await world.admin.updateUser({ params, body: { team_id: other.teamId } }), 200);
    await expect.poll(async () => (await identityOf(own)).team_ids).toEqual([]);
    expect((await identityOf(all)).team_ids).toEqual([other.teamId]);
    const answer = world.admin
      .as(own)
      .acknowledgeProposal({ params: { proposal_id: proposalId }, body: {} });
    mustRefuse(await answer, 403, 'FORBIDDEN');
  });
});

describe('A new key', () => {
  const issue = (client: World['admin'], expires_at?: string) =>
    client.issueApiKey({
      body: {
        name: uniqueName('ending'),
        team_id: world.other.teamId,
        scopes: ['read'],
        ...(expires_at !== undefined && { expires_at }),
      },
    });

  test('expires after 365 days or earlier if requested; later is refused', async () => {
    const { created_at, expires_at } = must(await issue(world.admin), 201);
    const life = Date.parse(expires_at ?? '') - Date.parse(created_at);
    expect(Math.round(life / dayMs)).toBe(365);
    const soon = inDays(3);
    expect(must(await issue(world.admin, soon), 201).expires_at).toBe(soon);
    const refused = mustRefuse(await issue(world.admin, inDays(366)), 400, 'VALIDATION_ERROR');
    expect(refused).toMatchObject({
      field: 'expires_at',
      message: expect.stringMatching(
        /^API keys of this registry expire after at most 365 days \(API_KEY_MAX_DAYS\)\. Choose a time before \S+Z, or omit expires_at\.$/,
      ),
    });
  });

  test('never expires if API_KEY_MAX_DAYS is 0, unless requested', async () => {
    const { url } = await openBeside({ API_KEY_MAX_DAYS: '0' });
    const client = openClient(url, registry.bootstrapKey);
    expect(must(await issue(client), 201).expires_at).toBeNull();
    const late = inDays(4000);
    expect(must(await issue(client, late), 201).expires_at).toBe(late);
  });

  test('is reported once, a month before it ends, and counted in a metric', async () => {
    const [ending, later, short] = [
      must(await issue(world.admin), 201),
      must(await issue(world.admin, inDays(40)), 201),
      must(await issue(world.admin, inDays(20)), 201),
    ];
    await registry.database.query(
      `update api_key set created_at = now() - interval '300 days',
         expires_at = now() + interval '29 days' where id = $1`,
      [ending.id],
    );
    const ended = must(
      await world.admin.listApiKeys({ query: { ends_before: inDays(30) } }),
      200,
    ).results;
    const issued = [ending, later, short].map(({ id }) => id);
    const found = ended.map(({ id }) => id).filter((id) => issued.includes(id));
    expect(found).toEqual([short.id, ending.id]);
    const reported = async () => {
      const query = { event_type: 'api_key.expiring' } as const;
      return must(await world.admin.listEvents({ query }), 200).results;
    };
    // Each process runs a sweep when it starts.
    await openBeside();
    const { url } = await openBeside();
    await expect.poll(reported).toHaveLength(1);
    expect((await reported())[0]).toMatchObject({
      entity_type: 'api_key',
      entity_id: ending.id,
      actor_type: 'system',
      metadata: { name: ending.name, team_id: world.other.teamId },
    });
    const metrics = await readMetrics(url);
    expect(metrics.value('concordat_api_keys_expiring')).toBe(1);
    const noted = await registry.database.query(
      'select end_noted_at is null as none from api_key where id = any($1) order by created_at',
      [[ending.id, later.id, short.id]],
    );
    expect(noted.map((row) => row.none)).toEqual([false, true, true]);
  });
});

describe('While an administrator exists, the bootstrap key', () => {
  async function startWith(settings: Record<string, string>) {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const read = readConfig({
      DATABASE_URL: registry.database.url,
      MIGRATE: 'false',
      PORT: '0',
      HOST: '127.0.0.1',
      BOOTSTRAP_KEY: registry.bootstrapKey,
      ...settings,
    });
    if (!read.ok) throw new Error(read.problems.join('\n'));
    const server = await start(read.config, log);
    const metric = (await readMetrics(server.url)).value('concordat_bootstrap_key_accepted');
    const { status } = await openClient(server.url, registry.bootstrapKey).listTeams();
    return { server, metric, status, warned: lines.join('').includes('BOOTSTRAP_KEY still works') };
  }

  test('works, with a warning at the start and in a metric', async () => {
    const { server, ...shown } = await startWith({});
    await server.stop();
    expect(shown).toEqual({ metric: 1, status: 200, warned: true });
  });

  test('is refused with BOOTSTRAP_KEY_DISABLED_AFTER_SETUP, while there is an administrator', async () => {
    const { server, ...shown } = await startWith({ BOOTSTRAP_KEY_DISABLED_AFTER_SETUP: 'true' });
    expect(shown).toEqual({ metric: 0, status: 401, warned: false });
    await registry.database.query(
      `update app_user set deactivated_at = now() where role = 'admin' and deactivated_at is null`,
    );
    must(await openClient(server.url, registry.bootstrapKey).listTeams(), 200);
    await server.stop();
  });
});

test('A session ends after seven days, however active it is', async () => {
  const aged = async (interval: string) => {
    const user = await createUser(world.admin);
    const session = await signIn(openClient(registry.url), user.email);
    await registry.database.query(
      'update session set created_at = created_at - $1::interval where user_id = $2',
      [interval, user.id],
    );
    return (await world.admin.signedIn(session).getIdentity()).status;
  };
  expect(await aged('7 days')).toBe(401);
  expect(await aged('6 days 23 hours')).toBe(200);
});
