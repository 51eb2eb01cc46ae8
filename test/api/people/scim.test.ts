// SCIM: an identity provider keeps people and groups here. The sequences are those that the
// documentation of Okta and Microsoft Entra ID publishes.

import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { openClient } from '../../support/client/client.ts';
import {
  createUser,
  issueKey,
  must,
  openRegistryForFile,
  password,
} from '../../support/client/client-world.ts';
import { providerSettings } from '../../support/sign-in/providers-file.ts';
import { type Account, openRealProvider } from '../../support/sign-in/real-provider.ts';
import { openScim } from '../../support/sign-in/scim-client.ts';
import { openSmallBrowser } from '../../support/sign-in/small-browser.ts';

const provider = await openRealProvider();
const { issuer, accounts } = provider;
const example = {
  ...{ name: 'example', issuer, scim: 'groups' },
  scopes: ['openid', 'email', 'profile', 'groups'],
  groups: [
    { group: 'registry admins', role: 'admin' },
    { group: 'checkout people', team: 'checkout' },
    { group: 'logistics people', team: 'logistics', role: 'viewer' },
    { group: 'crowd', team: 'crowd' },
    { group: 'auditors', duties: ['read_audit'] },
  ],
};
const { registry, world } = await openRegistryForFile(await providerSettings([example]));
provider.serve([registry.url], ['example']);
const { admin } = world;
const checkout = must(await admin.createTeam({ body: { name: 'Checkout' } }), 201);
const logistics = must(await admin.createTeam({ body: { name: 'Logistics' } }), 201);
const crowd = must(await admin.createTeam({ body: { name: 'Crowd' } }), 201);
const key = (await issueKey(admin, { scopes: ['scim'] })) ?? '';
const scim = openScim(registry.url, key);

const core = 'urn:ietf:params:scim:schemas:core:2.0';
const patchSchemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
const patch = (...Operations: object[]) => ({ schemas: patchSchemas, Operations });

let count = 0;
const fresh = (word: string) => `${word}-${++count}`;

/** Somebody whom SCIM made. */
async function provisioned(more: object = {}) {
  const externalId = fresh('person');
  const userName = `${externalId}@example.com`;
  const { id } = await scim.must(201, 'POST', '/Users', {
    ...{ schemas: [`${core}:User`], userName, externalId, active: true, ...more },
  });
  return { id: String(id), externalId, userName };
}

async function groupOf(displayName: string, members: readonly string[] = []): Promise<string> {
  const body = { displayName, members: members.map((value) => ({ value })) };
  return String((await scim.must(201, 'POST', '/Groups', body)).id);
}

const userOf = async (id: string) => must(await admin.getUser({ params: { user_id: id } }), 200);

async function eventsOf(entity_type: 'user' | 'group', entity_id: string) {
  const { results } = must(
    await admin.listEntityHistory({ params: { entity_type, entity_id } }),
    200,
  );
  return results;
}

/** Signs in at the provider; `url` is where that ended. */
async function enter(id: string, account: Account, url = registry.url) {
  accounts.set(id, { email_verified: true, name: `Person ${id}`, ...account });
  const browser = openSmallBrowser();
  let page = await browser.open(`${url}/api/v1/auth/oidc/example/start`);
  for (let turn = 0; turn < 2 && page.url.startsWith(issuer); turn++) {
    page = await browser.submit(page, { login: id, password: 'any' });
  }
  const cookie = `concordat_session=${browser.cookies(url).get('concordat_session')}`;
  const reader = openClient(url, undefined, { cookie });
  return { problem: new URL(page.url).searchParams.get('sign_in_problem'), reader };
}

