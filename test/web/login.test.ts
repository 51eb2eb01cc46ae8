// Signing in with e-mail and password: the session survives a reload, acts, and ends.

import { expect, test } from 'vitest';
import { openClient } from '../support/client/client.ts';
import { createUser, password } from '../support/client/client-world.ts';
import { openBrowserForFile, openPerson } from './support/browser.ts';

const { registry, browser } = await openBrowserForFile();

test('An administrator signs in by e-mail, stays signed in after a reload, creates a team and signs out', async () => {
  const admin = openClient(registry.url, registry.bootstrapKey);
  const { email, id } = await createUser(admin, { role: 'admin', name: 'Ada Lovelace' });
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await page.goto('/');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.reload();
  await page.goto('/teams');
  await page.getByRole('button', { name: 'New team' }).click();
  await page.getByLabel('Name').fill('By cookie');
  await page.getByRole('button', { name: 'Create team' }).click();
  await expect
    .poll(async () => {
      const events = await admin.listEvents({ query: { event_type: 'team.created' } });
      return events.ok ? events.body.results.map(({ actor_id }) => actor_id) : [];
    })
    .toEqual([id]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});
