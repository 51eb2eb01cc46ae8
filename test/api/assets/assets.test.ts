// Assets: each promise of section 4 of the specification, and of service.md 4.2.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../../support/client/client.ts';
import {
  createAsset,
  must,
  mustRefuse,
  openParty,
  openRegistryForFile,
  orderSchema,
  proposedAsset,
  publishedAsset,
  publishOk,
  register,
  uniqueName,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';
const anId = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /assets', () => {
  test('answers 201 {id, fqn, owner_team_id, environment, created_at}', async () => {
    const body = { fqn: 'warehouse.sales.orders', owner_team_id: world.producer.teamId };
    const created = must(await world.producer.client.createAsset({ body }), 201);
    expect(created).toEqual({
      id: anId,
      fqn: body.fqn,
      owner_team_id: world.producer.teamId,
      environment: 'production',
      created_at: aTime,
    });
  });

  test('with an FQN that exists in the same environment is 409; in another environment it is another asset', async () => {
    const asset = await createAsset(world.producer);
    const body = { fqn: asset.fqn, owner_team_id: world.producer.teamId };
    mustRefuse(await world.producer.client.createAsset({ body }), 409, 'ASSET_EXISTS');
    const staging = { ...body, environment: 'staging' };
    expect(must(await world.producer.client.createAsset({ body: staging }), 201).id).not.toBe(
      asset.id,
    );
  });

  test.each([
    'orders',
    'a..b',
    '.a.b',
    'a.b.',
    'a b.c',
    'a.b/c',
    'ä.b',
    `a.${'b'.repeat(129)}`,
    `${'abcdefgh.'.repeat(112)}a`,
    '',
  ])('refuses the FQN "%s"', async (fqn) => {
    const body = { fqn, owner_team_id: world.producer.teamId };
    const refusal = mustRefuse(
      await world.producer.client.createAsset({ body }),
      400,
      'VALIDATION_ERROR',
    );
    expect(refusal.field).toBe('fqn');
  });

  test.each(['a.b', 'api.users.{id}.get', 'A-b_c.d', `a.${'b'.repeat(128)}`])(
    'accepts the FQN "%s"',
    async (fqn) => {
      const body = {
        fqn,
        owner_team_id: world.producer.teamId,
        environment: uniqueName('env').replace(' ', ''),
      };
      must(await world.producer.client.createAsset({ body }), 201);
    },
  );

  test('for a team that does not exist is 404 with the field', async () => {
    const body = { fqn: 'a.b.c', owner_team_id: nobody };
    const refusal = mustRefuse(await world.admin.createAsset({ body }), 404, 'TEAM_NOT_FOUND');
    expect(refusal.field).toBe('owner_team_id');
  });

  test('for another team is 403', async () => {
    const body = { fqn: 'a.b.c', owner_team_id: world.other.teamId };
    mustRefuse(await world.producer.client.createAsset({ body }), 403, 'FORBIDDEN');
  });
});

describe('GET /assets/{id}', () => {
  test('returns the shape of GET', async () => {
    const metadata = { resource_type: 'model', description: 'Orders.', tags: ['finance'] };
    const { assetId, fqn, contractId } = await publishedAsset(world.producer, { metadata });
    const asset = must(await world.other.client.getAsset({ params: { asset_id: assetId } }), 200);
    expect(asset).toEqual({
      id: assetId,
      fqn,
      owner_team_id: world.producer.teamId,
      owner_team_name: world.producer.name,
      owner_user_id: null,
      owner_user_name: null,
      environment: 'production',
      metadata,
      guarantee_mode: 'notify',
      needs_mode: 'narrow',
      auto_publish: false,
      on_deadline: 'nothing',
      managed_by: null,
      active_contract_id: contractId,
      active_contract_version: '1.0.0',
      current_contract_id: contractId,
      created_at: aTime,
      updated_at: aTime,
    });
  });
});

