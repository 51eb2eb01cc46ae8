// Every command of the README and the guide is run as it stands: all pages in a random order on one
// server, twice. The second time, each page finds what it and the others left behind.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seed, shuffled } from '../support/shuffled.ts';
import { scriptOf } from './blocks.ts';
import type { Newcomer } from './newcomer.ts';
import { openWorld } from './world.ts';

type Check = (parts: readonly string[]) => void;

/** What a reader sees, block by block. */
const pages: Readonly<Record<string, Check>> = {
  'README.md': ([, demo, published, proposed, acknowledged, forced, key, files]) => {
    expect(demo).toContain('warehouse.sales.orders');
    expect(demo).toContain('Analytics: no answer yet');
    expect(published).toContain('1.0.0 is active');
    expect(published).toContain('It is asked before');
    expect(proposed).toMatch(/✗ weight: [\s\S]*The exit code is 1\./);
    expect(proposed).toContain('waits for 1 consumer');
    expect(proposed).toContain('[PROPOSAL_NOT_READY]');
    expect(proposed).toContain('Refused: Billing has not answered.');
    expect(acknowledged).toContain('All consumers agreed.');
    expect(acknowledged).toContain('published as version 2.0.0');
    expect(forced).toContain('published without the approval of its consumers');
    expect(key).toMatch(/^cdt_live_[0-9A-Za-z]{43}$/);
    expect(files).toContain('The exit code is 1.');
  },
  'docs/guide/rest.md': ([, , , registered, minor, impact, published, answers]) => {
    expect(registered).toBe('active');
    expect(minor).toBe('1.1.0');
    expect(impact).toContain('total');
    expect(published?.split('\n')).toEqual(['0', '2.0.0']);
    expect(answers).toContain('The same asset.');
    expect(answers).toContain('ASSET_NOT_FOUND');
    expect(answers).toContain('proposal.published');
  },
  'docs/guide/ci.md': ([, , diff, comment, accepted, published, impact]) => {
    expect(diff).toContain('The exit code is 1.');
    expect(diff).toMatch(/✗ email: .* \[property_removed\]/);
    expect(comment).not.toContain('exit code');
    expect(accepted).toContain('email_hash');
    expect(published).toContain('1.0.0 is active');
    expect(impact).toMatch(/warehouse\.ci-\d+\.order_events/);
  },
  'docs/guide/operate.md': ([, config, health, migrated, audit]) => {
    expect(config).toContain('DATABASE_URL');
    expect(config).toContain('Refused.');
    expect(health).toContain('"status"');
    expect(migrated).toContain('The database schema is at');
    expect(audit?.match(/intact/g)).toHaveLength(2);
  },
  'docs/guide/how-to-consume.md': ([, , found, registered, answered, chat, webhook, ended]) => {
    expect(found).toContain('"amount"');
    expect(registered).toContain('It is asked before');
    expect(answered).toContain('you answered blocked');
    expect(answered).toContain('you answered migrating. All consumers agreed.');
    expect(chat).toContain('"format":"slack"');
    expect(webhook).toMatch(/"secret":\s*"[^"]{10,}"/);
    expect(ended).toContain('no longer consumes');
  },
  'docs/guide/how-to-say-what-you-read.md': ([
    ,
    ,
    said,
    found,
    operations,
    affected,
    asked,
    alone,
    own,
  ]) => {
    expect(said).toContain('It is asked before a change that may affect what it reads.');
    expect(found).toContain('reports/large.sql: $.amount, $.id\n');
    expect(found).toContain('(sent)');
    expect(found).toContain('Found, which adds to whom a change asks');
    expect(operations).toContain('graphql.Order');
    expect(operations).toContain('total.graphql: $.amount');
    expect(operations).not.toContain('channel');
    expect(affected).toMatch(/✗ Dashboards \S+ breaks at \$\.channel/);
    expect(affected).toContain('✓ 1 consumer is not affected.');
    expect(affected).toContain('The exit code is 1.');
    expect(asked).toContain('waits for 1 consumer');
    expect(alone).toContain('2.0.0 is active');
    expect(own).toContain('met by 2.0.0');
  },
  'docs/guide/how-to-ask-with-agents.md': ([answer]) => {
    expect(JSON.parse(answer ?? '')).toMatchObject({ id: 1, result: { content: [{}] } });
    expect(answer).toContain('active_contract_id');
  },
  'docs/guide/how-to-change.md': ([, , breaks, both, proposed, said, mode, history]) => {
    expect(breaks).toContain('customer_id');
    expect(breaks).toContain('(dry run)');
    expect(both).toContain('1.1.0 is active');
    expect(proposed).toContain('no answer yet');
    expect(proposed).toContain('is withdrawn.');
    expect(said).toContain('The shop calls them buyers now.');
    expect(said).toContain('2099-05-03');
    expect(said).toContain('The comment on proposal');
    expect(said).toContain('were reminded.');
    expect(mode).toContain('is active');
    expect(history).toContain('property_added');
    expect(history).toContain('contract.published');
  },
  'docs/guide/how-to-check.md': ([, , found, recorded, right, table, repaired, values]) => {
    expect(found).toContain('✗ $.amount minimum in 1 row: must be at least 0; for example -5');
    expect(found).toContain(
      '✗ $.email format in 1 row: must have the format email; for example in id 2\n',
    );
    expect(found).toContain('✗ custom.unique.id in 2 rows');
    expect(found).toContain('The exit code is 1.');
    expect(recorded).toContain('Recorded as a quality run of warehouse.check-');
    expect(recorded).toMatch(/warehouse\.check-[^\n]+"incident":"opened"/);
    expect(right).toContain('3 rows: the data matches the contract.');
    expect(right).toMatch(/warehouse\.check-[^\n]+"incident":"closed"/);
    expect(table).toMatch(
      /✗ \$\.amount minimum in 1 row: .* example -\d+\.\d+ in order_id "[0-9a-f-]{36}"/,
    );
    expect(table).toContain('✗ $.status enum in 2 rows');
    expect(table).toContain('The exit code is 1.');
    expect(repaired).toContain('500 rows: the data matches the contract.');
    expect(values).toContain('line 2: $.amount must be a number, not "12"');
  },
  'docs/guide/how-to-import.md': ([, , imported, broken, proposed, results, graphql]) => {
    expect(imported).toContain('.shop.invoices');
    expect(broken).toContain('The exit code is 1.');
    expect(broken).toMatch(
      /: breaking, 1 of 1 change\n {4}Affected: import-\d+-analytics and import-\d+-finance/,
    );
    expect(proposed).toContain('no answer yet');
    expect(results).toContain('quality runs recorded');
    expect(graphql).toContain('weight');
  },
};

const twice = [...Object.keys(pages), ...Object.keys(pages)];

let world: Newcomer;

beforeAll(async () => {
  world = await openWorld();
});

afterAll(() => world?.stop());

describe(`in the order of SEED=${seed}`, () => {
  test.each(shuffled(twice, seed))('%s', async (page) => {
    pages[page]?.(await world.run(scriptOf(page, 'run')));
  });
});
