// The story of `make run`: a table breaks its contract, and its consumers are told once.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../src/wire/client.ts';
import { type Newcomer, startNewcomer } from '../../docs/newcomer.ts';
import { openReceiver, type Receiver } from '../../notify/receiver.ts';
import { must } from '../../support/client/client-world.ts';
import { launchBrowser, openPerson, signIn } from '../support/browser.ts';

let folder: string;
let receiver: Receiver;
let server: Newcomer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concordat-checked-'));
  receiver = await openReceiver();
  server = await startNewcomer(folder, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
});
afterAll(async () => {
  await server?.stop();
  await receiver?.stop();
  await rm(folder, { recursive: true, force: true });
});

const settings = `export CONCORDAT_URL=http://localhost:8080
  export CONCORDAT_KEY="$(cat .concordat/bootstrap-key)"
  export CONCORDAT_SOURCE="$(cat .concordat/story-source)"`;
const check =
  'concordat check --contract warehouse.sales.orders --table sales.orders --report || echo "exit code $?"';
const run = async (...commands: readonly string[]) =>
  (await server.run([settings, ...commands].join('\n'))).join('\n');

test('a check finds the rows, the page shows the run, and the consumer is told when the incident begins and ends', async () => {
  expect(await run('concordat story repair', check)).toContain('500 rows: the data matches');
  const key = await run('cat .concordat/bootstrap-key');
  const client = createClient({ baseUrl: server.url, key });
  const teams = must(await client.listTeams({ query: {} }), 200).results;
  const finance = teams.find(({ name }) => name === 'Finance');
  const body = { url: receiver.url, team_id: finance?.id ?? '' };
  must(await client.createWebhook({ body }), 201);

  const found = await run('concordat story break', check);
  expect(found).toMatch(/✗ \$\.amount minimum in 1 row: .* in order_id "[0-9a-f-]{36}"/);
  expect(found).toContain('exit code 1');
  expect(await run(check)).toContain('exit code 1');

  const browser = await launchBrowser();
  try {
    const { page, complaints } = await openPerson(browser, { url: server.url });
    await signIn(page, key);
    const query = { fqn: 'warehouse.sales.orders' };
    const [asset] = must(await client.listAssets({ query }), 200).results;
    await page.goto(`/assets/${asset?.id}/quality`);
    await page.getByText('concordat check: 2 runs have failed since').waitFor();
    const newest = (await page.getByRole('row').nth(1).textContent()) ?? '';
    expect(newest).toContain('500 rows checked');
    expect(newest).toMatch(/\$\.amount minimum.*for example -\d+\.\d+ in order_id "[0-9a-f-]{36}"/);
    expect(newest).toContain('1.1.0');

    expect(await run('concordat story repair', check)).toContain('500 rows: the data matches');
    await page.reload();
    await page.getByText('5 of 5 runs').waitFor();
    expect(await page.getByText('have failed since').count()).toBe(0);
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
  const told = () => receiver.taken().map(({ event }) => event.metadata);
  await expect.poll(told, { timeout: 60_000 }).toMatchObject([
    {
      ...{
        incident: 'opened',
        version: '1.1.0',
        failed_guarantees: ['$.amount minimum', '$.status enum'],
      },
      samples: { '$.amount minimum': [{ row: { order_id: expect.any(String) } }] },
    },
    { incident: 'closed' },
  ]);
  expect(receiver.taken().every(({ teams }) => teams.some(({ id }) => id === finance?.id))).toBe(
    true,
  );
});
