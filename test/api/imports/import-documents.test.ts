// OpenAPI documents, GraphQL schemas and ODCS contracts through the API.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import {
  must,
  mustRefuse,
  openRegistryForFile,
  register,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

async function countEvents(): Promise<number> {
  const [row] = await registry.database.query('select count(*)::int as count from audit_event');
  return Number(row?.count);
}

function spec(title: string, properties: JsonObject): JsonObject {
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  const content = { 'application/json': { schema } };
  const ok = { description: 'ok', content };
  return {
    openapi: '3.1.0',
    info: { title, version: '1.2.0' },
    paths: {
      '/users': { get: { responses: { 200: ok } } },
      '/users/{id}': { post: { requestBody: { content }, responses: { 201: ok } } },
      '/broken': {
        get: {
          responses: {
            200: {
              description: '',
              content: { 'application/json': { schema: { $ref: '#/gone' } } },
            },
          },
        },
      },
    },
  };
}

const wide = { id: { type: 'string' }, name: { type: 'string' } };
const narrow = { id: { type: 'string' } };

describe('POST /sync/openapi', () => {
  test('returns both forms, publishes by default, and reports what it could not read', async () => {
    const { client, teamId } = world.producer;
    const body = { spec: spec('Pet Store', wide), owner_team_id: teamId };
    const made = must(await client.importOpenapi({ body }), 200);
    expect(made).toMatchObject({
      status: 'success',
      api_title: 'Pet Store',
      api_version: '1.2.0',
      endpoints_found: 3,
      endpoints_processed: 3,
      assets_created: 3,
      assets_updated: 0,
      assets_skipped: 0,
      contracts_published: 2,
      assets: { created: 3, updated: 0 },
      contracts: { published: 2 },
    });
    expect(made.parse_errors.length).toBeGreaterThan(0);
    expect(made.endpoints.map(({ fqn, method, action }) => ({ fqn, method, action }))).toEqual(
      expect.arrayContaining([
        { fqn: 'api.pet_store.get_users', method: 'get', action: 'created' },
        { fqn: 'api.pet_store.post_users_id', method: 'post', action: 'created' },
      ]),
    );
    const contract = made.endpoints.find(({ fqn }) => fqn === 'api.pet_store.get_users');
    const params = { contract_id: contract?.contract_id ?? '' };
    expect(must(await client.getContract({ params }), 200)).toMatchObject({
      format: 'openapi',
      source: 'sync',
      version: '1.0.0',
      status: 'active',
    });
    const events = await countEvents();
    const again = must(await client.importOpenapi({ body }), 200);
    expect(again).toMatchObject({ assets_created: 0, assets_skipped: 3, contracts_published: 0 });
    expect(await countEvents()).toBe(events);
  });

  test('names operations by path if requested, with a prefix', async () => {
    const { client, teamId } = world.producer;
    const body = { spec: spec('Paths', wide), owner_team_id: teamId };
    const named = { ...body, naming: 'path' as const, prefix: 'http' };
    const made = must(await client.importOpenapi({ body: named }), 200);
    expect(made.endpoints.map(({ fqn }) => fqn).sort()).toEqual([
      'http.broken.get',
      'http.users.get',
      'http.users.{id}.post',
    ]);
  });

  test('is judged by impact and diff before it breaks a consumer, and these write nothing', async () => {
    const { client, teamId } = world.producer;
    const owned = { owner_team_id: teamId, prefix: 'shop' };
    const body = { spec: spec('Shop', wide), ...owned };
    const made = must(await client.importOpenapi({ body }), 200);
    const users = made.endpoints.find(({ fqn }) => fqn === 'shop.shop.get_users');
    await register(world.consumer, users?.contract_id ?? '');
    const events = await countEvents();
    const next = { spec: spec('Shop', narrow), prefix: 'shop' };
    const impact = must(await client.impactOpenapi({ body: next }), 200);
    expect(impact).toMatchObject({
      status: 'breaking_changes_detected',
      total_endpoints: 3,
      endpoints_with_contracts: 2,
    });
    const diff = must(await client.diffOpenapi({ body: { ...next, fail_on_breaking: true } }), 200);
    expect(diff).toMatchObject({ status: 'breaking_changes_detected', blocking: true });
    expect(diff.endpoints.find(({ fqn }) => fqn === 'shop.shop.get_users')).toMatchObject({
      change_type: 'modified',
      schema_change_type: 'breaking',
    });
    expect(await countEvents()).toBe(events);
    const refused = await client.importOpenapi({
      body: { ...owned, spec: next.spec, auto_create_proposals: false },
    });
    mustRefuse(refused, 409, 'BREAKING_CHANGE');
    expect(await countEvents()).toBe(events);
    const asked = must(
      // Publishing includes proposing breaks.
      await client.importOpenapi({ body: { ...owned, spec: next.spec } }),
      200,
    );
    expect(asked.proposals.details.map(({ asset_fqn }) => asset_fqn)).toContain(
      'shop.shop.get_users',
    );
  });

  test('compares unchanged text that has another meaning, and ignores reordering', async () => {
    const { client, teamId } = world.producer;
    const owned = { owner_team_id: teamId, prefix: 'words' };
    const nullable = { id: { type: 'string', nullable: true }, name: { type: 'string' } };
    const first = { ...spec('Words', nullable), openapi: '3.0.3' };
    must(await client.importOpenapi({ body: { spec: first, ...owned } }), 200);
    const reordered = { name: { type: 'string' }, id: { nullable: true, type: 'string' } };
    const again = { ...spec('Words', reordered), openapi: '3.0.3' };
    const same = must(await client.importOpenapi({ body: { spec: again, ...owned } }), 200);
    expect(same).toMatchObject({ contracts_published: 0, assets_updated: 0 });
    // 3.1 has no `nullable`: with the same text, null is no longer a value.
    const moved = { ...spec('Words', nullable), openapi: '3.1.0' };
    const diff = must(await client.diffOpenapi({ body: { spec: moved, prefix: 'words' } }), 200);
    expect(diff.endpoints.find(({ method }) => method === 'post')).toMatchObject({
      schema_change_type: 'breaking',
    });
  });

  test('asks about first variants, unless the contract is of a release that did not read any', async () => {
    const { client, teamId } = world.producer;
    const pet = {
      type: 'object',
      properties: { kind: { type: 'string' } },
      discriminator: { propertyName: 'kind' },
    };
    const dog = { allOf: [{ $ref: '#/components/schemas/Pet' }, { required: ['bark'] }] };
    const petsOf = (title: string, schemas: JsonObject) => ({
      ...spec(title, wide),
      paths: {
        '/pets': {
          post: {
            requestBody: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
            },
            responses: { 204: { description: 'Taken.' } },
          },
        },
      },
      components: { schemas },
    });
    const send = async (title: string, schemas: JsonObject) =>
      client.importOpenapi({
        body: { spec: petsOf(title, schemas), owner_team_id: teamId, auto_create_proposals: false },
      });
    for (const title of ['Earlier', 'Present']) must(await send(title, { Pet: pet }), 200);
    await registry.database.query(`
      update contract set has_unread_variants = true
      from asset where asset.id = asset_id and fqn = 'api.earlier.post_pets'`);
    must(await send('Earlier', { Pet: pet, Dog: dog }), 200);
    mustRefuse(await send('Present', { Pet: pet, Dog: dog }), 409, 'BREAKING_CHANGE');
  });

  test('refuses Swagger 2, and assets of another team', async () => {
    const { client, teamId } = world.producer;
    const old = { spec: { swagger: '1.2' }, owner_team_id: teamId };
    mustRefuse(await client.importOpenapi({ body: old }), 422, 'INVALID_OPENAPI');
    const theirs = { spec: spec('Theirs', wide), owner_team_id: world.other.teamId };
    mustRefuse(await client.importOpenapi({ body: theirs }), 403, 'FORBIDDEN');
  });
});

