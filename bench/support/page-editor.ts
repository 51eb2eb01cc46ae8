// The editor of schemas: how long it takes to open, and to draw a key in a document of about the
// size that is accepted at most.

import type { Browser, Page } from 'playwright-core';
import type { JsonObject } from '../../src/core/value/json.ts';
import { createClient } from '../../src/wire/client.ts';
import { openPerson, signIn } from '../../test/web/support/browser.ts';
import { createAsset, publish, type StoryTeam } from '../../test/web/support/story.ts';
import type { Figure } from './figure.ts';
import { quantile } from './load.ts';
import { bootstrapKey } from './processes.ts';

const rounds = 5;
const keys = 30;

/** 4,500 of these are 0.95 MiB as the editor shows them. */
const largeFields = 4_500;
const description = 'What the field means, in a sentence as long as people write. '.repeat(2);

export async function measureEditor(
  browser: Browser,
  url: string,
  { team, wideId }: { readonly team: StoryTeam; readonly wideId: string },
): Promise<Figure[]> {
  const admin = createClient({ baseUrl: url, key: bootstrapKey });
  const largeId = await createAsset(admin, team, 'large.table');
  await publish(admin, largeId, largeSchema(), {});
  const { page, close } = await openPerson(browser, { url });
  await signIn(page, bootstrapKey);
  const opened = await openings(page, wideId);
  const largeOpened = await openings(page, largeId);
  const drawn = await typing(page);
  await close();
  return [
    {
      name: 'editor of 2,000 fields: from the click to its first lines, p50',
      unit: 'ms',
      value: quantile(opened, 0.5),
      targetValue: 300,
    },
    { name: 'the same for 4,500 fields, 0.95 MiB', unit: 'ms', value: quantile(largeOpened, 0.5) },
    {
      name: 'typing there: a key to the frame it is in, p50',
      unit: 'ms',
      value: quantile(drawn, 0.5),
      targetValue: 50,
    },
    { name: 'the same, p95', unit: 'ms', value: quantile(drawn, 0.95) },
  ];
}

function largeSchema(): JsonObject {
  const field = { type: 'string', description };
  const names = Array.from({ length: largeFields }, (_, index) => `column_${index}`);
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, field])) };
}

async function openings(page: Page, assetId: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await page.goto(`/assets/${assetId}/history`);
    await page.getByRole('link', { name: 'Change the schema' }).first().waitFor();
    times.push(Number(await page.evaluate(openAndWait)));
  }
  return times.sort((a, b) => a - b);
}

const openAndWait = `new Promise((done) => {
  const started = performance.now();
  [...document.querySelectorAll('a')].find((link) => link.textContent === 'Change the schema').click();
  const look = () => requestAnimationFrame(() => {
    const host = document.querySelector('.schema-editor');
    if (!host?.shadowRoot?.querySelector('.cm-line')) return look();
    setTimeout(() => done(performance.now() - started));
  });
  look();
})`;

async function typing(page: Page): Promise<number[]> {
  await page.getByText('No effective change.').waitFor();
  await page.getByRole('textbox', { name: 'Schema', exact: true }).press('Control+Home');
  await page.keyboard.press('ArrowDown');
  await page.evaluate(`window.drawn = [];
    addEventListener('keydown', () => {
      const started = performance.now();
      requestAnimationFrame(() => setTimeout(() => window.drawn.push(performance.now() - started)));
    }, true);`);
  for (let key = 0; key < keys; key++) await page.keyboard.press('Space');
  await page.waitForFunction(`window.drawn.length === ${keys}`);
  return (JSON.parse(String(await page.evaluate('JSON.stringify(window.drawn)'))) as number[]).sort(
    (a, b) => a - b,
  );
}
