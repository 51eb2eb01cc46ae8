// A dialog or an editor that was opened before something changed: it sends nothing that its person has not
// read, and nothing back that somebody else has changed meanwhile.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { openClient } from '../support/client/client.ts';
import { createUser, password } from '../support/client/client-world.ts';
import {
  openBrowserForFile,
  openPerson,
  type Person,
  signIn,
  signInByEmail,
} from './support/browser.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  fieldsOf,
  propose,
  publish,
  type StoryTeam,
} from './support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let orders: StoryTeam;
let finance: StoryTeam;
let reader: Person;
let producer: Person;

beforeAll(async () => {
  orders = await createTeam(admin, 'Orders');
  finance = await createTeam(admin, 'Finance');
  [reader, producer] = [await openPerson(browser, registry), await openPerson(browser, registry)];
  await signIn(reader.page, finance.key, finance.name);
  await signIn(producer.page, orders.key, orders.name);
});

/** Finance reads one field of an asset. */
async function readAsset(fqn: string) {
  const assetId = await createAsset(admin, orders, fqn);
  const contractId = await publish(admin, assetId, fieldsOf('id', 'total', 'note'), {});
  const needs = { fields: ['$.id'] };
  const body = { contract_id: contractId, consumer_team_id: finance.id, needs };
  const { id } = bodyOf(await admin.registerConsumer({ body }));
  return { assetId, params: { registration_id: id } };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A browser whose stream of events is cut hears of nothing. */
const cutOff = ({ page }: Person) => page.route('**/events/stream**', (route) => route.abort());

describe('What was opened before a change', () => {
  test.each([
    ['that the page has heard of', 'shop.outdated.heard', false],
    ['that the page has not heard of', 'shop.outdated.deaf', true],
  ])('takes no field from a need that a colleague widened, %s', async (_, fqn, isCut) => {
    const { assetId, params } = await readAsset(fqn);
    const { page } = reader;
    if (isCut) await cutOff(reader);
    await page.goto(`/assets/${assetId}/readers`);
    await button(page, 'Say what Finance reads').click();
    await page.getByRole('checkbox', { name: '$.note', exact: true }).check();
    const client = openClient(registry.url, finance.key);
    const needs = { fields: ['$.id', '$.total'] };
    bodyOf(await client.updateRegistration({ params, body: { needs } }));
    const save = button(page, 'Save');
    if (isCut) await save.click();
    await page.getByText('What the team reads was changed').waitFor();
    expect(await save.isDisabled()).toBe(true);
    const kept = bodyOf(await client.getRegistration({ params }));
    expect(kept.needs?.stated).toEqual(needs);
  });

  test('shows each field of a need that a colleague stated before the first edit, also one that is in no contract', async () => {
    const { assetId, params } = await readAsset('shop.outdated.strange');
    const person = await openPerson(browser, registry);
    const { page } = person;
    await signIn(page, finance.key, finance.name);
    await page.goto(`/assets/${assetId}/readers`);
    await button(page, 'Say what Finance reads').click();
    await page.getByRole('checkbox', { name: '$.id', exact: true }).waitFor();
    const body = { needs: { fields: ['$.total', '$.gone'] }, allow_unmet: true };
    const client = openClient(registry.url, finance.key);
    bodyOf(await client.updateRegistration({ params, body }));
    const isTicked = (name: string) => page.getByRole('checkbox', { name }).isChecked();
    await expect.poll(() => isTicked('$.total')).toBe(true);
    expect(await page.getByRole('checkbox', { name: '$.gone' }).count()).toBe(1);
    await person.close();
  });

  test.each([
    ['that the page has heard of', 'shop.outdated.forced', false],
    ['that the page has not heard of', 'shop.outdated.forced_deaf', true],
  ])('forces no round that nobody has read, %s', async (_, fqn, isCut) => {
    const { assetId } = await readAsset(fqn);
    const proposalId = await propose(admin, assetId, fieldsOf('total', 'note'));
    const { email } = await createUser(openClient(registry.url, registry.bootstrapKey), {
      role: 'admin',
    });
    const person = await openPerson(browser, registry);
    const { page } = person;
    if (isCut) await cutOff(person);
    await signInByEmail(page, email, password);
    await page.goto(`/proposals/${proposalId}`);
    await button(page, 'Publish by force…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The regulator wants it gone.');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByLabel('Type the name of the asset').fill(fqn);
    await publish(admin, assetId, fieldsOf('id', 'total', 'note', 'more'), {});
    const params = { proposal_id: proposalId };
    bodyOf(await admin.rebaseProposal({ params }));
    if (isCut) await dialog.getByRole('button', { name: 'Publish by force' }).click();
    await dialog.getByText('The proposal was compared again').waitFor();
    expect(await dialog.getByRole('button', { name: 'Publish by force' }).count()).toBe(0);
    expect(bodyOf(await admin.getProposal({ params }))).toMatchObject({
      ...{ status: 'pending', round: 2 },
    });
    await person.close();
  });

  test('changes no setting back that a colleague has set', async () => {
    const { assetId } = await readAsset('shop.outdated.settings');
    const { page } = producer;
    await page.goto(`/assets/${assetId}`);
    await button(page, 'Edit details').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').fill('All orders.');
    const params = { asset_id: assetId };
    const set = { auto_publish: true, needs_mode: 'protect', guarantee_mode: 'strict' } as const;
    bodyOf(await admin.updateAsset({ params, body: { ...set, metadata: { tags: ['heard'] } } }));
    await page.getByText('heard', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(bodyOf(await admin.getAsset({ params }))).toMatchObject({
      ...set,
      metadata: { description: 'All orders.', tags: ['heard'] },
    });
  });
});
