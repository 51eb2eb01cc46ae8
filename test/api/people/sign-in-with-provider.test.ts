// Signing in with a provider of OpenID Connect: who gets in, as what, and how it ends. The provider
// is a real one.

import { describe, expect, test } from 'vitest';
import { openClient, type TestClient } from '../../support/client/client.ts';
import {
  createUser,
  must,
  mustRefuse,
  openRegistryForFile,
  password,
  signIn,
} from '../../support/client/client-world.ts';
import { providerSettings } from '../../support/sign-in/providers-file.ts';
import { type Account, openRealProvider } from '../../support/sign-in/real-provider.ts';
import { openSmallBrowser, type Visited } from '../../support/sign-in/small-browser.ts';

const provider = await openRealProvider();
const { issuer, accounts } = provider;
const { registry, world } = await openRegistryForFile(
  await providerSettings([
    {
      name: 'example',
      title: 'Example Inc.',
      issuer,
      scopes: ['openid', 'email', 'profile', 'groups'],
      groups: [
        { group: 'registry admins', role: 'admin' },
        { group: 'later people', team: 'not-there-yet' },
        { group: 'checkout people', team: 'checkout' },
        { group: 'logistics people', team: 'logistics', role: 'viewer' },
        { group: 'readers', role: 'viewer' },
        { group: 'auditors', duties: ['read_audit'] },
        { group: 'people desk', duties: ['manage_people'] },
      ],
    },
    { name: 'linking', issuer, default_role: 'viewer', link_verified_email: true },
  ]),
);
provider.serve([registry.url], ['example', 'linking']);
const { admin } = world;
const checkout = must(await admin.createTeam({ body: { name: 'Checkout' } }), 201);
const logistics = must(await admin.createTeam({ body: { name: 'Logistics' } }), 201);

let people = 0;

/** Somebody whom the provider knows; `is` changes what it says. */
function openPerson(account: Account = {}, id = `person-${++people}`) {
  const is = (now: Account) => {
    const email = `${id}@example.com`;
    accounts.set(id, { email, email_verified: true, name: `Person ${id}`, ...now });
  };
  is(account);
  const browser = openSmallBrowser();
  const startUrl = (name: string) => `${registry.url}/api/v1/auth/oidc/${name}/start`;
  const enter = async (name = 'example', returnTo = '/'): Promise<Visited> => {
    let page = await browser.open(`${startUrl(name)}?return_to=${encodeURIComponent(returnTo)}`);
    // The provider asks who it is, and then whether the registry may know.
    for (let turn = 0; turn < 2 && page.url.startsWith(issuer); turn++) {
      page = await browser.submit(page, { login: id, password: 'any' });
    }
    return page;
  };
  const client = async (): Promise<TestClient> => {
    const cookie = `concordat_session=${browser.cookies(registry.url).get('concordat_session')}`;
    const reader = openClient(registry.url, undefined, { cookie });
    const { csrf_token } = must(await reader.getIdentity(), 200);
    return admin.signedIn({ cookie, csrfToken: csrf_token ?? '' });
  };
  const identity = async () => must(await (await client()).getIdentity(), 200);
  return { id, email: `${id}@example.com`, is, browser, enter, client, identity };
}

const problemAt = (page: Visited) => new URL(page.url).searchParams.get('sign_in_problem');

async function eventsOf(entity_id: string) {
  const params = { entity_type: 'user', entity_id } as const;
  const { results } = must(await admin.listEntityHistory({ params }), 200);
  return results.map(({ event_type, actor_type, metadata }) => ({
    event_type,
    actor_type,
    metadata,
  }));
}

