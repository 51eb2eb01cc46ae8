// Signing in with a provider on the page: one button, back to where the person was, out at both ends.

import { expect, test } from 'vitest';
import { must } from '../support/client/client-world.ts';
import { providerSettings } from '../support/sign-in/providers-file.ts';
import { openRealProvider } from '../support/sign-in/real-provider.ts';
import { expectAddress } from './support/address.ts';
import { openBrowserForFile, openPerson } from './support/browser.ts';

const provider = await openRealProvider();
const { issuer, accounts } = provider;
const { registry, browser, admin } = await openBrowserForFile({
  ...(await providerSettings([
    {
      name: 'example',
      title: 'Example Inc.',
      issuer,
      scopes: ['openid', 'email', 'groups'],
      groups: [{ group: 'checkout people', team: 'checkout' }],
    },
  ])),
  PASSWORD_SIGN_IN: 'false',
});
provider.serve([registry.url], ['example']);
must(await admin.createTeam({ body: { name: 'Checkout' } }), 201);

test('Somebody signs in with a provider, continues where the link led, and signs out at both ends', async () => {
  accounts.set('ada', { email: 'ada@example.com', groups: ['checkout people'] });
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await page.goto('/proposals?status=pending');
  const button = page.getByRole('link', { name: 'Sign in with Example Inc.' });
  await button.waitFor();
  expect(await page.getByLabel('Password').count()).toBe(0);
  await page.getByLabel('API key').waitFor();
  await button.click();
  await page.getByPlaceholder('Enter any login').fill('ada');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Proposals' }).waitFor();
  await expectAddress(page).toBe(`${registry.url}/proposals?status=pending`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await button.waitFor();
  await expectAddress(page, 'pathname').toBe('/');
  await button.click();
  await page.getByPlaceholder('Enter any login').waitFor();
  // The pages of the provider are no pages of ours.
  const ours = complaints.filter((complaint) => !complaint.startsWith('another host'));
  expect(ours).toEqual([]);
  await close();
});

test('Somebody without a group is told so once, and the address is clean again', async () => {
  accounts.set('eve', { email: 'eve@example.com' });
  const { page, close } = await openPerson(browser, { url: registry.url });
  await page.goto('/');
  await page.getByRole('link', { name: 'Sign in with Example Inc.' }).click();
  await page.getByPlaceholder('Enter any login').fill('eve');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('None of your groups may use this registry.').waitFor();
  await expectAddress(page).toBe(`${registry.url}/`);
  await close();
});
