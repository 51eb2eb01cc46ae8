// The page of a server below a path of its host: it loads, signs in, follows links, survives a
// reload, and requests nothing outside of that path.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  createUser,
  openWorld,
  password,
  publishedAsset,
  type World,
} from '../support/client/client-world.ts';
import { expectAddress } from './support/address.ts';
import { goTo, launchBrowser, openPerson } from './support/browser.ts';

const basePath = '/data/contracts';

let registry: TestRegistry;
let world: World;
let browser: Browser;

beforeAll(async () => {
  registry = await openRegistry({ BASE_PATH: basePath });
  world = await openWorld(registry.url, registry.bootstrapKey);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await registry?.stop();
});

test('The page works below a base path, from its first address to a nested one after a reload', async () => {
  const { email } = await createUser(world.admin, { role: 'admin' });
  const { assetId } = await publishedAsset(world.producer);
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(registry.url);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await goTo(page, 'Assets');
  await page.getByRole('heading', { name: 'Assets', exact: true }).waitFor();
  await expectAddress(page, 'pathname').toBe(`${basePath}/assets`);
  // Reloads a view with two segments: its scripts and its worker come from the same place.
  await page.goto(`${registry.url}/assets/${assetId}/try`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const worker = page.waitForRequest(/verdict\.worker/);
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await worker;
  await page.goBack();
  await page.getByRole('heading', { name: 'Assets', exact: true }).waitFor();
  for (const [name, path] of [
    ['API documentation', 'docs'],
    ['Guide', 'docs/guide'],
  ] as const) {
    const link = page.locator('a.side-docs', { hasText: name });
    expect(await link.getAttribute('href')).toBe(`${basePath}/${path}`);
  }
  const outside = asked.filter((url) => !url.startsWith(registry.url));
  expect(outside.filter((url) => !/^(data|blob):/.test(url))).toEqual([]);
  expect(asked.some((url) => url.includes('/api/v1/events/stream'))).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});
