// User text is shown as written, and never becomes part of the page's markup.

import { beforeAll, expect, test } from 'vitest';
import { openBrowserForFile, openPerson, type Person, signIn } from './support/browser.ts';
import { writeSchema } from './support/editor.ts';
import { bodyOf, createAsset, createTeam, propose, publish, register } from './support/story.ts';

/** Would run in an attribute, in an element and in a script if it were taken for markup. */
const hostile = (place: string) =>
  `"><img src=x onerror="window.taken='${place}'"><script>window.taken='${place}'</script><b>${place}</b>`;

const { registry, browser, admin } = await openBrowserForFile();
let person: Person;
let assetId: string;
let proposalId: string;
let webhookId: string;

beforeAll(async () => {
  const owner = await createTeam(admin, hostile('owner'));
  const consumer = await createTeam(admin, hostile('consumer'));
  assetId = await createAsset(admin, owner, 'shop.public.orders', {
    description: hostile('description'),
    tags: [hostile('tag')],
    resource_type: hostile('resource'),
  });
  const schema = {
    title: hostile('title'),
    type: 'object',
    properties: {
      [hostile('field')]: {
        type: 'string',
        description: hostile('about'),
        enum: [hostile('value'), 'other'],
        default: hostile('default'),
      },
    },
  };
  const guarantees = {
    custom: [{ note: hostile('custom') }],
    nullability: { [hostile('field')]: 'never' },
  };
  const contractId = await publish(admin, assetId, schema, {
    guarantees,
    commit: hostile('commit'),
  });
  await register(admin, contractId, consumer, hostile('used for'));
  proposalId = await propose(admin, assetId, { ...schema, properties: {} });
  bodyOf(
    await admin.acknowledgeProposal({
      params: { proposal_id: proposalId },
      body: {
        team_id: consumer.id,
        response: 'blocked',
        notes: hostile('note'),
        reason: hostile('why'),
      },
    }),
  );
  bodyOf(
    await admin.withdrawProposal({
      params: { proposal_id: proposalId },
      body: { reason: hostile('reason') },
    }),
  );
  bodyOf(
    await admin.issueApiKey({
      body: { name: hostile('key'), team_id: owner.id, scopes: ['read'] },
    }),
  );
  bodyOf(
    await admin.createUser({
      body: { email: 'mallory@example.com', name: hostile('person'), team_id: owner.id },
    }),
  );
  const url = `http://receiver.invalid/${hostile('hook')}`;
  webhookId = bodyOf(await admin.createWebhook({ body: { url, team_ids: [owner.id] } })).id;
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});

test.each([
  { path: () => '/', shows: ['reason'] },
  { path: () => '/assets', shows: ['owner'] },
  {
    path: () => `/assets/${assetId}`,
    shows: [
      'owner',
      'description',
      'tag',
      'field',
      'about',
      'value',
      'default',
      'custom',
      'commit',
    ],
  },
  { path: () => `/assets/${assetId}?as=json`, shows: ['title', 'field', 'about'] },
  { path: () => `/assets/${assetId}/versions`, shows: ['commit'] },
  { path: () => `/assets/${assetId}/consumers`, shows: ['consumer', 'used for'] },
  { path: () => `/assets/${assetId}/readers`, shows: ['consumer', 'field'] },
  { path: () => `/assets/${assetId}/use`, shows: ['field', 'about'] },
  { path: () => `/assets/${assetId}/history`, shows: ['reason', 'note'] },
  { path: () => `/proposals/${proposalId}`, shows: ['consumer', 'note', 'reason', 'field'] },
  { path: () => '/audit', shows: ['owner', 'key'] },
  { path: () => '/teams', shows: ['owner', 'consumer'] },
  { path: () => '/keys', shows: ['key', 'owner'] },
  { path: () => '/users', shows: ['person', 'owner'] },
  { path: () => '/webhooks', shows: ['hook', 'owner'] },
  { path: () => `/webhooks/${webhookId}`, shows: ['hook', 'owner'] },
  { path: () => `/assets?q=${encodeURIComponent(hostile('search'))}`, shows: [] },
  { path: () => `/${encodeURIComponent(hostile('address'))}`, shows: [] },
])('markup is shown as text at $shows', async ({ path, shows }) => {
  const { page, complaints } = person;
  await page.goto(path());
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const place of shows) {
    await page.getByText(`<b>${place}</b>`).filter({ visible: true }).first().waitFor();
  }
  expect(await page.evaluate('window.taken')).toBe(undefined);
  expect(await page.locator('main b, main script, img:not([src="/mark.svg"])').count()).toBe(0);
  expect(complaints.splice(0)).toEqual([]);
});

test('markup typed as a schema is shown as text in its verdict', async () => {
  const { page, complaints } = person;
  await page.goto(`/assets/${assetId}/try`);
  await writeSchema(page, JSON.stringify({ const: hostile('typed') }));
  await page.getByText('Breaking: consumers must approve it first.').waitFor();
  await writeSchema(page, `{ ${hostile('broken')}`);
  await page.getByText('Invalid JSON').waitFor();
  expect(await page.evaluate('window.taken')).toBe(undefined);
  expect(await page.locator('main b, main script').count()).toBe(0);
  expect(complaints.splice(0)).toEqual([]);
});
