// Text from callers stays text: in statements, log lines, headers and documents.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readableLine } from '../../src/ops/observe/log.ts';
import type { Route } from '../../src/wire/route.ts';
import { routes } from '../../src/wire/routes.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  must,
  openWorld,
  publishOk,
  type World,
} from '../support/client/client-world.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres/postgres-proxy.ts';

/** Ends a string, a statement, an identifier, a pattern and a JSON path of SQL. */
const hostile = `o'x"; drop table asset; -- \\' $1 %_ \${1} ::text {"a":1}`;
const mark = 'drop table';

let registry: TestRegistry;
let proxy: PostgresProxy;
let world: World;

beforeAll(async () => {
  registry = await openRegistry({}, async (url) => {
    proxy = await startPostgresProxy(url);
    return proxy.url;
  });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(async () => {
  await registry.stop();
  await proxy.close();
});

const someId = '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21';

/** Every read of the table, with every query parameter set to a hostile text once. */
const questions = Object.entries<Route>(routes)
  .filter(([, row]) => row.method === 'GET' && row.path.startsWith('/api/') && !row.resumes)
  .flatMap(([name, row]) =>
    Object.keys(row.query?.shape ?? {}).map((parameter) => [name, row, parameter] as const),
  );

describe('SQL', () => {
  test('every parameter of every read: a hostile text is a value or is refused, never a statement', async () => {
    expect(questions.length).toBeGreaterThan(50);
    const statements = await proxy.record(async () => {
      for (const [name, row, parameter] of questions) {
        const path = row.path.replaceAll(/\{\w+\}/g, someId);
        const answer = await fetch(
          `${registry.url}${path}?${parameter}=${encodeURIComponent(hostile)}`,
          { headers: { authorization: `Bearer ${registry.bootstrapKey}` } },
        );
        await answer.text();
        expect([200, 400, 404], `${name} ${parameter}`).toContain(answer.status);
      }
    });
    expect(statements.filter(({ parameters }) => `${parameters}`.includes(mark))).not.toEqual([]);
    expect(statements.filter(({ text }) => text.includes(mark))).toEqual([]);
  });

  test('stored text is returned unchanged, and has no other effect', async () => {
    const { producer, admin } = world;
    const statements = await proxy.record(async () => {
      must(await admin.createTeam({ body: { name: hostile } }), 201);
      const asset = await createAsset(producer, {
        metadata: { description: hostile, tags: [hostile], [hostile]: hostile },
      });
      await publishOk(producer.client, asset.id, {
        schema: { type: 'object', properties: { [hostile]: { const: hostile } } },
      });
      const found = must(await admin.listAssets({ query: { tag: hostile } }), 200);
      expect(found.results.map(({ id }) => id)).toEqual([asset.id]);
      const read = must(await admin.getAsset({ params: { asset_id: asset.id } }), 200);
      expect(read.metadata).toEqual({
        description: hostile,
        tags: [hostile],
        [hostile]: hostile,
      });
      const teams = must(await admin.listTeams({ query: { name: hostile } }), 200);
      expect(teams.results.map(({ name }) => name)).toEqual([hostile]);
    });
    expect(statements.filter(({ text }) => text.includes(mark))).toEqual([]);
  });
});

describe('A log', () => {
  test('for people has one line per message, and no text controls the terminal', () => {
    const text = 'a\nERROR forged=1\r\u001b[2J\u001b]0;x\u0007\u202e\u2028\u009b31m';
    const facts = { level: 'info', time: '2026-01-31T12:00:00.000Z', msg: 'a \u001b[31m message' };
    const line = readableLine(JSON.stringify({ ...facts, path: text, [text]: 1, list: [text] }));
    expect(line).toMatch(/^12:00:00 info {2}a .*\n$/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
    expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
    // The lines of a stack are indented, so that none looks like a message.
    const err = { stack: 'Error: a\n12:00:00 error forged\u001b[2J\n    at b' };
    const stack = readableLine(JSON.stringify({ ...facts, err }));
    expect(stack.split('\n').slice(1)).toEqual([
      '    12:00:00 error forged\\u001b[2J',
      '        at b',
      '',
    ]);
  });

  test('for people says what an error says that has no stack', () => {
    const err = { type: 'SourceSuspicious', message: '/srv is not there', stack: '' };
    const line = readableLine(JSON.stringify({ level: 'warn', msg: 'it goes on', err }));
    expect(line).toContain('err=/srv is not there');
  });
});

describe('A header', () => {
  test.each(['api.users.{id}.get', 'A-b_c.d', `a.${'b'.repeat(128)}`])(
    'contains the file name of %s and nothing else',
    async (fqn) => {
      const { producer } = world;
      const asset = must(
        await producer.client.createAsset({ body: { fqn, owner_team_id: producer.teamId } }),
        201,
      );
      const contractId = await publishOk(producer.client, asset.id, { schema: { type: 'object' } });
      for (const format of ['yaml', 'odcs', 'jsonschema'] as const) {
        const answer = await producer.client.exportContract({
          params: { contract_id: contractId },
          query: { format },
        });
        must(answer, 200);
        expect(answer.headers.get('content-disposition')).toMatch(
          /^attachment; filename="[\w.{}-]+"$/,
        );
      }
    },
  );
});

describe('A document', () => {
  test('has a type that no spreadsheet runs, and only the page and its guide are HTML', () => {
    const types = new Map<string, string[]>();
    for (const row of Object.values<Route>(routes)) {
      for (const { contentType, otherContentTypes = [] } of Object.values(row.answers)) {
        for (const type of [contentType, ...otherContentTypes]) {
          types.set(type, [...(types.get(type) ?? []), row.path]);
        }
      }
    }
    const html = types.get('text/html') ?? [];
    expect(html.filter((path) => path.startsWith('/api/'))).toEqual([]);
    types.delete('text/html');
    expect([...types.keys()].sort()).toMatchInlineSnapshot(`
      [
        "",
        "application/json",
        "application/schema+json",
        "application/scim+json",
        "application/x-ndjson",
        "application/yaml",
        "text/event-stream",
        "text/plain",
      ]
    `);
  });
});
