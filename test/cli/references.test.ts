import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRepository } from '../support/git-repository.ts';
import { type Folder, makeFolder, run } from './support.ts';

let folder: Folder;

beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const diff = (args: readonly string[], cwd = folder.path) => run(['diff', ...args], '', { cwd });

const drafts = {
  'draft-04': ['http://json-schema.org/draft-04/schema#', 'id', 'definitions'],
  'draft-07': ['http://json-schema.org/draft-07/schema#', '$id', 'definitions'],
  '2020-12': ['https://json-schema.org/draft/2020-12/schema', '$id', '$defs'],
} as const;
const rows = Object.entries(drafts);

describe('a local $ref inside an embedded $id resolves there', () => {
  test.each(rows)('%s', async (name, [$schema, id, holder]) => {
    const bundle = (type: string) => ({
      $schema,
      [id]: 'https://shop.example/order',
      properties: { total: { $ref: 'https://shop.example/money' } },
      [holder]: {
        // The same name in the outer document means something else.
        amount: { type: 'boolean' },
        money: {
          [id]: 'https://shop.example/money',
          properties: { amount: { $ref: `#/${holder}/amount` } },
          [holder]: { amount: { type } },
        },
      },
    });
    await folder.file(`${name}-1.json`, bundle('integer'));
    await folder.file(`${name}-2.json`, bundle('string'));
    const ran = await diff([`${name}-1.json`, `${name}-2.json`, '--format', 'json']);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(ran.stdout).items[0].changes).toEqual([
      expect.objectContaining({
        type: 'type_changed',
        path: '$.properties.total.properties.amount',
        witness: { total: { amount: 0 } },
      }),
    ]);
    const contained = await run(['contains', `${name}-1.json`, `${name}-2.json`], '', {
      cwd: folder.path,
    });
    expect(contained.stdout).toBe('no: a has {"total":{"amount":0}}, b refuses it\n');
  });
});

