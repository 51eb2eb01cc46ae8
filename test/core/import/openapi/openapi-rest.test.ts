// All of an operation, beside its JSON: statuses, headers, media types, security, callbacks.

import { describe, expect, test } from 'vitest';
import type { ContractTerms } from '../../../../src/core/comparison.ts';
import { compare } from '../../../../src/core/diff/compare.ts';
import { toContractTerms } from '../../../../src/core/import/candidate.ts';
import { alignTerms } from '../../../../src/core/import/openapi/align-terms.ts';
import { parseOpenApi } from '../../../../src/core/import/openapi/openapi.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';

const user = { type: 'object', properties: { name: { type: 'string' } } };
const named = { ...user, required: ['name'] };
const whole = { type: 'object', properties: { name: { type: 'string' }, id: { type: 'integer' } } };

function json(schema: Json, more: JsonObject = {}): JsonObject {
  return { content: { 'application/json': { schema } }, ...more };
}

function typed(...types: readonly (readonly [string, Json])[]): JsonObject {
  return { content: Object.fromEntries(types.map(([type, schema]) => [type, { schema }])) };
}

const schemes = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  sameKey: { type: 'apiKey', in: 'header', name: 'x-key' },
  queryKey: { type: 'apiKey', in: 'query', name: 'key' },
  login: { type: 'oauth2', flows: {} },
};

function documentOf(operation: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: { '/a': { post: operation } },
    components: { securitySchemes: schemes },
    ...more,
  };
}

function termsOf(document: JsonObject) {
  const { candidates, problems } = parseOpenApi(document);
  expect(problems).toEqual([]);
  const [candidate] = candidates;
  if (candidate?.terms == null) throw new Error('The operation has no contract.');
  return toContractTerms(candidate.terms, null);
}

/** Each change as `breaks` or `fits`, its type, and its place. */
function changesBetween(old: JsonObject, next: JsonObject): readonly string[] {
  const { changes } = compare(...alignTerms(termsOf(old), termsOf(next)));
  return changes.map(
    ({ type, path, breaking }) =>
      `${breaking ? 'breaks' : 'fits'} ${type} ${path.replaceAll('.properties', '')}`,
  );
}

type Row = readonly [string, JsonObject, JsonObject, readonly string[]];

function checkRows(rows: readonly Row[]): void {
  test.each(rows)('%s', (_name, old, next, expected) => {
    expect(changesBetween(documentOf(old), documentOf(next))).toEqual(expected);
  });
}

const ok = json(whole);
const query = { parameters: [{ name: 'q', in: 'query', schema: {} }] };

function answering(responses: JsonObject): JsonObject {
  return { responses: { 200: ok, ...responses } };
}

describe('A status', () => {
  checkRows([
    [
      'of an error is added',
      answering({}),
      answering({ 404: json(user) }),
      ['fits property_added $.responses["404"]'],
    ],
    [
      'of an error goes',
      answering({ 404: json(user) }),
      answering({}),
      ['fits property_removed $.responses["404"]'],
    ],
    [
      'of an error loses a field',
      answering({ 404: json(whole) }),
      answering({ 404: json(user) }),
      ['breaks property_removed $.responses["404"]["application/json"].id'],
    ],
    [
      'of an error gets a field',
      answering({ 404: json(user) }),
      answering({ 404: json(whole) }),
      ['fits property_added $.responses["404"]["application/json"].id'],
    ],
    [
      'of an error is given in place of the default',
      answering({ default: json(whole) }),
      answering({ 404: json(user), default: json(whole) }),
      ['breaks property_removed $.responses["404"]["application/json"].id'],
    ],
    [
      'goes and the default describes it',
      answering({ 404: json(whole), default: json(user) }),
      answering({ default: json(user) }),
      ['breaks property_removed $.responses["404"]["application/json"].id'],
    ],
    [
      'in a range',
      answering({ '4XX': json(whole) }),
      answering({ 404: json(user) }),
      [
        'breaks property_removed $.responses["404"]["application/json"].id',
        'fits property_removed $.responses["4XX"]',
      ],
    ],
    [
      'of success goes',
      answering({ 202: json(user) }),
      answering({}),
      ['breaks property_removed $.responses["202"]'],
    ],
    [
      'of success is added',
      answering({}),
      answering({ 202: json(user) }),
      ['fits property_added $.responses["202"]'],
    ],
    [
      'of success becomes another',
      { responses: { 200: ok } },
      { responses: { 201: ok } },
      ['breaks property_removed $.responses["200"]', 'fits property_added $.responses["201"]'],
    ],
    [
      'without a body becomes another',
      { ...query, responses: { 204: {} } },
      { ...query, responses: { 202: {} } },
      ['breaks property_removed $.responses["204"]', 'fits property_added $.responses["202"]'],
    ],
    [
      'gets a body',
      answering({ 202: {} }),
      answering({ 202: json(user) }),
      ['fits property_added $.responses["202"]["application/json"]'],
    ],
    [
      'loses its body',
      answering({ 202: json(user) }),
      answering({ 202: {} }),
      ['breaks property_removed $.responses["202"]["application/json"]'],
    ],
    [
      'with another description',
      answering({ 404: { description: 'a' } }),
      answering({ 404: { description: 'b' } }),
      [],
    ],
  ]);
});

function heading(name: string, header: JsonObject | null): JsonObject {
  return { responses: { 200: { ...ok, headers: header === null ? {} : { [name]: header } } } };
}
const text = { schema: { type: 'string' } };

