// Signing in and out, and what a cookie may do.

import { createHook } from 'node:async_hooks';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyScopes } from '../../../src/core/actor.ts';
import { cookieOf as sessionCookie } from '../../../src/http/request/caller/session.ts';
import { readConfig } from '../../../src/ops/config/config.ts';
import { start } from '../../../src/start/serve.ts';
import { checkedFetch, openClient, type TestClient } from '../../support/client/client.ts';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import {
  cookieOf,
  createUser,
  must,
  mustRefuse,
  openWorld,
  password,
  proposedAsset,
  signIn,
  uniqueName,
  type World,
} from '../../support/client/client-world.ts';

let registry: TestRegistry;
let second: ProcessRegistry;
let world: World;
let stranger: TestClient;

beforeAll(async () => {
  registry = await openRegistry();
  second = await openProcess(registry.database.serviceUrl);
  world = await openWorld(registry.url, registry.bootstrapKey);
  stranger = world.admin.as(undefined);
});
afterAll(async () => {
  await second.stop();
  await registry.stop();
});

const newTeam = () => ({ body: { name: uniqueName('by cookie') } });

async function openSession(role: 'admin' | 'editor' | 'viewer' = 'admin') {
  const user = await createUser(world.admin, { role, team_id: world.producer.teamId });
  const session = await signIn(stranger, user.email);
  return { user, session, client: world.admin.signedIn(session) };
}

async function typesOf(entity_id: string): Promise<string[]> {
  const params = { entity_type: 'user', entity_id } as const;
  const { results } = must(await world.admin.listEntityHistory({ params }), 200);
  return results.map(({ event_type }) => event_type);
}

describe('Signing in', () => {
  test('returns the user and the token, and sets a cookie that scripts cannot read', async () => {
    const user = await createUser(world.admin, { role: 'editor' });
    const answer = await stranger.logIn({ body: { email: user.email.toUpperCase(), password } });
    expect(must(answer, 200)).toEqual({ user, csrf_token: expect.stringMatching(/^.{43}$/) });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^concordat_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(await typesOf(user.id)).toEqual(['auth.login', 'user.created']);
  });

  test('behind TLS sets a Secure cookie', () => {
    const secure = 'concordat_session=t; Path=/; HttpOnly; SameSite=Lax; Secure';
    expect(sessionCookie('t', { isBehindTls: true, basePath: '' })).toBe(secure);
  });

  test('stores only a digest of the cookie', async () => {
    const { session } = await openSession();
    const token = session.cookie.split('=')[1] ?? '';
    const rows = await registry.database.query(
      `select (select count(*)::int from session
         where digest = sha256(convert_to($1, 'UTF8'))) as digests,
       (select count(*)::int from session where session::text like '%' || $1 || '%') as texts,
       (select count(*)::int from audit_event where metadata::text like '%' || $1 || '%') as events`,
      [token],
    );
    expect(rows).toEqual([{ digests: 1, texts: 0, events: 0 }]);
  });

  test("sets a new cookie each time, and ends the browser's previous session", async () => {
    const { user, session, client } = await openSession();
    const again = await client.logIn({ body: { email: user.email, password } });
    must(again, 200);
    const cookie = cookieOf(again.headers);
    expect(cookie).not.toBe(session.cookie);
    expect((await client.getIdentity()).status).toBe(401);
    const fresh = await openClient(world.url, undefined, { cookie }).getIdentity();
    expect(must(fresh, 200).user).toEqual(user);
  });

  test('does not accept a cookie that was planted before', async () => {
    const planted = `concordat_session=${'A'.repeat(43)}`;
    const { email } = await createUser(world.admin);
    const browser = openClient(world.url, undefined, { cookie: planted });
    const answer = await browser.logIn({ body: { email, password } });
    must(answer, 200);
    expect(cookieOf(answer.headers)).not.toBe(planted);
    expect((await browser.getIdentity()).status).toBe(401);
  });

  test('from another website is 403', async () => {
    const { email } = await createUser(world.admin);
    const headers = { origin: 'https://elsewhere.example.com' };
    mustRefuse(await stranger.logIn({ body: { email, password }, headers }), 403, 'FORBIDDEN');
  });
});