describe('The sequence of Okta', () => {
  test('looks for a user, creates it, changes its profile, deactivates and reactivates it', async () => {
    const userName = `${fresh('okta')}@example.com`;
    const query = `?filter=${encodeURIComponent(`userName eq "${userName}"`)}&startIndex=1&count=100`;
    expect(await scim.must(200, 'GET', `/Users${query}`)).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      ...{ totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] },
    });
    const sent = {
      schemas: [`${core}:User`],
      ...{ userName, externalId: '00ujl29u0le5T6Aj10h7', displayName: 'Isaac Brock' },
      name: { givenName: 'Isaac', familyName: 'Brock' },
      emails: [{ primary: true, value: userName, type: 'work' }],
      ...{ locale: 'en-US', groups: [], active: true, password: '1mz050nq' },
    };
    const made = await scim.ask('POST', '/Users', sent);
    expect(made.status).toBe(201);
    const location = `http://localhost:${new URL(registry.url).port}/scim/v2/Users/${made.body.id}`;
    expect(made.headers.get('location')).toBe(location);
    expect(made.body).toEqual({
      schemas: [`${core}:User`],
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...{ userName, externalId: '00ujl29u0le5T6Aj10h7', displayName: 'Isaac Brock' },
      name: { formatted: 'Isaac Brock', givenName: 'Isaac', familyName: 'Brock' },
      emails: [{ value: userName, type: 'work', primary: true }],
      active: true,
      meta: {
        ...{ resourceType: 'User', location },
        created: expect.any(String),
        lastModified: expect.any(String),
      },
    });
    const path = `/Users/${made.body.id}`;
    expect((await scim.must(200, 'GET', `/Users${query}`)).Resources).toEqual([made.body]);
    expect(await scim.must(200, 'GET', path)).toEqual(made.body);
    const renamed = {
      ...sent,
      displayName: undefined,
      name: { givenName: 'Ada', familyName: 'B' },
    };
    expect(await scim.must(200, 'PUT', path, renamed)).toMatchObject({
      ...{ displayName: 'Ada B', active: true },
    });
    expect(await userOf(made.body.id)).toMatchObject({ name: 'Ada B', email: userName });
    const off = patch({ op: 'replace', value: { active: false } });
    expect(await scim.must(200, 'PATCH', path, off)).toMatchObject({ active: false });
    expect((await userOf(made.body.id)).deactivated_at).not.toBeNull();
    const on = patch({ op: 'replace', value: { active: true } });
    expect(await scim.must(200, 'PATCH', path, on)).toMatchObject({ active: true });
    const events = await eventsOf('user', made.body.id);
    expect(events.map(({ event_type }) => event_type)).toEqual([
      ...['user.updated', 'user.deactivated', 'user.updated', 'user.created'],
    ]);
    for (const { metadata, actor_type } of events) {
      expect({ provider: metadata.provider, actor_type }).toEqual({
        ...{ provider: 'example', actor_type: 'api_key' },
      });
    }
  });

  test('pushes a group, renames it, and adds and removes members', async () => {
    const [ada, bob] = [await provisioned(), await provisioned()];
    const name = fresh('Okta group');
    const made = await scim.must(201, 'POST', '/Groups', {
      ...{ schemas: [`${core}:Group`], displayName: name, members: [] },
    });
    const path = `/Groups/${made.id}`;
    await scim.must(204, 'PATCH', path, {
      ...patch({ op: 'replace', value: { id: made.id, displayName: `${name} 2` } }),
    });
    const add = { op: 'add', path: 'members', value: [{ value: ada.id, display: 'Ada' }] };
    await scim.must(204, 'PATCH', path, patch(add, { ...add, value: [{ value: bob.id }] }));
    await scim.must(204, 'PATCH', path, {
      ...patch({ op: 'remove', path: `members[value eq "${ada.id}"]` }),
    });
    expect(await scim.must(200, 'GET', path)).toMatchObject({
      displayName: `${name} 2`,
      members: [{ value: bob.id, type: 'User' }],
    });
    const put = { displayName: name, members: [{ value: ada.id }] };
    expect(await scim.must(200, 'PUT', path, put)).toMatchObject({ members: [{ value: ada.id }] });
    await scim.must(204, 'DELETE', path);
    await scim.refused({ status: 404 }, 'GET', path);
    const told = (await eventsOf('group', made.id)).map(({ event_type, metadata }) => [
      ...[event_type, metadata.added, metadata.removed, metadata.previous_name],
    ]);
    expect(told).toEqual([
      ['group.deleted', [], [ada.id], undefined],
      ['group.updated', [ada.id], [bob.id], `${name} 2`],
      ['group.updated', [], [ada.id], undefined],
      ['group.updated', [ada.id, bob.id].sort(), [], undefined],
      ['group.updated', [], [], name],
      ['group.created', [], [], undefined],
    ]);
  });
});