describe('A header of a response', () => {
  checkRows([
    [
      'is added',
      heading('X-A', null),
      heading('X-A', text),
      ['fits property_added $.responses["200"].headers'],
    ],
    [
      'goes',
      heading('X-A', text),
      heading('X-A', null),
      ['breaks property_removed $.responses["200"].headers'],
    ],
    ['is written in other letters', heading('X-A', text), heading('x-a', text), []],
    [
      'has another type',
      heading('X-A', text),
      heading('X-A', { schema: { type: 'integer' } }),
      ['breaks type_changed $.responses["200"].headers.x-a'],
    ],
    [
      'is no longer required',
      heading('X-A', { ...text, required: true }),
      heading('X-A', text),
      ['breaks required_removed $.responses["200"].headers.x-a'],
    ],
  ]);
});

function sending(body: JsonObject, required = true): JsonObject {
  return { requestBody: { ...body, required }, responses: { 204: {} } };
}

function giving(...types: readonly (readonly [string, Json])[]): JsonObject {
  return { responses: { 200: typed(...types) } };
}
const string = { type: 'string' };

const charsets = (schema: Json) =>
  typed(
    ['application/json', { type: 'string' }],
    ['application/json; charset=utf-8', schema],
    ['application/json; charset=utf-16', { type: 'boolean' }],
  );
const vendors = (schema: Json): JsonObject => ({
  ...query,
  ...giving(...[['application/json', user] as const, ['application/x+json', user] as const], [
    'application/x+json; charset=utf-8',
    schema,
  ]),
});

