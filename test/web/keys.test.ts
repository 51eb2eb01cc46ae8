// Keys and trusts on the page, from their creation to their end; and teams in an empty registry.

import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/wire/client.ts';
import { goTo, openBrowserForFile, openPerson, type Person, signIn } from './support/browser.ts';
import { bodyOf } from './support/story.ts';

const { registry, browser } = await openBrowserForFile();
let person: Person;
let secret = '';

beforeAll(async () => {
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});

describe('In an empty registry', () => {
  test('the first step is a team', async () => {
    const { page } = person;
    await page.getByText('First steps').waitFor();
    await page.getByRole('link', { name: 'New team' }).click();
    await page.getByLabel('Name').fill('Checkout');
    await page.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('rowheader', { name: 'Checkout' }).waitFor();
  });

  test('a key is shown once, and copied with a click', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('What is it for?').fill('checkout CI');
    await page.getByRole('button', { name: 'Issue key' }).click();
    const shown = page.getByLabel('The key', { exact: true });
    await shown.waitFor();
    secret = await shown.inputValue();
    expect(secret).toMatch(/^cdt_live_[0-9A-Za-z]{43}$/);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await page.getByRole('button', { name: 'Close' }).click();
    await shown.waitFor({ state: 'detached' });
    await page.getByRole('rowheader', { name: 'checkout CI' }).waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  test("an asset is created and gets its first contract with its team's key", async () => {
    const { page, complaints, close } = await openPerson(browser, { url: registry.url });
    await signIn(page, secret, 'Checkout');
    await goTo(page, 'Assets');
    await page.getByRole('button', { name: 'New asset' }).click();
    await page.getByLabel('Fully qualified name').fill('shop.public.carts');
    await page.getByRole('button', { name: 'Create asset' }).click();
    await page.getByText('This asset has no contract yet.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Change the schema' }).last().click();
    await page.getByText('This would be the first version').waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 1.0.0 was published.').waitFor();
    await page.getByRole('rowheader', { name: 'id' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a key that is revoked stops working', async () => {
    const { page, complaints } = person;
    await page.getByRole('button', { name: 'Revoke checkout CI' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: 'revoked' }).waitFor();
    const answer = await createClient({ baseUrl: registry.url, key: secret }).listAssets();
    expect(answer.status).toBe(401);
    expect(complaints).toEqual([]);
  });
});

describe('A trust', () => {
  test('is created by the claims of a repository, and a refusal names the problem', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Trusts' }).click();
    await page.getByRole('button', { name: 'New trust' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What is it for?').fill('shop CI');
    await dialog.getByLabel('What tokens must say').fill('repository=acme*');
    expect(await dialog.getByLabel('Audience').inputValue()).toBe(registry.url);
    await dialog.getByRole('button', { name: 'Create trust' }).click();
    await dialog.getByText('A * may only stand at the end').waitFor();
    await dialog
      .getByLabel('What tokens must say')
      .fill('repository=acme/*\n ref = refs/heads/main\n');
    await dialog.getByRole('button', { name: 'Create trust' }).click();
    await page.getByRole('rowheader', { name: 'shop CI' }).waitFor();
    const client = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
    const { results } = bodyOf(await client.listTrusts());
    expect(results).toEqual([
      {
        ...{ id: results[0]?.id, name: 'shop CI', team_id: results[0]?.team_id },
        ...{ issuer: 'https://token.actions.githubusercontent.com', audience: registry.url },
        ...{ claims: { repository: 'acme/*', ref: 'refs/heads/main' }, scopes: ['write'] },
        ...{ reusable: false, created_at: results[0]?.created_at },
      },
    ]);
  });

  test('is deleted', async () => {
    const { page, complaints } = person;
    await page.getByRole('button', { name: 'Delete shop CI' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No trust has been created.').waitFor();
    // The browser itself notes the refusal of the first attempt.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });
});