describe('The sequence of Entra ID', () => {
  test('creates a user, and changes it with capitals, texts for booleans and paths with filters', async () => {
    const objectId = fresh('58342554-38d6-4ec8-948c');
    const userName = `${fresh('entra')}@example.com`;
    const made = await scim.must(201, 'POST', '/Users', {
      schemas: [`${core}:User`, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      ...{ externalId: objectId, userName, active: true },
      emails: [{ primary: true, type: 'work', value: `mail.${userName}` }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
    });
    const path = `/Users/${made.id}`;
    const changed = await scim.must(200, 'PATCH', path, {
      ...patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: `new.${userName}` },
        { op: 'Add', path: 'name.familyName', value: 'Lovelace' },
        { op: 'Add', path: 'title', value: 'Countess' },
        {
          op: 'Replace',
          value: {
            'name.givenName': 'Ada',
            'urn:ietf:params:scim:schemas:core:2.0:User:displayName': 'Ada Lovelace',
            'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department': 'Numbers',
          },
        },
        { op: 'Remove', path: 'name.formatted' },
        { op: 'Add', path: 'emails[type eq "home"].value', value: 'home@example.com' },
      ),
    });
    expect(changed).toMatchObject({
      displayName: 'Ada Lovelace',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: `new.${userName}`, type: 'work', primary: true }],
    });
    const off = patch({ op: 'Replace', path: 'active', value: 'False' });
    expect(await scim.must(200, 'PATCH', path, off)).toMatchObject({ active: false });
    await scim.must(204, 'DELETE', path);
    await scim.refused({ status: 404 }, 'GET', path);
    await scim.refused({ status: 404 }, 'PATCH', path, off);
    await scim.refused({ status: 404 }, 'DELETE', path);
  });

  test('asks for a group without its members, and whether a user is in it, and names who leaves in the value', async () => {
    const [ada, bob] = [await provisioned(), await provisioned()];
    const displayName = fresh('Entra group');
    const id = await groupOf(displayName);
    const path = `/Groups/${id}`;
    const members = [ada, bob].map(({ id: value }) => ({ $ref: null, value }));
    await scim.must(204, 'PATCH', path, patch({ op: 'Add', path: 'members', value: members }));
    const find = async (filter: string) =>
      (
        await scim.must(
          200,
          'GET',
          `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`,
        )
      ).Resources;
    const [shown] = await find(`displayName eq "${displayName.toUpperCase()}"`);
    expect(Object.keys(shown)).toEqual(['schemas', 'id', 'displayName', 'meta']);
    expect(await find(`id eq "${id}" and members eq "${bob.id}"`)).toEqual([shown]);
    await scim.must(204, 'PATCH', path, {
      ...patch({ op: 'Remove', path: 'members', value: [{ value: bob.id }] }),
    });
    expect(await find(`id eq "${id}" and members.value eq "${bob.id}"`)).toEqual([]);
    expect((await scim.must(200, 'GET', path)).members).toEqual([
      expect.objectContaining({ value: ada.id }),
    ]);
    await scim.must(204, 'PATCH', path, patch({ op: 'Remove', path: 'members' }));
    expect((await scim.must(200, 'GET', path)).members).toEqual([]);
  });
});

