// The views of the page with one of their requests refused, and what each has to say then.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from './browser.ts';
import { bodyOf, type Story, tellStory } from './story.ts';

let told: Story;
let eventId: string;
let signedIn: Person;

/** Each file of tests opens its own, because files may run in one process. */
export async function openRefusedViews(): ReturnType<typeof openBrowserForFile> {
  const opened = await openBrowserForFile();
  const { registry, browser, admin } = opened;
  beforeAll(async () => {
    told = await tellStory(registry.url, registry.bootstrapKey);
    eventId = bodyOf(await admin.listEvents({})).results[0]?.id ?? '';
    signedIn = await openPerson(browser, { url: registry.url });
    await signIn(signedIn.page, registry.bootstrapKey, 'Orders');
  });
  afterAll(() => signedIn?.close());
  return opened;
}

/** Known once the hooks of the file have run. */
export const world = (): { readonly story: Story; readonly person: Person } => ({
  story: told,
  person: signedIn,
});

interface View {
  readonly name: string;
  readonly path: () => string;
  /** The requests that the view needs, by their paths below the API's. */
  readonly asks: RegExp;
  /** If a missing object is not an error in this view: the text shown instead. */
  readonly saysIfAbsent?: string;
}

const asset = (tab = '') => `/assets/${told.ordersId}${tab}`;

export const views: readonly View[] = [
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
  { name: 'who reads what', path: () => asset('/readers'), asks: /\/fields$/ },
  { name: 'lines to use it', path: () => asset('/use'), asks: /\/export$/ },
  { name: 'lineage', path: () => asset('/lineage'), asks: /\/lineage$/ },
  { name: 'quality runs', path: () => asset('/quality'), asks: /\/audit-(history|trends)$/ },
  { name: 'proposals of an asset', path: () => asset('/proposals'), asks: /^proposals$/ },
  { name: 'history', path: () => asset('/history'), asks: /^audit\/events$/ },
  { name: 'trying a change', path: () => asset('/try'), asks: /\/contracts$/ },
  { name: 'the graph of the whole', path: () => '/graph', asks: /^graph$/ },
  { name: 'proposals', path: () => '/proposals?show=all', asks: /^proposals$/ },
  {
    name: 'a proposal',
    path: () => `/proposals/${told.proposalId}`,
    asks: /^proposals\/[^/]+$/,
  },
  { name: 'the audit trail', path: () => '/audit', asks: /^audit\/events$/ },
  { name: 'an event', path: () => `/audit/${eventId}`, asks: /^audit\/events\/[^/]+$/ },
  { name: 'teams', path: () => '/teams', asks: /^teams$/ },
  { name: 'services', path: () => '/services', asks: /^services$/ },
  {
    name: 'a service',
    path: () => `/services/${told.serviceId}`,
    asks: /^services\/[^/]+$/,
  },
  { name: 'keys', path: () => '/keys', asks: /^api-keys$/ },
  { name: 'trusts', path: () => '/trusts', asks: /^trusts$/ },
  { name: 'users', path: () => '/users', asks: /^users$/ },
  { name: 'letters', path: () => '/notifications', asks: /^auth\/me\/notifications$/ },
  { name: 'webhooks', path: () => '/webhooks', asks: /^webhooks$/ },
  { name: 'operations', path: () => '/operations', asks: /^(sources|webhooks|api-keys)$/ },
  {
    name: 'a webhook',
    path: () => `/webhooks/${told.webhookId}`,
    asks: /^webhooks\/[^/]+$/,
  },
  {
    name: 'deliveries',
    path: () => `/webhooks/${told.webhookId}`,
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

export const apiCalls = '**/api/v1/**';

export async function refuse(page: Page, status: Status, asks: RegExp): Promise<void> {
  const { code, message } = refusals[status];
  await page.route(apiCalls, (route) => {
    const path = new URL(route.request().url()).pathname.slice('/api/v1/'.length);
    if (!asks.test(path)) return route.continue();
    return route.fulfill({ status, contentType: 'application/json', body: bodyFor(code, message) });
  });
}

const bodyFor = (code: string, message: string) => JSON.stringify({ detail: { code, message } });

/** Each view says why, and what to do. */
export function expectReasons(status: Status): void {
  test.each(views)('$name shows the reason, and what to do', async (view) => {
    const { page, complaints } = signedIn;
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
}
