// "Who reads what": a grid of fields and consumers, and a need that is edited by ticking fields.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { expectGoodLooks } from '../support/looks.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  propose,
  publish,
  type StoryTeam,
} from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let finance: StoryTeam;
let assetId: string;
let wideId: string;
let registrationId: string;
let person: Person;

const text = { type: 'string' };
const schema = {
  type: 'object',
  properties: {
    id: text,
    lines: { type: 'array', items: { type: 'object', properties: { sku: text, note: text } } },
    total: { type: 'number' },
    old: { ...text, deprecated: true, 'x-sunset': '2031-01-31' },
  },
};

const fieldCount = 2_000;
const consumerCount = 50;

async function register(
  contract_id: string,
  consumer_team_id: string,
  fields?: string[],
): Promise<string> {
  const needs = fields === undefined ? {} : { needs: { fields } };
  const body = { contract_id, consumer_team_id, ...needs };
  return bodyOf(await admin.registerConsumer({ body })).id;
}

beforeAll(async () => {
  const orders = await createTeam(admin, 'Orders');
  finance = await createTeam(admin, 'Finance');
  assetId = await createAsset(admin, orders, 'shop.sales.read');
  const contractId = await publish(admin, assetId, schema, {});
  registrationId = await register(contractId, finance.id, ['$.id']);
  const found = { origin: 'dbt', source: 'ledger' } as const;
  const places = [{ place: 'models/revenue.sql', fields: ['$.total'] }];
  const params = { registration_id: registrationId };
  bodyOf(await admin.findNeeds({ params, body: { ...found, places } }));
  await register(contractId, (await createTeam(admin, 'Marketing')).id);

  const column = (index: number) => `column_${String(index).padStart(4, '0')}`;
  const names = Array.from({ length: fieldCount }, (_, index) => column(index));
  wideId = await createAsset(admin, orders, 'shop.sales.wide');
  const properties = Object.fromEntries(names.map((name) => [name, text]));
  const wideContract = await publish(admin, wideId, { type: 'object', properties }, {});
  const indexes = Array.from({ length: consumerCount }, (_, index) => index);
  await Promise.all(
    indexes.map(async (index) => {
      const body = { name: `Team ${String(index).padStart(2, '0')}` };
      const team = bodyOf(await admin.createTeam({ body }));
      const reads = names.filter((_, field) => field % consumerCount === index);
      await register(
        wideContract,
        team.id,
        reads.map((name) => `$.${name}`),
      );
    }),
  );
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, finance.key);
});

const grid = (page: Page) => page.getByRole('grid');
const row = (page: Page, name: string) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name }) });

