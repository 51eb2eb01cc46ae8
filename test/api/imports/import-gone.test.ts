// What goes from a file: its name may go to something else only once its consumers agreed, and an
// API, a project or a contract that describes nothing any more is removed as a whole.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import {
  must,
  openRegistryForFile,
  register,
  uniqueName,
} from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';

const { world, registry } = await openRegistryForFile();

const whole = { type: 'object', properties: { a: { type: 'string' } } };
const answer = { description: '', content: { 'application/json': { schema: whole } } };
const specOf = (title: string, ...paths: string[]): JsonObject => ({
  openapi: '3.1.0',
  info: { title, version: '1' },
  paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: answer } } }])),
});

/** An import of its own prefix. */
function openPrefix() {
  const prefix = uniqueName('gone').replace(' ', '_').toLowerCase();
  const { admin, producer } = world;
  return {
    prefix,
    send: async (spec: JsonObject, more: JsonObject = {}, teamId = producer.teamId) =>
      must(
        await admin.importOpenapi({ body: { spec, prefix, owner_team_id: teamId, ...more } }),
        200,
      ),
    preview: async (spec: JsonObject) =>
      must(await admin.diffOpenapi({ body: { spec, prefix } }), 200),
  };
}

type Report = Awaited<ReturnType<ReturnType<typeof openPrefix>['send']>>;

const consumeFirst = ({ endpoints }: Report) =>
  register(world.consumer, endpoints[0]?.contract_id ?? '');
const codesOf = ({ errors }: Report) => errors.map(({ code }) => code);

test('a name is given away once its consumers agreed to the deprecation', async () => {
  const { send, prefix } = openPrefix();
  const { consumer, producer } = world;
  await consumeFirst(await send(specOf('Shop', '/Users')));
  const waiting = await send(specOf('Shop', '/users'));
  expect(waiting).toMatchObject({
    status: 'partial',
    contracts: { published: 0 },
    proposals: { created: 1 },
    removed: [{ fqn: `${prefix}.shop.get_users`, path: '/Users', breaking: true }],
    errors: [{ code: 'NAME_TAKEN', fqn: `${prefix}.shop.get_users` }],
  });
  const again = await send(specOf('Shop', '/users'));
  expect(again).toMatchObject({ proposals: { created: 0 }, errors: [{ code: 'NAME_TAKEN' }] });
  const params = { proposal_id: waiting.proposals.details[0]?.proposal_id ?? '' };
  must(await consumer.client.acknowledgeProposal({ params, body: {} }), 200);
  must(await producer.client.publishProposal({ params }), 200);
  const taken = await send(specOf('Shop', '/users'));
  expect(taken).toMatchObject({ status: 'success', removed: [{ path: '/Users' }], errors: [] });
  expect(await send(specOf('Shop', '/users'))).toMatchObject({ removed: [], errors: [] });
});

test('a name that nobody consumes goes at once; another spelling of a parameter is no other endpoint', async () => {
  const { send } = openPrefix();
  await send(specOf('Shop', '/Users', '/orders/{id}'));
  const taken = await send(specOf('Shop', '/users', '/orders/{ID}'));
  expect(taken).toMatchObject({ status: 'success', removed: [{ path: '/Users' }], errors: [] });
  expect(await send(specOf('Shop', '/users', '/orders/{id}'))).toMatchObject({ removed: [] });
});

test('without auto_create_proposals the import is refused, or leaves the endpoint out', async () => {
  const { send, prefix } = openPrefix();
  const { admin, producer } = world;
  await consumeFirst(await send(specOf('Shop', '/Users')));
  const body = { prefix, owner_team_id: producer.teamId, auto_create_proposals: false };
  const refused = await admin.importOpenapi({ body: { ...body, spec: specOf('Shop', '/users') } });
  expect(refused).toMatchObject({ status: 409, refusal: { code: 'BREAKING_CHANGE' } });
  const silent = await send(specOf('Shop', '/users'), {
    auto_publish_contracts: false,
    auto_create_proposals: false,
    conflict_mode: 'overwrite',
  });
  expect(codesOf(silent)).toEqual(['NAME_TAKEN']);
  expect(codesOf(await send(specOf('Shop', '/users')))).toEqual(['NAME_TAKEN']);
});

test('an API with another title is removed under the old one; an endpoint in common is no reason', async () => {
  const { send, preview, prefix } = openPrefix();
  const { other } = world;
  await send(specOf('Shop', '/health', '/users', '/orders'));
  expect(await send(specOf('Billing', '/health', '/bills'))).toMatchObject({ removed: [] });
  const theirs = await send(specOf('Store', '/health', '/users'), {}, other.teamId);
  expect(theirs).toMatchObject({ removed: [] });
  const moved = specOf('Market', '/users', '/orders', '/carts');
  const told = ['get_health', 'get_orders', 'get_users'].map((name) => ({
    fqn: `${prefix}.shop.${name}`,
  }));
  const { summary } = await preview(moved);
  expect(summary).toMatchObject({ removed: 3, new: 3 });
  const { removed } = await send(moved);
  expect(removed.toSorted((a, b) => (a.fqn < b.fqn ? -1 : 1))).toMatchObject(told);
  // Both are served from now on, as two versions of an API are.
  expect(await send(moved)).toMatchObject({ removed: [] });
});

