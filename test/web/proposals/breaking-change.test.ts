// The whole life of a breaking change, with each person at a separate browser.

import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { addressOf } from '../support/address.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { writeSchema } from '../support/editor.ts';
import {
  createAsset,
  createTeam,
  firstOrder,
  publish,
  register,
  type StoryTeam,
} from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let producer: Person;
let finance: Person;
let analytics: Person;
let assetId: string;

const nextOrder = {
  ...firstOrder,
  properties: {
    ...firstOrder.properties,
    amount: { type: 'string', pattern: '^[0-9]+\\.[0-9]{2}$' },
  },
};

beforeAll(async () => {
  const orders = await createTeam(admin, 'Orders');
  const financeTeam = await createTeam(admin, 'Finance');
  const analyticsTeam = await createTeam(admin, 'Analytics');
  assetId = await createAsset(admin, orders, 'warehouse.sales.orders');
  const contractId = await publish(admin, assetId, firstOrder, {});
  await register(admin, contractId, financeTeam, 'Revenue.');
  await register(admin, contractId, analyticsTeam, 'Dashboards.');
  producer = await enter(orders);
  finance = await enter(financeTeam);
  analytics = await enter(analyticsTeam);
});

async function enter(team: StoryTeam): Promise<Person> {
  const person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, team.key, team.name);
  return person;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Where the button stands in the next frame; empty if it is not there. */
const placeOfSend = `new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const found = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Send answer');
  tell(found === undefined ? '' : String(found.getBoundingClientRect().top + scrollY));
})))`;

describe('A breaking change', { concurrent: false }, () => {
  test('is judged while the user types, with an example that breaks', async () => {
    const { page } = producer;
    await page.goto(`/assets/${assetId}/try`);
    await page.getByText('No effective change.').waitFor();
    await writeSchema(page, JSON.stringify(nextOrder, null, 2));
    await page.getByText('Breaking: consumers must approve it first.').waitFor();
    const changes = page.getByRole('list', { name: 'Changes, breaking ones first' });
    await changes.getByRole('link', { name: 'Type changed' }).waitFor();
    expect(await changes.locator('.marked').first().textContent()).toMatch(/^"amount": -?\d/);
    await page.getByText('Compatibility mode: backward').click();
    const modes = page.getByRole('group', { name: 'Modes, and the verdict in each' });
    expect(await modes.locator('label').allInnerTexts()).toEqual([
      'backward current\nExisting data stays valid, and no field that consumers read is removed.\nbreaking',
      'forward\nConsumers with the old schema can read new data.\nbreaking',
      'full\nEvery schema change needs approval.\nbreaking',
      'none\nChanges are not checked. Consumers are only notified.\nnot checked',
    ]);
    await page.getByText('Next version 2.0.0').waitFor();
  });

  test('names the consumers who would be asked, and is proposed to them', async () => {
    const { page } = producer;
    const asked = page.locator('.asked');
    await asked.getByText('Finance').waitFor();
    expect(await asked.getByRole('listitem').allTextContents()).toEqual(['Analytics', 'Finance']);
    await button(page, 'Propose to consumers').click();
    await page
      .getByText('The change is breaking. 2 teams are asked before it is published.')
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Propose to consumers' }).click();
    await page.getByText('It can be published once all consumers have agreed.').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain(
      'Breaking schema change',
    );
    expect(await button(page, 'Publish').count()).toBe(0);
  });

  test('is in the inbox of a consumer, who blocks it with a note', async () => {
    const { page } = finance;
    await page.goto('/');
    await page.getByRole('link', { name: 'warehouse.sales.orders 1 breaking change' }).click();
    await page.getByLabel('Block').check();
    await button(page, 'Send answer').click();
    const note = page.getByLabel('Reason');
    expect(await page.locator('.panel-asked textarea:invalid').count()).toBe(1);
    await note.fill('The year-end closing sums this number.');
    await button(page, 'Send answer').click();
    await page.getByText('Answer sent.').waitFor();
    await page.locator('.page-head').getByText('blocked', { exact: true }).waitFor();
  });

  test('continues once the consumer takes the block back', async () => {
    const { page } = finance;
    await button(page, 'Change answer').click();
    await page.getByLabel('Approve').check();
    await button(page, 'Send answer').click();
    await page.locator('.page-head').getByText('pending', { exact: true }).waitFor();
    await page.getByText('1 of 2').first().waitFor();
  });

  test('has a form whose button stays where it is, whichever answer is chosen', async () => {
    const { page } = analytics;
    await page.goto('/proposals');
    await page.getByRole('link', { name: 'warehouse.sales.orders' }).click();
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      const place = await button(page, 'Send answer').boundingBox();
      for (const choice of ['Migrating', 'Block', 'Approve']) {
        await page.getByLabel(choice).check();
        expect(await button(page, 'Send answer').boundingBox()).toEqual(place);
      }
    }
  });

  test('is shown once everything is known that stands above its button', async () => {
    const { page } = analytics;
    await page.setViewportSize({ width: 360, height: 900 });
    // Without what the page before still asks, which nobody would answer.
    const address = await addressOf(page);
    await page.goto('about:blank');
    const held: Route[] = [];
    const above =
      /v1\/(teams\/|contracts\/|registrations\?|audit\/entities|proposals\/.*\/revisions)/;
    await page.route(above, (route) => void held.push(route));
    await page.goto(address);
    await expect.poll(() => new Set(held.map((route) => route.request().url())).size).toBe(6);
    const places = new Set<string>();
    for (const route of held) {
      const answered = page.waitForResponse(route.request().url());
      await route.continue();
      await (await answered).finished();
      places.add(await page.evaluate<string>(placeOfSend));
    }
    await button(page, 'Send answer').waitFor();
    places.add(await page.evaluate<string>(placeOfSend));
    places.delete('');
    expect([...places]).toHaveLength(1);
    await page.unrouteAll();
  });

  test('is agreed to until a date by a consumer that is migrating', async () => {
    const { page } = analytics;
    await page.getByLabel('Migrating').check();
    await page.getByLabel('We need the old version until').fill('2031-05-03');
    await page.getByLabel('Message to the producer').fill('Two dashboards are left.');
    await button(page, 'Send answer').click();
    await page.getByText('Answer sent.').waitFor();
    await page.getByText('3 May 2031').waitFor();
  });

  test('is published by its producer without a reload', async () => {
    const { page } = producer;
    await page
      .getByText('All consumers have agreed. It can be published.')
      .waitFor({ timeout: 30_000 });
    await button(page, 'Publish').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.locator('.page-head').getByText('published', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'View the published contract' }).click();
    await page.getByRole('heading', { name: 'Version 2.0.0' }).waitFor();
    await page.getByRole('link', { name: 'Versions' }).click();
    const versions = page.locator('.timeline-version');
    await versions.first().waitFor();
    expect(await versions.allTextContents()).toEqual(['2.0.0', '1.0.0']);
  });

  test('can be read in the history, with every note', async () => {
    const { page } = producer;
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('Proposal published').waitFor();
    const lines = await page.locator('.event-what').allTextContents();
    expect(lines).toContain('Proposal blocked');
    expect(lines).toContain('Contract deprecated');
    await page.getByText('The year-end closing sums this number.').waitFor();
  });

  test('causes no errors in any browser', () => {
    expect([producer, finance, analytics].flatMap(({ complaints }) => complaints)).toEqual([]);
  });
});
