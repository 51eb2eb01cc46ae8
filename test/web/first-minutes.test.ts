// The first minutes: an empty registry explains itself, and everything is found from one field.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAddress } from './support/address.ts';
import { findViolations } from './support/axe.ts';
import { goTo, openBrowserForFile, openPerson, signIn } from './support/browser.ts';
import { expectGoodLooks } from './support/looks.ts';
import { createAsset, createTeam, publish, register } from './support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
const person = await openPerson(browser, { url: registry.url });

describe('A newcomer', { concurrent: false }, () => {
  test('to an empty registry reads what it is, and what the first steps are', async () => {
    const { page, complaints } = person;
    await signIn(page, registry.bootstrapKey);
    const steps = page.locator('.panel', { hasText: 'First steps' });
    await steps.getByText('Concordat keeps contracts for data').waitFor();
    expect(await steps.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
      'A team ',
      'An asset with a contract ',
      'A consumer ',
    ]);
    expect(await steps.getByRole('link').allTextContents()).toEqual(['New team', 'Read the guide']);
    await expectGoodLooks(page);
    expect(complaints.splice(0)).toEqual([]);
  });

  test('sees each step done when it is, and no steps after the last', async () => {
    const { page } = person;
    const steps = page.locator('.panel', { hasText: 'First steps' });
    const orders = await createTeam(admin, 'Orders');
    await steps.getByText('Drop a file here').waitFor();
    expect(await steps.getByText('done').count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await drop(page, 'shop.graphql', 'type Order { id: ID! }');
    await page.getByText('graphql.Order').waitFor();
    await goTo(page, 'Home');
    const assetId = await createAsset(admin, orders, 'shop.sales.orders');
    await steps.getByRole('link', { name: 'Open an asset' }).waitFor();
    const schema = { type: 'object', properties: { id: { type: 'string' } } };
    const contractId = await publish(admin, assetId, schema, {});
    await register(admin, contractId, await createTeam(admin, 'Finance'), 'Revenue.');
    await steps.waitFor({ state: 'detached' });
  });

  test('finds the guide from every view', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Guide', exact: true }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectAddress(page, 'pathname').toBe('/docs/guide');
    await page.goBack();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });
});

/** Drops a file on the page, as the browser tells it. */
async function drop(page: Page, name: string, content: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer });
}