describe('A failed sign-in', () => {
  test('gets the same 401 and costs the same work, whatever the reason', async () => {
    const active = await createUser(world.admin);
    const gone = await createUser(world.admin);
    must(await world.admin.deactivateUser({ params: { user_id: gone.id } }), 204);
    const bare = must(await world.admin.createUser({ body: { email: 'bare@example.com' } }), 201);
    const tries = [
      { email: active.email, password: 'a wrong password' },
      { email: 'nobody@example.com', password },
      { email: gone.email, password },
      { email: bare.email, password },
    ];
    let hashed = 0;
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'SCRYPTREQUEST') hashed++;
      },
    }).enable();
    const answers: unknown[] = [];
    for (const body of tries) {
      hashed = 0;
      const refusal = mustRefuse(await stranger.logIn({ body }), 401, 'UNAUTHENTICATED');
      answers.push({ refusal, hashed });
    }
    hook.disable();
    expect(answers).toEqual(tries.map(() => ({ ...(answers[0] as object), hashed: 1 })));
    expect(await typesOf(active.id)).toEqual(['auth.login_failed', 'user.created']);
    expect((await typesOf(gone.id))[0]).toBe('auth.denied');
    const query = { event_type: 'auth.login_failed' } as const;
    const failed = must(await world.admin.listEvents({ query }), 200).results;
    expect(failed).toContainEqual(
      expect.objectContaining({
        actor_type: 'system',
        metadata: expect.objectContaining({ email: 'nobody@example.com' }),
      }),
    );
    expect(JSON.stringify(failed)).not.toContain('a wrong password');
  });
});

