// What the database itself refuses, whoever writes.

import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RegistryUnavailable } from '../../src/core/unavailable.ts';
import { whileAvailable } from '../../src/store/postgres/database-errors.ts';
import { openPool, parseTimestamp } from '../../src/store/postgres/pool.ts';
import { openStore } from '../../src/store/store.ts';
import {
  accepted,
  codeOf,
  consume,
  contextOf,
  makeAsset,
  makeTeam,
  newName,
  openWorld,
  published,
  schemaOf,
  verbs,
  type World,
} from '../registry/world.ts';
import { startPostgresProxy } from '../support/postgres/postgres-proxy.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('the database refuses', () => {
  test('a second active contract, and a repeated version', async () => {
    const { ports, database } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    await published(ports, asset.id, schemaOf('a'));
    await published(ports, asset.id, schemaOf('a', 'b'));
    const of = 'where asset_id = $1';
    await expect(
      database.query(`update contract set status = 'active' ${of}`, [asset.id]),
    ).rejects.toThrow('contract_one_active');
    await expect(
      database.query(`update contract set version = '9.9.9' ${of}`, [asset.id]),
    ).rejects.toThrow('contract_asset_id_version_key');
  });

  test('an audit event that is altered, removed or wiped away, in its partition too', async () => {
    const { ports, database } = world;
    await makeTeam(ports);
    const refusal = 'audit events are never changed';
    await expect(database.query(`update audit_event set metadata = '{}'`)).rejects.toThrow(refusal);
    await expect(database.query('delete from audit_event')).rejects.toThrow(refusal);
    await expect(database.query('truncate audit_event')).rejects.toThrow(refusal);
    const [{ name } = { name: '' }] = await database.query(
      'select tableoid::regclass::text as name from audit_event limit 1',
    );
    expect(name).toMatch(/^audit_event_\d{4}_\d\d$/);
    await expect(database.query(`truncate ${name}`)).rejects.toThrow(refusal);
    await expect(database.query(`delete from ${name}`)).rejects.toThrow(refusal);
    await expect(database.query('truncate audit_event_default')).rejects.toThrow(refusal);
  });

  test('a registration without a team', async () => {
    const { ports, database } = world;
    const [owner, team] = [await makeTeam(ports), await makeTeam(ports)];
    const asset = await makeAsset(ports, owner);
    const { id } = await published(ports, asset.id, schemaOf('a'));
    const registration = await consume(ports, id, team);
    const set = (value: string) =>
      database.query(`update registration set consumer_team_id = ${value} where id = $1`, [
        registration.id,
      ]);
    await expect(set('null')).rejects.toThrow('not-null');
    await expect(set('gen_random_uuid()')).rejects.toThrow('consumer_team_id_fkey');
  });

  test('two open proposals of one asset', async () => {
    const { ports, database } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    await published(ports, asset.id, schemaOf('a', 'b'));
    const proposing = { assetId: asset.id, schema: schemaOf('a'), dryRun: false, supersede: true };
    accepted(await verbs.publishContract(ports, contextOf(), proposing));
    const other = { ...proposing, schema: schemaOf('b') };
    accepted(await verbs.publishContract(ports, contextOf(), other));
    await expect(
      database.query(`update proposal set status = 'approved' where asset_id = $1`, [asset.id]),
    ).rejects.toThrow('proposal_one_open');
  });
});

