// Denied attempts in the audit trail; callers behind a proxy; unpinned versions over time.

import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/ops/config/config.ts';
import { checkedFetch } from '../../support/client/client.ts';
import { openProcess } from '../../support/client/client-registry.ts';
import {
  createAsset,
  createUser,
  must,
  mustRefuse,
  openParty,
  openRegistryForFile,
  orderSchema,
  publishOk,
  register,
  signIn,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile({
  TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8',
  RATE_LIMIT_LOGIN: '3',
});

async function deniedOf(actorId: string) {
  const query = { event_type: 'auth.denied', actor_id: actorId } as const;
  return must(await world.admin.listEvents({ query }), 200).results;
}

async function actorIdOf(client: World['admin']): Promise<string> {
  return must(await client.getIdentity(), 200).id;
}

describe('auth.denied', () => {
  test('is recorded for a key that lacks the scope, and for one of another team', async () => {
    const party = await openParty(world.admin, 'denied');
    const asset = await createAsset(world.producer);
    const params = { asset_id: asset.id };
    const path = `/api/v1/assets/${asset.id}`;
    mustRefuse(await party.client.updateAsset({ params, body: {} }), 403, 'FORBIDDEN');
    mustRefuse(await party.client.createTeam({ body: { name: 'never' } }), 403, 'FORBIDDEN');
    const id = await actorIdOf(party.client);
    expect(await deniedOf(id)).toEqual([
      expect.objectContaining({
        entity_type: 'api_key',
        entity_id: id,
        actor_type: 'api_key',
        metadata: expect.objectContaining({ method: 'POST', path: '/api/v1/teams' }),
      }),
      expect.objectContaining({
        entity_type: 'api_key',
        metadata: expect.objectContaining({
          method: 'PATCH',
          path,
          reason: expect.stringContaining('owning team'),
          unnoted_before: 0,
        }),
      }),
    ]);
  });

  test('is recorded for a user once a minute for each route', async () => {
    const user = await createUser(world.admin, { role: 'viewer' });
    const client = world.admin.signedIn(await signIn(world.admin.as(undefined), user.email));
    for (let i = 0; i < 5; i++) {
      mustRefuse(await client.createTeam({ body: { name: `never ${i}` } }), 403, 'FORBIDDEN');
    }
    const events = await deniedOf(user.id);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ entity_type: 'user', actor_type: 'user' });
  });

  test('is recorded for an import for another team', async () => {
    const party = await openParty(world.admin, 'importing');
    const body = { schema: 'type A { a: Int }', owner_team_id: world.producer.teamId };
    mustRefuse(await party.client.importGraphql({ body }), 403, 'FORBIDDEN');
    const [event] = await deniedOf(await actorIdOf(party.client));
    expect(event?.metadata).toMatchObject({ method: 'POST', path: '/api/v1/sync/graphql' });
  });

  test('is not recorded for successes or other refusals', async () => {
    const party = await openParty(world.admin, 'allowed');
    await createAsset(party);
    const params = { asset_id: '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21' };
    mustRefuse(await party.client.getAsset({ params }), 404, 'ASSET_NOT_FOUND');
    expect(await deniedOf(await actorIdOf(party.client))).toEqual([]);
  });
});