describe('POST /sync/graphql', () => {
  const sdl =
    'type User { id: ID! name: String } enum Role { ADMIN USER } input New { name: String! }';

  test('imports each type, and publishes if requested', async () => {
    const { client, teamId } = world.producer;
    const body = { schema: sdl, owner_team_id: teamId, auto_publish_contracts: true };
    const made = must(await client.importGraphql({ body }), 200);
    expect(made).toMatchObject({
      status: 'success',
      assets: { created: 3, updated: 0 },
      contracts: { published: 3 },
      types_processed: 3,
    });
    expect(made.types.map(({ fqn }) => fqn).sort()).toEqual([
      'graphql.New',
      'graphql.Role',
      'graphql.User',
    ]);
    const next = {
      schema: 'type User { id: ID! } enum Role { ADMIN } input New { name: String! }',
    };
    const impact = must(await client.impactGraphql({ body: next }), 200);
    expect(impact).toMatchObject({ total_types: 3, types_with_contracts: 3 });
    const diff = must(await client.diffGraphql({ body: next }), 200);
    expect(diff.summary).toEqual({ new: 0, modified: 2, unchanged: 1, breaking: 2, removed: 0 });
  });

  test('refuses text that is not SDL, with its location', async () => {
    const body = { schema: 'type User {', owner_team_id: world.producer.teamId };
    const refused = await world.producer.client.importGraphql({ body });
    expect(mustRefuse(refused, 422, 'INVALID_SDL').place).toContain('line 1');
  });
});

