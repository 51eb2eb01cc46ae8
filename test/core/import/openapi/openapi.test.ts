import { describe, expect, test } from 'vitest';
import type { ContractTerms } from '../../../../src/core/comparison.ts';
import { compare } from '../../../../src/core/diff/compare.ts';
import { toContractTerms } from '../../../../src/core/import/candidate.ts';
import { alignTerms } from '../../../../src/core/import/openapi/align-terms.ts';
import { type OpenApiOptions, parseOpenApi } from '../../../../src/core/import/openapi/openapi.ts';
import { memberOf } from '../../../../src/core/import/read-json.ts';
import { parseSchema } from '../../../../src/core/schema/parse-schema.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { cpuMsOf } from '../cpu-time.ts';

function documentOf(paths: Json, components: Json = {}, openapi: Json = '3.0.3'): JsonObject {
  return { openapi, info: { title: 'Pet Shop', version: '1.2.0' }, paths, components };
}

function answering(schema: Json, more: JsonObject = {}): JsonObject {
  return { responses: { 200: bodyOf(schema) }, ...more };
}

function bodyOf(schema: Json, type = 'application/json'): JsonObject {
  return { content: { [type]: { schema } } };
}

function schemaOf(document: JsonObject, index = 0): Json | undefined {
  return jsonOf(parseOpenApi(document).candidates[index]?.terms?.schema);
}

/** The request and the JSON of the response; openapi-rest.test.ts is about the rest. */
function jsonOf(schema: Json | undefined): Json | undefined {
  const { properties, ...around } = schema as JsonObject;
  const { request, response } = properties as JsonObject;
  const kept = { ...(request && { request }), ...(response && { response }) };
  return { ...around, properties: kept };
}

function requestOf(operation: JsonObject, item: JsonObject = {}): Json | undefined {
  const schema = schemaOf(documentOf({ '/a': { ...item, get: operation } })) as JsonObject;
  return (schema?.properties as JsonObject)?.request;
}

function responseOf(responses: JsonObject): Json | undefined {
  const parameters = [{ name: 'id', in: 'query', schema: {} }];
  const schema = schemaOf(documentOf({ '/a': { get: { parameters, responses } } })) as JsonObject;
  return (schema.properties as JsonObject).response;
}

function objectOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties };
}

const user = { type: 'object', properties: { name: { type: 'string' } } };
const string = { type: 'string' };

test('each path and operation is an asset, and carries what a report shows', () => {
  const operation = answering(user, {
    summary: 'One user',
    tags: ['users'],
    operationId: 'getUser',
  });
  const parsed = parseOpenApi(documentOf({ '/users/{id}': { get: operation, delete: {} } }));
  expect(parsed).toEqual({
    apiTitle: 'Pet Shop',
    apiVersion: '1.2.0',
    origin: { kind: 'openapi', name: 'api pet_shop', fqnPrefix: 'api.' },
    candidates: [
      {
        fqn: 'api.pet_shop.get_users_id',
        ownFqn: 'api.pet_shop.get_users_id',
        identity: {
          of: 'api pet_shop',
          thing: 'get /users/{}',
          stem: 'api.pet_shop.get_users',
          path: '/users/{id}',
        },
        resourceType: 'endpoint',
        metadata: {
          resource_type: 'endpoint',
          description: 'One user',
          tags: ['users'],
          api_title: 'Pet Shop',
          path: '/users/{id}',
          method: 'get',
          operation_id: 'getUser',
        },
        consumers: [],
        refs: [],
        terms: {
          schema: {
            type: 'object',
            properties: {
              response: user,
              responses: objectOf({ 200: objectOf({}) }),
              media_types: objectOf({ response: objectOf({ 'application/json': {} }) }),
            },
          },
          direction: 'operation',
          format: 'openapi',
          dialect: 'openapi-3.0',
        },
        label: { kind: 'openapi', path: '/users/{id}', method: 'get' },
        place: '$.paths["/users/{id}"].get',
      },
      expect.objectContaining({ fqn: 'api.pet_shop.delete_users_id', terms: null }),
    ],
    problems: [],
  });
});