describe('Signing in with a provider', () => {
  test('is offered beside passwords', async () => {
    const options = must(await admin.as(undefined).getSignInOptions(), 200);
    expect(options).toEqual({
      passwords: true,
      providers: [
        { name: 'example', title: 'Example Inc.' },
        { name: 'linking', title: 'linking' },
      ],
    });
  });

  test('creates the user with the team and role of the groups, continues where asked, and is on record', async () => {
    const ada = openPerson({ groups: ['everybody', 'later people', 'checkout people'] });
    const page = await ada.enter('example', '/assets?q=orders');
    expect(page.url).toBe(`${registry.url}/assets?q=orders`);
    const { user, scopes, team_ids } = await ada.identity();
    expect({ user, scopes, team_ids }).toEqual({
      user: expect.objectContaining({
        email: ada.email,
        name: `Person ${ada.id}`,
        role: 'editor',
        team_id: checkout.id,
      }),
      scopes: ['read', 'acknowledge', 'write'],
      team_ids: [checkout.id],
    });
    const events = await eventsOf(user?.id ?? '');
    expect(events).toEqual([
      {
        event_type: 'auth.login',
        actor_type: 'user',
        metadata: expect.objectContaining({
          provider: 'example',
          subject: ada.id,
          groups: ['later people', 'checkout people'],
        }),
      },
      {
        event_type: 'user.created',
        actor_type: 'system',
        metadata: expect.objectContaining({ provider: 'example', issuer, subject: ada.id }),
      },
    ]);
  });

  test('gives the same session as a password: changes need its token', async () => {
    const ada = openPerson({ groups: ['checkout people'] });
    await ada.enter();
    const client = await ada.client();
    const body = { fqn: 'shop.public.by_provider', owner_team_id: checkout.id };
    must(await client.createAsset({ body }), 201);
    const cookie = `concordat_session=${ada.browser.cookies(registry.url).get('concordat_session')}`;
    const without = openClient(registry.url, undefined, { cookie, origin: registry.url });
    mustRefuse(await without.createAsset({ body }), 403, 'FORBIDDEN');
  });

  test('follows the groups each time: another team, another role, and the highest role counts', async () => {
    const ada = openPerson({ groups: ['logistics people', 'registry admins'] });
    await ada.enter();
    expect((await ada.identity()).user).toMatchObject({ role: 'admin', team_id: logistics.id });
    ada.is({ groups: ['logistics people'], name: 'Ada Lovelace', email: 'ada@example.com' });
    await ada.enter();
    const { user } = await ada.identity();
    expect(user).toMatchObject({
      role: 'viewer',
      team_id: logistics.id,
      name: 'Ada Lovelace',
      email: 'ada@example.com',
    });
    ada.is({ groups: 'registry admins' as never });
    await ada.enter();
    expect((await ada.identity()).user).toMatchObject({ role: 'admin', team_id: null });
    const [, change] = await eventsOf(user?.id ?? '');
    expect(change).toEqual({
      event_type: 'user.updated',
      actor_type: 'system',
      metadata: expect.objectContaining({
        provider: 'example',
        from: expect.objectContaining({ role: 'viewer', team_id: logistics.id }),
        to: expect.objectContaining({ role: 'admin', team_id: null }),
      }),
    });
  });

  test('without any group of the table is refused, and nobody is created', async () => {
    const stranger = openPerson({ groups: ['everybody'] });
    const page = await stranger.enter();
    expect(problemAt(page)).toBe('no_group');
    expect(stranger.browser.cookies(registry.url).get('concordat_session')).toBeUndefined();
    const users = must(await admin.listUsers({ query: { email: stranger.email } }), 200);
    expect(users.total).toBe(0);
  });

  test('after the last group is gone is refused, and takes the team, the role and the sessions', async () => {
    const ada = openPerson({ groups: ['checkout people'] });
    await ada.enter();
    const client = await ada.client();
    const { user } = await ada.identity();
    ada.is({ groups: [] });
    expect(problemAt(await ada.enter())).toBe('no_group');
    // The replica hears of it from Postgres.
    await expect.poll(async () => (await client.getIdentity()).status).toBe(401);
    const left = must(await admin.getUser({ params: { user_id: user?.id ?? '' } }), 200);
    expect(left).toMatchObject({ role: 'viewer', team_id: null, deactivated_at: null });
    const types = (await eventsOf(left.id)).map(({ event_type }) => event_type);
    expect(types).toEqual(['auth.denied', 'user.updated', 'auth.login', 'user.created']);
  });

  test('after the last group is gone takes the sessions of somebody who had nothing else, too', async () => {
    const ada = openPerson({ groups: ['readers'] });
    await ada.enter();
    const client = await ada.client();
    const { user } = await ada.identity();
    expect(user).toMatchObject({ role: 'viewer', team_id: null });
    ada.is({ groups: [] });
    expect(problemAt(await ada.enter())).toBe('no_group');
    // The replica hears of it from Postgres.
    await expect.poll(async () => (await client.getIdentity()).status).toBe(401);
    const types = (await eventsOf(user?.id ?? '')).map(({ event_type }) => event_type);
    expect(types).toEqual(['auth.denied', 'user.updated', 'auth.login', 'user.created']);
  });

  test('of a user who was deactivated here is refused', async () => {
    const ada = openPerson({ groups: ['registry admins'] });
    await ada.enter();
    const { user } = await ada.identity();
    const params = { user_id: user?.id ?? '' };
    must(await admin.deactivateUser({ params }), 204);
    expect(problemAt(await ada.enter())).toBe('deactivated');
    const { deactivated_at } = must(await admin.getUser({ params }), 200);
    expect(deactivated_at).not.toBeNull();
  });

  test('with the address of another account is refused, however well it is verified', async () => {
    const ada = openPerson({ groups: ['registry admins'] });
    const { id } = await createUser(admin, { email: ada.email });
    expect(problemAt(await ada.enter())).toBe('email_taken');
    expect((await eventsOf(id)).map(({ event_type }) => event_type)).toEqual(['user.created']);
  });

  test('links the account with the same address if the provider is trusted for it, and the address is verified', async () => {
    const ada = openPerson({ email_verified: false });
    const { id } = await createUser(admin, { email: ada.email, role: 'editor' });
    expect(problemAt(await ada.enter('linking'))).toBe('email_unverified');
    ada.is({});
    await ada.enter('linking');
    const { user } = await ada.identity();
    expect(user).toMatchObject({ id, role: 'editor' });
    const other = openPerson({ email: ada.email });
    expect(problemAt(await other.enter('linking'))).toBe('email_taken');
    expect((await eventsOf(id)).slice(1)).toEqual([
      {
        event_type: 'user.updated',
        actor_type: 'system',
        metadata: expect.objectContaining({ provider: 'linking', issuer, subject: ada.id }),
      },
      expect.objectContaining({ event_type: 'user.created' }),
    ]);
  });

  test('without an e-mail address is refused', async () => {
    const nobody = openPerson({ email: 'no address', groups: ['registry admins'] });
    expect(problemAt(await nobody.enter())).toBe('no_email');
  });

  test('gives the duties of all groups, and takes them with the group', async () => {
    const ada = openPerson({ groups: ['auditors', 'checkout people', 'people desk'] });
    await ada.enter();
    const held = async () => {
      const { user, scopes } = await ada.identity();
      return { role: user?.role, duties: user?.duties, mayExport: scopes.includes('read_audit') };
    };
    const duties = ['manage_people', 'read_audit'];
    expect(await held()).toEqual({ role: 'editor', duties, mayExport: true });
    ada.is({ groups: ['people desk'] });
    await ada.enter();
    const left = { role: 'viewer', duties: ['manage_people'], mayExport: false };
    expect(await held()).toEqual(left);
    ada.is({ groups: ['checkout people'] });
    await ada.enter();
    expect(await held()).toEqual({ role: 'editor', duties: [], mayExport: false });
  });

  test('leaves the role that an administrator gave, if the provider has no table of groups', async () => {
    const ada = openPerson();
    await ada.enter('linking');
    const { user } = await ada.identity();
    expect(user).toMatchObject({ role: 'viewer', team_id: null });
    const params = { user_id: user?.id ?? '' };
    must(await admin.updateUser({ params, body: { role: 'editor', team_id: checkout.id } }), 200);
    await ada.enter('linking');
    expect((await ada.identity()).user).toMatchObject({ role: 'editor', team_id: checkout.id });
  });

  test('that the person breaks off leads back with the reason', async () => {
    const ada = openPerson();
    const page = await ada.browser.open(`${registry.url}/api/v1/auth/oidc/example/start`);
    const cancel = /href="([^"]*\/abort)"/.exec(page.text)?.[1] ?? '';
    expect(problemAt(await ada.browser.open(new URL(cancel, page.url).href))).toBe(
      'provider_refused',
    );
  });

  test('with an unknown provider is 404', async () => {
    const client = admin.as(undefined);
    const params = { provider: 'nobody' };
    mustRefuse(await client.startSignIn({ params }), 404, 'ROUTE_NOT_FOUND');
    mustRefuse(await client.finishSignIn({ params }), 404, 'ROUTE_NOT_FOUND');
  });
});

