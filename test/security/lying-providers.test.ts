// Providers that lie, fail or hang, and people who bring the answer of somebody else: nobody gets in,
// and the page gets a reason.

import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/ops/config/config.ts';
import { start } from '../../src/start/serve.ts';
import { openClient } from '../support/client/client.ts';
import {
  createUser,
  must,
  mustRefuse,
  openRegistryForFile,
  signIn,
} from '../support/client/client-world.ts';
import { nonceOf, openLyingProvider, tokens } from '../support/sign-in/lying-provider.ts';
import { providerSettings } from '../support/sign-in/providers-file.ts';
import { openSmallBrowser } from '../support/sign-in/small-browser.ts';

const liar = await openLyingProvider();
const second = await openLyingProvider();
const { issuer, says, sign } = liar;
const settings = await providerSettings([
  { name: 'liar', issuer, groups: [{ group: 'everybody', role: 'viewer' }] },
  { name: 'second', issuer: second.issuer, default_role: 'viewer' },
  { name: 'linking', issuer, default_role: 'viewer', link_verified_email: true },
]);
const { registry, world } = await openRegistryForFile(settings);

afterEach(() => {
  liar.reset();
  second.reset();
});

interface Coming {
  readonly name?: string;
  readonly url?: string;
  readonly returnTo?: string;
}

/** Begins a sign-in, as far as the browser's way to the provider. */
async function begin({ name = 'liar', url = registry.url, returnTo = '/' }: Coming = {}) {
  const browser = openSmallBrowser();
  const asked = new URLSearchParams({ return_to: returnTo });
  const response = await browser.step(`${url}/api/v1/auth/oidc/${name}/start?${asked}`);
  const location = new URL(response.headers.get('location') ?? '', url);
  nonceOf.nonce = location.searchParams.get('nonce') ?? '';
  const state = location.searchParams.get('state') ?? '';
  const comeBack = async (more: Readonly<Record<string, string>> = {}, at: Coming = {}) => {
    const query = new URLSearchParams({ code: 'a code', state, ...more });
    const path = `/api/v1/auth/oidc/${at.name ?? name}/callback?${query}`;
    const back = await browser.step(`${at.url ?? url}${path}`);
    const session = browser.cookies(at.url ?? url).get('concordat_session');
    return {
      status: back.status,
      location: back.headers.get('location'),
      isIn: session !== undefined && session !== '',
    };
  };
  return { browser, location, response, state, comeBack };
}

const refusedAs = (problem: string) => ({
  status: 302,
  location: `/?sign_in_problem=${problem}`,
  isIn: false,
});

const entered = { status: 302, location: '/', isIn: true };

const now = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that is not signed by a private key. */
function forge(alg: string, nonce: string, signature: (text: string) => string): string {
  const claims = {
    ...{ iss: issuer, aud: 'concordat', sub: 'ada', iat: now(), exp: now() + 300, nonce },
    ...{ email: 'ada@example.com', groups: ['everybody'] },
  };
  const text = `${encoded({ alg, kid: liar.key().id })}.${encoded(claims)}`;
  return `${text}.${signature(text)}`;
}

