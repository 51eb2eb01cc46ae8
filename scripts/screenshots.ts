// Takes pictures of every view for review: light, dark, and at the width of a phone. Writes them to
// dist/screenshots. With --rows 5000, of the lists alone, each with that many rows.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { readConfig } from '../src/ops/config/config.ts';
import { createLog } from '../src/ops/observe/log.ts';
import { start } from '../src/start/serve.ts';
import { createClient } from '../src/wire/client.ts';
import { openFolder } from '../test/support/open-folder.ts';
import { launchBrowser, openPerson, signIn } from '../test/web/support/browser.ts';
import buildPage from '../test/web/support/build-setup.ts';
import { chooseFile, shopSchema } from '../test/web/support/choose-file.ts';
import { tellData } from '../test/web/support/data-story.ts';
import { writeSchema } from '../test/web/support/editor.ts';
import { insertManyRows } from '../test/web/support/many-rows.ts';
import {
  bodyOf,
  breakingOrder,
  createAsset,
  publish,
  type Story,
  tellStory,
} from '../test/web/support/story.ts';

/** An asset managed by a file, in addition to the story. */
const writtenElsewhere = 'warehouse.sources.currencies';

interface Shot {
  readonly name: string;
  readonly path: (story: Story) => string;
  /** The action before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
  /** Keeps the window's size for views that depend on its height. */
  readonly keepsWindow?: true;
  /** The viewer: the producer's team, or a consumer's. */
  readonly team?: string;
  /** Also with many rows. */
  readonly isLong?: true;
}

const shots: readonly Shot[] = [
  { name: 'home', path: () => '/', isLong: true },
  { name: 'home-consumer', path: () => '/', team: 'Logistics' },
  { name: 'assets', path: () => '/assets', isLong: true },
  { name: 'assets-search', path: () => '/assets?q=orders', isLong: true },
  {
    name: 'assets-saved',
    path: () => '/assets?q=orders&sort=-created_at',
    act: saveView,
  },
  { name: 'palette', path: () => '/', act: findOrders, keepsWindow: true, isLong: true },
  {
    name: 'keys-help',
    path: () => '/',
    act: showKeys,
    keepsWindow: true,
  },
  { name: 'assets-none', path: () => '/assets?q=nothing-like-this' },
  {
    name: 'assets-new',
    path: () => '/assets',
    act: (page) => press(page, 'New asset'),
    keepsWindow: true,
  },
  { name: 'asset-contract', path: (story) => `/assets/${story.ordersId}` },
  { name: 'asset-json', path: (story) => `/assets/${story.ordersId}?as=json` },
  { name: 'asset-versions', path: (story) => `/assets/${story.ordersId}/versions` },
  {
    name: 'asset-compare',
    path: (story) => `/assets/${story.ordersId}/compare?from=1.0.0&to=1.2.0`,
  },
  { name: 'asset-consumers', path: (story) => `/assets/${story.ordersId}/consumers`, isLong: true },
  { name: 'asset-readers', path: (story) => `/assets/${story.ordersId}/readers`, isLong: true },
  {
    name: 'asset-readers-edit',
    path: (story) => `/assets/${story.ordersId}/readers`,
    act: async (page) => {
      await press(page, 'Say what Logistics reads');
      await page.getByText('meets this need').waitFor();
    },
    team: 'Logistics',
  },
  { name: 'asset-lineage', path: (story) => `/assets/${story.ordersId}/lineage` },
  { name: 'asset-lineage-list', path: (story) => `/assets/${story.ordersId}/lineage?as=list` },
  { name: 'asset-quality', path: (story) => `/assets/${story.ordersId}/quality` },
  { name: 'asset-proposals', path: (story) => `/assets/${story.ordersId}/proposals` },
  { name: 'asset-source', path: () => '/assets?q=currencies', act: openSource },
  { name: 'asset-history', path: (story) => `/assets/${story.ordersId}/history` },
  {
    name: 'asset-try',
    path: (story) => `/assets/${story.ordersId}/try`,
    act: (page) => page.getByText('No effective change.').waitFor(),
    keepsWindow: true,
  },
  {
    name: 'asset-try-breaking',
    path: (story) => `/assets/${story.ordersId}/try`,
    act: typeBreaking,
    keepsWindow: true,
  },
  {
    name: 'asset-try-revise',
    path: (story) => `/assets/${story.ordersId}/try?revises=${story.proposalId}`,
    act: (page) => page.getByText('Breaking: consumers must approve it first.').waitFor(),
    keepsWindow: true,
  },
  { name: 'import', path: () => '/import' },
  { name: 'import-plan', path: () => '/import', act: openPlan },
  { name: 'import-rehearsed', path: () => '/import', act: rehearse },
  { name: 'asset-fields', path: () => '/assets?q=wide', act: openWide, isLong: true },
  { name: 'graph', path: () => '/graph', isLong: true },
  { name: 'graph-list', path: () => '/graph?as=list', isLong: true },
  { name: 'proposals', path: () => '/proposals?show=all', isLong: true },
  { name: 'proposals-inbox', path: () => '/proposals', team: 'Logistics' },
  { name: 'proposal', path: (story) => `/proposals/${story.proposalId}`, isLong: true },
  {
    name: 'proposal-force',
    path: (story) => `/proposals/${story.proposalId}`,
    act: askForce,
    keepsWindow: true,
  },
  {
    name: 'proposal-request',
    path: (story) => `/proposals/${story.proposalId}`,
    act: (page) => press(page, 'Edit'),
    keepsWindow: true,
  },
  { name: 'proposal-asked', path: (story) => `/proposals/${story.proposalId}`, team: 'Logistics' },
  { name: 'proposal-forced', path: (story) => `/proposals/${story.forcedId}` },
  { name: 'proposal-blocked', path: (story) => `/proposals/${story.blockedId}` },
  { name: 'proposal-deprecation', path: (story) => `/proposals/${story.deprecationId}` },
  { name: 'audit', path: () => '/audit', isLong: true },
  { name: 'audit-access', path: () => '/audit?about=access' },
  { name: 'audit-verified', path: () => '/audit', act: verify, keepsWindow: true },
  { name: 'event', path: () => '/audit?event_type=proposal.force_published', act: openEvent },
  { name: 'teams', path: () => '/teams', isLong: true },
  { name: 'keys', path: () => '/keys', isLong: true },
  { name: 'users', path: () => '/users', isLong: true },
  {
    name: 'users-new',
    path: () => '/users',
    act: (page) => press(page, 'New user'),
    keepsWindow: true,
  },
  { name: 'webhooks', path: () => '/webhooks' },
  {
    name: 'webhooks-new',
    path: () => '/webhooks',
    act: (page) => press(page, 'New notification'),
    keepsWindow: true,
  },
  { name: 'webhook', path: (story) => `/webhooks/${story.webhookId}` },
  { name: 'not-found', path: () => '/nowhere' },
];

