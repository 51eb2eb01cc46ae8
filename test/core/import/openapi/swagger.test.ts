import { describe, expect, test } from 'vitest';
import { parseOpenApi } from '../../../../src/core/import/openapi/openapi.ts';
import { fromSwagger } from '../../../../src/core/import/openapi/swagger.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';

const info = { title: 'Shop', version: '1' };
const termsOf = (document: Json) =>
  parseOpenApi(document).candidates.map(({ fqn, terms, place }) => ({ fqn, place, terms }));

/** One operation in Swagger 2.0, and the same in OpenAPI 3.0. */
const rows: readonly (readonly [name: string, swagger: JsonObject, openapi: JsonObject])[] = [
  [
    'a body, and definitions',
    {
      paths: {
        '/orders': {
          post: {
            parameters: [
              {
                in: 'body',
                name: 'order',
                required: true,
                schema: { $ref: '#/definitions/Order' },
              },
            ],
            responses: { 201: { description: '', schema: { $ref: '#/definitions/Order' } } },
          },
        },
      },
      definitions: { Order: { type: 'object', properties: { id: { type: 'integer' } } } },
    },
    {
      paths: {
        '/orders': {
          post: {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
            },
            responses: {
              201: {
                description: '',
                content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
              },
            },
          },
        },
      },
      components: {
        schemas: { Order: { type: 'object', properties: { id: { type: 'integer' } } } },
      },
    },
  ],
  [
    'headers of a response, and what a call must present',
    {
      securityDefinitions: { login: { type: 'basic' } },
      security: [{ login: [] }],
      paths: {
        '/orders': {
          get: { responses: { 204: { headers: { 'X-Left': { type: 'integer', minimum: 0 } } } } },
        },
      },
    },
    {
      components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
      security: [{ basic: [] }],
      paths: {
        '/orders': {
          get: {
            responses: {
              204: { headers: { 'X-Left': { schema: { type: 'integer', minimum: 0 } } } },
            },
          },
        },
      },
    },
  ],
  [
    'parameters of the path, the query and a header are their own schemas',
    {
      paths: {
        '/orders/{id}': {
          parameters: [{ in: 'path', name: 'id', required: true, type: 'integer', minimum: 1 }],
          get: {
            parameters: [
              { $ref: '#/parameters/Page' },
              { in: 'query', name: 'tag', type: 'array', items: { type: 'string', enum: ['a'] } },
            ],
            responses: { 200: { $ref: '#/responses/Text' } },
          },
        },
      },
      parameters: { Page: { in: 'query', name: 'page', type: 'integer', format: 'int32' } },
      responses: { Text: { description: '', schema: { type: 'string', 'x-nullable': true } } },
    },
    {
      paths: {
        '/orders/{id}': {
          parameters: [
            { in: 'path', name: 'id', required: true, schema: { type: 'integer', minimum: 1 } },
          ],
          get: {
            parameters: [
              { in: 'query', name: 'page', schema: { type: 'integer', format: 'int32' } },
              {
                in: 'query',
                name: 'tag',
                schema: { type: 'array', items: { type: 'string', enum: ['a'] } },
              },
            ],
            responses: {
              200: {
                content: { 'application/json': { schema: { type: 'string', nullable: true } } },
              },
            },
          },
        },
      },
    },
  ],
  [
    'fields of a form, and a file',
    {
      paths: {
        '/upload': {
          post: {
            consumes: ['multipart/form-data'],
            parameters: [
              { in: 'formData', name: 'note', type: 'string', maxLength: 9 },
              { in: 'formData', name: 'file', type: 'file', required: true },
            ],
            responses: {},
          },
        },
      },
    },
    {
      paths: {
        '/upload': {
          post: {
            requestBody: {
              required: true,
              content: {
                'multipart/form-data': {
                  schema: {
                    type: 'object',
                    properties: {
                      note: { type: 'string', maxLength: 9 },
                      file: { type: 'string', format: 'binary' },
                    },
                    required: ['file'],
                  },
                },
              },
            },
            responses: {},
          },
        },
      },
    },
  ],
  [
    'a body that all operations of a path share, and media types that are not JSON',
    {
      produces: ['text/plain'],
      paths: {
        '/orders': {
          parameters: [{ in: 'body', name: 'order', schema: { type: 'object' } }],
          put: {
            consumes: ['application/xml'],
            responses: { 200: { schema: { type: 'string' } } },
          },
          post: { responses: {} },
        },
      },
    },
    {
      paths: {
        '/orders': {
          put: {
            requestBody: { content: { 'application/xml': { schema: { type: 'object' } } } },
            responses: { 200: { content: { 'text/plain': { schema: { type: 'string' } } } } },
          },
          post: {
            requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
            responses: {},
          },
        },
      },
    },
  ],
  [
    'a response that operations share has the media types of each',
    {
      produces: ['text/plain'],
      responses: { Text: { $ref: '#/responses/Same' }, Same: { schema: { type: 'string' } } },
      paths: {
        '/orders': {
          get: { produces: ['application/json'], responses: { 200: { $ref: '#/responses/Text' } } },
          put: { produces: ['text/csv'], responses: { 200: { $ref: '#/responses/Text' } } },
          post: { responses: { 200: { $ref: '#/responses/Text' } } },
        },
      },
    },
    {
      paths: {
        '/orders': Object.fromEntries(
          Object.entries({ get: 'application/json', put: 'text/csv', post: 'text/plain' }).map(
            ([method, type]) => {
              const content = { [type]: { schema: { type: 'string' } } };
              return [method, { responses: { 200: { content } } }];
            },
          ),
        ),
      },
    },
  ],
  [
    'properties that are called as keywords are',
    {
      paths: {
        '/orders': {
          get: {
            responses: {
              200: {
                schema: {
                  properties: {
                    default: { type: 'string', 'x-nullable': true },
                    enum: { type: 'array', items: { type: 'string', 'x-nullable': true } },
                    example: { $ref: '#/definitions/default' },
                  },
                  default: { 'x-nullable': true },
                },
              },
            },
          },
        },
      },
      definitions: { default: { type: 'integer', 'x-nullable': true } },
    },
    {
      paths: {
        '/orders': {
          get: {
            responses: {
              200: {
                content: {
                  'application/json': {
                    schema: {
                      properties: {
                        default: { type: 'string', nullable: true },
                        enum: { type: 'array', items: { type: 'string', nullable: true } },
                        example: { $ref: '#/definitions/default' },
                      },
                      default: { 'x-nullable': true },
                    },
                  },
                },
              },
            },
          },
        },
      },
      definitions: { default: { type: 'integer', nullable: true } },
    },
  ],
  [
    'what stands in other files',
    {
      paths: { '/orders/{id}': { $ref: '#/x-files/order.yaml' } },
      'x-files': {
        'order.yaml': {
          parameters: [{ $ref: '#/x-files/parts.yaml/id' }],
          post: { $ref: '#/x-files/parts.yaml/post' },
        },
        'parts.yaml': {
          id: { in: 'path', name: 'id', type: 'integer' },
          body: { in: 'body', name: 'order', schema: { $ref: '#/x-files/parts.yaml/Order' } },
          post: {
            produces: ['text/json'],
            parameters: [
              { $ref: '#/x-files/parts.yaml/body' },
              { in: 'query', name: 'size', type: 'integer' },
            ],
            responses: { 200: { $ref: '#/x-files/parts.yaml/ok' } },
          },
          ok: {
            schema: { $ref: '#/x-files/parts.yaml/Order' },
            headers: { 'X-Left': { type: 'integer' } },
          },
          Order: { properties: { id: { type: 'string', 'x-nullable': true } } },
        },
      },
    },
    {
      paths: {
        '/orders/{id}': {
          post: {
            parameters: [
              { in: 'path', name: 'id', required: true, schema: { type: 'integer' } },
              { in: 'query', name: 'size', schema: { type: 'integer' } },
            ],
            requestBody: {
              content: {
                'application/json': { schema: { $ref: '#/x-files/parts.yaml/Order' } },
              },
            },
            responses: {
              200: {
                headers: { 'X-Left': { schema: { type: 'integer' } } },
                content: { 'text/json': { schema: { $ref: '#/x-files/parts.yaml/Order' } } },
              },
            },
          },
        },
      },
      'x-files': {
        'parts.yaml': { Order: { properties: { id: { type: 'string', nullable: true } } } },
      },
    },
  ],
];

