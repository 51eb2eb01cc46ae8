// GraphQL types and scalars are told by their names, without values that no server sends.

import { expect, test } from 'vitest';
import type { Change } from '../../../../src/core/comparison.ts';
import { readingOf } from '../../../../src/core/contract.ts';
import { compare } from '../../../../src/core/diff/compare.ts';
import { toContractTerms } from '../../../../src/core/import/candidate.ts';
import { parseGraphql } from '../../../../src/core/import/graphql/graphql.ts';
import { alignTerms } from '../../../../src/core/import/openapi/align-terms.ts';

function changesOf(typeName: string, before: string, after: string): readonly Change[] {
  const [old, next] = [before, after].map((text) => {
    const found = parseGraphql(text).candidates.find(
      ({ label }) => label.kind === 'graphql' && label.type_name === typeName,
    );
    if (found?.terms == null) throw new Error(`There is no type ${typeName}.`);
    return { ...toContractTerms(found.terms, null), ...readingOf('graphql') };
  });
  if (old === undefined || next === undefined) throw new Error('Both are there.');
  const [was, is] = alignTerms(old, next);
  return compare(was, is).changes.filter(({ type }) => type !== 'annotation_changed');
}

const changed = (path: string, old: string, next: string, breaking = true) => ({
  ...{ type: 'type_changed', path, description: `\`${path}\`: ${old} became ${next}` },
  ...{ breaking, old, new: next },
});

const scalars = 'scalar Date scalar Time type Other { a: ID } ';

test.each([
  ['a scalar that becomes another one', 'at: Date', 'at: Time', '$.properties.at', 'Date', 'Time'],
  ['one of a list', 'at: [Date!]', 'at: [Time!]', '$.properties.at.items', 'Date', 'Time'],
  ['a scalar that becomes text', 'at: Date', 'at: String', '$.properties.at', 'Date', 'string'],
  ['text that becomes a scalar', 'at: String', 'at: Date', '$.properties.at', 'string', 'Date'],
  ['a type that becomes another one', 'at: A', 'at: Other', '$.properties.at', 'A', 'Other'],
])('%s is one change, without an example', (_what, before, after, path, old, next) => {
  const text = (field: string) => `${scalars} type A { ${field} }`;
  expect(changesOf('A', text(before), text(after))).toEqual([changed(path, old, next)]);
});

test('what callers send is told in the same way', () => {
  const text = (field: string) => `${scalars} input In { ${field} }`;
  expect(changesOf('In', text('at: Date'), text('at: Time'))).toEqual([
    changed('$.properties.at', 'Date', 'Time'),
  ]);
});

test('a scalar that only became demanded, or a list of it, stays as it was told', () => {
  const text = (field: string) => `${scalars} type A { ${field} }`;
  const types = (before: string, after: string) =>
    changesOf('A', text(before), text(after)).map(({ type }) => type);
  expect(types('at: Date!', 'at: Date')).toEqual(['nullable_added']);
  expect(types('at: Date', 'at: Date, note: String')).toEqual(['property_added']);
});