describe('POST /sync/odcs', () => {
  const yaml = [
    'kind: DataContract',
    'apiVersion: v3.0.2',
    'id: sales',
    'name: sales',
    'version: 1.0.0',
    'status: active',
    'schema:',
    '  - name: orders',
    '    physicalName: sales.orders',
    '    properties:',
    '      - {name: id, logicalType: integer, required: true}',
  ].join('\n');

  test('reads YAML text, and compares the next document', async () => {
    const { client, teamId } = world.producer;
    const body = { contract: yaml, owner_team_id: teamId, auto_publish_contracts: true };
    const made = must(await client.importOdcs({ body }), 200);
    expect(made).toMatchObject({
      assets: { created: 1 },
      contracts: { published: 1 },
      objects_processed: 1,
    });
    const next = { contract: yaml.replace('name: id,', 'name: key,') };
    const impact = must(await client.impactOdcs({ body: next }), 200);
    expect(impact.breaking_changes_count).toBeGreaterThan(0);
    expect(must(await client.diffOdcs({ body: { contract: yaml } }), 200).summary).toMatchObject({
      new: 0,
      unchanged: 1,
      breaking: 0,
    });
  });

  test('refuses a document that is not a contract', async () => {
    const body = { contract: 'kind: Nothing', owner_team_id: world.producer.teamId };
    mustRefuse(await world.producer.client.importOdcs({ body }), 422, 'INVALID_ODCS');
  });
});

test('The same import under one Idempotency-Key takes effect once', async () => {
  const { client, teamId } = world.producer;
  const body = { spec: spec('Once', wide), owner_team_id: teamId };
  const headers = { 'idempotency-key': 'import-once' };
  const first = must(await client.importOpenapi({ body, headers }), 200);
  const second = await client.importOpenapi({ body, headers });
  expect(must(second, 200)).toEqual(first);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  const other = { ...body, spec: spec('Twice', wide) };
  mustRefuse(await client.importOpenapi({ body: other, headers }), 422, 'IDEMPOTENCY_MISMATCH');
});

