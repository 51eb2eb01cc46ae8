// What a change of each member of an OpenAPI document is called. Whatever is taken away from the document,
// or says something else, is a change or is told as not compared, unless it is there for people to read.

import { writeFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { commands } from '../../src/cli/commands.ts';
import { isJsonObject, type Json } from '../../src/core/value/json.ts';
import { type Folder, makeFolder } from './support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const document: Json = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0', description: 'A shop.', contact: { name: 'x' } },
  servers: [
    {
      url: 'https://{env}.example.com/v1',
      variables: { env: { default: 'api', enum: ['api', 'test'] } },
    },
  ],
  security: [{ key: [] }],
  tags: [{ name: 'orders', description: 'Orders.' }],
  paths: {
    '/orders/{id}': {
      summary: 'An order',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        { $ref: '#/components/parameters/trace' },
      ],
      servers: [{ url: 'https://orders.example.com' }],
      get: {
        operationId: 'getOrder',
        summary: 'Get',
        description: 'Gets.',
        tags: ['orders'],
        deprecated: true,
        externalDocs: { url: 'https://example.com' },
        parameters: [
          {
            name: 'fields',
            in: 'query',
            style: 'form',
            explode: false,
            allowReserved: true,
            allowEmptyValue: true,
            deprecated: true,
            description: 'd',
            schema: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 },
            example: ['a'],
          },
          {
            name: 'filter',
            in: 'query',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { max: { type: 'integer', maximum: 9 } },
                  required: ['max'],
                },
              },
            },
          },
          {
            name: 'raw',
            in: 'query',
            content: { 'text/csv': { schema: { type: 'string', maxLength: 9 } } },
          },
          { name: 'sid', in: 'cookie', schema: { type: 'string', pattern: '^a' } },
          {
            name: 'X-Count',
            in: 'header',
            required: true,
            schema: { type: 'integer', minimum: 2 },
          },
        ],
        responses: {
          '200': {
            description: 'ok',
            headers: {
              'X-Rate': {
                required: true,
                description: 'r',
                schema: { type: 'integer', maximum: 5 },
              },
              'X-List': { explode: true, schema: { type: 'array', items: { type: 'string' } } },
              'X-Ref': { $ref: '#/components/headers/Etag' },
            },
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Order' },
                example: { id: 1 },
              },
              'text/csv': { schema: { type: 'string', maxLength: 100 } },
            },
            links: { self: { operationId: 'getOrder', parameters: { id: '$response.body#/id' } } },
          },
          '404': { $ref: '#/components/responses/Missing' },
          '4XX': {
            description: 'bad',
            content: {
              'application/problem+json': {
                schema: {
                  type: 'object',
                  properties: { title: { type: 'string' } },
                  required: ['title'],
                },
              },
            },
          },
          default: {
            description: 'any',
            content: {
              'application/json': {
                schema: { type: 'object', properties: { code: { type: 'integer' } } },
              },
            },
          },
        },
        security: [{ key: [] }, { oauth: ['read', 'list'] }, { bearer: [], oidc: ['a'] }],
      },
      post: {
        parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean', default: false } }],
        requestBody: {
          description: 'b',
          required: true,
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/NewOrder' } },
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  file: { type: 'string', format: 'binary' },
                  meta: { type: 'object', properties: { n: { type: 'integer' } } },
                },
                required: ['file'],
              },
              encoding: {
                meta: {
                  contentType: 'application/json',
                  headers: { 'X-A': { schema: { type: 'string' } } },
                },
              },
            },
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                properties: { tags: { type: 'array', items: { type: 'string' } } },
              },
              encoding: { tags: { style: 'form', explode: false } },
            },
          },
        },
        responses: {
          '201': {
            description: 'made',
            headers: { Location: { schema: { type: 'string', format: 'uri' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
          },
          '204': { description: 'nothing' },
        },
        callbacks: {
          paid: {
            '{$request.body#/url}': {
              post: {
                parameters: [
                  { name: 'sig', in: 'header', schema: { type: 'string', minLength: 3 } },
                ],
                requestBody: {
                  required: true,
                  content: {
                    'application/json': {
                      schema: {
                        type: 'object',
                        properties: { at: { type: 'string', format: 'date' } },
                        required: ['at'],
                      },
                    },
                  },
                },
                responses: {
                  '200': {
                    description: 'ok',
                    content: {
                      'application/json': {
                        schema: { type: 'object', properties: { seen: { type: 'boolean' } } },
                      },
                    },
                  },
                  '2XX': { description: 'ok' },
                },
                security: [{ bearer: [] }],
              },
            },
          },
        },
      },
    },
    '/ping': { $ref: '#/components/pathItems/ping' },
    '/xml': {
      get: {
        responses: {
          '200': {
            description: '',
            content: {
              'application/xml': {
                schema: {
                  type: 'object',
                  xml: { name: 'a', attribute: false, wrapped: false, prefix: 'p', namespace: 'n' },
                  properties: { v: { type: 'string', xml: { attribute: true } } },
                },
              },
            },
          },
        },
      },
    },
  },
  webhooks: {
    shipped: {
      post: {
        parameters: [
          { name: 'X-Sig', in: 'header', required: true, schema: { type: 'string', maxLength: 8 } },
        ],
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
        responses: { '200': { description: 'ok' }, '410': { description: 'gone' } },
        security: [{ key: [] }],
      },
    },
  },
  components: {
    schemas: {
      Order: {
        type: 'object',
        description: 'o',
        title: 'Order',
        properties: {
          id: { type: 'integer', minimum: 1, readOnly: true },
          state: { enum: ['open', 'paid'] },
          note: { type: ['string', 'null'], maxLength: 5 },
          lines: { type: 'array', items: { $ref: '#/components/schemas/Line' }, maxItems: 3 },
          pay: {
            oneOf: [{ $ref: '#/components/schemas/Card' }, { $ref: '#/components/schemas/Cash' }],
            discriminator: {
              propertyName: 'kind',
              mapping: { card: '#/components/schemas/Card', cash: '#/components/schemas/Cash' },
            },
          },
        },
        required: ['id', 'state', 'lines', 'pay'],
        additionalProperties: false,
      },
      Line: {
        type: 'object',
        properties: {
          sku: { type: 'string', pattern: '^[a-z]+$' },
          qty: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 },
        },
        required: ['sku'],
      },
      Card: {
        type: 'object',
        properties: { kind: { const: 'card' }, no: { type: 'string' } },
        required: ['kind'],
      },
      Cash: { type: 'object', properties: { kind: { const: 'cash' } }, required: ['kind'] },
      NewOrder: {
        allOf: [
          { $ref: '#/components/schemas/Line' },
          { properties: { gift: { type: 'boolean', default: false } } },
        ],
        minProperties: 2,
      },
    },
    parameters: {
      trace: {
        name: 'X-Trace',
        in: 'header',
        required: true,
        explode: true,
        schema: { type: 'string', minLength: 2 },
      },
    },
    headers: { Etag: { required: true, schema: { type: 'string', minLength: 1 } } },
    responses: {
      Missing: {
        description: 'no',
        content: {
          'application/json': {
            schema: { type: 'object', properties: { why: { type: 'string' } } },
          },
        },
      },
    },
    pathItems: {
      ping: {
        get: {
          responses: {
            '200': {
              description: 'pong',
              content: { 'text/plain': { schema: { type: 'string', maxLength: 4 } } },
            },
          },
        },
      },
    },
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'k' },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      oauth: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: 'https://t.example',
            refreshUrl: 'https://r.example',
            scopes: { read: 'r', list: 'l' },
          },
        },
      },
      oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://oidc.example' },
    },
  },
};

