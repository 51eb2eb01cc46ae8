import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accepted,
  codeOf,
  consume,
  contextOf,
  historyOf,
  makeAsset,
  makeTeam,
  memberOf,
  newName,
  newSecret,
  openWorld,
  page,
  proposed,
  published,
  schemaOf,
  verbs,
  type World,
} from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const findKey = async ({ ports }: World, { digest }: { digest: Uint8Array }) =>
  (await ports.reads.findKeysByDigest([digest])).values().next().value;

describe('teams', () => {
  test('get a unique slug, and names are unique ignoring case', async () => {
    const { ports } = world;
    const name = newName('Team Nord');
    const team = accepted(await verbs.createTeam(ports, contextOf(), { name }));
    expect(team.slug).toBe(name.toLowerCase().replace(/[ _]/g, '-'));
    expect(await ports.reads.getTeam(team.id)).toEqual(team);
    const same = { name: name.toUpperCase() };
    expect(codeOf(await verbs.createTeam(ports, contextOf(), same))).toBe('TEAM_EXISTS');
    const like = accepted(await verbs.createTeam(ports, contextOf(), { name: `${name}!` }));
    expect(like.slug).toBe(`${team.slug}-2`);
    const named = { name: newName('x'), slug: team.slug };
    expect(await verbs.createTeam(ports, contextOf(), named)).toMatchObject({
      failure: { code: 'TEAM_EXISTS', field: 'slug' },
    });
    const wrong = { name: newName('x'), slug: 'No Label' };
    expect(codeOf(await verbs.createTeam(ports, contextOf(), wrong))).toBe('VALIDATION_ERROR');
    const member = contextOf(memberOf(team));
    expect(codeOf(await verbs.createTeam(ports, member, { name: newName('y') }))).toBe('FORBIDDEN');
  });

  test('are changed by merge patch; a change without effect leaves no trace', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    const command = { teamId: team.id, metadata: { slack: '#a', gone: null } };
    const updated = accepted(await verbs.updateTeam(ports, contextOf(), command));
    expect(updated.metadata).toEqual({ slack: '#a' });
    accepted(await verbs.updateTeam(ports, contextOf(), command));
    expect((await historyOf(ports, team.id)).map(({ eventType }) => eventType)).toEqual([
      'team.created',
      'team.updated',
    ]);
    const refused = { ...command, precondition: () => false };
    expect(codeOf(await verbs.updateTeam(ports, contextOf(), refused))).toBe('PRECONDITION_FAILED');
  });

  test('that own assets are deleted only with a new owner, and their keys are revoked', async () => {
    const { ports } = world;
    const [team, heir] = [await makeTeam(ports), await makeTeam(ports)];
    const asset = await makeAsset(ports, team);
    const secret = newSecret();
    const issue = { name: 'ci', teamId: team.id, scopes: ['write' as const], secret };
    const key = accepted(await verbs.issueApiKey(ports, contextOf(), issue));
    expect(await findKey(world, secret)).toEqual({
      key,
      actor: { type: 'api_key', id: key.id, name: 'ci', scope: 'write', teams: [team.id] },
    });
    const command = { teamId: team.id };
    expect(codeOf(await verbs.deleteTeam(ports, contextOf(), command))).toBe('TEAM_HAS_ASSETS');
    const heired = { ...command, reassignTo: heir.id };
    accepted(await verbs.deleteTeam(ports, contextOf(), heired));
    expect(await ports.reads.getTeam(team.id)).toBeNull();
    expect(await ports.reads.getAsset(asset.id)).toMatchObject({ ownerTeamId: heir.id });
    expect(await findKey(world, secret)).toBeUndefined();
    expect(await ports.reads.getApiKey(key.id)).toMatchObject({ revokedAt: expect.any(String) });
    // Its name is free again.
    expect(codeOf(await verbs.createTeam(ports, contextOf(), { name: team.name }))).toBe('ok');
  });
});

