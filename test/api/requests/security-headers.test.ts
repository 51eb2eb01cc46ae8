// Every response has headers that forbid sniffing its type, framing it or running it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, type HttpServer } from '../../../src/http/server.ts';
import type { Route } from '../../../src/wire/route.ts';
import { routes } from '../../../src/wire/routes.ts';
import { bootstrapKey, openApp, type TestApp } from '../../support/client/open-app.ts';

let app: TestApp;
let server: HttpServer;
let url: string;

beforeAll(async () => {
  app = await openApp();
  const settings = { ...app.deps.settings, isBehindTls: true, bodyLimitBytes: 100 };
  server = createServer({ ...app.deps, settings });
  url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
});
afterAll(async () => {
  await server.close(1_000);
  await app.close();
});

const gets = Object.values<Route>(routes)
  .filter(({ method, resumes }) => method === 'GET' && resumes !== true)
  .map(({ path }) => path.replace(/\{\w+\}/g, '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21'));

const html = { accept: 'text/html' };
const pages: readonly string[] = [
  ...['/', '/assets', '/mark.svg', '/static/none.js', '/docs/start.js', '/docs/swagger-ui.css'],
  ...[
    '/redoc/redoc.standalone.js',
    '/docs/guide',
    '/docs/guide/style.css',
    '/docs/guide/README.md',
  ],
];

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Kind = readonly [method: string, path: string, sent?: Sent];

const kinds: readonly Kind[] = [
  ...gets.map((path) => ['GET', path] as const),
  ...gets.map((path) => ['HEAD', path] as const),
  ...pages.flatMap((path) => [
    ['GET', path, { headers: html }] as const,
    ['HEAD', path, { headers: html }] as const,
    ['POST', path, { headers: html }] as const,
    ['OPTIONS', path, { headers: html }] as const,
  ]),
  ['GET', '/nothing'],
  ['GET', '/api'],
  ['GET', '/api/v2', { headers: html }],
  ['GET', '/api/v1/teams/'],
  ['GET', '/api/v1/assets/%ff'],
  ['GET', '/docs/%ff'],
  ['PUT', '/api/v1/teams'],
  ['OPTIONS', '/api/v1/teams'],
  ['OPTIONS', '/health'],
  ['OPTIONS', '/nothing'],
  ['POST', '/health'],
  ['POST', '/api/v1/teams', { body: '{"name":' }],
  ['POST', '/api/v1/teams', { body: 'x'.repeat(200) }],
  ['POST', '/api/v1/sync/dbt', { body: '{' }],
];

test.each(kinds.map(([method, path, sent = {}]) => ({ method, path, sent })))(
  '$method $path',
  async ({ method, path, sent }) => {
    const response = await fetch(`${url}${path}`, {
      ...sent,
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${bootstrapKey}`,
        ...(sent.body !== undefined && { 'content-type': 'application/json' }),
        ...sent.headers,
      },
    });
    await response.body?.cancel();
    const said = Object.fromEntries(response.headers);
    expect(said).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'strict-transport-security': 'max-age=31536000',
      'cache-control': expect.any(String),
    });
    expect(said['content-security-policy']).toContain("default-src '");
    expect(said['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(said).not.toHaveProperty('x-powered-by');
    // Pages request no features of the device.
    if (/text\/html/.test(said['content-type'] ?? '') && response.status === 200) {
      expect(said['permissions-policy']).toContain('camera=()');
      expect(said['referrer-policy']).toBe('same-origin');
    }
  },
);