const looks = [
  { name: 'light', scheme: 'light', width: 1280 },
  { name: 'dark', scheme: 'dark', width: 1280 },
  { name: 'narrow', scheme: 'light', width: 360 },
] as const;

const windowHeight = 900;
const bootstrapKey = 'bootstrap_for_the_screenshots';
const { values, positionals } = parseArgs({
  options: { rows: { type: 'string' } },
  allowPositionals: true,
});
const rows = values.rows === undefined ? null : Number(values.rows);
const [wanted] = positionals;
const target = join(
  import.meta.dirname,
  '../dist',
  rows === null ? 'screenshots' : 'screenshots-long',
);
const folder = await openFolder('concordat-screenshots-');
await buildPage();
await mkdir(target, { recursive: true });
const contracts = join(folder, 'contracts');
await writeContract(contracts);
const config = readConfig({
  PORT: '0',
  DATA_DIR: join(folder, 'data'),
  BOOTSTRAP_KEY: bootstrapKey,
  CONTRACTS_DIR: contracts,
  TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
});
if (!config.ok) throw new Error(config.problems.join('\n'));
const server = await start(config.config, createLog('error', 'json'));
const browser = await launchBrowser();
try {
  const story = await tellStory(server.url, bootstrapKey);
  await tellData(server.url, bootstrapKey, story);
  await tellNeeds(story);
  await tellWide(story);
  if (rows !== null) await fill(story, rows);
  for (const look of looks) await takeAll(story, look);
  await takeSignIn();
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Logistics says what it reads, and something is found of Logistics and of Analytics. */
async function tellNeeds({ ordersId, teams }: Story): Promise<void> {
  const client = createClient({ baseUrl: server.url, key: bootstrapKey });
  const { results } = bodyOf(await client.listRegistrations({ query: { asset_id: ordersId } }));
  for (const { id: registration_id, consumer_team_id } of results) {
    if (consumer_team_id === teams.finance.id) continue;
    const params = { registration_id };
    const fields = ['$.order_id', '$.status', '$.lines[*].sku', '$.shipping'];
    const places = [{ place: 'models/marts/orders.sql', fields: ['$.amount', '$.status'] }];
    bodyOf(await client.findNeeds({ params, body: { origin: 'dbt', source: 'marts', places } }));
    if (consumer_team_id !== teams.logistics.id) continue;
    bodyOf(
      await client.updateRegistration({
        params,
        body: { needs: { fields }, reason: 'They asked us to.' },
      }),
    );
  }
}

/** A contract of a wide table. */
async function tellWide({ teams }: Story): Promise<void> {
  const client = createClient({ baseUrl: server.url, key: bootstrapKey });
  const assetId = await createAsset(client, teams.orders, 'warehouse.sales.wide');
  const names = Array.from({ length: rows === null ? 60 : 2_000 }, (_, at) => `column_${at}`);
  const fields = names.map((name) => [name, { type: 'string', description: `What ${name} says.` }]);
  await publish(client, assetId, { type: 'object', properties: Object.fromEntries(fields) }, {});
}

async function fill(story: Story, count: number): Promise<void> {
  const client = new pg.Client(server.embeddedUrl);
  await client.connect();
  const query = async (statement: string) => (await client.query(statement)).rows;
  await insertManyRows({ query }, count, { assetId: story.ordersId });
  await client.end();
}

async function takeAll(story: Story, look: (typeof looks)[number]): Promise<void> {
  const { page, complaints, close } = await openPerson(browser, { url: server.url, ...look });
  await signIn(page, bootstrapKey);
  for (const shot of shots) {
    if (rows !== null && shot.isLong === undefined) continue;
    if (wanted !== undefined && !new RegExp(wanted).test(`${shot.name}-${look.name}`)) continue;
    await chooseTeam(page, story, shot.team ?? 'Orders');
    await page.goto(shot.path(story));
    await settle(page);
    await shot.act?.(page);
    const isGrown = rows === null && shot.keepsWindow === undefined;
    if (isGrown) await growWindow(page, look.width);
    const isWhole = isGrown || shot.name.startsWith('asset-try');
    const path = join(target, `${shot.name}-${look.name}.png`);
    await page.screenshot({ path, fullPage: isWhole });
    await page.setViewportSize({ width: look.width, height: windowHeight });
  }
  for (const complaint of complaints) process.stderr.write(`${look.name}: ${complaint}\n`);
  await close();
}

async function takeSignIn(): Promise<void> {
  for (const look of looks) {
    const { page, close } = await openPerson(browser, { url: server.url, ...look });
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.screenshot({ path: join(target, `sign-in-${look.name}.png`), fullPage: true });
    await close();
  }
}

/** As tall as the view, because parts are drawn only near the screen. */
async function growWindow(page: Page, width: number): Promise<void> {
  let height = windowHeight;
  for (let round = 0; round < 4; round++) {
    const needed = Number(await page.evaluate('document.documentElement.scrollHeight'));
    if (needed <= height) return;
    height = needed;
    await page.setViewportSize({ width, height });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  }
}

/**
 * The event stream never ends, so the network is never idle; the page's own state is checked
 * instead.
 */
async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

async function chooseTeam(page: Page, story: Story, name: string): Promise<void> {
  const team = Object.values(story.teams).find((one) => one.name === name);
  await page.evaluate((id) => localStorage.setItem('concordat.team', id), team?.id ?? '');
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).click();
}

