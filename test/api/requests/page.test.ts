// The server delivers the page: files are cached for ever, all views share one document, and none
// of it conflicts with the API.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPage } from '../../../src/http/pages/page.ts';

let folder: string;
let server: Server;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'concordat-page-'));
  mkdirSync(join(folder, 'static'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Concordat</title>');
  writeFileSync(join(folder, 'mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'static', 'main-4f2a.js'), 'export {};');
  server = createServer(express().use(createPage('', folder)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml' } };

test.each(['/', '/assets/0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21/compare?from=1.0.0', '/keys'])(
  'a browser that requests %s gets the document, under a strict policy',
  async (path) => {
    const response = await fetch(`${url}${path}`, asBrowser);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>Concordat</title>');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  },
);

test('files with a digest in their name are cached for ever', async () => {
  const response = await fetch(`${url}/static/main-4f2a.js`);
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('content-type')).toMatch(/javascript/);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
});

test('other files are cached for a while', async () => {
  const response = await fetch(`${url}/mark.svg`);
  expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
});

test('other requests, and those that change something, do not get the page', async () => {
  expect((await fetch(`${url}/keys`)).status).toBe(404);
  expect((await fetch(`${url}/keys`, { ...asBrowser, method: 'POST' })).status).toBe(404);
  expect((await fetch(`${url}/static/missing.js`)).status).toBe(404);
});

test.each(['/..%2f..%2fpackage.json', '/static/..%2f..%2f..%2fetc/passwd', '/.git/config'])(
  '%s leads nowhere outside of the folder',
  async (path) => {
    expect((await fetch(`${url}${path}`)).status).toBeGreaterThanOrEqual(400);
  },
);

test('if the page was not built, / says how to build it', async () => {
  const bare = createServer(express().use(createPage('', join(folder, 'nowhere'))));
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const { port } = bare.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`, asBrowser);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('npm run build:web');
  bare.close();
});
