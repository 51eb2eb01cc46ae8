// The audit trail on the page: actors and results, similar events as one line, verification, and
// the export.

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/wire/client.ts';
import { openClient } from '../support/client/client.ts';
import { createUser, password } from '../support/client/client-world.ts';
import { findViolations } from './support/axe.ts';
import {
  openBrowserForFile,
  openPerson,
  type Person,
  signIn,
  signInByEmail,
} from './support/browser.ts';
import { tellData } from './support/data-story.ts';
import { bodyOf, type Story, tellStory } from './support/story.ts';

const { registry, browser } = await openBrowserForFile({
  AUDIT_KEY: 'a key that the tests keep elsewhere',
});
let story: Story;
let person: Person;

beforeAll(async () => {
  story = await tellStory(registry.url, registry.bootstrapKey);
  await tellData(registry.url, registry.bootstrapKey, story);
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey, 'Orders');
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const line = (page: Page, text: string | RegExp) => page.locator('.event', { hasText: text });

describe('An event is shown', () => {
  test('together with similar ones on one line, and their results', async () => {
    const { page } = person;
    await page.goto(`/assets/${story.ordersId}/history`);
    const runs = line(page, 'Quality run recorded');
    await runs.waitFor();
    expect(await runs.count()).toBe(1);
    const said = await runs.textContent();
    expect(said).toContain('24 times');
    expect(said).toContain('4 of 24 failed: row_count_delta');
    expect(await line(page, 'Dependency added').textContent()).toContain(
      'on warehouse.sales.carts, warehouse.sales.customers, api.shop.post_orders',
    );
    await line(page, 'Dependency added').locator('.event-subject').getByRole('link').click();
    await page.getByText('10 assets').waitFor();
  });

  test("with the team's answer, and the consumers that were asked", async () => {
    const { page } = person;
    await page.goto(`/proposals/${story.proposalId}`);
    const answered = line(page, 'Proposal answered');
    await answered.first().waitFor();
    expect(await answered.nth(0).textContent()).toContain('Analytics: migrating');
    expect(await answered.nth(1).textContent()).toContain('Finance: approved');
    expect(await line(page, 'Breaking change proposed').textContent()).toContain(
      'asked: Analytics, Finance, Logistics',
    );
    await page.goto(`/proposals/${story.blockedId}`);
    await page.goto(`/proposals/${story.forcedId}`);
    await line(page, 'Proposal published by force').getByText('not agreed: Analytics').waitFor();
    await page.goto(`/proposals/${story.blockedId}`);
    const blocked = line(page, 'Proposal blocked');
    await blocked.getByText('Orders: blocked').waitFor();
    await blocked.getByRole('link', { name: 'Proposal blocked' }).click();
    await page.getByRole('heading', { name: 'What was recorded' }).waitFor();
    await page.locator('.page-head').getByText('Orders: blocked').waitFor();
  });

  test('with the version that replaced another one, in words', async () => {
    const { page } = person;
    await page.goto(`/assets/${story.ordersId}/history`);
    await line(page, 'Contract deprecated').getByText('replaced by 1.2.0').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('“superseded”');
  });

  test('on the start page if it is about data, but not if it is about who has access', async () => {
    const admin = openClient(registry.url, registry.bootstrapKey);
    await createUser(admin, { role: 'viewer', name: 'Vera Viewer', email: 'vera@example.com' });
    const { page, close } = await openPerson(browser, { url: registry.url });
    await signInByEmail(page, 'vera@example.com', password);
    await line(page, 'Asset created').first().waitFor();
    for (const said of ['User created', 'Signed in']) {
      expect(await line(page, said).count()).toBe(0);
    }
    await page.goto('/audit?event_type=auth.login');
    await page.getByRole('cell', { name: 'Vera Viewer' }).first().waitFor();
    await close();
  });

  test('by topic, and only those of one person by a click on the name', async () => {
    const { page, complaints, close } = await openPerson(browser, { url: registry.url });
    await signIn(page, registry.bootstrapKey);
    await page.goto('/audit');
    await page.getByRole('link', { name: 'People and access' }).click();
    await page.getByRole('link', { name: 'User created' }).first().waitFor();
    const clear = page.getByRole('button', { name: 'Clear filters' });
    const save = page.getByRole('button', { name: 'Save this view' });
    expect((await clear.boundingBox())?.y, 'one row').toBe((await save.boundingBox())?.y);
    expect(await page.getByRole('link', { name: 'Asset created' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Contracts', exact: true }).click();
    await page.getByRole('link', { name: 'Asset created' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'User created' }).count()).toBe(0);
    await page.getByRole('button', { name: 'the bootstrap key' }).first().click();
    await page.getByText('Only what the bootstrap key did').waitFor();
    await page.getByRole('button', { name: 'the registry' }).waitFor({ state: 'detached' });
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'By anybody' }).click();
    await page.getByText('Only what the bootstrap key did').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test("with its actor's name, also on the page of all events", async () => {
    const { page, close } = await openPerson(browser, { url: registry.url });
    await signIn(page, story.teams.orders.key);
    const admin = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
    const mine = createClient({ baseUrl: registry.url, key: story.teams.finance.key });
    const { results } = bodyOf(await admin.listAssets({ query: { q: 'invoices' } }));
    const id = results[0]?.id ?? '';
    bodyOf(await mine.updateAsset({ params: { asset_id: id }, body: { metadata: { note: 'x' } } }));
    await page.goto('/audit?event_type=asset.updated');
    await page.getByRole('cell', { name: 'the API key Finance CI' }).waitFor();
    await close();
  });
});

describe('The whole trail', { concurrent: false }, () => {
  let kept = '';

  test('is verified, and its checkpoint can be copied', async () => {
    const { page, complaints } = person;
    const admin = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
    const unsealed = async () => bodyOf(await admin.verifyAudit({})).unsealed.events;
    await expect.poll(unsealed, { timeout: 15_000 }).toBe(0);
    const { total } = bodyOf(await admin.listEvents({ query: { limit: 1 } }));
    await page.goto('/audit');
    await verify(page, '');
    await page
      .getByText('The trail is intact: no event was altered, removed, added or swapped.')
      .waitFor();
    await page.getByText(`${total} events are sealed`).waitFor();
    await page.getByText(/The registry’s key confirms \d+ of \d+ checkpoints?\./).waitFor();
    kept = await page.getByLabel('Checkpoint for the next verification').inputValue();
    expect(kept).toMatch(new RegExp(`^${total}:[0-9a-f]{64}$`));
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    expect(complaints).toEqual([]);
  });

  test('is refused with a message if the checkpoint is malformed', async () => {
    const { page } = person;
    await page.goto('/audit');
    await verify(page, 'not a head');
    await page.getByRole('dialog').getByRole('alert').getByText('head').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  test('is saved as a file, whose last line says that it is complete', async () => {
    const { page, complaints } = person;
    await page.goto('/audit');
    const saved = page.waitForEvent('download');
    await button(page, 'Export').click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^concordat-audit-\d{4}-\d\d-\d\d\.ndjson$/);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toHaveProperty('end');
    expect(lines.filter((text) => text.includes('"event_type"')).length).toBeGreaterThan(90);
    await page.getByText('The audit trail was saved as a file.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('can be verified but not saved by other users than administrators', async () => {
    const { page, complaints, close } = await openPerson(browser, { url: registry.url });
    await signIn(page, story.teams.finance.key);
    await page.goto('/audit');
    await verify(page, kept);
    await page
      .getByText('The trail is intact: no event was altered, removed, added or swapped.')
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    expect(await button(page, 'Export').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('shows which event was altered, and links to it', async () => {
    const { page } = person;
    await registry.database.query('alter table audit_event disable trigger all');
    await registry.database.query(
      `update audit_event set metadata = '{"name": "another"}'
       where event_type = 'proposal.force_published'`,
    );
    await page.goto('/audit');
    await verify(page, '');
    await page.getByText('The trail does not match its seals: 1 finding.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('link', { name: 'Event' }).click();
    await page.getByRole('heading', { name: 'Proposal published by force' }).waitFor();
  });
});

async function verify(page: Page, head: string): Promise<void> {
  await button(page, 'Verify').click();
  await page.getByLabel('Previous checkpoint (optional)').fill(head);
  await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click();
}