describe('A session', () => {
  test.each([
    ['viewer', ['read']],
    ['editor', ['read', 'acknowledge', 'write']],
    ['admin', [...keyScopes]],
  ] as const)('of a %s has the scopes of the role', async (role, scopes) => {
    const { user, session, client } = await openSession(role);
    expect(must(await client.getIdentity(), 200)).toEqual({
      type: 'user',
      id: user.id,
      name: user.name,
      scopes,
      team_ids: [world.producer.teamId],
      all_teams: false,
      user,
      four_eyes: false,
      csrf_token: session.csrfToken,
    });
  });

  test('acts as its user in the audit trail', async () => {
    const { user, client } = await openSession();
    const team = must(await client.createTeam(newTeam()), 201);
    const params = { entity_type: 'team', entity_id: team.id } as const;
    const [event] = must(await world.admin.listEntityHistory({ params }), 200).results;
    expect(event).toMatchObject({ actor_type: 'user', actor_id: user.id });
  });

  test("needs its token and the server's own page for every change", async () => {
    const { user, session } = await openSession();
    const { cookie, csrfToken } = session;
    const token = { 'x-csrf-token': csrfToken };
    const by = (headers: Record<string, string>) =>
      openClient(world.url, undefined, { cookie, ...headers });
    const own = { origin: world.url };
    const refused: Record<string, string>[] = [
      { ...own },
      { ...own, 'x-csrf-token': 'another' },
      { ...own, 'x-csrf-token': (await openSession()).session.csrfToken },
      { ...token },
      { ...token, origin: 'null' },
      { ...token, origin: 'https://elsewhere.example.com' },
      { ...token, referer: 'https://elsewhere.example.com/a' },
      { ...token, origin: `${world.url}.example.com` },
    ];
    for (const headers of refused) {
      mustRefuse(await by(headers).createTeam(newTeam()), 403, 'FORBIDDEN');
      must(await by(headers).listTeams(), 200);
    }
    expect((await typesOf(user.id)).filter((type) => type === 'auth.denied')).toHaveLength(
      refused.length,
    );
    must(await by({ ...token, referer: `${world.url}/assets` }).createTeam(newTeam()), 201);
    must(await by({ ...token, ...own }).createTeam(newTeam()), 201);
  });

  test('is ignored if a key is sent with it', async () => {
    const { session } = await openSession();
    const both = openClient(world.url, world.other.key, { cookie: session.cookie });
    expect(must(await both.getIdentity(), 200)).toMatchObject({ type: 'api_key', user: null });
  });

  test('ends after 12 hours without a request', async () => {
    const idle = async (interval: string) => {
      const { user, client } = await openSession();
      await registry.database.query(
        `update session set last_seen_at = last_seen_at - $1::interval where user_id = $2`,
        [interval, user.id],
      );
      return (await client.getIdentity()).status;
    };
    expect(await idle('12 hours')).toBe(401);
    expect(await idle('11 hours 59 minutes')).toBe(200);
  });

  test('ends on every server when the user signs out', async () => {
    const { user, session, client } = await openSession();
    const elsewhere = openClient(second.url, undefined, { cookie: session.cookie });
    must(await elsewhere.getIdentity(), 200);
    const out = await client.logOut();
    must(out, 204);
    expect(out.headers.get('set-cookie')).toMatch(/^concordat_session=; Max-Age=0; Path=\//);
    expect((await client.getIdentity()).status).toBe(401);
    await expect.poll(async () => (await elsewhere.getIdentity()).status).toBe(401);
    expect((await typesOf(user.id))[0]).toBe('auth.logout');
  });

  test('ends on every server when its user is deactivated', async () => {
    const { user, session, client } = await openSession();
    const elsewhere = openClient(second.url, undefined, { cookie: session.cookie });
    must(await client.getIdentity(), 200);
    must(await elsewhere.getIdentity(), 200);
    must(await world.admin.deactivateUser({ params: { user_id: user.id } }), 204);
    await expect.poll(async () => (await client.getIdentity()).status).toBe(401);
    await expect.poll(async () => (await elsewhere.getIdentity()).status).toBe(401);
    must(
      await world.admin.updateUser({
        params: { user_id: user.id },
        body: { deactivated_at: null },
      }),
      200,
    );
    expect((await client.getIdentity()).status).toBe(401);
  });

  test('ends with a new password, and loses the rights that another role does not have', async () => {
    const { user, client } = await openSession();
    const params = { user_id: user.id };
    must(await world.admin.updateUser({ params, body: { role: 'viewer' } }), 200);
    await expect.poll(async () => (await client.createTeam(newTeam())).status).toBe(403);
    must(await world.admin.updateUser({ params, body: { password: 'another one' } }), 200);
    await expect.poll(async () => (await client.getIdentity()).status).toBe(401);
    mustRefuse(
      await stranger.logIn({ body: { email: user.email, password } }),
      401,
      'UNAUTHENTICATED',
    );
  });
});

test('A user without a team gets an explanation when answering a proposal', async () => {
  const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
  const user = await createUser(world.admin, { role: 'editor', team_id: null });
  const client = world.admin.signedIn(await signIn(stranger, user.email));
  const answer = client.acknowledgeProposal({ params: { proposal_id: proposalId }, body: {} });
  expect(mustRefuse(await answer, 403, 'FORBIDDEN').message).toMatch('You are not in a team');
});

test('Signing out with a key changes nothing', async () => {
  must(await world.other.client.logOut(), 204);
  must(await world.other.client.getIdentity(), 200);
});

test('A login that is not JSON, or has no password, is 400', async () => {
  const url = `${world.url}/api/v1/auth/login`;
  const send = (body: string) =>
    checkedFetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect((await send('{')).status).toBe(400);
  expect((await send('{"email":"ada@example.com"}')).status).toBe(400);
});

test('No password and no cookie is in a log, at any level', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const read = readConfig({
    DATABASE_URL: registry.database.url,
    MIGRATE: 'false',
    PORT: '0',
    HOST: '127.0.0.1',
    BOOTSTRAP_KEY: registry.bootstrapKey,
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const server = await start(read.config, log);
  const { email } = await createUser(world.admin);
  const client = openClient(server.url);
  const session = await signIn(client, email);
  must(await client.signedIn(session).getIdentity(), 200);
  mustRefuse(
    await client.logIn({ body: { email, password: 'wrong one' } }),
    401,
    'UNAUTHENTICATED',
  );
  await server.stop();
  const logged = lines.join('');
  expect(logged).toContain('serving');
  for (const secret of [password, 'wrong one', session.cookie.split('=')[1], session.csrfToken]) {
    expect(logged).not.toContain(secret);
  }
});