describe('Who reads what', { concurrent: false }, () => {
  test('names for each field and consumer whether it is stated, found or everything', async () => {
    const { page, complaints } = person;
    await page.goto(`/assets/${assetId}/readers`);
    await grid(page).getByRole('columnheader', { name: 'Finance' }).waitFor();
    const cells = async (name: string) => row(page, name).getByRole('gridcell').allTextContents();
    expect(await cells('id')).toEqual(['stated', 'reads everything']);
    expect(await cells('total')).toEqual(['found', 'reads everything']);
    expect(await cells('[*].sku')).toEqual(['does not read it', 'reads everything']);
    await row(page, 'old').getByText('until 2031-01-31').waitFor();
    await row(page, 'total').getByRole('gridcell').first().click();
    const detail = page.locator('.matrix-detail');
    await detail.getByText('Finance').waitFor();
    expect(await detail.textContent()).toMatch(
      /was found to read this field.*Last found just now\./,
    );
    await expectGoodLooks(page);
    expect(complaints).toEqual([]);
  });

  test('is walked through by keys, also where the grid was not drawn', async () => {
    const { page } = person;
    await page.goto(`/assets/${wideId}/readers`);
    await page.getByText('2,000 fields, 50 consumers').waitFor();
    await page.getByRole('searchbox', { name: 'Find a field' }).focus();
    await page.keyboard.press('Tab');
    const focused = async () =>
      page.evaluate(`(() => {
        const cell = document.activeElement;
        const box = cell.getBoundingClientRect();
        const frame = cell.closest('.matrix').getBoundingClientRect();
        return [
          cell.parentElement.getAttribute('aria-rowindex'),
          cell.getAttribute('aria-colindex'),
          box.top >= frame.top && box.bottom <= frame.bottom && box.right <= frame.right + 1,
        ].join(' ');
      })()`);
    expect(await focused()).toBe('2 2 true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('3 3 true');
    await page.keyboard.press('Control+End');
    expect(await focused()).toBe('2001 51 true');
    await page.locator('.matrix-detail').getByText('$.column_1999').waitFor();
    await page.locator('.matrix-detail').getByText('Team 49').waitFor();
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Home');
    expect(await focused()).toMatch(/^19\d\d 1 true$/);
    // A scrolled mouse does not take the focus away.
    await page.evaluate("document.querySelector('.matrix').scrollTo(0, 0)");
    await page.getByRole('rowheader', { name: 'column_0003' }).waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe('rowheader');
  });

  test('of 2,000 fields and 50 consumers only what is in sight is in the document', async () => {
    const { page, complaints } = person;
    await page.goto(`/assets/${wideId}/readers`);
    await page.getByText('2,000 fields, 50 consumers').waitFor();
    await grid(page).getByRole('gridcell').first().waitFor();
    expect(await grid(page).getAttribute('aria-rowcount')).toBe('2001');
    expect(await grid(page).getAttribute('aria-colcount')).toBe('51');
    expect(await grid(page).getByRole('gridcell').count()).toBeLessThan(1_500);
    await page.getByRole('searchbox', { name: 'Find a field' }).fill('_1234');
    await page.getByText('1 field, 50 consumers').waitFor();
    await expectGoodLooks(page);
    expect(complaints).toEqual([]);
  });

  test('is edited by ticking fields, and says at once whether the contract meets it', async () => {
    const { page, complaints } = person;
    await page.goto(`/assets/${assetId}/readers`);
    await page.getByRole('button', { name: 'Say what Finance reads' }).click();
    const box = (path: string) => page.getByRole('checkbox', { name: path, exact: false });
    await page.getByText('Version 1.0.0 meets this need.').waitFor();
    expect(await box('$.id').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Tick what was found' }).click();
    expect(await box('$.total').isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: '$.lines', exact: true }).check();
    expect(await box('$.lines[*].sku').isDisabled()).toBe(true);
    expect(await box('$.lines[*].sku').isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: '$.lines', exact: true }).uncheck();
    await box('$.lines[*].sku').check();
    await expectGoodLooks(page);
    await page.getByText('3 fields ticked').waitFor();
    await page.getByText('Version 1.0.0 meets this need.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await grid(page).waitFor();
    const params = { registration_id: registrationId };
    const { needs } = bodyOf(await admin.getRegistration({ params }));
    expect(needs?.stated).toEqual({ fields: ['$.id', '$.total', '$.lines[*].sku'] });
    expect(needs?.status).toBe('met');
    expect(complaints).toEqual([]);
  });

  test('says what the contract lacks, and keeps that only as a wish', async () => {
    const { page, complaints } = person;
    await page.goto(`/assets/${assetId}/readers`);
    await page.getByRole('button', { name: 'Say what Finance reads' }).click();
    await page.getByLabel('what a JSON Schema describes').check();
    const wish = { properties: { total: { type: 'number', minimum: 0 } } };
    const text = page.getByLabel('Schema of what the team reads');
    // A comma that a deleted line left does no harm.
    await text.fill(JSON.stringify(wish).replace(/\}$/, ',}'));
    await page.getByText('Version 1.0.0 does not meet this need.').waitFor();
    await text.fill(JSON.stringify(wish).replace(/\}$/, ',,}'));
    await page.getByText(/^Invalid JSON: /).waitFor();
    await text.fill(JSON.stringify(wish));
    await page.getByText('Version 1.0.0 does not meet this need.').waitFor();
    await page.getByText('The contract allows a value that the need refuses.').waitFor();
    await page.locator('.need-verdict code').getByText('"total":-1').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByLabel('Keep it as a wish').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await grid(page).waitFor();
    const cells = row(page, 'total').getByRole('gridcell');
    await cells
      .first()
      .getByText('found')
      .or(cells.first().getByText('reads everything'))
      .waitFor();
    await page.getByRole('button', { name: 'Say what Finance reads' }).click();
    await page.getByText('The contract does not meet what the team has said').waitFor();
    await page.getByLabel('everything', { exact: false }).first().check();
    await page.getByRole('button', { name: 'Save' }).click();
    await grid(page).waitFor();
    const params = { registration_id: registrationId };
    expect(bodyOf(await admin.getRegistration({ params })).needs).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  test('warns whoever edits it while a proposal is open, and leads back a team that is no longer asked', async () => {
    const { page } = person;
    const id = await createAsset(admin, await createTeam(admin, 'Ledger'), 'shop.sales.asked');
    const contractId = await publish(admin, id, schema, {});
    await register(contractId, finance.id);
    await register(contractId, (await createTeam(admin, 'Everybody')).id);
    const { total: _, ...properties } = schema.properties;
    const proposalId = await propose(admin, id, { ...schema, properties });
    await page.goto(`/assets/${id}/readers`);
    await page.getByRole('button', { name: 'Say what Finance reads' }).click();
    // Each says what becomes of the proposal before anything is saved.
    await page.getByText('Your team is still asked about the open proposal').waitFor();
    await page.getByRole('radio', { name: 'these fields' }).check();
    await page.getByRole('checkbox', { name: '$.id', exact: true }).check();
    await page.getByText('your team is no longer asked about the open proposal').waitFor();
    await page.getByRole('checkbox', { name: '$.total', exact: true }).check();
    await page.getByText('still asked about the open proposal once this is saved.').waitFor();
    await page.getByText('It breaks what the team reads: $.total').waitFor();
    await page.getByRole('checkbox', { name: '$.total', exact: true }).uncheck();
    await page.getByText('your team is no longer asked about the open proposal').waitFor();
    await page.getByText('Version 1.0.0 meets this need.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await grid(page).waitFor();
    await page.goto(`/proposals/${proposalId}`);
    await page.getByText(/^Not asked, .+ Finance\./).waitFor();
    await page.getByRole('link', { name: 'Say what Finance reads' }).click();
    await grid(page).waitFor();
    await page.getByRole('button', { name: 'Say what Finance reads' }).click();
    await page.getByText('this does not change that.').waitFor();
    await page.getByRole('radio', { name: /^everything/ }).check();
    await page.getByText('Once this is saved, your team is asked about').waitFor();
  });

  test('is not edited by who does not act for the team', async () => {
    const marketing = await createTeam(admin, 'Passers-by');
    const other = await openPerson(browser, { url: registry.url, width: 360 });
    await signIn(other.page, marketing.key);
    await other.page.goto(`/assets/${assetId}/readers`);
    await grid(other.page).waitFor();
    expect(await other.page.getByRole('button', { name: /^Say what/ }).count()).toBe(0);
    await other.close();
  });
});
