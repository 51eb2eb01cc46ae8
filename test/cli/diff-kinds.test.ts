import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { npmPackage } from '../support/tools.ts';
import { type Folder, makeFolder, run } from './support.ts';

const fixtures = resolve(import.meta.dirname, '../fixtures/import');
let folder: Folder;

beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const diff = (args: readonly string[], input = '') =>
  run(['diff', ...args], input, { cwd: folder.path });

const openapi = (properties: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders/{id}': {
      get: {
        responses: {
          200: {
            content: { 'application/json': { schema: { type: 'object', properties } } },
          },
        },
      },
    },
    ...more,
  },
});

describe('an operation is known by its method and path', () => {
  const get = (name: string) => ({
    parameters: [{ name, in: 'path', required: true, schema: { type: 'string' } }],
    responses: { 204: {} },
  });

  test('another name of a parameter in the path is no change', async () => {
    await folder.file('named-1.json', openapi({}, { '/users/{id}': { get: get('id') } }));
    await folder.file('named-2.json', openapi({}, { '/users/{name}': { get: get('name') } }));
    const ran = await diff(['named-1.json', 'named-2.json']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('2 unchanged') });
  });

  test('two paths that differ only in such a name are two operations', async () => {
    const both = { '/users/{id}': { get: get('id') }, '/users/{name}': { get: get('name') } };
    await folder.file('both-1.json', openapi({}, both));
    await folder.file('both-2.json', openapi({}, { '/users/{id}': { get: get('id') } }));
    const ran = await diff(['both-1.json', 'both-2.json']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('GET /users/{name} (both-1.json): removed');
    expect(ran.stdout).toContain('0 new, 0 modified, 1 removed, 2 unchanged.');
  });
});