describe('The keys', { concurrent: false }, () => {
  test('are shown by ?, but not while somebody types', async () => {
    const { page, complaints } = person;
    await page.goto('/assets');
    await page.getByLabel('Search assets').fill('what');
    await page.keyboard.press('?');
    expect(await page.getByLabel('Search assets').inputValue()).toBe('what?');
    await page.getByRole('heading', { name: 'Assets', level: 1 }).click();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Find an asset, a field').waitFor();
    await expectGoodLooks(page);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    expect(complaints.splice(0)).toEqual([]);
  });

  test('do by the palette what the views offer', async () => {
    const { page, complaints } = person;
    await page.goto('/audit');
    await page.getByRole('heading', { name: 'Audit trail' }).waitFor();
    // Keys that are pressed before it is loaded are lost.
    const field = page.getByRole('combobox', { name: 'Go to' });
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type('new team');
    const actions = page.getByRole('group', { name: 'Actions' });
    await actions.getByRole('option', { name: 'New team' }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New team' });
    await dialog.getByLabel('Name').waitFor();
    await expectAddress(page, 'pathname').toBe('/teams');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectAddress(page, 'search').toBe('');
    // On a telephone the menu is closed, and a keyboard may be connected.
    await page.setViewportSize({ width: 360, height: 800 });
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type('keyb');
    await actions.getByRole('option', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(complaints.splice(0)).toEqual([]);
  });
});

describe('A list', { concurrent: false }, () => {
  test('shows what my team consumes, from the number on the start page', async () => {
    const { page, complaints } = person;
    const [owner, consumer] = [await createTeam(admin, 'Bakery'), await createTeam(admin, 'Cafe')];
    const assetId = await createAsset(admin, owner, 'bakery.public.breads');
    await register(admin, await publish(admin, assetId, { type: 'object' }, {}), consumer, 'Menu.');
    await createAsset(admin, owner, 'bakery.public.cakes');
    await page.goto('/');
    await page.getByLabel('Your team').selectOption('Cafe');
    await page.getByRole('link', { name: /1\s*Consumed by your team/ }).click();
    await page.getByText('1 asset', { exact: true }).waitFor();
    expect(await page.locator('.asset-row .asset-row-name').allTextContents()).toEqual([
      expect.stringContaining('bakery.public.breads'),
    ]);
    await expectGoodLooks(page);
    const clear = page.getByRole('button', { name: 'Clear filters' });
    const save = page.getByRole('button', { name: 'Save this view' });
    expect((await clear.boundingBox())?.y, 'one row').toBe((await save.boundingBox())?.y);
    await clear.click();
    await page.getByText('bakery.public.cakes').waitFor();
    expect(complaints.splice(0)).toEqual([]);
  });

  test('is ordered, and kept as a view that is found again', async () => {
    const { page, complaints } = person;
    const owner = await createTeam(admin, 'Listed');
    for (const name of ['first', 'second', 'third']) {
      await createAsset(admin, owner, `listed.public.${name}`);
    }
    await page.goto('/assets?q=listed');
    const names = page.locator('.asset-row .asset-row-name');
    const shown = () => names.allTextContents();
    await page.getByText('3 assets').waitFor();
    expect(await shown()).toEqual(expected('first', 'second', 'third'));
    await page.getByLabel('Order').selectOption('Newest');
    await expect.poll(shown).toEqual(expected('third', 'second', 'first'));
    await page.getByRole('button', { name: 'Save this view' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this view' });
    await dialog.getByLabel('Name').fill('Newest of ours');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save this view' }).waitFor({ state: 'detached' });

    await page.goto('/audit');
    await page.getByRole('heading', { name: 'Audit trail' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).waitFor();
    await page.keyboard.type('newest of');
    await page.getByRole('option', { name: 'Newest of ours' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(shown).toEqual(expected('third', 'second', 'first'));
    await expectGoodLooks(page);
    await page.getByRole('button', { name: 'Remove the view Newest of ours' }).click();
    await page.getByRole('button', { name: 'Save this view' }).waitFor();
    expect(complaints.splice(0)).toEqual([]);
  });

  const expected = (...parts: string[]) =>
    parts.map((name) => expect.stringContaining(`listed.public.${name}`));
});

describe('The palette', { concurrent: false }, () => {
  test('finds assets, fields, teams, proposals and views by keyboard alone', async () => {
    const { page, complaints } = person;
    const assetId = await createAsset(
      admin,
      await createTeam(admin, 'Orders desk'),
      'shop.desk.slips',
    );
    const schema = {
      type: 'object',
      properties: {
        lines: { type: 'array', items: { properties: { orderRef: { type: 'string' } } } },
      },
    };
    await publish(admin, assetId, schema, {});
    await admin.publishContract({
      params: { asset_id: assetId },
      body: { schema: { type: 'array' } },
    });
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Go to' });
    await field.waitFor();
    await page.keyboard.type('ord');
    const results = page.getByRole('listbox', { name: 'Results' });
    const options = results.getByRole('option');
    const inGroup = (name: string) => results.getByRole('group', { name }).getByRole('option');
    await inGroup('Assets').filter({ hasText: 'shop.sales.orders' }).waitFor();
    await inGroup('Teams').filter({ hasText: 'Orders desk' }).waitFor();
    await inGroup('Fields').filter({ hasText: 'lines[*].orderRef' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'shop.sales.orders', level: 1 }).waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('order ref');
    await options.filter({ hasText: 'orderRef' }).waitFor();
    await page.keyboard.press('Enter');
    const row = page.getByRole('row', { name: /orderRef/ });
    await row.waitFor();
    expect(await row.getAttribute('aria-current')).toBe('true');
    expect(await findViolations(page)).toEqual([]);

    await page.keyboard.press('Control+k');
    await page.keyboard.type('slips');
    await inGroup('Proposals').filter({ hasText: 'pending' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toContain('/proposals/');

    await page.keyboard.press('Control+k');
    await page.keyboard.type('fin');
    await options.filter({ hasText: 'Finance' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.has('owner')).toBe(true);

    await page.keyboard.press('Control+k');
    await page.keyboard.type('audit');
    await options.filter({ hasText: 'Audit trail' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit trail' }).waitFor();

    await page.getByRole('button', { name: /^Search/ }).click();
    await field.fill('nothing has this name');
    await page.getByText('Nothing was found.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    expect(complaints.splice(0)).toEqual([]);
  });

  test('stays open for whoever asks for it in the moment in which it closes', async () => {
    const { page } = person;
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Go to' });
    await field.fill('audit');
    // A browser tells the page that a dialog closed after keys that were pressed meanwhile.
    await page.evaluate(`document.querySelector('dialog[open]').close();
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));`);
    await page.keyboard.type('teams');
    await expect.poll(() => field.inputValue()).toBe('teams');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });
});
