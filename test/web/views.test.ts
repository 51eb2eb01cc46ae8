// Each view opens by its address; light, dark and narrow, it has no violations of accessibility and
// no errors in the browser.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readyReasons } from '../../src/controller/conditions.ts';
import { changeRules } from '../../src/core/diff/change-rules.ts';
import { entityTypes, eventTypes } from '../../src/core/event.ts';
import { findViolations } from './support/axe.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from './support/browser.ts';
import { chooseFile, shopSchema } from './support/choose-file.ts';
import { tellData } from './support/data-story.ts';
import { writeSchema } from './support/editor.ts';
import { expectGoodLooks } from './support/looks.ts';
import { breakingOrder, type Story, tellStory } from './support/story.ts';

const { registry, browser } = await openBrowserForFile();
let story: Story;

beforeAll(async () => {
  story = await tellStory(registry.url, registry.bootstrapKey);
  await tellData(registry.url, registry.bootstrapKey, story);
});

/** What the program calls things, where the page has words for them. */
const codes = new Set<string>(
  [...changeRules.keys(), ...eventTypes, ...entityTypes, ...readyReasons].filter((code) =>
    /[_.]|[a-z][A-Z]/.test(code),
  ),
);
const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** The codes and ids in the texts of a page, but for values and for the id in its address. */
async function codesOn(page: Page): Promise<readonly string[]> {
  // As text, because it runs in the browser, whose types tests do not have.
  const texts: readonly string[] = await page.evaluate(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (parentElement.closest('pre') === null) texts.push(data);
    }
    return texts;
  })()`);
  const known = (word: string) =>
    codes.has(word) || !page.url().includes(uuid.exec(word)?.[0] ?? '');
  return texts.flatMap((text) => text.split(/[\s:,"“”]+/).filter(known));
}

interface View {
  readonly name: string;
  readonly path: () => string;
  /** The text that is shown once the view has loaded. */
  readonly shows: string;
  readonly act?: (page: Page) => Promise<void>;
}

const asset = (tab = '') => `/assets/${story.ordersId}${tab}`;
const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();

const views: readonly View[] = [
  { name: 'home', path: () => '/', shows: 'Ready to publish' },
  { name: 'assets', path: () => '/assets', shows: '16 assets' },
  { name: 'no asset found', path: () => '/assets?q=zzz', shows: 'No asset matches.' },
  { name: 'a new asset', path: () => '/assets', shows: 'Create asset', act: press('New asset') },
  { name: 'a contract', path: () => asset(), shows: 'Never used twice.' },
  { name: 'a contract as JSON', path: () => asset('?as=json'), shows: '"$schema"' },
  { name: 'an older contract', path: () => asset('?version=1.0.0'), shows: 'Version 1.0.0' },
  { name: 'versions', path: () => asset('/versions'), shows: 'first version' },
  {
    name: 'two versions',
    path: () => asset('/compare?from=1.0.0&to=1.2.0'),
    shows: '2 changes, none breaking',
  },
  { name: 'consumers', path: () => asset('/consumers'), shows: 'Monthly revenue report.' },
  { name: 'who reads what', path: () => asset('/readers'), shows: 'reads everything' },
  { name: 'lines to use it', path: () => asset('/use'), shows: 'export interface Orders' },
  { name: 'lineage', path: () => asset('/lineage'), shows: '10 assets' },
  { name: 'lineage as a list', path: () => asset('/lineage?as=list'), shows: '2 steps upstream' },
  { name: 'quality runs', path: () => asset('/quality'), shows: 'Failed most often' },
  { name: 'proposals of an asset', path: () => asset('/proposals'), shows: '2 of 3' },
  { name: 'history', path: () => asset('/history'), shows: 'Consumer registered' },
  { name: 'trying a change', path: () => asset('/try'), shows: 'No effective change' },
  {
    name: 'a breaking change being tried',
    path: () => asset('/try'),
    shows: 'Breaking: consumers must approve it first.',
    act: async (page) => {
      await writeSchema(page, JSON.stringify(breakingOrder, null, 2));
      await page.getByText('Compatibility mode: backward').click();
    },
  },
  { name: 'import', path: () => '/import', shows: 'Drop a file here' },
  {
    name: 'the plan of an import',
    path: () => '/import',
    shows: 'Hide changes',
    act: async (page) => {
      await chooseFile(page, 'shop.graphql', shopSchema);
      await page
        .getByRole('button', { name: /^Show \d+ changes? graphql/ })
        .first()
        .click();
    },
  },
  {
    name: 'a rehearsed import',
    path: () => '/import',
    shows: 'Nothing is written yet.',
    act: async (page) => {
      await chooseFile(page, 'shop.graphql', shopSchema);
      await press('Dry run')(page);
    },
  },
  { name: 'the graph of the whole', path: () => '/graph', shows: 'lines between teams' },
  { name: 'the graph by service', path: () => '/graph?by=service', shows: 'services and teams' },
  {
    name: 'the graph by service as a list',
    path: () => '/graph?by=service&as=list',
    shows: 'order-desk',
  },
  { name: 'the whole as a list', path: () => '/graph?as=list', shows: 'pending' },
  { name: 'proposals', path: () => '/proposals?show=all', shows: '1 of 1' },
  { name: 'an empty inbox', path: () => '/proposals', shows: 'no proposals to answer' },
  {
    name: 'a proposal',
    path: () => `/proposals/${story.proposalId}`,
    shows: 'Two dashboards still sum the number. We need January.',
  },
  { name: 'a forced proposal', path: () => `/proposals/${story.forcedId}`, shows: 'Bank details' },
  {
    name: 'a blocked proposal',
    path: () => `/proposals/${story.blockedId}`,
    shows: 'tracking number',
  },
  {
    name: 'a deprecation',
    path: () => `/proposals/${story.deprecationId}`,
    shows: 'would be deprecated',
  },
  {
    name: 'the second look before force',
    path: () => `/proposals/${story.proposalId}`,
    shows: 'This cannot be undone.',
    act: async (page) => {
      await press('Publish by force…')(page);
      await page.getByLabel('Reason').fill('It has to go today.');
      await press('Continue')(page);
    },
  },
  { name: 'the audit trail', path: () => '/audit', shows: 'the bootstrap key' },
  { name: 'teams', path: () => '/teams', shows: 'growth-and-marketing' },
  { name: 'services', path: () => '/services', shows: 'order-desk' },
  { name: 'no service found', path: () => '/services?q=zzz', shows: 'No service matches.' },
  {
    name: 'a new service',
    path: () => '/services',
    shows: 'Repository',
    act: press('New service'),
  },
  {
    name: 'a service',
    path: () => `/services/${story.serviceId}`,
    shows: 'warehouse.sales.orders',
  },
  {
    name: 'a changed service',
    path: () => `/services/${story.serviceId}`,
    shows: 'Change order-desk',
    act: press('Change'),
  },
  {
    name: 'an asset that is changed',
    path: () => asset(),
    shows: 'Separated by commas.',
    act: press('Edit details'),
  },
  { name: 'keys', path: () => '/keys', shows: 'Finance CI' },
  { name: 'no trusts', path: () => '/trusts', shows: 'No trust has been created.' },
  {
    name: 'a new trust',
    path: () => '/trusts',
    shows: 'One claim on each line',
    act: press('New trust'),
  },
  { name: 'users', path: () => '/users', shows: 'Grace Hopper' },
  { name: 'no user found', path: () => '/users?role=viewer', shows: 'No matching users.' },
  {
    name: 'a new user',
    path: () => '/users',
    shows: 'Viewers can read',
    act: press('New user'),
  },
  { name: 'operations', path: () => '/operations', shows: 'waiting' },
  { name: 'letters to a key', path: () => '/notifications', shows: 'A key gets none' },
  { name: 'webhooks', path: () => '/webhooks', shows: 'Breaking change proposed' },
  { name: 'a new webhook', path: () => '/webhooks', shows: 'URL', act: press('New notification') },
  {
    name: 'the deliveries of a webhook',
    path: () => `/webhooks/${story.webhookId}`,
    shows: 'Next attempt',
  },
  {
    name: 'no delivery found',
    path: () => `/webhooks/${story.webhookId}?state=parked`,
    shows: 'No deliveries are in this state.',
  },
  {
    name: 'assets whose quality run failed',
    path: () => '/assets?quality=failed',
    shows: 'warehouse.logistics.shipments',
  },
  { name: 'an unknown address', path: () => '/nowhere', shows: 'Not found' },
  {
    name: 'an unknown asset',
    path: () => '/assets/0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c99',
    shows: 'No asset has the id',
  },
];

describe('In a browser that is light, dark, or 360 pixels wide', () => {
  let person: Person;
  beforeAll(async () => {
    person = await openPerson(browser, { url: registry.url });
    await signIn(person.page, registry.bootstrapKey, 'Orders');
  });
  afterAll(() => person?.close());

  test.each(views)('$name is shown, and axe finds no violations', async (view) => {
    const { page, complaints } = person;
    await page.goto(view.path());
    await view.act?.(page);
    await page.getByText(view.shows).first().waitFor();
    await expectGoodLooks(page);
    expect(await codesOn(page)).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });
});

test('the sign-in page has no violations, and loads nothing from another host', async () => {
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await page.goto('/');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

test('every event of the trail can be opened', async () => {
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, registry.bootstrapKey);
  await page.goto('/audit?event_type=proposal.force_published');
  await page.getByRole('link', { name: 'Proposal published by force' }).click();
  await page.getByText('a finding of the privacy audit').first().waitFor();
  const about = page.locator('.panel', { has: page.getByRole('heading', { name: 'Event' }) });
  expect(await about.getByText('Proposal', { exact: false }).count()).toBeGreaterThan(0);
  expect(await about.getByText('proposal.force_published').count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'All events for this object' }).click();
  await page.getByText('2 events').waitFor();
  expect(complaints).toEqual([]);
  await close();
});
