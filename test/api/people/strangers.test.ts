// Callers without a valid key are limited by address. Callers with one are not affected, even
// behind the same address or with an account that others guess at.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedFetch, openClient } from '../../support/client/client.ts';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import {
  createUser,
  issueKey,
  must,
  openWorld,
  signIn,
  type World,
} from '../../support/client/client-world.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres/postgres-proxy.ts';

const limit = 3;

let registry: TestRegistry;
let world: World;
let proxy: PostgresProxy;
let second: ProcessRegistry;

beforeAll(async () => {
  const settings = { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_STRANGER: String(limit) };
  registry = await openRegistry(settings, async (url) => {
    proxy = await startPostgresProxy(url);
    return proxy.url;
  });
  second = await openProcess(registry.database.serviceUrl);
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await second.stop();
  await registry.stop();
  await proxy.close();
});

const ask = (address: string, headers: Record<string, string> = {}, path = '/api/v1/teams') =>
  checkedFetch(`${registry.url}${path}`, { headers: { 'x-forwarded-for': address, ...headers } });

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

let guesses = 0;
const guess = () => bearer(`cdt_live_${String(guesses++).padStart(43, '0')}`);

async function statusesOf(count: number, one: (i: number) => Promise<Response>) {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await one(i)).status);
  return statuses;
}

describe('Without a valid key', () => {
  test.each<[string, () => Record<string, string>]>([
    ['no key', () => ({})],
    ['a key that is none', () => bearer('nonsense')],
    ['keys that were never issued', guess],
    ['a session that never was', () => ({ cookie: `concordat_session=${guesses++}` })],
  ])('an address is told 429 past its limit, with %s', async (what, headers) => {
    const address = `198.51.100.${what.length}`;
    expect(await statusesOf(limit, () => ask(address, headers()))).toEqual([401, 401, 401]);
    const refused = await ask(address, headers());
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({
      detail: {
        code: 'RATE_LIMITED',
        message: expect.stringMatching(
          /^Your address reached the limit of 3 requests a minute without a valid API key\. /,
        ),
      },
    });
    const told = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'];
    const [max, remaining, reset, after] = told.map((name) => Number(refused.headers.get(name)));
    expect([max, remaining]).toEqual([limit, 0]);
    expect(reset).toBeGreaterThan(0);
    expect(after).toBe(reset);
    expect((await ask('198.51.100.200', {})).headers.get('ratelimit-limit')).toBe(String(limit));
  });

  test('public routes and signing in are always available', async () => {
    const address = '198.51.100.50';
    await statusesOf(limit + 1, () => ask(address));
    for (const path of ['/health', '/health/ready', '/metrics', '/openapi.json', '/docs']) {
      expect((await ask(address, {}, path)).status, path).toBe(200);
    }
    const user = await createUser(world.admin);
    const session = await signIn(world.admin, user.email);
    expect((await ask(address, { cookie: session.cookie })).status).toBe(200);
  });

  test('all addresses of one IPv6 network are one', async () => {
    const ends = ['2001:db8:0:7::1', '2001:db8:0:7:1:2:3:4', '2001:DB8::7:0:0:0:9'];
    expect(await statusesOf(3, (i) => ask(ends[i] ?? ''))).toEqual([401, 401, 401]);
    expect((await ask('2001:db8:0:7:ffff::')).status).toBe(429);
    expect((await ask('2001:db8:0:8::1')).status).toBe(401);
  });

  test('unknown keys are looked up together, however many there are', async () => {
    const statements = await proxy.record(async () => {
      proxy.slow(100);
      const asked = Array.from({ length: 40 }, () => ask('198.51.100.60', guess()));
      for (const { status } of await Promise.all(asked)) expect([401, 429]).toContain(status);
      proxy.heal();
    });
    const lookups = statements.filter(({ text }) => /\bapi_key\b/.test(text));
    expect(lookups.length).toBeLessThan(20);
  });
});

describe('During many requests with invalid keys', () => {
  test('a key and a session that worked continue to work, even after the cache was cleared', async () => {
    const address = '198.51.100.70';
    const key = await issueKey(world.admin, { team_id: world.other.teamId, scopes: ['read'] });
    const user = await createUser(world.admin);
    const { cookie } = await signIn(world.admin, user.email);
    const both = async () => [
      (await ask(address, bearer(key))).status,
      (await ask(address, { cookie })).status,
    ];
    expect(await both()).toEqual([200, 200]);
    await statusesOf(limit + 2, () => ask(address, guess()));
    // A revocation anywhere makes the process drop its cached keys.
    const revoked = await issueKey(world.admin, { all_teams: true, scopes: ['read'] });
    expect((await ask('198.51.100.71', bearer(revoked))).status).toBe(200);
    const { id } = must(await world.admin.as(revoked).getIdentity(), 200);
    must(await world.admin.revokeApiKey({ params: { api_key_id: id } }), 204);
    await expect.poll(async () => (await ask('198.51.100.71', bearer(revoked))).status).toBe(401);
    expect(await both()).toEqual([200, 200]);
    expect((await ask(address, bearer(registry.bootstrapKey))).status).toBe(200);
  });

  test('a valid key is accepted above the limit, even if this process never saw it', async () => {
    const address = '198.51.100.72';
    const key = await issueKey(world.admin, { team_id: world.other.teamId, scopes: ['read'] });
    const user = await createUser(world.admin);
    const { cookie } = await signIn(openClient(second.url), user.email);
    await statusesOf(limit + 2, () => ask(address, guess()));
    expect((await ask(address, bearer(key))).status).toBe(200);
    expect((await ask(address, { cookie })).status).toBe(200);
    expect((await ask(address, guess())).status).toBe(429);
  });

  test('simultaneous readiness probes share one query', async () => {
    const statements = await proxy.record(async () => {
      const asked = Array.from({ length: 40 }, () => ask('198.51.100.80', {}, '/health/ready'));
      for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    });
    const looks = statements.filter(({ text }) => /\bfrom schema_migration\b/.test(text));
    expect(looks.length).toBeGreaterThan(0);
    expect(looks.length).toBeLessThan(20);
  });
});
