import {
  BreakingChangeType,
  buildSchema,
  findSchemaChanges,
  introspectionFromSchema,
  type SchemaChange,
} from 'graphql/utilities';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/core/value/json.ts';
import { type Folder, makeFolder, run } from './support.ts';

let folder: Folder;

beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const isBreakingOfGraphql = ({ type }: SchemaChange) => type in BreakingChangeType;

const diff = (args: readonly string[], input = '') =>
  run(['diff', ...args], input, { cwd: folder.path });

describe('a document that is not read is refused with the word for what it is', () => {
  const avro = { type: 'record', name: 'Order', fields: [{ name: 'id', type: 'long' }] };

  test.each([
    ['an Avro schema', 'order.avsc', avro],
    ['an Avro schema', 'orders.json', [avro]],
    [
      'a Protobuf file',
      'order.proto',
      '// Orders.\nsyntax = "proto3";\nmessage Order { int64 id = 1; }\n',
    ],
    ['an OpenRPC document', 'rpc.json', { openrpc: '1.3.2', methods: [] }],
    [
      'a Postman collection',
      'shop.json',
      { info: { schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' } },
    ],
    ['a JSON Type Definition', 'jtd.json', { optionalProperties: { id: { type: 'string' } } }],
    ['a Table Schema or a list of columns', 'bq.json', [{ name: 'id', type: 'INT64' }]],
    ['a Data Package', 'datapackage.json', { name: 'shop', resources: [{ name: 'orders' }] }],
    [
      'a package.json',
      'package.json',
      { name: 'shop', version: '1.0.0', description: 'A shop', dependencies: { zod: '4.0.0' } },
    ],
    ['a Kubernetes object', 'deploy.yaml', 'apiVersion: apps/v1\nkind: Deployment\nspec: {}\n'],
    ["a file of a dbt project's properties", 'models.yml', 'version: 2\nmodels: []\n'],
    [
      'a semantic manifest of dbt',
      'semantic_manifest.json',
      { semantic_models: [], metrics: [], project_configuration: {} },
    ],
    [
      'a different dbt file',
      'catalog.json',
      { metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/catalog/v1.json' } },
    ],
    ['an XML document', 'order.xsd', '<?xml version="1.0"?><xs:schema/>'],
    [
      'a file with data',
      'biome.json',
      { $schema: 'https://biomejs.dev/schemas/2.0.0/schema.json', formatter: { enabled: true } },
    ],
  ])('%s: %s', async (words, name, content) => {
    await folder.file(`was/${name}`, content);
    await folder.file(name, content);
    const ran = await diff([`was/${name}`, name]);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain(`was/${name}: this is ${words}, which is not compared. `);
  });

  test.each([
    ['workflow.yaml', 'name: CI\njobs: {}\n', 'Nothing in it (name, jobs) is a keyword'],
    ['list.json', [1, 2], 'It is an array.'],
  ])('nor is it a JSON Schema by default: %s', async (name, content, why) => {
    await folder.file(name, content);
    const ran = await diff([name, name]);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain(`${name}: this is not a JSON Schema, and no other document of`);
    expect(ran.stderr).toContain(why);
  });

  test('a schema has a keyword, says so, or has nothing but annotations; --kind says otherwise', async () => {
    const schemas = [
      true,
      {},
      { description: 'anything' },
      { $schema: 'https://json-schema.org/draft/2020-12/schema', 'x-team': 'a' },
      { enum: [1] },
    ];
    for (const schema of schemas) {
      await folder.file('schema.json', JSON.stringify(schema));
      expect(await diff(['schema.json', 'schema.json'])).toMatchObject({ code: 0, stderr: '' });
    }
    await folder.file('name.json', { name: 'a' });
    expect((await diff(['name.json', 'name.json'])).code).toBe(3);
    expect((await diff(['--kind', 'jsonschema', 'name.json', 'name.json'])).code).toBe(0);
  });

  test('publish and import refuse it with the same sentence', async () => {
    await folder.file('order.avsc', avro);
    for (const command of ['publish', 'import']) {
      const args = [command, 'order.avsc', '--registry', 'http://127.0.0.1:1', '--key', 'x'];
      const ran = await run(args, '', { cwd: folder.path });
      expect(ran.stderr).toContain('this is an Avro schema, which is not compared. ');
      expect(ran.code).toBe(3);
    }
  });

  test('in a folder, a contract that is not read is reported if it changed; other files are ignored', async () => {
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'integer' };
    await folder.file('a/id.json', schema);
    await folder.file('b/id.json', schema);
    await folder.file('a/deploy.yaml', 'apiVersion: apps/v1\nkind: Deployment\n');
    await folder.file('a/avro.json', avro);
    await folder.file('b/avro.json', avro);
    const same = await diff(['a', 'b']);
    expect(same.code).toBe(0);
    expect(same.stdout).toContain('! b/avro.json, $: this is an Avro schema');
    await folder.file('b/avro.json', { ...avro, fields: [] });
    const changed = await diff(['a', 'b']);
    expect(changed.code).toBe(3);
    expect(changed.stdout).toContain(
      '= Breaking changes could not be ruled out: 1 part could not be read.',
    );
  });
});

describe('a part that was not read leaves the verdict open if it changed: 3', () => {
  const answer = (schema: object) => ({
    get: { responses: { 200: { content: { 'application/json': { schema } } } } },
  });
  const api = (schema: object, components: object, more: object = {}) => ({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: { '/orders': answer(schema), ...more },
    components: { schemas: components },
  });
  const order = { $ref: '#/components/schemas/Order' };
  const outside = { properties: { id: { $ref: 'https://example.com/id.json' } } };

  test('the same on both sides, with everything that it refers to, is no change', async () => {
    await folder.file('api-1.json', api(order, { Order: outside }));
    await folder.file('api-2.json', api(order, { Order: outside }, { '/new': answer({}) }));
    const ran = await diff(['api-1.json', 'api-2.json']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('! api-2.json, $.paths["/orders"].get:');
  });

  test('a variant that its discriminator leads to belongs to it', async () => {
    const schemas = (type: string, more: object = {}) => ({
      Order: { ...outside, discriminator: { propertyName: 'kind' } },
      Gift: { allOf: [order], properties: { note: { type } } },
      ...more,
    });
    await folder.file('gift-1.json', api(order, schemas('integer')));
    await folder.file('gift-2.json', api(order, schemas('string')));
    await folder.file('gift-3.json', api(order, schemas('string'), { '/new': answer({}) }));
    expect((await diff(['gift-1.json', 'gift-2.json'])).code).toBe(3);
    expect((await diff(['gift-2.json', 'gift-3.json'])).code).toBe(0);
  });

  test('what looks like the name of a schema in an example is none', async () => {
    const sides = [{ Pet: {} }, { Pet: {}, Cat: {} }].map((schemas) => {
      const components = { schemas, examples: { one: { value: { id: 'x1' } } } };
      return { ...api(outside, {}), openapi: '3.0.3', components };
    });
    await folder.file('api-1.json', sides[0] ?? {});
    await folder.file('api-2.json', sides[1] ?? {});
    const stdout = expect.stringContaining('! api-2.json, $.paths["/orders"].get:');
    expect(await diff(['api-1.json', 'api-2.json'])).toMatchObject({ code: 0, stdout });
  });

  test.each<[string, object, string, object?]>([
    ['an anchor', { $anchor: 'total' }, '#total'],
    [
      'an id of draft-04',
      { id: 'https://shop.example/total' },
      'https://shop.example/total',
      { jsonSchemaDialect: 'http://json-schema.org/draft-04/schema#' },
    ],
    ['an id', { $id: 'https://shop.example/total' }, 'https://shop.example/total'],
  ])(
    'a change behind a reference by name is a change: %s',
    async (_what, name, reference, more = {}) => {
      const sides = ['string', 'integer'].map((type) => {
        const properties = { ...outside.properties, total: { $ref: reference } };
        return { ...api(order, { Order: { properties }, Total: { ...name, type } }), ...more };
      });
      await folder.file('api-1.json', sides[0] ?? {});
      await folder.file('api-2.json', sides[1] ?? {});
      const ran = await diff(['api-1.json', 'api-2.json']);
      expect(ran).toMatchObject({ code: 3, stderr: '' });
      await folder.file('api-2.json', { ...sides[0] });
      expect(await diff(['api-1.json', 'api-2.json'])).toMatchObject({ code: 0 });
    },
  );

  const unnamed = { parameters: [{ name: 'q' }] };
  const read = (type: string) => ({ get: { ...answer({ type }).get, ...unnamed } });
  const path = { '/sold': { $ref: '#/x-paths/sold' } };
  test.each<readonly [string, (type: string) => object]>([
    ['its response', (type) => api(order, { Order: {} }, { '/sold': read(type) })],
    [
      'a parameter of its path',
      (type) => {
        const parameters = [{ name: 'q', in: 'query', schema: { type } }];
        return api(order, { Order: {} }, { '/sold': { parameters, ...read('string') } });
      },
    ],
    [
      'its response, where its path is a reference',
      (type) => ({ ...api(order, { Order: {} }, path), 'x-paths': { sold: read(type) } }),
    ],
    [
      'what all operations demand',
      (type) => ({
        ...api(order, { Order: {} }, { '/sold': read('string') }),
        ...{ paths: { '/sold': read('string') }, security: [{ [type]: [] }] },
      }),
    ],
  ])(
    'a change is told anywhere in what a part keeps from being read: %s',
    async (_what, sideOf) => {
      await folder.file('api-1.json', sideOf('string'));
      await folder.file('api-2.json', sideOf('integer'));
      expect(await diff(['api-1.json', 'api-1.json'])).toMatchObject({ code: 0, stderr: '' });
      expect(await diff(['api-1.json', 'api-2.json'])).toMatchObject({ code: 3, stderr: '' });
    },
  );

  const unknownMode = { property: 'compatibilityMode', value: 'sometimes' };
  test.each<readonly [string, (type: string) => object]>([
    [
      'dbt',
      (type) => ({
        metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
        nodes: {
          'model.shop.orders': {
            ...{ resource_type: 'model', name: 'orders', database: 'db', schema: 'public' },
            columns: { id: { name: 'id', data_type: type } },
            meta: { concordat: { compatibility_mode: 'sometimes' } },
          },
        },
      }),
    ],
    [
      'ODCS',
      (type) => ({
        ...{ kind: 'DataContract', apiVersion: 'v3.0.2', id: 'orders' },
        customProperties: [unknownMode],
        schema: [{ name: 'orders', properties: [{ name: 'id', logicalType: type }] }],
      }),
    ],
  ])('a change is told of what has an unknown mode: %s', async (_what, sideOf) => {
    await folder.file('mode-1.json', sideOf('string'));
    await folder.file('mode-2.json', sideOf('integer'));
    expect(await diff(['mode-1.json', 'mode-1.json'])).toMatchObject({ code: 0, stderr: '' });
    expect(await diff(['mode-1.json', 'mode-2.json'])).toMatchObject({ code: 3, stderr: '' });
  });

  test('a change behind a local reference is a change, in every format', async () => {
    await folder.file('api-1.json', api(order, { Order: outside }));
    const changed = { properties: { ...outside.properties, total: { type: 'string' } } };
    await folder.file('api-3.json', api(order, { Order: changed }));
    const told: Readonly<Record<string, string>> = {
      text: '= Breaking changes could not be ruled out: 1 part could not be read.',
      json: '"status": "not_all_read"',
      markdown: '### ⚠️ Breaking changes could not be ruled out',
      github: '::error file=api-3.json,line=1,title=Not read::',
      gitlab: '"severity": "critical"',
      sarif: '"executionSuccessful": false',
      junit: 'errors="1"',
    };
    for (const [format, text] of Object.entries(told)) {
      const ran = await diff(['api-1.json', 'api-3.json', '--format', format]);
      expect(ran.code).toBe(3);
      expect(ran.stdout).toContain(text);
    }
    const { stdout } = await diff(['api-1.json', 'api-3.json']);
    expect(stdout).not.toContain('No changes.');
  });

  test('what no contract holds is told if it changed: servers, spellings, forms, tokens', async () => {
    const schema = { type: 'object', properties: { id: { type: 'string' } } };
    const limit = { name: 'limit', in: 'query', schema: { type: 'array' } };
    const page = { name: 'page', in: 'query', schema: { type: 'string' } };
    const form = (more: object) => ({
      post: {
        requestBody: { content: { 'multipart/form-data': { schema, ...more } } },
        responses: { 204: { description: 'Done.' } },
      },
    });
    const full = (parts: {
      url?: string;
      parameters?: readonly object[];
      encoding?: object;
      tokenUrl?: string;
    }) => {
      const { url = 'https://a.example', tokenUrl = 'https://a.example/token' } = parts;
      const { parameters = [{ ...limit, explode: true }, page], encoding = {} } = parts;
      const clientCredentials = { tokenUrl, scopes: {} };
      const read = answer(schema);
      return {
        ...api(order, { Order: schema }, { '/form': form({ encoding }) }),
        servers: [{ url }],
        paths: { '/orders': { get: { ...read.get, parameters } }, '/form': form({ encoding }) },
        components: {
          schemas: { Order: schema },
          securitySchemes: { login: { type: 'oauth2', flows: { clientCredentials } } },
        },
      };
    };
    await folder.file('full-1.json', full({}));
    const turned = { parameters: [page, { ...limit, explode: true }] };
    await folder.file('full-2.json', full(turned));
    expect(await diff(['full-1.json', 'full-2.json'])).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: expect.not.stringContaining('not compared'),
    });
    const changes: readonly (readonly [object, string])[] = [
      [{ url: 'https://b.example' }, 'servers: the addresses of the servers changed'],
      [{ parameters: [{ ...limit, explode: false }, page] }, 'limit explode: how the parameter'],
      [{ encoding: { id: { contentType: 'text/plain' } } }, 'how the parts of the form'],
      [{ tokenUrl: 'https://b.example/token' }, 'how a token is obtained'],
    ];
    for (const [parts, told] of changes) {
      await folder.file('full-3.json', full(parts));
      const ran = await diff(['full-1.json', 'full-3.json']);
      expect(ran.code, told).toBe(3);
      expect(ran.stdout).toContain(told);
    }
    // Nobody has relied on what did not exist.
    await folder.file('full-4.json', {
      ...full({}),
      paths: { ...full({}).paths, '/new': form({ encoding: { id: { style: 'form' } } }) },
    });
    expect(await diff(['full-1.json', 'full-4.json'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('a variant that only a discriminator leads to is compared', async () => {
    const pets = (meow: Json, more: JsonObject = {}): JsonObject => ({
      openapi: '3.0.3',
      info: { title: 'Pets', version: '1' },
      paths: {
        '/pets': {
          get: {
            responses: {
              200: {
                description: '',
                content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
              },
            },
          },
        },
      },
      components: {
        schemas: {
          Pet: {
            ...{ type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] },
            discriminator: { propertyName: 'kind' },
          },
          Cat: {
            allOf: [{ $ref: '#/components/schemas/Pet' }, { $ref: '#/components/schemas/Sound' }],
            ...more,
          },
          Sound: { type: 'object', properties: { meow } },
        },
      },
    });
    await folder.file('pets-1.json', pets({ type: 'string' }));
    await folder.file('pets-2.json', pets({ type: 'integer' }));
    await folder.file('pets-3.json', pets({ type: 'string' }, { description: 'A cat.' }));
    const changed = await diff(['pets-1.json', 'pets-2.json']);
    expect(changed.stdout).toContain('response (variant 1).meow: string became integer');
    expect(changed.code).toBe(1);
    expect((await diff(['pets-1.json', 'pets-3.json'])).code).toBe(0);
  });

  const limit = { name: 'limit', in: 'query', schema: { type: 'array' } };
  const page = { name: 'page', in: 'query', schema: { type: 'string' } };
  const { schema: listed, ...named } = limit;
  const asJson = { ...named, content: { 'application/json': { schema: listed } } };
  const called = (...parameters: readonly object[]) =>
    api(order, { Order: {} }, { '/called': { get: { ...answer({}).get, parameters } } });
  const list = (collectionFormat?: string, where = 'query') => ({
    ...{ name: 'list', in: where, type: 'array', items: { type: 'string' } },
    ...(collectionFormat === undefined ? {} : { collectionFormat }),
  });
  const lists = (collectionFormat?: string) => ({ ...list(), items: list(collectionFormat) });
  const swagger = (
    parameter: object | null,
    { name: _, in: __, ...header }: object & { name?: string; in?: string } = list(),
  ) => ({
    ...{ swagger: '2.0', info: {} },
    paths: {
      '/list': {
        post: {
          parameters: parameter === null ? [] : [parameter],
          responses: { 204: { headers: { List: header } } },
        },
      },
    },
  });
  const sent = (more: object) => ({ ...called(), webhooks: { sold: { post: more } } });
  const shared = (more: object) => ({
    ...called(),
    webhooks: { sold: { $ref: '#/components/pathItems/Sold' } },
    components: { pathItems: { Sold: { post: more } } },
  });
  test.each([
    ['servers: the addresses', called(), { ...called(), servers: [{ url: 'https://b.example' }] }],
    [
      'basePath: the addresses',
      { swagger: '2.0', info: {}, paths: {} },
      { swagger: '2.0', info: {}, paths: {}, basePath: '/v2' },
    ],
    [
      'host: the addresses',
      { swagger: '2.0', info: {}, paths: {} },
      { swagger: '2.0', info: {}, paths: {}, host: 'b.example' },
    ],
    ['list collectionFormat: how', swagger(list()), swagger(list('pipes'))],
    ['list collectionFormat: how', swagger(list('csv')), swagger(list('pipes'))],
    ['list items collectionFormat: how', swagger(lists()), swagger(lists('ssv'))],
    [
      'list collectionFormat: how',
      swagger(list('tsv', 'formData')),
      swagger(list('csv', 'formData')),
    ],
    [
      'list collectionFormat: how',
      swagger(list('pipes')),
      { ...swagger({ $ref: '#/parameters/List' }), parameters: { List: list('ssv') } },
    ],
    ['headers List collectionFormat: how', swagger(null), swagger(null, list('pipes'))],
    [
      'x-files page.yaml style: how',
      { ...called({ $ref: '#/x-files/page.yaml' }), 'x-files': { 'page.yaml': page } },
      {
        ...called({ $ref: '#/x-files/page.yaml' }),
        'x-files': { 'page.yaml': { ...page, style: 'pipeDelimited' } },
      },
    ],
    ['limit explode: how', called(limit, page), called(page, { ...limit, explode: false })],
    ['limit style: how', called(limit), called({ ...limit, style: 'pipeDelimited' })],
    ['limit allowEmptyValue: how', called(limit), called({ ...limit, allowEmptyValue: true })],
    ['limit content: how', called(limit), called(asJson)],
    ['the credentials that the API presents', sent({}), sent({ security: [{ login: [] }] })],
    ['the credentials that the API presents', shared({}), shared({ security: [{ login: [] }] })],
  ])('so does what is stated where nothing was, or taken away: %s', async (told, old, next) => {
    await folder.file('without.json', old);
    await folder.file('with.json', next);
    for (const files of [
      ['without.json', 'with.json'],
      ['with.json', 'without.json'],
    ]) {
      const stdout = expect.stringContaining(told);
      expect(await diff(files)).toMatchObject({ code: 3, stdout });
    }
  });

  test.each([
    ['the only server by default', called(), { ...called(), servers: [{ url: '/' }] }, 0],
    ['the defaults', called(limit), called({ ...limit, style: 'form', explode: true }), 0],
    ['a parameter before it', called(limit), called({ ...page, explode: false }, limit), 0],
    [
      'the same where others use it, too',
      swagger(list('pipes')),
      {
        ...swagger({ $ref: '#/parameters/List' }),
        parameters: { List: list('pipes') },
      },
      0,
    ],
    [
      'the same where it is used alone',
      { ...swagger({ $ref: '#/parameters/List' }), parameters: { List: list('pipes') } },
      swagger(list('pipes')),
      0,
    ],
    ['the parameter gone', called({ ...page, explode: false }, limit), called(limit), 1],
  ])('but not what says the same, or goes with its parameter: %s', async (_, old, next, code) => {
    await folder.file('told-1.json', old);
    await folder.file('told-2.json', next);
    const stdout = expect.not.stringContaining('not compared');
    expect(await diff(['told-1.json', 'told-2.json'])).toMatchObject({ code, stdout });
  });

  const sdl =
    'directive @auth(role: String = "user") on FIELD_DEFINITION\ntype Query { a: Int }\ntype Change { b: Int }\n';
  const rooted = `${sdl}schema { query: Query mutation: Change }\n`;
  test.each([
    ['schema mutation: the type that it begins with', rooted, `${sdl}schema { query: Query }`],
    ['schema query: the type that it begins with', sdl, `${sdl}schema { query: Change }`],
    ['Query.a: what its directives say', sdl, sdl.replace('a: Int', 'a: Int @auth')],
    ['Query.a: what its directives say', 'type Query { a: Int }', 'type Query { a: Int @, auth }'],
    ['@auth: what the directive means', sdl, sdl.replace('"user"', '"admin"')],
    [
      'Query: what its directives say',
      `type Query @auth(role: "a") { a: Int } extend type Query { b: Int }`,
      `type Query @auth(role: "b") { a: Int } extend type Query { b: Int }`,
    ],
    [
      'Query: what its directives say',
      `type Query @auth(role: "a") { a: Int } extend type Query @auth(role: "c") { b: Int }`,
      `type Query @auth(role: "b") { a: Int } extend type Query @auth(role: "c") { b: Int }`,
    ],
    ['the schema: what its directives say', rooted, rooted.replace('schema {', 'schema @auth {')],
    [
      'the schema: what its directives say',
      sdl,
      `extend schema @link(url: "https://shop.example/v2") ${sdl}`,
    ],
    [
      'schema query: the type that it begins with',
      'type A { a: Int } type B { b: Int } schema { query: A }',
      'type A { a: Int } type B { b: Int } schema # The roots.\n{ query: B }',
    ],
  ])('the roots and directives of a GraphQL schema: %s', async (told, old, next) => {
    await folder.file('more-1.graphql', old);
    await folder.file('more-2.graphql', next);
    for (const files of [
      ['more-1.graphql', 'more-2.graphql'],
      ['more-2.graphql', 'more-1.graphql'],
    ]) {
      const stdout = expect.stringContaining(told);
      expect(await diff(files)).toMatchObject({ code: 3, stdout });
    }
  });

  // The judgement of the library is the independent one.
  const directives = [
    '',
    'directive @c on FIELD',
    'directive @c repeatable on FIELD',
    'directive @c on FIELD | QUERY',
    'directive @c(ttl: Int) on FIELD | QUERY',
    'directive @c(ttl: Int! = 5) on FIELD',
    'directive @c(ttl: Int, who: Who!) on FIELD',
    'directive @c(ttl: Int, other: In) repeatable on FIELD | VARIABLE_DEFINITION',
  ].map((each) => `${each}\nenum Who { A B }\ninput In { a: Int }\ntype Query { a: Int }\n`);
  test('a directive of operations breaks where the library of GraphQL says so, in SDL and in an introspection', async () => {
    const written = directives.map((text, i) => [`directive-${i}`, text] as const);
    for (const [name, text] of written) {
      await folder.file(`${name}.graphql`, text);
      await folder.file(`${name}.json`, introspectionFromSchema(buildSchema(text)));
    }
    let breaking = 0;
    for (const [name, text] of written) {
      for (const [other, next] of written) {
        const breaks = findSchemaChanges(buildSchema(text), buildSchema(next)).some(
          isBreakingOfGraphql,
        );
        if (breaks) breaking++;
        const files = [`${name}.graphql`, `${other}.graphql`];
        expect({ files, code: (await diff(files)).code }).toEqual({ files, code: breaks ? 1 : 0 });
        const introspections = [`${name}.json`, `${other}.json`];
        const { code } = await diff(introspections);
        expect({ introspections, code }).toEqual({ introspections, code: breaks ? 1 : 0 });
      }
    }
    expect(breaking).toBeGreaterThan(20);
  });

  test('a directive of GraphQL: its arguments are compared, and where the server itself uses it is told', async () => {
    const text =
      'directive @c(ttl: Int, who: Who) on FIELD | OBJECT enum Who { A } type Query { a: Int }';
    await folder.file('c-1.graphql', text);
    await folder.file('c-2.graphql', text.replace('ttl: Int', 'ttl: String'));
    const changed = await diff(['c-1.graphql', 'c-2.graphql']);
    expect(changed.code).toBe(1);
    expect(changed.stdout).toContain('✗ arguments.ttl:');
    expect(changed.stdout).not.toContain('not compared');
    await folder.file('c-3.graphql', text.replace(' | OBJECT', ' | ENUM'));
    const moved = await diff(['c-1.graphql', 'c-3.graphql']);
    expect(moved.code).toBe(3);
    expect(moved.stdout).toContain('@c: what the directive means changed, which is not compared.');
    await folder.file('c-4.graphql', `directive @skip(if: Boolean!) on FIELD ${text}`);
    expect(await diff(['c-4.graphql', 'c-1.graphql'])).toMatchObject({ code: 0 });
  });

  test('where the values of a scalar of GraphQL are specified, in an introspection', async () => {
    const introspection = (specifiedByURL: string) => {
      const type = { kind: 'SCALAR', name: 'Day', ofType: null };
      const field = { name: 'day', args: [], type, isDeprecated: false };
      const query = { kind: 'OBJECT', name: 'Query', fields: [field], interfaces: [] };
      const types = [query, { kind: 'SCALAR', name: 'Day', specifiedByURL }];
      return { data: { __schema: { queryType: { name: 'Query' }, types, directives: [] } } };
    };
    await folder.file('day-1.json', introspection('https://shop.example/day'));
    await folder.file('day-2.json', introspection('https://shop.example/days'));
    expect(await diff(['day-1.json', 'day-1.json'])).toMatchObject({ code: 0 });
    const stdout = expect.stringContaining('Day: what its directives say');
    expect(await diff(['day-1.json', 'day-2.json'])).toMatchObject({ code: 3, stdout });
  });

  test.each([
    ['input A { a: Int }', 'type A { a: Int }'],
    ['type A { a: Int }', 'input A { a: Int, b: Int }'],
  ])('a type of GraphQL that is sent, or no longer, breaks: %s, then %s', async (old, next) => {
    await folder.file('turned-1.graphql', `type Query { a: Int } ${old}`);
    await folder.file('turned-2.graphql', `type Query { a: Int } ${next}`);
    expect(await diff(['turned-1.graphql', 'turned-2.graphql'])).toMatchObject({ code: 1 });
  });

  test.each([
    ['a new field has', sdl, sdl.replace('a: Int', 'a: Int new: Int @auth')],
    ['is said in another order', rooted, `schema { mutation: Change query: Query }\n${sdl}`],
    ['says the usual', sdl, `${sdl}schema { query: Query }`],
  ])('but not what %s', async (_, old, next) => {
    await folder.file('usual-1.graphql', old);
    await folder.file('usual-2.graphql', next);
    const stdout = expect.not.stringContaining('not compared');
    expect(await diff(['usual-1.graphql', 'usual-2.graphql'])).toMatchObject({ code: 0, stdout });
  });

  test('an operation that was not read before, and is gone or read now', async () => {
    await folder.file('api-1.json', api(order, { Order: outside }));
    await folder.file('api-4.json', api(order, { Order: { type: 'object' } }));
    const ran = await diff(['api-1.json', 'api-4.json']);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain('In the old version: GET /orders');
  });
});

describe('of a file that only holds definitions for others, each definition is compared', () => {
  test.each(['$defs', 'definitions'])('%s', async (holder) => {
    const bundle = (type: string, more: object = {}) => ({
      $schema:
        holder === '$defs'
          ? 'https://json-schema.org/draft/2020-12/schema'
          : 'http://json-schema.org/draft-07/schema#',
      [holder]: {
        Money: { type: 'object', properties: { amount: { type } }, required: ['amount'] },
        Order: { type: 'object', properties: { total: { $ref: `#/${holder}/Money` } } },
        ...more,
      },
    });
    await folder.file('shared-1.json', bundle('integer', { Old: { type: 'string' } }));
    await folder.file('shared-2.json', bundle('string'));
    const ran = await diff(['shared-1.json', 'shared-2.json']);
    expect(ran.code).toBe(1);
    // What both reach is told once.
    expect(ran.stdout).toContain(
      `  ✗ Money.amount: integer became string; a consumer that reads 0 would get "0" [type_changed]\n` +
        `      in 2 contracts: shared-2.json#/${holder}/Money and shared-2.json#/${holder}/Order\n`,
    );
    expect(ran.stdout).toContain(
      '✗ 2 contracts changed only by the definitions above, 2 of them breaking: see --show all\n',
    );
    expect(ran.stdout).toContain(`✗ shared-1.json#/${holder}/Old (shared-1.json): removed`);
  });

  test('what many operations reach names them all in JSON, and has the paths of the first fifty', async () => {
    const api = (type: string) => {
      const schema = { $ref: '#/components/schemas/Money' };
      const get = { responses: { 200: { content: { 'application/json': { schema } } } } };
      const paths = Array.from({ length: 60 }, (_, index) => [`/totals/${index}`, { get }]);
      const Money = { type: 'object', properties: { amount: { type } } };
      return {
        openapi: '3.1.0',
        info: { title: 'Shop', version: '1' },
        paths: Object.fromEntries(paths),
        components: { schemas: { Money } },
      };
    };
    await folder.file('many-1.json', api('integer'));
    await folder.file('many-2.json', api('string'));
    const { stdout } = await diff(['many-1.json', 'many-2.json', '--format', 'json']);
    const { shared_changes: shared } = JSON.parse(stdout);
    expect(shared).toMatchObject([{ type: 'type_changed', place_count: 60 }]);
    const [{ items }] = shared;
    expect(new Set(items.map(({ name }: { name: string }) => name)).size).toBe(60);
    const paths = items.flatMap(({ path }: { path?: string }) => path ?? []);
    expect(paths).toEqual(new Array(50).fill('$.properties.response.properties.amount'));
  });
});

describe('documents that are converted or hold several schemas', () => {
  const crd = (type: string, more: object = {}) => ({
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'shop.example',
      names: { kind: 'Order' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { id: { type } }, ...more } },
        },
      ],
    },
  });
  const rule = (text: string) => ({ 'x-kubernetes-validations': [{ rule: text }] });

  test('a CustomResourceDefinition: each version, with the line of its change', async () => {
    await folder.file('crd-1.json', JSON.stringify(crd('integer'), null, 2));
    await folder.file('crd-2.json', JSON.stringify(crd('string'), null, 2));
    const ran = await diff(['crd-1.json', 'crd-2.json', '--format', 'github']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(
      /^::error file=crd-2\.json,line=1[6-9],title=Breaking%3A type_changed/,
    );
  });

  test('several documents of one file: each definition is compared, the rest is not', async () => {
    const file = (type: string) =>
      [
        'kind: Service\napiVersion: v1',
        ...[crd('integer'), crd(type)].map((each, index) =>
          JSON.stringify({ ...each, spec: { ...each.spec, group: `g${index}` } }),
        ),
      ].join('\n---\n');
    await folder.file('crds-1.yaml', file('integer'));
    await folder.file('crds-2.yaml', file('string'));
    const ran = await diff(['crds-1.yaml', 'crds-2.yaml']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('✗ Order g1/v1 (crds-2.yaml): breaking under backward');
    expect(ran.stdout).toContain('= 2 contracts compared, 1 breaking,');
  });

  test('of several definitions in one file, what no contract holds is told, in any order', async () => {
    const definition = (name: string, scope: string) => {
      const { spec } = crd('integer');
      return {
        metadata: { name },
        kind: 'CustomResourceDefinition',
        spec: { ...spec, group: name, scope },
      };
    };
    const write = (name: string, kinds: readonly object[]) =>
      folder.file(name, kinds.map((each) => JSON.stringify(each)).join('\n---\n'));
    await write('scopes-1.yaml', [definition('a', 'Cluster'), definition('b', 'Namespaced')]);
    await write('scopes-2.yaml', [definition('b', 'Namespaced'), definition('a', 'Cluster')]);
    await write('scopes-3.yaml', [definition('b', 'Cluster'), definition('a', 'Cluster')]);
    await write('scopes-4.yaml', [definition('b', 'Cluster')]);
    expect((await diff(['scopes-1.yaml', 'scopes-2.yaml'])).code).toBe(0);
    for (const next of ['scopes-3.yaml', 'scopes-4.yaml']) {
      const ran = await diff(['scopes-2.yaml', next]);
      expect(ran.stdout).toContain('b, spec scope: whether the objects are in a namespace changed');
    }
    expect((await diff(['scopes-2.yaml', 'scopes-3.yaml'])).code).toBe(3);
  });

  test('a definition keeps its name in another file, and a new one leaves nothing open', async () => {
    const definition = (name: string, more: object = {}) => {
      const { spec } = crd('integer', rule('self.id > 0'));
      const named = { ...spec, group: name, scope: 'Cluster', names: { kind: name, plural: name } };
      const spoken = { ...named, ...more };
      return JSON.stringify({ metadata: { name }, kind: 'CustomResourceDefinition', spec: spoken });
    };
    const [a, b] = [definition('a'), definition('b')];
    await folder.file('moved-1/all.yaml', [a, b].join('\n---\n'));
    await folder.file('moved-2/b.yaml', b);
    await folder.file('moved-2/a.json', a);
    await folder.file('moved-3/all.yaml', a);
    await folder.file('moved-4/b.yaml', b);
    await folder.file('moved-4/a.json', definition('a', { scope: 'Namespaced' }));
    const silent = expect.not.stringContaining('not compared');
    for (const [old, next] of ['12', '21', '31', '32'])
      expect(await diff([`moved-${old}`, `moved-${next}`])).toMatchObject({
        code: 0,
        stdout: silent,
      });
    const changed = await diff(['moved-1', 'moved-4']);
    expect(changed.code).toBe(3);
    expect(changed.stdout).toContain(
      'a, spec scope: whether the objects are in a namespace changed',
    );
    expect(changed.stdout).not.toContain('b, spec');
  });

  test('of many types of GraphQL, those in which only words changed are counted', async () => {
    const types = (count: number, words: string) =>
      Array.from({ length: count }, (_, index) => `"${words}" type T${index} { a: Int }`).join(' ');
    const of = (count: number, words: string, a: string) =>
      `type Query { a: ${a} } ${types(count, words)}`;
    for (const count of [10, 11]) {
      await folder.file('words-1.graphql', of(count, 'Old.', 'Int'));
      await folder.file('words-2.graphql', of(count, 'New.', 'String'));
      const { stdout } = await diff(['words-1.graphql', 'words-2.graphql']);
      expect(stdout).toMatch(/✗ Query .*breaking/);
      expect(stdout.includes('~ T0 (words-2.graphql)')).toBe(count === 10);
      expect(stdout.includes('~ 11 contracts changed only in descriptions')).toBe(count === 11);
      const all = await diff(['words-1.graphql', 'words-2.graphql', '--show', 'all']);
      expect(all.stdout).toContain('~ T9 (words-2.graphql)');
    }
  });

  test('an API whose file is new leaves nothing open', async () => {
    const servers = [{ url: 'https://shop.example' }];
    const paths = { '/orders': { get: { responses: { 200: { description: 'All.' } } } } };
    const api = (title: string) => ({
      openapi: '3.1.0',
      info: { title, version: '1' },
      servers,
      paths,
    });
    await folder.file('apis-1/a.json', api('a'));
    await folder.file('apis-2/a.json', api('a'));
    await folder.file('apis-2/b.json', api('b'));
    const stdout = expect.not.stringContaining('not compared');
    expect(await diff(['apis-1', 'apis-2'])).toMatchObject({ code: 0, stdout });
  });

  test('a CEL rule that changed leaves the verdict open, and one that did not is counted', async () => {
    await folder.file('crd-1.json', crd('integer', rule('self.id > 0')));
    await folder.file('crd-2.json', crd('integer', rule('self.id > 1')));
    await folder.file('crd-3.json', crd('integer'));
    expect(await diff(['crd-1.json', 'crd-1.json'])).toMatchObject({
      code: 0,
      stdout: 'No changes.\n\n! crd-1.json, $: 1 part not judged, but the same on both sides.\n',
    });
    for (const [old, next] of [
      ['1', '2'],
      ['3', '1'],
      ['1', '3'],
    ]) {
      const ran = await diff([`crd-${old}.json`, `crd-${next}.json`]);
      expect(ran.code).toBe(3);
      expect(ran.stdout).toContain(
        'Order shop.example/v1: x-kubernetes-validations is not judged.',
      );
    }
  });

  test('AsyncAPI: what is sent may not widen, what is received may not narrow', async () => {
    const api = (publish: string, subscribe: string) => ({
      asyncapi: '2.6.0',
      channels: {
        orders: {
          publish: { message: { name: 'Place', payload: { type: publish } } },
          subscribe: { message: { name: 'Placed', payload: { type: subscribe } } },
        },
      },
    });
    await folder.file('async-1.json', api('integer', 'number'));
    await folder.file('async-2.json', api('number', 'integer'));
    expect((await diff(['async-1.json', 'async-2.json'])).code).toBe(0);
    const back = await diff(['async-2.json', 'async-1.json']);
    expect(back.code).toBe(1);
    expect(back.stdout).toContain('✗ receive orders Place (async-1.json): breaking');
    expect(back.stdout).toContain('✗ send orders Placed (async-1.json): breaking');
  });

  test('a format that the API server alone checks leaves the verdict open if it changed', async () => {
    const ranged = (format: object) => ({
      properties: { id: { type: 'string', description: 'A range.', ...format } },
    });
    const versions = [{}, { format: 'cidr' }, { format: 'mac' }].map(ranged);
    for (const [index, more] of versions.entries())
      await folder.file(`crd-${index}.json`, crd('string', more));
    const codes = ['0 1', '1 2', '1 0', '1 1'].map(async (pair) => {
      const [old, next] = pair.split(' ');
      return (await diff([`crd-${old}.json`, `crd-${next}.json`])).code;
    });
    expect(await Promise.all(codes)).toEqual([3, 3, 3, 0]);
  });

  /** An operation that receives a message, and what else its document says. */
  const receives = (message: object, more: object = {}, operation: object = {}) => ({
    asyncapi: '3.0.0',
    channels: { a: { address: 'a', messages: { 'M/1': message } } },
    operations: { o: { action: 'receive', channel: { $ref: '#/channels/a' }, ...operation } },
    ...more,
  });
  const wide = { type: ['string', 'integer'] };
  const text = { type: 'string' };
  const demanding = { type: 'object', properties: { h: text }, required: ['h'] };
  const header = (type: string, required: readonly string[] = []) => ({
    ...{ type: 'object', properties: { h: { type } } },
    ...(required.length > 0 && { required }),
  });
  const common = '#/components/messages/X';
  const sends = ($ref: string) => ({ action: 'send', messages: [{ $ref }] });
  const inSchema = (schema: object) =>
    receives(
      { payload: { properties: { a: { $ref: '#/components/schemas/A' } } } },
      { components: { schemas: { A: schema } } },
    );
  const draft7 = 'application/schema+json;version=draft-07';
  const answered = (type: object, answer: string, asks: string) => ({
    asyncapi: '3.0.0',
    channels: {
      a: { address: 'a', messages: { M: { payload: {} }, N: { payload: {} } } },
      b: { messages: { R: { payload: type }, S: { payload: {} } } },
    },
    operations: Object.fromEntries(
      ['M', 'N'].map((name) => [
        name,
        {
          action: 'receive',
          channel: { $ref: '#/channels/a' },
          messages: [{ $ref: `#/channels/a/messages/${name}` }],
          ...(asks.includes(name) && {
            reply: { messages: [{ $ref: `#/channels/b/messages/${answer}` }] },
          }),
        },
      ]),
    ),
  });
  const pets = (legs: string) => ({
    schemas: {
      Pet: { type: 'object', discriminator: 'kind', properties: { kind: text } },
      Cat: {
        allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { legs: { type: legs } } }],
      },
    },
  });
  const chosen = (payload: object, trait: object = {}) => ({
    asyncapi: '2.6.0',
    channels: {
      a: { publish: { message: { oneOf: [{ oneOf: [{ payload, traits: [trait] }] }] } } },
    },
  });
  test.each<[string, object, object, number]>([
    [
      'a name with an escape',
      receives({ payload: text }, {}, sends('#/channels/a/messages/M~11')),
      receives({ payload: wide }, {}, sends('#/channels/a/messages/M~11')),
      1,
    ],
    [
      'the component in place of the message of the channel',
      receives(
        { $ref: common },
        { components: { messages: { X: { payload: text } } } },
        sends(common),
      ),
      receives(
        { $ref: common },
        { components: { messages: { X: { payload: wide } } } },
        sends(common),
      ),
      1,
    ],
    ['a reply without a channel', answered(text, 'R', 'MN'), answered(wide, 'R', 'MN'), 1],
    [
      'another reply, and the messages stay',
      answered(text, 'R', 'MN'),
      answered(text, 'S', 'MN'),
      1,
    ],
    ['a reply to one of two', answered(text, 'R', 'MN'), answered(text, 'R', 'M'), 3],
    [
      'a schema beside its language',
      inSchema({ schemaFormat: draft7, schema: wide }),
      inSchema({ schemaFormat: draft7, schema: text }),
      1,
    ],
    [
      'a header that is demanded',
      receives({ payload: {} }),
      receives({ payload: {}, headers: demanding }),
      1,
    ],
    [
      'a header that may be there',
      receives({ payload: {} }),
      receives({ payload: {}, headers: header('string') }),
      0,
    ],
    [
      'a header that its trait calls otherwise',
      receives({
        payload: {},
        headers: header('string'),
        traits: [{ headers: header('integer') }],
      }),
      receives({
        payload: {},
        headers: header('integer'),
        traits: [{ headers: header('integer') }],
      }),
      1,
    ],
    [
      'another format of JSON',
      receives({ payload: {}, contentType: 'application/json' }),
      receives({ payload: {}, contentType: 'application/cloudevents+json' }),
      3,
    ],
    [
      'the usual format, in words',
      receives({ payload: {} }),
      receives({ payload: {}, contentType: 'Application/JSON; charset=utf-8' }),
      0,
    ],
    [
      'where replies name the message',
      receives({ payload: {}, correlationId: { location: '$message.header#/a' } }),
      receives({ payload: {}, correlationId: { location: '$message.header#/b' } }),
      3,
    ],
    [
      'a variant that a discriminator alone leads to',
      receives({ payload: { $ref: '#/components/schemas/Pet' } }, { components: pets('string') }),
      receives({ payload: { $ref: '#/components/schemas/Pet' } }, { components: pets('integer') }),
      1,
    ],
    ['a choice within a choice', chosen(wide), chosen(text), 1],
    [
      'the language that a trait says',
      chosen(
        { type: 'string', nullable: true },
        { schemaFormat: 'application/vnd.oai.openapi;version=3.0.0' },
      ),
      chosen({ type: 'string' }, { schemaFormat: 'application/vnd.oai.openapi;version=3.0.0' }),
      1,
    ],
  ])('AsyncAPI, what is sent and received: %s', async (_, old, next, code) => {
    await folder.file('async-old.json', old);
    await folder.file('async-new.json', next);
    expect((await diff(['async-old.json', 'async-new.json'])).code).toBe(code);
  });

  test('a registry does not hold them: 2, and what to do', async () => {
    await folder.file('crd-1.json', crd('integer'));
    for (const command of ['publish', 'import', 'impact']) {
      const args = [command, 'crd-1.json', '--registry', 'http://127.0.0.1:1', '--key', 'x'];
      const ran = await run(args, '', { cwd: folder.path });
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain('crd-1.json is a CustomResourceDefinition, which a registry');
    }
  });

  test.each([
    [
      'Swagger 2.0',
      (type: string) => ({
        swagger: '2.0',
        info: { title: 'Shop', version: '1' },
        paths: { '/orders': { get: { responses: { 200: { schema: { type } } } } } },
      }),
    ],
    [
      'a Data Contract Specification',
      (type: string) => ({
        dataContractSpecification: '1.2.0',
        id: 'orders',
        models: { orders: { fields: { id: { type } } } },
      }),
    ],
    [
      'ODCS 2',
      (type: string) => ({
        ...{ kind: 'DataContract', apiVersion: 'v2.2.2', quantumName: 'shop' },
        dataset: [{ table: 'orders', columns: [{ column: 'id', logicalType: type }] }],
      }),
    ],
    [
      'an introspection of GraphQL',
      (type: string) => {
        const scalar = type === 'integer' ? 'Int' : 'String';
        const field = { name: 'id', args: [], type: { kind: 'SCALAR', name: scalar } };
        const query = { kind: 'OBJECT', name: 'Query', fields: [field], interfaces: [] };
        const types = [query, { kind: 'SCALAR', name: scalar }];
        return { data: { __schema: { queryType: { name: 'Query' }, types, directives: [] } } };
      },
    ],
  ])('%s', async (_name, document) => {
    await folder.file('old.json', document('integer'));
    await folder.file('new.json', document('string'));
    const ran = await diff(['old.json', 'new.json']);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toContain('type_changed');
  });

  test('a semantic model of dbt is only compared as text', async () => {
    const manifest = (expression: string, more: object = {}) => ({
      metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
      nodes: {
        'model.shop.orders': {
          ...{ resource_type: 'model', name: 'orders', schema: 'public' },
          columns: { id: { name: 'id', data_type: 'bigint' } },
        },
      },
      metrics: { 'metric.shop.revenue': { expression, created_at: Math.random() }, ...more },
    });
    await folder.file('metrics-1.json', manifest('sum'));
    await folder.file('metrics-2.json', manifest('sum', { 'metric.shop.new': {} }));
    await folder.file('metrics-3.json', manifest('max'));
    expect((await diff(['metrics-1.json', 'metrics-2.json'])).code).toBe(0);
    const ran = await diff(['metrics-1.json', 'metrics-3.json']);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain('metric.shop.revenue is not judged.');
  });
});

describe('YAML as its other readers take it', () => {
  const api = (schema: string, more = '') =>
    `openapi: 3.0.3\ninfo: { title: Shop, version: '1' }\n${more}paths:\n  /orders:\n    get:\n      responses:\n        '200':\n          description: ok\n          content: { application/json: { schema: ${schema} } }\n`;
  const base = (members: string) => `x-base: &base\n  type: object\n  ${members}\n`;
  const merging = '{ <<: *base, description: An order }';
  const property = (required: string) =>
    `apiVersion: v3.0.0\nkind: DataContract\nid: shop\nversion: 1.0.0\nstatus: active\nschema:\n  - name: orders\n    properties:\n      - { name: total, logicalType: string, required: ${required} }\n`;

  test.each([
    [
      'a field that is demanded by a merge key',
      [
        api(merging, base('properties: { id: { type: string } }\n  required: [id]')),
        api(merging, base('properties: { id: { type: string } }')),
      ],
      { code: 1, says: 'it is no longer required' },
    ],
    [
      'a field whose type is merged',
      [
        api(
          '{ type: object, properties: { <<: *base } }',
          'x-base: &base { id: { type: string } }\n',
        ),
        api(
          '{ type: object, properties: { <<: *base } }',
          'x-base: &base { id: { type: integer } }\n',
        ),
      ],
      { code: 1, says: 'string became integer' },
    ],
    [
      'what an object writes itself, before what it merges',
      [
        api('{ type: string }'),
        api('{ type: string, <<: *base }', 'x-base: &base { type: integer }\n'),
      ],
      { code: 0, says: 'No changes' },
    ],
    [
      'of several that are merged, the first',
      [
        api('{ <<: [{ type: string }, { type: integer }] }'),
        api('{ <<: [{ type: integer }, { type: string }] }'),
      ],
      { code: 1, says: 'string became integer' },
    ],
    [
      'a merge key of a text',
      [api('{ type: string }'), api('{ <<: text }')],
      { code: 3, says: 'A merge key (<<) takes another object' },
    ],
    [
      'a flag that is a word',
      [api('{ type: string }'), api('{ type: string, nullable: yes }')],
      { code: 1, says: 'may be null now' },
    ],
    [
      'a flag that is no word for it',
      [api('{ type: string }'), api('{ type: string, nullable: 1 }')],
      { code: 1, says: 'could not be decided' },
    ],
    [
      'a mark that is a word',
      [
        api('{ type: object, required: [id], properties: { id: { type: string } } }'),
        api(
          '{ type: object, required: [id], properties: { id: { type: string, writeOnly: on } } }',
        ),
      ],
      { code: 1, says: 'consumers will no longer find it' },
    ],
    [
      'a flag of a data contract that is a word',
      [property('yes'), property('false')],
      { code: 0, says: 'may be null now' },
    ],
    [
      'a flag that is another word',
      [property('On'), property('true')],
      { code: 0, says: 'No changes' },
    ],
  ] as const)('%s', async (_, [old, next], { code, says }) => {
    await folder.file('was.yaml', old);
    await folder.file('is.yaml', next);
    const ran = await diff(['was.yaml', 'is.yaml']);
    expect({ code: ran.code, said: ran.stdout + ran.stderr }).toEqual({
      code,
      said: expect.stringContaining(says),
    });
  });
});
