// Assets vanish from a file only if the team's own imports brought them. Another team's assets
// under the same prefix never count as vanished, whoever sends the file.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { must, openRegistryForFile, register } from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';

const { registry, world } = await openRegistryForFile();

const answer = {
  description: '',
  content: { 'application/json': { schema: { type: 'object', properties: { a: {} } } } },
};
const specOf = (...paths: string[]): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'Shared', version: '1' },
  paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: answer } } }])),
});
const sdlOf = (...types: string[]) => types.map((name) => `type ${name} { a: Int }`).join('\n');

const publishing = { auto_publish_contracts: true, prune: 'deprecate' as const };

describe('GraphQL', () => {
  const send = async (schema: string, teamId: string) => {
    const body = { schema, owner_team_id: teamId, ...publishing };
    return must(await world.admin.importGraphql({ body }), 200);
  };

  test("another team's type is not reported as removed; one's own is, with its names", async () => {
    const { producer, other, consumer, admin } = world;
    const theirs = await send(sdlOf('Theirs'), other.teamId);
    const contractId = theirs.types[0]?.contract_id ?? '';
    await register(consumer, contractId);
    expect(await send(sdlOf('One', 'Two'), producer.teamId)).toMatchObject({ removed: [] });
    const diff = must(await admin.diffGraphql({ body: { schema: sdlOf('One') } }), 200);
    expect(diff.summary.removed).toBe(1);
    expect(diff.types.filter(({ change_type }) => change_type === 'removed')).toMatchObject([
      { fqn: 'graphql.Two', type_name: 'Two', kind: 'object' },
    ]);
    const impact = must(await admin.impactGraphql({ body: { schema: sdlOf('One') } }), 200);
    expect(impact.removed).toMatchObject([{ fqn: 'graphql.Two', type_name: 'Two' }]);
    const next = await send(sdlOf('One'), producer.teamId);
    expect(next.removed).toMatchObject([{ fqn: 'graphql.Two' }]);
    const kept = must(await admin.getContract({ params: { contract_id: contractId } }), 200);
    expect(kept.status).toBe('active');
  });
});

describe('OpenAPI', () => {
  const send = async (spec: JsonObject, teamId: string) => {
    const body = { spec, owner_team_id: teamId, ...publishing };
    return must(await world.admin.importOpenapi({ body }), 200);
  };

  test("another team's operation is not reported as removed; one's own is, with its names", async () => {
    const { producer, other, admin } = world;
    const theirs = await send(specOf('/theirs'), other.teamId);
    expect(await send(specOf('/one', '/two'), producer.teamId)).toMatchObject({ removed: [] });
    const diff = must(await admin.diffOpenapi({ body: { spec: specOf('/one') } }), 200);
    expect(diff.endpoints.filter(({ change_type }) => change_type === 'removed')).toMatchObject([
      { fqn: 'api.shared.get_two', path: '/two', method: 'get' },
    ]);
    expect(await send(specOf('/one'), producer.teamId)).toMatchObject({
      removed: [{ fqn: 'api.shared.get_two', path: '/two', method: 'get' }],
    });
    const params = { contract_id: theirs.endpoints[0]?.contract_id ?? '' };
    expect(must(await admin.getContract({ params }), 200).status).toBe('active');
  });

  test('a file that names no existing asset reports nothing as removed', async () => {
    const diff = must(await world.admin.diffOpenapi({ body: { spec: specOf('/new') } }), 200);
    expect(diff.summary).toMatchObject({ new: 1, removed: 0 });
  });
});

// Of these letters, JavaScript and Postgres make different small ones.
test('a team is found by its name in any capitals, and not for another one', async () => {
  const { admin, producer } = world;
  const [dotted, apart] = ['\u0130stanbul', 'i\u0307stanbul'];
  const made = async (name: string) => must(await admin.createTeam({ body: { name } }), 201).id;
  const [first, second, paris] = [await made(dotted), await made(apart), await made('Paris')];
  const consumers = [{ team: dotted }, { team: 'PARIS' }];
  const manifest = manifestOf('places', [
    { name: 'read', meta: { svc: { consumers } } },
    { name: 'theirs', meta: { svc: { owner_team: apart } } },
  ]);
  const options = { auto_publish_contracts: true, auto_register_consumers: true };
  const body = { manifest, owner_team_id: producer.teamId, ...options };
  expect(must(await admin.uploadBuildtool({ body }), 200).errors).toEqual([]);
  const reads = async (consumer_team_id: string) =>
    must(await admin.listRegistrations({ query: { consumer_team_id } }), 200).total;
  expect([await reads(first), await reads(second), await reads(paris)]).toEqual([1, 0, 1]);
  const query = { fqn: 'places.public.theirs' };
  const [asset] = must(await admin.listAssets({ query }), 200).results;
  expect(asset?.owner_team_id).toBe(second);
});