describe('A media type', () => {
  checkRows([
    [
      'of a request: JSON to text',
      sending(json(user)),
      sending(typed(['text/plain', string])),
      [
        'breaks property_removed $.request.body',
        'breaks required_added $.request["text/plain"]',
        'fits property_added $.request["text/plain"]',
      ],
    ],
    [
      'of a request: JSON to another JSON',
      sending(json(user)),
      sending(typed(['application/vnd.a+json', user])),
      [
        'breaks property_removed $.media_types.body["application/json"]',
        'fits property_added $.media_types.body["application/vnd.a+json"]',
        'fits property_renamed $.media_types.body["application/json"]',
      ],
    ],
    [
      'of a request: JSON to a form',
      sending(json(user)),
      sending(typed(['application/x-www-form-urlencoded', user])),
      [
        'breaks property_removed $.request.body',
        'breaks required_added $.request.form',
        'fits property_added $.request.form',
        'fits property_renamed $.request.body',
      ],
    ],
    [
      'of a request is added',
      sending(json(user)),
      sending(typed(['application/json', user], ['text/csv', string])),
      [
        'fits property_added $.request["text/csv"]',
        'fits required_removed $.request.body',
        'fits schema_changed $.request',
      ],
    ],
    [
      'of a request goes',
      sending(typed(['application/json', user], ['text/csv', string])),
      sending(json(user)),
      [
        'breaks property_removed $.request["text/csv"]',
        'breaks required_added $.request.body',
        'breaks schema_changed $.request',
      ],
    ],
    [
      'of a request with the same schema goes',
      sending(typed(['application/json', user], ['text/json', user])),
      sending(json(user)),
      ['breaks property_removed $.media_types.body["text/json"]'],
    ],
    [
      'of a request has a shorter text',
      sending(typed(['text/csv', string])),
      sending(typed(['text/csv', { ...string, maxLength: 9 }])),
      ['breaks constraint_tightened $.request["text/csv"]'],
    ],
    [
      'of a response: JSON to text',
      giving(['application/json', user]),
      giving(['text/plain', string]),
      [
        'breaks property_removed $.response',
        'fits property_added $.responses["200"]["text/plain"]',
      ],
    ],
    [
      'of a response: JSON to another JSON',
      giving(['application/json', user]),
      giving(['application/hal+json', user]),
      [
        'breaks property_removed $.media_types.response["application/json"]',
        'fits property_added $.media_types.response["application/hal+json"]',
        'fits property_renamed $.media_types.response["application/json"]',
      ],
    ],
    [
      'of a response is added',
      giving(['application/json', user]),
      giving(['application/json', user], ['text/csv', string]),
      ['fits property_added $.responses["200"]["text/csv"]'],
    ],
    [
      'of a response goes',
      giving(['application/json', user], ['text/csv', string]),
      giving(['application/json', user]),
      ['breaks property_removed $.responses["200"]["text/csv"]'],
    ],
    [
      'of a response has a longer text',
      giving(['text/csv', { ...string, maxLength: 9 }]),
      giving(['text/csv', string]),
      ['breaks constraint_relaxed $.responses["200"]["text/csv"]'],
    ],
    [
      'of a request: JSON to a range with JSON',
      sending(json(user)),
      sending(typed(['*/*', user])),
      ['fits property_added $.media_types.body["*/*"]'],
    ],
    [
      'of a request: JSON to a range with JSON that takes less',
      sending(json(user)),
      sending(typed(['*/*', named])),
      [
        'breaks required_added $.request.body.name',
        'fits property_added $.media_types.body["*/*"]',
      ],
    ],
    [
      'of a request: XML like the JSON beside it, to a range that takes less',
      sending(typed(['application/json', user], ['application/xml', user])),
      sending(typed(['application/json', user], ['*/*', named])),
      [
        'breaks schema_changed $.request',
        'breaks required_added $.request["application/xml"].name',
        'fits property_added $.request["*/*"]',
        'fits required_removed $.request.body',
      ],
    ],
    [
      'of a request: XML like the JSON beside it goes, and the range beside them takes less',
      sending(typed(['application/json', user], ['application/xml', user], ['*/*', named])),
      sending(typed(['application/json', user], ['*/*', named])),
      ['breaks required_added $.request["application/xml"].name'],
    ],
    [
      'of a request: XML like the JSON beside it goes, and the range beside them takes the same',
      sending(typed(['application/json', user], ['application/xml', user], ['*/*', user])),
      sending(typed(['application/json', user], ['*/*', user])),
      [],
    ],
    [
      'of a request: a form to a range with it',
      sending(typed(['application/x-www-form-urlencoded', user]), false),
      sending(typed(['*/*', user]), false),
      ['fits property_added $.request.body'],
    ],
    [
      'of a request: JSON to a range without JSON',
      sending(json(user)),
      sending(typed(['text/*', user])),
      [
        'breaks property_removed $.request.body',
        'breaks required_added $.request["text/*"]',
        'fits property_added $.request["text/*"]',
        'fits property_renamed $.request.body',
      ],
    ],
    [
      'of a response: JSON beside text',
      { ...query, ...giving(['text/csv', string]) },
      { ...query, ...giving(['text/csv', string], ['application/json', user]) },
      ['fits property_added $.responses["200"]["application/json"]'],
    ],
    [
      'of a response: text where nothing was',
      { ...query, responses: { 200: {} } },
      { ...query, ...giving(['text/csv', string]) },
      ['breaks property_added $.response', 'fits property_added $.responses["200"]["text/csv"]'],
    ],
    [
      'of a response: text under a status more, where nothing was',
      { ...query, responses: { 204: {} } },
      { ...query, responses: { 204: {}, 200: typed(['text/csv', string]) } },
      ['breaks property_added $.response', 'fits property_added $.responses["200"]'],
    ],
    [
      'with another charset',
      giving(['text/csv', string]),
      giving(['text/csv; charset=utf-8', string]),
      [],
    ],
    [
      'with two charsets, each with a schema of its own',
      giving(['text/csv', string], ['text/csv; charset=utf-16', { type: 'integer' }]),
      giving(['text/csv', { type: 'boolean' }], ['text/csv; charset=utf-16', { type: 'integer' }]),
      ['breaks type_changed $.responses["200"]["text/csv"]'],
    ],
    [
      'of JSON of a request in three charsets, of which one gets another schema',
      { ...query, requestBody: charsets(user) },
      { ...query, requestBody: charsets({ type: 'boolean' }) },
      ['breaks type_changed $.request["application/json;charset=utf-8"]'],
    ],
    [
      'of a request in two charsets, of which one demands more',
      sending(typed(['application/json', user], ['application/json; charset=utf-8', user])),
      sending(
        typed(
          ['application/json', user],
          ['application/json; charset=utf-8', { ...user, required: ['name'] }],
        ),
      ),
      [
        'breaks schema_changed $.request',
        'breaks required_added $.request.body.name',
        'breaks required_added $.request["application/json;charset=utf-8"].name',
        'fits required_removed $.request.body',
      ],
    ],
    [
      'of a request in three charsets, of which one more demands more',
      sending(
        typed(
          ['application/json', user],
          ['application/json; charset=latin1', { ...user, required: ['name'] }],
          ['application/json; charset=utf-8', user],
        ),
      ),
      sending(
        typed(
          ['application/json', user],
          ['application/json; charset=latin1', { ...user, required: ['name'] }],
          ['application/json; charset=utf-8', { ...user, required: ['name'] }],
        ),
      ),
      ['breaks required_added $.request["application/json;charset=utf-8"].name'],
    ],
    [
      'of a request beside a range, whose type without a charset demands what it demands with one',
      sending(
        typed(
          ['application/json', user],
          ['application/json; charset=utf-8', { ...user, required: ['name'] }],
          ['*/*', {}],
        ),
      ),
      sending(
        typed(
          ['application/json', { ...user, required: ['name'] }],
          ['application/json; charset=utf-8', { ...user, required: ['name'] }],
          ['*/*', {}],
        ),
      ),
      [
        'breaks union_member_removed $.request.anyOf[2]',
        'breaks union_member_removed $.request.anyOf[3]',
        'breaks required_added $.request["application/json;charset=unstated"].name',
      ],
    ],
    [
      'of text of a request in two charsets, of which one takes less',
      sending(typed(['text/csv', string], ['text/csv; charset=utf-8', { type: 'integer' }])),
      sending(
        typed(['text/csv', { type: 'null' }], ['text/csv; charset=utf-8', { type: 'integer' }]),
      ),
      ['breaks type_changed $.request["text/csv;charset=unstated"]'],
    ],
    [
      'that has the schema of the JSON beside it, and another one in another charset',
      vendors({ type: 'integer' }),
      vendors({ type: 'boolean' }),
      ['breaks type_changed $.responses["200"]["application/x+json"]'],
    ],
    [
      'that is binary becomes text',
      giving(['image/png', { type: 'string', format: 'binary' }]),
      giving(['text/plain', string]),
      [
        'breaks property_removed $.responses["200"]["image/png"]',
        'fits property_added $.responses["200"]["text/plain"]',
      ],
    ],
  ]);
});

function secured(security: Json | undefined, responses: JsonObject = { 200: ok }): JsonObject {
  return { responses, ...(security === undefined ? {} : { security }) };
}