describe('A group of the table', () => {
  test('gives its members the team and the role, and takes them when they leave it', async () => {
    const ada = await provisioned();
    expect(await userOf(ada.id)).toMatchObject({ role: 'viewer', team_id: null });
    const people = await groupOf('checkout people', [ada.id]);
    expect(await userOf(ada.id)).toMatchObject({ role: 'editor', team_id: checkout.id });
    const others = await groupOf('logistics people', [ada.id]);
    const admins = await groupOf('registry admins', [ada.id]);
    // As at sign-in: the first row with a team, and the highest role.
    expect(await userOf(ada.id)).toMatchObject({ role: 'admin', team_id: checkout.id });
    await scim.must(204, 'DELETE', `/Groups/${admins}`);
    await scim.must(204, 'PATCH', `/Groups/${people}`, {
      ...patch({ op: 'replace', path: 'displayName', value: fresh('renamed') }),
    });
    expect(await userOf(ada.id)).toMatchObject({ role: 'viewer', team_id: logistics.id });
    const [event] = await eventsOf('user', ada.id);
    expect(event).toMatchObject({
      ...{ event_type: 'user.updated', actor_type: 'api_key' },
      metadata: { provider: 'example', from: { role: 'editor', team_id: checkout.id } },
    });
    await scim.must(204, 'DELETE', `/Groups/${others}`);
    expect(await userOf(ada.id)).toMatchObject({ role: 'viewer', team_id: null });
  });

  test('gives its duties, and takes them', async () => {
    const ada = await provisioned();
    const people = await groupOf('checkout people', [ada.id]);
    const auditors = await groupOf('auditors', [ada.id]);
    const duties = ['read_audit'];
    expect(await userOf(ada.id)).toMatchObject({ role: 'editor', team_id: checkout.id, duties });
    await scim.must(204, 'DELETE', `/Groups/${auditors}`);
    expect(await userOf(ada.id)).toMatchObject({ role: 'editor', duties: [] });
    await scim.must(204, 'DELETE', `/Groups/${people}`);
  });

  test('that is gone takes the sessions of somebody who is in no other, and the assets of that team', async () => {
    const ada = await provisioned();
    const group = await groupOf('checkout people', [ada.id]);
    const body = { fqn: 'shop.public.of_ada', owner_team_id: checkout.id, owner_user_id: ada.id };
    const asset = must(await admin.createAsset({ body }), 201);
    const { reader } = await enter(ada.externalId, { email: ada.userName });
    must(await reader.getIdentity(), 200);
    await scim.must(204, 'PATCH', `/Groups/${group}`, {
      ...patch({ op: 'remove', path: `members[value eq "${ada.id}"]` }),
    });
    // The replica hears of it from Postgres.
    await expect.poll(async () => (await reader.getIdentity()).status).toBe(401);
    expect(must(await admin.getAsset({ params: { asset_id: asset.id } }), 200)).toMatchObject({
      owner_user_id: null,
    });
    await scim.must(204, 'DELETE', `/Groups/${group}`);
  });

  test('leaves alone what an administrator has set, as long as the place by the groups stays', async () => {
    const ada = await provisioned();
    const params = { user_id: ada.id };
    must(await admin.updateUser({ params, body: { role: 'editor', team_id: logistics.id } }), 200);
    await groupOf(fresh('of no row'), [ada.id]);
    await scim.must(200, 'PATCH', `/Users/${ada.id}`, {
      ...patch({ op: 'replace', path: 'displayName', value: 'Ada' }),
    });
    expect(await userOf(ada.id)).toMatchObject({ role: 'editor', team_id: logistics.id });
  });

  test('loses no member when many PATCH it at once, and a place follows each', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => provisioned()));
    const group = await groupOf('crowd');
    const answers = await Promise.all(
      people.map(({ id }) =>
        scim.ask('PATCH', `/Groups/${group}`, {
          ...patch({ op: 'add', path: 'members', value: [{ value: id }] }),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 204));
    const { members } = await scim.must(200, 'GET', `/Groups/${group}`);
    const ids = members.map(({ value }: { value: string }) => value);
    expect(ids).toEqual(people.map(({ id }) => id).sort());
    for (const { id } of people) expect((await userOf(id)).team_id).toBe(crowd.id);
    await scim.must(204, 'DELETE', `/Groups/${group}`);
  });

  test('changes at the same time as other groups of the same person, and all of them count', async () => {
    const ada = await provisioned();
    const names = ['logistics people', 'checkout people', 'registry admins'];
    for (let round = 0; round < 10; round++) {
      const groups = await Promise.all(names.map((name) => groupOf(name, [ada.id])));
      expect(await userOf(ada.id)).toMatchObject({ role: 'admin', team_id: checkout.id });
      await Promise.all(groups.map((id) => scim.must(204, 'DELETE', `/Groups/${id}`)));
      expect(await userOf(ada.id)).toMatchObject({ role: 'viewer', team_id: null });
    }
  });

  test('takes 10,000 members in one PATCH, in one transaction', async () => {
    const total = 10_000;
    await registry.database.query(`
      insert into app_user (id, email, name, role, created_at, updated_at)
      select ('0198c5a2-7b31-7f6e-8d2c-' || lpad(to_hex(n), 12, '0'))::uuid,
        'many-' || n || '@example.com', 'Many', 'viewer', now(), now()
      from generate_series(1, ${total}) n`);
    await registry.database.query(`
      insert into scim_user (user_id, user_name, names)
      select id, email, '{}' from app_user where name = 'Many'`);
    const group = await groupOf('crowd');
    const ids = Array.from(
      { length: total },
      (_, index) => `0198c5a2-7b31-7f6e-8d2c-${(index + 1).toString(16).padStart(12, '0')}`,
    );
    const value = ids.map((id) => ({ value: id, display: 'Many', type: 'User' }));
    const path = `/Groups/${group}`;
    await scim.must(204, 'PATCH', path, patch({ op: 'add', path: 'members', value }));
    const placed = "select count(*)::int as n from app_user where name = 'Many' and team_id = $1";
    expect(await registry.database.query(placed, [crowd.id])).toEqual([{ n: total }]);
    // One stranger among them, and nobody leaves or comes.
    const strangers = [...value.slice(1), { value: '0198c5a2-7b31-7f6e-8d2c-ffffffffffff' }];
    const wrong = patch({ op: 'replace', path: 'members', value: strangers });
    await scim.refused({ status: 400, scimType: 'invalidValue' }, 'PATCH', path, wrong);
    expect((await scim.must(200, 'GET', path)).members).toHaveLength(total);
    const operations = ids.map((id) => ({ op: 'Remove', path: `members[value eq "${id}"]` }));
    await scim.must(204, 'PATCH', path, patch(...operations));
    expect(await registry.database.query(placed, [crowd.id])).toEqual([{ n: 0 }]);
    const told = await eventsOf('group', group);
    const left = told.flatMap(({ metadata }) => metadata.removed as string[]);
    expect(new Set(left)).toEqual(new Set(ids));
    await scim.must(204, 'DELETE', path);
    await registry.database.query("delete from scim_user where user_name like 'many-%'");
    await registry.database.query("delete from app_user where name = 'Many'");
  });
});