describe('the kind of a file is detected from its content', () => {
  test('a dbt manifest: models by name, with their declared consumers', async () => {
    const ran = await diff([
      join(fixtures, 'dbt-before.json'),
      join(fixtures, 'dbt-after-breaking.json'),
    ]);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toContain(
      '✗ feat.analytics.dim_customers_v1 (models/marts/dim_customers_v1.sql): breaking under backward, 2 of 2 changes\n' +
        '    Affected, as declared in the file: marketing.\n',
    );
    expect(ran.stdout).toContain('= 8 contracts compared, 2 breaking,');
  });

  test('two files of different kinds are not a removal: 2', async () => {
    await folder.file('orders.json', { type: 'object', properties: { id: { type: 'integer' } } });
    const ran = await diff(['orders.json', join(fixtures, 'dbt-before.json')]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(
      /^orders\.json is a JSON Schema and \S+ a dbt manifest\. They have nothing in common\./,
    );
    // The same schema in different files.
    const spec = { schema: { type: 'object', properties: { id: { type: 'number' } } } };
    await folder.file('orders.yaml', JSON.stringify({ kind: 'DataContract', spec }));
    expect((await diff(['orders.json', 'orders.yaml'])).code).toBe(0);
  });

  const manifestOf = (alias: string, schema = 'public', type = 'bigint') => ({
    metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
    nodes: {
      'model.shop.orders': {
        resource_type: 'model',
        unique_id: 'model.shop.orders',
        package_name: 'shop',
        name: 'orders',
        alias,
        database: 'db',
        schema,
        columns: { id: { name: 'id', data_type: type } },
      },
    },
  });
  const odcsOf = (name: string) => ({
    apiVersion: 'v3.0.2',
    kind: 'DataContract',
    id: 'one',
    version: '1.0.0',
    status: 'active',
    schema: [{ name, properties: [{ name: 'id', logicalType: 'integer' }] }],
  });
  const operationOf = (method: string) => {
    const { paths, ...head } = openapi({ id: { type: 'integer' } });
    return { ...head, paths: { '/orders': { [method]: paths['/orders/{id}'].get } } };
  };

  test.each([
    {
      name: 'an operation',
      of: operationOf,
      before: 'get',
      after: 'post',
      was: 'GET /orders',
      is: 'POST /orders',
    },
    {
      name: 'an object',
      of: odcsOf,
      before: 'orders',
      after: 'sales',
      was: 'one.orders',
      is: 'one.sales',
    },
  ])('$name with another name is another item, even if it is the only one', async (row) => {
    const { of, before, after, was, is } = row;
    await folder.file('old.json', of(before));
    await folder.file('new.json', of(after));
    const { code, stdout } = await diff(['old.json', 'new.json']);
    expect(code).toBe(1);
    expect(stdout).toContain(`✗ ${was} (old.json): removed, which breaks`);
    expect(stdout).toContain(`+ ${is} (new.json): new`);
  });

  test.each([
    ['name', manifestOf('sales'), 'db.public.sales'],
    ['schema', manifestOf('orders', 'reporting'), 'db.reporting.orders'],
  ])('a model in a relation of another %s moved, and is compared', async (_, moved, to) => {
    await folder.file('old.json', manifestOf('orders'));
    await folder.file('new.json', moved);
    const { code, stdout } = await diff(['old.json', 'new.json']);
    expect(code).toBe(1);
    expect(stdout).toContain(`the relation moved from db.public.orders to ${to}`);
    expect(stdout).toMatch(/^Breaking under backward: 1 of 1 change\b/);
    expect((await diff(['--mode', 'none', 'old.json', 'new.json'])).code).toBe(0);
  });

  test('manifests of two targets are compared by model, wherever its relation is: --state', async () => {
    await folder.file('production/manifest.json', manifestOf('orders'));
    await folder.file('target/manifest.json', manifestOf('orders', 'pr_12'));
    const same = await diff(['--state', 'production']);
    expect(same).toEqual({ code: 0, stdout: 'No changes.\n', stderr: '' });
    await folder.file('broken.json', manifestOf('orders', 'pr_12', 'text'));
    const broken = await diff(['--state', 'production/manifest.json', 'broken.json']);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain('type_changed');
    expect(broken.stdout).not.toContain('the relation moved');
    await folder.file('renamed.json', manifestOf('sales', 'pr_12'));
    const renamed = await diff(['--state', 'production', 'renamed.json']);
    expect(renamed.code).toBe(1);
    expect(renamed.stdout).toContain('the relation moved from db.public.orders to db.public.sales');
    // Another model makes the same relation now.
    const other = JSON.stringify(manifestOf('orders', 'public', 'text'));
    await folder.file('other.json', other.replaceAll('model.shop.orders', 'model.shop.sales'));
    expect((await diff(['--state', 'production', 'other.json'])).stdout).toContain('type_changed');
    const both = await diff(['--state', 'production', '--against', 'main']);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('leave out --against') });
  });

  const governed = (stated: object, columns = true) => {
    const manifest = manifestOf('orders');
    const model = manifest.nodes['model.shop.orders'];
    const node = { ...model, ...(columns ? {} : { columns: {} }), ...stated };
    return { ...manifest, nodes: { 'model.shop.orders': node } };
  };
  const publicOne = { access: 'public' };

  // A contract is about rows, which stay; who refers to the model is warned.
  test.each([
    ['public to protected', publicOne, { access: 'protected' }, 'Models of other projects can no'],
    ['public to no word', publicOne, {}, 'Models of other projects can no longer refer to it'],
    ['protected to private', {}, { access: 'private', group: 'a' }, 'Only models of its group'],
    ['private in a configuration', {}, { config: { access: 'private' } }, 'Only models of its gr'],
    [
      'private in another group',
      { access: 'private', group: 'a' },
      { access: 'private', group: 'b' },
      'x-dbt-access changed from "private to a" to "private to b"',
    ],
    ['no contract', { contract: { enforced: true } }, {}, 'dbt no longer checks its columns'],
    ['protected to public', {}, publicOne, 'x-dbt-access was added: "public"'],
    ['another group', { group: 'a' }, { group: 'b' }, 'x-dbt-group changed from "a" to "b"'],
    [
      'a day',
      {},
      { deprecation_date: '2027-01-31T00:00:00+00:00' },
      'x-sunset was added: "2027-01-31"',
    ],
    [
      'another day',
      { deprecation_date: '2027-01-31' },
      { deprecation_date: '2027-03-31' },
      'x-sunset changed from "2027-01-31" to "2027-03-31"',
    ],
  ])('what dbt says of a model as a whole is told: %s', async (_, old, next, told) => {
    await folder.file('old.json', governed(old));
    await folder.file('new.json', governed(next));
    const { code, stdout } = await diff(['--show', 'all', 'old.json', 'new.json']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(told) });
    const isLoss = !told.startsWith('x-') || told.includes('private');
    const { stdout: brief } = await diff(['old.json', 'new.json']);
    if (isLoss) expect(brief).toContain(told);
  });

  test.each([
    ['the default that newer versions of dbt state', {}, { access: 'protected', group: null }],
    ['a contract that is not enforced', {}, { contract: { enforced: false } }],
    [
      'a day as a date and as its midnight',
      { deprecation_date: '2027-01-31' },
      { deprecation_date: '2027-01-31T00:00:00' },
    ],
  ])('%s is no change of a dbt model', async (_, old, next) => {
    await folder.file('old.json', governed(old));
    await folder.file('new.json', governed(next));
    expect(await diff(['old.json', 'new.json'])).toMatchObject({
      code: 0,
      stdout: 'No changes.\n',
    });
  });

  test('who may refer to a dbt model without typed columns, and the version that a name means, leave the verdict open', async () => {
    await folder.file('old.json', governed({ access: 'public' }, false));
    await folder.file('new.json', governed({ access: 'protected' }, false));
    const access = await diff(['old.json', 'new.json']);
    expect(access.code).toBe(3);
    expect(access.stdout).toContain('model.shop.orders: who may refer to the model changed');
    const versions = (latest: number, count: number) => {
      const model = manifestOf('orders').nodes['model.shop.orders'];
      const nodes = Array.from({ length: count }, (__, i) => {
        const node = {
          ...model,
          alias: `orders_v${i + 1}`,
          version: i + 1,
          latest_version: latest,
        };
        return [`model.shop.orders.v${i + 1}`, node] as const;
      });
      return { ...manifestOf('orders'), nodes: Object.fromEntries(nodes) };
    };
    await folder.file('one.json', versions(1, 1));
    await folder.file('two.json', versions(1, 2));
    await folder.file('latest.json', versions(2, 2));
    expect(await diff(['one.json', 'two.json'])).toMatchObject({ code: 0 });
    const moved = await diff(['two.json', 'latest.json']);
    expect(moved.code).toBe(3);
    expect(moved.stdout.match(/the version that a ref/g)).toHaveLength(1);
    expect(moved.stdout).toContain(
      'model.shop.orders: the version that a ref without a version means changed',
    );
  });

  test("options replace the registry's settings about columns", async () => {
    const manifest = (id: string) => ({
      metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
      nodes: {
        'model.shop.orders': {
          resource_type: 'model',
          unique_id: 'model.shop.orders',
          package_name: 'shop',
          name: 'orders',
          relation_name: '"db"."public"."orders"',
          ...{ database: 'db', schema: 'public', alias: 'orders' },
          columns: { id: { name: 'id', data_type: id } },
          constraints: id === 'text' ? [] : [{ type: 'not_null', columns: ['id'] }],
        },
      },
    });
    const found = async (old: string, next: string, ...flags: string[]) => {
      await folder.file('old-manifest.json', manifest(old));
      await folder.file('new-manifest.json', manifest(next));
      const args = [...flags, '--format', 'json', 'old-manifest.json', 'new-manifest.json'];
      const { items } = JSON.parse((await diff(args)).stdout);
      return items[0].changes.map(({ type }: { type: string }) => type);
    };
    const scales = ['numeric(38,2)', 'numeric(38,0)'] as const;
    expect(await found(...scales)).toEqual([]);
    expect(await found(...scales, '--integer-at-scale-0')).toEqual(['type_narrowed']);
    const promised = ['text', 'varchar'] as const;
    expect(await found(...promised)).toEqual(['nullability_added']);
    expect(await found(...promised, '--not-null-as-required')).toContain('required_added');
    expect(await found(...promised, '--nullable-columns')).toContain('nullable_removed');
  });

  test("a meta block with another name is read if it is named, as in a registry's settings", async () => {
    const model = (columns: object) => ({
      resource_type: 'model',
      name: 'orders',
      schema: 'analytics',
      database: 'shop',
      meta: { contracts: { compatibility_mode: 'none' } },
      columns,
    });
    const id = { id: { name: 'id', data_type: 'bigint' } };
    const manifest = (columns: object) => ({ nodes: { 'model.shop.orders': model(columns) } });
    const old = await folder.file('meta-old.json', {
      ...manifest({ ...id, total: { name: 'total', data_type: 'bigint' } }),
    });
    const next = await folder.file('meta-new.json', manifest(id));
    const code = async (args: readonly string[], env = {}) =>
      (await run(['diff', '--kind', 'dbt', ...args, old, next], '', { env })).code;
    expect(await code([])).toBe(1);
    expect(await code(['--meta-aliases', 'other, contracts'])).toBe(0);
    expect(await code([], { META_ALIASES: 'contracts' })).toBe(0);
    expect(await code(['--meta-aliases', 'other'], { META_ALIASES: 'contracts' })).toBe(1);
  });

  test('an OpenAPI document, JSON or YAML: operations, whatever the title', async () => {
    const id = { id: { type: 'integer' } };
    const more = {
      '/health': {
        get: { responses: { 200: { content: { 'application/json': { schema: {} } } } } },
      },
    };
    await folder.file('old.json', openapi({ ...id, total: { type: 'number' } }, more));
    await folder.file(
      'new.yaml',
      JSON.stringify({ ...openapi(id, more), info: { title: 'Other' } }),
    );
    const ran = await diff(['old.json', 'new.yaml']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/response\.total: .* \[property_removed\]/);
    const gone = await diff(
      ['old.json', '-', '--format', 'json'],
      JSON.stringify(openapi({}, { ...more, '/orders/{id}': {} })),
    );
    expect(JSON.parse(gone.stdout)).toMatchObject({
      items: [
        { name: 'GET /health', change_type: 'unchanged' },
        { name: 'GET /orders/{id}', change_type: 'removed', schema_change_type: 'breaking' },
      ],
    });
  });

  test('GraphQL SDL, by its keywords or by the file name', async () => {
    await folder.file('old.graphql', 'type User { id: ID! email: String }');
    await folder.file('new.txt', '"""A person."""\ntype User { id: ID! }\n');
    const ran = await diff(['old.graphql', 'new.txt', '--format', 'github']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(
      '::error file=new.txt,line=2,title=Breaking%3A property_removed::User:',
    );
  });

  test('an ODCS contract', async () => {
    const contract = (type: string) =>
      `kind: DataContract\napiVersion: v3.1.0\nid: a\nversion: 1.0.0\nstatus: active\nschema:\n- name: orders\n  properties:\n  - name: id\n    logicalType: ${type}\n`;
    await folder.file('old.odcs.yaml', contract('integer'));
    await folder.file('new.odcs.yaml', contract('string'));
    const ran = await diff(['old.odcs.yaml', 'new.odcs.yaml']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/id: .* \[type_changed\]/);
  });

  test('--kind decides if the content does not', async () => {
    // A JSON Schema may have "openapi" as an annotation at its root.
    const schema = { openapi: 'an annotation', type: 'integer' };
    await folder.file('old-schema.json', schema);
    await folder.file('new-schema.json', { ...schema, type: 'string' });
    const told = await diff(['old-schema.json', 'new-schema.json']);
    expect(told.code).toBe(3);
    const ran = await diff(['--kind', 'jsonschema', 'old-schema.json', 'new-schema.json']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/\(root\): .* \[type_changed\]/);
  });

  test('standard input can be one side', async () => {
    await folder.file('int.json', { type: 'integer' });
    expect((await diff(['int.json', '-'], '{"type": "integer"}')).code).toBe(0);
    expect((await diff(['-', 'int.json'], '{"type": "string"}')).code).toBe(1);
    expect((await diff(['-', '-'], '{}')).code).toBe(2);
  });

  test('two published versions of a schema, with a field that is defined twice', async () => {
    const [old, next] = await Promise.all([
      npmPackage('@octokit/graphql-schema', '15.20.0'),
      npmPackage('@octokit/graphql-schema', '15.26.1'),
    ]);
    const ran = await diff([
      join(old, 'schema.graphql'),
      join(next, 'schema.graphql'),
      '--format',
      'json',
    ]);
    const report = JSON.parse(ran.stdout);
    expect(ran.code).toBe(1);
    // The engine judges the rest, and has its own tests.
    expect(report.summary).toMatchObject({ new: 49, removed: 4 });
    expect(report.summary.breaking).toBeGreaterThan(4);
    expect(report.problems.map(({ code }: { code: string }) => code)).toContain(
      'DUPLICATE_DEFINITION',
    );
  });
});