test.each<[string, string, OpenApiOptions, string]>([
  ['/users', 'get', {}, 'api.pet_shop.get_users'],
  ['/users/{id}', 'post', {}, 'api.pet_shop.post_users_id'],
  ['/', 'get', {}, 'api.pet_shop.get'],
  ['/v1.0/User-Groups', 'get', { prefix: 'acme.http' }, 'acme.http.pet_shop.get_v1_0_user_groups'],
  ['/users/{id}', 'get', { naming: 'path' }, 'api.users.{id}.get'],
  ['/', 'get', { naming: 'path' }, 'api.get'],
  ['/v1.0/a:batch', 'post', { naming: 'path', prefix: 'x' }, 'x.v1_0.a_batch.post'],
])('%s %s under %o is named %s', (path, method, options, fqn) => {
  const parsed = parseOpenApi(documentOf({ [path]: { [method]: {} } }), options);
  expect(parsed.candidates.map((candidate) => candidate.fqn)).toEqual([fqn]);
});

test('a title that an FQN cannot hold is called api', () => {
  const document = { openapi: '3.1.0', info: { title: '日本' }, paths: { '/a': { get: {} } } };
  expect(parseOpenApi(document).candidates[0]?.fqn).toBe('api.api.get_a');
});

test('a collision of names is resolved the same way every time, and reported', () => {
  const paths = { '/users/{id}': { get: {} }, '/users/id': { get: {} } };
  const reversed = Object.fromEntries(Object.entries(paths).reverse());
  for (const document of [documentOf(paths), documentOf(reversed)]) {
    const parsed = parseOpenApi(document);
    const named = parsed.candidates.map(({ fqn, label }) => [fqn, label]).sort();
    expect(named).toEqual([
      ['api.pet_shop.get_users_id', { kind: 'openapi', path: '/users/id', method: 'get' }],
      ['api.pet_shop.get_users_id_2', { kind: 'openapi', path: '/users/{id}', method: 'get' }],
    ]);
    expect(parsed.problems).toEqual([
      {
        code: 'FQN_COLLISION',
        message: expect.stringContaining('GET /users/{id}'),
        place: '$.paths["/users/{id}"].get',
        fatal: false,
      },
    ]);
  }
});

test('a request holds its parameters by place, beside its body', () => {
  const operation = {
    parameters: [
      { name: 'id', in: 'path', required: true, schema: string },
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
      { name: 'X-Trace', in: 'header', required: true, schema: string },
      { name: 'Accept', in: 'header', schema: string },
      { name: 'filter', in: 'query', content: { 'application/json': { schema: user } } },
      { name: 'sid', in: 'cookie' },
    ],
    requestBody: { ...bodyOf(user), required: true },
  };
  expect(requestOf(operation)).toEqual({
    type: 'object',
    properties: {
      path: { type: 'object', properties: { id: string }, required: ['id'] },
      query: { type: 'object', properties: { filter: user, limit: { type: 'integer' } } },
      header: { type: 'object', properties: { 'x-trace': string }, required: ['x-trace'] },
      cookie: { type: 'object', properties: { sid: {} } },
      body: user,
    },
    required: ['path', 'header', 'body'],
  });
});

test('parameters of the path item hold for each operation, which may replace them', () => {
  const item = {
    parameters: [
      { name: 'id', in: 'path', schema: string },
      { name: 'a', in: 'query', schema: string },
    ],
  };
  const operation = { parameters: [{ name: 'a', in: 'query', required: true, schema: user }] };
  expect(requestOf(operation, item)).toEqual({
    type: 'object',
    properties: {
      path: { type: 'object', properties: { id: string }, required: ['id'] },
      query: { type: 'object', properties: { a: user }, required: ['a'] },
    },
    required: ['path', 'query'],
  });
});

test.each<[string, JsonObject, Json | undefined]>([
  ['200', { 200: bodyOf(string), 201: bodyOf(user), default: bodyOf({}) }, string],
  ['201 where there is no 200', { 201: bodyOf(user), default: bodyOf({}) }, user],
  ['2XX where there is neither', { '2XX': bodyOf(user), default: bodyOf({}) }, user],
  ['default where there is no success', { default: bodyOf(user), 404: bodyOf({}) }, user],
  [
    'none where the success has no JSON',
    { 200: bodyOf({}, 'text/html'), default: bodyOf(user) },
    undefined,
  ],
  ['none where there is only an error', { 404: bodyOf(user) }, undefined],
])('the response is that of %s', (_which, responses, expected) => {
  expect(responseOf(responses)).toEqual(expected);
});

test.each<[string, Json | undefined]>([
  ['application/json', user],
  ['application/json; charset=utf-8', user],
  ['Application/JSON', user],
  ['application/problem+json', user],
  ['application/vnd.github.v3+json', user],
  ['application/vnd.acme.json', user],
  ['text/json', user],
  ['*/*', user],
  ['application/xml', undefined],
  ['application/jsonlines-not', undefined],
])('media type %s is JSON or is not', (type, expected) => {
  expect(responseOf({ 200: bodyOf(user, type) })).toEqual(expected);
});

