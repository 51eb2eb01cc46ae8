// Documents that say everything their format can say, once.

import type { Json } from '../../src/core/value/json.ts';

export const openapi: Json = {
  openapi: '3.2.0',
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
            'multipart/mixed': {
              itemSchema: { type: 'string', maxLength: 4 },
              prefixEncoding: [{ contentType: 'text/plain' }],
              itemEncoding: { contentType: 'text/csv' },
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
                callbacks: {
                  refused: {
                    '{$request.body#/back}': {
                      post: {
                        parameters: [{ name: 'why', in: 'query', schema: { maxLength: 9 } }],
                        requestBody: {
                          required: true,
                          content: { 'application/json': { schema: { maxProperties: 7 } } },
                        },
                        responses: {
                          '200': {
                            description: 'ok',
                            content: { 'application/json': { schema: { minProperties: 1 } } },
                          },
                        },
                      },
                    },
                  },
                },
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
        callbacks: {
          again: {
            '{$request.body#/url}': {
              post: {
                requestBody: { content: { 'application/json': { schema: { minItems: 1 } } } },
                responses: { '200': { description: 'ok' } },
              },
            },
          },
        },
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
        oauth2MetadataUrl: 'https://m.example',
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

/** As the command line puts it together from two files. */
export const swagger: Json = {
  swagger: '2.0',
  info: { title: 'Shop', version: '1.0.0', description: 'A shop.' },
  host: 'api.example.com',
  basePath: '/v1',
  schemes: ['https'],
  consumes: ['application/json', 'application/xml'],
  produces: ['application/json', 'text/csv'],
  security: [{ key: [] }],
  tags: [{ name: 'orders' }],
  paths: {
    '/orders/{id}': {
      parameters: [
        { name: 'id', in: 'path', required: true, type: 'string', format: 'uuid' },
        { $ref: '#/parameters/trace' },
      ],
      get: {
        operationId: 'getOrder',
        summary: 'Get',
        deprecated: true,
        produces: ['application/json', 'text/plain'],
        parameters: [
          {
            ...{ name: 'fields', in: 'query', description: 'd', allowEmptyValue: true },
            ...{ type: 'array', collectionFormat: 'pipes', minItems: 1 },
            items: { type: 'string', enum: ['a', 'b'] },
          },
          { name: 'max', in: 'query', type: 'integer', maximum: 9, exclusiveMaximum: true },
          { name: 'X-Count', in: 'header', required: true, type: 'integer', minimum: 2 },
        ],
        responses: {
          '200': {
            description: 'ok',
            schema: { $ref: '#/definitions/Order' },
            headers: {
              'X-Rate': { description: 'r', type: 'integer', maximum: 5 },
              'X-List': { type: 'array', items: { type: 'string' }, collectionFormat: 'ssv' },
            },
            examples: { 'application/json': { id: 1 } },
          },
          '404': { $ref: '#/responses/Missing' },
          default: { $ref: '#/x-files/parts.yaml/Failure' },
        },
        security: [{ key: [] }, { oauth: ['read'] }],
      },
      put: {
        parameters: [
          { name: 'order', in: 'body', required: true, schema: { $ref: '#/definitions/NewOrder' } },
        ],
        responses: { '204': { description: 'done' } },
      },
      post: {
        consumes: ['multipart/form-data'],
        parameters: [
          { name: 'note', in: 'formData', type: 'string', maxLength: 9 },
          { name: 'file', in: 'formData', type: 'file', required: true },
        ],
        responses: { '200': { description: 'a file', schema: { type: 'file' } } },
      },
    },
    '/carts': { $ref: '#/x-files/carts.yaml' },
  },
  parameters: { trace: { name: 'X-Trace', in: 'header', type: 'string', pattern: '^t' } },
  responses: {
    Missing: {
      description: 'none',
      schema: { type: 'object', properties: { code: { type: 'integer' } }, required: ['code'] },
    },
  },
  definitions: {
    NewOrder: {
      type: 'object',
      required: ['total'],
      properties: { total: { type: 'number', multipleOf: 0.5 }, default: { type: 'string' } },
    },
    Order: {
      type: 'object',
      properties: {
        id: { type: 'integer', readOnly: true },
        example: { type: 'string', 'x-nullable': true },
        pet: { $ref: '#/definitions/Pet' },
        items: { type: 'array', items: { $ref: '#/x-files/parts.yaml/Item' } },
      },
    },
    Pet: {
      type: 'object',
      discriminator: 'kind',
      required: ['kind'],
      properties: { kind: { type: 'string' } },
    },
    Cat: {
      allOf: [{ $ref: '#/definitions/Pet' }, { properties: { lives: { type: 'integer' } } }],
    },
  },
  securityDefinitions: {
    key: { type: 'apiKey', name: 'X-Key', in: 'header' },
    oauth: {
      type: 'oauth2',
      flow: 'accessCode',
      authorizationUrl: 'https://example.com/auth',
      tokenUrl: 'https://example.com/token',
      scopes: { read: 'Reads.' },
    },
  },
  'x-files': {
    'carts.yaml': {
      get: {
        parameters: [{ $ref: '#/x-files/parts.yaml/page' }],
        responses: { '200': { $ref: '#/x-files/parts.yaml/Carts' } },
      },
    },
    'parts.yaml': {
      page: {
        name: 'page',
        in: 'query',
        type: 'array',
        items: { type: 'integer' },
        collectionFormat: 'multi',
      },
      Carts: {
        description: 'carts',
        schema: { type: 'array', items: { $ref: '#/x-files/parts.yaml/Item' } },
        headers: { 'X-Total': { type: 'integer', minimum: 0 } },
      },
      Failure: { description: 'failed', schema: { properties: { code: { type: 'string' } } } },
      Item: { type: 'object', properties: { sku: { type: 'string', 'x-nullable': true } } },
    },
  },
};

const testOfOrders = {
  ...{ resource_type: 'test', package_name: 'shop', attached_node: 'model.shop.orders' },
  depends_on: { nodes: ['model.shop.orders'] },
};

export const dbt: Json = {
  metadata: {
    dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
    project_name: 'shop',
  },
  nodes: {
    'model.shop.orders': {
      ...{ resource_type: 'model', package_name: 'shop', name: 'orders', alias: 'orders' },
      ...{ database: 'db', schema: 'public', path: 'orders.sql', access: 'public' },
      description: 'Orders.',
      tags: ['shop'],
      contract: { enforced: true },
      group: 'sales',
      deprecation_date: '2027-01-31T00:00:00',
      ...{ version: 1, latest_version: 2 },
      constraints: [{ type: 'primary_key', columns: ['id', 'state'] }],
      columns: {
        id: { name: 'id', data_type: 'bigint', constraints: [{ type: 'unique' }] },
        state: { name: 'state', data_type: 'varchar(9)', description: 'The state.' },
        pay: { name: 'pay', data_type: 'struct<kind: text, amount: numeric(9, 2)>' },
      },
      meta: {
        concordat: {
          compatibility_mode: 'full',
          freshness: { max_staleness_minutes: 60 },
          volume: { min_rows: 5 },
        },
      },
    },
    'test.shop.state': {
      ...testOfOrders,
      name: 'state',
      test_metadata: {
        name: 'accepted_values',
        kwargs: { column_name: 'state', values: ['a', 'b'] },
      },
    },
    'test.shop.pay': {
      ...testOfOrders,
      name: 'pay',
      column_name: 'pay',
      test_metadata: { name: 'not_null', kwargs: { column_name: 'pay' } },
      config: {
        ...{ severity: 'warn', where: 'id > 1', error_if: '> 10', limit: 5 },
        fail_calc: 'sum(n)',
      },
    },
    'test.shop.totals': {
      ...testOfOrders,
      name: 'totals',
      raw_code: 'select 1',
      config: { error_if: '> 1' },
    },
  },
  sources: {
    'source.shop.raw.carts': {
      ...{ resource_type: 'source', package_name: 'shop', name: 'carts', identifier: 'carts' },
      ...{ database: 'db', schema: 'raw', source_name: 'raw' },
      loaded_at_field: 'at',
      freshness: { error_after: { count: 1, period: 'day' }, filter: 'at is not null' },
      columns: { at: { name: 'at', data_type: 'timestamp' } },
    },
    'source.shop.raw.taps': {
      ...{ resource_type: 'source', package_name: 'shop', name: 'taps', identifier: 'taps' },
      ...{ database: 'db', schema: 'raw', source_name: 'raw' },
      config: {
        loaded_at_field: 'at',
        freshness: { error_after: { count: 1, period: 'day' } },
      },
      columns: { at: { name: 'at', data_type: 'timestamp' } },
    },
  },
};

export const asyncapi: Json = {
  asyncapi: '3.0.0',
  info: { title: 'E', version: '1' },
  defaultContentType: 'application/avro',
  servers: {
    k: {
      host: 'kafka.example.com:9092',
      protocol: 'kafka',
      security: [{ $ref: '#/components/securitySchemes/sasl' }],
    },
  },
  channels: {
    orders: {
      address: 'shop.orders.{region}',
      parameters: { region: { enum: ['eu', 'us'], default: 'eu' } },
      messages: {
        placed: { $ref: '#/components/messages/Placed' },
        gone: {
          payload: { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] },
        },
      },
      servers: [{ $ref: '#/servers/k' }],
      bindings: { kafka: { topic: 'shop-orders', partitions: 3 } },
    },
    moved: { $ref: '#/components/channels/moved' },
    // Nobody sends to it, and another one has its address.
    other: {
      address: 'shop.orders.{region}',
      messages: {
        placed: {
          payload: { type: 'boolean' },
          headers: {
            schemaFormat: 'application/vnd.aai.asyncapi+json;version=3.0.0',
            schema: { type: 'object', required: ['id'] },
          },
        },
      },
    },
  },
  operations: {
    send: {
      action: 'send',
      channel: { $ref: '#/channels/orders' },
      messages: [{ $ref: '#/channels/orders/messages/placed' }],
      bindings: { kafka: { groupId: { type: 'string' } } },
      traits: [{ bindings: { kafka: { clientId: { type: 'string' } } } }],
      reply: {
        address: { location: '$message.header#/replyTo' },
        channel: { $ref: '#/channels/orders' },
        messages: [{ $ref: '#/channels/orders/messages/gone' }],
      },
      security: [{ $ref: '#/components/securitySchemes/sasl' }],
    },
    move: {
      action: 'send',
      channel: { $ref: '#/channels/moved' },
      reply: { $ref: '#/components/replies/moved' },
    },
  },
  components: {
    channels: {
      moved: {
        address: 'shop.moved.{region}',
        parameters: { region: { $ref: '#/components/parameters/region' } },
        messages: {
          moved: {
            payload: { type: 'integer', minimum: 1 },
            traits: [{ $ref: '#/components/messageTraits/moved' }],
          },
          done: { payload: { $ref: '#/components/schemas/Done' } },
        },
        bindings: { $ref: '#/components/channelBindings/moved' },
      },
    },
    channelBindings: { moved: { kafka: { topic: 'shop-moved' } } },
    parameters: { region: { enum: ['eu', 'us'] } },
    messageTraits: {
      moved: {
        contentType: 'application/xml',
        bindings: { kafka: { key: { $ref: '#/components/schemas/Key' } } },
      },
    },
    schemas: {
      Key: { type: 'string', maxLength: 3 },
      Done: {
        schemaFormat: 'application/schema+json;version=draft-07',
        schema: { type: 'integer', maximum: 9 },
      },
    },
    replies: {
      moved: {
        channel: { $ref: '#/channels/moved' },
        messages: [{ $ref: '#/channels/moved/messages/done' }],
      },
    },
    messages: {
      Placed: {
        headers: {
          type: 'object',
          properties: { trace: { type: 'string', maxLength: 4 } },
          required: ['trace'],
        },
        correlationId: { location: '$message.header#/trace' },
        payload: {
          type: 'object',
          properties: {
            id: { type: 'integer', minimum: 1 },
            note: { type: 'string', maxLength: 4 },
          },
          required: ['id'],
        },
        bindings: { kafka: { key: { type: 'string', maxLength: 3 } } },
      },
    },
    securitySchemes: { sasl: { type: 'scramSha256' } },
  },
};

export const asyncapi2: Json = {
  asyncapi: '2.6.0',
  info: { title: 'E', version: '1' },
  channels: {
    'shop.orders': {
      publish: {
        bindings: { kafka: { groupId: { type: 'string' } } },
        traits: [{ bindings: { kafka: { clientId: { type: 'string' } } } }],
        message: {
          oneOf: [
            {
              payload: { type: 'integer', minimum: 1 },
              contentType: 'application/xml',
              bindings: { kafka: { key: { type: 'string' } } },
            },
            { payload: { type: 'string', maxLength: 4 } },
            { $ref: '#/components/messages/Gone' },
          ],
        },
      },
      subscribe: { message: { $ref: '#/components/messages/Any' } },
    },
  },
  components: {
    messages: {
      Gone: { payload: { type: 'boolean' }, headers: { type: 'object', required: ['id'] } },
      Any: { oneOf: [{ name: 'First', payload: { type: 'integer', maximum: 9 } }] },
    },
  },
};

export const crd: Json = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com', annotations: { a: 'b' }, labels: { l: 'm' } },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: {
      kind: 'Thing',
      plural: 'things',
      singular: 'thing',
      listKind: 'ThingList',
      shortNames: ['th'],
      categories: ['all'],
    },
    preserveUnknownFields: false,
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { name: 's', namespace: 'n' } },
      },
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        deprecated: false,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
        },
        selectableFields: [{ jsonPath: '.spec.mode' }],
        additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.mode' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, format: 'int32' },
                  mode: { enum: ['a', 'b'], default: 'a' },
                  port: {
                    'x-kubernetes-int-or-string': true,
                  },
                  raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  em: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                  list: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: { name: { type: 'string', maxLength: 3 } },
                      required: ['name'],
                    },
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                  },
                  map: {
                    type: 'object',
                    additionalProperties: { type: 'string', pattern: '^a' },
                  },
                  nul: { type: 'string', nullable: true },
                },
                'x-kubernetes-validations': [
                  {
                    rule: 'self.size > 0',
                    message: 'm',
                    fieldPath: '.size',
                    reason: 'FieldValueInvalid',
                    optionalOldSelf: false,
                    messageExpression: "'x'",
                  },
                ],
              },
              status: { type: 'object', properties: { size: { type: 'integer' } } },
            },
          },
        },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: 'old',
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { old: { type: 'string' } } } },
          },
        },
      },
    ],
  },
};