describe('Somebody whom SCIM made', () => {
  test('signs in as the same user, with the place of the groups of SCIM and not of the claim', async () => {
    const ada = await provisioned();
    const group = await groupOf('checkout people', [ada.id]);
    const claimed = { email: ada.userName, groups: ['registry admins'] };
    const { problem, reader } = await enter(ada.externalId, claimed);
    expect(problem).toBeNull();
    expect(must(await reader.getIdentity(), 200).user).toMatchObject({
      ...{ id: ada.id, role: 'editor', team_id: checkout.id, name: `Person ${ada.externalId}` },
    });
    const [login] = await eventsOf('user', ada.id);
    expect(login).toMatchObject({ event_type: 'auth.login' });
    expect(login?.metadata.groups).toEqual(['checkout people']);
    await scim.must(204, 'DELETE', `/Groups/${group}`);
    expect((await enter(ada.externalId, claimed)).problem).toBe('no_group');
  });

  test('loses the sessions and keys at once when deactivated, and an administrator keeps the last word', async () => {
    const ada = await provisioned();
    const group = await groupOf('checkout people', [ada.id]);
    const { reader } = await enter(ada.externalId, { email: ada.userName });
    const own = admin.as(
      await issueKey(admin, { user_id: ada.id, team_id: checkout.id, scopes: ['read'] }),
    );
    must(await own.getIdentity(), 200);
    must(await reader.getIdentity(), 200);
    const path = `/Users/${ada.id}`;
    const set = (active: boolean) => patch({ op: 'replace', path: 'active', value: active });
    await scim.must(200, 'PATCH', path, set(false));
    await expect.poll(async () => (await reader.getIdentity()).status).toBe(401);
    await expect.poll(async () => (await own.getIdentity()).status).toBe(401);
    expect((await enter(ada.externalId, { email: ada.userName })).problem).toBe('deactivated');
    expect(await scim.must(200, 'PATCH', path, set(true))).toMatchObject({ active: true });
    must(await admin.deactivateUser({ params: { user_id: ada.id } }), 204);
    expect(await scim.must(200, 'PATCH', path, set(true))).toMatchObject({ active: false });
    const put = { userName: ada.userName, active: true };
    expect(await scim.must(200, 'PUT', path, put)).toMatchObject({
      ...{ active: false, externalId: ada.externalId },
    });
    await scim.must(204, 'DELETE', `/Groups/${group}`);
  });

  test('comes back as the same user after DELETE, and nobody else gets that account', async () => {
    const ada = await provisioned();
    const group = await groupOf('checkout people', [ada.id]);
    await scim.must(204, 'DELETE', `/Users/${ada.id}`);
    expect((await userOf(ada.id)).deactivated_at).not.toBeNull();
    expect((await scim.must(200, 'GET', `/Groups/${group}`)).members).toEqual([]);
    const { userName, externalId } = ada;
    const eve = { userName, externalId: fresh('eve') };
    await scim.refused({ status: 409, scimType: 'uniqueness' }, 'POST', '/Users', eve);
    const back = await scim.must(201, 'POST', '/Users', { userName, externalId });
    expect(back).toMatchObject({ id: ada.id, active: true });
    expect(await userOf(ada.id)).toMatchObject({ role: 'viewer', team_id: null });
    await scim.must(204, 'DELETE', `/Groups/${group}`);
  });

  test('keeps the externalId, so nobody else can be made to sign in as that user', async () => {
    const ada = await provisioned();
    const path = `/Users/${ada.id}`;
    const mutability = { status: 400, scimType: 'mutability' };
    const change = patch({ op: 'replace', path: 'externalId', value: fresh('eve') });
    await scim.refused(mutability, 'PATCH', path, change);
    await scim.refused(mutability, 'PATCH', path, patch({ op: 'remove', path: 'externalId' }));
    const put = { userName: ada.userName, externalId: fresh('eve') };
    await scim.refused(mutability, 'PUT', path, put);
  });

  test('without an externalId gets one later, and is another person to sign-in until then', async () => {
    const userName = `${fresh('late')}@example.com`;
    const subject = fresh('late-subject');
    const { id } = await scim.must(201, 'POST', '/Users', { userName });
    await groupOf('logistics people', [id]);
    const claimed = { email: userName, groups: ['logistics people'] };
    expect((await enter(subject, claimed)).problem).toBe('email_taken');
    await scim.must(200, 'PATCH', `/Users/${id}`, {
      ...patch({ op: 'add', path: 'externalId', value: subject }),
    });
    const { reader } = await enter(subject, claimed);
    expect(must(await reader.getIdentity(), 200).user?.id).toBe(id);
  });
});