test('application/json is taken before other JSON, whatever the order', () => {
  const content = {
    '*/*': { schema: {} },
    'application/hal+json': { schema: {} },
    'application/json': { schema: user },
  };
  expect(responseOf({ 200: { content } })).toEqual(user);
});

describe('A form', () => {
  const formOf = (...types: readonly string[]) =>
    Object.fromEntries(types.map((type) => [type, { schema: { ...user, title: type } }]));
  const requestOf = (content: JsonObject, required = true) => {
    const document = documentOf({ '/a': { post: { requestBody: { required, content } } } });
    return schemaOf(document);
  };
  const held = (place: string, type: string) => ({
    type: 'object',
    properties: {
      request: {
        type: 'object',
        properties: { [place]: { ...user, title: type } },
        required: [place],
      },
    },
  });

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data', 'multipart/mixed'])(
    'of %s is the request where there is no JSON',
    (type) => {
      expect(requestOf(formOf(type))).toEqual(held('form', type));
    },
  );

  test('by fields stands before one in parts', () => {
    const types = ['multipart/form-data', 'application/x-www-form-urlencoded'];
    const request = (requestOf(formOf(...types)) as JsonObject).properties;
    const [parts = '', fields = ''] = types;
    expect(request).toMatchObject({
      request: {
        properties: {
          form: { ...user, title: fields },
          [parts]: { ...user, title: parts },
        },
        anyOf: [{ required: ['form'] }, { required: [parts] }],
      },
    });
  });

  test('stands beside JSON, and either is taken where a body is required', () => {
    const content = formOf('multipart/form-data', 'application/json');
    const properties = {
      body: { ...user, title: 'application/json' },
      form: { ...user, title: 'multipart/form-data' },
    };
    const either = [{ required: ['body'] }, { required: ['form'] }];
    const whole = (more: JsonObject) => ({
      type: 'object',
      properties: { request: { type: 'object', properties, ...more } },
    });
    expect(requestOf(content)).toEqual(whole({ anyOf: either }));
    expect(requestOf(content, false)).toEqual(whole({}));
  });

  const json = { 'application/json': { schema: user } };
  const form = { 'multipart/form-data': { schema: user } };
  const query = { parameters: [{ name: 'id', in: 'query', schema: string }] };
  const formAndMore = { ...form, 'application/xml': { schema: string } };

  const both = { ...json, ...form };

  describe.each([false, true])('of a body that is required: %s', (required) => {
    test.each<[string, JsonObject, JsonObject | null, string[]]>([
      ['JSON to a form', json, form, ['body']],
      ['JSON to JSON and a form', json, both, []],
      ['JSON and a form to a form', both, form, ['body']],
      ['JSON and a form to JSON', both, json, ['form']],
      ['a form to JSON and a form', form, both, []],
      ['a form to JSON', form, json, ['form']],
      ['a form to a form and XML', form, formAndMore, []],
      ['JSON to nothing at all', json, null, ['body']],
      ['a form to nothing at all', form, null, ['form']],
    ])('%s', (_name, old, next, gone) => {
      const termsOf = (content: JsonObject | null): ContractTerms => {
        const requestBody = { content: content ?? {}, required };
        const post = { ...query, ...(content === null ? {} : { requestBody }) };
        const [candidate] = parseOpenApi(documentOf({ '/a': { post } })).candidates;
        if (candidate?.terms == null) throw new Error('The operation has no contract.');
        return toContractTerms(candidate.terms, null);
      };
      const [before, after] = alignTerms(termsOf(old), termsOf(next));
      const told = compare(before, after).changes;
      const removed = told.filter(({ type, breaking }) => breaking && type === 'property_removed');
      expect(removed.map(({ path }) => path)).toEqual(
        gone.map((place) => `$.properties.request.properties.${place}`),
      );
      expect(told.some(({ breaking }) => breaking)).toBe(gone.length > 0);
    });
  });

  test('is no response', () => {
    expect(responseOf({ 200: bodyOf(user, 'multipart/form-data') })).toBeUndefined();
  });
});