describe('Security', () => {
  checkRows([
    [
      'is needed now',
      secured(undefined),
      secured([{ key: [] }]),
      [
        'breaks required_added $.security["apiKey in header x-key"]',
        'fits property_added $.security["apiKey in header x-key"]',
      ],
    ],
    [
      'is needed no more',
      secured([{ key: [] }]),
      secured([]),
      ['fits property_removed $.security["apiKey in header x-key"]'],
    ],
    [
      'may be left out now',
      secured([{ key: [] }]),
      secured([{ key: [] }, {}]),
      ['fits property_removed $.security["apiKey in header x-key"]'],
    ],
    [
      'may not be left out any more',
      secured([{ key: [] }, {}]),
      secured([{ key: [] }]),
      [
        'breaks required_added $.security["apiKey in header x-key"]',
        'fits property_added $.security["apiKey in header x-key"]',
      ],
    ],
    ['by another name', secured([{ key: [] }]), secured([{ sameKey: [] }]), []],
    [
      'in another place',
      secured([{ key: [] }]),
      secured([{ queryKey: [] }]),
      [
        'breaks required_added $.security["apiKey in query key"]',
        'fits property_removed $.security["apiKey in header x-key"]',
        'fits property_added $.security["apiKey in query key"]',
        'fits property_renamed $.security["apiKey in header x-key"]',
      ],
    ],
    [
      'needs one scope more',
      secured([{ login: ['read'] }]),
      secured([{ login: ['read', 'write'] }]),
      [
        'breaks required_added $.security.oauth2.write',
        'fits property_added $.security.oauth2.write',
      ],
    ],
    [
      'needs one scope less',
      secured([{ login: ['read', 'write'] }]),
      secured([{ login: ['read'] }]),
      ['fits property_removed $.security.oauth2.write'],
    ],
    [
      'has an alternative more',
      secured([{ key: [] }]),
      secured([{ key: [] }, { login: [] }]),
      [
        'fits schema_widened $.security["apiKey in header x-key"]',
        'fits required_removed $.security["apiKey in header x-key"]',
        'fits schema_widened $.security',
      ],
    ],
    [
      'has an alternative less',
      secured([{ key: [] }, { login: [] }]),
      secured([{ key: [] }]),
      [
        'breaks required_added $.security["apiKey in header x-key"]',
        'breaks schema_narrowed $.security',
        'fits schema_narrowed $.security["apiKey in header x-key"]',
      ],
    ],
    [
      'needs both in place of one',
      secured([{ key: [] }]),
      secured([{ key: [], login: [] }]),
      ['breaks required_added $.security.oauth2', 'fits property_added $.security.oauth2'],
    ],
    [
      'in another order',
      secured([{ key: [] }, { login: [] }]),
      secured([{ login: [] }, { key: [] }]),
      [],
    ],
  ]);
});

function calling(body: Json, answers: JsonObject = { 200: {} }): JsonObject {
  const post = { requestBody: json(body), responses: answers };
  return { responses: { 200: ok }, callbacks: { done: { '{$request.body#/url}': { post } } } };
}

const acknowledged = (required: boolean): JsonObject => ({
  headers: { 'X-Ack': { required, schema: { type: 'string' } } },
});

describe('A callback', () => {
  checkRows([
    ['is added', answering({}), calling(user), ['fits property_added $.callbacks']],
    ['goes', calling(user), answering({}), ['breaks property_removed $.callbacks']],
    [
      'sends a field more',
      calling(user),
      calling(whole),
      ['fits property_added $.callbacks["done post {$request.body#/url}"].body.id'],
    ],
    [
      'sends a field less',
      calling(whole),
      calling(user),
      ['breaks property_removed $.callbacks["done post {$request.body#/url}"].body.id'],
    ],
    [
      'demands nothing of who reads it',
      calling(user),
      calling(named),
      ['fits required_added $.callbacks["done post {$request.body#/url}"].body.name'],
    ],
    [
      'demands a header of its answers',
      calling(user),
      calling(user, { 200: acknowledged(true) }),
      [
        'breaks required_added $.callback_responses["done post {$request.body#/url}"]["200"].headers.x-ack',
        'fits property_added $.callback_responses["done post {$request.body#/url}"]["200"].headers.x-ack',
      ],
    ],
    [
      'takes a header with its answers',
      calling(user),
      calling(user, { 200: acknowledged(false) }),
      ['fits property_added $.callback_responses["done post {$request.body#/url}"]["200"].headers'],
    ],
    [
      'accepts one answer less',
      calling(user, { 200: {}, 202: {} }),
      calling(user),
      ['breaks property_removed $.callback_responses["done post {$request.body#/url}"]["202"]'],
    ],
    [
      'accepts one answer more',
      calling(user),
      calling(user, { 200: {}, 202: {} }),
      ['fits property_added $.callback_responses["done post {$request.body#/url}"]["202"]'],
    ],
  ]);
});