describe('a $ref to another file is followed among the files that were given', () => {
  const money = (type: string, more: object = {}) => ({
    ...more,
    definitions: { amount: { type } },
    properties: { amount: { $ref: '#/definitions/amount' } },
  });
  const order = (reference: string, $schema: string) => ({
    $schema,
    properties: { total: { $ref: reference } },
  });
  const changed = /✗ total\.amount: .* \[type_changed\]\n/;

  test.each(rows)('in the folder of a named file, by its path: %s', async (name, [$schema]) => {
    for (const [side, type] of [
      ['was', 'integer'],
      ['is', 'string'],
    ] as const) {
      await folder.file(`${name}/${side}/order.json`, order('parts/money.json', $schema));
      await folder.file(`${name}/${side}/parts/money.json`, money(type));
    }
    const files = [`${name}/was/order.json`, `${name}/is/order.json`];
    const ran = await diff(files);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toMatch(changed);
    const folders = await diff([`${name}/was`, `${name}/is`]);
    expect(folders.stdout).toContain('✗ ');
    expect(folders.code).toBe(1);
  });

  test.each(rows)('below --base, by its id, and on to further files: %s', async (name, draft) => {
    const [$schema, id] = draft;
    const base = `base-${name}`;
    const at = (file: string) => `https://shop.example/${file}`;
    await folder.file(`${base}/a.json`, { $schema, ...money('integer', { [id]: at('money-1') }) });
    await folder.file(`${base}/b.json`, { $schema, ...money('string', { [id]: at('money-2') }) });
    // A file may refer to the one that refers to it.
    await folder.file(`${base}/c.yaml`, {
      ...{ $schema, [id]: at('total') },
      allOf: [{ $ref: 'money-1' }, { properties: { next: { $ref: at('order-1') } } }],
    });
    await folder.file(`${name}-1.json`, { ...order(at('total'), $schema), [id]: at('order-1') });
    await folder.file(`${name}-2.json`, { ...order('money-2', $schema), [id]: at('order-2') });
    const ran = await diff(['--base', base, `${name}-1.json`, `${name}-2.json`]);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toMatch(changed);
    const same = await diff(['--base', base, `${name}-1.json`, `${name}-1.json`]);
    expect(same).toMatchObject({ code: 0, stdout: 'No changes.\n' });
  });

  test('a change in a file counts for an unchanged one that refers to it, at each commit', async () => {
    const repository = await makeRepository();
    const [$schema] = drafts['2020-12'];
    await repository.commit({
      'schemas/order.json': JSON.stringify(order('money.json', $schema)),
      'schemas/money.json': JSON.stringify(money('integer')),
    });
    await repository.commit({ 'schemas/money.json': JSON.stringify(money('string')) });
    for (const args of [
      ['HEAD~1', 'HEAD', 'schemas'],
      ['HEAD~1:schemas/order.json', 'HEAD:schemas/order.json'],
    ]) {
      const ran = await diff(args, repository.folder);
      expect(ran).toMatchObject({ code: 1, stderr: '' });
      expect(ran.stdout).toMatch(/✗ total\.amount: .* \[type_changed\]\n/);
    }
    await repository.remove();
  });

  test.each([
    [
      'an escaped keyword',
      'order.json',
      String.raw`{"properties":{"total":{"\u0024ref":"money.json"}}}`,
    ],
    [
      'an escaped letter',
      'order.json',
      String.raw`{"properties":{"total":{"$r\u0065f":"money.json"}}}`,
    ],
    ['a space before the path', 'order.json', '{"properties":{"total":{"$ref":" money.json"}}}'],
    ['an escape of YAML', 'order.yaml', String.raw`properties: {total: {"\x24ref": money.json}}`],
    [
      'an alias for the keyword',
      'order.yaml',
      'title: &key $ref\nproperties: {total: {*key : money.json}}',
    ],
  ])('so it does if the reference is written with %s', async (_how, name, text) => {
    const repository = await makeRepository();
    const [$schema] = drafts['2020-12'];
    const other = text.includes(' money.json"') ? ' money.json' : 'money.json';
    await repository.commit({
      [name]: name.endsWith('.json')
        ? text.replace('{', `{"$schema":${JSON.stringify($schema)},`)
        : `$schema: ${$schema}\n${text}`,
      [other]: JSON.stringify({ type: 'integer' }),
    });
    await repository.commit({ [other]: JSON.stringify({ type: 'string' }) });
    const ran = await diff(['HEAD~1', 'HEAD', '.'], repository.folder);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toMatch(/✗ total: .* \[type_changed\]\n/);
    await repository.remove();
  });

  test.each([
    ['a remote URL', 'https://shop.example/nowhere.json', /nowhere\.json.* never fetched/],
    ['a path out of the folder', '../secret.json', /"\.\.\/secret\.json" leaves the folder/],
    ['a link out of the folder', 'link.json', /refused\/link\.json is a link out of refused/],
  ])('%s is refused by name: 3', async (_name, reference, message) => {
    const [$schema] = drafts['2020-12'];
    const secret = await folder.file('secret.json', { type: 'integer' });
    await folder.file('refused/order.json', order(reference, $schema));
    await symlink(secret, join(folder.path, 'refused/link.json')).catch(() => {});
    await folder.file('plain.json', { $schema });
    const ran = await diff(['plain.json', 'refused/order.json']);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(message);
  });
});