describe('An ID token', () => {
  test('of an honest provider is accepted', async () => {
    expect(await (await begin()).comeBack()).toEqual(entered);
  });

  test.each<[string, (nonce: string) => Promise<string>]>([
    ['of another issuer', (nonce) => sign({ nonce, iss: 'https://other.example' })],
    ['for another audience', (nonce) => sign({ nonce, aud: 'somebody-else' })],
    [
      'for several audiences, without us as the party',
      (nonce) => sign({ nonce, aud: ['concordat', 'other'], azp: 'other' }),
    ],
    ['of another sign-in', () => sign({ nonce: 'another nonce' })],
    ['without a nonce', () => sign({})],
    ['that has ended', (nonce) => sign({ nonce, iat: now() - 900, exp: now() - 120 })],
    ['of a clock that is two minutes ahead', (nonce) => sign({ nonce, nbf: now() + 120 })],
    [
      'signed by a key of another provider',
      (nonce) => sign({ nonce }, { ...second.key(), id: liar.key().id }),
    ],
    ['without a signature', async (nonce) => forge('none', nonce, () => '')],
    [
      'signed with the public key as a secret',
      async (nonce) =>
        forge('HS256', nonce, (text) =>
          createHmac('sha256', JSON.stringify(liar.key().jwk)).update(text).digest('base64url'),
        ),
    ],
    [
      'signed with the secret of the client',
      async (nonce) =>
        forge('HS256', nonce, (text) =>
          createHmac('sha256', 'the secret of the client of the tests')
            .update(text)
            .digest('base64url'),
        ),
    ],
    ['of 1 MB', (nonce) => sign({ nonce, more: 'x'.repeat(1024 * 1024) })],
    ['without a subject', (nonce) => sign({ nonce, sub: '' })],
    ['with a subject that cannot be stored', (nonce) => sign({ nonce, sub: 'a\0b' })],
    [
      'whose groups were left out because they are too many',
      (nonce) => sign({ nonce, groups: undefined, _claim_names: { groups: 'src1' } }),
    ],
    ['whose groups are no list', (nonce) => sign({ nonce, groups: { a: 1 } })],
  ])('%s is refused', async (_, token) => {
    says.token = async (nonce) => tokens(await token(nonce));
    expect(await (await begin()).comeBack()).toEqual(refusedAs('answer_invalid'));
  });

  test('that is missing is refused', async () => {
    says.token = async () => ({ access_token: 'an access token', token_type: 'bearer' });
    expect(await (await begin()).comeBack()).toEqual(refusedAs('answer_invalid'));
  });

  test('signed by a key that was rotated a moment ago is accepted, and by the old one no longer', async () => {
    expect(await (await begin()).comeBack()).toEqual(entered);
    const old = liar.key();
    await liar.rotate();
    expect(await (await begin()).comeBack()).toEqual(entered);
    says.token = async (nonce) => tokens(await sign({ nonce }, old));
    expect(await (await begin()).comeBack()).toEqual(refusedAs('answer_invalid'));
  });

  test('with 10,000 groups is accepted, and only those of the table are kept', async () => {
    const groups = [
      ...Array.from({ length: 10_000 }, (_, n) => `a group of many ${n}`),
      'everybody',
    ];
    says.token = async (nonce) =>
      tokens(await sign({ nonce, groups, sub: 'in many groups', email: 'many@example.com' }));
    expect(await (await begin()).comeBack()).toEqual(entered);
    const { results } = must(
      await world.admin.listEvents({ query: { event_type: 'auth.login' } }),
      200,
    );
    expect(results[0]?.metadata).toMatchObject({
      subject: 'in many groups',
      groups: ['everybody'],
    });
  });

  test('of a clock that differs by minutes is accepted within OIDC_CLOCK_TOLERANCE_SECONDS', async () => {
    const tolerant = await openAnother({ OIDC_CLOCK_TOLERANCE_SECONDS: '300' });
    says.token = async (nonce) => tokens(await sign({ nonce, iat: now() - 420, exp: now() - 120 }));
    const coming = await begin({ url: tolerant.url });
    expect(await coming.comeBack()).toEqual(entered);
    await tolerant.stop();
  });
});

