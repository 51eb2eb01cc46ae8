// The API is an Express app: another app can mount it, and its middleware sees every request.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import { apiPrefix, type Route } from '../../../src/wire/route.ts';
import { routes } from '../../../src/wire/routes.ts';
import { checkedFetch } from '../../support/client/client.ts';
import { openApp, type TestApp } from '../../support/client/open-app.ts';

const rows = Object.values<Route>(routes);
const seen: string[] = [];
let app: TestApp;
let server: Server;
let url: string;

beforeAll(async () => {
  app = await openApp();
  const outer = express();
  outer.use((request, response, next) => {
    seen.push(`${request.method} ${request.path}`);
    response.setHeader('X-Seen-By', 'the middleware of somebody else');
    next();
  });
  outer.use(createApp(app.deps));
  server = createServer(outer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await app.close();
});
beforeEach(() => seen.splice(0));

test.each(rows.map(({ method, path }) => [method, path] as const))(
  'Middleware of an app that mounts this one sees %s %s',
  async (method, template) => {
    const path = template.replace(/\{\w+\}/g, '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21');
    const response = await checkedFetch(`${url}${path}`, { method, redirect: 'manual' });
    const text = await response.text();
    expect(seen).toEqual([`${method} ${path}`]);
    expect(response.headers.get('x-seen-by')).toBe('the middleware of somebody else');
    // The request reached its own route, not the refusal of a path or a method.
    // That there is no such provider is said by the route itself.
    const isOwn = text.includes('There is no provider');
    expect([404, 405].includes(response.status) && !isOwn).toBe(false);
    const isOfApi = path.startsWith(apiPrefix);
    const needsKey = rows.find((row) => row.path === template && row.method === method);
    if (isOfApi && needsKey?.scope !== 'public') expect(response.status).toBe(401);
  },
);

test.each([
  ['GET', '/api/v1/nothing', 404],
  ['PUT', '/api/v1/teams', 405],
  ['OPTIONS', '/api/v1/teams', 204],
  ['GET', '/api/v1/assets/%ff', 400],
])('It also sees refused requests: %s %s', async (method, path, status) => {
  const response = await checkedFetch(`${url}${path}`, { method, redirect: 'manual' });
  expect({ seen: [...seen], status: response.status }).toEqual({
    seen: [`${method} ${path}`],
    status,
  });
});