test.each(['id', '__typename'])(
  'a header demanded in an optional place breaks, also where the answer has a property %s',
  (name) => {
    const response = { type: 'object', properties: { [name]: { type: 'string' } } };
    const [candidate] = parseOpenApi(documentOf({ '/a': { get: answering(response) } })).candidates;
    if (candidate?.terms == null) throw new Error('The operation has no contract.');
    const old = toContractTerms(candidate.terms, null);
    const header = { type: 'object', properties: { Tenant: {} }, required: ['Tenant'] };
    const request = { type: 'object', properties: { header } };
    const schema = { type: 'object', properties: { request, response } };
    const { hasPlaces: _, ...byHand } = { ...old, schema };
    expect(compare(...alignTerms(old, byHand)).isBreaking).toBe(true);
  },
);

const components = {
  schemas: {
    Node: {
      type: 'object',
      properties: {
        next: { $ref: '#/components/schemas/Node' },
        owner: { $ref: '#/components/schemas/User' },
      },
    },
    User: user,
    Unused: { type: 'object', properties: { a: { $ref: '#/components/schemas/Node' } } },
    'odd/name~x y': { type: 'integer' },
  },
  parameters: { Limit: { name: 'limit', in: 'query', schema: { type: 'integer' } } },
  requestBodies: { UserBody: bodyOf({ $ref: '#/components/schemas/User' }) },
  responses: { Nodes: bodyOf({ type: 'array', items: { $ref: '#/components/schemas/Node' } }) },
};

test('the contract is a bundle of what the operation reaches: cycles stay, nothing is inlined', () => {
  const operation = {
    parameters: [{ $ref: '#/components/parameters/Limit' }],
    requestBody: { $ref: '#/components/requestBodies/UserBody' },
    responses: { 200: { $ref: '#/components/responses/Nodes' } },
  };
  const schema = schemaOf(documentOf({ '/nodes': { post: operation } }, components));
  expect(schema).toEqual({
    type: 'object',
    properties: {
      request: {
        type: 'object',
        properties: {
          query: { type: 'object', properties: { limit: { type: 'integer' } } },
          body: { $ref: '#/$defs/User' },
        },
      },
      response: { type: 'array', items: { $ref: '#/$defs/Node' } },
    },
    $defs: {
      Node: {
        type: 'object',
        properties: { next: { $ref: '#/$defs/Node' }, owner: { $ref: '#/$defs/User' } },
      },
      User: user,
    },
  });
});

function everyReferenceResolves(schema: Json, dialect: 'openapi-3.0' | 'openapi-3.1'): boolean {
  const document = parseSchema(schema, dialect);
  const text = JSON.stringify(schema);
  return [...text.matchAll(/"\$ref":"(#[^"]*)"/g)].every(
    ([, reference = '']) => document.nodeAt(decodeURIComponent(reference.slice(1))) !== undefined,
  );
}

test.each<[string, string]>([
  [
    'a schema of another operation',
    '#/paths/~1b/get/responses/200/content/application~1json/schema',
  ],
  ['a part of a schema', '#/components/schemas/Node/properties/owner'],
  ['a name with odd characters', '#/components/schemas/odd~1name~0x%20y'],
  ['the schema of a parameter', '#/components/parameters/Limit/schema'],
])('a reference to %s is bundled too', (_what, reference) => {
  const paths = { '/a': { get: answering({ $ref: reference }) }, '/b': { get: answering(user) } };
  const parsed = parseOpenApi(documentOf(paths, components));
  expect(parsed.problems).toEqual([]);
  const schema = parsed.candidates[0]?.terms?.schema ?? null;
  expect(JSON.stringify(schema)).toContain('"$ref":"#/$defs/');
  expect(everyReferenceResolves(schema, 'openapi-3.0')).toBe(true);
});

test('operations share the schemas they both reach, and those without references are the document’s own', () => {
  const reaching = answering({ $ref: '#/components/schemas/Node' });
  const document = documentOf({ '/a': { get: reaching }, '/b': { get: reaching } }, components);
  const [a, b] = parseOpenApi(document).candidates.map(
    ({ terms }) => terms?.schema,
  ) as JsonObject[];
  const [first, second] = [a?.$defs, b?.$defs] as JsonObject[];
  expect(first?.Node).toBe(second?.Node);
  expect(first?.User).toBe(components.schemas.User);
});

