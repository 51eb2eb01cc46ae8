// Graphs with 200 boxes: a lineage, and the graph of all teams.

import type { Browser, Page } from 'playwright-core';
import { openPerson, signIn } from '../../test/web/support/browser.ts';
import type { Figure } from './figure.ts';
import { quantile } from './load.ts';
import { openMeter } from './page-meter.ts';
import { type BenchDatabase, bootstrapKey } from './processes.ts';

const graphBoxes = 200;
const graphViews = 10;

/** From the list to the graph of the same answer, which measures layout and drawing. */
export async function measureGraphs(
  browser: Browser,
  url: string,
  database: BenchDatabase,
): Promise<Figure[]> {
  const rootId = await tellGraphs(database);
  const { page, close } = await openPerson(browser, { url });
  await signIn(page, bootstrapKey);
  const meter = await openMeter(await page.context().newCDPSession(page));
  const figures: Figure[] = [];
  const views = [
    { name: 'lineage', path: `/assets/${rootId}/lineage?as=list` },
    { name: 'graph of the whole', path: '/graph?as=list' },
  ];
  for (const { name, path } of views) {
    await page.goto(path);
    await page
      .locator('.table-cards tbody tr')
      .nth(graphBoxes - 2)
      .waitFor();
    const times: number[] = [];
    let taskMs = 0;
    for (let round = 0; round < graphViews; round++) {
      const before = await meter.read();
      times.push(await showGraph(page));
      taskMs += (await meter.read()) - before;
    }
    times.sort((a, b) => a - b);
    figures.push(
      {
        name: `${name} of ${graphBoxes} boxes: from the click to the frame it is in, p50`,
        unit: 'ms',
        value: quantile(times, 0.5),
        targetValue: 500,
      },
      { name: 'the same, slowest', unit: 'ms', value: times.at(-1) ?? 0, targetValue: 500 },
      { name: 'the same: the thread of the page', unit: 'ms', value: taskMs / graphViews },
    );
  }
  await close();
  return figures;
}

/**
 * A lineage of 200 assets, each made from up to three earlier ones, and 200 teams that each use the
 * data of three others.
 */
async function tellGraphs(database: BenchDatabase): Promise<string> {
  await database.query(
    `insert into team (id, name, slug, metadata, created_at, updated_at)
     select gen_random_uuid(), 'Team ' || n, 'team-' || n, '{}', now(), now()
     from generate_series(2, ${graphBoxes}) n`,
  );
  await database.query(
    `insert into asset (id, fqn, environment, owner_team_id, guarantee_mode, auto_publish, metadata,
       search_text, tags, created_at, updated_at)
     select gen_random_uuid(), 'lineage.model_' || lpad(n::text, 3, '0'), 'graph', team.id, 'notify',
       false, '{}', 'lineage', '{}', now(), now()
     from generate_series(0, ${graphBoxes - 1}) n
     join (select id, row_number() over (order by created_at, id) - 1 as n from team) team using (n)`,
  );
  await database.query(
    `with model as (
       select id, row_number() over (order by fqn) - 1 as n from asset where environment = 'graph')
     insert into dependency (id, asset_id, depends_on_asset_id, type, source, created_at)
     select gen_random_uuid(), model.id, behind.id, 'transforms', 'manual', now()
     from model
     join lateral (values ((model.n - 1) / 2), ((model.n - 1) / 3), (model.n / 5)) step (n) on true
     join model behind on behind.n = step.n and behind.n < model.n
     group by model.id, behind.id`,
  );
  const [root] = await database.query(
    `select id from asset where environment = 'graph' and fqn = 'lineage.model_000'`,
  );
  return String(root?.id);
}

/** Until the frame after all boxes are drawn; then back to the list. */
async function showGraph(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`new Promise((done) => {
      const press = (name) => [...document.querySelectorAll('.segments button')]
        .find((button) => button.textContent === name).click();
      const count = () => document.querySelectorAll('[data-node]').length;
      const started = performance.now();
      press('Graph');
      const back = (took) => requestAnimationFrame(() => {
        if (count() > 0) return back(took);
        setTimeout(() => done(took));
      });
      const look = () => requestAnimationFrame(() => {
        if (count() < ${graphBoxes}) return look();
        setTimeout(() => {
          const took = performance.now() - started;
          press('List');
          back(took);
        });
      });
      look();
    })`),
  );
}