describe('Behind trusted proxies', () => {
  const logIn = (forwarded: string) =>
    checkedFetch(`${registry.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong' }),
    });

  test('logins are counted by the address that the last proxy saw', async () => {
    const tries = async (forwarded: (i: number) => string) => {
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) {
        statuses.push((await logIn(forwarded(i))).status);
      }
      return statuses;
    };
    expect(await tries(() => '198.51.100.1')).toEqual([401, 401, 401, 429]);
    expect(await tries((i) => `198.51.100.${10 + i}`)).toEqual([401, 401, 401, 401]);
    // Addresses that the caller added itself are not trusted, nor is a chain through another proxy.
    expect(await tries((i) => `203.0.113.${i}, 198.51.100.20`)).toEqual([401, 401, 401, 429]);
    expect(await tries((i) => `198.51.100.30, 10.1.2.${i}`)).toEqual([401, 401, 401, 429]);
    const query = { event_type: 'auth.login_failed', limit: 1 } as const;
    const [last] = must(await world.admin.listEvents({ query }), 200).results;
    expect(last?.metadata).toMatchObject({ address: '198.51.100.30' });
  });

  test.each(['10.0.0.0/33', 'proxy.example.com', '10.0.0.1/8/8', '::1/129'])(
    'the setting refuses %s',
    (network) => {
      const read = readConfig({ TRUSTED_PROXIES: network });
      expect(read.ok ? [] : read.problems[0]).toContain('TRUSTED_PROXIES');
    },
  );
});

describe('ARCHIVE_AFTER', () => {
  test('archives deprecated versions that nobody pins, once they are old enough', async () => {
    const asset = await createAsset(world.producer);
    const pinned = await createAsset(world.producer);
    const { client } = world.producer;
    const old = await publishOk(client, asset.id, { schema: orderSchema });
    const kept = await publishOk(client, pinned.id, { schema: orderSchema });
    await register(world.consumer, kept);
    await publishOk(client, asset.id, { schema: widerSchema });
    await registry.database.query(
      `update contract set status = 'deprecated', deprecated_at = now() - interval '40 days'
       where id = '${kept}'`,
    );
    await registry.database.query(
      `update contract set deprecated_at = now() - interval '40 days' where id = '${old}'`,
    );
    const young = await createAsset(world.producer);
    const recent = await publishOk(client, young.id, { schema: orderSchema });
    await publishOk(client, young.id, { schema: widerSchema });
    // A sweep is among the first actions of a process.
    const sweeping = await openProcess(registry.database.serviceUrl, { ARCHIVE_AFTER: '30d' });
    const statusOf = async (id: string) =>
      must(await world.admin.getContract({ params: { contract_id: id } }), 200).status;
    await expect.poll(() => statusOf(old), { timeout: 10_000 }).toBe('archived');
    expect([await statusOf(kept), await statusOf(recent)]).toEqual(['deprecated', 'deprecated']);
    await sweeping.stop();
    const query = { entity_id: old, event_type: 'contract.archived' } as const;
    const [event] = must(await world.admin.listEvents({ query }), 200).results;
    expect(event?.actor_type).toBe('system');
  });

  test('skips versions of deleted assets, however many', async () => {
    const { client } = world.producer;
    const gone = await createAsset(world.producer);
    const first = await publishOk(client, gone.id, { schema: orderSchema });
    // As many as one sweep handles.
    await registry.database.query(
      `insert into contract (id, asset_id, ordinal, version, status, schema, schema_digest,
         compatibility_mode, format, direction, change_type, published_at, published_by, actor_type,
         actor_id, actor_name, source, deprecated_at)
       select gen_random_uuid(), asset_id, i, i || '.0.0', 'deprecated', schema, schema_digest,
         compatibility_mode, format, direction, 'major', published_at, published_by, actor_type,
         actor_id, actor_name, source, now() - interval '50 days'
       from contract, generate_series(2, 101) i where id = '${first}'`,
    );
    must(await client.deleteAsset({ params: { asset_id: gone.id } }), 204);
    const asset = await createAsset(world.producer);
    const old = await publishOk(client, asset.id, { schema: orderSchema });
    await publishOk(client, asset.id, { schema: widerSchema });
    await registry.database.query(
      `update contract set deprecated_at = now() - interval '40 days' where id = '${old}'`,
    );
    const sweeping = await openProcess(registry.database.serviceUrl, { ARCHIVE_AFTER: '30d' });
    const statusOf = async (id: string) =>
      must(await world.admin.getContract({ params: { contract_id: id } }), 200).status;
    await expect.poll(() => statusOf(old), { timeout: 10_000 }).toBe('archived');
    await sweeping.stop();
    // The next holder of the name continues with them.
    const versions = await world.admin.listContracts({
      query: { asset_id: gone.id, status: 'archived' },
    });
    expect(must(versions, 200).total).toBe(0);
  });

  test.each(['30', '0d', '1w', '-1d'])('refuses %s', (text) => {
    const read = readConfig({ ARCHIVE_AFTER: text });
    expect(read.ok ? [] : read.problems[0]).toContain('ARCHIVE_AFTER');
  });
});