test('keywords are told from properties that have their names; markers of direction are kept', () => {
  const schema = {
    type: 'object',
    example: { big: true },
    'x-internal': 1,
    properties: {
      $ref: { type: 'string' },
      example: { type: 'string', readOnly: true },
      default: { $ref: '#/components/schemas/User' },
      password: { type: 'string', writeOnly: true },
    },
    enum: [{ $ref: '#/nowhere' }],
    default: { $ref: '#/nowhere' },
  };
  const expected = {
    type: 'object',
    properties: {
      $ref: { type: 'string' },
      example: { type: 'string', readOnly: true },
      default: { $ref: '#/$defs/User' },
      password: { type: 'string', writeOnly: true },
    },
    enum: [{ $ref: '#/nowhere' }],
    default: { $ref: '#/nowhere' },
  };
  const bundled = schemaOf(documentOf({ '/a': { get: answering(schema) } }, components));
  expect(bundled).toMatchObject({ properties: { response: expected } });
  expect(JSON.stringify(bundled)).not.toContain('big');
});

test('what stands beside $ref counts from 3.1 on', () => {
  const schema = { $ref: '#/components/schemas/User', minProperties: 1 };
  const paths = { '/a': { get: answering(schema) } };
  const responseIn = (version: string) =>
    ((schemaOf(documentOf(paths, components, version)) as JsonObject).properties as JsonObject)
      .response;
  expect(responseIn('3.0.3')).toEqual({ $ref: '#/$defs/User' });
  expect(responseIn('3.1.0')).toEqual({ $ref: '#/$defs/User', minProperties: 1 });
});

test('what is no keyword of 3.0 is data there, and its references are not looked for', () => {
  const schema = {
    if: { $ref: '#/nowhere' },
    patternProperties: { '^x': { $ref: '#/nowhere' } },
    prefixItems: [{ $ref: '#/nowhere' }],
    $dynamicRef: '#/nowhere',
  };
  const parsedIn = (version: string) =>
    parseOpenApi(documentOf({ '/a': { get: answering(schema) } }, components, version));
  expect(parsedIn('3.0.3').problems).toEqual([]);
  expect(parsedIn('3.0.3').candidates[0]?.terms?.schema).toMatchObject({
    properties: { response: schema },
  });
  expect(parsedIn('3.1.0').candidates[0]?.terms).toBeNull();
});

test.each<[string, JsonObject, string, string]>([
  [
    'an external schema',
    answering({ $ref: 'https://example.com/user.json' }),
    'EXTERNAL_REFERENCE',
    '',
  ],
  [
    'a file beside it',
    answering({ items: { $ref: './user.yaml#/User' } }),
    'EXTERNAL_REFERENCE',
    '',
  ],
  [
    'a schema that is not there',
    answering({ $ref: '#/components/schemas/Gone' }),
    'BROKEN_REFERENCE',
    '',
  ],
  [
    'a schema that is no schema',
    answering(7),
    'UNREADABLE_ITEM',
    '.responses["200"].content["application/json"].schema',
  ],
  [
    'an external parameter',
    { parameters: [{ $ref: 'p.json' }] },
    'EXTERNAL_REFERENCE',
    '.parameters[0]',
  ],
  [
    'a parameter without a name',
    { parameters: [{ in: 'query' }] },
    'UNREADABLE_ITEM',
    '.parameters[0]',
  ],
  ['an external body', { requestBody: { $ref: 'b.json' } }, 'EXTERNAL_REFERENCE', '.requestBody'],
  [
    'an external response',
    { responses: { 200: { $ref: 'r.json' } } },
    'EXTERNAL_REFERENCE',
    '.responses["200"]',
  ],
  [
    'a response that is a loop',
    { responses: { 200: { $ref: '#/components/responses/Loop' } } },
    'BROKEN_REFERENCE',
    '.responses["200"]',
  ],
])(
  'an operation with %s is told with its place, has no contract, and the rest goes on',
  (_what, operation, code, at) => {
    const loop = { responses: { Loop: { $ref: '#/components/responses/Loop' } } };
    const parsed = parseOpenApi(
      documentOf({ '/bad': { get: operation }, '/good': { get: answering(user) } }, loop),
    );
    expect(parsed.candidates.map(({ fqn, terms }) => [fqn, terms !== null])).toEqual([
      ['api.pet_shop.get_bad', false],
      ['api.pet_shop.get_good', true],
    ]);
    expect(parsed.problems).toEqual([
      {
        code,
        message: expect.stringContaining('GET /bad is imported without a contract.'),
        place: `$.paths["/bad"].get${at}`,
        fatal: false,
        item: expect.arrayContaining(['$.paths["/bad"].get', '$.paths["/bad"].parameters']),
      },
    ]);
  },
);

