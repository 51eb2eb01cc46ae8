// Needs of operations that say something beside the request and the response, or nothing of what a
// caller must send.

import { expect, test } from 'vitest';
import { toContractTerms } from '../../../src/core/import/candidate.ts';
import { parseOpenApi } from '../../../src/core/import/openapi/openapi.ts';
import type { StatedNeed } from '../../../src/core/need.ts';
import { listOtherAnswers } from '../../../src/core/needs/other-statuses.ts';
import { parseContract } from '../../../src/core/needs/read-contract.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { verdictFor } from './support.ts';

const text = { type: 'string' };
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const both = object({ a: text, b: text });
const other = object({ a: { type: 'integer' }, b: text });
const less = object({ a: text });
const json = (schema: Json, type = 'application/json') => ({ [type]: { schema } });
const answer = (content: JsonObject, more: JsonObject = {}) => ({
  ...{ description: 'ok', content },
  ...more,
});
const sealed = (schema: JsonObject): JsonObject => ({ ...schema, additionalProperties: false });
const variantsOf = (v: Json): JsonObject => ({
  type: 'object',
  anyOf: [
    { ...object({ k: { const: 1 }, v }), required: ['k', 'v'] },
    { ...object({ k: { const: 2 }, w: text }), required: ['k'] },
  ],
});
const chosen = (v: Json): JsonObject => ({
  ...object({ k: {} }),
  if: { properties: { k: { const: 1 } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: object({ v }),
});
const withField = (schema: JsonObject, required: readonly string[]): JsonObject => ({
  ...schema,
  properties: { ...(schema.properties as JsonObject), u: text },
  required: [...((schema.required as string[]) ?? []), ...required],
});
const inQuery = { name: 'q', in: 'query', schema: text };

/** A search that is answered with both fields, and whatever else. */
const search = (more: JsonObject, answers: JsonObject = {}): JsonObject => ({
  parameters: [inQuery],
  responses: { 200: answer(json(both)), ...answers },
  ...more,
});
const sent = (...contents: readonly JsonObject[]) =>
  search({ requestBody: { required: true, content: Object.assign({}, ...contents) } });
const calledBack = (schema: Json, ...statuses: readonly number[]) =>
  search({
    callbacks: {
      done: {
        '{$request.query.q}': {
          post: {
            requestBody: { content: json(schema) },
            responses: Object.fromEntries(statuses.map((each) => [each, { description: 'ok' }])),
          },
        },
      },
    },
  });

function termsOf(operation: JsonObject) {
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: { '/orders': { post: operation } },
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'key' },
        other: { type: 'apiKey', in: 'header', name: 'other' },
      },
    },
  };
  const terms = parseOpenApi(spec).candidates[0]?.terms;
  if (terms == null) throw new Error('The operation has no contract.');
  return toContractTerms(terms, null);
}

const reads = (...fields: readonly string[]): StatedNeed => ({ fields });
const readsPart = (properties: JsonObject): StatedNeed => ({ schema: object(properties) });
const both404 = { 404: answer(json(both)) };
const noted = { headers: { 'X-R': { schema: text } } };
const calls = reads('$.request.query.q', '$.response.a');
const puts = reads('$.request.body.a', '$.response.a');

type Row = readonly [what: string, old: JsonObject, next: JsonObject, need: StatedNeed];