export const odcs: Json = {
  apiVersion: 'v3.1.0',
  kind: 'DataContract',
  id: 'a',
  name: 'n',
  version: '1.0.0',
  status: 'active',
  domain: 'd',
  tenant: 't',
  dataProduct: 'p',
  description: { purpose: 'x' },
  tags: ['a'],
  schema: [
    {
      name: 'orders',
      physicalName: 'ord',
      physicalType: 'table',
      logicalType: 'object',
      dataGranularityDescription: 'g',
      quality: [
        { type: 'library', metric: 'rowCount', mustBeGreaterThan: 3, name: 'rc' },
        { type: 'sql', query: 'select 1', mustBe: 0 },
      ],
      properties: [
        {
          name: 'id',
          logicalType: 'integer',
          physicalType: 'bigint',
          required: true,
          unique: true,
          logicalTypeOptions: { minimum: 1, maximum: 99 },
          classification: 'pii',
          criticalDataElement: true,
          examples: [1],
          partitioned: true,
          partitionKeyPosition: 1,
          transformLogic: 'x',
          encryptedName: 'e',
          quality: [{ metric: 'duplicateValues', mustBe: 0, engine: 'e', implementation: 'i' }],
        },
        {
          name: 'st',
          logicalType: 'string',
          logicalTypeOptions: { minLength: 2, maxLength: 4, pattern: '^a' },
          quality: [
            { type: 'library', metric: 'nullValues', mustBe: 0 },
            { metric: 'invalidValues', arguments: { validValues: ['a', 'b'] }, mustBe: 0 },
            {
              metric: 'duplicateValues',
              mustBe: 0,
              customProperties: [{ property: 'filter', value: 'a' }],
            },
          ],
        },
        {
          name: 'arr',
          logicalType: 'array',
          logicalTypeOptions: { minItems: 1, maxItems: 3, uniqueItems: true },
          items: {
            logicalType: 'object',
            properties: [
              {
                name: 'q',
                logicalType: 'number',
                logicalTypeOptions: { exclusiveMinimum: 1, multipleOf: 2 },
              },
            ],
          },
        },
        { name: 'day', logicalType: 'date', logicalTypeOptions: { format: 'yyyy-MM-dd' } },
        { name: 'at', logicalType: 'timestamp', logicalTypeOptions: { timezone: true } },
      ],
      relationships: [{ type: 'foreignKey', from: 'id', to: 'x.id' }],
    },
  ],
  slaProperties: [
    { property: 'latency', value: 4, unit: 'h', element: 'orders.at' },
    { property: 'frequency', value: 1, unit: 'd' },
  ],
  team: { name: 'T' },
  roles: [{ role: 'r', access: 'read' }],
  servers: [{ server: 's', type: 'postgres', host: 'h', port: 5432, database: 'd', schema: 's' }],
  price: { priceAmount: 1 },
};