test('an external reference deep in a shared schema is told for each operation that reaches it', () => {
  const schemas = { A: { $ref: '#/components/schemas/B' }, B: { items: { $ref: 'b.json' } } };
  const reaching = answering({ $ref: '#/components/schemas/A' });
  const parsed = parseOpenApi(
    documentOf({ '/a': { get: reaching }, '/b': { get: reaching } }, { schemas }),
  );
  expect(parsed.problems.map(({ code, place }) => [code, place])).toEqual([
    ['EXTERNAL_REFERENCE', '$.paths["/a"].get'],
    ['EXTERNAL_REFERENCE', '$.paths["/b"].get'],
  ]);
});

test('path items by reference are read, and those from elsewhere are told', () => {
  const document = documentOf(
    { '/a': { $ref: '#/components/pathItems/A' }, '/b': { $ref: 'b.yaml' }, '/c': 7, 'x-note': 1 },
    { pathItems: { A: { get: answering(user) } } },
    '3.1.0',
  );
  const parsed = parseOpenApi(document);
  expect(parsed.candidates.map(({ fqn }) => fqn)).toEqual(['api.pet_shop.get_a']);
  expect(parsed.problems.map(({ code, place }) => [code, place])).toEqual([
    ['EXTERNAL_REFERENCE', '$.paths["/b"]'],
    ['UNREADABLE_ITEM', '$.paths["/c"]'],
  ]);
});

test('OpenAPI 3.2 has the method query, further methods, and streams of items', () => {
  const item = {
    query: answering(user),
    additionalOperations: { LINK: answering(user) },
    get: { responses: { 200: { content: { 'application/json': { itemSchema: user } } } } },
  };
  const parsed = parseOpenApi(documentOf({ '/a': item }, {}, '3.2.0'));
  expect(parsed.candidates.map(({ label, terms }) => [label, jsonOf(terms?.schema)])).toEqual([
    [
      expect.objectContaining({ method: 'get' }),
      { type: 'object', properties: { response: { type: 'array', items: user } } },
    ],
    [
      expect.objectContaining({ method: 'query' }),
      { type: 'object', properties: { response: user } },
    ],
    [
      expect.objectContaining({ method: 'link' }),
      { type: 'object', properties: { response: user } },
    ],
  ]);
});

test.each<[Json, string]>([
  ['3.0.0', 'openapi-3.0'],
  ['3.0.4', 'openapi-3.0'],
  ['3.1.1', 'openapi-3.1'],
  ['3.2.0', 'openapi-3.1'],
  [3.1, 'openapi-3.1'],
])('version %s is read in the dialect %s', (version, dialect) => {
  const parsed = parseOpenApi(documentOf({ '/a': { get: answering(user) } }, {}, version));
  expect(parsed.candidates[0]?.terms?.dialect).toBe(dialect);
});

test('a document may name the dialect of its schemas', () => {
  const document = documentOf({ '/a': { get: answering(user) } }, {}, '3.1.0');
  const dialectIn = (uri: string) =>
    parseOpenApi({ ...document, jsonSchemaDialect: uri }).candidates[0]?.terms?.dialect;
  expect(dialectIn('http://json-schema.org/draft-07/schema#')).toBe('draft-07');
  expect(dialectIn('https://spec.openapis.org/oas/3.2/dialect/base')).toBe('openapi-3.1');
  expect(dialectIn('https://example.com/unknown')).toBe('openapi-3.1');
});

const draft07 = 'http://json-schema.org/draft-07/schema#';

test.each<[uri: string, JsonObject, isRead: boolean]>([
  ['http://json-schema.org/draft-04/schema#', {}, false],
  ['https://example.com/unknown', {}, false],
  ['https://json-schema.org/draft/2020-12/schema', {}, true],
  ['https://spec.openapis.org/oas/3.1/dialect/base', {}, true],
  ['https://spec.openapis.org/oas/3.2/dialect/2025-09-17', {}, true],
  ['http://json-schema.org/draft-07/schema', {}, false],
  ['https://json-schema.org/draft/2020-12/schema', { jsonSchemaDialect: draft07 }, false],
  ['http://json-schema.org/draft-07/schema', { jsonSchemaDialect: draft07 }, true],
  // In OpenAPI 3.0 it is no keyword.
  ['http://json-schema.org/draft-04/schema#', { openapi: '3.0.3' }, true],
])('a schema that names the dialect %s, in a document of %j', (uri, more, isRead) => {
  for (const [schema, schemas] of [
    [{ $schema: uri, ...user }, {}],
    [{ $ref: '#/components/schemas/Own' }, { schemas: { Own: { $schema: uri, ...user } } }],
  ]) {
    const document = documentOf({ '/a': { get: answering(schema ?? null) } }, schemas, '3.1.0');
    const { candidates, problems } = parseOpenApi({ ...document, ...more });
    expect(candidates[0]?.terms != null).toBe(isRead);
    expect(problems.map(({ code }) => code)).toEqual(isRead ? [] : ['UNREADABLE_ITEM']);
  }
});