describe('An answer about a file that was not read whole says so', () => {
  const manifest = (node: JsonObject) => ({
    metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
    nodes: {
      'model.whole.a': {
        ...{ resource_type: 'model', package_name: 'whole', name: 'a', alias: 'a' },
        ...{
          database: 'whole',
          schema: 'public',
          columns: { id: { name: 'id', data_type: 'int' } },
        },
        ...node,
      },
    },
  });
  const unknownType = { columns: { id: { name: 'id', data_type: 'sorcery' } } };
  const { '/broken': broken, ...sound } = Object(spec('Whole', wide).paths) as JsonObject;
  const api = (paths: JsonObject) => ({ ...spec('Whole', wide), paths });
  const odcs = (property: JsonObject) => ({
    ...{
      apiVersion: 'v3.0.2',
      kind: 'DataContract',
      id: 'whole',
      version: '1.0.0',
      status: 'active',
    },
    schema: [{ name: 'a', properties: [{ name: 'id', ...property }] }],
  });
  const { client, teamId } = world.producer;
  const owned = { owner_team_id: teamId, dry_run: true };
  const ofManifest = async (sent: JsonObject) => [
    must(await client.diffDbt({ body: { manifest: sent } }), 200),
    must(await client.impactDbt({ body: { manifest: sent } }), 200),
    must(await client.uploadDbt({ body: { manifest: sent, ...owned } }), 200),
  ];
  const ofApi = async (sent: JsonObject) => [
    must(await client.diffOpenapi({ body: { spec: sent } }), 200),
    must(await client.impactOpenapi({ body: { spec: sent } }), 200),
    must(await client.importOpenapi({ body: { spec: sent, ...owned } }), 200),
  ];
  const ofSdl = async (schema: string) => [
    must(await client.diffGraphql({ body: { schema } }), 200),
    must(await client.impactGraphql({ body: { schema } }), 200),
    must(await client.importGraphql({ body: { schema, ...owned } }), 200),
  ];
  const ofContract = async (contract: JsonObject) => [
    must(await client.diffOdcs({ body: { contract } }), 200),
    must(await client.impactOdcs({ body: { contract } }), 200),
    must(await client.importOdcs({ body: { contract, ...owned } }), 200),
  ];
  const read = { code: expect.any(String), leaves_unread: undefined };

  test.each([
    ['a manifest', () => ofManifest(manifest({})), []],
    ['a type that is not known', () => ofManifest(manifest(unknownType)), ['UNKNOWN_TYPE']],
    ['meta that is wrong', () => ofManifest(manifest({ meta: { concordat: 5 } })), [read]],
    ['an API', () => ofApi(api(sound)), []],
    [
      'a reference to nothing',
      () => ofApi(api({ '/broken': broken ?? null })),
      ['BROKEN_REFERENCE'],
    ],
    ['SDL', () => ofSdl('type WholeA { a: Int }'), []],
    ['a type that is not there', () => ofSdl('type WholeA { a: Gone }'), ['BROKEN_REFERENCE']],
    ['a field that stands twice', () => ofSdl('type WholeA { a: Int a: Int }'), [read]],
    ['a contract', () => ofContract(odcs({ logicalType: 'integer' })), []],
    [
      'a kind that is not known',
      () => ofContract(odcs({ logicalType: 'sorcery' })),
      ['UNKNOWN_TYPE'],
    ],
  ])('%s', async (_, send, told) => {
    for (const answer of await send()) {
      const problems = 'parse_errors' in answer ? answer.parse_errors : answer.errors;
      expect(answer.complete).toBe(!told.some((each) => typeof each === 'string'));
      expect(problems.map(({ code, leaves_unread }) => ({ code, leaves_unread }))).toEqual(
        told.map((each) => (typeof each === 'string' ? { code: each, leaves_unread: true } : each)),
      );
    }
  });
});

test('a change of a schema that many operations use is told once, with the operations that have it', async () => {
  const { client, teamId } = world.producer;
  const shared = (amount: JsonObject) => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Money' } } };
    const operation = { get: { responses: { 200: { description: 'ok', content } } } };
    const names = Array.from({ length: 60 }, (_, i) => `/s${String(i).padStart(2, '0')}`);
    return {
      openapi: '3.1.0',
      info: { title: 'Shared', version: '1.0.0' },
      paths: Object.fromEntries(names.map((name) => [name, operation])),
      components: { schemas: { Money: { type: 'object', properties: { amount } } } },
    };
  };
  const before = shared({ type: 'integer' });
  must(await client.importOpenapi({ body: { spec: before, owner_team_id: teamId } }), 200);
  const same = must(await client.diffOpenapi({ body: { spec: before } }), 200);
  expect(same.shared_changes).toBeUndefined();
  const body = { spec: shared({ type: 'string' }) };
  const diff = must(await client.diffOpenapi({ body }), 200);
  const place = 'properties.response.properties.amount';
  expect(diff.shared_changes).toEqual([
    {
      ...{
        type: 'type_changed',
        path: `$.${place}`,
        definition: '$.$defs.Money.properties.amount',
      },
      description: expect.stringContaining('integer became string'),
      ...{ breaking: true, old: 'integer', new: 'string', place_count: 60 },
      items: diff.endpoints.map(({ fqn }, i) => ({ fqn, ...(i < 50 && { path: `$.${place}` }) })),
    },
  ]);
  expect(diff.endpoints.map(({ changes }) => changes.length)).toEqual(Array(60).fill(1));
  const impact = must(await client.impactOpenapi({ body }), 200);
  expect(impact.results[59]?.breaking_changes).toMatchObject([
    { definition: '$.$defs.Money.properties.amount' },
  ]);
});