describe('A callback of a callback, which callers send,', () => {
  const url = '{$request.body#/url}';
  const nesting = (further: JsonObject): JsonObject => {
    const post = { responses: { 200: {} }, callbacks: { back: { [url]: { put: further } } } };
    return { responses: { 200: ok }, callbacks: { done: { [url]: { post } } } };
  };
  const key = `["done post ${url} > back put ${url}"]`;
  const sending = (body: Json): JsonObject =>
    nesting({ requestBody: json(body, { required: true }), responses: { 200: {} } });
  const answered = (body: Json): JsonObject => nesting({ responses: { 200: json(body) } });
  checkRows([
    [
      'demands a field more',
      sending(user),
      sending(named),
      [`breaks required_added $.callback_responses${key}.body.name`],
    ],
    [
      'demands a body',
      nesting({ responses: { 200: {} } }),
      sending(user),
      [
        `breaks required_added $.callback_responses${key}.body`,
        `fits property_added $.callback_responses${key}.body`,
        `fits property_added $.callback_responses${key}.media_types`,
      ],
    ],
    [
      'demands a field less',
      sending(named),
      sending(user),
      [`fits required_removed $.callback_responses${key}.body.name`],
    ],
    [
      'is answered a field less',
      answered(whole),
      answered(user),
      [`breaks property_removed $.callbacks${key}["200"]["application/json"].id`],
    ],
    [
      'is answered a field more',
      answered(user),
      answered(whole),
      [`fits property_added $.callbacks${key}["200"]["application/json"].id`],
    ],
    [
      'goes',
      sending(user),
      {
        responses: { 200: ok },
        callbacks: { done: { [url]: { post: { responses: { 200: {} } } } } },
      },
      [`breaks property_removed $.callbacks${key}`],
    ],
  ]);

  test('is told if another callback is called alike, and would hide it', () => {
    const nested = sending(user);
    const { done } = nested.callbacks as JsonObject;
    const alike = { [url]: { put: { responses: {} } } };
    const callbacks = { done: done ?? null, [`done post ${url} > back`]: alike };
    const { candidates, problems } = parseOpenApi(documentOf({ ...nested, callbacks }));
    expect(problems.map(({ code }) => code)).toEqual(['UNREADABLE_ITEM']);
    expect(candidates[0]?.terms).toBeNull();
  });

  test('may be the callback that it belongs to', () => {
    const post = {
      requestBody: json(user),
      callbacks: { done: { $ref: '#/components/callbacks/a' } },
    };
    const shared = { components: { callbacks: { a: { [url]: { post } } } } };
    const own = {
      responses: { 200: ok },
      callbacks: { done: { $ref: '#/components/callbacks/a' } },
    };
    const { schema } = termsOf(documentOf(own, shared));
    const names = (member: string) => {
      const { properties = {} } = schema as JsonObject;
      return Object.keys(((properties as JsonObject)[member] as JsonObject).properties ?? {});
    };
    const [one] = [`done post ${url}`];
    expect(names('callbacks')).toEqual([one, `${one} > ${one}`]);
  });

  test('is told if references make it very many', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
    const refs = (index: number) =>
      Object.fromEntries(
        ['x', 'y'].map((each) => [each, { $ref: `#/components/callbacks/${names[index]}` }]),
      );
    const callbacks = Object.fromEntries(
      names.map((name, index) => [
        name,
        { [url]: { post: { responses: {}, ...(index < 11 && { callbacks: refs(index + 1) }) } } },
      ]),
    );
    const own = documentOf(
      { responses: { 200: ok }, callbacks: refs(0) },
      { components: { callbacks } },
    );
    const { problems, candidates } = parseOpenApi(own);
    expect(problems.map(({ code }) => code)).toEqual(['TOO_LARGE']);
    expect(candidates[0]?.terms).toBeNull();
  });
});

test('a contract from before the rest was read gets it without a break', () => {
  const next = termsOf(documentOf({ ...calling(user), security: [{ key: [] }] }));
  const { response } = (next.schema as JsonObject).properties as JsonObject;
  const old = { ...next, schema: { type: 'object', properties: { response: response ?? null } } };
  const { changes, isBreaking, bump } = compare(...alignTerms(old, next));
  expect(changes.map(({ type, path }) => `${type} ${path}`)).toEqual([
    'property_added $.properties.responses',
    'property_added $.properties.callbacks',
  ]);
  expect([isBreaking, bump]).toEqual([false, 'minor']);
});

test('a response that names a dialect of its own beside an id is not known to be the same', () => {
  const own = {
    $id: 'https://example.com/own',
    $schema: 'http://json-schema.org/draft-04/schema#',
    ...whole,
  };
  const [old, next] = [whole, own].map((body) => documentOf({ responses: { 200: json(body) } }));
  expect(changesBetween(old ?? {}, next ?? {})).toContain(
    'breaks compatibility_undecided $.response',
  );
});