/** For people, or for the name of the thing; bearerFormat is a hint, says OpenAPI. */
const forReaders = new Set([
  ...['description', 'summary', 'tags', 'example', 'externalDocs', 'info', 'operationId'],
  ...['bearerFormat', 'openapi'],
]);

/** What says the same without it. */
const defaults = [
  '/paths//orders/{id}/parameters/0/required',
  '/paths//orders/{id}/get/parameters/0/style',
];

type Step = string | number;

/** The places of a value, its own first. */
function* placesIn(value: Json, place: readonly Step[] = []): Generator<readonly Step[]> {
  if (forReaders.has(String(place.at(-1))) || defaults.includes(`/${place.join('/')}`)) return;
  yield place;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* placesIn(item, [...place, index]);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) yield* placesIn(member, [...place, key]);
  }
}

/** The value with something else at a place; undefined takes it away. */
function replaced(
  value: Json,
  place: readonly Step[],
  change: (old: Json) => Json | undefined,
): Json {
  const [step, ...rest] = place;
  const inside = (old: Json) => (rest.length === 0 ? change(old) : replaced(old, rest, change));
  if (Array.isArray(value))
    return value.flatMap((item, index) => (index === step ? (inside(item) ?? []) : [item]));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(
    ([key, member]) => [key, key === step ? inside(member) : member] as const,
  );
  return Object.fromEntries(
    members.flatMap(([key, member]) => (member === undefined ? [] : [[key, member]])),
  );
}

function another(value: Json): Json | undefined {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : undefined;
}

async function diff(old: Json, next: Json): Promise<string> {
  const files = [`${folder.path}/old.json`, `${folder.path}/new.json`];
  for (const [index, content] of [old, next].entries()) {
    await writeFile(files[index] ?? '', JSON.stringify(content));
  }
  let printed = '';
  const stdout = new Writable({
    write(chunk, _, done) {
      printed += chunk;
      done();
    },
  });
  const io = {
    stdin: emptyInput(),
    stdout,
    stderr: new Writable({ write: (_c, _e, done) => done() }),
    env: {},
    version: '0.0.0',
  };
  const code = await runCommandLine(['diff', ...files, '--format', 'json'], io, commands);
  return code === 0 ? JSON.parse(printed).status : `exit ${code}`;
}

async function* emptyInput(): AsyncGenerator<Uint8Array> {}

const changes: readonly (readonly [name: string, change: (old: Json) => Json | undefined])[] = [
  ['is taken away', () => undefined],
  ['says something else', another],
];

test.each(changes)('no member %s without a word', async (_, change) => {
  const silent: string[] = [];
  for (const place of placesIn(document)) {
    if (place.length === 0) continue;
    const changed = replaced(document, place, change);
    if (JSON.stringify(changed) === JSON.stringify(document)) continue;
    for (const [old, next] of [
      [document, changed],
      [changed, document],
    ] as const) {
      if ((await diff(old, next)) === 'no_changes') silent.push(place.join(' '));
    }
  }
  expect(silent).toEqual([]);
});