test('the preview of a document without paths says what it removes', async () => {
  const { send, preview } = openPrefix();
  await consumeFirst(await send(specOf('Shop', '/users')));
  expect(await preview(specOf('Shop'))).toMatchObject({
    status: 'breaking_changes_detected',
    summary: { removed: 1, breaking: 1 },
  });
  expect(await preview(specOf('Other'))).toMatchObject({ summary: { removed: 0 } });
});

test('an endpoint keeps its name, whatever its parameters are called and comes before it', async () => {
  const { send, prefix } = openPrefix();
  await consumeFirst(await send(specOf('Shop', '/a/{x}', '/b_c')));
  const kept = await send(specOf('Shop', '/a/{y}', '/b-c', '/b_c'));
  expect(kept).toMatchObject({
    status: 'success',
    assets: { created: 1, skipped: 2 },
    contracts: { published: 1 },
    proposals: { created: 0 },
    removed: [],
    errors: [{ code: 'FQN_COLLISION', message: expect.stringContaining('get_b_c_2') }],
  });
  expect(kept.endpoints).toMatchObject([
    { fqn: `${prefix}.shop.get_a_x`, path: '/a/{y}' },
    { fqn: `${prefix}.shop.get_b_c_2`, path: '/b-c' },
    { fqn: `${prefix}.shop.get_b_c`, path: '/b_c' },
  ]);
  // The first one goes: the other keeps the name that its consumers know.
  expect(await send(specOf('Shop', '/a/{z}', '/b-c'))).toMatchObject({
    contracts: { published: 0 },
    removed: [{ path: '/b_c' }],
    endpoints: [{ fqn: `${prefix}.shop.get_a_x` }, { fqn: `${prefix}.shop.get_b_c_2` }],
  });
});

test('a consumer that agreed to leave by a day reads the name until it has left', async () => {
  const { send } = openPrefix();
  const { consumer, producer } = world;
  const registration = await consumeFirst(await send(specOf('Shop', '/Users')));
  const waiting = await send(specOf('Shop', '/users'));
  const params = { proposal_id: waiting.proposals.details[0]?.proposal_id ?? '' };
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const answer = { response: 'migrating' as const, until };
  must(await consumer.client.acknowledgeProposal({ params, body: answer }), 200);
  must(await producer.client.publishProposal({ params }), 200);
  expect(codesOf(await send(specOf('Shop', '/users')))).toEqual(['NAME_TAKEN']);
  const left = { params: { registration_id: registration.id } };
  must(await consumer.client.deleteRegistration(left), 204);
  expect(await send(specOf('Shop', '/users'))).toMatchObject({ status: 'success', errors: [] });
});

test('a consumer that came after the deprecation was not asked, and reads the name until it has left', async () => {
  const { send } = openPrefix();
  const { consumer, producer } = world;
  const [endpoint] = (await send(specOf('Shop', '/Users'))).endpoints;
  const contract_id = endpoint?.contract_id ?? '';
  const deprecation = { params: { contract_id }, body: { status: 'deprecated' as const } };
  must(await producer.client.updateContract(deprecation), 200);
  const { id } = await register(consumer, contract_id);
  expect(codesOf(await send(specOf('Shop', '/users')))).toEqual(['NAME_TAKEN']);
  must(await consumer.client.deleteRegistration({ params: { registration_id: id } }), 204);
  expect(await send(specOf('Shop', '/users'))).toMatchObject({ status: 'success', errors: [] });
});

test('an object of a data contract is known by its table, or by its name if the FQN is stated', async () => {
  const { admin, consumer, producer } = world;
  const database = uniqueName('db').replace(' ', '_').toLowerCase();
  const send = async (name: string, physicalName: string, fqn?: string) => {
    const object = {
      name,
      physicalName,
      properties: [{ name: 'id', logicalType: 'integer' }],
      ...(fqn !== undefined && { customProperties: [{ property: 'fqn', value: fqn }] }),
    };
    const contract = {
      ...{ apiVersion: 'v3.0.2', kind: 'DataContract', id: database, version: '1.0.0' },
      ...{ status: 'active', name: 'shop', servers: [{ database, schema: 'public' }] },
      schema: [object],
    };
    const body = { contract, owner_team_id: producer.teamId, auto_publish_contracts: true };
    return must(await admin.importOdcs({ body }), 200);
  };
  const first = await send('orders', 'a b');
  await register(consumer, first.objects[0]?.contract_id ?? '');
  expect(await send('sales', 'a b')).toMatchObject({ errors: [] });
  expect(await send('orders', 'a_b')).toMatchObject({ errors: [{ code: 'NAME_TAKEN' }] });
  const stated = `${database}.stated`;
  await register(consumer, (await send('orders', 'one', stated)).objects[0]?.contract_id ?? '');
  expect(await send('orders', 'two', stated)).toMatchObject({ errors: [] });
  expect(await send('sales', 'three', stated)).toMatchObject({ errors: [{ code: 'NAME_TAKEN' }] });
});

