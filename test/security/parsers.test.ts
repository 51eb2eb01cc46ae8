// Valid documents with random damage: each parser answers, or refuses with a code. `make soak` runs
// longer.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fuzzParser } from '../../scripts/fuzz/fuzz-parser.ts';
import { type ParserName, parsers } from '../../scripts/fuzz/parsers.ts';
import type { Route } from '../../src/wire/route.ts';
import { routes } from '../../src/wire/routes.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';

const cpuMs = Number(process.env.FUZZ_PARSER_MS ?? 1_000);
const seed = Number(process.env.FUZZ_SEED ?? 1);

// The cast is safe: these are the table's own keys.
test.each(Object.keys(parsers) as ParserName[])(
  '%s: every input gets an answer or a named problem, within the budget',
  async (name) => {
    const { findings, tried } = await fuzzParser(name, { seed, inputs: 20_000, cpuMs });
    expect(findings.map(({ problem, input }) => [problem, input.slice(0, 500)])).toEqual([]);
    expect(tried).toBeGreaterThan(3);
  },
);

const openApiOf = (schema: object) =>
  JSON.stringify({
    owner_team_id: '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21',
    spec: {
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      paths: {
        '/a': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } },
      },
    },
  });

test.each<[ParserName, string, string]>([
  [
    'OpenAPI',
    'half of a surrogate pair in a reference',
    openApiOf({ $ref: '#/components/schemas/A\ud800' }),
  ],
  [
    'OpenAPI',
    'a union with null that holds itself',
    openApiOf({
      anyOf: [
        { $ref: '#/paths/~1a/get/responses/200/content/application~1json/schema' },
        { type: 'null' },
      ],
    }),
  ],
  [
    'JSON Schema',
    'a union with null that holds itself',
    '{"anyOf":[{"$ref":"#"},{"type":"null"}]}',
  ],
  [
    'JSON Schema',
    'a union with null in what the union holds',
    JSON.stringify({
      $ref: '#/$defs/Gift',
      $defs: {
        Order: { properties: { gift: { anyOf: [{ $ref: '#/$defs/Gift' }, { type: 'null' }] } } },
        Gift: {
          allOf: [
            { $ref: '#/$defs/Order' },
            { anyOf: [{ $ref: '#/$defs/Gift' }, { type: 'null' }] },
          ],
        },
      },
    }),
  ],
  [
    'ODCS',
    'a mapping with members of an object where a number is expected',
    [
      'apiVersion: v3.0.2',
      'kind: DataContract',
      'id: orders',
      'version: 1.0.0',
      'status: active',
      'schema: [{name: orders, properties: [{name: id, logicalType: integer}]}]',
      'slaProperties: [{property: latency, value: {toString: a, valueOf: b}, unit: d}]',
    ].join('\n'),
  ],
  [
    'cursor',
    'NUL in its key',
    JSON.stringify(['created_at', 'descending', 'a\0', '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21']),
  ],
])('%s with %s was found once, and stays mended', (name, _what, input) => {
  expect(parsers[name].problemOf(input)).toBe(null);
});

describe('A forged cursor', () => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await openRegistry();
  });
  afterAll(() => registry.stop());

  const id = '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21';
  const keys = [
    ...['', 'x', 'now', 'infinity', '-infinity', 'epoch', '2026-02-31 12:00:00+00', '2026-01-31'],
    ...['2026-02-31', '0000-01-01', '0000-01-01 00:00:00+00', '9999-12-31'],
    ...[
      '2026-01-31 25:00:00+00',
      '2026-01-31 12:00:00+99',
      '294277-01-01 00:00:00+00',
      'a\0b',
      '\ud800',
    ],
  ];
  const lists = Object.entries<Route>(routes).filter(
    ([, row]) => row.method === 'GET' && row.query !== undefined && 'cursor' in row.query.shape,
  );

  test.each(lists)(
    'is refused or continues from there, whatever it contains: %s',
    async (_, row) => {
      const path = row.path.replaceAll(/\{\w+\}/g, id);
      const fields = ['created_at', 'published_at', 'proposed_at', 'occurred_at', 'updated_at'];
      const names = [...fields, 'answer_by', 'fqn', 'name', 'id', 'email'];
      for (const field of names) {
        for (const [sign, direction] of [
          ['', 'ascending'],
          ['-', 'descending'],
        ] as const) {
          for (const key of keys) {
            const place = JSON.stringify([field, direction, key, id]);
            const cursor = Buffer.from(place).toString('base64url');
            const sorts = 'sort' in (row.query?.shape ?? {}) ? [`&sort=${sign}${field}`, ''] : [''];
            for (const sort of sorts) {
              const answer = await fetch(`${registry.url}${path}?cursor=${cursor}${sort}`, {
                headers: { authorization: `Bearer ${registry.bootstrapKey}` },
              });
              await answer.text();
              expect([200, 400, 404], `${path} ${place} ${sort}`).toContain(answer.status);
            }
          }
        }
      }
    },
  );
});
