// Each view while the registry is unreachable, with a message that says what to do; and the views of
// a user who may only read. refused-codes.test.ts refuses with other codes.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/wire/client.ts';
import { password } from '../support/client/client-world.ts';
import { findViolations } from './support/axe.ts';
import { openPerson, type Person, signIn, signInByEmail } from './support/browser.ts';
import {
  apiCalls,
  expectReasons,
  openRefusedViews,
  refuse,
  views,
  world,
} from './support/refused-views.ts';
import { bodyOf } from './support/story.ts';

const { registry, browser } = await openRefusedViews();

describe('Refused with 503', () => expectReasons(503));

test('A view recovers by itself when the registry is back, and at once when asked to retry', async () => {
  const { page } = world().person;
  await refuse(page, 503, /^teams$/);
  await page.goto('/teams');
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await page.unroute(apiCalls);
  await again.click();
  await page.getByRole('rowheader', { name: 'Growth and marketing' }).waitFor();
  await page.getByText('The registry is not responding.').waitFor({ state: 'detached' });
});

test('A gateway that answers in place of the registry counts as an unreachable registry', async () => {
  const { page } = world().person;
  await page.route('**/api/v1/teams*', (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  );
  await page.goto('/teams');
  await page.getByRole('alert').getByText('The registry is not responding. Retrying…').waitFor();
  await page.unroute('**/api/v1/teams*');
  await page.getByRole('rowheader', { name: 'Growth and marketing' }).waitFor();
});

test.each([
  { name: 'a key', enter: (page: Page) => signIn(page, world().story.teams.finance.key) },
  {
    name: 'a password',
    enter: (page: Page) => signInByEmail(page, 'grace@example.com', 'a long sentence'),
  },
])(
  'A page that is loaded while the registry is unreachable keeps the session of $name',
  async (way) => {
    const { page, close } = await openPerson(browser, { url: registry.url });
    await way.enter(page);
    await refuse(page, 503, /^auth\/me$/);
    await page.reload();
    await page.getByText('The registry is not responding. Retrying…').waitFor();
    expect(await page.getByRole('heading', { name: 'Sign in' }).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await page.unroute(apiCalls);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await close();
  },
);

describe('A user who may only read', { concurrent: false }, () => {
  let viewer: Person;
  beforeAll(async () => {
    const admin = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
    const email = 'reader@example.com';
    bodyOf(
      await admin.createUser({
        body: {
          email,
          name: 'Reader',
          password,
          role: 'viewer',
          team_id: world().story.teams.orders.id,
        },
      }),
    );
    viewer = await openPerson(browser, { url: registry.url });
    await signInByEmail(viewer.page, email, password);
  });
  afterAll(() => viewer?.close());

  const writes =
    /^(New|Create|Publish|Propose|Withdraw|Force|Approve|Compare again|Send|Change|Rename|Delete|Deprecate|Archive|Register|Remove|Revoke|Deactivate|Try it again|Confirm|Import)\b/;

  test.each(views)('is offered no action on $name that would be refused', async (view) => {
    const { page, complaints } = viewer;
    await page.goto(view.path());
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('main .loading').first().waitFor({ state: 'detached' });
    const isForAdmins = /^(keys|trusts|operations|webhooks|a webhook|deliveries|users)$/.test(
      view.name,
    );
    if (isForAdmins) {
      const said = await page.locator('main').getByRole('alert').first().textContent();
      expect(said).toContain('You don’t have access');
      expect(said).toContain('Ask an administrator');
    } else {
      expect(await page.locator('main').getByRole('alert').allTextContents()).toEqual([]);
    }
    const buttons = await page.locator('main').getByRole('button').allTextContents();
    expect(buttons.filter((text) => writes.test(text.trim()))).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  test('can see the plan of a file, and who may import it', async () => {
    const { page } = viewer;
    await page.goto('/import');
    await page.getByText('Drop a file here').waitFor();
    expect(await page.locator('main').getByRole('alert').count()).toBe(0);
  });
});