test('the migration knows what earlier releases imported by its metadata', async () => {
  const { admin, producer } = world;
  const { send, prefix } = openPrefix();
  const owner = { owner_team_id: producer.teamId };
  const spec = specOf('Büro & Shop', '/A/{x}', '/b');
  await send(spec);
  const sdl = { prefix, schema: 'type Query { a: User } type User { id: ID! }', ...owner };
  must(await admin.importGraphql({ body: sdl }), 200);
  const contract = {
    ...{ apiVersion: 'v3.0.2', kind: 'DataContract', id: prefix, version: '1.0.0' },
    ...{ status: 'active', name: prefix, schema: [{ name: 'a', properties: [{ name: 'id' }] }] },
  };
  must(await admin.importOdcs({ body: { contract, ...owner } }), 200);
  const manifest = manifestOf(prefix, [{ name: 'm', columns: { id: 'bigint' } }]);
  must(await admin.uploadBuildtool({ body: { manifest, ...owner } }), 200);
  const file = '../../../src/store/migrations/0034-known-imports.sql';
  const migration = await readFile(join(import.meta.dirname, file), 'utf8');
  const client = new pg.Client(registry.database.url);
  await client.connect();
  const known = async () => {
    const { rows } = await client.query<{ known: JsonObject }>(
      `select imported_as as known from asset
      where fqn like $1 || '.%' or metadata ->> 'build_node_id' = $2 order by fqn`,
      [prefix, `model.${prefix}.m`],
    );
    return rows.map((row) => row.known);
  };
  const stored = await known();
  await client.query('update asset set imported_as = null');
  await client.query(migration);
  const found = await known();
  await client.end();
  expect(found.length).toBe(6);
  // The prefix and the rest are stored with the next import.
  const withoutPrefix = stored.map(({ openapi, graphql, ...others }) => ({
    ...others,
    ...(openapi === undefined ? {} : { openapi: { ...(openapi as JsonObject), of: 'büro_shop' } }),
    ...(graphql === undefined ? {} : { graphql: { ...(graphql as JsonObject), of: '' } }),
  }));
  expect(withoutPrefix).toMatchObject(found);
  expect(await send(spec)).toMatchObject({ removed: [], errors: [] });
});

test('another prefix is another API, and other types', async () => {
  const { admin, producer } = world;
  const { send, prefix } = openPrefix();
  const under = (version: string) => ({ prefix: `${prefix}.${version}` });
  await send(specOf('Shop', '/users', '/orders'), under('v1'));
  expect(await send(specOf('Shop', '/users'), under('v2'))).toMatchObject({ removed: [] });
  expect(await send(specOf('Shop', '/carts'))).toMatchObject({ removed: [] });
  expect(await send(specOf('Shop', '/orders'), under('v1'))).toMatchObject({
    removed: [{ fqn: `${prefix}.v1.shop.get_users` }],
  });
  const sdl = async (schema: string, more: JsonObject) => {
    const body = { schema, prefix, owner_team_id: producer.teamId, ...more };
    return must(await admin.importGraphql({ body }), 200);
  };
  await sdl('type A { id: ID! } type B { id: ID! }', under('v1'));
  expect(await sdl('type C { id: ID! }', {})).toMatchObject({ removed: [] });
  expect(await sdl('type A { id: ID! }', under('v1'))).toMatchObject({
    removed: [{ fqn: `${prefix}.v1.B` }],
  });
});

test('what came to a team by a move is told once the team has imported it', async () => {
  const { admin, other } = world;
  const { send } = openPrefix();
  const { endpoints } = await send(specOf('Shop', '/users', '/orders'));
  for (const { asset_id } of endpoints) {
    const change = { params: { asset_id: asset_id ?? '' }, body: { owner_team_id: other.teamId } };
    must(await admin.updateAsset(change), 200);
  }
  await send(specOf('Shop', '/users', '/orders'), {}, other.teamId);
  expect(await send(specOf('Shop', '/orders'), {}, other.teamId)).toMatchObject({
    removed: [{ path: '/users' }],
  });
});