describe('the store', () => {
  test('creates the partitions of this month and of the next three', async () => {
    const rows = await world.database.query(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'audit_event'::regclass order by 1`,
    );
    const now = new Date();
    const expected = [0, 1, 2, 3].map((months) => {
      const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
      return `audit_event_${first.toISOString().slice(0, 7).replace('-', '_')}`;
    });
    expect(rows.map(({ name }) => name)).toEqual([...expected, 'audit_event_default'].toSorted());
  });

  test('deletes expired idempotency keys', async () => {
    const { database } = world;
    await database.query(
      `insert into idempotency (actor_id, key, method, path, body_digest, created_at)
       select gen_random_uuid(), key, 'POST', '/', '', now() - make_interval(hours => hours)
       from (values ('old', 49), ('young', 23)) as kept (key, hours)`,
    );
    const store = await openStore({ url: database.url });
    await store.maintain();
    await store.stop();
    expect(await database.query('select key from idempotency')).toEqual([{ key: 'young' }]);
  });

  test('writes row, event and message together: a failure leaves none of them', async () => {
    const { ports, database } = world;
    const team = await makeTeam(ports);
    const counts = () =>
      database.query(
        `select (select count(*) from asset) as assets, (select count(*) from audit_event) as events,
           (select count(*) from outbox) as messages`,
      );
    const before = await counts();
    // The event, which is written last, contains the actor's name.
    const actor = { ...contextOf().actor, id: 'not a uuid' };
    const command = { fqn: newName('a.b'), ownerTeamId: team.id };
    await expect(verbs.createAsset(ports, { ...contextOf(), actor }, command)).rejects.toThrow();
    expect(await counts()).toEqual(before);
    accepted(await verbs.createAsset(ports, contextOf(), command));
    expect(await counts()).not.toEqual(before);
  });

  test('refuses a text that Postgres cannot store, and changes nothing', async () => {
    const { ports } = world;
    const name = `nul ${'\u0000'}`;
    expect(codeOf(await verbs.createTeam(ports, contextOf(), { name }))).toBe('VALIDATION_ERROR');
  });

  test('reads times as they were written, to the millisecond', () => {
    expect(parseTimestamp('2026-01-31 12:00:00+00')).toBe('2026-01-31T12:00:00.000Z');
    expect(parseTimestamp('2026-01-31 12:00:00.1+00')).toBe('2026-01-31T12:00:00.100Z');
    expect(parseTimestamp('2026-01-31 12:00:00.123456+00')).toBe('2026-01-31T12:00:00.123Z');
    expect(parseTimestamp('2026-01-31 14:30:00.5+02:30')).toBe('2026-01-31T12:00:00.500Z');
  });
});

test("sets sessions to UTC without JIT, whatever the server's settings", async () => {
  const pool = await openPool({ url: world.database.url, maxConnections: 1, rowChecks: 'every' });
  const row = z.object({ zone: z.string(), jit: z.string() });
  const settings = await pool.one(
    sql.type(row)`select current_setting('TimeZone') as zone, current_setting('jit') as jit`,
  );
  await pool.end();
  expect(settings).toEqual({ zone: 'UTC', jit: 'off' });
});

test('treats a database that does not respond as unavailable, after a while', async () => {
  const proxy = await startPostgresProxy(world.database.url);
  const pool = await openPool({ url: proxy.url, maxConnections: 2, rowChecks: 'none' });
  const ask = () =>
    whileAvailable(() => pool.oneFirst(sql.type(z.object({ n: z.int() }))`select 1 as n`), 300);
  expect(await ask()).toBe(1);
  proxy.stall();
  await expect(ask()).rejects.toThrow(RegistryUnavailable);
  proxy.heal();
  expect(await ask()).toBe(1);
  await pool.end();
  await proxy.close();
});

test('refuses a read on a connection that no longer responds before the connection is given up', async () => {
  const proxy = await startPostgresProxy(world.database.url);
  const store = await openStore({ url: proxy.url, maxConnections: 2 });
  // Both connections are open; a new one would be refused for a reason of its own.
  await Promise.all([store.reads.hasUsers(), store.reads.hasUsers()]);
  proxy.stall();
  const ended: string[] = [];
  // Asked first, and given up with its connection.
  const renewal = store.fences
    .renew({ identity: 'nobody', number: 1 })
    .catch(() => ended.push('renewal'));
  const read = store.reads.hasUsers();
  await expect(read.finally(() => ended.push('read'))).rejects.toThrow(RegistryUnavailable);
  expect(ended).toEqual(['read']);
  proxy.heal();
  await renewal;
  await store.stop();
  await proxy.close();
});
