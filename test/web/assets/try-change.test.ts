// Trying a change: a draft is kept, and text that is not JSON is named at once.

import { beforeAll, expect, test } from 'vitest';
import { expectAddress } from '../support/address.ts';
import { goTo, openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { editorOf, textOfEditor, writeSchema } from '../support/editor.ts';
import { createAsset, createTeam, publish, type StoryTeam } from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let team: StoryTeam;
let assetId: string;
let person: Person;

const wide = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`column_${index}`, { type: 'string' }]),
  ),
};

beforeAll(async () => {
  team = await createTeam(admin, 'Orders');
  assetId = await createAsset(admin, team, 'shop.sales.orders');
  await publish(admin, assetId, wide, {});
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, team.key);
});

test('An edit is still there after leaving the view, and after a reload', async () => {
  const { page, complaints } = person;
  await page.goto(`/assets/${assetId}/try`);
  await writeSchema(page, '{ "type": "object", "title": "Mine" }');
  await goTo(page, 'Home');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goBack();
  await page.getByText('Your edit was kept.').waitFor();
  expect(await textOfEditor(page)).toContain('"Mine"');
  await page.reload();
  await page.getByText('Your edit was kept.').waitFor();
  expect(await textOfEditor(page)).toContain('"Mine"');
  await page.getByRole('button', { name: 'Reset to the current version' }).click();
  expect(await page.getByText('Your edit was kept.').count()).toBe(0);
  await page.reload();
  await editorOf(page).waitFor();
  expect(await textOfEditor(page)).toContain('"column_199"');
  expect(complaints).toEqual([]);
});

test('An edit that began from an older version says so', async () => {
  const { page } = person;
  await page.goto(`/assets/${assetId}/try`);
  await writeSchema(page, '{ "type": "object", "title": "Older" }');
  await goTo(page, 'Home');
  await publish(admin, assetId, { ...wide, description: 'Orders.' }, {});
  await page.goto(`/assets/${assetId}/try`);
  await page.getByText(/It began from 1\.0\.0; the current version is 1\.\d\.\d/).waitFor();
  expect(await textOfEditor(page)).toContain('"Older"');
});

test('An edit is gone for another person who signs in', async () => {
  const { page } = person;
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, registry.bootstrapKey);
  await page.goto(`/assets/${assetId}/try`);
  await editorOf(page).waitFor();
  expect(await textOfEditor(page)).not.toContain('"Older"');
});

test('Text that is not JSON is named beside the verdict, in sight, and nothing is being compared', async () => {
  const { page, complaints } = person;
  await page.goto(`/assets/${assetId}/try`);
  await page.getByText('No effective change.').waitFor();
  await writeSchema(page, '{ "type": "object",, }');
  const message = page.getByText(/^Invalid JSON: /);
  await message.waitFor();
  const place = await message.boundingBox();
  expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThan(900);
  await page.getByText('The schema can be compared once it is valid.').waitFor();
  expect(await page.getByText('Comparing…').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('A field is removed in a draft by one click in the table of fields', async () => {
  const { page, close } = await openPerson(browser, { url: registry.url });
  const removable = await createAsset(admin, team, 'shop.sales.removable');
  const address = { type: 'object', properties: { zip: { type: 'string' } } };
  const schema = {
    type: 'object',
    required: ['id', 'coupon'],
    properties: {
      id: { type: 'string' },
      total: { enum: [0.10000000000000001, 9007199254740991] },
      coupon: { type: 'string' },
      home: { $ref: '#/$defs/address' },
    },
    $defs: { address },
  };
  await publish(admin, removable, schema, {});
  await signIn(page, team.key);
  await page.goto(`/assets/${removable}`);
  await page.getByRole('row', { name: /zip/ }).waitFor();
  const links = page.getByRole('link', { name: /^Remove…/ });
  expect(await links.allTextContents()).toEqual(
    ['id', 'total', 'coupon', 'home', 'home.zip'].map((name) => `Remove… ${name}`),
  );
  await page.getByRole('link', { name: 'Remove… coupon' }).click();
  await page.getByText('coupon was removed in this draft.').waitFor();
  await page.getByText('consumers will no longer find it').first().waitFor();
  await expectAddress(page, 'search').toBe('');
  const { coupon: _, ...properties } = schema.properties;
  expect(JSON.parse((await textOfEditor(page)) ?? '')).toEqual({
    ...schema,
    required: ['id'],
    properties,
  });
  await page.getByRole('button', { name: 'As YAML' }).click();
  await page.getByText('- id').first().waitFor();
  await page.getByRole('link', { name: 'Contract', exact: true }).click();
  await page.getByRole('link', { name: 'Remove… total' }).click();
  await expect.poll(() => textOfEditor(page)).not.toContain('total');
  expect(await textOfEditor(page)).toContain('type: object\n');
  await close();
});
