// Data is held against a contract in any form that the command line reads.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Folder, makeFolder, run } from '../../support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
  await folder.file('orders.ndjson', '{"id": 1, "total": 5}\n{"id": "x", "total": -1}\n');
});
afterAll(() => folder.remove());

async function check(contract: string, ...more: readonly string[]) {
  const args = ['check', '--contract', contract, '--source', 'orders.ndjson', '--format', 'json'];
  const { code, stdout, stderr } = await run([...args, ...more], '', { cwd: folder.path });
  const rules: { name: string; status: string }[] = stdout === '' ? [] : JSON.parse(stdout).rules;
  const failed = rules
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => name)
    .sort();
  return { code, failed, stderr };
}

const table = (name: string, total: string) => `
  - name: ${name}
    properties:
      - {name: id, logicalType: integer, required: true}
      - {name: total, logicalType: ${total}}`;

const odcs = (...tables: readonly string[]) =>
  `apiVersion: v3.0.2\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: active\nschema:${tables.join('')}\n`;

test('an ODCS contract is one', async () => {
  await folder.file('one.yaml', odcs(table('orders', 'number')));
  expect(await check('one.yaml')).toEqual({ code: 1, failed: ['$.id type'], stderr: '' });
});

test('of several, one is asked for by its name', async () => {
  await folder.file('two.yaml', odcs(table('orders', 'string'), table('lines', 'number')));
  const several = await check('two.yaml');
  expect(several.code).toBe(2);
  expect(several.stderr).toMatch(
    /^two\.yaml has several contracts\. Say which with --asset: .*lines/,
  );
  const [, orders = ''] = /--asset: (\S+),/.exec(several.stderr) ?? [];
  expect((await check('two.yaml', '--asset', orders)).failed).toEqual([
    '$.id type',
    '$.total type',
  ]);
  const none = await check('two.yaml', '--asset', 'gone');
  expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/has no contract gone\./)]);
});

test('the answer of an OpenAPI operation is one, if the values are said to be that', async () => {
  const schema = { type: 'object', properties: { total: { type: 'integer', minimum: 0 } } };
  const response = { description: '', content: { 'application/json': { schema } } };
  await folder.file('api.json', {
    ...{ openapi: '3.1.0', info: { title: 'Shop', version: '1' } },
    paths: { '/orders': { get: { operationId: 'get', responses: { 200: response } } } },
  });
  expect(await check('api.json')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--part'),
  });
  await folder.file('orders.csv', 'id,total\n1,5\nx,-1\n');
  for (const source of ['orders.ndjson', 'orders.csv']) {
    const part = (name: string) => check('api.json', '--source', source, '--part', name);
    expect((await part('response')).failed).toEqual(['$.total minimum']);
    expect(await part('request')).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('The contract describes no request.') },
    });
  }
});

test('a schema in files that refer to each other is one', async () => {
  await folder.file('id.json', { type: 'integer' });
  await folder.file('split.json', { type: 'object', properties: { id: { $ref: 'id.json' } } });
  expect((await check('split.json')).failed).toEqual(['$.id type']);
});

test('what cannot be read of a contract is told, and is no pass', async () => {
  const text = odcs(table('orders', 'number').replace('integer', 'enormous'));
  await folder.file('odd.yaml', text);
  await folder.file('fine.ndjson', '{"id": 1, "total": 5}\n');
  const { code, stderr } = await check('odd.yaml', '--source', 'fine.ndjson');
  expect([code, stderr]).toEqual([3, expect.stringMatching(/^Not checked: odd\.yaml: .*enormous/)]);
});