describe('An account that SCIM did not make', () => {
  test('with a password is neither seen nor taken over, whatever its address', async () => {
    const { id, email } = await createUser(admin, { role: 'admin' });
    const filter = encodeURIComponent(`userName eq "${email}"`);
    expect((await scim.must(200, 'GET', `/Users?filter=${filter}`)).totalResults).toBe(0);
    for (const method of ['GET', 'DELETE']) {
      await scim.refused({ status: 404 }, method, `/Users/${id}`);
    }
    const off = patch({ op: 'replace', path: 'active', value: false });
    await scim.refused({ status: 404 }, 'PATCH', `/Users/${id}`, off);
    const taken = { status: 409, scimType: 'uniqueness' };
    const body = { userName: email, externalId: fresh('eve'), active: true };
    expect(await scim.refused(taken, 'POST', '/Users', body)).toContain('an address is no proof');
    const eve = await provisioned();
    const move = patch({ op: 'replace', path: 'emails[type eq "work"].value', value: email });
    await scim.refused(taken, 'PATCH', `/Users/${eve.id}`, move);
    must(await admin.as(undefined).logIn({ body: { email, password } }), 200);
    await scim.refused({ status: 400, scimType: 'invalidValue' }, 'POST', '/Groups', {
      ...{ displayName: fresh('group'), members: [{ value: id }] },
    });
  });

  test('of somebody who signed in with the provider is the same user from then on', async () => {
    const subject = fresh('early');
    const email = `${subject}@example.com`;
    const { reader } = await enter(subject, { email, groups: ['logistics people'] });
    const { user } = must(await reader.getIdentity(), 200);
    const body = { userName: email, externalId: subject };
    const made = await scim.must(201, 'POST', '/Users', body);
    expect(made.id).toBe(user?.id);
    // Until the groups of SCIM come, the place stays.
    expect(await userOf(made.id)).toMatchObject({ role: 'viewer', team_id: logistics.id });
    expect(must(await reader.getIdentity(), 200).user?.id).toBe(made.id);
    await scim.refused({ status: 409, scimType: 'uniqueness' }, 'POST', '/Users', body);
  });
});

