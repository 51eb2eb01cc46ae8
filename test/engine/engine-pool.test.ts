// The engine's thread pool: what it refuses, what it keeps exact, and that nothing hangs.

import { afterAll, describe, expect, test } from 'vitest';
import type { ContractTerms } from '../../src/core/comparison.ts';
import { schemaLimits } from '../../src/core/schema/check-schema.ts';
import type { Dialect } from '../../src/core/schema/dialects.ts';
import { RegistryUnavailable } from '../../src/core/unavailable.ts';
import { type Json, parseJson } from '../../src/core/value/json.ts';
import { startComparePool } from '../../src/engine/compare-pool.ts';
import { codeOf } from '../registry/world.ts';

const pool = startComparePool({ workers: 1, stepBudget: 400_000 });
afterAll(() => pool.stop());

function termsOf(schema: Json): ContractTerms {
  return { schema, compatibilityMode: 'backward', guarantees: null, direction: 'data' };
}

function nested(levels: number): Json {
  let schema: Json = { type: 'string' };
  for (let level = 1; level < levels; level++) schema = { properties: { a: schema } };
  return schema;
}

function wide(count: number): Json {
  const names = Array.from({ length: count - 1 }, (_, index) => [`p${index}`, true]);
  return { properties: Object.fromEntries(names) };
}

describe('a schema', () => {
  test.each([
    ['is an object', { type: 'object' }],
    ['is true', true],
    ['is false', false],
    ['has unknown keywords', { 'x-owner': 'us', type: 'string' }],
    ['is draft-04', { $schema: 'http://json-schema.org/draft-04/schema#', id: 'a' }],
    ['is draft-06', { $schema: 'http://json-schema.org/draft-06/schema#', const: 1 }],
    ['is draft-07', { $schema: 'http://json-schema.org/draft-07/schema', if: {} }],
    ['is 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema' }],
    ['is 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['refers to itself', { $defs: { a: { $ref: '#' } }, $ref: '#/$defs/a' }],
    ['is as deep as it may be', nested(schemaLimits.depth)],
    ['has as many parts as it may', wide(schemaLimits.subschemas)],
    ['has a number past 2^53', parsed('{"maximum": 9223372036854775807}')],
    ['has a number past any double', parsed('{"maximum": 1e400}')],
  ])('that %s is accepted', async (_what, schema) => {
    expect(codeOf(await pool.checkSchema(schema as Json))).toBe('ok');
  });

  test.each([
    ['has a type that is none', { type: 'text' }, 'INVALID_SCHEMA', '$.type'],
    ['has no object of properties', { properties: [] }, 'INVALID_SCHEMA', '$.properties'],
    [
      'is wrong deep inside',
      { properties: { a: { items: { minLength: -1 } } } },
      'INVALID_SCHEMA',
      '$.properties.a.items.minLength',
    ],
    ['is no schema at all', 'string', 'INVALID_SCHEMA', '$'],
    ['has a pattern that is none', { pattern: '(' }, 'INVALID_SCHEMA', '$.pattern'],
    ['refers out of the document', { $ref: 'https://a.example/b' }, 'INVALID_SCHEMA', '$.$ref'],
    ['refers to what is not there', { $ref: '#/$defs/a' }, 'INVALID_SCHEMA', '$.$ref'],
    ['speaks an unknown dialect', { $schema: 'https://a.example/d' }, 'UNSUPPORTED_DIALECT', 'a.e'],
    ['is too deep', nested(schemaLimits.depth + 1), 'SCHEMA_TOO_LARGE', '64'],
    ['has too many parts', wide(schemaLimits.subschemas + 1), 'SCHEMA_TOO_LARGE', '10000'],
    ['is too long', { title: 'x'.repeat(schemaLimits.bytes) }, 'SCHEMA_TOO_LARGE', '1048576'],
    [
      'speaks the wrong draft',
      { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: 3 },
      'INVALID_SCHEMA',
      '$.exclusiveMinimum',
    ],
  ])('that %s is refused, with its place', async (_what, schema, code, place) => {
    const outcome = await pool.checkSchema(schema as Json);
    expect(outcome).toMatchObject({ failure: { code, message: expect.stringContaining(place) } });
  });

  test('without $schema is read in the dialect that came with it', async () => {
    const schema = { minimum: 1, exclusiveMinimum: true };
    const check = async (dialect?: Dialect) => codeOf(await pool.checkSchema(schema, dialect));
    expect(await check('draft-04')).toBe('ok');
    expect(await check('2020-12')).toBe('INVALID_SCHEMA');
    expect(await check()).toBe('INVALID_SCHEMA');
  });

  test('has one digest in all its spellings, annotations included', async () => {
    const digestOf = async (schema: Json) => {
      const checked = await pool.checkSchema(schema);
      return checked.ok ? checked.value.digest : null;
    };
    const digest = await digestOf({ type: 'object', required: ['a', 'b'] });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await digestOf({ required: ['b', 'a'], type: ['object'] })).toBe(digest);
    expect(await digestOf({ type: 'object', required: ['a', 'b'], title: 'T' })).not.toBe(digest);
    expect(await digestOf(parsed('{"maximum": 9223372036854775807}'))).not.toBe(
      await digestOf(parsed('{"maximum": 9223372036854775808}')),
    );
  });
});