test.each<Row>([
  [
    'a field of an error',
    search({}, both404),
    search({}, { 404: answer(json(less)) }),
    reads('$.responses.404["application/json"].b'),
  ],
  [
    'an error that is described no more',
    search({}, both404),
    search({}, { 500: answer(json(both)) }),
    reads('$.responses.404'),
  ],
  [
    'an error that has the default in its place',
    search({}, both404),
    search({}, { default: answer(json(less)) }),
    reads('$.responses["404"]["application/json"].b'),
  ],
  ...['default', '4XX'].flatMap((status): readonly Row[] =>
    (
      [
        ['is another type', both, other, '.a'],
        ['is another type, of which all is read', both, other, ''],
        ['is another type in a variant', variantsOf(text), variantsOf({ type: 'integer' }), '.v'],
        ['is another type under a condition', chosen(text), chosen({ type: 'integer' }), '.v'],
      ] as const
    ).map(([what, was, is, field]) => [
      `a field of an error that \`${status}\` describes, and that ${what}`,
      search({}, { [status]: answer(json(was)) }),
      search({}, { [status]: answer(json(is)) }),
      reads(`$.responses["404"]["application/json"]${field}`),
    ]),
  ),
  ...['$.responses', '$.responses["200"]', '$.responses.*', '$.responses.*["text/csv"]'].map(
    (field): Row => [
      `the JSON of success, by a field ${field}`,
      search({}, { 200: answer({ ...json(both), ...json(text, 'text/csv') }) }),
      search({}, { 200: answer({ ...json(other), ...json(text, 'text/csv') }) }),
      reads(field),
    ],
  ),
  ...['$.responses["404"]', '$.responses.default'].map(
    (field): Row => [
      `the JSON of any status, by a field ${field}`,
      { responses: { default: answer(json(both)) } },
      { responses: { default: answer(json(other)) } },
      reads(field),
    ],
  ),
  [
    'errors that are described no more, by a pattern',
    search({}, both404),
    search({}),
    readsPart({ responses: { type: 'object', patternProperties: { '^4': object({}) } } }),
  ],
  [
    'a header of the answer',
    search({}, { 200: answer(json(both), noted) }),
    search({}),
    reads('$.responses.200.headers.x-r'),
  ],
  [
    'another media type of the answer',
    search({}, { 200: answer({ ...json(both), ...json(text, 'text/csv') }) }),
    search({}),
    readsPart({ responses: object({ 200: object({ 'text/csv': text }) }) }),
  ],
  [
    'a status of success that goes',
    search({}, { 206: answer(json(both)) }),
    search({}),
    readsPart({ responses: object({ 206: object({ 'application/json': object({ b: text }) }) }) }),
  ],
  [
    'a field that is sent to a callback',
    calledBack(both, 200),
    calledBack(less, 200),
    readsPart({
      callbacks: { type: 'object', additionalProperties: object({ body: object({ b: text }) }) },
    }),
  ],
])('a need of %s is not left unaffected without it', (_what, old, next, need) => {
  expect(verdictFor(termsOf(old), termsOf(next), need).verdict).not.toBe('unaffected');
});

