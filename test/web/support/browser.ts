// Debian's Chromium, driven by playwright-core. Tests fail if it is missing, because the page must
// be tested in a browser.

import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach } from 'vitest';
import { type Client, createClient } from '../../../src/wire/client.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';

const executable = process.env.CHROMIUM ?? '/usr/bin/chromium';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executable)) {
    throw new Error(
      `There is no Chromium at ${executable}. Install it (Debian: apt-get install chromium), or name it in CHROMIUM.`,
    );
  }
  return chromium.launch({ executablePath: executable, args: flags, headless: true });
}

/** A registry with its administrator, and a browser, shared by the tests of the file. */
export async function openBrowserForFile(...asked: Parameters<typeof openRegistry>): Promise<{
  readonly registry: TestRegistry;
  readonly browser: Browser;
  readonly admin: Client;
}> {
  printFailures();
  const registry = await openRegistry(...asked);
  afterAll(() => registry.stop());
  const browser = await launchBrowser();
  afterAll(() => browser.close());
  const admin = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
  return { registry, browser, admin };
}

/** Far longer than anything takes on a quiet machine, for busy ones. */
const patienceMs = 60_000;

export interface Person {
  readonly page: Page;
  /** The browser's complaints: policy violations, script errors, failed requests. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** The content and recent requests of each open page, printed if a test of it fails. */
const watched = new Map<Page, string[]>();

/** Only within a test file: pictures are taken by a script that has no tests. */
function printFailures(): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    for (const [page, asked] of watched) {
      const text = await page.locator('body').ariaSnapshot({ timeout: 1_000 }).catch(String);
      console.error(
        `${task.name}: ${page.url()} shows\n${text}\nand asked last\n${asked.join('\n')}`,
      );
    }
  });
}

/** Keeps the last requests of a page with their responses, to find the cause of a failure. */
function watch(page: Page): void {
  const asked: string[] = [];
  watched.set(page, asked);
  page.on('close', () => watched.delete(page));
  const keep = (line: string) => {
    asked.push(`${new Date().toISOString()} ${line}`);
    if (asked.length > 40) asked.shift();
  };
  page.on('request', (request) => keep(`${request.method()} ${request.url()}`));
  page.on('response', (answer) => keep(`${answer.status()} ${answer.url()}`));
  page.on('requestfailed', (request) =>
    keep(`failed ${request.url()}: ${request.failure()?.errorText}`),
  );
}

interface PersonOptions {
  readonly url: string;
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly zone?: string;
}

/** A person with a separate browser context. */
export async function openPerson(browser: Browser, options: PersonOptions): Promise<Person> {
  const context = await browser.newContext({
    baseURL: options.url,
    colorScheme: options.scheme ?? 'light',
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: options.zone ?? 'Europe/Berlin',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  watch(page);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('console', (message) => {
    // A refusal by the API looks like a failed resource, and is part of the test.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(options.url) || /^(data|blob):/.test(request.url());
    if (!isOwn) complaints.push(`another host: ${request.url()}`);
  });
  // As text, because it runs in the browser, whose types tests do not have.
  await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`);
  return { page, complaints, close: () => context.close() };
}

export async function signIn(page: Page, key: string, teamName?: string): Promise<void> {
  await page.goto('/');
  // Shown once the registry has said which ways there are.
  await page.getByRole('button', { name: 'With an API key' }).click();
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  if (teamName === undefined) return;
  await openMenu(page);
  const choice = page.getByLabel('Your team');
  // A key of one team has nothing to choose; the team is known once the sidebar is visible.
  if (await choice.isVisible()) await choice.selectOption({ label: teamName });
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
}

export async function signInByEmail(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
}

async function openMenu(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
}

/** To a view, by the menu: the view that is open may have a link of that name, too. */
export async function goTo(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Main' });
  await menu.getByRole('link', { name, exact: true }).click();
}
