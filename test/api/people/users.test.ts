// Users: each promise of sections 1 and 12 of the specification, and the first administrator.

import { describe, expect, test } from 'vitest';
import { systemActor } from '../../../src/core/actor.ts';
import { hashPassword, newPassword } from '../../../src/ops/password.ts';
import { newUuid } from '../../../src/ops/uuid.ts';
import { ensureFirstAdmin } from '../../../src/registry/people/ensure-first-admin.ts';
import type { Ports } from '../../../src/registry/ports.ts';
import { openStore } from '../../../src/store/store.ts';
import { openRegistry } from '../../support/client/client-registry.ts';
import {
  createAsset,
  createUser,
  issueKey,
  must,
  mustRefuse,
  openParty,
  openRegistryForFile,
  openWorld,
  password,
  publishedAsset,
  register,
  signIn,
  uniqueName,
} from '../../support/client/client-world.ts';
import { openDatabase } from '../../support/postgres/postgres.ts';

const { registry, world } = await openRegistryForFile();

const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';

async function eventsOf(entity_id: string) {
  const params = { entity_type: 'user', entity_id } as const;
  return must(await world.admin.listEntityHistory({ params }), 200).results;
}

describe('A user', () => {
  test('is created with 201, recorded in the audit trail, and never shows a password', async () => {
    const body = {
      email: 'Ada@example.com',
      name: 'Ada Lovelace',
      team_id: world.producer.teamId,
      role: 'editor' as const,
      password,
    };
    const made = must(await world.admin.createUser({ body }), 201);
    expect(made).toEqual({
      id: expect.any(String),
      email: 'Ada@example.com',
      name: 'Ada Lovelace',
      team_id: world.producer.teamId,
      role: 'editor',
      duties: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deactivated_at: null,
    });
    expect(must(await world.admin.getUser({ params: { user_id: made.id } }), 200)).toEqual(made);
    const events = await eventsOf(made.id);
    expect(events.map(({ event_type }) => event_type)).toEqual(['user.created']);
    expect(JSON.stringify(events)).not.toContain(password);
    const [row] = await registry.database.query(
      'select password_hash from app_user where id = $1',
      [made.id],
    );
    expect(row?.password_hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
  });

  test('without name, role and password is a viewer, and the address is not shown as a name', async () => {
    const made = must(await world.admin.createUser({ body: { email: 'bare@example.com' } }), 201);
    expect(made).toMatchObject({ name: 'bare', role: 'viewer', team_id: null });
  });

  test('with the address of another one, ignoring case, is 409 USER_EXISTS', async () => {
    const { id, email } = await createUser(world.admin);
    const again = await world.admin.createUser({ body: { email: email.toUpperCase() } });
    expect(mustRefuse(again, 409, 'USER_EXISTS')).toMatchObject({ field: 'email', user_id: id });
  });

  test('is created once, however many requests arrive at once', async () => {
    const body = { email: 'many@example.com' };
    const made = await Promise.all([1, 2, 3, 4].map(() => world.admin.createUser({ body })));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  test.each([
    ['an address that is none', { email: 'ada' }],
    ['a name that no mail server takes', { email: `${'a'.repeat(65)}@example.com` }],
    ['a part of a domain that is too long', { email: `ada@${'a'.repeat(64)}.com` }],
    ['a part of a domain that no name may be', { email: 'ada@ab--c.com' }],
    ['a part of a domain that ends with a hyphen', { email: 'ada@example-.com' }],
    ['a short password', { email: 'short@example.com', password: '1234567' }],
    ['a role that is none', { email: 'role@example.com', role: 'owner' as 'admin' }],
    ['an empty name', { email: 'name@example.com', name: ' ' }],
  ])('with %s is 400', async (_, body) => {
    mustRefuse(await world.admin.createUser({ body }), 400, 'VALIDATION_ERROR');
  });

  test('in a team that does not exist is 404 TEAM_NOT_FOUND', async () => {
    const body = { email: 'teamless@example.com', team_id: nobody };
    const made = await world.admin.createUser({ body });
    expect(mustRefuse(made, 404, 'TEAM_NOT_FOUND')).toMatchObject({ field: 'team_id' });
  });

  test('that does not exist is 404 for every verb', async () => {
    const params = { user_id: nobody };
    mustRefuse(await world.admin.getUser({ params }), 404, 'USER_NOT_FOUND');
    mustRefuse(await world.admin.updateUser({ params, body: {} }), 404, 'USER_NOT_FOUND');
    mustRefuse(await world.admin.deactivateUser({ params }), 404, 'USER_NOT_FOUND');
  });

  test('is changed by an admin, and the event has the old and new values', async () => {
    const { id, email } = await createUser(world.admin);
    const body = { name: 'Grace', role: 'editor' as const, team_id: world.other.teamId };
    const changed = must(await world.admin.updateUser({ params: { user_id: id }, body }), 200);
    expect(changed).toMatchObject({ ...body, email });
    const [newest] = await eventsOf(id);
    expect(newest).toMatchObject({
      event_type: 'user.updated',
      metadata: { from: { role: 'viewer' }, to: { role: 'editor', name: 'Grace' } },
    });
  });

  test('with nothing changed gets no event', async () => {
    const { id } = await createUser(world.admin);
    must(await world.admin.updateUser({ params: { user_id: id }, body: { role: 'viewer' } }), 200);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test('cannot get the address of another one', async () => {
    const [one, two] = [await createUser(world.admin), await createUser(world.admin)];
    const params = { user_id: two.id };
    const taken = await world.admin.updateUser({ params, body: { email: one.email } });
    mustRefuse(taken, 409, 'USER_EXISTS');
  });

  test('that changed meanwhile is not overwritten', async () => {
    const { id } = await createUser(world.admin);
    const params = { user_id: id };
    const etag = (await world.admin.getUser({ params })).headers.get('etag') ?? '';
    must(await world.admin.updateUser({ params, body: { name: 'First' } }), 200);
    const headers = { 'if-match': etag };
    const late = await world.admin.updateUser({ params, body: { name: 'Second' }, headers });
    mustRefuse(late, 412, 'PRECONDITION_FAILED');
  });

  test('in a deleted team has no team', async () => {
    const party = await openParty(world.admin, 'leaving');
    const { id } = await createUser(world.admin, { team_id: party.teamId });
    must(await world.admin.deleteTeam({ params: { team_id: party.teamId } }), 204);
    const user = must(await world.admin.getUser({ params: { user_id: id } }), 200);
    expect(user.team_id).toBeNull();
  });
});

describe('A user who owns assets', () => {
  const ownerOf = async (asset_id: string) => {
    const asset = must(await world.admin.getAsset({ params: { asset_id } }), 200);
    return { owner_user_id: asset.owner_user_id, owner_user_name: asset.owner_user_name };
  };
  const nobodyAnswers = { owner_user_id: null, owner_user_name: null };

  async function ownedAsset() {
    const team_id = world.producer.teamId;
    const email = `${uniqueName('owner').replace(' ', '-')}@example.com`;
    const user = must(await world.admin.createUser({ body: { email, name: 'Ada', team_id } }), 201);
    const asset = await createAsset(world.producer, { owner_user_id: user.id });
    return { user, asset };
  }

  const move = (user_id: string, team_id: string | null) =>
    world.admin.updateUser({ params: { user_id }, body: { team_id } });

  test.each([
    ['another team', () => world.other.teamId],
    ['no team', () => null],
  ])('and moves to %s leaves them to the team, which is recorded', async (_, teamId) => {
    const { user, asset } = await ownedAsset();
    const others = await ownedAsset();
    must(await move(user.id, teamId()), 200);
    expect(await ownerOf(asset.id)).toEqual(nobodyAnswers);
    expect(await ownerOf(others.asset.id)).toMatchObject({ owner_user_id: others.user.id });
    const params = { entity_type: 'asset', entity_id: asset.id } as const;
    const [newest] = must(await world.admin.listEntityHistory({ params }), 200).results;
    expect(newest).toMatchObject({
      event_type: 'asset.updated',
      metadata: {
        fqn: asset.fqn,
        team_id: world.producer.teamId,
        from: { owner_user_id: user.id },
        to: { owner_user_id: null },
        reason: 'the owning user left the team',
      },
    });
    must(await move(user.id, world.producer.teamId), 200);
    expect(await ownerOf(asset.id)).toEqual(nobodyAnswers);
  });

  test('and changes in other ways, or is deactivated, still owns them', async () => {
    const { user, asset } = await ownedAsset();
    const params = { user_id: user.id };
    const body = { name: 'Grace', role: 'editor' as const, team_id: world.producer.teamId };
    must(await world.admin.updateUser({ params, body }), 200);
    must(await world.admin.deactivateUser({ params }), 204);
    expect(await ownerOf(asset.id)).toEqual({ owner_user_id: user.id, owner_user_name: 'Grace' });
  });

  test('gets an asset together with the new team, if no consumers must be asked first', async () => {
    const { teamId } = world.other;
    const email = `${uniqueName('heir').replace(' ', '-')}@example.com`;
    const body = { email, name: 'Grace', team_id: teamId };
    const heir = must(await world.admin.createUser({ body }), 201);
    const both = { owner_team_id: teamId, owner_user_id: heir.id };
    const { asset } = await ownedAsset();
    must(await world.admin.updateAsset({ params: { asset_id: asset.id }, body: both }), 200);
    expect(await ownerOf(asset.id)).toEqual({ owner_user_id: heir.id, owner_user_name: 'Grace' });

    const consumed = await publishedAsset(world.producer);
    await register(world.consumer, consumed.contractId);
    const params = { asset_id: consumed.assetId };
    const early = await world.admin.updateAsset({ params, body: both });
    expect(mustRefuse(early, 400, 'VALIDATION_ERROR').field).toBe('owner_user_id');
  });

  test('and has left the team does not get them back when an asset is restored', async () => {
    const { user, asset } = await ownedAsset();
    const params = { asset_id: asset.id };
    must(await world.admin.deleteAsset({ params }), 204);
    must(await move(user.id, world.other.teamId), 200);
    must(await world.admin.restoreAsset({ params }), 200);
    expect(await ownerOf(asset.id)).toEqual(nobodyAnswers);
  });

  test('never keeps assets of a team that the user leaves at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const { user, asset } = await ownedAsset();
      const params = { asset_id: (await createAsset(world.producer)).id };
      const body = { owner_user_id: user.id };
      const [moved, given, made] = await Promise.all([
        move(user.id, world.other.teamId),
        world.admin.updateAsset({ params, body }),
        world.admin.createAsset({
          body: { fqn: `shop.given.${round}`, owner_team_id: world.producer.teamId, ...body },
        }),
      ]);
      must(moved, 200);
      expect(await ownerOf(asset.id)).toEqual(nobodyAnswers);
      expect(await ownerOf(params.asset_id)).toEqual(nobodyAnswers);
      if (made.ok) expect(await ownerOf(made.body.id)).toEqual(nobodyAnswers);
      for (const late of [given, made]) {
        if (!late.ok) mustRefuse(late, 422, 'OWNER_NOT_MEMBER');
      }
    }
  });
});

describe('The list of users', () => {
  test('is filtered by address, team and role, and omits deactivated users', async () => {
    const team_id = (await openParty(world.admin, 'listed')).teamId;
    const editor = await createUser(world.admin, { team_id, role: 'editor' });
    const viewer = await createUser(world.admin, { team_id });
    const gone = await createUser(world.admin, { team_id });
    must(await world.admin.deactivateUser({ params: { user_id: gone.id } }), 204);
    const idsOf = async (query: Parameters<typeof world.admin.listUsers>[0]) =>
      must(await world.admin.listUsers(query), 200).results.map(({ id }) => id);
    expect(await idsOf({ query: { team_id } })).toEqual([viewer.id, editor.id]);
    expect(await idsOf({ query: { team_id, role: 'editor' } })).toEqual([editor.id]);
    expect(await idsOf({ query: { email: viewer.email.toUpperCase() } })).toEqual([viewer.id]);
    const all = await idsOf({ query: { team_id, include_deactivated: true } });
    expect(all).toEqual([gone.id, viewer.id, editor.id]);
  });
});

describe('A deactivated user', () => {
  test('is recorded once, and is reactivated by a null', async () => {
    const { id } = await createUser(world.admin);
    const params = { user_id: id };
    must(await world.admin.deactivateUser({ params }), 204);
    must(await world.admin.deactivateUser({ params }), 204);
    const gone = must(await world.admin.getUser({ params }), 200);
    expect(gone.deactivated_at).not.toBeNull();
    const back = await world.admin.updateUser({ params, body: { deactivated_at: null } });
    expect(must(back, 200).deactivated_at).toBeNull();
    expect((await eventsOf(id)).map(({ event_type }) => event_type)).toEqual([
      'user.updated',
      'user.deactivated',
      'user.created',
    ]);
  });

  test('loses their keys, too', async () => {
    const user = await createUser(world.admin);
    const key = { team_id: world.other.teamId, user_id: user.id, scopes: ['read' as const] };
    const client = world.admin.as(await issueKey(world.admin, key));
    must(await client.listTeams(), 200);
    must(await world.admin.deactivateUser({ params: { user_id: user.id } }), 204);
    await expect.poll(async () => (await client.listTeams()).status).toBe(401);
  });
});

test('A password under an Idempotency-Key is in no stored digest', async () => {
  const headers = { 'idempotency-key': 'make-a-user' };
  const email = 'once@example.com';
  const first = await world.admin.createUser({ body: { email, password }, headers });
  const other = { email, password: 'another password' };
  const second = await world.admin.createUser({ body: other, headers });
  expect(must(second, 201)).toEqual(must(first, 201));
});

describe('The first administrator', () => {
  test('is created once with a password of its own, and an existing account is left alone', async () => {
    const database = await openDatabase();
    const store = await openStore({ url: database.url, rowChecks: 'every' });
    const ensure = async (email?: string, given?: string) => {
      const context = {
        actor: systemActor,
        requestId: null,
        now: () => new Date().toISOString(),
        newId: newUuid,
      };
      // The cast is safe: the verb needs only the store's reads and transactions.
      const made = await ensureFirstAdmin(store as unknown as Ports, context, {
        email,
        password: given,
        newPassword: async () => newPassword(),
        hashPassword,
      });
      return made.ok ? made.value : made;
    };
    const hashes = () => database.query('select email, role, password_hash from app_user');
    const together = await Promise.all([ensure(), ensure()]);
    const email = 'admin@concordat.local';
    expect(together).toContainEqual({ email });
    expect(together).toContainEqual({ email, password: expect.stringMatching(/^.{20}$/) });
    const before = await hashes();
    expect(before).toMatchObject([{ email, role: 'admin' }]);
    expect(await ensure()).toEqual({ email });
    expect(await ensure(email, 'a password of the settings')).toEqual({ email });
    expect(await hashes()).toEqual(before);
    expect(await ensure('ada@example.com', password)).toEqual({ email: 'ada@example.com' });
    expect(await hashes()).toHaveLength(2);
    await store.stop();
    await database.drop();
  });

  test('signs in with the configured address and password', async () => {
    const settings = { ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: password };
    const own = await openRegistry(settings);
    const { admin } = await openWorld(own.url, own.bootstrapKey);
    const body = { email: 'root@example.com', password };
    const { user } = must(await admin.as(undefined).logIn({ body }), 200);
    expect(user).toMatchObject({ email: 'root@example.com', role: 'admin' });
    await own.stop();
  });
});

describe('Saved views', () => {
  const view = (name: string, address = `/assets?q=${encodeURIComponent(name)}`) => ({
    name,
    address,
  });

  async function openSession() {
    const user = await createUser(world.admin, { role: 'viewer', name: uniqueName('viewer') });
    const session = await signIn(world.admin.as(undefined), user.email);
    return { user, session, client: world.admin.signedIn(session) };
  }

  test('belong to a user, by name, in each of their sessions and for nobody else', async () => {
    const { user, client } = await openSession();
    const other = await openSession();
    expect(must(await client.listSavedViews(), 200)).toEqual({ views: [] });
    const save = [view('b'), view('__proto__'), view('B')];
    const body = { save, remove: ['never saved'] };
    const saved = { views: [view('B'), view('__proto__'), view('b')] };
    expect(must(await client.changeSavedViews({ body }), 200)).toEqual(saved);
    const again = world.admin.signedIn(await signIn(world.admin.as(undefined), user.email));
    expect(must(await again.listSavedViews(), 200)).toEqual(saved);
    expect(must(await other.client.listSavedViews(), 200)).toEqual({ views: [] });
    expect(must(await world.admin.getUser({ params: { user_id: user.id } }), 200)).toEqual(user);
    expect((await eventsOf(user.id)).map(({ event_type }) => event_type)).toEqual([
      'auth.login',
      'auth.login',
      'user.created',
    ]);
  });

  test('replace those of the same name, and what two browsers save at once is kept', async () => {
    const { client } = await openSession();
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) =>
        must(await client.changeSavedViews({ body: { save: [view(name)] } }), 200),
      ),
    );
    const body = { save: [view('b', '/audit?type=x')], remove: ['a', 'b'] };
    const { views } = must(await client.changeSavedViews({ body }), 200);
    expect(views).toEqual([view('b', '/audit?type=x'), view('c'), view('d')]);
  });

  test('are at most 50, short, and addresses of the page', async () => {
    const { client } = await openSession();
    const fifty = Array.from({ length: 50 }, (_, index) => view(`view ${index}`));
    must(await client.changeSavedViews({ body: { save: fifty } }), 200);
    const more = await client.changeSavedViews({ body: { save: [view('one more')] } });
    expect(mustRefuse(more, 400, 'VALIDATION_ERROR').message).toBe(
      'A user has at most 50 saved views. Remove one first.',
    );
    const instead = { save: [view('one more')], remove: ['view 0'] };
    expect(must(await client.changeSavedViews({ body: instead }), 200).views).toHaveLength(50);
    for (const wrong of [
      view('x', 'https://example.com'),
      view('x', '//example.com'),
      view('x', '/\\example.com'),
      view('x', '/\t/example.com'),
      view('x', `/${'a'.repeat(2000)}`),
      view('x'.repeat(61)),
      view(' '),
      view('x', '/\0'),
    ]) {
      const refused = await client.changeSavedViews({
        body: { save: [wrong], remove: ['view 1'] },
      });
      mustRefuse(refused, 400, 'VALIDATION_ERROR');
    }
    expect(must(await client.listSavedViews(), 200).views).toHaveLength(50);
  });

  test('are not changed by another website, which has the cookie and no token', async () => {
    const { session, client } = await openSession();
    const forged = world.admin.signedIn({ ...session, csrfToken: 'of another session' });
    mustRefuse(await forged.changeSavedViews({ body: { save: [view('x')] } }), 403, 'FORBIDDEN');
    expect(must(await client.listSavedViews(), 200)).toEqual({ views: [] });
  });
});
