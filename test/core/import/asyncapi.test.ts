import { describe, expect, test } from 'vitest';
import { parseAsyncApi } from '../../../src/core/import/parts/asyncapi.ts';
import type { Json } from '../../../src/core/value/json.ts';

const info = { title: 'Shop', version: '1' };
const order = { type: 'object', properties: { id: { $ref: '#/components/schemas/Id' } } };
const components = {
  schemas: { Order: order, Id: { type: 'integer' } },
  messages: {
    Ordered: {
      name: 'Ordered',
      headers: { type: 'object', properties: { trace: { type: 'string' } } },
      traits: [{ $ref: '#/components/messageTraits/Common' }],
      payload: { $ref: '#/components/schemas/Order' },
    },
    Paid: { payload: { type: 'string' } },
  },
  messageTraits: { Common: { headers: { type: 'object', properties: { at: {} } } } },
};
const ordered = {
  type: 'object',
  properties: {
    headers: { type: 'object', properties: { trace: { type: 'string' }, at: {} } },
    payload: { $ref: '#/definitions/Order' },
  },
  required: ['payload'],
  definitions: {
    Id: { type: 'integer' },
    Order: { type: 'object', properties: { id: { $ref: '#/definitions/Id' } } },
  },
};
const paid = {
  type: 'object',
  properties: { payload: { type: 'string' } },
  required: ['payload'],
};
const read = (document: Json) =>
  parseAsyncApi(document).parts.map(({ name, terms }) => [name, terms?.direction, terms?.schema]);

describe('an AsyncAPI document: each message of each operation', () => {
  test('2: what others publish is received, what they subscribe to is sent', () => {
    const document = {
      asyncapi: '2.6.0',
      info,
      channels: {
        'order.placed': {
          publish: { message: { $ref: '#/components/messages/Ordered' } },
          subscribe: {
            message: {
              oneOf: [
                { $ref: '#/components/messages/Ordered' },
                { $ref: '#/components/messages/Paid' },
              ],
            },
          },
        },
      },
      components,
    };
    expect(parseAsyncApi(document).problems).toEqual([]);
    expect(read(document)).toEqual([
      ['receive order.placed Ordered', 'request', ordered],
      ['send order.placed Ordered', 'response', ordered],
      ['send order.placed Paid', 'response', paid],
    ]);
  });

  test('3: operations name their messages, replies go the other way, the rest is data', () => {
    const document = {
      asyncapi: '3.0.0',
      info,
      channels: {
        placed: {
          address: 'order.placed',
          messages: {
            Ordered: { $ref: '#/components/messages/Ordered' },
            Paid: { $ref: '#/components/messages/Paid' },
          },
        },
        answers: { address: null, messages: { Paid: { $ref: '#/components/messages/Paid' } } },
        logs: { messages: { Paid: { $ref: '#/components/messages/Paid' } } },
      },
      operations: {
        place: {
          action: 'receive',
          channel: { $ref: '#/channels/placed' },
          messages: [{ $ref: '#/channels/placed/messages/Ordered' }],
          reply: { channel: { $ref: '#/channels/answers' } },
        },
      },
      components,
    };
    expect(parseAsyncApi(document).problems).toEqual([]);
    expect(read(document)).toEqual([
      ['receive order.placed Ordered', 'request', ordered],
      ['send answers Paid', 'response', paid],
      ['message order.placed Paid', 'data', paid],
      ['message logs Paid', 'data', paid],
    ]);
  });

  const withPayload = (message: Json) => ({
    asyncapi: '3.0.0',
    info,
    channels: { a: { messages: { M: message } } },
    components,
  });

  test.each([
    ['application/schema+json;version=draft-04', 'draft-04'],
    ['application/schema+yaml;version=draft-07', 'draft-07'],
    ['application/vnd.aai.asyncapi+json;version=3.0.0', 'draft-07'],
    ['application/vnd.oai.openapi+yaml;version=3.0.0', 'openapi-3.0'],
  ])('a payload says its language: %s', (schemaFormat, dialect) => {
    const [wrapped] = parseAsyncApi(
      withPayload({ payload: { schemaFormat, schema: { type: 'string' } } }),
    ).parts;
    const [beside] = parseAsyncApi(
      withPayload({ schemaFormat, payload: { type: 'string' } }),
    ).parts;
    expect(wrapped?.terms).toMatchObject({ schema: paid, dialect });
    expect(beside).toEqual(wrapped);
  });

  test('a header in another language than its payload is a part that was not read', () => {
    const headers = { schemaFormat: 'application/vnd.apache.avro;version=1.9.0', schema: {} };
    const { parts, problems } = parseAsyncApi(withPayload({ payload: {}, headers }));
    expect(parts).toMatchObject([{ name: 'message a M', terms: null }]);
    expect(problems).toMatchObject([
      { message: expect.stringContaining('its header is application/vnd.apache.avro') },
    ]);
  });

  test('a payload in another language is a part that was not read', () => {
    const schemaFormat = 'application/vnd.apache.avro;version=1.9.0';
    const { parts, problems } = parseAsyncApi(withPayload({ schemaFormat, payload: {} }));
    expect(parts).toEqual([{ name: 'message a M', terms: null, place: '$.channels.a.messages.M' }]);
    expect(problems).toMatchObject([
      {
        code: 'UNREADABLE_ITEM',
        message: expect.stringContaining('application/vnd.apache.avro'),
        place: '$.channels.a.messages.M',
      },
    ]);
  });

  test.each<[string, Json]>([
    ['1.2.0', { asyncapi: '1.2.0', topics: {} }],
    ['4', { asyncapi: 4 }],
    ['no version', { asyncapi: {} }],
  ])('a document of version %s is refused', (_version, document) => {
    expect(parseAsyncApi(document)).toMatchObject({
      parts: [],
      problems: [{ code: 'INVALID_ASYNCAPI', fatal: true, place: '$.asyncapi' }],
    });
  });

  test.each<Json>([
    { channels: 1 },
    { channels: { a: null, b: { publish: 1, subscribe: { message: [] } } } },
    { channels: { a: { publish: { message: { oneOf: [1, { $ref: 'x.yaml' }] } } } } },
    { channels: { a: { $ref: '#/channels/a' } }, operations: { b: { channel: {}, reply: 1 } } },
    { channels: { a: { messages: { m: { payload: 7, traits: [1, {}], headers: [] } } } } },
    { operations: { a: { action: 1, channel: { $ref: '#/nowhere' }, messages: [1] } } },
  ])('whatever its parts are, nothing is thrown: %j', (parts) => {
    for (const asyncapi of ['2.6.0', '3.0.0']) {
      expect(() => parseAsyncApi({ asyncapi, ...Object(parts) })).not.toThrow();
    }
  });
});
