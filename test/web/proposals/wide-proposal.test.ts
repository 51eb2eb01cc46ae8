// A proposal that changes 400 of 2,000 fields in the same way stays as readable as a small one.

import { beforeAll, expect, test } from 'vitest';
import { findViolations } from '../support/axe.ts';
import { openBrowserForFile, openPerson, signIn } from '../support/browser.ts';
import { createAsset, createTeam, propose, publish, register } from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let proposalId: string;

const fieldCount = 2_000;
const changedCount = 400;

beforeAll(async () => {
  const owner = await createTeam(admin, 'Wide');
  const consumer = await createTeam(admin, 'Reader');
  const assetId = await createAsset(admin, owner, 'wide.table');
  const contractId = await publish(admin, assetId, wideSchema(0), {});
  await register(admin, contractId, consumer, 'Reads every column.');
  proposalId = await propose(admin, assetId, wideSchema(changedCount));
});

/** The first fields are numbers, the others text. All are required, so examples have all of them. */
function wideSchema(numbers: number) {
  const names = Array.from({ length: fieldCount }, (_, index) => `column_${index}`);
  const fields = names.map((name, index) => [
    name,
    { type: index < numbers ? 'integer' : 'string' },
  ]);
  return { type: 'object', properties: Object.fromEntries(fields), required: names };
}

test('alike changes stand together, with one example that shows what changed', async () => {
  const { page, complaints, close } = await openPerson(browser, { url: registry.url });
  await signIn(page, registry.bootstrapKey);
  const started = performance.now();
  await page.goto(`/proposals/${proposalId}`);
  const changes = page.getByRole('list', { name: 'Changes, breaking ones first' });
  const row = changes.locator('.change');
  await row.getByText('400 alike').waitFor();
  expect(await row.count()).toBe(1);
  expect(await row.getByRole('region').textContent()).toMatch(
    /^\{\n {2}"column_0": "",\n {2}… 1,999 more fields\n\}$/,
  );
  await page.getByRole('rowheader', { name: 'column_0', exact: true }).waitFor();
  process.stdout.write(`wide proposal: ${Math.round(performance.now() - started)} ms\n`);
  const nodes = Number(await page.evaluate('document.querySelectorAll("*").length'));
  process.stdout.write(`wide proposal: ${nodes} nodes\n`);
  expect(nodes).toBeLessThan(5_000);
  expect(await findViolations(page)).toEqual([]);

  // Everything is there for those who ask.
  await row.getByRole('button', { name: '1,999 more fields' }).click();
  await row.getByText('"column_1999"').waitFor();
  await row.getByRole('button', { name: 'Show all 400' }).click();
  const places = row.getByRole('list', { name: 'Places' });
  await places.getByText('column_399').waitFor();
  expect(complaints).toEqual([]);
  await close();
});