describe('PATCH /assets/{id}', () => {
  test('merges metadata, and null removes a key', async () => {
    const metadata = { keep: 1, drop: 2, deep: { a: 1, b: 2 } };
    const { id } = await createAsset(world.producer, { metadata });
    const patched = await world.producer.client.updateAsset({
      params: { asset_id: id },
      body: { metadata: { drop: null, add: 3, deep: { b: null } } },
    });
    const asset = must(patched, 200);
    expect(asset).toMatchObject({ metadata: { keep: 1, add: 3, deep: { a: 1 } } });
    expect(must(await world.admin.getAsset({ params: { asset_id: id } }), 200)).toEqual(asset);
  });

  test('sets fields at once that concern no consumers', async () => {
    const { id } = await createAsset(world.producer);
    for (const body of [
      { environment: 'staging', auto_publish: true },
      { guarantee_mode: 'ignore' as const },
      { owner_team_id: world.producer.teamId },
    ]) {
      const patched = await world.producer.client.updateAsset({ params: { asset_id: id }, body });
      expect(must(patched, 200)).toMatchObject(body);
    }
  });

  test('with nothing changed writes no event', async () => {
    const { id } = await createAsset(world.producer);
    must(await world.producer.client.updateAsset({ params: { asset_id: id }, body: {} }), 200);
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'asset', entity_id: id },
    });
    expect(must(history, 200).results.map((event) => event.event_type)).toEqual(['asset.created']);
  });

  test('to a name that is taken is 409', async () => {
    const { fqn } = await createAsset(world.producer);
    const body = { fqn, owner_team_id: world.producer.teamId, environment: 'staging' };
    const staging = must(await world.producer.client.createAsset({ body }), 201);
    const patched = await world.producer.client.updateAsset({
      params: { asset_id: staging.id },
      body: { environment: 'production' },
    });
    mustRefuse(patched, 409, 'ASSET_EXISTS');
  });

  test('with an owner_user_id that does not exist is refused', async () => {
    const { id } = await createAsset(world.producer);
    const patched = await world.producer.client.updateAsset({
      params: { asset_id: id },
      body: { owner_user_id: nobody },
    });
    mustRefuse(patched, 404, 'USER_NOT_FOUND');
  });

  test('cannot change the name', async () => {
    const { id } = await createAsset(world.producer);
    const response = await checkedFetch(`${registry.url}/api/v1/assets/${id}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${world.producer.key}`,
        'content-type': 'application/json',
      },
      body: '{"fqn":"other.name"}',
    });
    expect(response.status).toBe(400);
  });

  test('of an asset that does not exist is 404', async () => {
    const patched = await world.admin.updateAsset({ params: { asset_id: nobody }, body: {} });
    mustRefuse(patched, 404, 'ASSET_NOT_FOUND');
  });
});

describe('DELETE /assets/{id}', () => {
  test('answers 204, and the asset disappears from GET and lists', async () => {
    const { id, fqn } = await createAsset(world.producer);
    const params = { asset_id: id };
    must(await world.producer.client.deleteAsset({ params }), 204);
    mustRefuse(await world.producer.client.getAsset({ params }), 404, 'ASSET_NOT_FOUND');
    mustRefuse(await world.producer.client.deleteAsset({ params }), 404, 'ASSET_NOT_FOUND');
    expect(must(await world.admin.listAssets({ query: { fqn } }), 200).total).toBe(0);
    const shown = await world.admin.getAsset({ params, query: { include_deleted: true } });
    expect(must(shown, 200).deleted_at).toEqual(aTime);
    const listed = await world.admin.listAssets({ query: { fqn, include_deleted: true } });
    expect(must(listed, 200).total).toBe(1);
  });

  test('frees the name for another asset', async () => {
    const { id, fqn } = await createAsset(world.producer);
    must(await world.producer.client.deleteAsset({ params: { asset_id: id } }), 204);
    const body = { fqn, owner_team_id: world.producer.teamId };
    must(await world.producer.client.createAsset({ body }), 201);
  });

  test('is refused while consumers are registered, unless an admin forces it', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const params = { asset_id: assetId };
    mustRefuse(await world.producer.client.deleteAsset({ params }), 409, 'ASSET_HAS_CONSUMERS');
    const query = { force: true, reason: 'It has to be.' };
    mustRefuse(await world.producer.client.deleteAsset({ params, query }), 403, 'FORBIDDEN');
    must(await world.admin.deleteAsset({ params, query }), 204);
  });

  test('withdraws the open proposal', async () => {
    const { assetId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const deleted = await world.admin.deleteAsset({
      params: { asset_id: assetId },
      query: { force: true, reason: 'It has to be.' },
    });
    must(deleted, 204);
    const proposal = await world.admin.getProposal({ params: { proposal_id: proposalId } });
    expect(must(proposal, 200).status).toBe('withdrawn');
  });

  test('shows deleted assets only to admins', async () => {
    const query = { include_deleted: true };
    mustRefuse(await world.producer.client.listAssets({ query }), 403, 'FORBIDDEN');
  });
});