describe('invalid input ends with 3, the location in the file, and one message', () => {
  const manifest = (more: object) => ({
    metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
    ...more,
  });

  test.each([
    [
      'a manifest of a version that is not read',
      'v3.json',
      manifest({
        metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v3.json' },
      }),
      /^v3\.json, \$\.metadata\.dbt_schema_version: Manifest version v3 is not supported\. .*\n$/,
    ],
    [
      'a manifest with no nodes',
      'empty.json',
      manifest({ nodes: {}, sources: {} }),
      /^empty\.json, \$\.nodes: The manifest has no nodes and no sources\..*\n$/,
    ],
    [
      'JSON that was cut',
      'cut.json',
      '{\n  "type": "object",\n  "properties": {"id": {"ty',
      /^cut\.json, line 3, column 25: this is not JSON: .*\n$/,
    ],
    [
      'a comma too many',
      'comma.json',
      '{\n  "type": "object",\n}',
      /^comma\.json, line 3, column 1: this is not JSON: "}" is not allowed here\.\n$/,
    ],
    [
      'Swagger of an older version',
      'swagger.json',
      { swagger: '1.2', paths: {} },
      /^swagger\.json, \$\.swagger: This is Swagger 1\.2\..*\n$/,
    ],
    [
      'OpenAPI of no version',
      'no-version.yaml',
      'openapi: 4.0.0\npaths: {}\n',
      /^no-version\.yaml, \$\.openapi: .*Swagger 2\.0 and OpenAPI 3\.0, 3\.1 and 3\.2 are read\.\n$/,
    ],
    [
      'an external $ref in a schema, which is never fetched',
      'external.json',
      '{\n  "properties": {\n    "id": {"$ref": "https://example.com/id.json"}\n  }\n}',
      /^external\.json, line 3, \$\.properties\.id\.\$ref: .*example\.com.*\n$/,
    ],
    [
      'a schema that is none',
      'type.yaml',
      'type: object\nproperties:\n  id:\n    type: strng\n',
      /^type\.yaml, line 4, \$\.properties\.id\.type: .*strng.*\n$/,
    ],
    [
      'SDL with a fault',
      'fault.graphql',
      'type User {\n  id ID!\n}',
      /^fault\.graphql, line 2, column 6: .*\n$/,
    ],
    [
      'SDL that nests without end',
      'bomb.graphql',
      `type A { a: ${'['.repeat(200_000)}Int${']'.repeat(200_000)} }`,
      /^bomb\.graphql.*: The SDL .*\n$/,
    ],
    [
      'SDL of more words than are read',
      'long.graphql',
      `type A { a: Int }\n${'scalar S '.repeat(600_000)}`,
      /^long\.graphql.*: The SDL .*\n$/,
    ],
    [
      'aliases that multiply',
      'aliases.yaml',
      ['kind: DataContract', 'a0: &a0 [x, x]']
        .concat(Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`))
        .join('\n'),
      /^aliases\.yaml: .*[Aa]lias.*\n$/,
    ],
    [
      'a different dbt file',
      'run_results.json',
      { metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/run-results/v6.json' } },
      /a different dbt file/,
    ],
  ])('%s', async (_name, file, content, message) => {
    await folder.file(file, content);
    await folder.file('fine.json', { type: 'object' });
    const ran = await diff(['fine.json', file]);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).not.toContain('    at ');
  });

  test('an operation with an external reference leaves the verdict open: 3, and the rest is reported', async () => {
    const id = { id: { type: 'integer' } };
    const outside = { $ref: 'https://example.com/schema.json' };
    const answer = (schema: object) => ({
      get: { responses: { 200: { content: { 'application/json': { schema } } } } },
    });
    await folder.file('before.json', openapi(id, { '/parcels': answer({ type: 'object' }) }));
    await folder.file('after.json', openapi(id, { '/parcels': answer(outside) }));
    const ran = await diff(['before.json', 'after.json']);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain('! after.json, $.paths["/parcels"].get');
    expect(ran.stdout).toContain('is not fetched');
    // An unreadable item that was unreadable before is no change.
    expect((await diff(['after.json', 'after.json'])).code).toBe(0);
  });

  test('an operation that lost its response breaks, and one that never had one does not', async () => {
    const { paths, ...head } = openapi({ id: { type: 'integer' } });
    const silent = { get: { responses: { 204: { description: 'nothing' } } } };
    await folder.file('answers.json', { ...head, paths });
    await folder.file('silent.json', { ...head, paths: { '/orders/{id}': silent } });
    const ran = await diff(['answers.json', 'silent.json']);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toContain('response: the property was removed');
    expect((await diff(['silent.json', 'silent.json'])).code).toBe(0);
    expect((await diff(['silent.json', 'answers.json'])).code).toBe(0);
  });

  test('with both problems, a break is reported before what could not be read', async () => {
    await folder.file('was.json', openapi({ id: { type: 'integer' }, gone: { type: 'string' } }));
    const outside = { get: { responses: { $ref: 'x.json' } } };
    await folder.file('is.json', openapi({ id: { type: 'integer' } }, { '/x': outside }));
    expect((await diff(['was.json', 'is.json'])).code).toBe(1);
  });
});