describe('keys', () => {
  test('are revoked once, and the second time changes nothing', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    const secret = newSecret();
    const issue = { name: 'k', teamId: team.id, scopes: ['read' as const], secret };
    const key = accepted(await verbs.issueApiKey(ports, contextOf(), issue));
    await ports.reads.recordKeyUse([{ id: key.id, at: '2030-01-01T00:00:00.000Z' }]);
    await ports.reads.recordKeyUse([{ id: key.id, at: '2029-01-01T00:00:00.000Z' }]);
    expect((await ports.reads.getApiKey(key.id))?.lastUsedAt).toBe('2030-01-01T00:00:00.000Z');
    for (const _ of [1, 2]) {
      accepted(await verbs.revokeApiKey(ports, contextOf(), { apiKeyId: key.id }));
    }
    expect(await findKey(world, secret)).toBeUndefined();
    expect((await historyOf(ports, key.id)).map(({ eventType }) => eventType)).toEqual([
      'api_key.created',
      'api_key.revoked',
    ]);
  });

  test('are not issued for teams that do not exist, or with an expiry in the past', async () => {
    const { ports } = world;
    const issue = { name: 'k', teamId: null, scopes: ['read' as const], secret: newSecret() };
    const nobody = { ...issue, teamIds: [contextOf().newId()] };
    expect(await verbs.issueApiKey(ports, contextOf(), nobody)).toMatchObject({
      failure: { code: 'TEAM_NOT_FOUND', field: 'team_ids' },
    });
    const expired = { ...issue, expiresAt: '2020-01-01T00:00:00.000Z' };
    expect(codeOf(await verbs.issueApiKey(ports, contextOf(), expired))).toBe('VALIDATION_ERROR');
  });
});