describe('Swagger 2.0 is read as the same document in OpenAPI 3.0', () => {
  test.each(rows)('%s', (_name, swagger, openapi) => {
    const read = termsOf({ swagger: '2.0', info, ...swagger });
    expect(read).toEqual(termsOf({ openapi: '3.0.3', info, ...openapi }));
    expect(read.length).toBeGreaterThan(0);
  });

  test('YAML reads 2.0 as a number', () => {
    expect(parseOpenApi({ swagger: 2, info, paths: {} }).problems).toEqual([]);
  });

  test('any other version is refused', () => {
    const [problem] = parseOpenApi({ swagger: '1.2', info, paths: {} }).problems;
    expect(problem).toMatchObject({ fatal: true, place: '$.swagger' });
  });

  test.each<JsonObject>([
    {},
    { paths: 1, definitions: [], parameters: null, responses: 'x' },
    { paths: { '/a': 1, '/b': { get: null, post: [], parameters: {} } } },
    { paths: { '/a': { get: { parameters: [1, null, { in: 'body' }, { in: 'formData' }] } } } },
    {
      paths: { '/a': { get: { responses: { 200: { schema: 7 } } } } },
      consumes: [1],
      produces: {},
    },
  ])('whatever its parts are, nothing is thrown: %j', (parts) => {
    const converted = fromSwagger({ swagger: '2.0', ...parts });
    expect(() => parseOpenApi(converted)).not.toThrow();
  });
});
