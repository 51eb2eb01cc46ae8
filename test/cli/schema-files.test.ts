// `schemaFrom.file` of a DataContract: the file beside it is a part of the contract for every command.

import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { makeRepository, type TestRepository } from '../support/git-repository.ts';
import { type Folder, makeFolder, run } from './support.ts';

let repository: TestRepository;
let folder: Folder;

const manifest = (path: string, more: object = {}, from: object = {}) =>
  stringify({
    ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name: 'orders' } },
    spec: {
      ...{ fqn: 'shop.orders', consumers: [{ team: 'Finance' }] },
      ...{ schemaFrom: { file: { path }, ...from }, ...more },
    },
  });

const table = (...columns: string[]) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});
const json = (...columns: string[]) => JSON.stringify(table(...columns));

beforeAll(async () => {
  folder = await makeFolder();
  repository = await makeRepository();
  await repository.commit({
    'contracts/orders.yaml': manifest('./schemas/order.json'),
    'contracts/schemas/order.json': json('id', 'amount'),
  });
});
afterAll(async () => {
  await repository.remove();
  await folder.remove();
});

/** Each test has its own branch from the first commit. */
let branches = 0;
beforeEach(async () => {
  branches++;
  await repository.git('checkout', '--quiet', '--force', '-B', `topic-${branches}`, 'main');
  await repository.git('clean', '--quiet', '-fd');
});

const diff = (args: readonly string[], cwd = repository.folder) =>
  run(['diff', ...args], '', { cwd });

const broken = [
  '✗ shop.orders (contracts/schemas/order.json): breaking under backward, 1 of 1 change',
  '    Affected, as declared in the file: Finance.',
  '  ✗ amount: the property was removed; consumers will no longer find it [property_removed]',
  '',
  '= 1 contract compared, 1 breaking, 0 new, 1 modified, 0 removed, 0 unchanged.',
  '',
].join('\n');