test('a team whose registration is about to end is registered by the file, and reads what it said', async () => {
  const { admin, producer, consumer } = world;
  const declared = { svc: { consumers: [{ team: consumer.name }] } };
  const body = {
    manifest: manifestOf('leaving', [{ name: 'read', meta: declared }]),
    owner_team_id: producer.teamId,
    ...{ auto_publish_contracts: true, auto_register_consumers: true },
  };
  const registrationOf = async () => {
    const query = { consumer_team_id: consumer.teamId };
    const { results } = must(await admin.listRegistrations({ query }), 200);
    const listed = results.find(({ asset_fqn }) => asset_fqn === 'leaving.public.read');
    const params = { registration_id: listed?.id ?? '' };
    return must(await admin.getRegistration({ params }), 200);
  };
  must(await admin.uploadBuildtool({ body }), 200);
  const before = await registrationOf();
  const said = { params: { registration_id: before.id }, body: { needs: { fields: ['$.id'] } } };
  const { needs } = must(await consumer.client.updateRegistration(said), 200);
  await registry.database.query(
    `update registration set ends_at = '2099-01-01' where id = '${before.id}'`,
  );
  expect((await registrationOf()).ends_at).toBe('2099-01-01T00:00:00.000Z');
  const again = must(await admin.uploadBuildtool({ body }), 200);
  expect([again.errors, again.registrations]).toMatchObject([[], { created: 1 }]);
  const after = await registrationOf();
  expect([after.ends_at, after.id, after.needs]).toEqual([undefined, before.id, needs]);
});

describe('A break in a file that publishes', () => {
  const wide = 'type Broken { a: Int b: Int }';
  const narrow = 'type Broken { a: Int }';

  test('is proposed by default, and refused if the caller says so', async () => {
    const { client, teamId } = world.producer;
    const owned = { owner_team_id: teamId, prefix: 'breaks' };
    const said = { ...owned, auto_publish_contracts: true };
    must(await client.importGraphql({ body: { ...said, schema: wide } }), 200);
    const body = { ...said, schema: narrow };
    const refused = await client.importGraphql({ body: { ...body, auto_create_proposals: false } });
    expect(refused.status).toBe(409);
    const unsaid = must(await client.importGraphql({ body: { ...owned, schema: narrow } }), 200);
    expect(unsaid.proposals.created).toBe(0);
    const asked = must(await client.importGraphql({ body }), 200);
    expect(asked.proposals.details).toMatchObject([{ asset_fqn: 'breaks.Broken' }]);
  });
});

test.each([
  ['graphql', { schema: 'type A { a: Int }' }],
  ['openapi', { spec: specOf('/a') }],
  ['odcs', { contract: { kind: 'DataContract', apiVersion: 'v3.0.2' } }],
])('impact and diff of %s refuse options that have no meaning there', async (kind, file) => {
  for (const question of ['impact', 'diff']) {
    for (const more of [{ conflict_mode: 'ignore' }, { owner_team_id: world.producer.teamId }]) {
      const reply = await fetch(`${registry.url}/api/v1/sync/${kind}/${question}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.producer.key}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...file, ...more }),
      });
      expect([question, Object.keys(more), reply.status]).toEqual([
        question,
        Object.keys(more),
        400,
      ]);
    }
  }
});

test('a type that refers to an undefined type has no contract, and an error', async () => {
  const { client, teamId } = world.producer;
  const schema = 'type Whole { a: Int } type Lost { a: Missing }';
  const body = { schema, owner_team_id: teamId, prefix: 'lost', auto_publish_contracts: true };
  const made = must(await client.importGraphql({ body }), 200);
  const contracts = Object.fromEntries(made.types.map(({ fqn, contract_id: id }) => [fqn, id]));
  expect(contracts).toEqual({ 'lost.Whole': expect.any(String), 'lost.Lost': null });
  expect(made.errors).toMatchObject([{ code: 'BROKEN_REFERENCE' }]);
});