describe('assets', () => {
  test('have a unique name in an environment, except for deleted ones', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    const asset = await makeAsset(ports, team);
    const again = { fqn: asset.fqn, ownerTeamId: team.id };
    expect(codeOf(await verbs.createAsset(ports, contextOf(), again))).toBe('ASSET_EXISTS');
    const staged = { ...again, environment: 'staging' };
    expect(codeOf(await verbs.createAsset(ports, contextOf(), staged))).toBe('ok');
    const wrong = { ...again, fqn: 'orders' };
    expect(await verbs.createAsset(ports, contextOf(), wrong)).toMatchObject({
      failure: { code: 'VALIDATION_ERROR', field: 'fqn' },
    });
    const other = contextOf(memberOf(await makeTeam(ports)));
    const fresh = { ...again, fqn: newName('a.b') };
    expect(codeOf(await verbs.createAsset(ports, other, fresh))).toBe('FORBIDDEN');
  });

  test('take a merge patch, and an owning user who is a member of the owning team', async () => {
    const { ports, database } = world;
    const [team, other] = [await makeTeam(ports), await makeTeam(ports)];
    const asset = await makeAsset(ports, team);
    const [user] = await database.query(
      `insert into app_user (id, email, name, team_id, role, created_at, updated_at)
       values (gen_random_uuid(), $1, 'Ada', $2, 'editor', now(), now()) returning id`,
      [`${newName('ada')}@example.org`, team.id],
    );
    const ownerUserId = String(user?.id);
    const patch = { assetId: asset.id, ownerUserId, metadata: { tags: ['gold'], x: 1 } };
    expect(accepted(await verbs.updateAsset(ports, contextOf(), patch))).toMatchObject({
      action: 'updated',
      asset: { ownerUserId, ownerUserName: 'Ada', metadata: { tags: ['gold'], x: 1 } },
    });
    const strange = await makeAsset(ports, other);
    const wrong = { ...patch, assetId: strange.id };
    expect(codeOf(await verbs.updateAsset(ports, contextOf(), wrong))).toBe('OWNER_NOT_MEMBER');
    const removing = { assetId: asset.id, ownerUserId: null, metadata: { x: null } };
    accepted(await verbs.updateAsset(ports, contextOf(), removing));
    const after = await ports.reads.getAsset(asset.id);
    expect(after).toMatchObject({ ownerUserId: null, metadata: { tags: ['gold'] } });
    expect((await historyOf(ports, asset.id)).at(-1)?.metadata).toMatchObject({
      from: { owner_user_id: ownerUserId },
      to: { owner_user_id: null },
    });
  });

  test('move at once if they have no consumers, and only to a free name', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    const asset = await makeAsset(ports, team);
    await makeAsset(ports, team, { fqn: asset.fqn, environment: 'taken' });
    const move = { assetId: asset.id, environment: 'free' };
    expect(accepted(await verbs.updateAsset(ports, contextOf(), move))).toMatchObject({
      action: 'updated',
      asset: { environment: 'free' },
    });
    const onto = { assetId: asset.id, environment: 'taken' };
    expect(codeOf(await verbs.updateAsset(ports, contextOf(), onto))).toBe('ASSET_EXISTS');
  });

  test('are found by name, prefix, words, tag, type, owner and environment', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    const root = newName('find');
    const make = (name: string, metadata = {}) =>
      verbs.createAsset(ports, contextOf(), {
        fqn: `${root}.${name}`,
        ownerTeamId: team.id,
        metadata,
      });
    await make('orders.daily', { description: 'Every parcel we sent', tags: ['gold', 'eu'] });
    await make('orders', { resource_type: 'model' });
    await make('orders_old', { resource_type: 'seed' });
    const find = async (filter: object) => {
      const listed = accepted(
        await ports.reads.listAssets({ ...page, ownerTeamId: team.id, ...filter }),
      );
      expect(listed.total).toBe(listed.results.length);
      return listed.results.map(({ fqn }) => fqn.slice(root.length + 1));
    };
    expect(await find({})).toEqual(['orders', 'orders.daily', 'orders_old']);
    expect(await find({ fqn: `${root}.orders` })).toEqual(['orders', 'orders.daily', 'orders_old']);
    expect(await find({ fqn: `${root}.orders.d` })).toEqual(['orders.daily']);
    expect(await find({ fqn: `${root}.rders` })).toEqual([]);
    expect(await find({ q: 'PARC' })).toEqual(['orders.daily']);
    expect(await find({ q: 'old orders' })).toEqual(['orders_old']);
    expect(await find({ q: "'; drop table asset; --" })).toEqual([]);
    expect(await find({ tag: 'gold' })).toEqual(['orders.daily']);
    expect(await find({ resourceType: 'model' })).toEqual(['orders']);
    expect(await find({ environment: 'nowhere' })).toEqual([]);
  });

  test('are listed by page and by cursor alike, each once, in every order', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    for (let count = 0; count < 7; count++) await makeAsset(ports, team);
    for (const field of ['fqn', 'created_at', 'updated_at'] as const) {
      for (const direction of ['ascending', 'descending'] as const) {
        const sort = { field, direction };
        const query = { pageSize: 3, includeTotal: true, ownerTeamId: team.id, sort };
        const pages = [];
        for (const number of [1, 2, 3, 4]) {
          pages.push(accepted(await ports.reads.listAssets({ ...query, page: number })));
        }
        const byPage = pages.flatMap(({ results }) => results);
        expect(pages.map(({ total }) => total)).toEqual([7, 7, 7, 7]);
        expect(pages.map(({ nextCursor }) => nextCursor !== null)).toEqual([
          true,
          true,
          false,
          false,
        ]);
        const byCursor = [...(pages[0]?.results ?? [])];
        let cursor = pages[0]?.nextCursor ?? null;
        while (cursor !== null) {
          const next = accepted(await ports.reads.listAssets({ ...query, page: 1, cursor }));
          byCursor.push(...next.results);
          cursor = next.nextCursor;
        }
        expect(byCursor).toEqual(byPage);
        expect(new Set(byPage.map(({ id }) => id)).size).toBe(7);
        const keys = byPage.map((asset) => (field === 'fqn' ? asset.fqn : asset.createdAt));
        const sorted = keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        if (field !== 'updated_at') {
          expect(keys).toEqual(direction === 'ascending' ? sorted : sorted.reverse());
        }
      }
    }
  });

  test('refuse an invalid cursor, or one of another order', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    for (let count = 0; count < 2; count++) await makeAsset(ports, team);
    const query = { page: 1, pageSize: 1, includeTotal: false, ownerTeamId: team.id };
    const { nextCursor, total } = accepted(await ports.reads.listAssets(query));
    expect(total).toBeNull();
    const sort = { field: 'created_at' as const, direction: 'ascending' as const };
    for (const wrong of [
      { ...query, cursor: 'nonsense' },
      { ...query, cursor: nextCursor ?? '', sort },
    ]) {
      expect(await ports.reads.listAssets(wrong)).toMatchObject({
        failure: { code: 'VALIDATION_ERROR', field: 'cursor' },
      });
    }
  });
});