describe('an OpenAPI document in several files is read as one', () => {
  const documentOf = (paths: object) => ({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths,
    components: { schemas: { Note: { type: 'string' } } },
  });
  /** A path in a YAML file below, which refers to files beside it, above it, and to the document. */
  const files = async (home: string, type: string) => {
    await folder.file(
      `${home}/openapi.json`,
      documentOf({ '/orders/{id}': { $ref: 'paths/order.yaml' } }),
    );
    await folder.file(
      `${home}/paths/order.yaml`,
      'get:\n  $ref: "operations.json#/getOrder"\nparameters:\n  - $ref: ../shared/id.yaml\n',
    );
    await folder.file(`${home}/paths/operations.json`, {
      getOrder: {
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/schemas/Order' } } } },
          default: { $ref: '../shared/errors.json#/unexpected' },
        },
      },
      schemas: {
        Order: {
          type: 'object',
          properties: {
            total: { $ref: '../shared/money.json' },
            note: { $ref: '../openapi.json#/components/schemas/Note' },
          },
        },
      },
    });
    await folder.file(
      `${home}/shared/id.yaml`,
      'name: id\nin: path\nrequired: true\nschema: { type: string }\n',
    );
    await folder.file(`${home}/shared/money.json`, { properties: { amount: { type } } });
    await folder.file(`${home}/shared/errors.json`, {
      unexpected: {
        content: { 'application/json': { schema: { properties: { code: { type } } } } },
      },
    });
  };

  test('paths, operations, parameters, responses and schemas', async () => {
    await files('before', 'integer');
    await files('after', 'string');
    const ran = await diff(['before/openapi.json', 'after/openapi.json', '--format', 'json']);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    const { items, problems } = JSON.parse(ran.stdout);
    expect(problems).toEqual([]);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      name: 'GET /orders/{id}',
      changes: [
        {
          type: 'type_changed',
          path: '$.properties.response.properties.total.properties.amount',
          definition: '$.$defs["shared/money.json"].properties.amount',
        },
        {
          type: 'type_changed',
          path: '$.properties.responses.properties.default.properties["application/json"].properties.code',
        },
      ],
    });
  });

  test('whole sections, and places behind references in them', async () => {
    for (const [home, type] of [
      ['parts-1', 'integer'],
      ['parts-2', 'string'],
    ] as const) {
      await folder.file(`${home}/openapi.json`, {
        ...documentOf({ $ref: 'paths.json' }),
        components: { schemas: { $ref: 'schemas.json' } },
      });
      const schema = { $ref: 'openapi.json#/components/schemas/Order/properties/total' };
      const content = { 'application/json': { schema } };
      await folder.file(`${home}/paths.json`, {
        '/orders': { get: { responses: { 200: { content } } } },
      });
      await folder.file(`${home}/schemas.json`, {
        Order: { $ref: '#/Sold' },
        Sold: { properties: { total: { type } } },
      });
    }
    const ran = await diff(['parts-1/openapi.json', 'parts-2/openapi.json']);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toContain('response: integer became string');
  });

  test('schemas that have an id, whose references are paths, places in their file, or ids', async () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    for (const [home, type] of [
      ['named-1', 'integer'],
      ['named-2', 'string'],
    ] as const) {
      const schema = { $ref: 'order.json' };
      const get = { responses: { 200: { content: { 'application/json': { schema } } } } };
      await folder.file(`${home}/openapi.json`, documentOf({ '/orders': { get } }));
      await folder.file(`${home}/order.json`, {
        $schema,
        $id: 'https://shop.example/schemas/order',
        properties: {
          byPath: { $ref: 'money.json' },
          byPlace: { $ref: '#/$defs/amount' },
          byId: { $ref: 'https://shop.example/schemas/money#/$defs/amount' },
          byShortId: { $ref: 'money#amount' },
        },
        $defs: { amount: { type } },
      });
      await folder.file(`${home}/money.json`, {
        $schema,
        $id: 'https://shop.example/schemas/money',
        type,
        $defs: { amount: { $anchor: 'amount', type } },
      });
    }
    const ran = await diff(['named-1/openapi.json', 'named-2/openapi.json', '--format', 'json']);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    const { items, problems } = JSON.parse(ran.stdout);
    expect(problems).toEqual([]);
    const places = items[0].changes.map(({ path }: { readonly path: string }) => path);
    expect(places.map((path: string) => path.split('.').at(-1))).toEqual([
      ...['byPath', 'byPlace', 'byId', 'byShortId'],
    ]);
  });

  test.each([
    ['a mapping', { mapping: { cat: 'cat.json' } }, 1],
    ['what no tag names', { defaultMapping: 'cat.json' }, 1],
    // No schema that has a name.
    ['a mapping to a part of a file', { mapping: { cat: 'cat.json#/properties' } }, 3],
  ])('variants that a discriminator alone names: %s', async (what, targets, code) => {
    const properties = { kind: { type: 'string' } };
    const discriminator = { propertyName: 'kind', ...targets };
    const content = { 'application/json': { schema: { properties, discriminator } } };
    const get = { responses: { 200: { content } } };
    const homes = ['integer', 'string'].map((type) => [`${what} ${type}`, type] as const);
    for (const [home, type] of homes) {
      await folder.file(`${home}/openapi.json`, documentOf({ '/pets': { get } }));
      await folder.file(`${home}/cat.json`, { properties: { tail: { type } } });
    }
    const ran = await diff(homes.map(([home]) => `${home}/openapi.json`));
    expect(ran.code).toBe(code);
  });

  const answered = (schema: object, type = 'application/json') => ({
    '/a': { get: { responses: { 200: { content: { [type]: { schema } } } } } },
  });
  const at = (key: string) => ({ $ref: `part.json#/${key}` });
  const base = {
    discriminator: { propertyName: 'kind' },
    properties: { kind: { type: 'string' } },
  };
  const post = (more: object) => ({ post: { ...more, responses: { 204: {} } } });
  const signed = (login: string) => post({ security: [{ [login]: [] }] });
  test.each<[string, object, (which: 'a' | 'b') => object, number]>([
    ...['example', 'examples', 'enum', 'const'].map(
      (name): [string, object, (which: 'a' | 'b') => object, number] => [
        `a property called ${name}`,
        { paths: answered({ properties: { [name]: at('Part') } }) },
        (which) => ({ Part: { const: which } }),
        1,
      ],
    ),
    [
      'a variant beside its base',
      { paths: answered(at('Pet')) },
      (which) => ({ Pet: base, Cat: { allOf: [{ $ref: '#/Pet' }, { required: [which] }] } }),
      1,
    ],
    [
      'how a header is written',
      { paths: { '/a': { get: { responses: { 204: { headers: { List: at('List') } } } } } } },
      (which) => ({ List: { explode: which === 'a', schema: { type: 'array' } } }),
      3,
    ],
    [
      'where a response leads',
      { paths: { '/a': { get: { responses: { 204: at('Done') } } } } },
      (which) => ({ Done: { links: { next: { operationId: which } } } }),
      3,
    ],
    [
      'how a value is written as XML',
      { paths: answered(at('Pet'), 'application/xml') },
      (which) => ({ Pet: { type: 'object', xml: { name: which } } }),
      3,
    ],
    [
      'the credentials of a webhook',
      { webhooks: { sold: at('Sold') } },
      (which) => ({ Sold: signed(which) }),
      3,
    ],
    [
      'the credentials of a callback',
      { paths: { '/a': post({ callbacks: { sold: { '{$url}': at('Sold') } } }) } },
      (which) => ({ Sold: signed(which) }),
      3,
    ],
  ])('what is in a file by the way that leads to it: %s', async (what, document, part, code) => {
    for (const which of ['a', 'b'] as const) {
      await folder.file(`${what} ${which}/openapi.json`, { ...documentOf({}), ...document });
      await folder.file(`${what} ${which}/part.json`, part(which));
    }
    const ran = await diff([`${what} a/openapi.json`, `${what} b/openapi.json`]);
    expect(ran).toMatchObject({ code, stderr: '' });
  });

  test.each([
    ['another host', 'https://shop.example/order.yaml'],
    ['a file that is not there', 'paths/none.yaml'],
  ])('%s is named, and leaves the verdict open if it changed', async (_what, reference) => {
    const get = { responses: { 200: { $ref: reference } } };
    await folder.file('remote-1.json', documentOf({ '/a': { get: { responses: { 200: {} } } } }));
    await folder.file('remote-2.json', documentOf({ '/a': { get } }));
    const ran = await diff(['remote-1.json', 'remote-2.json']);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain(`$ref "${reference}" is outside the document`);
  });

  test('a file outside of the folder is refused', async () => {
    await folder.file('secret.yaml', 'get: {}\n');
    await folder.file('inner/openapi.json', documentOf({ '/a': { $ref: '../secret.yaml' } }));
    const ran = await diff(['inner/openapi.json', 'inner/openapi.json']);
    expect(ran).toMatchObject({ code: 3 });
    expect(ran.stderr).toContain('$ref "../secret.yaml" leaves the folder of the file.');
  });
});

