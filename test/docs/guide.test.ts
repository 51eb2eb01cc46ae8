// Every command line of the guide is run unchanged, page by page.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { scriptOf } from './blocks.ts';
import { openWorld, type World } from './world.ts';

let world: World;

beforeEach(async () => {
  world = await openWorld();
});

afterEach(() => world?.stop());

const run = (page: string) => world.run(scriptOf(`docs/guide/${page}.md`, 'run'));

test('ten minutes with the API', async () => {
  const [, , , registered, minor, impact, published, answers] = await run('rest');
  expect(registered).toBe('active');
  expect(minor).toBe('1.1.0');
  expect(impact).toContain('total');
  expect(published?.split('\n')).toEqual(['0', '2.0.0']);
  expect(answers).toContain('The same asset.');
  expect(answers).toContain('ASSET_NOT_FOUND');
  expect(answers).toContain('proposal.published');
});

test('ten minutes in CI', async () => {
  const [, diff, comment, accepted, published, impact] = await run('ci');
  expect(diff).toContain('The exit code is 1.');
  expect(diff).toContain('$.properties.email');
  expect(comment).not.toContain('exit code');
  expect(accepted).toContain('email_hash');
  expect(published).toContain('1.0.0');
  expect(impact).toContain('warehouse.sales.order_events');
});

test('ten minutes of operation', async () => {
  const [config, health, migrated, audit] = await run('operate');
  expect(config).toContain('DATABASE_URL');
  expect(config).toContain('Refused.');
  expect(health).toContain('"status"');
  expect(migrated).not.toBe('');
  expect(audit).not.toBe('');
});

test('how to consume', async () => {
  const [, version, , , answered, secret] = await run('how-to-consume');
  expect(version).toBe('1.1.0');
  expect(answered).toContain('warehouse.sales.orders');
  expect(secret?.length).toBeGreaterThan(10);
});

test('how to change a contract', async () => {
  const [, withdrawn, breaks, published, mode, history] = await run('how-to-change');
  expect(breaks).toContain('customer_id');
  expect(withdrawn).toBe('withdrawn');
  expect(published).toContain('1.2.0');
  expect(mode).toContain('warehouse.sales.orders');
  expect(history).toContain('property_added');
  expect(history).toContain('contract.published');
});

test('how to import', async () => {
  const [, , imported, broken, proposed, results, graphql] = await run('how-to-import');
  expect(imported).toContain('lake.shop.invoices');
  expect(broken).toContain('The exit code is 1.');
  expect(broken).toContain('Finance');
  expect(broken).toMatch(/: breaking, 1 of 1 change\n {4}Affected: Analytics and Finance/);
  expect(proposed).toContain('proposal');
  expect(results).toContain('quality runs recorded');
  expect(graphql).toContain('weight');
});