describe('Signing out', () => {
  test('of a session with a provider names the page that ends the session there too', async () => {
    const ada = openPerson({ groups: ['checkout people'] });
    await ada.enter();
    const client = await ada.client();
    const { provider_sign_out_url: url } = must(await client.logOut(), 200);
    mustRefuse(await client.getIdentity(), 401, 'UNAUTHENTICATED');
    const asked = await ada.browser.open(url);
    const back = await ada.browser.submit(asked, { logout: 'yes' });
    expect(back.url).toBe(`${registry.url}/`);
    // The provider has forgotten who it is, and asks again.
    const next = await ada.browser.open(`${registry.url}/api/v1/auth/oidc/example/start`);
    expect(next.text).toContain('name="login"');
  });

  test('of the provider ends the session that came from there, and no other', async () => {
    const groups = ['checkout people'];
    const laptop = openPerson({ groups });
    const phone = openPerson({ groups }, laptop.id);
    const other = openPerson({ groups });
    for (const each of [laptop, phone, other]) await each.enter();
    const clients = [await laptop.client(), await phone.client(), await other.client()] as const;
    const { id: userId } = (await laptop.identity()) as { readonly id: string };
    const asked = new URLSearchParams({ client_id: 'concordat' });
    const page = await laptop.browser.open(`${issuer}/session/end?${asked}`);
    await laptop.browser.submit(page, { logout: 'yes' });
    const statuses = async () =>
      (await Promise.all(clients.map((each) => each.getIdentity()))).map(({ status }) => status);
    await expect.poll(statuses, { timeout: 60_000 }).toEqual([401, 200, 200]);
    expect((await eventsOf(userId))[0]).toEqual({
      ...{ event_type: 'auth.logout', actor_type: 'system' },
      metadata: expect.objectContaining({ provider: 'example', by_provider: true }),
    });
  });

  test('of a session with a password names none', async () => {
    const { email } = await createUser(admin);
    const client = admin.signedIn(await signIn(admin.as(undefined), email));
    must(await client.logOut(), 204);
  });
});

test('Passwords are refused where they are switched off, and not offered', async () => {
  const { world: other } = await openRegistryForFile({
    ...(await providerSettings([{ name: 'example', issuer, default_role: 'viewer' }])),
    PASSWORD_SIGN_IN: 'false',
  });
  const { email } = await createUser(other.admin);
  const stranger = other.admin.as(undefined);
  mustRefuse(await stranger.logIn({ body: { email, password } }), 403, 'FORBIDDEN');
  expect(must(await stranger.getSignInOptions(), 200).passwords).toBe(false);
});