describe('A request', () => {
  const some = '0198c5a2-7b31-7f6e-8d2c-5a9e1f3b7d60';

  test.each<[string, object, string, string, unknown]>([
    ['for no id', { status: 404 }, 'GET', '/Users/nobody', undefined],
    ['to change no id', { status: 404 }, 'PUT', "/Groups/'; drop", { displayName: 'x' }],
    ['for an id that nobody has', { status: 404 }, 'DELETE', `/Groups/${some}`, undefined],
    ['to a path that is none', { status: 404 }, 'GET', '/Bulk', undefined],
    ['with a method that is none', { status: 405 }, 'DELETE', '/Users', undefined],
    ['without a userName', { status: 400, scimType: 'invalidValue' }, 'POST', '/Users', {}],
    [
      'with a userName that is no text',
      { status: 400, scimType: 'invalidValue' },
      ...(['POST', '/Users', { userName: { a: 1 } }] as const),
    ],
    [
      'without an address',
      { status: 400, scimType: 'invalidValue' },
      ...(['POST', '/Users', { userName: 'ada' }] as const),
    ],
    [
      'with active that is neither true nor false',
      { status: 400, scimType: 'invalidValue' },
      ...(['POST', '/Users', { userName: 'ada@example.com', active: 'maybe' }] as const),
    ],
    [
      'with a name of 300 characters',
      { status: 400, scimType: 'invalidValue' },
      ...(['POST', '/Users', { userName: `${'a'.repeat(300)}@example.com` }] as const),
    ],
    ['that is no JSON', { status: 400, scimType: 'invalidSyntax' }, 'POST', '/Users', '{"a":'],
    ['of 5 MB', { status: 413 }, 'POST', '/Users', { userName: 'a'.repeat(5_000_000) }],
    ['with a list for a body', { status: 400, scimType: 'invalidValue' }, 'POST', '/Users', []],
    [
      'without operations',
      { status: 400, scimType: 'invalidSyntax' },
      ...(['PATCH', `/Users/${some}`, {}] as const),
    ],
    [
      'with an operation that is none',
      { status: 400, scimType: 'invalidSyntax' },
      ...(['PATCH', `/Users/${some}`, patch({ op: 'move', path: 'active' })] as const),
    ],
    [
      'to remove nothing',
      { status: 400, scimType: 'noTarget' },
      ...(['PATCH', `/Users/${some}`, patch({ op: 'remove' })] as const),
    ],
    [
      'with neither path nor object',
      { status: 400, scimType: 'invalidValue' },
      ...(['PATCH', `/Users/${some}`, patch({ op: 'replace', value: true })] as const),
    ],
    ...(
      [
        'userName sw "a"',
        'userName eq "a" or id eq "b"',
        'not (active eq true)',
        'title eq "x"',
        'userName eq',
        'userName eq "a" and',
        'userName eq "a"and id eq "b"',
        'active eq "x"',
        'userName eq "a\\',
        'emails[type eq "work" and value co "@"]',
      ] as const
    ).map((filter): [string, object, string, string, unknown] => [
      `with the filter ${filter}`,
      { status: 400, scimType: 'invalidFilter' },
      ...(['GET', `/Users?filter=${encodeURIComponent(filter)}`, undefined] as const),
    ]),
  ])('%s is refused with a sentence', async (_, wanted, method, path, body) => {
    await scim.refused(wanted as { status: number }, method, path, body);
  });

  test.each([
    ['a path with brackets that do not close', 'members[value eq "a"', 'invalidPath'],
    ['a filter of another attribute', 'members[display eq "a"]', 'invalidPath'],
    ['a path of nothing', '!', 'invalidPath'],
  ])('to change a group with %s is refused', async (_, path, scimType) => {
    const group = await groupOf(fresh('group'));
    const body = patch({ op: 'remove', path });
    await scim.refused({ status: 400, scimType }, 'PATCH', `/Groups/${group}`, body);
  });

  test('of 1 MB with attributes that nobody knows is read, and they are ignored', async () => {
    const padding = { 'urn:example:extension': { text: 'x'.repeat(1_000_000) }, nickName: 'a' };
    const { id } = await provisioned(padding);
    expect(Object.keys(await scim.must(200, 'GET', `/Users/${id}`))).not.toContain('nickName');
  });

  test('for a name that a user or a group has is refused, in other capitals too', async () => {
    const ada = await provisioned();
    const taken = { status: 409, scimType: 'uniqueness' };
    const userName = ada.userName.toUpperCase();
    await scim.refused(taken, 'POST', '/Users', {
      ...{ userName, externalId: fresh('other'), emails: [{ value: `${fresh('o')}@example.com` }] },
    });
    const displayName = fresh('Group');
    await groupOf(displayName);
    await scim.refused(taken, 'POST', '/Groups', { displayName: displayName.toUpperCase() });
    const other = await groupOf(fresh('group'));
    await scim.refused(taken, 'PUT', `/Groups/${other}`, { displayName });
  });

  test('of two at once for one userName makes one user', async () => {
    const userName = `${fresh('twice')}@example.com`;
    const answers = await Promise.all(
      ['a', 'b'].map(() => scim.ask('POST', '/Users', { userName })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test('does not wait for another one that is being made', async () => {
    const sql = new pg.Client(registry.database.url);
    await sql.connect();
    const userName = `${fresh('held')}@example.com`;
    // Whoever writes this address waits for the end of the transaction.
    await sql.query('begin');
    await sql.query(
      `insert into app_user (id, email, name, role, created_at, updated_at)
      values (gen_random_uuid(), $1, 'Held', 'viewer', now(), now())`,
      [userName],
    );
    const held = scim.ask('POST', '/Users', { userName });
    const waiting =
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await expect.poll(async () => (await sql.query(waiting)).rowCount).toBe(1);
    await provisioned();
    await sql.query('rollback');
    await sql.end();
    expect((await held).status).toBe(201);
  });

  test('to take out a member who is not there changes nothing; to add one who does not exist is refused', async () => {
    const ada = await provisioned();
    const group = await groupOf(fresh('group'), [ada.id]);
    const path = `/Groups/${group}`;
    for (const id of [some, 'nobody']) {
      const gone = patch({ op: 'remove', path: `members[value eq "${id}"]` });
      await scim.must(204, 'PATCH', path, gone);
      const come = patch({ op: 'add', path: 'members', value: [{ value: id }] });
      await scim.refused({ status: 400, scimType: 'invalidValue' }, 'PATCH', path, come);
    }
    expect((await scim.must(200, 'GET', path)).members).toHaveLength(1);
  });

  test.each([
    ['externalId eq', ({ externalId }: { externalId: string }) => `externalId eq "${externalId}"`],
    ['id eq', ({ id }: { id: string }) => `id eq "${id}"`],
    ['an attribute in capitals', ({ id }: { id: string }) => `ID Eq "${id}" AND active eq True`],
    ['an attribute with its schema', ({ id }: { id: string }) => `${core}:User:id eq "${id}"`],
    [
      'an address with a filter',
      ({ userName }: { userName: string }) => `emails[type eq "work"].value eq "${userName}"`,
    ],
  ])('with %s finds exactly that user', async (_, filterOf) => {
    const [ada] = [await provisioned(), await provisioned()];
    const filter = encodeURIComponent(filterOf(ada as never));
    const { Resources } = await scim.must(200, 'GET', `/Users?filter=${filter}`);
    expect(Resources.map(({ id }: { id: string }) => id)).toEqual([ada?.id]);
  });

  test('for a page gets that page, and of the attributes those that it wants', async () => {
    for (let made = 0; made < 3; made++) await provisioned();
    const all = await scim.must(200, 'GET', '/Users?attributes=userName,name.formatted&count=200');
    expect(all.Resources).toHaveLength(all.totalResults);
    for (const one of all.Resources) {
      expect(one).toEqual({
        schemas: [`${core}:User`],
        ...{ id: expect.any(String), userName: expect.any(String) },
        name: { formatted: expect.any(String) },
      });
    }
    const page = await scim.must(
      200,
      'GET',
      '/Users?startIndex=2&count=2&excludedAttributes=meta,name,displayName,emails,active,externalId',
    );
    expect(page).toMatchObject({ startIndex: 2, itemsPerPage: 2, totalResults: all.totalResults });
    expect(page.Resources).toEqual(
      all.Resources.slice(1, 3).map(({ schemas, id, userName }: Record<string, unknown>) => ({
        ...{ schemas, id, userName },
      })),
    );
    const none = await scim.must(200, 'GET', '/Users?count=0&startIndex=-3');
    expect(none).toMatchObject({ totalResults: all.totalResults, startIndex: 1, Resources: [] });
  });

  test('about the server itself is answered: what is supported, the types and the schemas', async () => {
    expect(await scim.must(200, 'GET', '/ServiceProviderConfig')).toMatchObject({
      ...{ patch: { supported: true }, filter: { supported: true, maxResults: 200 } },
      ...{ bulk: { supported: false }, sort: { supported: false }, etag: { supported: false } },
    });
    const types = await scim.must(200, 'GET', '/ResourceTypes');
    expect(types.Resources.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual([
      ...['/Users', '/Groups'],
    ]);
    expect(await scim.must(200, 'GET', '/ResourceTypes/Group')).toEqual(types.Resources[1]);
    const schemas = await scim.must(200, 'GET', '/Schemas');
    expect(await scim.must(200, 'GET', `/Schemas/${core}:User`)).toEqual(schemas.Resources[0]);
    await scim.refused({ status: 404 }, 'GET', '/Schemas/urn:nobody');
  });

  test('without a key, or with one that may not manage users, is refused as SCIM refuses', async () => {
    await openScim(registry.url, undefined).refused({ status: 401 }, 'GET', '/Users');
    const writer = openScim(registry.url, world.producer.key);
    await writer.refused({ status: 403 }, 'POST', '/Users', { userName: 'ada@example.com' });
  });
});

test('Where no provider has scim, SCIM is off', async () => {
  const { scim: _, ...without } = example;
  const other = await openRegistryForFile(await providerSettings([without]));
  const off = openScim(other.registry.url, other.registry.bootstrapKey);
  for (const path of ['/Users', '/Groups', '/ServiceProviderConfig']) {
    expect(await off.refused({ status: 404 }, 'GET', path)).toContain('OIDC_PROVIDERS_FILE');
  }
});

test('With scim: users, groups give nothing, and the externalId may be another claim than the subject', async () => {
  const other = await openRegistryForFile(
    await providerSettings([
      { ...example, scim: 'users', external_id_claim: 'name', link_verified_email: true },
    ]),
  );
  const { url, bootstrapKey } = other.registry;
  provider.serve([url], ['example']);
  const kept = openScim(url, bootstrapKey);
  const team = must(await other.world.admin.createTeam({ body: { name: 'Checkout' } }), 201);
  const userName = 'ada@example.com';
  const { id } = await kept.must(201, 'POST', '/Users', { userName, externalId: 'object 4711' });
  const body = { displayName: 'registry admins', members: [{ value: id }] };
  await kept.must(201, 'POST', '/Groups', body);
  const params = { user_id: id };
  expect(must(await other.world.admin.getUser({ params }), 200)).toMatchObject({ role: 'viewer' });
  // A subject that is spelled like the external id is somebody else.
  const eve = await enter('object 4711', { email: 'eve@example.com', groups: ['crowd'] }, url);
  expect(must(await eve.reader.getIdentity(), 200).user?.id).not.toBe(id);
  const claimed = { email: userName, name: 'object 4711', groups: ['checkout people'] };
  const { reader } = await enter('sub-of-ada', claimed, url);
  expect(must(await reader.getIdentity(), 200).user).toMatchObject({
    ...{ id, role: 'editor', team_id: team.id },
  });
  // From now on by the subject as well.
  const again = await enter('sub-of-ada', { ...claimed, name: 'Ada' }, url);
  expect(must(await again.reader.getIdentity(), 200).user).toMatchObject({ id, name: 'Ada' });
  // Who was linked by an address has an external id too, which nobody else can be given.
  const bob = 'bob@example.com';
  const made = await kept.must(201, 'POST', '/Users', { userName: bob });
  const linked = await enter('sub-of-bob', { ...claimed, email: bob, name: 'object 1' }, url);
  expect(must(await linked.reader.getIdentity(), 200).user?.id).toBe(made.id);
  const set = (value: string) => patch({ op: 'add', path: 'externalId', value });
  const mutability = { status: 400, scimType: 'mutability' };
  await kept.refused(mutability, 'PATCH', `/Users/${made.id}`, set('object 2'));
  await kept.must(200, 'PATCH', `/Users/${made.id}`, set('object 1'));
});