describe('What a schema refers to by its name', () => {
  /** The definitions, given what changes in one of them, and the response. */
  type Named = [string, (changing: JsonObject) => JsonObject, JsonObject, string?];
  const toC = { $ref: '#/components/schemas/C' };
  const nameless = { type: 'object' };
  const at = (name: string) => ({ $id: `https://x.example/${name}` });
  const holding = (reference: JsonObject) => ({ type: 'object', properties: { p: reference } });
  const documentWith = (schemas: JsonObject, response: Json, more: JsonObject = {}) =>
    documentOf({ responses: { 200: json(response) } }, { components: { schemas }, ...more });

  test.each<Named>([
    ['an anchor', (d) => ({ D: { $anchor: 'n', ...d } }), holding({ $ref: '#n' })],
    ['an id', (d) => ({ D: { ...at('d'), ...d } }), holding({ $ref: 'https://x.example/d' })],
    [
      'an anchor, in a document that says 3.0',
      (d) => ({ D: { $anchor: 'n', ...d } }),
      holding({ $ref: '#n' }),
      '3.0.3',
    ],
    [
      'an id, in a document that says 3.0',
      (d) => ({ C: { ...at('c'), ...holding({ $ref: 'd' }) }, D: { ...at('d'), ...d } }),
      toC,
      '3.0.3',
    ],
    [
      'what stands beside a $dynamicRef, which 3.0 does not have',
      (d) => ({
        N: { $anchor: 'n' },
        X: { $dynamicAnchor: 'x' },
        C: { allOf: [{ $ref: '#n' }, { $dynamicRef: '#x', ...holding(d) }] },
      }),
      toC,
      '3.0.3',
    ],
    [
      'an id beside its own',
      (d) => ({ C: { ...at('c'), ...holding({ $ref: 'd' }) }, D: { ...at('d'), ...d } }),
      toC,
    ],
    [
      'a whole id, within its own',
      (d) => ({
        C: { ...at('c'), allOf: [{ $ref: 'https://x.example/d' }] },
        D: { ...at('d'), ...d },
      }),
      toC,
    ],
    [
      'an anchor below another id',
      (d) => ({
        C: { ...at('c'), ...holding({ $ref: 'd#n' }) },
        D: { ...at('d'), $defs: { q: { $anchor: 'n', ...d } } },
      }),
      toC,
    ],
    [
      'an id that is no whole address',
      (d) => ({ C: { $id: 'c', ...holding({ $ref: 'd' }) }, D: { $id: 'd', ...d } }),
      toC,
    ],
    [
      'the place in the document, below an id',
      (d) => ({ C: { ...at('c'), ...holding({ $ref: '#/components/schemas/D' }) }, D: d }),
      toC,
    ],
    [
      'the place in the document, below an id of the operation',
      (d) => ({ D: d }),
      { ...at('c'), ...holding({ $ref: '#/components/schemas/D' }) },
    ],
    [
      'an id of the operation itself',
      (d) => ({ D: { ...at('d'), ...d } }),
      { ...at('c'), ...holding({ $ref: 'd' }) },
    ],
    [
      'an anchor that data has, too',
      (d) => ({ A: { $anchor: 'n', ...d }, B: { const: { $anchor: 'n' } } }),
      holding({ $ref: '#n' }),
    ],
    [
      'an anchor that a schema below an id has, too',
      (d) => ({ C: { $anchor: 'n', ...d }, D: { ...at('d'), $defs: { q: { $anchor: 'n' } } } }),
      holding({ $ref: '#n' }),
    ],
    [
      'an id that a default has, too',
      (d) => ({ C: { ...at('c'), ...d }, E: { ...at('e'), default: at('c') } }),
      holding({ $ref: 'https://x.example/c' }),
    ],
    [
      'an anchor, in a property that is called as data is',
      (d) => ({ D: { $anchor: 'n', ...d } }),
      { type: 'object', properties: { example: { $ref: '#n' } } },
    ],
    [
      'a dynamic anchor that two have',
      (d) => ({
        List: {
          ...{ ...at('list'), type: 'array', items: { $dynamicRef: '#of' } },
          $defs: { any: { $dynamicAnchor: 'of' } },
        },
        C: { ...at('c'), $ref: 'list', $defs: { each: { $dynamicAnchor: 'of', ...d } } },
      }),
      toC,
    ],
    [
      'an id in the dialect of the document',
      (d) => ({
        C: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          ...at('c'),
          ...holding({ $ref: '#/components/schemas/D' }),
        },
        D: d,
      }),
      toC,
    ],
  ])('is part of the contract: %s', (_name, schemasOf, response, openapi = '3.1.0') => {
    const [old, next] = ['string', 'integer'].map((type) =>
      documentWith(schemasOf({ type }), response, { openapi }),
    );
    expect(changesBetween(old ?? {}, old ?? {})).toEqual([]);
    expect(changesBetween(old ?? {}, next ?? {}).join()).toMatch(
      /^breaks (type_changed|schema_widened) [^,]*$/,
    );
  });

  test.each<[string, JsonObject, JsonObject, string?]>([
    ['nothing has', { C: { ...at('c'), ...holding({ $ref: 'd' }) } }, toC],
    ['two have', { C: { $anchor: 'n' }, D: { $anchor: 'n' } }, holding({ $ref: '#n' })],
    ['data has', { C: { const: { $anchor: 'n' } } }, holding({ $ref: '#n' })],
    ['nothing has in a document that says 3.0', {}, holding({ $ref: '#n' }), '3.0.3'],
    [
      'leads out of a schema in another dialect',
      {
        C: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          ...at('c'),
          ...holding({ $ref: '#/components/schemas/D' }),
        },
        D: nameless,
      },
      toC,
    ],
  ])('is told if the name is one that %s', (_name, schemas, response, openapi = '3.1.0') => {
    const { candidates, problems } = parseOpenApi(documentWith(schemas, response, { openapi }));
    expect(problems.map(({ code }) => code).join()).toMatch(/^(BROKEN|EXTERNAL)_REFERENCE$/);
    expect(candidates.map(({ terms }) => terms)).toEqual([null]);
  });
});

test.each<[string, JsonObject, string, (changing: JsonObject) => JsonObject]>([
  [
    'components and definitions',
    { openapi: '3.0.3', components: { schemas: { Pet: { type: 'boolean' } } } },
    '#/components/schemas/Pet',
    (Pet) => ({ definitions: { Pet } }),
  ],
  [
    'a definition that is called as a place is',
    { openapi: '3.0.3' },
    '#/definitions/~1definitions~1Pet~1items',
    (Pet) => ({ definitions: { '/definitions/Pet/items': { type: 'boolean' }, Pet } }),
  ],
])('two places of one name are two: %s', (_name, document, first, more) => {
  const second = first.includes('components') ? '#/definitions/Pet' : '#/definitions/Pet/items';
  const properties = { a: { $ref: first }, b: { $ref: second } };
  const [old, next] = ['string', 'integer'].map((type) =>
    documentOf(
      { responses: { 200: json({ properties }) } },
      { ...document, ...more({ type, items: { type } }) },
    ),
  );
  expect(changesBetween(old ?? {}, next ?? {})).toEqual(['breaks type_changed $.response.b']);
});

