// A part of the page that cannot be loaded: the page says why, and continues when it can.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowserForFile, openPerson, type Person, signIn } from './support/browser.ts';

const { registry, browser } = await openBrowserForFile();
let person: Person;

beforeAll(async () => {
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});

const open = (page: Page, name: string) =>
  page.getByRole('link', { name, exact: true }).first().click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

/** The response that a newer release would give for the page. */
async function pretendUpgrade(page: Page): Promise<void> {
  const html = await (await fetch(registry.url, { headers: { accept: 'text/html' } })).text();
  const body = html.replace(/index-[\w-]+\.js/, 'index-newer.js');
  await page.route(`${registry.url}/`, (route) =>
    route.request().resourceType() === 'fetch'
      ? route.fulfill({ contentType: 'text/html', body })
      : route.continue(),
  );
}

describe('A part of the page', { concurrent: false }, () => {
  test('that cannot be loaded is named, and loaded on request', async () => {
    const { page } = person;
    await page.route('**/static/webhooks-*.js', (route) => route.abort());
    await open(page, 'Notifications');
    await heading(page, 'This view could not be loaded').waitFor();
    expect(await page.getByText('A bug in the page').count()).toBe(0);
    await page.unroute('**/static/webhooks-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Notifications').waitFor();
  });

  test('is loaded by itself when the connection is back', async () => {
    const { page } = person;
    await page.goto('/');
    await heading(page, 'Home').waitFor();
    await page.context().setOffline(true);
    await open(page, 'Users');
    await heading(page, 'You are offline').waitFor();
    await page.context().setOffline(false);
    await heading(page, 'Users').waitFor();
  });

  test('that an upgrade removed is loaded from the new release, at once', async () => {
    const { page } = person;
    await page.goto('/');
    await heading(page, 'Home').waitFor();
    await pretendUpgrade(page);
    await page.route('**/static/keys-*.js', (route) => route.fulfill({ status: 404 }), {
      times: 1,
    });
    await page.evaluate('window.isOld = true');
    await open(page, 'API keys');
    await heading(page, 'API keys').waitFor();
    expect(await page.evaluate('window.isOld')).toBe(undefined);
    await page.unrouteAll();
  });

  test('that is still missing after one reload says so, and does not reload again', async () => {
    const { page } = person;
    await page.evaluate('sessionStorage.removeItem("concordat.reloaded")');
    await page.goto('/');
    await heading(page, 'Home').waitFor();
    await pretendUpgrade(page);
    await page.route('**/static/teams-*.js', (route) => route.fulfill({ status: 404 }));
    let loads = 0;
    page.on('domcontentloaded', () => loads++);
    await open(page, 'Teams');
    await heading(page, 'The registry was upgraded').waitFor();
    expect(loads).toBe(1);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload' }).click();
    await heading(page, 'Teams').waitFor();
  });
});
