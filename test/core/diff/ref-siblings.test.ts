// Up to draft-07 keywords next to `$ref` do not count, but ajv obeys them. A yes holds for both readings.

import { expect, test } from 'vitest';
import type { CompatibilityMode } from '../../../src/core/comparison.ts';
import { contains } from '../../../src/core/containment/contains.ts';
import { canonicalText } from '../../../src/core/diff/canonical.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import { findVerdicts } from '../../../src/core/needs/find-verdicts.ts';
import { makeNeed } from '../../../src/core/needs/make-need.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import { asWritten, obeySiblings } from '../../../src/core/schema/obey-siblings.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';

const definitions = {
  name: { type: 'string' },
  person: { type: 'object', properties: { first: { type: 'string' } } },
};

function withP(p: Json, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { p }, definitions, ...more };
}

const named = (more: JsonObject = {}) => withP({ $ref: '#/definitions/name', ...more });

const terms = {
  compatibilityMode: 'backward',
  guarantees: null,
  direction: 'data',
  dialect: 'draft-07',
} as const;

function changesOf(
  old: Json,
  next: Json,
  dialect: Dialect = 'draft-07',
  compatibilityMode: CompatibilityMode = 'backward',
) {
  const asked = { ...terms, compatibilityMode, dialect };
  const { changes, bump } = compare({ ...asked, schema: old }, { ...asked, schema: next });
  return [
    bump,
    ...changes.map(({ type, path, breaking }) => `${breaking ? '! ' : ''}${type} ${path}`),
  ];
}

test.each<Dialect>(['draft-04', 'draft-06', 'draft-07'])(
  'what is tightened next to a reference is undecided in %s',
  (dialect) => {
    const undecided = ['major', '! compatibility_undecided $.properties.p'];
    const [loose, tight] = [named({ minLength: 1 }), named({ minLength: 5 })];
    expect(changesOf(loose, tight, dialect)).toEqual(undecided);
    expect(changesOf(named(), tight, dialect)).toEqual(undecided);
    expect(changesOf(tight, loose, dialect)).toEqual([
      'minor',
      'constraint_relaxed $.properties.p',
    ]);
  },
);

test.each<Dialect>(['2019-09', '2020-12'])('in %s it is a break like any other', (dialect) => {
  expect(changesOf(named({ minLength: 1 }), named({ minLength: 5 }), dialect)).toEqual([
    'major',
    '! constraint_tightened $.properties.p',
  ]);
});

test('in OpenAPI 3.0 it changes nothing', () => {
  const loose = named({ minLength: 1 });
  expect(changesOf(loose, named({ minLength: 5 }), 'openapi-3.0')).toEqual(['none']);
});

test('the sentence says why, and what breaks', () => {
  const [change] = compare(
    { ...terms, schema: named({ minLength: 1 }) },
    { ...terms, schema: named({ minLength: 5 }) },
  ).changes;
  expect(change?.description).toBe(
    '`$.properties.p`: keywords next to `$ref` do not count in this dialect, but validators such as ajv obey them; for those, minLength 1 became 5; "a" was accepted and is refused now',
  );
});

test('a change of the target is told once, at the place where it is without siblings', () => {
  const old = named({ minLength: 1 });
  const next = { ...old, definitions: { ...definitions, name: { type: 'integer' } } };
  expect(changesOf(old, next)).toEqual(['major', '! type_changed $.properties.p']);
  const person = (more: JsonObject) =>
    withP(
      { $ref: '#/definitions/person', minProperties: 1 },
      { definitions: { person: { ...definitions.person, ...more } } },
    );
  expect(changesOf(person({}), person({ properties: { first: { type: 'integer' } } }))).toEqual([
    'major',
    '! type_changed $.properties.p.properties.first',
  ]);
});

test('siblings below others, next to an allOf and with an id are read', () => {
  const deep = (minLength: number) =>
    withP({
      ...{ $ref: '#/definitions/person', allOf: [{ minProperties: 0 }], $id: 'http://x/y' },
      properties: { first: { $ref: '#/definitions/name', minLength } },
    });
  expect(changesOf(deep(1), deep(1))).toEqual(['none']);
  expect(changesOf(deep(1), deep(5))).toEqual([
    'major',
    '! compatibility_undecided $.properties.p.properties.first',
  ]);
});

test.each(['$defs', 'x-types', 'components'])(
  'siblings in schemas under %s are read',
  (keyword) => {
    const held = (minLength: number) => ({
      ...withP({ $ref: `#/${keyword}/a/long` }),
      [keyword]: {
        a: { long: { $ref: `#/${keyword}/text`, minLength } },
        text: { type: 'string' },
      },
    });
    expect(changesOf(held(1), held(5))).toEqual(
      expect.arrayContaining(['major', '! compatibility_undecided $.properties.p']),
    );
    expect(contains({ a: held(5), b: held(1), dialect: 'draft-07' }).verdict).toBe('yes');
    expect(contains({ a: held(1), b: held(5), dialect: 'draft-07' }).verdict).toBe('undecided');
  },
);

test('words, definitions and data next to a reference are read in one way', () => {
  const words = {
    title: 'A',
    default: 'a',
    description: 'b',
    definitions: {},
    unknown: { $ref: '#', minLength: 1 },
  };
  expect(obeySiblings(named(words), 'draft-07')).toBeNull();
  expect(obeySiblings(withP({ const: { $ref: '#', minLength: 1 } }), 'draft-07')).toBeNull();
  expect(obeySiblings(named({ minLength: 1 }), '2020-12')).toBeNull();
});

test('a question has an answer only if both readings have the same', () => {
  const ask = (a: Json, b: Json) => contains({ a, b, dialect: 'draft-07' }).verdict;
  expect(ask(named({ minLength: 1 }), named({ minLength: 5 }))).toBe('undecided');
  expect(ask(named({ minLength: 5 }), named({ minLength: 1 }))).toBe('yes');
  expect(ask(named(), withP({ $ref: '#/definitions/person', minProperties: 1 }))).toBe('no');
  expect(ask(named(), withP({ $ref: '#/definitions/person' }))).toBe('no');
});

test('schemas that differ only in siblings are two schemas', () => {
  const text = (schema: Json) => canonicalText(schema, 'draft-07');
  expect(text(named({ minLength: 1 }))).not.toBe(text(named({ minLength: 5 })));
  expect(text(named({ minLength: 1 }))).toBe(text(named({ minLength: 1.0 })));
  expect(text(named())).toBe(text(withP({ type: 'string' })));
});

test('a consumer is not excused from what only some validators see', () => {
  const old = { ...terms, schema: withP({ $ref: '#/definitions/person' }) };
  const closed = withP({
    $ref: '#/definitions/person',
    properties: { first: { type: 'integer' } },
  });
  const next = { ...terms, schema: closed };
  const need = makeNeed({ fields: ['$.p.first'] }, old);
  if (!need.ok) throw new Error(JSON.stringify(need.problem));
  const comparison = compare(old, next);
  const [verdict] = findVerdicts({ old, next, comparison }, [need.need]);
  expect(verdict?.verdict).not.toBe('unaffected');
});

test('a path of the rewritten schema is that of the written one', () => {
  const moved = new Map([
    ['$.properties.p.allOf[0]', '$.properties.p'],
    ['$.properties.p.properties.q.allOf[1]', '$.properties.p.properties.q'],
  ]);
  expect(asWritten('$.properties.p.allOf[0].properties.q.allOf[1].items', moved)).toBe(
    '$.properties.p.properties.q.items',
  );
  expect(asWritten('$.properties.p.allOf[01]', moved)).toBe('$.properties.p.allOf[01]');
});