/** Writes its file to a reconciled folder, for one of the story's teams. */
async function writeContract(contracts: string): Promise<void> {
  const file = {
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name: 'currencies', namespace: 'sales' },
    spec: {
      fqn: writtenElsewhere,
      team: 'orders',
      description: 'Each currency that can be paid in.',
      schema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
    },
  };
  await mkdir(join(contracts, 'sales'), { recursive: true });
  await writeFile(join(contracts, 'sales/currencies.yaml'), JSON.stringify(file, null, 2));
  await writeFile(join(folder, 'teams.yaml'), 'sales: orders\n');
}

async function openWide(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'warehouse.sales.wide' }).click();
  await page.getByText('column_0', { exact: true }).first().waitFor();
}

async function openSource(page: Page): Promise<void> {
  await page.getByRole('link', { name: writtenElsewhere }).click();
  await page.getByRole('link', { name: 'Source', exact: true }).click();
  await page.getByText('Ready: yes').waitFor();
}

async function verify(page: Page): Promise<void> {
  await press(page, 'Verify');
  await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click();
  await page.getByText('The trail is intact').waitFor();
}

async function openEvent(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Proposal published by force' }).click();
  await page.getByText('finding of the privacy audit').first().waitFor();
}

async function typeBreaking(page: Page): Promise<void> {
  await writeSchema(page, JSON.stringify(breakingOrder, null, 2));
  await page.getByText('Breaking: consumers must approve it first.').waitFor();
  await page.locator('.hit-breaks').getByText('Logistics').waitFor();
}

async function saveView(page: Page): Promise<void> {
  const save = page.getByRole('button', { name: 'Save this view' });
  if (!(await save.isVisible())) return;
  await save.click();
  await page.getByLabel('Name').fill('Our orders');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
}

async function showKeys(page: Page): Promise<void> {
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
}

async function findOrders(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('or');
  await page.getByRole('option', { name: 'warehouse.sales.orders' }).first().waitFor();
}

async function openPlan(page: Page): Promise<void> {
  await chooseFile(page, 'shop.graphql', shopSchema);
  await page
    .getByRole('button', { name: /^Show \d+ changes? graphql/ })
    .first()
    .click();
}

async function rehearse(page: Page): Promise<void> {
  await openPlan(page);
  await page.getByLabel('Publish the schemas as contracts').check();
  await page.getByLabel('Propose breaking changes to consumers').check();
  await press(page, 'Dry run');
  await page.getByText('Nothing is written yet.').waitFor();
}

async function askForce(page: Page): Promise<void> {
  await press(page, 'Force…');
  await page.getByLabel('Reason').fill('Legal wants it gone today.');
  await press(page, 'Continue');
}
