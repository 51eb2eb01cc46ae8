// The palette among 100,000 assets: from a letter to the frame that its results are in.

import type { Browser, Page } from 'playwright-core';
import { openPerson, signIn } from '../../test/web/support/browser.ts';
import type { Figure } from './figure.ts';
import { quantile } from './load.ts';
import { type Behind, openMeter, watchBehind } from './page-meter.ts';
import { type BenchDatabase, bootstrapKey } from './processes.ts';

const assetCount = 100_000;
/** As people type them. Each begins otherwise, because the page keeps what it was told. */
const typed = [
  'table_70424',
  'stock.area_07.table_5',
  'area_42 table_9',
  '80021',
  'warehouse',
] as const;

export async function measurePalette(
  browser: Browser,
  url: string,
  behind: Behind,
): Promise<Figure[]> {
  await fill(behind.database);
  const { page, close } = await openPerson(browser, { url });
  await signIn(page, bootstrapKey);
  const meter = await openMeter(await page.context().newCDPSession(page));
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  const times: number[] = [];
  const taskBefore = await meter.read();
  const spentBehind = watchBehind(behind);
  for (const text of typed) {
    for (let length = 1; length <= text.length; length++) {
      times.push(await typeAndWait(page, text.slice(0, length)));
    }
  }
  const taskMs = (await meter.read()) - taskBefore;
  const figuresBehind = spentBehind(times.length);
  await page.getByRole('option', { name: 'Warehouse' }).waitFor();
  await close();
  times.sort((a, b) => a - b);
  return [
    {
      name: 'palette among 100,000 assets: a letter to the frame of its results, p50',
      unit: 'ms',
      value: quantile(times, 0.5),
    },
    { name: 'the same, p95', unit: 'ms', value: quantile(times, 0.95), targetValue: 50 },
    { name: 'the same: the thread of the page', unit: 'ms', value: taskMs / times.length },
    ...figuresBehind,
  ];
}

/** The words that the service writes, with names that no other figure is about. */
async function fill(database: BenchDatabase): Promise<void> {
  await database.query(
    `insert into asset (id, fqn, environment, owner_team_id, guarantee_mode, auto_publish, metadata,
       resource_type, tags, search_text, created_at, updated_at)
     select gen_random_uuid(), fqn, 'production', (select id from team limit 1), 'notify', false,
       '{}', 'model', '{}', translate(fqn, '._', '  '), now(), now()
     from (select 'stock.area_' || lpad((n % 100)::text, 2, '0') || '.table_' || n as fqn
       from generate_series(1, ${assetCount} - (select count(*) from asset)) n) named`,
  );
  await database.query('vacuum (analyze)');
}

/** Measured in the page: from the letter to the frame after its results are there. */
async function typeAndWait(page: Page, text: string): Promise<number> {
  return Number(
    await page.evaluate(`new Promise((done) => {
      const input = document.querySelector('.palette input');
      const list = document.querySelector('.palette [role=listbox]');
      const started = performance.now();
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
      set.call(input, ${JSON.stringify(text)});
      input.dispatchEvent(new Event('input', { bubbles: true }));
      const look = () => requestAnimationFrame(() => {
        if (list.getAttribute('aria-busy') !== 'false') return look();
        setTimeout(() => done(performance.now() - started));
      });
      look();
    })`),
  );
}