describe('The answer of a provider', () => {
  test('without the cookie of the browser that began is refused: nobody signs somebody else in', async () => {
    const { state } = await begin();
    const victim = openSmallBrowser();
    const path = `/api/v1/auth/oidc/liar/callback?code=a&state=${state}`;
    const back = await victim.step(`${registry.url}${path}`);
    expect(back.headers.get('location')).toBe('/?sign_in_problem=expired');
  });

  test('is accepted once: the same address again is refused', async () => {
    const { comeBack, browser } = await begin();
    expect(await comeBack()).toEqual(entered);
    browser.cookies(registry.url).delete('concordat_session');
    expect(await comeBack()).toEqual(refusedAs('expired'));
  });

  test('to another state is refused', async () => {
    const { comeBack } = await begin();
    expect(await comeBack({ state: 'another state' })).toEqual(refusedAs('expired'));
  });

  test('to another state counts for nobody: any page can make a browser bring one', async () => {
    const limited = await openAnother({ RATE_LIMIT_LOGIN: '1' });
    const failures = async () => {
      const query = { event_type: 'auth.login_failed' } as const;
      return must(await world.admin.listEvents({ query }), 200).total;
    };
    const before = await failures();
    for (let turn = 0; turn < 12; turn++) {
      const { comeBack } = await begin({ url: limited.url });
      expect(await comeBack({ state: 'another state' })).toEqual(refusedAs('expired'));
    }
    expect(await failures()).toBe(before);
    expect(await (await begin({ url: limited.url })).comeBack()).toEqual(entered);
    await limited.stop();
  });

  test('that refuses with a long text is in the trail with its beginning', async () => {
    const { comeBack } = await begin();
    expect(await comeBack({ error: 'x'.repeat(5000) })).toEqual(refusedAs('provider_refused'));
    const query = { event_type: 'auth.login_failed' } as const;
    const { results } = must(await world.admin.listEvents({ query }), 200);
    expect(String(results[0]?.metadata.reason).length).toBeLessThan(600);
  });

  test('with a cookie that was changed is refused', async () => {
    const { comeBack, browser } = await begin();
    const jar = browser.cookies(registry.url);
    jar.set('concordat_sign_in', `${jar.get('concordat_sign_in')?.slice(0, -6)}AAAAAA`);
    expect(await comeBack()).toEqual(refusedAs('expired'));
  });

  test('of one provider at the address of another is refused, before any code is sent', async () => {
    const { comeBack } = await begin();
    second.requests.clear();
    expect(await comeBack({}, { name: 'second' })).toEqual(refusedAs('expired'));
    expect(second.requests.get('/token')).toBeUndefined();
  });

  test('that names another issuer is refused, before the code is sent', async () => {
    const { comeBack } = await begin();
    liar.requests.clear();
    expect(await comeBack({ iss: second.issuer })).toEqual(refusedAs('answer_invalid'));
    expect(liar.requests.get('/token')).toBeUndefined();
  });

  test('is accepted by another replica with the same keys', async () => {
    const replica = await openAnother({});
    const { comeBack, browser } = await begin();
    const carried = browser.cookies(registry.url).get('concordat_sign_in') ?? '';
    browser.cookies(replica.url).set('concordat_sign_in', carried);
    expect(await comeBack({}, { url: replica.url })).toEqual(entered);
    await replica.stop();
  });

  test('is bound to a cookie that scripts and other websites cannot send, for ten minutes', async () => {
    const { response, location } = await begin();
    expect(response.headers.get('set-cookie')).toMatch(
      /^concordat_sign_in=[\w-]+; Max-Age=600; Path=\/api\/v1\/auth\/oidc; HttpOnly; SameSite=Lax$/,
    );
    expect(Object.fromEntries(location.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'concordat',
      redirect_uri: `${registry.url}/api/v1/auth/oidc/liar/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  test.each([
    ['/assets?team=a#now', '/assets?team=a#now'],
    ['https://evil.example/', '/'],
    ['//evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['/a/..//evil.example', '/'],
    ['/a\r\nSet-Cookie: b=c', '/'],
    ['javascript:alert(1)', '/'],
    [`/${'long/'.repeat(300)}`, '/'],
  ])('continues only at a path of this site: %j', async (returnTo, location) => {
    expect(await (await begin({ returnTo })).comeBack()).toEqual({ ...entered, location });
  });

  test('counts as a failed sign-in of the address, and is refused after too many', async () => {
    const limited = await openAnother({ RATE_LIMIT_LOGIN: '1' });
    says.token = async () => tokens(await sign({ nonce: 'another nonce' }));
    const seen: (string | null)[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const coming = await begin({ url: limited.url });
      seen.push((await coming.comeBack()).location);
    }
    expect(new Set(seen.slice(0, 10))).toEqual(new Set(['/?sign_in_problem=answer_invalid']));
    expect(seen.at(-1)).toBe('/?sign_in_problem=too_many_failures');
    await limited.stop();
  });

  test('counts before the provider has answered: no burst of them passes the limit', async () => {
    const limited = await openAnother({ RATE_LIMIT_LOGIN: '1' });
    says.token = async () => tokens(await sign({ nonce: 'another nonce' }));
    const coming = await Promise.all(Array.from({ length: 25 }, () => begin({ url: limited.url })));
    liar.requests.clear();
    const back = await Promise.all(coming.map(({ comeBack }) => comeBack()));
    const refused = back.filter(({ location }) => location?.endsWith('too_many_failures'));
    expect(refused).toHaveLength(15);
    expect(liar.requests.get('/token')).toBe(10);
    await limited.stop();
  });
});

describe('An address', () => {
  test.each([['false'], [0], ['no']])(
    'that is verified as %j is not verified',
    async (email_verified) => {
      says.token = async (nonce) =>
        tokens(await sign({ nonce, email_verified, sub: 'eve', email: 'eve@example.com' }));
      expect(await (await begin()).comeBack()).toEqual(refusedAs('email_unverified'));
    },
  );

  test('that is verified in another answer of the provider is not verified: it may be another address', async () => {
    const { email } = await createUser(world.admin, { role: 'admin' });
    says.metadata = { userinfo_endpoint: `${issuer}/userinfo` };
    hang(
      (_, response) =>
        void response
          .writeHead(200, json)
          .end(JSON.stringify({ sub: 'mallory', email: 'm@example.com', email_verified: true })),
      ['/userinfo'],
    );
    says.token = async (nonce) =>
      tokens(await sign({ nonce, sub: 'mallory', email, groups: undefined }));
    const fresh = await openAnother({});
    const coming = await begin({ name: 'linking', url: fresh.url });
    expect(await coming.comeBack()).toEqual(refusedAs('email_taken'));
    await fresh.stop();
  });
});

describe('A session', () => {
  test('ends where its way to sign in is no longer offered', async () => {
    const { comeBack, browser } = await begin();
    expect(await comeBack()).toEqual(entered);
    const cookie = `concordat_session=${browser.cookies(registry.url).get('concordat_session')}`;
    const { email } = await createUser(world.admin);
    const { cookie: ofPassword } = await signIn(world.admin.as(undefined), email);
    const { OIDC_PROVIDERS_FILE = '' } = await providerSettings([
      { name: 'second', issuer: second.issuer, default_role: 'viewer' },
    ]);
    const other = await openAnother({ OIDC_PROVIDERS_FILE, PASSWORD_SIGN_IN: 'false' });
    for (const sent of [cookie, ofPassword]) {
      must(await openClient(registry.url, undefined, { cookie: sent }).getIdentity(), 200);
      const there = openClient(other.url, undefined, { cookie: sent });
      mustRefuse(await there.getIdentity(), 401, 'UNAUTHENTICATED');
    }
    await other.stop();
  });
});

test('An administrator who signs in with a provider ends BOOTSTRAP_KEY where it is only for the setup', async () => {
  const { registry: fresh, world: other } = await openRegistryForFile({
    ...(await providerSettings([
      { name: 'liar', issuer, groups: [{ group: 'everybody', role: 'admin' }] },
    ])),
    ...{ PASSWORD_SIGN_IN: 'false', BOOTSTRAP_KEY_DISABLED_AFTER_SETUP: 'true' },
  });
  must(await other.admin.getIdentity(), 200);
  expect(await (await begin({ url: fresh.url })).comeBack()).toEqual(entered);
  mustRefuse(await other.admin.getIdentity(), 401, 'UNAUTHENTICATED');
});

describe('An address', () => {
  test.each([['false'], [0], ['no']])(
    'that is verified as %j is not verified',
    async (email_verified) => {
      says.token = async (nonce) =>
        tokens(await sign({ nonce, email_verified, sub: 'eve', email: 'eve@example.com' }));
      expect(await (await begin()).comeBack()).toEqual(refusedAs('email_unverified'));
    },
  );

  test('that is verified in another answer of the provider is not verified: it may be another address', async () => {
    const { email } = await createUser(world.admin, { role: 'admin' });
    says.metadata = { userinfo_endpoint: `${issuer}/userinfo` };
    hang(
      (_, response) =>
        void response
          .writeHead(200, json)
          .end(JSON.stringify({ sub: 'mallory', email: 'm@example.com', email_verified: true })),
      ['/userinfo'],
    );
    says.token = async (nonce) =>
      tokens(await sign({ nonce, sub: 'mallory', email, groups: undefined }));
    const fresh = await openAnother({});
    const coming = await begin({ name: 'linking', url: fresh.url });
    expect(await coming.comeBack()).toEqual(refusedAs('email_taken'));
    await fresh.stop();
  });
});

describe('A session', () => {
  test('ends where its way to sign in is no longer offered', async () => {
    const { comeBack, browser } = await begin();
    expect(await comeBack()).toEqual(entered);
    const cookie = `concordat_session=${browser.cookies(registry.url).get('concordat_session')}`;
    const { email } = await createUser(world.admin);
    const { cookie: ofPassword } = await signIn(world.admin.as(undefined), email);
    const { OIDC_PROVIDERS_FILE = '' } = await providerSettings([
      { name: 'second', issuer: second.issuer, default_role: 'viewer' },
    ]);
    const other = await openAnother({ OIDC_PROVIDERS_FILE, PASSWORD_SIGN_IN: 'false' });
    for (const sent of [cookie, ofPassword]) {
      must(await openClient(registry.url, undefined, { cookie: sent }).getIdentity(), 200);
      const there = openClient(other.url, undefined, { cookie: sent });
      mustRefuse(await there.getIdentity(), 401, 'UNAUTHENTICATED');
    }
    await other.stop();
  });
});

test('An administrator who signs in with a provider ends BOOTSTRAP_KEY where it is only for the setup', async () => {
  const { registry: fresh, world: other } = await openRegistryForFile({
    ...(await providerSettings([
      { name: 'liar', issuer, groups: [{ group: 'everybody', role: 'admin' }] },
    ])),
    ...{ PASSWORD_SIGN_IN: 'false', BOOTSTRAP_KEY_DISABLED_AFTER_SETUP: 'true' },
  });
  must(await other.admin.getIdentity(), 200);
  expect(await (await begin({ url: fresh.url })).comeBack()).toEqual(entered);
  mustRefuse(await other.admin.getIdentity(), 401, 'UNAUTHENTICATED');
});

describe('A provider', () => {
  test.each<[string, Parameters<typeof hang>[0]]>([
    ['that hangs before it answers', (_, response) => void response],
    [
      'that hangs in the middle of an answer',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    ],
    ['that is out of order', (_, response) => void response.writeHead(503).end()],
    ['that breaks the connection', (_, response) => void response.destroy()],
  ])(
    '%s: others sign in meanwhile, and the page says that it is unavailable',
    async (_, answer) => {
      const coming = await begin();
      hang(answer, ['/token']);
      const first = coming.comeBack();
      second.says.token = async (nonce) =>
        tokens(await second.sign({ nonce, email: 'second@example.com' }));
      expect(await (await begin({ name: 'second' })).comeBack()).toEqual(entered);
      await expect.poll(() => left.length).toBeGreaterThan(0);
      for (const response of left.splice(0)) response.destroy();
      expect(await first).toEqual(refusedAs('provider_unavailable'));
    },
  );

  test('that hangs is given up after OIDC_TIMEOUT_SECONDS', async () => {
    const impatient = await openAnother({ OIDC_TIMEOUT_SECONDS: '0.2' });
    hang((_, response) => void response, ['/.well-known/openid-configuration']);
    const { response } = await begin({ url: impatient.url });
    expect(response.headers.get('location')).toBe('/?sign_in_problem=provider_unavailable');
    await impatient.stop();
  });

  test.each<[string, Parameters<typeof hang>[0]]>([
    [
      'more than it may',
      (_, response) => void response.writeHead(200, json).end(`"${'x'.repeat(1024 * 1024)}"`),
    ],
    ['nonsense', (_, response) => void response.writeHead(200, json).end('<html>')],
    ['with a redirect', (_, response) => void response.writeHead(302, { location: '/jwks' }).end()],
  ])('that answers %s is refused', async (_, answer) => {
    const coming = await begin();
    hang(answer, ['/token']);
    expect(await coming.comeBack()).toEqual(refusedAs('answer_invalid'));
  });

  test('that cannot be reached when a sign-in begins leads back to the page', async () => {
    const fresh = await openAnother({});
    hang((_, response) => void response.destroy(), ['/.well-known/openid-configuration']);
    const { response } = await begin({ url: fresh.url });
    expect(response.headers.get('location')).toBe('/?sign_in_problem=provider_unavailable');
    // It is asked again as soon as it is there.
    liar.reset();
    expect(await (await begin({ url: fresh.url })).comeBack()).toEqual(entered);
    await fresh.stop();
  });

  test('that says it is another issuer is refused', async () => {
    const fresh = await openAnother({});
    says.metadata = { issuer: second.issuer };
    const { response } = await begin({ url: fresh.url });
    expect(response.headers.get('location')).toBe('/?sign_in_problem=answer_invalid');
    await fresh.stop();
  });

  test('is in the trail with the reason of each refusal, and no token is in it', async () => {
    says.token = async (nonce) => tokens(await sign({ nonce, aud: 'somebody-else' }));
    await (await begin()).comeBack();
    const query = { event_type: 'auth.login_failed' } as const;
    const { results } = must(await world.admin.listEvents({ query }), 200);
    expect(results[0]?.metadata).toMatchObject({
      provider: 'liar',
      reason: expect.stringMatching(/^answer_invalid: unexpected JWT claim value/),
    });
    expect(JSON.stringify(results)).not.toMatch(/eyJ/);
  });
});

/** The answers of `hang`, which a test may break off. */
const left: Parameters<typeof says.answer>[1][] = [];

const json = { 'content-type': 'application/json' };

function hang(
  answer: (path: string, response: Parameters<typeof says.answer>[1]) => void,
  paths: readonly string[],
): void {
  says.answer = (path, response) => {
    if (!paths.includes(path)) return false;
    left.push(response);
    answer(path, response);
    return true;
  };
}

/** Another process of the same registry, with other settings. */
async function openAnother(more: Readonly<Record<string, string>>) {
  const read = readConfig({
    ...{ DATABASE_URL: registry.database.serviceUrl, MIGRATE: 'false', HOST: '127.0.0.1' },
    ...{ PORT: '0', RATE_LIMIT_LOGIN: '1000000', ...settings, ...more },
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return start(read.config, pino({ level: 'silent' }), undefined, 'when_needed');
}

describe('A logout token', () => {
  const event = 'http://schemas.openid.net/event/backchannel-logout';
  const logout = { events: { [event]: {} }, jti: 'one' };

  async function openSession(claims: Readonly<Record<string, unknown>> = {}) {
    says.token = async (nonce) => tokens(await sign({ nonce, ...claims }));
    const coming = await begin();
    expect(await coming.comeBack()).toEqual(entered);
    const cookie = `concordat_session=${coming.browser.cookies(registry.url).get('concordat_session')}`;
    const client = openClient(registry.url, undefined, { cookie });
    return async () => (await client.getIdentity()).status;
  }

  const send = (logout_token: string, provider = 'liar') =>
    world.admin.as(undefined).endProviderSession({ params: { provider }, body: { logout_token } });

  /** All sessions end together, whether or not this process has them in memory. */
  const expectEnded = (status: () => Promise<number>) =>
    expect.poll(status, { timeout: 60_000 }).toBe(401);

  test('of an honest provider ends the sessions of the person, sent as a form too', async () => {
    const lee = { sub: 'lee', email: 'lee@example.com' };
    const [one, other] = [await openSession(lee), await openSession({ ...lee, sid: 's1' })];
    const someoneElse = await openSession();
    const path = '/api/v1/auth/oidc/liar/backchannel-logout';
    const body = new URLSearchParams({
      logout_token: await sign({ ...logout, sub: 'lee' }),
      more: 'ignored',
    });
    const answered = await fetch(`${registry.url}${path}`, { method: 'POST', body });
    expect(answered.status).toBe(200);
    expect(await answered.json()).toEqual({ sessions_ended: 2 });
    await expectEnded(one);
    await expectEnded(other);
    expect(await someoneElse()).toBe(200);
    expect(must(await send(await sign({ ...logout, sub: 'lee' })), 200)).toEqual({
      sessions_ended: 0,
    });
  });

  test('that names a session ends this one, of this person and this provider', async () => {
    const [one, other] = [await openSession({ sid: 's2' }), await openSession({ sid: 's3' })];
    const ofSession = (claims: object) => sign({ ...logout, sub: undefined, sid: 's2', ...claims });
    const another = await ofSession({ sub: 'somebody else' });
    expect(must(await send(another), 200)).toEqual({ sessions_ended: 0 });
    const elsewhere = await second.sign({ ...logout, sub: undefined, sid: 's2' });
    expect(must(await send(elsewhere, 'second'), 200)).toEqual({ sessions_ended: 0 });
    expect(await one()).toBe(200);
    expect(must(await send(await ofSession({})), 200)).toEqual({ sessions_ended: 1 });
    await expectEnded(one);
    expect(await other()).toBe(200);
  });

  test('that is sent again later ends no session that began since', async () => {
    const early = await sign({ ...logout, iat: now() - 300 });
    const status = await openSession();
    expect(must(await send(early), 200)).toEqual({ sessions_ended: 0 });
    expect(await status()).toBe(200);
  });

  test.each<[string, () => Promise<string>]>([
    ['of another issuer', () => sign({ ...logout, iss: 'https://other.example' })],
    ['for another audience', () => sign({ ...logout, aud: 'somebody-else' })],
    ['without its event', () => sign({ jti: 'one', events: {} })],
    ['whose event is no object', () => sign({ jti: 'one', events: { [event]: true } })],
    ['that is an ID token', () => sign({ ...logout, nonce: 'a nonce' })],
    ['without an id', () => sign({ ...logout, jti: undefined })],
    ['of a quarter of an hour ago', () => sign({ ...logout, iat: now() - 900 })],
    ['of a clock that is two minutes ahead', () => sign({ ...logout, iat: now() + 120 })],
    ['that has ended', () => sign({ ...logout, iat: now() - 300, exp: now() - 120 })],
    ['that names nobody', () => sign({ ...logout, sub: undefined })],
    ['whose subject is no text', () => sign({ ...logout, sub: 7 })],
    [
      'signed by a key of another provider',
      () => sign({ ...logout }, { ...second.key(), id: liar.key().id }),
    ],
    [
      'without a signature',
      async () => {
        const claims = { ...logout, iss: issuer, aud: 'concordat', sub: 'ada', iat: now() };
        return `${encoded({ alg: 'none' })}.${encoded(claims)}.`;
      },
    ],
    ['that is none', async () => 'no token'],
  ])('%s is refused, and ends nothing', async (_, token) => {
    const status = await openSession();
    const refused = mustRefuse(await send(await token()), 400, 'VALIDATION_ERROR');
    expect(refused.field).toBe('logout_token');
    expect(await status()).toBe(200);
  });

  test('of a provider whose keys cannot be read is to be sent again, and so is one of no provider', async () => {
    const token = await sign({ ...logout });
    mustRefuse(await send(token, 'nobody'), 404, 'ROUTE_NOT_FOUND');
    says.answer = (path, response) => {
      if (path !== '/jwks') return false;
      response.writeHead(502).end();
      return true;
    };
    mustRefuse(await send(token), 503, 'ISSUER_UNAVAILABLE');
  });
});