describe('registrations', () => {
  test('are refused on archived versions, for the producer, and twice', async () => {
    const { ports } = world;
    const [owner, team] = [await makeTeam(ports), await makeTeam(ports)];
    const asset = await makeAsset(ports, owner);
    const first = await published(ports, asset.id, schemaOf('a'));
    const self = { contractId: first.id, consumerTeamId: owner.id };
    expect(codeOf(await verbs.registerConsumer(ports, contextOf(), self))).toBe(
      'SELF_REGISTRATION',
    );
    const willing = { ...self, allowSelf: true };
    expect(codeOf(await verbs.registerConsumer(ports, contextOf(), willing))).toBe('ok');
    const second = await published(ports, asset.id, schemaOf('a', 'b'));
    const late = { contractId: first.id, consumerTeamId: team.id };
    // A deprecated one may be used.
    const registration = accepted(await verbs.registerConsumer(ports, contextOf(), late));
    expect(await ports.reads.getRegistration(registration.id)).toEqual(registration);
    const twice = { ...late, contractId: second.id };
    expect(codeOf(await verbs.registerConsumer(ports, contextOf(), twice))).toBe(
      'REGISTRATION_EXISTS',
    );
    const other = contextOf(memberOf(team));
    const third = await makeTeam(ports);
    const foreign = { contractId: first.id, consumerTeamId: third.id };
    expect(codeOf(await verbs.registerConsumer(ports, other, foreign))).toBe('FORBIDDEN');
    const archive = {
      contractId: first.id,
      status: 'archived' as const,
      force: true,
      reason: 'It has to be.',
    };
    accepted(await verbs.updateContract(ports, contextOf(), archive));
    expect(codeOf(await verbs.registerConsumer(ports, contextOf(), foreign))).toBe(
      'CONTRACT_ARCHIVED',
    );
  });

  test('move to another version of the same asset by hand, and pin nothing while inactive', async () => {
    const { ports } = world;
    const [owner, team] = [await makeTeam(ports), await makeTeam(ports)];
    const asset = await makeAsset(ports, owner);
    const first = await published(ports, asset.id, schemaOf('a', 'b'));
    const { id: registrationId } = await consume(ports, first.id, team);
    const proposal = await proposed(ports, asset.id, schemaOf('a'));
    const forcing = { proposalId: proposal.id, reason: 'It has to be.' };
    const { contract } = accepted(await verbs.forceProposal(ports, contextOf(), forcing));
    const move = { registrationId, contractId: contract?.id ?? '' };
    const context = contextOf(memberOf(team));
    expect(accepted(await verbs.updateRegistration(ports, context, move))).toMatchObject({
      contractId: contract?.id,
      contractVersion: '2.0.0',
      registeredVersion: '1.0.0',
    });
    const elsewhere = await published(ports, (await makeAsset(ports, owner)).id, schemaOf('z'));
    const wrong = { registrationId, contractId: elsewhere.id };
    expect(await verbs.updateRegistration(ports, context, wrong)).toMatchObject({
      failure: { code: 'CONTRACT_NOT_FOUND', field: 'contract_id' },
    });
    const off = { registrationId, status: 'inactive' as const, notes: 'holidays' };
    expect(accepted(await verbs.updateRegistration(ports, context, off))).toMatchObject({
      status: 'inactive',
      notes: 'holidays',
    });
    expect((await ports.reads.getAssetFacts(asset.id))?.consumers).toEqual([]);
  });
});

describe('impact', () => {
  test('returns what a publish would do, and writes nothing', async () => {
    const { ports } = world;
    const [owner, team] = [await makeTeam(ports), await makeTeam(ports)];
    const asset = await makeAsset(ports, owner);
    const { id } = await published(ports, asset.id, schemaOf('a', 'b'));
    await consume(ports, id, team);
    const assess = async (proposedSchema: ReturnType<typeof schemaOf>) =>
      accepted(await verbs.assessImpact(ports, contextOf(), { assetId: asset.id, proposedSchema }));
    expect(await assess(schemaOf('a', 'b'))).toMatchObject({
      isBreaking: false,
      changeType: 'none',
      proposedVersion: null,
      affectedConsumers: [],
    });
    expect(await assess(schemaOf('a', 'b', 'c'))).toMatchObject({
      isBreaking: false,
      changeType: 'minor',
      proposedVersion: '1.1.0',
    });
    expect(await assess(schemaOf('a'))).toMatchObject({
      isBreaking: true,
      changeType: 'major',
      proposedVersion: '2.0.0',
      affectedConsumers: [{ teamId: team.id, teamName: team.name }],
      breakingChanges: [{ type: 'property_removed' }],
    });
    expect(await ports.reads.getOpenProposal(asset.id)).toBeNull();
  });
});