describe('POST /assets/{id}/restore', () => {
  test('restores the asset with its contracts and its consumers', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const params = { asset_id: assetId };
    must(
      await world.admin.deleteAsset({ params, query: { force: true, reason: 'It has to be.' } }),
      204,
    );
    const restored = must(await world.admin.restoreAsset({ params }), 200);
    expect(restored).toMatchObject({ id: assetId, active_contract_id: contractId });
    const query = { asset_id: assetId, status: 'active' } as const;
    expect(must(await world.admin.listRegistrations({ query }), 200).total).toBe(1);
    const history = await world.admin.listEntityHistory({
      params: { entity_type: 'asset', entity_id: assetId },
    });
    expect(must(history, 200).results[0]?.event_type).toBe('asset.restored');
  });

  test('is 409 if the name is taken again', async () => {
    const { id, fqn } = await createAsset(world.producer);
    must(await world.producer.client.deleteAsset({ params: { asset_id: id } }), 204);
    const body = { fqn, owner_team_id: world.producer.teamId };
    must(await world.producer.client.createAsset({ body }), 201);
    mustRefuse(await world.admin.restoreAsset({ params: { asset_id: id } }), 409, 'ASSET_EXISTS');
  });

  test('is 409 with a message if the asset was not deleted', async () => {
    const { id, fqn } = await createAsset(world.producer);
    const restored = await world.admin.restoreAsset({ params: { asset_id: id } });
    const refusal = mustRefuse(restored, 409, 'ASSET_EXISTS');
    expect(refusal.message).toBe(`${fqn} is not deleted, so it cannot be restored.`);
  });

  test('is 404 if the asset does not exist', async () => {
    mustRefuse(
      await world.admin.restoreAsset({ params: { asset_id: nobody } }),
      404,
      'ASSET_NOT_FOUND',
    );
  });
});

describe('GET /assets', () => {
  test('matches the FQN exactly or as a prefix, with any characters, exact match first', async () => {
    const prefix = uniqueName('lake').replace(' ', '');
    for (const fqn of [`${prefix}x.a.b`, `${prefix}.a.b.c`, `${prefix}.ab.c`, `${prefix}.a.b`]) {
      const body = { fqn, owner_team_id: world.producer.teamId };
      must(await world.producer.client.createAsset({ body }), 201);
    }
    const found = async (fqn: string) =>
      must(await world.admin.listAssets({ query: { fqn } }), 200).results.map((one) => one.fqn);
    const below = [`${prefix}.a.b`, `${prefix}.a.b.c`, `${prefix}.ab.c`];
    expect(await found(prefix)).toEqual([...below, `${prefix}x.a.b`]);
    expect(await found(`${prefix}.`)).toEqual(below);
    expect(await found(`${prefix}.a`)).toEqual(below);
    expect(await found(`${prefix}.a.`)).toEqual([`${prefix}.a.b`, `${prefix}.a.b.c`]);
    expect(await found(`${prefix}.a.b`)).toEqual([`${prefix}.a.b`, `${prefix}.a.b.c`]);
    for (const none of ['%', '_', '.a.b.c.', '\u{10ffff}', '\ud7ff']) {
      expect(await found(`${prefix}${none}`), none).toEqual([]);
    }
  });

  test('returns the shape of lists, with the active contract', async () => {
    const metadata = { tags: ['listed'] };
    const { assetId, fqn, contractId } = await publishedAsset(world.producer, { metadata });
    const listed = must(await world.admin.listAssets({ query: { fqn } }), 200);
    expect(listed).toEqual({
      results: [
        {
          id: assetId,
          fqn,
          owner_team_id: world.producer.teamId,
          owner_team_name: world.producer.name,
          environment: 'production',
          metadata,
          created_at: aTime,
          active_contract_id: contractId,
          active_contract_version: '1.0.0',
          current_contract_id: contractId,
        },
      ],
      total: 1,
      page: 1,
      page_size: 20,
      next_cursor: null,
    });
  });

  test('filters by owner, environment, tag, resource type and words', async () => {
    const owner = await openParty(world.admin, 'filters');
    const metadata = { resource_type: 'seed', description: 'Zebra crossings', tags: ['Stripes'] };
    const { id } = await createAsset(owner, { metadata, environment: 'lab' });
    await createAsset(owner);
    const owner_team_id = owner.teamId;
    for (const query of [
      { owner_team_id, environment: 'lab' },
      { owner_team_id, tag: 'Stripes' },
      { owner_team_id, resource_type: 'seed' },
      { owner_team_id, q: 'zebra' },
      { owner_team_id, q: 'STRIPES' },
    ]) {
      const found = must(await world.admin.listAssets({ query }), 200);
      expect(found.results.map((asset) => asset.id)).toEqual([id]);
    }
    // A query without a word matches everything.
    for (const query of [
      { owner_team_id },
      { owner_team_id, q: '' },
      { owner_team_id, q: '. -' },
    ]) {
      expect(must(await world.admin.listAssets({ query }), 200).total).toBe(2);
    }
  });
});

