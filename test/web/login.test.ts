// Signing in with e-mail and password: the session survives a reload, acts, and ends.

import { expect, test } from 'vitest';
import { openClient } from '../support/client/client.ts';
import { createUser, password } from '../support/client/client-world.ts';
import { findViolations } from './support/axe.ts';
import { goTo, openBrowserForFile, openPerson, signInByEmail } from './support/browser.ts';

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

test('Somebody finds a view that they saved in another browser, and what this one kept from before', async () => {
  const admin = openClient(registry.url, registry.bootstrapKey);
  const { email, id } = await createUser(admin, { role: 'viewer', name: 'Grace Hopper' });
  const [first, second] = await Promise.all([
    openPerson(browser, { url: registry.url }),
    openPerson(browser, { url: registry.url }),
  ]);
  await signInByEmail(first.page, email, password);
  await first.page.goto('/assets?q=orders');
  await first.page.getByRole('button', { name: 'Save this view' }).click();
  await first.page.getByLabel('Name').fill('All orders');
  await first.page.getByRole('button', { name: 'Save', exact: true }).click();
  await first.page.getByRole('link', { name: 'All orders' }).waitFor();

  const kept = JSON.stringify([
    { name: 'Refunds', to: '/assets?q=refunds' },
    { name: 'All orders', to: '/assets?q=other' },
  ]);
  const place = `concordat.views.${id}`;
  await second.page.addInitScript(
    ([key, text]) => {
      // Once: the page must not find again what it sent.
      if (sessionStorage.getItem('kept') === null) localStorage.setItem(key, text);
      sessionStorage.setItem('kept', 'yes');
    },
    [place, kept] as const,
  );
  await signInByEmail(second.page, email, password);
  await second.page.goto('/assets');
  const views = second.page.getByRole('list', { name: 'Saved views' }).getByRole('link');
  // Neither replaces the other.
  await expect
    .poll(() => views.allTextContents())
    .toEqual(['All orders', 'All orders (2)', 'Refunds']);
  for (const name of ['Refunds', 'All orders (2)']) {
    await second.page.getByRole('button', { name: `Remove the view ${name}` }).click();
  }
  await expect.poll(() => views.allTextContents()).toEqual(['All orders']);
  await views.click();
  await expect.poll(() => new URL(second.page.url()).search).toBe('?q=orders');
  await second.page.reload();
  await expect.poll(() => views.allTextContents()).toEqual(['All orders']);

  await first.page.keyboard.press('Control+k');
  await first.page.keyboard.type('all ord');
  await first.page.getByRole('option', { name: 'All orders' }).waitFor();
  expect([...first.complaints, ...second.complaints]).toEqual([]);
  await Promise.all([first.close(), second.close()]);
});

test('A view is not replaced by one of the same name, also of another list, before its user agrees', async () => {
  const admin = openClient(registry.url, registry.bootstrapKey);
  const { email } = await createUser(admin, { role: 'viewer', name: 'Emmy Noether' });
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  const views = page.getByRole('list', { name: 'Saved views' }).getByRole('link');
  const dialog = page.getByRole('dialog');
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click();
  const saveAs = async (address: string, name: string) => {
    await page.goto(address);
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name').fill(name);
    await press('Save');
  };
  await signInByEmail(page, email, password);
  await saveAs('/assets?q=orders', 'Mine');
  await views.getByText('Mine').waitFor();
  await saveAs('/proposals?show=all&status=pending', 'Mine ');
  await dialog.getByText('You already have a view named “Mine” on another list.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel('Name').fill('All');
  await press('Save');
  await views.getByText('All').waitFor();

  await saveAs('/assets?q=refunds', 'Mine');
  await dialog.getByText('You already have a view named “Mine” on this list.').waitFor();
  await press('Replace');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => views.allTextContents()).toEqual(['Mine']);
  expect(await views.getAttribute('href')).toBe('/assets?q=refunds');
  expect(complaints).toEqual([]);
  await close();
});

test('What this browser kept is sent once for each time that the page is opened, also if it is refused', async () => {
  const admin = openClient(registry.url, registry.bootstrapKey);
  const { email, id } = await createUser(admin, { role: 'viewer', name: 'Alan Turing' });
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  const kept = JSON.stringify([{ name: 'Long', to: `/assets?q=${'o'.repeat(2_000)}` }]);
  await page.addInitScript(([key, text]) => localStorage.setItem(key, text), [
    `concordat.views.${id}`,
    kept,
  ] as const);
  const sent: number[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'PATCH') sent.push(response.status());
  });
  await signInByEmail(page, email, password);
  await page.goto('/assets');
  for (const opened of [1, 2]) {
    const before = sent.length;
    await page.reload();
    await expect.poll(() => sent.length).toBeGreaterThan(before);
    // Each of these views asks the registry for more, which a page that keeps sending does in between.
    for (const name of ['Teams', 'Proposals', 'Assets']) {
      await goTo(page, name);
      await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
    }
    expect([opened, sent.slice(before)]).toEqual([opened, [400]]);
  }
  expect(complaints).toEqual([]);
  await close();
});