describe('concordat diff of a contract whose schema is in another file', () => {
  test.each([
    ['a branch', ['--against', 'main', 'contracts']],
    ['the manifest alone', ['--against', 'main', 'contracts/orders.yaml']],
    ['what is staged', ['--staged']],
  ])('sees a change of the file alone, once: %s', async (_, args) => {
    await writeFile(join(repository.folder, 'contracts/schemas/order.json'), json('id'));
    await repository.git('add', '--all');
    expect(await diff(args)).toEqual({ code: 1, stderr: '', stdout: broken });
  });

  test('sees it in two commits, and in two folders', async () => {
    await repository.commit({ 'contracts/schemas/order.json': json('id') });
    expect((await diff(['main...HEAD'])).stdout).toBe(broken);
    const one = await diff(['main:contracts/orders.yaml', 'contracts/orders.yaml']);
    expect(one).toMatchObject({ code: 1, stdout: expect.stringContaining('amount: the property') });
    await folder.file('old/orders.yaml', manifest('schemas/order.json'));
    await folder.file('old/schemas/order.json', table('id', 'amount'));
    await folder.file('new/orders.yaml', manifest('schemas/order.json'));
    await folder.file('new/schemas/order.json', table('id'));
    const two = await run(['diff', join(folder.path, 'old'), join(folder.path, 'new')]);
    expect(two).toMatchObject({ code: 1, stdout: expect.stringMatching(/1 contract compared/) });
  });

  test('judges it under the mode of the contract, and not by itself', async () => {
    const path = './schemas/order.json';
    await repository.commit({
      'contracts/orders.yaml': manifest(path, { compatibilityMode: 'None' }),
    });
    await repository.git('tag', '--force', 'none');
    await repository.commit({ 'contracts/schemas/order.json': json('id') });
    const ran = await diff(['--against', 'none', 'contracts']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 contract compared/) });
    // Without its contract, the file is compared by itself again.
    await repository.commit({ 'contracts/orders.yaml': null });
    const alone = await diff(['--against', 'none', 'contracts']);
    expect(alone.code).toBe(1);
    expect(alone.stdout).toContain('✗ contracts/schemas/order.json: breaking');
  });

  test('takes one type of a file with any name, and compares the rest of a document by itself', async () => {
    const sdl = (...fields: string[]) =>
      `type Query { order: Order user: User }\ntype Order { id: ID! ${fields.join(' ')} }\ntype User { id: ID! }\n`;
    const from = { format: 'GraphQL', typeName: 'Order' };
    await repository.commit({
      'contracts/orders.yaml': manifest('shop.graphqls', {}, from),
      'contracts/shop.graphqls': sdl('amount: Int'),
    });
    await repository.git('tag', '--force', 'sdl');
    await repository.commit({
      'contracts/shop.graphqls': sdl().replace('User { id: ID! }', 'User { name: ID }'),
    });
    const ran = await diff(['--against', 'sdl', 'contracts']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('✗ shop.orders (contracts/shop.graphqls): breaking');
    expect(ran.stdout).toMatch(/✗ User /);
    expect(ran.stdout).not.toMatch(/✗ Order /);
    await repository.commit({
      'contracts/orders.yaml': manifest('shop.schema', {}, from),
      'contracts/shop.graphqls': null,
      'contracts/shop.schema': sdl(),
    });
    const odd = await diff(['--against', 'sdl', 'contracts/orders.yaml']);
    expect([odd.code, odd.stdout]).toEqual([1, expect.stringContaining('amount')]);
  });

  test('leaves the verdict open where a part of the document changed that was not read', async () => {
    const api = (host: string) => ({
      ...{ openapi: '3.1.0', info: { title: 'Shop', version: '1' } },
      servers: [{ url: `https://${host}.example.org` }],
      paths: {
        '/orders': {
          get: {
            responses: {
              200: {
                content: {
                  'application/json': { schema: table('id') },
                },
              },
            },
          },
        },
      },
    });
    const from = { format: 'OpenAPI', operation: 'GET /orders' };
    await repository.commit({
      'contracts/orders.yaml': manifest('api.json', {}, from),
      'contracts/api.json': JSON.stringify(api('a')),
    });
    await repository.git('tag', '--force', 'api');
    await repository.commit({ 'contracts/api.json': JSON.stringify(api('b')) });
    for (const path of ['contracts', 'contracts/orders.yaml']) {
      const ran = await diff(['--against', 'api', path]);
      expect([ran.code, ran.stdout], path).toEqual([3, expect.stringContaining('servers')]);
    }
  });

  test('goes on from a schema in the manifest, and from a document of the same name', async () => {
    const spec = { schema: table('id', 'amount'), schemaFrom: undefined };
    await repository.commit({
      'contracts/orders.yaml': manifest('', spec),
      'contracts/schemas/order.json': null,
    });
    await repository.git('tag', '--force', 'inside');
    await repository.commit({
      'contracts/orders.yaml': manifest('order.json'),
      'contracts/order.json': json('id'),
    });
    const moved = await diff(['--against', 'inside', 'contracts']);
    expect(moved.code).toBe(1);
    expect(moved.stdout).toContain('✗ shop.orders (contracts/order.json): breaking');
    const odcs = (...names: string[]) =>
      stringify({
        ...{ apiVersion: 'v3.0.2', kind: 'DataContract', id: 'o', version: '1.0.0' },
        ...{ status: 'active', servers: [{ server: 'x', type: 'custom' }] },
        schema: [
          {
            ...{ name: 'orders', physicalName: 'shop.orders' },
            properties: names.map((name) => ({ name, logicalType: 'string' })),
          },
        ],
      });
    await repository.commit({
      'contracts/orders.yaml': null,
      'contracts/order.json': null,
      'contracts/orders.odcs.yaml': odcs('id', 'amount'),
    });
    await repository.git('tag', '--force', 'odcs');
    await repository.commit({
      'contracts/orders.yaml': manifest('orders.odcs.yaml', {}, { format: 'ODCS' }),
      'contracts/orders.odcs.yaml': odcs('id'),
    });
    const named = await diff(['--against', 'odcs', 'contracts']);
    expect([named.code, named.stderr]).toEqual([1, '']);
    expect(named.stdout).toContain('amount');
  });

  test.each([
    [
      'gone.json',
      'contracts/orders.yaml: spec.schemaFrom.file.path: gone.json does not exist beside it. Links and submodules are not followed.',
    ],
    ['../order.json', 'path must lead to a file in the folder of the manifest'],
    ['/etc/passwd', 'path must lead to a file in the folder of the manifest'],
    ['link.json', 'link.json is a link out of contracts, which is not followed'],
    ['large.txt', 'contracts/large.txt is larger than 10485760 bytes. Split it.'],
    ['api.json', 'contracts/api.json: It is an OpenAPI document, and no JSON Schema'],
  ])('ends with a sentence, and no verdict, for %s', async (path, message) => {
    const contracts = join(repository.folder, 'contracts');
    await writeFile(join(contracts, 'orders.yaml'), manifest(path));
    await symlink('/etc/passwd', join(contracts, 'link.json'));
    await writeFile(join(contracts, 'large.txt'), `${json('id')}${' '.repeat(10 * 1024 * 1024)}`);
    await writeFile(join(contracts, 'api.json'), '{"openapi": "3.1.0", "paths": {}}');
    await writeFile(join(repository.folder, 'order.json'), json('id'));
    const ran = await diff(['--against', 'main', 'contracts/orders.yaml']);
    expect([ran.code, ran.stdout]).toEqual([3, '']);
    expect(ran.stderr).toContain(message);
  });

  test('takes no folder of a commit for a file, although git lists what is in it', async () => {
    await repository.commit({ 'contracts/orders.yaml': manifest('schemas') });
    const ran = await diff(['main', 'HEAD', 'contracts/orders.yaml']);
    expect([ran.code, ran.stdout]).toEqual([3, '']);
    expect(ran.stderr).toContain('schemas does not exist beside it');
  });

  test('does not follow a link that a commit has', async () => {
    await rm(join(repository.folder, 'contracts/schemas/order.json'));
    await symlink('other.json', join(repository.folder, 'contracts/schemas/order.json'));
    await repository.commit({ 'contracts/schemas/other.json': json('id', 'amount') });
    const ran = await diff(['main', 'HEAD', 'contracts/orders.yaml']);
    expect([ran.code, ran.stdout]).toEqual([3, '']);
    expect(ran.stderr).toContain('schemas/order.json does not exist beside it');
  });

  test.each([
    [
      { format: 'Avro' },
      /spec\.schemaFrom\.format must be one of JSONSchema, GraphQL, .*, not "Avro"/,
    ],
    [{ format: 'GraphQL' }, /spec\.schemaFrom\.typeName is missing/],
    [{ format: 'Dbt', node: 5 }, /spec\.schemaFrom\.node is missing/],
    [{ file: 'schemas/order.json' }, /spec\.schemaFrom\.file\.path is missing/],
  ])('says what is wrong with %j', async (from, message) => {
    const path = 'schemas/order.json';
    await writeFile(join(repository.folder, 'contracts/orders.yaml'), manifest(path, {}, from));
    const ran = await diff(['--against', 'main', 'contracts/orders.yaml']);
    expect([ran.code, ran.stdout]).toEqual([3, '']);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).not.toContain('    at ');
  });

  test('says where else the schema may be, if it is in a ConfigMap', async () => {
    const schemaFrom = { configMapKeyRef: { name: 'a', key: 'b' } };
    await writeFile(join(repository.folder, 'contracts/orders.yaml'), manifest('', { schemaFrom }));
    const ran = await diff(['--against', 'main', 'contracts/orders.yaml']);
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('spec.schemaFrom.file') });
    const both = manifest('schemas/order.json', { schema: {} });
    await writeFile(join(repository.folder, 'contracts/orders.yaml'), both);
    const twice = await diff(['--against', 'main', 'contracts/orders.yaml']);
    expect(twice.stderr).toContain('Give exactly one of spec.schema and spec.schemaFrom.');
  });
});

test('contains and validate read the file, too', async () => {
  const contract = await folder.file('one/orders.yaml', manifest('order.yml'));
  await folder.file('one/order.yml', stringify({ type: 'object', required: ['id'] }));
  const wide = await folder.file('one/wide.json', { type: 'object' });
  expect((await run(['contains', contract, wide])).code).toBe(0);
  expect((await run(['contains', wide, contract])).code).toBe(1);
  const good = await folder.file('one/good.ndjson', '{"id": 1}\n');
  const bad = await folder.file('one/bad.ndjson', '{"x": 1}\n');
  expect((await run(['validate', contract, good])).code).toBe(0);
  expect((await run(['validate', contract, bad])).code).toBe(1);
});