test('an operation that becomes deprecated has another version, and breaks nobody', () => {
  const old = documentOf({ responses: { 200: ok } });
  const next = documentOf({ responses: { 200: ok }, deprecated: true });
  expect(changesBetween(old, next)).toEqual(['fits annotation_changed $']);
});

test('an operation that has only statuses is an asset without a contract', () => {
  const [candidate] = parseOpenApi(documentOf({ responses: { 204: {} } })).candidates;
  expect(candidate?.terms).toBeNull();
});

test('an operation may be a reference', () => {
  const shared = { operations: { A: { responses: { 200: ok } } } };
  const document = documentOf({ $ref: '#/x-shared/operations/A' }, { 'x-shared': shared });
  expect(termsOf(document)).toEqual(termsOf(documentOf({ responses: { 200: ok } })));
});

describe('A webhook', () => {
  const hooking = (body: Json, answers: JsonObject = { 200: {} }) =>
    documentOf(
      {},
      {
        paths: {},
        webhooks: { 'order.created': { post: { requestBody: json(body), responses: answers } } },
      },
    );

  const hookingBack = (body: Json) => {
    const back = { url: { post: { requestBody: json(body), responses: {} } } };
    return documentOf(
      {},
      { paths: {}, webhooks: { done: { post: { responses: {}, callbacks: { back } } } } },
    );
  };

  test('is an asset whose response is what the API sends', () => {
    expect(parseOpenApi(hooking(user)).candidates).toMatchObject([
      {
        fqn: 'api.shop.post_webhooks_order_created',
        label: { kind: 'openapi', method: 'post', path: 'webhooks/order.created' },
        place: '$.webhooks["order.created"].post',
        terms: {
          schema: {
            type: 'object',
            properties: {
              request: { type: 'object', properties: { 200: {} } },
              response: { type: 'object', properties: { body: user } },
            },
          },
        },
      },
    ]);
  });

  test.each<Row>([
    [
      'sends a field more',
      hooking(user),
      hooking(whole),
      ['fits property_added $.response.body.id'],
    ],
    [
      'sends a field less',
      hooking(whole),
      hooking(user),
      ['breaks property_removed $.response.body.id'],
    ],
    [
      'demands a header of its answers',
      hooking(user),
      hooking(user, { 200: acknowledged(true) }),
      [
        'breaks required_added $.request["200"].headers.x-ack',
        'fits property_added $.request["200"].headers.x-ack',
      ],
    ],
    [
      'accepts one answer less',
      hooking(user, { 200: {}, 202: {} }),
      hooking(user),
      ['breaks property_removed $.request["202"]'],
    ],
    [
      'demands more of the callbacks of its receivers',
      hookingBack(user),
      hookingBack(named),
      ['breaks required_added $.callback_responses["back post url"].body.name'],
    ],
  ])('%s', (_name, old, next, expected) => {
    expect(changesBetween(old, next)).toEqual(expected);
  });
});

describe('Of what the API sends by itself, and is answered,', () => {
  const content = (types: Readonly<Record<string, Json>>): JsonObject => ({
    content: Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }])),
  });
  const asWebhook = (post: JsonObject) =>
    documentOf({}, { paths: {}, webhooks: { done: { post } } });
  const asCallback = (post: JsonObject) =>
    documentOf({ responses: { 200: ok }, callbacks: { done: { url: { post } } } });
  type Types = Readonly<Record<string, Json>>;
  test.each<readonly [string, Types, Types, asked: 'sent' | 'answered' | 'both' | 'neither']>([
    ['a type that a range described', { '*/*': whole }, { '*/*': whole, 'text/csv': user }, 'both'],
    [
      'a type that a range described, with more demands',
      { '*/*': user },
      { '*/*': user, 'text/csv': named },
      'both',
    ],
    [
      'a type more, of another schema',
      { 'application/json': user },
      { 'application/json': user, 'text/csv': whole },
      'sent',
    ],
    ['a range in place of its type', { 'text/csv': user }, { 'text/*': user }, 'sent'],
    ['a range in place of its type, with less', { 'text/csv': whole }, { 'text/*': user }, 'both'],
    ['a narrower range', { '*/*': user }, { 'text/*': user }, 'both'],
    ['the same', { '*/*': user, 'text/csv': named }, { '*/*': user, 'text/csv': named }, 'neither'],
  ])('%s', (_what, before, after, asked) => {
    for (const asMessage of [asWebhook, asCallback]) {
      const [sent, answered] = [
        (types: Types) => asMessage({ requestBody: content(types), responses: { 204: {} } }),
        (types: Types) => asMessage({ responses: { 200: content(types) } }),
      ];
      const asks = [sent, answered].map((of) =>
        changesBetween(of(before), of(after)).some((change) => change.startsWith('breaks')),
      );
      const isAsked = (each: string) => asked === each || asked === 'both';
      expect(asks).toEqual([isAsked('sent'), isAsked('answered')]);
    }
  });
});