test.each<[string, Json, string]>([
  ['text', 'x', '$'],
  ['a list', [], '$'],
  ['without a version', { info: {}, paths: {} }, '$.openapi'],
  ['of Swagger 1.2', { swagger: '1.2', paths: {} }, '$.swagger'],
  ['of version 2.0 said in openapi', { openapi: '2.0', paths: {} }, '$.openapi'],
  ['of version 4', { openapi: '4.0.0', paths: {} }, '$.openapi'],
  ['without paths', { openapi: '3.0.0' }, '$.paths'],
  ['with a list of paths', { openapi: '3.1.0', paths: [] }, '$.paths'],
])(
  'a document %s is refused with its place, and nothing of it is imported',
  (_what, document, place) => {
    const { candidates, problems } = parseOpenApi(document);
    expect(candidates).toEqual([]);
    expect(problems).toEqual([
      { code: 'INVALID_OPENAPI', message: expect.any(String), place, fatal: true },
    ]);
  },
);

test('a document of 3.1 may hold no paths at all', () => {
  expect(parseOpenApi({ openapi: '3.1.0', webhooks: {} })).toEqual({
    candidates: [],
    problems: [],
    origin: { kind: 'openapi', name: 'api ', fqnPrefix: 'api.' },
    apiTitle: '',
    apiVersion: '',
  });
});

test('parts of every wrong shape are values, never exceptions', () => {
  const odd: readonly Json[] = [null, 7, 'x', [], {}, [[]], true, { $ref: 7 }, { $ref: '#' }];
  for (const value of odd) {
    const operations: JsonObject[] = [
      { parameters: value },
      { parameters: [value] },
      { parameters: [{ name: 'a', in: 'query', schema: value }] },
      { requestBody: value },
      { requestBody: { content: value } },
      { requestBody: { content: { 'application/json': value } } },
      { responses: value },
      answering({
        properties: value,
        items: value,
        allOf: value,
        discriminator: value,
        $defs: value,
      }),
      { ...answering(value), tags: value, description: value, operationId: value },
    ];
    for (const operation of operations) {
      const document = documentOf({ '/a': { get: operation, post: value } }, { schemas: value });
      expect(() => parseOpenApi({ ...document, info: value })).not.toThrow();
    }
  }
});

test('a schema that nests without end is a problem, not an overflow', () => {
  let schema: Json = { type: 'string' };
  for (let depth = 0; depth < 50_000; depth++) schema = { items: schema };
  const { problems } = parseOpenApi(documentOf({ '/a': { get: answering(schema) } }));
  expect(problems.map(({ code }) => code)).toEqual(['TOO_LARGE']);
});

/** Operations over many schemas that refer to one another in cycles, as a large API has. */
function largeDocument(operations: number, schemas: number): JsonObject {
  const group = 50;
  const neighbour = (i: number, by: number) => i - (i % group) + ((i * by + 1) % group);
  const named = Array.from({ length: schemas }, (_, i) => {
    const properties = Object.fromEntries([
      ...Array.from({ length: 30 }, (_, p) => [
        `field_${p}`,
        { type: 'string', description: 'A field of it. '.repeat(12) },
      ]),
      ['next', { $ref: `#/components/schemas/S${neighbour(i, 7)}` }],
      ['other', { $ref: `#/components/schemas/S${neighbour(i, 3)}` }],
    ]);
    return [`S${i}`, { type: 'object', properties, example: 'x'.repeat(5_000) }];
  });
  const paths = Array.from({ length: operations }, (_, i) => [
    `/things_${i}/{id}`,
    { get: answering({ $ref: `#/components/schemas/S${i % schemas}` }) },
  ]);
  return documentOf(Object.fromEntries(paths), { schemas: Object.fromEntries(named) });
}

test('1,200 operations of a document of 12 MB are bundled in well under two seconds', () => {
  const document = largeDocument(1_200, 900);
  expect(JSON.stringify(document).length).toBeGreaterThan(10_000_000);
  const elapsedMs = cpuMsOf(() => {
    const parsed = parseOpenApi(document);
    expect(parsed.problems).toEqual([]);
    expect(parsed.candidates.length).toBe(1_200);
  });
  // Several times what it takes, so that only a change of its order of growth fails here.
  expect(elapsedMs).toBeLessThan(5_000);
});

