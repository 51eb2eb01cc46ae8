// One text that two dialects read differently, and two texts that only some dialects read alike: what
// the engine leaves undecided no normal form may call the same.

import { expect, test } from 'vitest';
import type { CompatibilityMode, ContractTerms } from '../../../src/core/comparison.ts';
import { canonicalText } from '../../../src/core/diff/canonical.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json } from '../../../src/core/value/json.ts';

type Side = readonly [dialect: Dialect, schema: Json];

function typesOfChanges(old: Side, next: Side, mode: CompatibilityMode): readonly string[] {
  const terms = ([dialect, schema]: Side): ContractTerms => ({
    ...{ dialect, schema, direction: 'data', compatibilityMode: mode, guarantees: null },
  });
  return compare(terms(old), terms(next)).changes.map(
    ({ type, breaking }) => `${type}${breaking ? ', breaking' : ''}`,
  );
}

const integer: Json = { type: 'integer' };
const whole: Json = { type: 'number', multipleOf: 1 };
const listed: Json = { enum: [1, 2] };
const listedIntegers: Json = { type: 'integer', enum: [1, 2] };
const holds: Json = { contains: { type: 'string' }, unevaluatedItems: false };
const either: Json = { anyOf: [whole, { type: 'string' }] };
const eitherInteger: Json = { anyOf: [integer, { type: 'string' }] };
const elsewhere: Json = { $ref: 'http://x.test/elsewhere' };
/** Some validators obey `dependencies` where it is of the dialect no more, and read it as they read the rest. */
const depends: Json = { dependencies: { a: { properties: { b: holds } } } };
const undecided = ['compatibility_undecided, breaking'];
const unread = [...undecided, 'schema_changed'];
/** Every old value fits, and whether new ones came is not known. */
const maybeWider = ['compatibility_undecided'];

// 1.0 is a number without a fraction, and no integer of draft-04.
test.each<readonly [why: string, old: Side, next: Side, changes: readonly string[]]>([
  ['integer, read by draft-04', ['draft-07', integer], ['draft-04', integer], undecided],
  ['integer, read by draft-04 no more', ['draft-04', integer], ['draft-07', integer], maybeWider],
  ['integer, read by OpenAPI 3.0', ['2020-12', integer], ['openapi-3.0', integer], undecided],
  ['a multiple of one', ['draft-04', whole], ['draft-04', integer], undecided],
  ['a multiple of one in OpenAPI', ['openapi-3.0', whole], ['openapi-3.0', integer], undecided],
  ['a multiple of one in a union', ['draft-04', either], ['draft-04', eitherInteger], undecided],
  ['listed integers', ['draft-04', listed], ['draft-04', listedIntegers], undecided],
  ['a multiple of one, later', ['draft-06', whole], ['draft-06', integer], []],
  ['listed integers, later', ['2020-12', listed], ['2020-12', listedIntegers], []],
  ['what contains evaluates', ['2020-12', holds], ['2019-09', holds], undecided],
  ['what contains evaluates, later', ['2019-09', holds], ['2020-12', holds], undecided],
  ['what is outside', ['draft-07', elsewhere], ['2020-12', elsewhere], unread],
  ['what is outside, read alike', ['2020-12', { allOf: [elsewhere] }], ['2020-12', elsewhere], []],
  ['disputed dependencies', ['2019-09', depends], ['2020-12', depends], unread],
  ['disputed dependencies, read alike', ['2019-09', depends], ['2019-09', depends], []],
])('%s', (_why, old, next, changes) => {
  expect(typesOfChanges(old, next, 'backward')).toEqual(changes);
  const [was, is] = [old, next].map(([dialect, schema]) => canonicalText(schema, dialect));
  expect(was === is).toBe(changes.length === 0);
});

test('what only the other direction leaves undecided is told, so that it is published', () => {
  const told = typesOfChanges(['draft-04', integer], ['draft-04', whole], 'backward');
  expect(told).toEqual(['compatibility_undecided']);
});
