// What the page weighs, and how long it takes: told, and held against limits.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/wire/client.ts';
import { openRegistry, type TestRegistry } from '../support/client-registry.ts';
import { launchBrowser, openPerson, signIn } from './support/browser.ts';
import { createAsset, createTeam, publish } from './support/story.ts';

let registry: TestRegistry;
let browser: Browser;
let assetId: string;

const fieldCount = 2_000;
const firstLoadLimitBytes = 200_000;

beforeAll(async () => {
  registry = await openRegistry();
  browser = await launchBrowser();
  const admin = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
  const team = await createTeam(admin, 'Wide');
  assetId = await createAsset(admin, team, 'wide.table');
  await publish(admin, assetId, wideSchema({ type: 'string', maxLength: 10 }), {});
  await publish(admin, assetId, wideSchema({ type: 'string', maxLength: 20 }), {});
});
afterAll(async () => {
  await browser?.close();
  await registry?.stop();
});

function wideSchema(field: { type: string; maxLength: number }) {
  const names = Array.from({ length: fieldCount }, (_, index) => `column_${index}`);
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, field])) };
}

test('the first load is under 200 kB of JavaScript, compressed, from this host alone', async () => {
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  const loaded: Promise<{ url: string; bytes: number }>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith('.js')) loaded.push(sizeOf(pathname, response.request()));
  });
  await signIn(page, registry.bootstrapKey);
  await page.getByText('What changed lately').waitFor();
  const total = (await Promise.all(loaded)).reduce((sum, { bytes }) => sum + bytes, 0);
  process.stdout.write(`first load: ${loaded.length} scripts, ${total} bytes compressed\n`);
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThan(firstLoadLimitBytes);
  expect(complaints).toEqual([]);
  await close();
});

async function sizeOf(
  url: string,
  request: { sizes(): Promise<{ responseBodySize: number }> },
): Promise<{ url: string; bytes: number }> {
  return { url, bytes: (await request.sizes()).responseBodySize };
}

test('a file of the page is kept for good, and the page itself is asked for anew', async () => {
  const page = await fetch(registry.url, { headers: { accept: 'text/html' } });
  const html = await page.text();
  const script = /src="(\/static\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
  const file = await fetch(registry.url + script);
  expect([page.headers.get('cache-control'), file.headers.get('cache-control')]).toEqual([
    'no-cache',
    'public, max-age=31536000, immutable',
  ]);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(html).not.toMatch(/<script>|<style|style=|onload=/);
  expect((await fetch(`${registry.url}/static/../index.html`)).status).toBe(404);
  expect((await fetch(`${registry.url}/static/%2e%2e%2findex.html`)).status).toBe(404);
});

test('a diff of two schemas with 2,000 fields renders at once and scrolls without an end', async () => {
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, registry.bootstrapKey);
  await page.goto(`/assets/${assetId}/versions`);
  await page.getByText('first version').waitFor();
  const changes = page.getByRole('list', { name: 'Changes, breaking ones first' });
  await page.getByRole('link', { name: 'Compare with the version before' }).click();
  await changes.getByRole('listitem').first().waitFor();
  // From the answer being there to the list being painted, measured in the page.
  await page.getByRole('button', { name: 'Swap' }).click();
  await page.getByText(/breaking changes?, [\d,]+ other/).waitFor();
  const started = await page.evaluate('performance.now()');
  await page.getByRole('button', { name: 'Swap' }).click();
  await page.getByText('2,000 changes, none breaking').waitFor();
  const ended = await page.evaluate('performance.now()');
  process.stdout.write(
    `diff of 2,000 fields, answer kept: ${Number(ended) - Number(started)} ms\n`,
  );
  expect(await changes.getByRole('listitem').count()).toBeLessThan(fieldCount);
  expect(complaints).toEqual([]);
  await close();
});