/** Operations that all reach all schemas: each schema refers to two others. */
function reachingAll(count: number, names: (at: number) => JsonObject, to: string): JsonObject {
  const all = [...Array(count).keys()];
  const reference = (at: number) => ({ $ref: `${to}S${at % count}` });
  const schemas = all.map((at): [string, JsonObject] => [
    `S${at}`,
    { ...names(at), properties: { left: reference(at + 1), right: reference(at * 7 + 3) } },
  ]);
  const paths = all.map((at): [string, JsonObject] => [
    `/r${at}`,
    { get: answering({ $ref: `#/components/schemas/S${at}` }) },
  ]);
  const components = { schemas: Object.fromEntries(schemas) };
  return documentOf(Object.fromEntries(paths), components, '3.1.0');
}

test('schemas that refer to each other by name cost about what the same ones by pointer do', () => {
  const cpuMsOfReading = (document: JsonObject) =>
    cpuMsOf(() => {
      const { candidates, problems } = parseOpenApi(document);
      expect(problems).toEqual([]);
      const held = memberOf(candidates[0]?.terms?.schema ?? null, '$defs');
      expect(Object.keys(held ?? {})).toHaveLength(800);
    });
  const named = (at: number) => ({ $id: `https://x.test/S${at}`, $dynamicAnchor: 'node' });
  const byPointer = reachingAll(800, () => ({}), '#/components/schemas/');
  cpuMsOfReading(byPointer);
  const expected = cpuMsOfReading(byPointer);
  // Some 1.5 times as much when this was written, and 25 times where each bundle was read anew.
  const found = cpuMsOfReading(reachingAll(800, named, ''));
  expect(found / expected).toBeLessThan(10);
});

describe('A shape that OpenAPI does not have is told, and its operation has no contract', () => {
  const whole = answering(user);
  const parameter = { name: 'id', in: 'query', schema: string };
  test.each<[string, JsonObject, JsonObject?]>([
    ['responses that are text', { responses: 'none' }],
    ['responses in a list', { responses: [] }],
    ['content that is text', { responses: { 200: { content: 'json' } } }],
    ['a response that is text', { responses: { 200: 'ok' } }],
    ['a media type that is text', { responses: { 200: { content: { 'application/json': 'x' } } } }],
    ['a schema that is text', { responses: { 200: bodyOf('User') } }],
    ['parameters that are text', { ...whole, parameters: 'id' }],
    ['parameters in an object', { ...whole, parameters: { id: parameter } }],
    ['parameters of the path that are text', whole, { parameters: 'id' }],
    ['a parameter that is text', { ...whole, parameters: ['id'] }],
    [
      'a parameter that is required by text',
      { ...whole, parameters: [{ ...parameter, required: 'yes' }] },
    ],
    [
      'a parameter whose schema is text',
      { ...whole, parameters: [{ ...parameter, schema: 'string' }] },
    ],
    [
      'a parameter whose content is text',
      { ...whole, parameters: [{ name: 'id', in: 'query', content: 'json' }] },
    ],
    ['a body that is text', { ...whole, requestBody: 'json' }],
    ['a body whose content is text', { ...whole, requestBody: { content: 'json' } }],
    [
      'a body that is required by text',
      { ...whole, requestBody: { ...bodyOf(user), required: 'yes' } },
    ],
  ])('%s', (_what, operation, item = {}) => {
    const parsed = parseOpenApi(documentOf({ '/a': { ...item, get: operation } }));
    expect(parsed.candidates).toMatchObject([{ terms: null }]);
    expect(parsed.candidates[0]?.emptyTerms).toBeUndefined();
    expect(parsed.problems).toMatchObject([{ code: 'UNREADABLE_ITEM' }]);
  });

  test('a key without a value is none', () => {
    const operation = { ...whole, parameters: null, requestBody: null };
    expect(parseOpenApi(documentOf({ '/a': { get: operation } })).problems).toEqual([]);
  });
});

test('a schema of the items of a stream may not name another dialect either', () => {
  const own = { $schema: 'http://json-schema.org/draft-04/schema#', ...user };
  for (const more of [{}, { schema: {} }]) {
    const content = { 'application/jsonl': { itemSchema: own, ...more } };
    const document = documentOf(
      { '/a': { get: { responses: { 200: { content } } } } },
      {},
      '3.2.0',
    );
    expect(parseOpenApi(document).problems.map(({ code }) => code)).toEqual(['UNREADABLE_ITEM']);
  }
});
