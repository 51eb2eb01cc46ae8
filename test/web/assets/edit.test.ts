// An asset is edited, deleted and restored on the page.

import { beforeAll, expect, test } from 'vitest';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  fieldsOf,
  publish,
  register,
  type StoryTeam,
} from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let owner: StoryTeam;
let consumer: StoryTeam;
let person: Person;

beforeAll(async () => {
  owner = await createTeam(admin, 'Parcels');
  consumer = await createTeam(admin, 'Readers');
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey, 'Parcels');
});

test('What is edited is shown, and a looser mode asks the consumers first', async () => {
  const { page, complaints } = person;
  const id = await createAsset(admin, owner, 'edit.it', { tags: ['old'] });
  await register(admin, await publish(admin, id, fieldsOf('a'), {}), consumer, 'All.');
  await page.goto(`/assets/${id}`);
  await page.getByRole('button', { name: 'Edit details' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Description').fill('One row for each parcel.');
  await dialog.getByLabel('Tags').fill('daily, finance,');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('One row for each parcel.').waitFor();
  const { metadata } = bodyOf(await admin.getAsset({ params: { asset_id: id } }));
  expect(metadata).toMatchObject({ tags: ['daily', 'finance'] });
  await page.getByRole('button', { name: 'Edit details' }).click();
  await dialog.getByLabel('When a guarantee is lowered').selectOption('Publish');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Lower guarantee mode').first().waitFor();
  expect(complaints).toEqual([]);
});

test('The way to a change is on each tab of an asset for those who may publish it, and for nobody else', async () => {
  const { page } = person;
  const id = await createAsset(admin, owner, 'change.it');
  await publish(admin, id, fieldsOf('a'), {});
  await page.goto(`/assets/${id}/proposals`);
  await page.getByText('Nothing was proposed for this asset yet.').waitFor();
  const change = { name: 'Change the schema' };
  await page.locator('.page-head').getByRole('link', change).click();
  await page.getByText('No effective change.').waitFor();
  const foreign = await createAsset(admin, consumer, 'leave.it');
  await publish(admin, foreign, fieldsOf('a'), {});
  const reader = await openPerson(browser, { url: registry.url });
  await signIn(reader.page, owner.key);
  await reader.page.goto(`/assets/${foreign}`);
  await reader.page.getByRole('heading', { name: 'Fields of the contract' }).waitFor();
  expect(await reader.page.locator('.page-head').getByRole('link', change).count()).toBe(0);
  // Others may see there what a change would do.
  await reader.page.getByRole('navigation').getByRole('link', change).click();
  await reader.page.getByText('No effective change.').waitFor();
});

test('What has consumers is deleted by an administrator with a reason, and restored', async () => {
  const { page } = person;
  const id = await createAsset(admin, owner, 'delete.it');
  await register(admin, await publish(admin, id, fieldsOf('a'), {}), consumer, 'All.');
  await page.goto(`/assets/${id}`);
  await page.getByRole('button', { name: 'Delete asset' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete asset' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel(/reason/i).fill('Nobody needs it any more.');
  await dialog.getByRole('button', { name: 'Delete it for its consumers, too' }).click();
  await page.getByText('delete.it was deleted.').waitFor();
  await page.goto(`/assets/${id}`);
  await page.getByRole('button', { name: 'Restore it' }).click();
  await page.getByRole('heading', { level: 1, name: /delete\.it/ }).waitFor();
});

test('What a team uses an asset for is edited by the team, and by an administrator with a reason', async () => {
  const id = await createAsset(admin, owner, 'used.for');
  await register(admin, await publish(admin, id, fieldsOf('a'), {}), consumer, 'Reports.');
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, consumer.key);
  await page.goto(`/assets/${id}/consumers`);
  const dialog = page.getByRole('dialog', { name: 'What does Readers use it for?' });
  await page.getByRole('button', { name: 'Edit Readers' }).click();
  expect(await dialog.getByLabel(/Why/).count()).toBe(0);
  await dialog.getByLabel('What is it used for?').fill('Reports, and the year-end closing.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Reports, and the year-end closing.').waitFor();
  expect(complaints).toEqual([]);
  await close();

  await person.page.goto(`/assets/${id}/consumers`);
  await person.page.getByRole('button', { name: 'Edit Readers' }).click();
  const other = person.page.getByRole('dialog', { name: 'What does Readers use it for?' });
  await other.getByLabel('What is it used for?').fill('');
  await other.getByLabel('Why do you change this for Readers?').fill('They asked by phone.');
  await other.getByRole('button', { name: 'Save' }).click();
  await person.page.getByText('Reports, and the year-end closing.').waitFor({ state: 'detached' });
  const query = { asset_id: id };
  expect(bodyOf(await admin.listRegistrations({ query })).results[0]?.notes).toBeNull();
});
