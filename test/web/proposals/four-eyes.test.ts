// A force by two administrators: one requests it on the page, the other one confirms it.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openClient } from '../../support/client/client.ts';
import {
  createUser,
  openWorld,
  password,
  proposedAsset,
} from '../../support/client/client-world.ts';
import { openBrowserForFile, openPerson, type Person, signInByEmail } from '../support/browser.ts';

const { registry, browser } = await openBrowserForFile({ FOUR_EYES: 'true' });

async function openAdministrator(name: string): Promise<Person> {
  const admin = openClient(registry.url, registry.bootstrapKey);
  const { email } = await createUser(admin, { role: 'admin', name });
  const person = await openPerson(browser, { url: registry.url });
  await signInByEmail(person.page, email, password);
  return person;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Fills in the dialog. */
async function force(page: Page, fqn: string, reason: string, last: string) {
  await button(page, 'Publish by force…').click();
  const dialog = page.getByRole('dialog');
  const hint = await dialog.locator('p').first().textContent();
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByLabel('Type the name of the asset').fill(fqn);
  await dialog.getByRole('button', { name: last }).click();
  return hint;
}

test('The first administrator requests it, and a second one confirms it', async () => {
  const world = await openWorld(registry.url, registry.bootstrapKey);
  const { fqn, proposalId } = await proposedAsset(world.producer, [world.consumer]);
  const [ada, bob] = [await openAdministrator('Ada'), await openAdministrator('Bob')];

  await ada.page.goto(`/proposals/${proposalId}`);
  const request = 'Request publishing by force';
  expect(await force(ada.page, fqn, 'Legal wants it gone.', request)).toContain(
    'This needs two administrators',
  );
  await ada.page.getByText('A second administrator can confirm it on this page.').waitFor();
  await ada.page.getByText('Ada requested publishing by force').waitFor();
  expect(await button(ada.page, 'Publish by force…').count()).toBe(0);
  await ada.page.locator('.page-head').getByText('pending', { exact: true }).waitFor();

  await bob.page.goto(`/proposals/${proposalId}`);
  await bob.page.getByText('Legal wants it gone.').first().waitFor();
  const confirm = 'Publish by force';
  expect(await force(bob.page, fqn, 'The regulator asked for it.', confirm)).toContain(
    'Ada requested this.',
  );
  await bob.page.locator('.page-head').getByText('published by force', { exact: true }).waitFor();
  await bob.page.getByText('Publishing by force requested').waitFor();
  expect([...ada.complaints, ...bob.complaints]).toEqual([]);
});