describe('GET /assets?q=', () => {
  // A text parser would take these for a number, a version, an address or a path; here they are
  // parts of a name.
  test.each([
    '474e39c9',
    '1e5abc',
    '1e5',
    '0x1f',
    '-12',
    '3.14',
    'v1.2.3',
    '10.0.0.1',
    'ada@example.com',
    'https://example.com/a/b?c=d',
    '/usr/lib/thing',
    'a-b_c+d',
    'f(x)=2x',
    '<b>bold</b>',
    '&amp;',
    "it's",
    'naïve',
    'Straße',
    '数据',
    '12 34',
    '2026-11-23T10:00:00Z',
  ])('finds the asset by every part of "%s", and by its beginning', async (text) => {
    const owner = await openParty(world.admin, 'words');
    const { id } = await createAsset(owner, {
      metadata: { description: `Beside ${text} it stands` },
    });
    await createAsset(owner);
    const parts = text.match(/[\p{Letter}\p{Number}]+/gu) ?? [];
    expect(parts.length).toBeGreaterThan(0);
    for (const q of [text, ...parts, ...parts.map((part) => part.slice(0, 1)), 'beside stands']) {
      const query = { owner_team_id: owner.teamId, q };
      const found = must(await world.admin.listAssets({ query }), 200);
      expect(
        found.results.map((asset) => asset.id),
        q,
      ).toContain(id);
    }
    const query = { owner_team_id: owner.teamId, q: `${parts[0]}zzz` };
    expect(must(await world.admin.listAssets({ query }), 200).total).toBe(0);
  });

  test('finds what a team consumes, until its registration ends', async () => {
    const read = await publishedAsset(world.producer);
    await publishedAsset(world.producer);
    const { id } = await register(world.other, read.contractId);
    const query = { consumer_team_id: world.other.teamId, owner_team_id: world.producer.teamId };
    const found = async () =>
      must(await world.admin.listAssets({ query }), 200).results.map((asset) => asset.id);
    expect(await found()).toEqual([read.assetId]);
    must(await world.other.client.deleteRegistration({ params: { registration_id: id } }), 204);
    expect(await found()).toEqual([]);
  });

  test('finds the asset by every segment of its name', async () => {
    const fqn = `${uniqueName('w').replace(' ', '')}.474e39c9.1e5abc.007.v2-beta_3`;
    const body = { fqn, owner_team_id: world.producer.teamId };
    const { id } = must(await world.producer.client.createAsset({ body }), 201);
    for (const q of ['474e39c9', '474e', '1e5abc', '007', 'v2', 'beta', '3', fqn]) {
      const query = { owner_team_id: world.producer.teamId, q, page_size: 100 };
      const found = must(await world.admin.listAssets({ query }), 200);
      expect(
        found.results.map((asset) => asset.id),
        q,
      ).toContain(id);
    }
  });
});

describe('Metadata', () => {
  test('keeps a long tag and a long type unchanged', async () => {
    // Too random for an index to compress, with a surrogate pair where it is cut.
    const long = `${'a'.repeat(299)}\u{1f993}${randomBytes(2_000).toString('hex')}`;
    const metadata = { tags: [long, 'beside-a-long-one'], resource_type: long };
    const { id } = await createAsset(world.producer, { metadata });
    const query = { tag: 'beside-a-long-one' };
    const [found] = must(await world.admin.listAssets({ query }), 200).results;
    expect(found).toMatchObject({ id, metadata });
  });

  test('beyond its limit is refused in every route', async () => {
    const metadata = { note: 'n'.repeat(65_536) };
    const body = { fqn: 'too.much', owner_team_id: world.producer.teamId, metadata };
    const refused = await world.producer.client.createAsset({ body });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR').field).toBe('metadata');
    const { id } = await createAsset(world.producer);
    const patched = await world.producer.client.updateAsset({
      params: { asset_id: id },
      body: { metadata },
    });
    expect(mustRefuse(patched, 400, 'VALIDATION_ERROR').field).toBe('metadata');
  });
});

describe('A read straight after a write', () => {
  test('sees the change, for every kind of write', async () => {
    const { client } = world.producer;
    const asset = await createAsset(world.producer);
    const params = { asset_id: asset.id };
    must(await client.getAsset({ params }), 200);
    const contractId = await publishOk(client, asset.id, { schema: orderSchema });
    expect(must(await client.getAsset({ params }), 200).active_contract_id).toBe(contractId);
    const next = await publishOk(client, asset.id, { schema: widerSchema });
    expect(must(await client.getAsset({ params }), 200).active_contract_id).toBe(next);
    const old = must(await client.getContract({ params: { contract_id: contractId } }), 200);
    expect(old.status).toBe('deprecated');
    const registration = await register(world.consumer, next);
    const query = { asset_id: asset.id };
    expect(must(await client.listRegistrations({ query }), 200).results[0]?.id).toBe(
      registration.id,
    );
  });
});