test.each<Row>([
  ['a key is demanded', search({}), search({ security: [{ key: [] }] }), calls],
  [
    'a key is demanded of who states nothing but its query',
    search({}),
    search({ security: [{ key: [] }] }),
    reads('$.request.query.q'),
  ],
  [
    'another key is demanded',
    search({ security: [{ key: [] }] }),
    search({ security: [{ other: [] }] }),
    calls,
  ],
  [
    'the body has another media type',
    sent(json(both)),
    sent(json(both, 'application/vnd.shop+json')),
    puts,
  ],
  [
    'one of two media types of the body goes',
    sent(json(both), json(both, 'application/xml')),
    sent(json(both)),
    puts,
  ],
  [
    'the answer has another media type',
    search({}),
    search({}, { 200: answer(json(both, 'application/vnd.shop+json')) }),
    calls,
  ],
  [
    'the answer has another media type, and only that of the body was said',
    search({ requestBody: { content: json(both) } }),
    search(
      { requestBody: { content: json(both) } },
      { 200: answer(json(both, 'application/vnd.shop+json')) },
    ),
    reads('$.request.body.a', '$.media_types.body', '$.response.a'),
  ],
  [
    'one of two statuses of success loses a field that is optional',
    search({}, { 201: answer(json(both)) }),
    search({}, { 201: answer(json(less)) }),
    reads('$.response.b'),
  ],
  ...[
    ['is another type in', object({ a: { type: 'integer' }, b: text })],
    ['may be null in', object({ a: { type: ['string', 'null'] }, b: text })],
    ['is below a list in', { type: 'array', items: both }],
  ].map(
    ([what, schema]): Row => [
      `a field ${what} one of two statuses of success`,
      search({}, { 201: answer(json(both)) }),
      search({}, { 201: answer(json(schema as Json)) }),
      reads('$.response.a'),
    ],
  ),
  [
    'one of two statuses of success goes',
    search({}, { 201: answer(json(both)) }),
    search({}),
    reads('$.response.a'),
  ],
  [
    'a field is another type in the range of its status',
    search({}, { '2XX': answer(json(both)) }),
    search({}, { '2XX': answer(json(other)) }),
    reads('$.response.a'),
  ],
  [
    'a status is described that a range covered, with another type of a field',
    search({}, { '2XX': answer(json(both)) }),
    search({}, { '2XX': answer(json(both)), 201: answer(json(other)) }),
    reads('$.response.a'),
  ],
  ...(
    [
      ['allows further fields', sealed(both), both, '$.response'],
      [
        'has another type in a variant',
        variantsOf(text),
        variantsOf({ type: 'integer' }),
        '$.response.v',
      ],
      [
        'has another type under a condition',
        chosen(text),
        chosen({ type: 'integer' }),
        '$.response.v',
      ],
      [
        'no longer comes with another field',
        { ...both, required: ['a'], dependentRequired: { a: ['b'] } },
        { ...both, required: ['a'] },
        '$.response.b',
      ],
    ] as const
  ).flatMap(([what, was, is, field]): Row[] => [
    [
      `one of two statuses of success ${what}`,
      search({}, { 200: answer(json(was)), 201: answer(json(was)) }),
      search({}, { 200: answer(json(was)), 201: answer(json(is)) }),
      reads(field),
    ],
    ...[[], ['u']].map(
      (required): Row => [
        `one that lacks a field ${what}${required.length > 0 ? ', which the others always have' : ''}`,
        search({}, { 200: answer(json(withField(was, required))), 201: answer(json(was)) }),
        search({}, { 200: answer(json(withField(was, required))), 201: answer(json(is)) }),
        reads(field, '$.response.u'),
      ],
    ),
  ]),
  [
    'what is read of one of two statuses is another type there, as it always was',
    search({}, { 201: answer(json(object({ a: { type: 'integer' } }))) }),
    search({}, { 201: answer(json(object({ a: { type: 'boolean' } }))) }),
    calls,
  ],
  [
    'one of two statuses, of which another field never fitted, has another type',
    search({}, { 201: answer(json(object({ a: text, b: { type: 'integer' } }))) }),
    search({}, { 201: answer(json(object({ a: { type: 'null' }, b: { type: 'integer' } }))) }),
    reads('$.response.a', '$.response.b'),
  ],
  [
    'what is read below an object has another type in a status that has not all of it',
    search({}, { 200: answer(json(object({ o: both }))), 201: answer(json(object({ o: less }))) }),
    search({}, { 200: answer(json(object({ o: both }))), 201: answer(json(object({ o: other }))) }),
    reads('$.response'),
  ],
  [
    'a stated schema has a field that has another type in a status that it never fitted',
    search({}, { 201: answer(json(object({ a: text, b: { type: 'integer' } }))) }),
    search({}, { 201: answer(json(object({ a: { type: 'null' }, b: { type: 'integer' } }))) }),
    readsPart({ response: both }),
  ],
  [
    'a field is another type in whatever other status there may be',
    search({}, { default: answer(json(both)) }),
    search({}, { default: answer(json(other)) }),
    reads('$.response.a'),
  ],
  [
    'a status is described that a range covered, with no answer',
    search({}, { '2XX': answer(json(both)) }),
    search({}, { '2XX': answer(json(both)), 201: { description: 'made' } }),
    reads('$.response.a'),
  ],
  [
    'a field is another type in another media type',
    search({}, { 200: answer({ ...json(both), ...json(both, 'application/xml') }) }),
    search({}, { 200: answer({ ...json(both), ...json(less, 'application/xml') }) }),
    reads('$.response.b'),
  ],
  [
    'a callback may be answered with fewer statuses',
    calledBack(both, 200, 202),
    calledBack(both, 200),
    calls,
  ],
])('a need that says nothing of it may break where %s', (_what, old, next, need) => {
  expect(verdictFor(termsOf(old), termsOf(next), need).verdict).toBe('may_break');
});