describe('what another file says belongs to', () => {
  const compare = async (name: string, document: object, part: (type: string) => object) => {
    const homes = ['integer', 'string'].map((type) => [`${name} ${type}`, type] as const);
    for (const [home, type] of homes) {
      await folder.file(`${home}/document.json`, document);
      await folder.file(`${home}/part.json`, part(type));
    }
    return diff(homes.map(([home]) => `${home}/document.json`));
  };

  test('a message of AsyncAPI, and what carries it', async () => {
    const channel = { publish: { message: { oneOf: [{ $ref: 'part.json#/message' }] } } };
    const document = { asyncapi: '2.6.0', channels: { orders: channel } };
    const ran = await compare('events', document, (type) => ({
      $id: 'https://shop.example/events',
      message: { payload: { $ref: '#/definitions/id' }, bindings: { kafka: { key: { type } } } },
      definitions: { id: { type } },
    }));
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toContain('payload: integer became string');
    expect(ran.stdout).toContain('how the broker carries the messages changed');
  });

  test('a field of a data contract', async () => {
    const document = {
      dataContractSpecification: '1.1.0',
      id: 'orders',
      info: { title: 'Orders', version: '1' },
      models: { orders: { fields: { id: { $ref: 'part.json#/id' } } } },
    };
    const ran = await compare('contract', document, (type) => ({ id: { type } }));
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toContain('id: integer became string');
  });
});
