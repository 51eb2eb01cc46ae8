// A part of the page that cannot be loaded: the page says why, and continues when it can.

import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowserForFile, openPerson, type Person, signIn } from './support/browser.ts';
import { createTeam } from './support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let person: Person;

beforeAll(async () => {
  await createTeam(admin, 'Orders');
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

test('A page whose script is gone says so, and is loaded again when the connection is back', async () => {
  const { page, close } = await openPerson(browser, { url: registry.url });
  await page.route('**/static/page-*.js', (route) => route.fulfill({ status: 404 }));
  await page.goto('/');
  await page.getByText('The page could not be loaded. Reload it.').waitFor();
  await page.unrouteAll();
  await page.evaluate("dispatchEvent(new Event('online'))");
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await close();
});

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

describe('The first view', { concurrent: false }, () => {
  test('asks nothing twice, and asks while the script that draws it is loaded, however long that takes', async () => {
    const { page, close } = await openPerson(browser, { url: registry.url });
    await signIn(page, registry.bootstrapKey);
    // What the page after the sign-in still asks is not of this view.
    await page.goto('about:blank');
    await page.clock.install();
    const asked: string[] = [];
    const note = (request: Request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/')) asked.push(pathname + search);
    };
    page.on('request', note);
    const events = page.waitForResponse('**/audit/events?*');
    // The script that draws comes only once the events are there.
    await page.route('**/static/page-*.js', async (route) => {
      await (await events).finished();
      await page.clock.fastForward(10_000);
      await route.continue();
    });
    await page.goto('/');
    await page.getByText('live', { exact: true }).waitFor();
    await page.locator('.events .event').first().waitFor();
    expect(asked).toContain('/api/v1/events/stream');
    expect(asked.filter((one, index) => asked.indexOf(one) !== index)).toEqual([]);
    await close();
  });

  test('says of nothing that it is empty, or not live, before all of it is known', async () => {
    const { page } = person;
    await page.goto('/');
    await page.getByLabel('Your team').selectOption('Orders');
    await page.getByText('This team has no proposals to answer.').waitFor();
    const approved = Promise.withResolvers<void>();
    const stream = Promise.withResolvers<void>();
    await page.route('**/proposals?*status=approved*', async (route) => {
      await approved.promise;
      await route.continue();
    });
    await page.route('**/events/stream', async (route) => {
      await stream.promise;
      await route.continue();
    });
    await page.goto('/');
    await page.locator('.events .event').first().waitFor();
    await page.getByText('No proposal is blocked.').waitFor();
    const empty = page.getByText(/This team has no proposals/);
    const notLive = page.getByText('not live', { exact: true });
    expect(await empty.count()).toBe(0);
    expect(await notLive.count()).toBe(0);
    approved.resolve();
    await expect.poll(() => empty.count()).toBe(2);
    stream.resolve();
    await page.getByText('live', { exact: true }).waitFor();
    await page.unrouteAll();
  });

  test('whose script is there is drawn by the click that opens it', async () => {
    const { page } = person;
    const scripted = page.waitForResponse('**/static/trusts-*.js');
    await page.getByRole('link', { name: 'Trusts', exact: true }).hover();
    const script = JSON.stringify((await scripted).url());
    await page.evaluate(`import(${script}).then(() => new Promise((done) => setTimeout(done)))`);
    const title = await page.evaluate(`new Promise((done) => {
      document.querySelector('a.goal[href="/trusts"]').click();
      requestAnimationFrame(() => done(document.querySelector('h1')?.textContent));
    })`);
    expect(title).toBe('Trusts');
  });
});
