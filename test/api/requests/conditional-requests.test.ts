// ETags and Idempotency-Keys: a repeated request takes effect once, and two editors cannot
// overwrite each other.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkedFetch, openClient } from '../../support/client/client.ts';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../../support/client/client-registry.ts';
import {
  createAsset,
  must,
  mustRefuse,
  narrowerSchema,
  openWorld,
  orderSchema,
  publishedAsset,
  register,
  uniqueName,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';

let registry: TestRegistry;
let beside: ProcessRegistry;
let world: World;

beforeAll(async () => {
  registry = await openRegistry();
  beside = await openProcess(registry.database.serviceUrl);
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await beside.stop();
  await registry.stop();
});

describe('An ETag', () => {
  test('gives 304 to If-None-Match as long as nothing changed', async () => {
    const { id } = await createAsset(world.producer);
    const url = `${registry.url}/api/v1/assets/${id}`;
    const get = (etag?: string) =>
      checkedFetch(url, {
        headers: {
          authorization: `Bearer ${world.producer.key}`,
          ...(etag !== undefined && { 'if-none-match': etag }),
        },
      });
    const etag = (await get()).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    const same = await get(etag);
    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await get(`"x", W/${etag}`)).status).toBe(304);
    expect((await get('*')).status).toBe(304);
    expect((await get('"other"')).status).toBe(200);
    const body = { metadata: { a: 1 } };
    must(await world.producer.client.updateAsset({ params: { asset_id: id }, body }), 200);
    const changed = await get(etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  test('of a PATCH is that of the next GET', async () => {
    const { id } = await createAsset(world.producer);
    const params = { asset_id: id };
    const { client } = world.producer;
    const patched = await client.updateAsset({ params, body: { metadata: { a: 1 } } });
    const got = await client.getAsset({ params });
    expect(patched.headers.get('etag')).toBe(got.headers.get('etag'));
  });

  test('guards PATCH and DELETE with If-Match: an outdated one is 412', async () => {
    const { id } = await createAsset(world.producer);
    const params = { asset_id: id };
    const { client } = world.producer;
    const etag = (await client.getAsset({ params })).headers.get('etag') ?? '';
    const headers = { 'if-match': etag };
    must(await client.updateAsset({ params, body: { metadata: { a: 1 } }, headers }), 200);
    const late = await client.updateAsset({ params, body: { metadata: { a: 2 } }, headers });
    mustRefuse(late, 412, 'PRECONDITION_FAILED');
    mustRefuse(await client.deleteAsset({ params, headers }), 412, 'PRECONDITION_FAILED');
    expect(must(await client.getAsset({ params }), 200).metadata).toEqual({ a: 1 });
    must(await client.deleteAsset({ params, headers: { 'if-match': '*' } }), 204);
  });

  test('guards teams, contracts and registrations alike', async () => {
    const { contractId } = await publishedAsset(world.producer);
    const { id } = await register(world.consumer, contractId);
    const headers = { 'if-match': '"stale"' };
    for (const result of [
      await world.admin.updateTeam({
        params: { team_id: world.other.teamId },
        body: { metadata: { a: 1 } },
        headers,
      }),
      await world.admin.deleteTeam({ params: { team_id: world.other.teamId }, headers }),
      await world.producer.client.updateContract({
        params: { contract_id: contractId },
        body: { status: 'deprecated' },
        headers,
      }),
      await world.consumer.client.updateRegistration({
        params: { registration_id: id },
        body: { notes: 'n' },
        headers,
      }),
      await world.consumer.client.deleteRegistration({ params: { registration_id: id }, headers }),
    ]) {
      mustRefuse(result, 412, 'PRECONDITION_FAILED');
    }
  });

  test('lets only one of two editors succeed, in two processes', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await createAsset(world.producer);
      const params = { asset_id: id };
      const etag = (await world.producer.client.getAsset({ params })).headers.get('etag') ?? '';
      const answers = await Promise.all(
        [registry.url, beside.url].map((url, editor) =>
          openClient(url, world.producer.key).updateAsset({
            params,
            body: { metadata: { editor } },
            headers: { 'if-match': etag },
          }),
        ),
      );
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412]);
    }
  });
});

