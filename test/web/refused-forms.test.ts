// Each view with a refused request: unavailable, missing, or forbidden, with a message that says
// what to do. And the views of a user who may only read.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/wire/client.ts';
import { password } from '../support/client/client-world.ts';
import { findViolations } from './support/axe.ts';
import {
  openBrowserForFile,
  openPerson,
  type Person,
  signIn,
  signInByEmail,
} from './support/browser.ts';
import { bodyOf, type Story, tellStory } from './support/story.ts';

const { registry, browser } = await openBrowserForFile();
let story: Story;
let eventId: string;
let person: Person;

beforeAll(async () => {
  story = await tellStory(registry.url, registry.bootstrapKey);
  const admin = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
  eventId = bodyOf(await admin.listEvents({})).results[0]?.id ?? '';
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey, 'Orders');
});

interface View {
  readonly name: string;
  readonly path: () => string;
  /** The requests that the view needs, by their paths below the API's. */
  readonly asks: RegExp;
  /** If a missing object is not an error in this view: the text shown instead. */
  readonly saysIfAbsent?: string;
}

const asset = (tab = '') => `/assets/${story.ordersId}${tab}`;

const views: readonly View[] = [
  { name: 'home', path: () => '/', asks: /^(proposals|audit\/events|assets)$/ },
  { name: 'assets', path: () => '/assets', asks: /^assets$/ },
  { name: 'an asset', path: () => asset(), asks: /^assets\/[^/]+$/ },
  {
    name: 'a contract',
    path: () => asset(),
    asks: /^assets\/[^/]+\/contracts\/[^/]+$/,
    saysIfAbsent: 'This asset has no contract yet.',
  },
  { name: 'versions', path: () => asset('/versions'), asks: /\/contracts$/ },
  { name: 'two versions', path: () => asset('/compare'), asks: /\/contracts$/ },
  {
    name: 'what changed between two',
    path: () => asset('/compare?from=1.0.0&to=1.2.0'),
    asks: /^contracts\/compare$/,
  },
  { name: 'consumers', path: () => asset('/consumers'), asks: /^registrations$/ },
  { name: 'lineage', path: () => asset('/lineage'), asks: /\/lineage$/ },
  { name: 'quality runs', path: () => asset('/quality'), asks: /\/audit-(history|trends)$/ },
  { name: 'proposals of an asset', path: () => asset('/proposals'), asks: /^proposals$/ },
  { name: 'history', path: () => asset('/history'), asks: /^audit\/events$/ },
  { name: 'trying a change', path: () => asset('/try'), asks: /\/contracts$/ },
  { name: 'the graph of the whole', path: () => '/graph', asks: /^graph$/ },
  { name: 'proposals', path: () => '/proposals?show=all', asks: /^proposals$/ },
  {
    name: 'a proposal',
    path: () => `/proposals/${story.proposalId}`,
    asks: /^proposals\/[^/]+$/,
  },
  { name: 'the audit trail', path: () => '/audit', asks: /^audit\/events$/ },
  { name: 'an event', path: () => `/audit/${eventId}`, asks: /^audit\/events\/[^/]+$/ },
  { name: 'teams', path: () => '/teams', asks: /^teams$/ },
  { name: 'keys', path: () => '/keys', asks: /^api-keys$/ },
  { name: 'users', path: () => '/users', asks: /^users$/ },
  { name: 'webhooks', path: () => '/webhooks', asks: /^webhooks$/ },
  {
    name: 'a webhook',
    path: () => `/webhooks/${story.webhookId}`,
    asks: /^webhooks\/[^/]+$/,
  },
  {
    name: 'deliveries',
    path: () => `/webhooks/${story.webhookId}`,
    asks: /\/deliveries$/,
  },
];

const refusals = {
  503: {
    code: 'UNAVAILABLE',
    message: 'The database does not answer. Try again in a moment.',
    title: 'The request failed',
    todo: 'Try again',
  },
  404: {
    code: 'ASSET_NOT_FOUND',
    message: 'No asset has this id.',
    title: 'Not found',
    todo: 'It may have been deleted, or the address may be wrong.',
  },
  403: {
    code: 'FORBIDDEN',
    message: 'Only an administrator may do this.',
    title: 'You don’t have access',
    todo: 'Ask an administrator for access, or sign in with another account.',
  },
} as const;

type Status = keyof typeof refusals;

const apiCalls = '**/api/v1/**';

async function refuse(page: Page, status: Status, asks: RegExp): Promise<void> {
  const { code, message } = refusals[status];
  await page.route(apiCalls, (route) => {
    const path = new URL(route.request().url()).pathname.slice('/api/v1/'.length);
    if (!asks.test(path)) return route.continue();
    return route.fulfill({ status, contentType: 'application/json', body: bodyFor(code, message) });
  });
}

const bodyFor = (code: string, message: string) => JSON.stringify({ detail: { code, message } });

describe.each([503, 404, 403] as const)('Refused with %i', (status) => {
  test.each(views)('$name shows the reason, and what to do', async (view) => {
    const { page, complaints } = person;
    const { title, message, todo } = refusals[status];
    await refuse(page, status, view.asks);
    await page.goto(view.path());
    if (status === 404 && view.saysIfAbsent !== undefined) {
      await page.getByText(view.saysIfAbsent).waitFor();
      await page.unroute(apiCalls);
      return;
    }
    const alert = page.locator('main').getByRole('alert').first();
    await alert.waitFor();
    const said = await alert.textContent();
    expect(said).toContain(title);
    expect(said).toContain(message);
    expect(said).toContain(todo);
    await page.locator('main .loading').first().waitFor({ state: 'detached' });
    expect(await page.locator('main').textContent()).not.toMatch(/undefined|NaN|null|\[object/);
    expect(await page.locator('h1').count()).toBe(1);
    if (status === 503) {
      await page
        .getByText('The registry is not responding. This page may be out of date')
        .waitFor();
    }
    // All three statuses use one component, so axe checks each view only once.
    if (status === 503) expect(await findViolations(page)).toEqual([]);
    await page.unroute(apiCalls);
    expect(complaints.splice(0)).toEqual([]);
  });
});

test('A view recovers by itself when the registry is back, and at once when asked to retry', async () => {
  const { page } = person;
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
  const { page } = person;
  await page.route('**/api/v1/teams*', (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  );
  await page.goto('/teams');
  await page.getByRole('alert').getByText('The registry is not responding. Retrying…').waitFor();
  await page.unroute('**/api/v1/teams*');
  await page.getByRole('rowheader', { name: 'Growth and marketing' }).waitFor();
});

test.each([
  { name: 'a key', enter: (page: Page) => signIn(page, story.teams.finance.key) },
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
        body: { email, name: 'Reader', password, role: 'viewer', team_id: story.teams.orders.id },
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
    const isForAdmins = /^(keys|webhooks|a webhook|deliveries|users)$/.test(view.name);
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
