// The search: what it finds, in which order, and for whom.

import { describe, expect, test } from 'vitest';
import {
  createAsset,
  createUser,
  must,
  mustRefuse,
  openRegistryForFile,
  proposedAsset,
  publish,
  publishOk,
  uniqueName,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

const find = async (q: string, types?: string, limit?: number) =>
  must(await world.other.client.search({ query: { q, types, limit } }), 200);
const hits = async (q: string, types: string) =>
  (await find(q, types)).results.map((hit) => [
    hit.rank,
    hit.type === 'field' ? hit.path : 'fqn' in hit ? hit.fqn : hit.name,
  ]);

const schema = {
  type: 'object',
  properties: {
    parcelId: { type: 'string' },
    receiver: { $ref: '#/$defs/person' },
    lines: { type: 'array', items: { properties: { 'stock unit': { type: 'string' } } } },
  },
  $defs: { person: { properties: { email_address: { type: 'string' } } } },
};

describe('The search finds', { concurrent: false }, () => {
  test('assets by their name, the beginning of a segment, and words of what describes them', async () => {
    const { producer } = world;
    const named = async (fqn: string, metadata = {}) =>
      (await createAsset(producer, { fqn, metadata })).id;
    const exact = await named('depot.public.parcels');
    await named('depot.parcels_old.weights');
    await named('depot.public.lost_parcels');
    await named('depot.public.trucks', { description: 'Carries parcels.' });
    expect(await hits('parcels', 'asset')).toEqual([
      ['exact', 'depot.public.parcels'],
      ['prefix', 'depot.parcels_old.weights'],
      ['word', 'depot.public.trucks'],
      ['word', 'depot.public.lost_parcels'],
    ]);
    expect((await find('Depot.Public.Parcels', 'asset', 1)).results).toEqual([
      {
        type: 'asset',
        rank: 'exact',
        why: 'This is its name.',
        asset_id: exact,
        fqn: 'depot.public.parcels',
        environment: 'production',
        owner_team_name: producer.name,
        version: null,
      },
    ]);
    expect(await hits('parc', 'asset')).toEqual([
      ['prefix', 'depot.public.parcels'],
      ['prefix', 'depot.parcels_old.weights'],
      ['word', 'depot.public.trucks'],
      ['word', 'depot.public.lost_parcels'],
    ]);
    must(await producer.client.deleteAsset({ params: { asset_id: exact }, query: {} }), 204);
    expect((await hits('parcels', 'asset'))[0]).toEqual(['prefix', 'depot.parcels_old.weights']);
  });

  test('fields of the active contract, nested ones too, and no longer those of an earlier one', async () => {
    const { producer } = world;
    const asset = await createAsset(producer);
    const first = await publishOk(producer.client, asset.id, { schema });
    expect((await find('email address', 'field')).results).toEqual([
      {
        type: 'field',
        rank: 'exact',
        why: 'This is its name, or the end of its path.',
        asset_id: asset.id,
        fqn: asset.fqn,
        environment: 'production',
        path: '$.receiver.email_address',
        contract_id: first,
        version: '1.0.0',
      },
    ]);
    expect(await hits('parcel', 'field')).toEqual([['prefix', '$.parcelId']]);
    expect(await hits('parcelid', 'field')).toEqual([['exact', '$.parcelId']]);
    expect(await hits('unit', 'field')).toEqual([['word', '$.lines[*]["stock unit"]']]);
    expect(await hits('stock unit', 'field')).toEqual([['exact', '$.lines[*]["stock unit"]']]);
    expect(await hits('receiver.email', 'field')).toEqual([['prefix', '$.receiver.email_address']]);
    expect(await hits('arcel', 'field')).toEqual([]);

    const { parcelId: _, ...rest } = schema.properties;
    const next = { schema: { ...schema, properties: rest } };
    const asked = await publish(producer.client, asset.id, next);
    if (asked.action !== 'proposal_created' || asked.proposal.id === null)
      throw new Error('Not asked.');
    expect(await hits('parcelid', 'field')).toEqual([['exact', '$.parcelId']]);
    const params = { proposal_id: asked.proposal.id };
    must(await producer.client.publishProposal({ params }), 200);
    expect(await hits('parcelid', 'field')).toEqual([]);
    const [hit] = (await find('receiver', 'field')).results;
    expect(hit).toMatchObject({ version: '2.0.0' });
    must(await producer.client.deleteAsset({ params: { asset_id: asset.id }, query: {} }), 204);
    expect(await hits('receiver', 'field')).toEqual([]);
  });

  test('fewer fields than a contract has, if it has more than a thousand, and says so', async () => {
    const { producer } = world;
    const asset = await createAsset(producer);
    const names = Array.from({ length: 1001 }, (_, at) => [`gauge_${at}`, { type: 'number' }]);
    await publishOk(producer.client, asset.id, {
      schema: { properties: Object.fromEntries(names) },
    });
    expect(await find('gauge_999', 'field')).toMatchObject({
      results: [{ path: '$.gauge_999' }],
      cut_contracts: 1,
      pending_contracts: 0,
    });
    expect(await find('gauge_1000', 'field')).toMatchObject({ results: [], cut_contracts: 1 });
    expect((await find('gauge', 'field', 50)).results.length).toBe(20);
  });

  test('the nearest fields of a schema whose parts lead to each other from everywhere', async () => {
    const { producer } = world;
    const pad = 'x'.repeat(201);
    const level = (at: number) => ({
      properties: Object.fromEntries(
        Array.from({ length: 100 }, (_, name) => [`${name}${pad}`, { $ref: `#/$defs/${at}` }]),
      ),
    });
    const $defs = { ...[1, 2, 3].map(level), 3: {} };
    const { id } = await createAsset(producer);
    const schema = { properties: { hostile: { $ref: '#/$defs/0' } }, $defs };
    await publishOk(producer.client, id, { schema });
    expect(await hits('hostile', 'field')).toEqual([['exact', '$.hostile']]);
  });

  test('names whose letters are not those of English', async () => {
    const { producer } = world;
    const { id } = await createAsset(producer);
    const names = ['GrößeÄußeres', '数量 合計', 'كمية', 'Éclair', 'o\'brien\\%_"x', '💶 Summe'];
    const properties = Object.fromEntries(names.map((name) => [name, {}]));
    await publishOk(producer.client, id, { schema: { properties } });
    const asked = [
      'größe',
      'Äußeres',
      '合計',
      'كمية',
      'éclair',
      'ÉCLAIR',
      "o'brien",
      'brien\\',
      'summe',
    ];
    const found = await Promise.all(asked.map((word) => hits(word, 'field')));
    expect(asked.filter((_, at) => found[at]?.length !== 1)).toEqual([]);
    const team = must(await world.admin.createTeam({ body: { name: 'École Ünıt' } }), 201);
    for (const word of ['école', 'ÉCOLE', 'ünıt']) {
      expect(await hits(word, 'team')).toEqual([[expect.any(String), team.name]]);
    }
    for (const word of ['%', '_', '\\', "'", '"', '\b', '💶', '\u202e', '&|!:*', "';--"]) {
      expect(await hits(word, 'asset,field,team,proposal')).toEqual([]);
    }
    mustRefuse(
      await world.other.client.search({ query: { q: 'a'.repeat(10_000) } }),
      400,
      'VALIDATION_ERROR',
    );
  });

  test('teams, and open and lately decided proposals', async () => {
    const { producer, consumer } = world;
    expect(await hits(consumer.name, 'team')).toEqual([['exact', consumer.name]]);
    const asked = await proposedAsset(producer, [consumer]);
    const asset = must(
      await producer.client.getAsset({ params: { asset_id: asked.assetId } }),
      200,
    );
    const proposal = async () => (await find(asset.fqn, 'proposal')).results;
    const found = {
      type: 'proposal',
      rank: 'exact',
      why: 'It is about an asset that was found.',
      asset_id: asked.assetId,
      fqn: asset.fqn,
      environment: 'production',
      proposal_id: asked.proposalId,
      kind: 'schema',
      status: 'pending',
      proposed_at: expect.any(String),
    };
    expect(await proposal()).toEqual([found]);
    const params = { proposal_id: asked.proposalId };
    must(
      await producer.client.withdrawProposal({
        params,
        body: { reason: 'It is not wanted any more.' },
      }),
      200,
    );
    expect(await proposal()).toEqual([{ ...found, status: 'withdrawn' }]);
  });

  test('users for administrators, and for nobody else', async () => {
    const name = uniqueName('Grace Hopper');
    const user = await createUser(world.admin, { name });
    const query = { q: name };
    expect(must(await world.admin.search({ query }), 200).results).toEqual([
      {
        type: 'user',
        rank: 'exact',
        why: 'This is its name.',
        user_id: user.id,
        name,
        email: user.email,
      },
    ]);
    expect((await find(name)).results).toEqual([]);
    const asked = await world.other.client.search({ query: { ...query, types: 'asset,user' } });
    expect(mustRefuse(asked, 403, 'FORBIDDEN')).toMatchObject({ field: 'types' });
  });

  test('nothing for what nobody is called, whatever it is made of', async () => {
    const refused = ['', ' ', 'x'.repeat(10_000), 'a\0b', '\ud800'];
    for (const q of refused) {
      const asked = await world.admin.search({ query: { q } });
      if (q === '\ud800') must(asked, 200);
      else mustRefuse(asked, 400, 'VALIDATION_ERROR');
    }
    const odd = ['%', '_', '..', `'`, `"\\`, '*:&|!()', `x' or 'y`, '🦆', 'ﷺ'.repeat(50), '%%q%'];
    for (const q of [...odd, 'wq '.repeat(60), 'w'.repeat(100), 'zq'.repeat(100)]) {
      const { results } = must(await world.admin.search({ query: { q, limit: 50 } }), 200);
      expect([q, results]).toEqual([q, []]);
    }
    for (const types of ['', 'asset,', 'contract', 'asset;field']) {
      mustRefuse(await world.admin.search({ query: { q: 'a', types } }), 400, 'VALIDATION_ERROR');
    }
    mustRefuse(await world.admin.search({ query: { q: 'a', limit: 51 } }), 400, 'VALIDATION_ERROR');
  });
});
