// A server below a path of its host: everything that it serves is there, and nothing elsewhere.

import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/ops/config/config.ts';
import { checkedFetch } from '../../support/client/client.ts';
import {
  createUser,
  must,
  openRegistryForFile,
  password,
} from '../../support/client/client-world.ts';

const basePath = '/data/contracts';

const { registry, world } = await openRegistryForFile({ BASE_PATH: basePath });
let origin: string;

beforeAll(async () => {
  ({ origin } = new URL(registry.url));
});

const asBrowser = { headers: { accept: 'text/html' } };

test("The server's printed address ends in its base path", () => {
  expect(registry.url).toBe(`${origin}${basePath}`);
});

test('The routes of the API are below it', async () => {
  const { teamId, client } = world.producer;
  expect(must(await client.getTeam({ params: { team_id: teamId } }), 200).id).toBe(teamId);
});

test.each(['/', '/docs', '/health', '/api/v1/teams', '/data', '/data/contractsx/health'])(
  '%s, which is not below it, is 404',
  async (path) => {
    const response = await fetch(`${origin}${path}`, asBrowser);
    const { detail } = (await response.json()) as { detail: { code: string; message: string } };
    expect({ status: response.status, detail }).toEqual({
      status: 404,
      detail: {
        code: 'ROUTE_NOT_FOUND',
        message: `Nothing was found at ${path}. See ${basePath}/docs for all routes.`,
      },
    });
  },
);

test.each(['/health', '/health/live', '/health/ready', '/metrics'])(
  '%s is served below it',
  async (path) => {
    expect((await checkedFetch(`${registry.url}${path}`)).status).toBe(200);
  },
);

test('openapi.json names it as the server', async () => {
  const response = await checkedFetch(`${registry.url}/openapi.json`);
  const { servers, paths } = (await response.json()) as {
    servers: { url: string }[];
    paths: Record<string, unknown>;
  };
  expect(servers.map(({ url }) => url)).toEqual([basePath]);
  expect(paths).toHaveProperty('/api/v1/teams');
});

test.each(['/docs', '/redoc', '/docs/guide', '/docs/guide/rest', '/docs/guide/runbooks'])(
  '%s links only to existing addresses below it',
  async (path) => {
    const response = await checkedFetch(`${registry.url}${path}`);
    expect(response.status).toBe(200);
    const html = await response.text();
    const links = [...html.matchAll(/(?:src|href)="(\/[^"#]*)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !link.startsWith(`${basePath}/`))).toEqual([]);
    // The page may not be built here, so its link is not checked.
    for (const link of new Set(links).difference(new Set([`${basePath}/`]))) {
      expect((await checkedFetch(`${origin}${link}`, asBrowser)).status, link).toBeLessThan(400);
    }
  },
);

test.each(['/docs', '/redoc'])('%s loads the document from below it', async (path) => {
  const response = await checkedFetch(`${registry.url}${path}/start.js`);
  expect(await response.text()).toContain(`'${basePath}/openapi.json'`);
});

test('A redirect leads to an address below it', async () => {
  const response = await checkedFetch(`${registry.url}/docs/guide/README.md`, {
    redirect: 'manual',
  });
  const { headers, status } = response;
  const location = headers.get('location');
  expect({ status, location }).toEqual({ status: 308, location: `${basePath}/docs/guide` });
});

test('The cookie of a session is limited to it, and works there', async () => {
  const user = await createUser(world.admin, { role: 'editor' });
  const answer = await world.admin.as(undefined).logIn({ body: { email: user.email, password } });
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/; Path=\/data\/contracts; HttpOnly/);
  const response = await checkedFetch(`${registry.url}/api/v1/auth/me`, {
    headers: { cookie: cookie.split(';')[0] ?? '' },
  });
  expect(response.status).toBe(200);
});

describe('BASE_PATH', () => {
  test.each(['contracts', '/contracts/', '/', '//x', '/a b', '/a/../b', '/a?b', '/%61'])(
    '%s is refused at startup',
    (text) => {
      expect(readConfig({ BASE_PATH: text })).toEqual({
        ok: false,
        problems: [
          expect.stringMatching(
            /^BASE_PATH=.* is invalid: it must begin with \/ and not end with it/,
          ),
        ],
      });
    },
  );

  test.each([
    ['https://example.org', 'https://example.org/data/contracts'],
    ['https://example.org/', 'https://example.org/data/contracts'],
    ['https://example.org/data/contracts', 'https://example.org/data/contracts'],
  ])('works with BASE_URL=%s', (url) => {
    expect(readConfig({ BASE_URL: url, BASE_PATH: basePath }).ok).toBe(true);
  });

  test('is required if BASE_URL has another path', () => {
    expect(readConfig({ BASE_URL: 'https://example.org/elsewhere' })).toEqual({
      ok: false,
      problems: [
        'BASE_URL has the path /elsewhere. Leave it out there, and set BASE_PATH=/elsewhere.',
      ],
    });
  });
});
