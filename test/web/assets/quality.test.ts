// The results of checks of an asset's data: figures, bars and rows that agree.

import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import type { Client } from '../../../src/wire/client.ts';
import { expectAddress } from '../support/address.ts';
import { findViolations } from '../support/axe.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { hostile } from '../support/markup.ts';
import { bodyOf, createAsset, createTeam } from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let person: Person;
let assetId: string;
let quietId: string;

/** One page, and two on the second. */
const runCount = 52;

beforeAll(async () => {
  const team = await createTeam(admin, 'Orders');
  assetId = await createAsset(admin, team, 'shop.public.orders');
  quietId = await createAsset(admin, team, 'shop.public.carts');
  for (let index = 0; index < runCount; index++) await record(admin, index);
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});

/** Every tenth run fails one of its three guarantees; run 0 is the newest. */
async function record(admin: Client, index: number): Promise<void> {
  const isFailed = index % 10 === 3;
  bodyOf(
    await admin.recordQualityRun({
      params: { asset_id: assetId },
      body: {
        status: isFailed ? 'failed' : 'passed',
        triggered_by: hostile('trigger'),
        run_id: `run-${index}`,
        guarantees: [
          { name: 'not_null_id', status: 'passed' },
          { name: 'fresh', status: index % 10 === 5 ? 'warned' : 'passed' },
          isFailed
            ? { name: hostile('guarantee'), status: 'failed', rows: 3, message: hostile('found') }
            : { name: hostile('guarantee'), status: 'passed' },
        ],
        finished_at: new Date(Date.now() - (index + 1) * 3_600_000).toISOString(),
      },
    }),
  );
}

async function recordFailing(
  guarantee: { name: string; status: 'failed'; rows: number },
  metadata: JsonObject,
): Promise<void> {
  const params = { asset_id: quietId };
  const body = { status: 'failed', triggered_by: 'concordat check', metadata } as const;
  bodyOf(await admin.recordQualityRun({ params, body: { ...body, guarantees: [guarantee] } }));
}

describe('Quality runs', { concurrent: false }, () => {
  test('are bars, with a cross if they failed, and rows with details', async () => {
    const { page, complaints } = person;
    await page.goto(`/assets/${assetId}/quality`);
    await page.getByText('50 of 52 runs').waitFor();
    expect(await page.locator('[data-run]').count()).toBe(50);
    expect(await page.locator('[data-run] .plot-cross').count()).toBe(5);
    expect(await page.locator('[data-run="failed"] .plot-cross').count()).toBe(5);
    expect(await page.locator('[data-run] .plot-bar-warned').count()).toBe(5);
    await page.getByRole('img', { name: /^50 runs from .* 5 failed\./ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(51);
    const failed = page.getByRole('row').filter({ hasText: 'run-3' }).first();
    expect(await failed.textContent()).toContain('1 of 3 failed');
    expect(await failed.textContent()).toContain('3 rows');
    const warned = page.getByRole('row').filter({ hasText: 'run-5' }).first();
    expect(await warned.textContent()).toContain('2 of 3 kept');
    expect(await findViolations(page)).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  test('are summarized for a day, a week and a month', async () => {
    const { page } = person;
    const lately = page.locator('.trends > li');
    expect(
      (await lately.allTextContents()).map((text) => text.replace(/Failed most.*/, '')),
    ).toEqual([
      expect.stringMatching(/^Last 24 hours.*of 2[34] runs failed$/),
      'Last 7 days90.4% passed5 of 52 runs failed',
      'Last 30 days90.4% passed5 of 52 runs failed',
    ]);
  });

  test('can be paged, and filtered to failed ones, by address', async () => {
    const { page } = person;
    await page.getByRole('button', { name: 'Older runs' }).click();
    await page.getByText('2 of 52 runs').waitFor();
    expect(await page.locator('[data-run]').count()).toBe(2);
    await page.reload();
    await page.getByText('2 of 52 runs').waitFor();
    await page.getByLabel('Result').selectOption('failed');
    await page.getByText('5 of 5 runs').waitFor();
    expect(await page.locator('[data-run="passed"]').count()).toBe(0);
    await expectAddress(page, 'search').toBe('?status=failed');
  });

  test('show markup in triggers and guarantees as text', async () => {
    const { page, complaints } = person;
    for (const place of ['trigger', 'guarantee', 'found']) {
      await page
        .getByRole('cell', { name: `<b>${place}</b>` })
        .first()
        .waitFor();
    }
    expect(await page.evaluate('window.taken')).toBe(undefined);
    expect(await page.locator('main b, main script').count()).toBe(0);
    expect(complaints.splice(0)).toEqual([]);
  });

  test('say so if there are none', async () => {
    const { page } = person;
    await page.goto(`/assets/${quietId}/quality`);
    await page.getByText('No run has been recorded.').waitFor();
    expect(await page.locator('.trends').textContent()).toBe(
      'Last 24 hoursno runsLast 7 daysno runsLast 30 daysno runs',
    );
    await page.getByLabel('Result').selectOption('failed');
    await page.getByText('No matching runs.').waitFor();
  });

  test('say since when the data does not match, and show values that were found', async () => {
    const { page } = person;
    const found = { name: '$.id type', status: 'failed' as const, rows: 2 };
    const samples = [
      'x',
      { value: 7, row: { day: '2026-01-01', number: 3 } },
      { row: { line: 8 } },
    ];
    await recordFailing(found, { samples: { [found.name]: samples } });
    await page.goto(`/assets/${quietId}/quality`);
    await page.getByText('concordat check: 1 run has failed since').waitFor();
    const shown = 'for example "x", 7 in day "2026-01-01", number 3, in line 8';
    await page.getByRole('cell', { name: shown }).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });
});
