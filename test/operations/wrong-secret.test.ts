// The password of the database is changed while a replica serves: its connections go, new ones are
// refused. It says so, waits, and goes on with the password that it knows once that is right again.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient } from '../support/client/client.ts';
import { openProcess, type ProcessRegistry } from '../support/client/client-registry.ts';
import { must, mustRefuse } from '../support/client/client-world.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

const key = 'bootstrap-key-of-the-tests';
const role = `wrong_secret_${process.pid}`;
const waiting = { timeout: 40_000, interval: 100 };

let database: TestDatabase;
let registry: ProcessRegistry;

beforeAll(async () => {
  database = await openDatabase();
  await database.query(`create role ${role} superuser login password 'the right one'`);
  const url = new URL(database.url);
  url.username = role;
  url.password = 'the right one';
  registry = await openProcess(url.href);
});

afterAll(async () => {
  await registry?.stop();
  await database?.drop();
});

test('a password that is wrong is reported, no process restarts, and it recovers', async () => {
  const client = openClient(registry.url, key);
  const team = must(await client.createTeam({ body: { name: 'Before' } }), 201);

  await database.query(`alter role ${role} password 'another one'`);
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
  );
  const refused = () => client.createTeam({ body: { name: 'While' } });
  await expect
    .poll(async () => {
      const answer = await refused();
      return answer.ok ? null : answer.refusal.message;
    }, waiting)
    .toContain("rejected the registry's password");
  mustRefuse(await refused(), 503, 'REGISTRY_UNAVAILABLE');
  expect((await fetch(`${registry.url}/health/live`)).status).toBe(200);
  const ready = await fetch(`${registry.url}/health/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { checks: { database: 'failing' } },
  ]);

  await database.query(`alter role ${role} password 'the right one'`);
  await expect.poll(async () => (await refused()).ok, waiting).toBe(true);
  const { results } = must(await client.listTeams({ query: {} }), 200);
  expect(results.map(({ id }) => id)).toContain(team.id);
  expect(results.map(({ name }) => name).sort()).toEqual(['Before', 'While']);
});