test.each([
  ['stands in allOf', (schema: JsonObject) => ({ allOf: [schema] })],
  ['is referred to', (schema: JsonObject) => ({ $ref: '#/$defs/q', $defs: { q: schema } })],
  ['is one of several', (schema: JsonObject) => ({ anyOf: [schema] })],
  [
    'names its statuses by a pattern',
    ({ properties, ...rest }: JsonObject) => {
      const { responses, ...others } = properties as { responses: { properties: JsonObject } };
      const { 201: created = true, ...named } = responses.properties;
      const patterned = {
        ...responses,
        properties: named,
        patternProperties: { '^201$': created },
      };
      return { ...rest, properties: { ...others, responses: patterned } };
    },
  ],
  [
    'refers to its response elsewhere',
    ({ properties, ...rest }: JsonObject) => ({
      ...rest,
      properties: { ...(properties as JsonObject), zz: { $ref: '#/properties/response' } },
    }),
  ],
])('a need of the response may break where the contract %s', (_what, spell) => {
  const old = termsOf(search({}, { 201: answer(json(both)) }));
  const next = termsOf(search({}, { 201: answer(json(other)) }));
  const spelled = { ...old, schema: spell(old.schema as JsonObject) };
  expect(verdictFor(spelled, next, reads('$.response.a')).verdict).toBe('may_break');
  expect(verdictFor(spelled, old, reads('$.response.a')).verdict).not.toBe('breaks');
});

test.each<Row>([
  [
    'one of two statuses of success loses another field',
    search({}, { 201: answer(json(both)) }),
    search({}, { 201: answer(json(less)) }),
    calls,
  ],
  [
    'one of two statuses of success has another type in another field',
    search({}, { 201: answer(json(both)) }),
    search({}, { 201: answer(json(object({ a: text, b: { type: 'integer' } }))) }),
    calls,
  ],
  [
    'one of two statuses of success never had what is read',
    search({}, { 201: answer(json(object({ b: { type: 'integer' } }))) }),
    search({}, { 201: answer(json(object({ b: { type: 'boolean' } }))) }),
    calls,
  ],
  [
    'the error of any other status has less',
    search({}, { default: answer(json(object({ code: text, title: text }))) }),
    search({}, { default: answer(json(object({ code: text }))) }),
    calls,
  ],
  ['an error has less', search({}, both404), search({}, { 404: answer(json(less)) }), calls],
  [
    'a key is no longer demanded, and an error has less',
    search({ security: [{ key: [] }] }, both404),
    search({}, { 404: answer(json(less)) }),
    calls,
  ],
  [
    'another field of an error that only the default describes is another type',
    search({}, { default: answer(json(both)) }),
    search({}, { default: answer(json(object({ a: text, b: { type: 'integer' } }))) }),
    reads('$.responses["404"]["application/json"].a'),
  ],
  [
    'the JSON of success is another type, which is not all that is read',
    search({}, both404),
    search({}, { ...both404, 200: answer(json(other)) }),
    reads('$.responses["404"]'),
  ],
])('a need of the request and the response is unaffected where %s', (_what, old, next, need) => {
  expect(verdictFor(termsOf(old), termsOf(next), need).verdict).toBe('unaffected');
});

test('of many further answers, only those that are written otherwise are read again', () => {
  const answers = Object.fromEntries([201, 202, 203].map((each) => [each, answer(json(both))]));
  const old = termsOf(search({}, answers));
  const next = termsOf(search({}, { ...answers, 202: answer(json(less)), 404: answer({}) }));
  const sides = { old, next, parseOld: parseContract(old), parse: parseContract(next) };
  expect(listOtherAnswers(sides)?.map(({ status }) => status)).toEqual(['202']);
});