describe('the pool', () => {
  test('keeps numbers past 2^53 on the way there and back', async () => {
    const comparison = await pool.compare(
      termsOf(parsed('{"maximum": 9223372036854775807}')),
      termsOf(parsed('{"maximum": 9223372036854775806}')),
    );
    expect(comparison.isBreaking).toBe(true);
    expect(JSON.stringify(comparison.changes)).toContain('9223372036854775807');
  });

  test('examines as it checks and compares', async () => {
    const [old, next] = [termsOf({ type: 'integer' }), termsOf({ type: 'string' })];
    const checked = await pool.checkSchema(next.schema);
    const comparison = await pool.compare(old, next);
    const examined = await pool.examine({ old, next, options: {} });
    expect(checked.ok && examined.ok && examined.value).toEqual({
      ...(checked.ok ? checked.value : {}),
      comparison,
    });
    const alone = await pool.examine({ old: null, next, options: {} });
    expect(alone).toMatchObject({ value: { comparison: null } });
    const broken = await pool.examine({ old, next: termsOf({ type: 'text' }), options: {} });
    expect(codeOf(broken)).toBe('INVALID_SCHEMA');
  });

  test('gives up a task that never ends: undecided, which breaks, and the pool goes on', async () => {
    const strict = startComparePool({ workers: 1, stepBudget: 400_000, taskLimitMs: 1 });
    const big = termsOf(wide(schemaLimits.subschemas));
    const comparison = await strict.compare(big, termsOf({ ...(wide(9_000) as object), not: {} }));
    expect(comparison).toMatchObject({
      isBreaking: true,
      breaksBackward: true,
      bump: 'major',
      changes: [{ type: 'compatibility_undecided', path: '$', breaking: true }],
    });
    await strict.stop();
  });

  test('a comparison that takes too much memory is undecided, and the next one works', async () => {
    const tight = startComparePool({ workers: 1, stepBudget: 400_000, heapBytes: 48 * 2 ** 20 });
    const hungry = termsOf({ type: 'string', pattern: '^[a-z]{1,60000}$' });
    const comparison = await tight.compare(hungry, termsOf({ pattern: '^[a-z]{1,50000}$' }));
    expect(comparison).toMatchObject({
      isBreaking: true,
      changes: [
        {
          type: 'compatibility_undecided',
          description:
            'The comparison was stopped: it exceeded the memory limit. Breaking changes cannot be ruled out.',
        },
      ],
    });
    expect(await tight.compare(termsOf(true), termsOf(true))).toMatchObject({ isBreaking: false });
    await tight.stop();
  });

  test('refuses what it has no room for, instead of queueing for ever', async () => {
    const small = startComparePool({ workers: 1, stepBudget: 400_000, queueLimit: 2 });
    const asked = Array.from({ length: 5 }, () => small.checkSchema(true));
    const answers = await Promise.allSettled(asked);
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(answers.at(-1)).toMatchObject({ reason: expect.any(RegistryUnavailable) });
    await small.stop();
    await expect(small.checkSchema(true)).rejects.toThrow(RegistryUnavailable);
  });

  test('ends on a pattern that backtracks for ever in other engines', async () => {
    const evil = (more: string): Json => ({ type: 'string', pattern: `^(a+)+${more}$` });
    const comparison = await pool.compare(termsOf(evil('b')), termsOf(evil('c')));
    expect(comparison.isBreaking).toBe(true);
  });
});

function parsed(text: string): Json {
  const value = parseJson(text);
  if (!value.ok) throw new Error(value.message);
  return value.value;
}
