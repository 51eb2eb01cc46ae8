// Services: what assets belong to. They give no rights and change no verdict.

import pg from 'pg';
import { describe, expect, test } from 'vitest';
import {
  createAsset,
  createService,
  must,
  mustRefuse,
  narrowerSchema,
  openParty,
  openRegistryForFile,
  proposedAsset,
  publish,
  publishedAsset,
  register,
  uniqueName,
  type World,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();
const { admin, producer, consumer, other } = world;

const anId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const repository = 'https://git.example.org/shop/checkout';
const newName = () => uniqueName('checkout').replace(' ', '-');
const bodyOf = (more: Record<string, unknown> = {}) => ({
  ...{ name: newName(), owner_team_id: producer.teamId },
  ...more,
});
const historyOf = async (entity_type: 'asset' | 'service', entity_id: string) =>
  must(await admin.listEntityHistory({ params: { entity_type, entity_id } }), 200).results;
const assetOf = async (asset_id: string) =>
  must(await admin.getAsset({ params: { asset_id } }), 200);
const put = (asset_id: string, service_id: string | null, by: World['producer'] = producer) =>
  by.client.updateAsset({ params: { asset_id }, body: { service_id } });

describe('A service', () => {
  test('has a name, an owner, a repository and a description', async () => {
    const body = bodyOf({ repository, description: 'Takes orders.', metadata: { pager: 'a' } });
    const made = must(await producer.client.createService({ body }), 201);
    expect(made).toEqual({
      ...body,
      ...{ id: anId, owner_team_name: expect.any(String), created_at: aTime, updated_at: aTime },
    });
    const params = { service_id: made.id };
    expect(must(await consumer.client.getService({ params }), 200)).toEqual(made);
    const listed = must(await consumer.client.listServices({ query: { name: body.name } }), 200);
    expect(listed).toMatchObject({ results: [{ ...made, assets: 0 }], total: 1 });
    const change = { repository: null, metadata: { pager: null, slack: '#a' } };
    const changed = must(await producer.client.updateService({ params, body: change }), 200);
    expect(changed).toEqual({
      ...made,
      ...{ repository: null, metadata: { slack: '#a' }, updated_at: aTime },
    });
    must(await producer.client.updateService({ params, body: change }), 200);
    must(await producer.client.deleteService({ params }), 204);
    mustRefuse(await producer.client.getService({ params }), 404, 'SERVICE_NOT_FOUND');
    mustRefuse(await producer.client.deleteService({ params }), 404, 'SERVICE_NOT_FOUND');
    expect(await historyOf('service', made.id)).toMatchObject([
      { event_type: 'service.deleted', metadata: { name: body.name, assets: 0 } },
      {
        event_type: 'service.updated',
        metadata: {
          from: { repository, metadata: { pager: 'a' } },
          to: { repository: null, metadata: { slack: '#a' } },
        },
      },
      { event_type: 'service.created', metadata: { repository, description: 'Takes orders.' } },
    ]);
  });

  test('has a name that no other has, whoever owns it, until it is deleted', async () => {
    const { id, name } = await createService(producer);
    const body = { name, owner_team_id: other.teamId };
    const refused = mustRefuse(await other.client.createService({ body }), 409, 'SERVICE_EXISTS');
    expect(refused).toMatchObject({ field: 'name', service_id: id });
    const second = await createService(other);
    const params = { service_id: second.id };
    mustRefuse(await other.client.updateService({ params, body: { name } }), 409, 'SERVICE_EXISTS');
    must(await other.client.updateService({ params, body: { name: second.name } }), 200);
    must(await producer.client.deleteService({ params: { service_id: id } }), 204);
    expect(must(await other.client.updateService({ params, body: { name } }), 200).name).toBe(name);
  });

  test('is made once, however many ask for its name at once', async () => {
    const body = bodyOf();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => producer.client.createService({ body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test('is not changed by who read an older state of it', async () => {
    const { id: service_id } = await createService(producer);
    const params = { service_id };
    const { headers } = await producer.client.getService({ params });
    const ifMatch = { 'if-match': headers.get('etag') ?? '' };
    const body = { description: 'Takes orders.' };
    must(await producer.client.updateService({ params, body, headers: ifMatch }), 200);
    for (const refused of [
      await producer.client.updateService({ params, body, headers: ifMatch }),
      await producer.client.deleteService({ params, headers: ifMatch }),
    ]) {
      mustRefuse(refused, 412, 'PRECONDITION_FAILED');
    }
  });

  test('is not called what no address could hold', async () => {
    const names = ['Checkout', '-checkout', 'check out', 'checkout\n', '', 'x'.repeat(101)];
    for (const name of names) {
      const refused = await producer.client.createService({ body: bodyOf({ name }) });
      expect(mustRefuse(refused, 400, 'VALIDATION_ERROR')).toMatchObject({ field: 'name' });
    }
  });

  const repositories = [
    'https://git.example.org/shop/checkout',
    'https://git.example.org:8443/shop/checkout.git',
    'ssh://git@git.example.org/shop/checkout.git',
    'git@git.example.org:shop/checkout.git',
  ];

  test('may have its code where people clone it from', async () => {
    for (const address of repositories) {
      const made = await createService(producer, { repository: address });
      expect(made.repository).toBe(address);
    }
  });

  const elsewhere = [
    'javascript:alert(1)',
    'JavaScript://git.example.org/%0aalert(1)',
    'http://git.example.org/shop',
    'file:///etc/passwd',
    'data:text/html,x',
    '//git.example.org/shop',
    'https:git.example.org/shop',
    'https://user:hidden@git.example.org/shop',
    'https://token@git.example.org/shop',
    'ssh://git:hidden@git.example.org/shop',
    'git:hidden@git.example.org:shop/checkout',
    'https://git.example.org/shop?private_token=hidden',
    'https://git.example.org/shop#hidden',
    'https://git.example.org\\@evil.example/shop',
    'https://git.example.org/\u202eshop',
    ' https://git.example.org/shop',
    'https://git.example.org/sh\nop',
    'https://',
    '',
    `https://git.example.org/${'x'.repeat(500)}`,
  ];

  test('has no code behind a script or a credential, and no answer repeats what was sent', async () => {
    const { id: service_id } = await createService(producer);
    for (const address of elsewhere) {
      const body = { repository: address };
      const refused = await producer.client.createService({ body: bodyOf(body) });
      const problem = mustRefuse(refused, 400, 'VALIDATION_ERROR');
      expect(problem).toMatchObject({ field: 'repository' });
      expect(JSON.stringify(problem)).not.toContain('hidden');
      const params = { service_id };
      const changed = await producer.client.updateService({ params, body });
      mustRefuse(changed, 400, 'VALIDATION_ERROR');
    }
  });

  test('belongs to one team at a time, which gives it away with or without its assets', async () => {
    const { id: service_id } = await createService(producer);
    const params = { service_id };
    const asset = await createAsset(producer, { service_id });
    const body = { owner_team_id: other.teamId };
    mustRefuse(await other.client.updateService({ params, body }), 403, 'FORBIDDEN');
    const nobody = { owner_team_id: '00000000-0000-7000-8000-000000000000' };
    mustRefuse(await admin.updateService({ params, body: nobody }), 404, 'TEAM_NOT_FOUND');
    expect(must(await producer.client.updateService({ params, body }), 200)).toMatchObject(body);
    expect(await assetOf(asset.id)).toMatchObject({ owner_team_id: producer.teamId, service_id });
    mustRefuse(await producer.client.deleteService({ params }), 403, 'FORBIDDEN');
    must(await other.client.deleteService({ params }), 204);
  });

  test('is one of at most a thousand that a team makes or gets', async () => {
    const team = await openParty(admin, 'many');
    await registry.database.query(
      `insert into service (id, name, owner_team_id, metadata, created_at, updated_at)
       select gen_random_uuid(), 'many-' || i, $1, '{}', now(), now() from generate_series(1, 999) i`,
      [team.teamId],
    );
    const { id: service_id } = await createService(producer);
    await createService(team);
    const body = { owner_team_id: team.teamId };
    const refused = [
      await team.client.createService({ body: { ...body, name: newName() } }),
      await producer.client.updateService({ params: { service_id }, body }),
    ];
    for (const each of refused) {
      const problem = mustRefuse(each, 400, 'VALIDATION_ERROR');
      expect(problem).toMatchObject({ field: 'owner_team_id' });
    }
  });

  test('is found by name', async () => {
    const { id, name } = await createService(producer);
    const found = must(await consumer.client.search({ query: { q: name, types: 'service' } }), 200);
    expect(found.results).toEqual([
      {
        ...{ type: 'service', rank: 'exact', why: 'This is its name.', service_id: id, name },
        owner_team_name: expect.any(String),
      },
    ]);
    must(await producer.client.deleteService({ params: { service_id: id } }), 204);
    const gone = must(await consumer.client.search({ query: { q: name } }), 200);
    expect(gone.results).toEqual([]);
  });

  test('is listed by name, by page and by team', async () => {
    const team = await openParty(admin, 'services');
    const names = ['c', 'a', 'b'].map((letter) => `${letter}-${newName()}`);
    for (const name of names) await createService(team, { name });
    const query = { owner_team_id: team.teamId, page_size: 2 };
    const first = must(await consumer.client.listServices({ query }), 200);
    const cursor = first.next_cursor ?? '';
    const second = must(await consumer.client.listServices({ query: { ...query, cursor } }), 200);
    const listed = [...first.results, ...second.results].map(({ name }) => name);
    expect(listed).toEqual(names.toSorted());
    const q = (names[0] ?? '').slice(2).toUpperCase();
    const some = must(await consumer.client.listServices({ query: { ...query, q } }), 200);
    expect(some.results.map(({ name }) => name)).toEqual([names[0]]);
  });
});

describe('An asset', () => {
  test('belongs to a service from its beginning, or from a change on, and to one only', async () => {
    const first = await createService(producer);
    const second = await createService(other);
    const { id } = await createAsset(producer, { service_id: first.id });
    expect(await assetOf(id)).toMatchObject({ service_id: first.id, service_name: first.name });
    expect(must(await put(id, second.id), 200)).toMatchObject({ service_id: second.id });
    expect(must(await put(id, second.id), 200)).toMatchObject({ service_id: second.id });
    const out = must(await put(id, null), 200);
    expect(out).not.toHaveProperty('service_id');
    expect(out).not.toHaveProperty('service_name');
    const told = (await historyOf('asset', id)).map(({ metadata: { from, to } }) => ({ from, to }));
    expect(told.slice(0, 2)).toEqual([
      { from: { service_id: second.id }, to: { service_id: null } },
      { from: { service_id: first.id }, to: { service_id: second.id } },
    ]);
    const [created] = (await historyOf('asset', id)).toReversed();
    expect(created?.metadata).toMatchObject({ service_id: first.id });
  });

  test('is put into a service by its owner, not by the owner of the service', async () => {
    const { id: service_id } = await createService(other);
    const asset = await createAsset(producer);
    mustRefuse(await put(asset.id, service_id, other), 403, 'FORBIDDEN');
    must(await put(asset.id, service_id), 200);
  });

  test('belongs to no service that is not there', async () => {
    const gone = await createService(producer);
    must(await producer.client.deleteService({ params: { service_id: gone.id } }), 204);
    const asset = await createAsset(producer);
    const refused = mustRefuse(await put(asset.id, gone.id), 404, 'SERVICE_NOT_FOUND');
    expect(refused).toMatchObject({ field: 'service_id' });
    const body = { fqn: 'a.b', owner_team_id: producer.teamId, service_id: gone.id };
    mustRefuse(await producer.client.createAsset({ body }), 404, 'SERVICE_NOT_FOUND');
  });

  test('stays when its service is deleted, and belongs to none', async () => {
    const service = await createService(producer);
    const asset = await createAsset(producer, { service_id: service.id });
    const query = { service_id: service.id };
    const before = must(await consumer.client.listAssets({ query }), 200);
    expect(before.results).toMatchObject([{ id: asset.id, service_name: service.name }]);
    const ofName = must(await admin.listServices({ query: { name: service.name } }), 200);
    expect(ofName.results).toMatchObject([{ assets: 1 }]);
    must(await producer.client.deleteService({ params: { service_id: service.id } }), 204);
    expect(await assetOf(asset.id)).not.toHaveProperty('service_id');
    expect(must(await consumer.client.listAssets({ query }), 200).results).toEqual([]);
    const [event] = await historyOf('service', service.id);
    expect(event).toMatchObject({ event_type: 'service.deleted', metadata: { assets: 1 } });
    const named = await createService(producer, { name: service.name });
    expect(await assetOf(asset.id)).not.toHaveProperty('service_id');
    must(await put(asset.id, named.id), 200);
  });

  test('is not put into a service while that is deleted', async () => {
    const { id: service_id } = await createService(producer);
    const asset = await createAsset(producer);
    const holder = new pg.Client(registry.database.url);
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from service where id = $1 for update', [service_id]);
    const putting = put(asset.id, service_id);
    const blocked =
      'select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))';
    await expect.poll(async () => (await holder.query(blocked)).rowCount).toBe(1);
    await holder.query('update service set deleted_at = now() where id = $1', [service_id]);
    await holder.query('commit');
    await holder.end();
    mustRefuse(await putting, 404, 'SERVICE_NOT_FOUND');
  });

  test('that a source manages is put into a service by its owner, and changed in nothing else', async () => {
    const { id: service_id } = await createService(producer);
    const asset = await createAsset(producer);
    await registry.database.query(
      `update asset set managed_source = 'kubernetes', managed_reference = 'orders in a' where id = $1`,
      [asset.id],
    );
    const params = { asset_id: asset.id };
    const body = { service_id, auto_publish: true };
    mustRefuse(await producer.client.updateAsset({ params, body }), 409, 'ASSET_MANAGED_ELSEWHERE');
    const overriding = { service_id, override: true, reason: 'It has to be.' };
    const denied = await producer.client.updateAsset({ params, body: overriding });
    mustRefuse(denied, 403, 'FORBIDDEN');
    const nothing = await producer.client.updateAsset({ params, body: {} });
    mustRefuse(nothing, 409, 'ASSET_MANAGED_ELSEWHERE');
    must(await put(asset.id, service_id), 200);
    mustRefuse(await put(asset.id, null, other), 403, 'FORBIDDEN');
  });

  test('asks the same consumers in a service as without one', async () => {
    const { id: service_id } = await createService(consumer);
    const { assetId, contractId } = await publishedAsset(producer);
    await register(consumer, contractId);
    const into = must(await put(assetId, service_id), 200);
    expect(into).toMatchObject({ id: assetId, service_id });
    const asked = await publish(producer.client, assetId, { schema: narrowerSchema });
    expect(asked).toMatchObject({ action: 'proposal_created' });
    // The owner of the service has no say in the asset.
    const params = { asset_id: assetId };
    mustRefuse(await consumer.client.deleteAsset({ params }), 403, 'FORBIDDEN');
  });
});

describe('An import', () => {
  const fileOf = (path: string) => ({
    owner_team_id: producer.teamId,
    spec: {
      openapi: '3.1.0',
      info: { title: newName(), version: '1.0.0' },
      paths: { [`/${path}`]: { get: { responses: { 200: { description: 'A list.' } } } } },
    },
  });

  test('puts new assets into the service that the caller names, and no other', async () => {
    const service = await createService(producer);
    const plain = fileOf('orders');
    must(await producer.client.importOpenapi({ body: plain }), 200);
    const paths = { ...plain.spec.paths, ...fileOf('carts').spec.paths };
    const body = { ...plain, spec: { ...plain.spec, paths }, service_id: service.id };
    const dry = await producer.client.importOpenapi({ body: { ...body, dry_run: true } });
    expect(must(dry, 200)).toMatchObject({ assets: { created: 1 } });
    must(await producer.client.importOpenapi({ body }), 200);
    const query = { service_id: service.id };
    const { results } = must(await producer.client.listAssets({ query }), 200);
    expect(results.map(({ fqn }) => fqn)).toEqual([expect.stringMatching(/carts/)]);
    must(await producer.client.deleteService({ params: { service_id: service.id } }), 204);
    const more = { ...fileOf('stock'), service_id: service.id };
    for (const dry_run of [true, false]) {
      const refused = await producer.client.importOpenapi({ body: { ...more, dry_run } });
      expect(mustRefuse(refused, 404, 'SERVICE_NOT_FOUND')).toMatchObject({ field: 'service_id' });
    }
  });
});

describe('A team', () => {
  test('that has services is deleted only with an heir, who gets them', async () => {
    const team = await openParty(admin, 'leaving');
    const service = await createService(team);
    const params = { team_id: team.teamId };
    const refused = mustRefuse(await admin.deleteTeam({ params }), 409, 'TEAM_HAS_ASSETS');
    expect(refused).toMatchObject({ services: [service.name], field: 'reassign_to' });
    expect(refused.message).toContain('owns 1 service.');
    const query = { reassign_to: other.teamId };
    must(await admin.deleteTeam({ params, query }), 204);
    const after = must(await admin.getService({ params: { service_id: service.id } }), 200);
    expect(after).toMatchObject({ owner_team_id: other.teamId, name: service.name });
    const [event] = await historyOf('service', service.id);
    expect(event).toMatchObject({
      event_type: 'service.updated',
      metadata: { from: { owner_team_id: team.teamId }, to: { owner_team_id: other.teamId } },
    });
    must(await admin.restoreTeam({ params }), 200);
    const still = must(await admin.getService({ params: { service_id: service.id } }), 200);
    expect(still.owner_team_id).toBe(other.teamId);
  });

  test.each(['transaction', 'partial'] as const)(
    'gives all of its assets and services away at once: %s',
    async (mode) => {
      const team = await openParty(admin, 'merged');
      const service = await createService(team);
      const asset = await createAsset(team, { service_id: service.id });
      const params = { team_id: team.teamId };
      const body = { owner_team_id: other.teamId, mode };
      const headers = { 'idempotency-key': newName() };
      const done = must(await admin.reassignAssets({ params, body, headers }), 200);
      expect(done).toMatchObject({ succeeded: 2, refused: 0, next_cursor: null });
      expect(done.results).toMatchObject([
        { asset: { id: asset.id }, body: { service_id: service.id } },
        { service: { id: service.id, name: service.name }, body: { name: service.name } },
      ]);
      const after = must(await admin.getService({ params: { service_id: service.id } }), 200);
      expect(after.owner_team_id).toBe(other.teamId);
      expect((await assetOf(asset.id)).owner_team_id).toBe(other.teamId);
      const again = must(await admin.reassignAssets({ params, body, headers }), 200);
      expect(again).toEqual(done);
    },
  );
});

describe('At the same time', () => {
  test('a service is handed over and its team is deleted: it goes to one of the heirs', async () => {
    const [first, second] = [await openParty(admin, 'heir'), await openParty(admin, 'heir')];
    const owners = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const team = await openParty(admin, 'leaving');
      const { id: service_id } = await createService(team);
      const other_id = (await createService(team)).id;
      const asset = await createAsset(team, { service_id });
      const [deleted, moved, changed] = await Promise.all([
        admin.deleteTeam({
          params: { team_id: team.teamId },
          query: { reassign_to: first.teamId },
        }),
        admin.updateService({ params: { service_id }, body: { owner_team_id: second.teamId } }),
        admin.updateAsset({ params: { asset_id: asset.id }, body: { service_id: null } }),
        admin.deleteService({ params: { service_id: other_id } }),
      ]);
      expect([deleted.status, moved.status, changed.status]).toEqual([204, 200, 200]);
      const { owner_team_id } = must(await admin.getService({ params: { service_id } }), 200);
      owners.add(owner_team_id);
    }
    expect(owners.isSubsetOf(new Set([first.teamId, second.teamId]))).toBe(true);
  });

  test('a service gets another owner, is changed, and gets an asset', async () => {
    const { id: service_id } = await createService(producer);
    const asset = await createAsset(producer);
    const holder = new pg.Client(registry.database.url);
    await holder.connect();
    await holder.query('begin');
    await holder.query('update service set owner_team_id = $2 where id = $1', [
      service_id,
      other.teamId,
    ]);
    const body = { description: 'Takes orders.' };
    const changing = admin.updateService({ params: { service_id }, body });
    const putting = put(asset.id, service_id);
    const waiting = `select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(async () => (await holder.query(waiting)).rowCount).toBe(2);
    await holder.query('commit');
    await holder.end();
    expect(must(await changing, 200)).toMatchObject({ ...body, owner_team_id: other.teamId });
    expect(must(await putting, 200)).toMatchObject({ service_id });
  });

  test('two teams are deleted for one heir, and no service is left behind', async () => {
    const heir = await openParty(admin, 'heir');
    const teams = [await openParty(admin, 'merged'), await openParty(admin, 'merged')];
    const services = await Promise.all(teams.map((team) => createService(team)));
    const query = { reassign_to: heir.teamId };
    const answers = await Promise.all(
      teams.map(({ teamId }) => admin.deleteTeam({ params: { team_id: teamId }, query })),
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    for (const { id: service_id } of services) {
      const { owner_team_id } = must(await admin.getService({ params: { service_id } }), 200);
      expect(owner_team_id).toBe(heir.teamId);
    }
  });
});

describe('The graph by service', () => {
  test('has a block for each service, and one for each team with assets in none', async () => {
    const [owner, reader] = [await openParty(admin, 'owner'), await openParty(admin, 'reader')];
    const [orders, carts] = [await createService(owner), await createService(owner)];
    const source = await proposedAsset(owner, [reader]);
    must(await put(source.assetId, orders.id, owner), 200);
    const derived = await createAsset(owner, { service_id: carts.id });
    const loose = await createAsset(owner);
    for (const { id: asset_id } of [derived, loose]) {
      const body = { depends_on_asset_id: source.assetId };
      must(await owner.client.addDependency({ params: { asset_id }, body }), 201);
    }
    const query = { owner_team_id: owner.teamId, by: 'service' } as const;
    const graph = must(await consumer.client.getTeamGraph({ query }), 200);
    const blocks = graph.teams.map(({ team_id, kind, owned }) => ({ team_id, kind, owned }));
    expect(new Set(blocks)).toEqual(
      new Set([
        { team_id: orders.id, kind: 'service', owned: 1 },
        { team_id: carts.id, kind: 'service', owned: 1 },
        { team_id: owner.teamId, kind: 'team', owned: 1 },
        { team_id: reader.teamId, kind: 'team', owned: 0 },
      ]),
    );
    expect(new Set(graph.lines.map((line) => `${line.from_team_id} ${line.to_team_id}`))).toEqual(
      new Set([carts.id, owner.teamId, reader.teamId].map((reading) => `${orders.id} ${reading}`)),
    );
    must(await owner.client.deleteService({ params: { service_id: orders.id } }), 204);
    const after = must(await consumer.client.getTeamGraph({ query }), 200);
    expect(after.teams.map(({ team_id }) => team_id)).not.toContain(orders.id);
    const plain = must(
      await consumer.client.getTeamGraph({ query: { owner_team_id: owner.teamId } }),
      200,
    );
    expect(plain.teams.map(({ team_id }) => team_id).toSorted()).toEqual(
      [owner.teamId, reader.teamId].toSorted(),
    );
    expect(plain.teams.every((block) => !('kind' in block))).toBe(true);
  });
});
