// A proposal that changes 400 of 2,000 fields: from its address to the changes and the consumers.

import type { Browser } from 'playwright-core';
import type { JsonObject } from '../../src/core/value/json.ts';
import { createClient } from '../../src/wire/client.ts';
import { openPerson, signIn } from '../../test/web/support/browser.ts';
import {
  createAsset,
  createTeam,
  propose,
  publish,
  register,
  type StoryTeam,
} from '../../test/web/support/story.ts';
import type { Figure } from './figure.ts';
import { quantile } from './load.ts';
import { type Behind, openMeter, watchBehind } from './page-meter.ts';
import { bootstrapKey } from './processes.ts';

const fieldCount = 2_000;
const changedCount = 400;
const openings = 5;

export async function measureProposal(
  browser: Browser,
  url: string,
  { team, ...behind }: Behind & { readonly team: StoryTeam },
): Promise<Figure[]> {
  const id = await proposeWide(url, team);
  const { page, close } = await openPerson(browser, { url });
  await signIn(page, bootstrapKey);
  const meter = await openMeter(await page.context().newCDPSession(page));
  const times: number[] = [];
  const spentBehind = watchBehind(behind);
  let taskMs = 0;
  for (let opening = 0; opening < openings; opening++) {
    const startedAt = performance.now();
    await page.goto(`/proposals/${id}`);
    await page.getByText(`${changedCount} alike`).waitFor();
    await page.getByRole('rowheader', { name: 'column_0', exact: true }).waitFor();
    times.push(performance.now() - startedAt);
    // A new document counts from zero.
    taskMs += await meter.read();
  }
  const figuresBehind = spentBehind(openings);
  await close();
  times.sort((a, b) => a - b);
  return [
    {
      name: 'proposal of 400 of 2,000 fields: from its address to its changes, p50',
      unit: 'ms',
      value: quantile(times, 0.5),
      targetValue: 1_000,
    },
    { name: 'the same, slowest', unit: 'ms', value: times.at(-1) ?? 0, targetValue: 1_000 },
    { name: 'the same: the thread of the page', unit: 'ms', value: taskMs / openings },
    ...figuresBehind,
  ];
}

async function proposeWide(url: string, owner: StoryTeam): Promise<string> {
  const admin = createClient({ baseUrl: url, key: bootstrapKey });
  const consumer = await createTeam(admin, 'Reader');
  const assetId = await createAsset(admin, owner, 'wide.proposed');
  const contractId = await publish(admin, assetId, wideSchema(0), {});
  await register(admin, contractId, consumer, 'Reads every column.');
  return propose(admin, assetId, wideSchema(changedCount));
}

/** All fields are required, so the example of each change has all of them. */
function wideSchema(numbers: number): JsonObject {
  const names = Array.from({ length: fieldCount }, (_, index) => `column_${index}`);
  const fields = names.map((name, index) => [
    name,
    { type: index < numbers ? 'integer' : 'string' },
  ]);
  return { type: 'object', properties: Object.fromEntries(fields), required: names };
}