describe('An Idempotency-Key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

  test('gives the second request the first response, and takes effect once', async () => {
    const body = { name: uniqueName('once') };
    const first = await world.admin.createTeam({ body, ...keyed('team-1') });
    const second = await world.admin.createTeam({ body, ...keyed('team-1') });
    expect(must(second, 201)).toEqual(must(first, 201));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const found = await world.admin.listTeams({ query: { name: body.name } });
    expect(must(found, 200).total).toBe(1);
  });

  test('with another body is 422 IDEMPOTENCY_MISMATCH', async () => {
    const name = uniqueName('mismatch');
    must(await world.admin.createTeam({ body: { name }, ...keyed('team-2') }), 201);
    const other = await world.admin.createTeam({
      body: { name: `${name} other` },
      ...keyed('team-2'),
    });
    mustRefuse(other, 422, 'IDEMPOTENCY_MISMATCH');
  });

  test('keeps no digest that a password could be guessed from', async () => {
    const email = `${uniqueName('kept').replaceAll(' ', '-')}@example.com`;
    const create = (password: string, more: object = {}) =>
      world.admin.createUser({
        body: { email, name: 'Kept', password, role: 'viewer', ...more },
        ...keyed('user-1'),
      });
    const first = must(await create('a long first password'), 201);
    const second = await create('another long password');
    expect(must(second, 201)).toEqual(first);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    mustRefuse(
      await create('a long first password', { name: 'Other' }),
      422,
      'IDEMPOTENCY_MISMATCH',
    );
  });

  test('is scoped by actor, method and path', async () => {
    const fqn = `scoped.${uniqueName('key').replace(' ', '_')}`;
    const mine = { fqn, owner_team_id: world.producer.teamId };
    must(await world.producer.client.createAsset({ body: mine, ...keyed('same') }), 201);
    const theirs = { fqn: `${fqn}_b`, owner_team_id: world.other.teamId };
    must(await world.other.client.createAsset({ body: theirs, ...keyed('same') }), 201);
    const { contractId } = await publishedAsset(world.producer);
    const body = {
      contract_id: contractId,
      consumer_team_id: world.producer.teamId,
      allow_self: true,
    };
    must(await world.producer.client.registerConsumer({ body, ...keyed('same') }), 201);
  });

  test('also replays a refusal', async () => {
    const body = { fqn: 'a.b.refused', owner_team_id: '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99' };
    const first = await world.admin.createAsset({ body, ...keyed('refused') });
    mustRefuse(first, 404, 'TEAM_NOT_FOUND');
    const second = await world.admin.createAsset({ body, ...keyed('refused') });
    mustRefuse(second, 404, 'TEAM_NOT_FOUND');
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  test('does not store a 403', async () => {
    const asset = await createAsset(world.other);
    const params = { asset_id: asset.id };
    const body = { schema: orderSchema };
    const refused = await world.producer.client.publishContract({ params, body, ...keyed('p') });
    mustRefuse(refused, 403, 'FORBIDDEN');
    const given = { owner_team_id: world.producer.teamId };
    must(await world.other.client.updateAsset({ params, body: given }), 200);
    const allowed = await world.producer.client.publishContract({ params, body, ...keyed('p') });
    must(allowed, 201);
  });

  test('of POST /api-keys is replayed without the secret', async () => {
    const body = { name: 'k', team_id: world.other.teamId, scopes: ['read' as const] };
    const first = must(await world.admin.issueApiKey({ body, ...keyed('key') }), 201);
    const second = must(await world.admin.issueApiKey({ body, ...keyed('key') }), 201);
    const { key, ...shown } = first;
    expect(key).toBeDefined();
    expect(second).toEqual(shown);
    const kept = await registry.database.query('select to_jsonb(i) as row from idempotency i');
    expect(JSON.stringify(kept)).not.toContain(key);
  });

  test('of a publish that became a proposal replays the same response', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const call = {
      params: { asset_id: assetId },
      body: { schema: narrowerSchema },
      ...keyed('proposal'),
    };
    const first = must(await world.producer.client.publishContract(call), 201);
    expect(must(await world.producer.client.publishContract(call), 201)).toEqual(first);
  });

  test('sent to two processes at once takes effect once, and both get the same response', async () => {
    for (let round = 0; round < 5; round++) {
      const body = { name: uniqueName('at once') };
      const answers = await Promise.all(
        [0, 1, 2, 3].map((i) =>
          openClient(i % 2 === 0 ? registry.url : beside.url, registry.bootstrapKey).createTeam({
            body,
            ...keyed(`at-once-${round}`),
          }),
        ),
      );
      const ids = answers.map((answer) => must(answer, 201).id);
      expect(new Set(ids).size).toBe(1);
    }
  });

  test('in use by another request waits, then is 409; afterwards it is answered', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const call = {
      params: { asset_id: assetId },
      body: { schema: widerSchema },
      ...keyed('in-flight'),
    };
    const blocker = new pg.Client(registry.database.url);
    blocker.on('error', () => {});
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('select from asset where id = $1 for update', [assetId]);
    const first = world.producer.client.publishContract(call);
    await vi.waitFor(async () => {
      const waiting = await registry.database.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      expect(waiting).toHaveLength(1);
    });
    const second = await openClient(beside.url, world.producer.key).publishContract(call);
    mustRefuse(second, 409, 'IDEMPOTENCY_CONFLICT');
    await blocker.query('rollback');
    await blocker.end();
    const landed = must(await first, 201);
    expect(must(await world.producer.client.publishContract(call), 201)).toEqual(landed);
  });

  test('does not store a 500: the same request succeeds once the cause is gone', async () => {
    const body = { name: uniqueName('crashed') };
    await registry.database.query('alter table team rename column slug to lost');
    const crashed = await world.admin.createTeam({ body, ...keyed('crashed') });
    await registry.database.query('alter table team rename column lost to slug');
    mustRefuse(crashed, 500, 'INTERNAL_ERROR');
    expect(registry.takeCrashes()).toHaveLength(1);
    must(await world.admin.createTeam({ body, ...keyed('crashed') }), 201);
  });

  test.each(['', ' ', 'a'.repeat(256), 'two words'])('"%s" is 400', async (key) => {
    const response = await checkedFetch(`${registry.url}/api/v1/teams`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${registry.bootstrapKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ name: uniqueName('never') }),
    });
    expect(response.status).toBe(400);
  });
});
