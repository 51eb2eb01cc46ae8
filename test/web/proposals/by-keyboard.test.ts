// A change that is proposed, blocked and forced by three people who have only a keyboard.

import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { password } from '../../support/client/client-world.ts';
import { openBrowserForFile, openPerson, type Person } from '../support/browser.ts';
import { editorOf } from '../support/editor.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  firstOrder,
  publish,
  register,
  type StoryTeam,
} from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let producer: Person;
let consumer: Person;
let lead: Person;

const fqn = 'keyboard.sales.orders';

beforeAll(async () => {
  const orders = await createTeam(admin, 'Orders');
  const finance = await createTeam(admin, 'Finance');
  const assetId = await createAsset(admin, orders, fqn);
  await register(admin, await publish(admin, assetId, firstOrder, {}), finance, 'Revenue.');
  producer = await enter('Ada', 'editor', orders);
  consumer = await enter('Grace', 'editor', finance);
  lead = await enter('Edith', 'admin', orders);
});

async function enter(name: string, role: 'editor' | 'admin', team: StoryTeam): Promise<Person> {
  const email = `${name.toLowerCase()}@example.com`;
  bodyOf(await admin.createUser({ body: { email, name, password, role, team_id: team.id } }));
  const person = await openPerson(browser, { url: registry.url });
  const { page } = person;
  await page.goto('/');
  await tabTo(page, page.getByLabel('E-mail'));
  await page.keyboard.type(email);
  await tabTo(page, page.getByLabel('Password'));
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  return person;
}

/** More than any view has until the end of what matters. */
const mostTabs = 150;

/** Goes there as somebody without a mouse does, and shows where the focus is. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const passed: string[] = [];
  for (let tabs = 0; tabs < mostTabs; tabs++) {
    if ((await target.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press('Tab');
    passed.push(String(await page.evaluate(nameOfFocus)));
  }
  throw new Error(`Tab does not reach ${target}. It passes ${passed.join(', ')}.`);
}

const nameOfFocus =
  "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.slice(0, 40)";

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

describe('By keyboard alone', { concurrent: false }, () => {
  test('a producer proposes a breaking change with its reason, whom to ask, and a last day', async () => {
    const { page, complaints } = producer;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).waitFor();
    await page.keyboard.type(fqn);
    await page.getByRole('option', { name: fqn }).first().waitFor();
    await page.keyboard.press('Enter');
    await press(page, link(page, 'Change the schema').first());
    await page.getByText('No effective change.').waitFor();
    await tabTo(page, editorOf(page));
    await page.keyboard.press('Control+a');
    // The editor closes brackets and quotes, so the text is not typed as it is.
    await page.keyboard.insertText('{"type": "object", "properties": {"id": {"type": "string"}}}');
    await button(page, 'Propose to consumers').waitFor();
    // Tab indents. Soon after Escape, it leaves the editor.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await press(page, button(page, 'Propose to consumers'));
    const dialog = page.getByRole('dialog');
    await tabTo(page, dialog.getByLabel('Why is the change made?'));
    await page.keyboard.type('Amounts move to another table.');
    await tabTo(page, dialog.getByLabel('Whom can they ask?'));
    await page.keyboard.type('Ada, #orders');
    await tabTo(page, dialog.getByLabel('Last day for answers'));
    await page.keyboard.type('05032099');
    await press(page, dialog.getByRole('button', { name: 'Propose to consumers' }));
    await page.getByText('0 of 1').first().waitFor();
    await page.getByText('Amounts move to another table.').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('a consumer finds what it is asked, and blocks it with a reason', async () => {
    const { page, complaints } = consumer;
    await press(page, page.getByRole('link', { name: /^Proposals/ }));
    await press(page, page.getByRole('link', { name: fqn }).first());
    await tabTo(page, page.getByRole('radio').first());
    const block = page.getByLabel('Block');
    for (let step = 0; step < 3 && !(await block.isChecked()); step++) {
      await page.keyboard.press('ArrowDown');
    }
    expect(await block.isChecked()).toBe(true);
    await tabTo(page, page.getByLabel('Reason'));
    await page.keyboard.type('The year-end closing sums this number.');
    await press(page, button(page, 'Send answer'));
    await page.locator('.page-head').getByText('blocked', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('an administrator publishes it all the same, on the record', async () => {
    const { page, complaints } = lead;
    await press(page, page.getByRole('link', { name: /^Proposals/ }));
    // It is not asked of the administrator's team.
    await press(page, link(page, 'All'));
    await press(page, page.getByRole('link', { name: fqn }).first());
    await press(page, button(page, 'Publish by force…'));
    const dialog = page.getByRole('dialog');
    await tabTo(page, dialog.getByLabel('Reason'));
    await page.keyboard.type('The closing moves to the new table today.');
    await press(page, dialog.getByRole('button', { name: 'Continue' }));
    await tabTo(page, dialog.getByLabel('Type the name of the asset'));
    await page.keyboard.type(fqn);
    await press(page, dialog.getByRole('button', { name: 'Publish by force' }));
    await page.locator('.page-head').getByText('published by force', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});
