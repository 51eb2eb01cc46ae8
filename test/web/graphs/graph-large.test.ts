// The graph of an organisation with 153 teams and more than a thousand lines between them.

import { beforeAll, describe, expect, test } from 'vitest';
import { addressOf } from '../support/address.ts';
import { findViolations } from '../support/axe.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';

const { registry, browser } = await openBrowserForFile();
let person: Person;

const id = (text: string) =>
  `overlay(overlay(md5(${text}) placing '7' from 13) placing '8' from 17)::uuid`;

beforeAll(async () => {
  const { query } = registry.database;
  await query(`insert into team (id, name, slug, metadata, created_at, updated_at)
    select ${id("'t' || i")}, 'Team ' || i, 'team-' || i, '{}', now(), now()
    from generate_series(1, 153) i`);
  await query(`insert into asset (id, fqn, environment, owner_team_id, guarantee_mode,
      auto_publish, metadata, tags, search_text, created_at, updated_at)
    select ${id("'a' || i")}, 'many.of_' || i, 'production', ${id("'t' || i")}, 'notify', false,
      '{}', '{}', '', now(), now() from generate_series(1, 153) i`);
  // The first teams use nothing, and nobody uses the data of the last ones.
  await query(`insert into dependency (id, asset_id, depends_on_asset_id, type, source, created_at)
    select gen_random_uuid(), ${id("'a' || i")}, ${id("'a' || (1 + (i * 7 + k * 13) % 140)")},
      'transforms', 'manual', now()
    from generate_series(11, 153) i, generate_series(1, 8) k
    where i <> 1 + (i * 7 + k * 13) % 140`);
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, registry.bootstrapKey);
});

const frame = () => person.page.locator('.graph-frame');
const boxes = () => person.page.locator('[data-node]');

describe('The graph of many teams', { concurrent: false }, () => {
  test('shows all teams at once, and bundles their lines', async () => {
    const { page, complaints } = person;
    const started = performance.now();
    await page.goto('/graph');
    await page.getByText('153 teams, 153 assets, 1,1').waitFor();
    await page.getByText('Only 1,000 of 1,137 lines are shown').waitFor();
    await boxes().first().waitFor();
    process.stdout.write(`graph of 153 teams: ${Math.round(performance.now() - started)} ms\n`);
    expect(await boxes().count()).toBe(153);
    expect(await page.evaluate(isPictureInFrame)).toBe(true);
    // Each bundle counts its lines; only those of one team are drawn one by one.
    const counts = (await page.locator('.graph-bundle text').allTextContents()).map((text) =>
      Number(/[\d,]+(?= lines?)/.exec(text)?.[0].replace(',', '')),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_000);
    expect(await page.locator('.graph-edge').count()).toBeLessThan(60);
    expect(await findViolations(page)).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  test('is zoomed, fitted again, and moved with the mouse', async () => {
    const { page } = person;
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await page.evaluate(isPictureInFrame)).toBe(false);
    const before = Number(await frame().evaluate('(frame) => frame.scrollLeft'));
    await frame().hover({ position: { x: 5, y: 5 } });
    const box = await frame().boundingBox();
    if (box === null) throw new Error('The graph has no frame.');
    // Between two columns of boxes.
    const [x, y] = (await page.evaluate(freePlace)) as [number, number];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 60, y);
    await page.mouse.up();
    expect(Number(await frame().evaluate('(frame) => frame.scrollLeft'))).toBe(before + 60);
    await page.getByRole('button', { name: 'Fit' }).click();
    expect(await page.evaluate(isPictureInFrame)).toBe(true);
  });

  test('finds a team, and opens it with one step around it', async () => {
    const { page, complaints } = person;
    await page.getByLabel('Find in the graph').fill('team 77');
    await page.keyboard.press('Enter');
    const focused = () =>
      page.evaluate('document.activeElement.querySelector("title").textContent');
    expect(await focused()).toContain('Team 77,');
    await page.keyboard.press('Enter');
    await page.getByText('Team 77 and one step around it').waitFor();
    await expect
      .poll(async () => new URL(await addressOf(page)).searchParams.get('around'))
      .not.toBe(null);
    const shown = await boxes().count();
    expect(shown).toBeGreaterThan(8);
    expect(shown).toBeLessThan(40);
    expect(await page.locator('.graph-edge').count()).toBe(shown - 1);
    expect(await page.locator('.graph-bundle').count()).toBe(0);

    await page
      .getByRole('link', { name: /^Expand Team/ })
      .first()
      .click();
    await page.getByText(/^Team 77, Team \d+ and one step around them/).waitFor();
    expect(await boxes().count()).toBeGreaterThan(shown);
    expect(await findViolations(page)).toEqual([]);
    await page.goBack();
    await page.getByText('Team 77 and one step around it').waitFor();
    await page.getByRole('link', { name: 'All teams' }).click();
    await page.locator('.graph-bundle').first().waitFor();
    expect(complaints.splice(0)).toEqual([]);
  });
});

/** Runs in the browser: whether the whole picture is visible without scrolling. */
const isPictureInFrame = `(() => {
  const frame = document.querySelector('.graph-frame');
  return frame.scrollWidth <= frame.clientWidth + 1 && frame.scrollHeight <= frame.clientHeight + 1;
})()`;

/** Runs in the browser: a place in the picture without a box. */
const freePlace = `(() => {
  const { left, top, width, height } = document.querySelector('.graph-frame').getBoundingClientRect();
  for (let x = left + width / 2; x < left + width; x += 3) {
    for (let y = top + height / 2; y < top + height; y += 3) {
      if (document.elementFromPoint(x, y)?.closest('[data-node]') === null) return [x, y];
    }
  }
  throw new Error('Boxes are everywhere.');
})()`;