/** A contract that was published by hand may say of a member whatever a schema can say. */
describe('A member that is no list of parts', () => {
  const base = { request: { type: 'object', properties: {} }, response: { type: 'string' } };
  const operation = (members: JsonObject, more: JsonObject = {}): JsonObject => ({
    ...{ type: 'object', properties: { ...base, ...members } },
    ...more,
  });
  const byHand = (
    schema: JsonObject,
    compatibilityMode: ContractTerms['compatibilityMode'],
  ): ContractTerms => ({ schema, compatibilityMode, guarantees: null, direction: 'operation' });
  const types = (values: Json) => operation({ media_types: values });
  const demanding = { type: 'object', properties: { key: {} }, required: ['key'] };
  const responses = { type: 'object', properties: { 200: { type: 'object' } } };

  test.each<readonly [string, JsonObject, JsonObject, readonly string[]]>([
    [
      'demands a name',
      types({ type: 'object', required: ['body'], properties: { body: { enum: ['a', 'b'] } } }),
      types({ type: 'object', required: ['body'], properties: { body: { enum: ['a'] } } }),
      ['backward', 'full'],
    ],
    [
      'becomes a text',
      types({ type: 'object' }),
      types({ type: 'string' }),
      ['backward', 'forward', 'full'],
    ],
    [
      'is said nothing of, and then must be an object',
      types({}),
      types({ type: 'object' }),
      ['backward', 'full'],
    ],
    [
      'demands more, without statuses on either side',
      operation({ security: { type: 'object', properties: {} } }),
      operation({ security: demanding }),
      ['backward', 'full'],
    ],
    [
      'is demanded no longer',
      operation({ responses }, { required: ['responses'] }),
      operation({ responses }),
      ['forward', 'full'],
    ],
  ])('%s', (_name, old, next, expected) => {
    const breaking = (['backward', 'forward', 'full'] as const).filter((mode) => {
      const { changes } = compare(...alignTerms(byHand(old, mode), byHand(next, mode)));
      expect(changes, mode).not.toEqual([]);
      return changes.some((each) => each.breaking);
    });
    expect(breaking).toEqual(expected);
  });
});

/** Values that callers and consumers read as text of some media type. */
describe('What is described twice', () => {
  const twice = (schema: Json) => [{ schema: { maxLength: 9 } }, { schema }] as const;
  const headerOf = (schema: Json): JsonObject => {
    const [one, other] = twice(schema);
    return { ...query, responses: { 200: { headers: { 'X-A': other, 'x-a': one } } } };
  };
  const parametersOf = (schema: Json): JsonObject => {
    const [one, other] = twice(schema);
    const own = { in: 'header', name: 'X-A' };
    return {
      parameters: [
        { ...own, ...other },
        { ...own, name: 'x-a', ...one },
      ],
      responses: {},
    };
  };
  checkRows([
    [
      'is what both say: a header of a response',
      headerOf({ type: 'string' }),
      headerOf({ type: 'integer' }),
      ['breaks type_changed $.responses["200"].headers.x-a'],
    ],
    [
      'is what both say: a header of a request',
      parametersOf({ type: 'string' }),
      parametersOf({ type: 'integer' }),
      ['breaks type_changed $.request.header.x-a'],
    ],
  ]);

  test('is demanded once: a header of a response', () => {
    const header = { required: true, schema: { type: 'string' } };
    const headers = { 'X-A': header, 'x-a': header };
    const { candidates, problems } = parseOpenApi(
      documentOf({ responses: { 200: { ...json(user), headers } } }),
    );
    expect(problems).toEqual([]);
    expect(candidates[0]?.terms?.schema).toMatchObject({
      properties: {
        responses: { properties: { 200: { properties: { headers: { required: ['x-a'] } } } } },
      },
    });
  });

  test('is reported: a status in other letters', () => {
    const responses = { '2XX': json(user), '2xx': json(named) };
    const { problems } = parseOpenApi(documentOf({ responses }));
    expect(problems).toMatchObject([
      { code: 'UNREADABLE_ITEM', message: expect.stringContaining('of status 2XX. Remove one.') },
    ]);
  });
});

describe('A parameter or a header with content that is no JSON', () => {
  const sent = (content: JsonObject): JsonObject =>
    documentOf({ parameters: [{ name: 'f', in: 'query', ...content }], responses: { 204: {} } });
  const answered = (content: JsonObject): JsonObject =>
    documentOf({ responses: { 204: { headers: { F: { required: true, ...content } } } } });
  const text = (...values: string[]) => typed(['text/plain', { enum: values }]);
  const breaks = (changes: readonly string[]) => changes.some((each) => each.startsWith('breaks'));

  test.each<readonly [string, JsonObject, JsonObject, boolean]>([
    ['takes fewer values', sent(text('a', 'b')), sent(text('a')), true],
    ['takes more values', sent(text('a')), sent(text('a', 'b')), false],
    ['has other values', answered(text('a')), answered(text('b')), true],
    ['has fewer values', answered(text('a', 'b')), answered(text('a')), false],
    ['is of another type', sent(typed(['text/csv', user])), sent(typed(['text/xml', user])), true],
    ['was JSON', sent(json(user)), sent(typed(['text/xml', user])), true],
    ['becomes JSON', sent(typed(['text/xml', user])), sent(json(user)), true],
    ['was anything', sent(typed(['text/plain', {}])), sent(text('a')), true],
  ])('%s', (_name, old, next, expected) => {
    const changes = changesBetween(old, next);
    expect(changes).not.toEqual([]);
    expect(breaks(changes)).toBe(expected);
  });
});