export const specification: Json = {
  dataContractSpecification: '1.1.0',
  id: 'a',
  info: { title: 't', version: '1' },
  servers: { p: { type: 'postgres', host: 'h' } },
  terms: { usage: 'x' },
  definitions: { oid: { type: 'string', format: 'uuid', domain: 'd' } },
  models: {
    orders: {
      type: 'table',
      description: 'd',
      primaryKey: ['id'],
      fields: {
        id: { $ref: '#/definitions/oid', required: true },
        n: { type: 'decimal', precision: 9, scale: 2, minimum: 1, maximum: 8 },
        s: { type: 'string', enum: ['a', 'b'], classification: 'x' },
        t: { type: 'string', minLength: 2, maxLength: 9, pattern: '^a', pii: true, unique: true },
        l: {
          type: 'array',
          items: { type: 'record', fields: { z: { type: 'int', required: true } } },
        },
        m: { type: 'map', keys: { type: 'string' }, values: { type: 'long' } },
      },
      quality: [{ type: 'sql', query: 'select count(*) from orders', mustBeGreaterThan: 5 }],
      additionalFields: true,
      config: { avroNamespace: 'shop' },
    },
  },
  quality: { type: 'SodaCL', specification: { 'checks for orders': ['row_count > 0'] } },
  servicelevels: {
    freshness: { threshold: '25h', timestampField: 'orders.n' },
    retention: { period: 'P1Y' },
    availability: { percentage: '99%' },
  },
};
