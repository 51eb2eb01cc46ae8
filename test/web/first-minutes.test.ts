// The first minutes: an empty registry explains itself, and everything is found from one field.

import { describe, expect, test } from 'vitest';
import { findViolations } from './support/axe.ts';
import { openBrowserForFile, openPerson, signIn } from './support/browser.ts';
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
    await steps.getByRole('link', { name: 'Import a file' }).waitFor();
    expect(await steps.getByText('done').count()).toBe(1);
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
    expect(new URL(page.url()).pathname).toBe('/docs/guide');
    await page.goBack();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });
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
});
