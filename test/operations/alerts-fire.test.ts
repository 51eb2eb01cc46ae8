// Five alerts, drawn by chance, fire on a real registry in trouble: what it reports is scraped, the state
// is said to last, and Prometheus' own tool evaluates the rules. The lines of each runbook run as
// copied, and show the cause. SEED repeats a draw, ALERTS=all takes every alert, and
// ALERTS=ConcordatDown,ConcordatIsSlow these.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../src/core/value/json.ts';
import { at, one } from '../chart/release.ts';
import { render } from '../chart/render.ts';
import { publishedAsset } from '../support/client/client-world.ts';
import type { TestCluster } from '../support/kubernetes/kubernetes.ts';
import { seed, shuffled } from '../support/shuffled.ts';
import { clusterTroubles } from './night/cluster-troubles.ts';
import { openNight, startReleaseCluster } from './night/night.ts';
import { type Trouble, troubles } from './night/troubles.ts';

const all: Readonly<Record<string, Trouble>> = { ...troubles, ...clusterTroubles };
const names = Object.keys(all);
const asked = process.env.ALERTS;
const drawn = asked === 'all' ? names : (asked?.split(',') ?? shuffled(names, seed).slice(0, 5));

let rules: Json;
let cluster: TestCluster | null = null;

beforeAll(async () => {
  const release = await render({
    metrics: { prometheusRule: { enabled: true } },
    checks: { enabled: true },
    secretSettings: 'registry-settings',
    replicas: 2,
  });
  rules = at(one(release, 'PrometheusRule'), 'spec');
  if (drawn.some((name) => all[name]?.hasCluster)) cluster = await startReleaseCluster(release);
});
afterAll(() => cluster?.stop());

test('each alert has a trouble that makes it fire', () => {
  const runbooks = readdirSync(join(import.meta.dirname, '../../docs/runbooks'));
  const alerts = runbooks.filter((file) => file.startsWith('Concordat'));
  expect(names.map((name) => `${name}.md`).sort()).toEqual(alerts.sort());
});

/** Those that fire of a registry that does a little work. */
async function firingWithoutTrouble(): Promise<readonly string[]> {
  const settings = { SECRET_KEY: 'a key of the tests that is long enough for it' };
  const night = await openNight({ replicas: 2, settings }, null);
  try {
    await night.scrape();
    await publishedAsset(night.world.producer);
    await night.scrape();
    // Neither a folder nor a cluster is reconciled here, so nobody leads.
    const asked = names.filter((name) => name !== 'ConcordatNobodyLeads');
    return await night.firing(asked, rules);
  } finally {
    await night.end();
  }
}

test('a registry that is well fires none of them', async () => {
  // On a machine that is busy with other things it is slow, and an alert says so: it is asked again until it is not.
  await expect.poll(firingWithoutTrouble, { timeout: 540_000 }).toEqual([]);
});

describe(`in the order of SEED=${seed}`, () => {
  test.each(drawn)(
    '%s fires, its runbook shows the cause, and no alert names another',
    async (name) => {
      const trouble = all[name];
      if (trouble === undefined) throw new Error(`there is no ${name}`);
      const night = await openNight(trouble, trouble.hasCluster === true ? cluster : null);
      try {
        await trouble.make(night);
        await night.scrape();
        const shown = await night.read(name);
        await night.heal();
        for (const cause of trouble.shows) expect(shown).toMatch(cause);
        const silent = trouble.silent ?? [];
        expect(await night.firing([name, ...silent], rules)).toEqual([name]);
      } finally {
        await night.end();
      }
    },
  );
});
