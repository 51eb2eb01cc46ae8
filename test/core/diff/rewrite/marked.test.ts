// What OpenAPI marks, where it depends on the branch of a value, or where something else depends on it.

import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import {
  breakingMarks,
  either,
  mapRows,
  markedFor,
  of,
  overlapping,
  type Row,
  request,
  shown,
  text,
  variantRows,
} from '../support/marked-rows.ts';
import { between, object, told } from '../support/terms.ts';

describe('a change of what is sent asks', () => {
  test.each([...breakingMarks, overlapping])('%s', (_name, old, next) => {
    expect(between(old, next, request).isBreaking).toBe(true);
  });
});

describe('nothing is asked', () => {
  test.each<Row>([
    [
      'where another branch changes, and marks stay',
      either({ p: shown }, { p: text }, ['p']),
      either({ p: shown, q: text }, { p: text }, ['p']),
    ],
    [
      'where a demand goes from a branch without a mark',
      either({ p: shown }, { p: text }, ['p']),
      { anyOf: [of('a', { p: shown }, ['p']), of('b', { p: text })] },
    ],
    [
      'where branches of a oneOf hold at once without what is marked, and something is added beside',
      {
        ...(object({ q: text }) as JsonObject),
        oneOf: [of('a', { p: shown }, ['p']), of('a', { r: text }, ['r'])],
      },
      {
        ...(object({ q: text, s: text }) as JsonObject),
        oneOf: [of('a', { p: shown }, ['p']), of('a', { r: text }, ['r'])],
      },
    ],
    [
      'where a branch that marks comes',
      of('a', { p: text }, ['p']),
      either({ p: text }, { p: shown }, ['p']),
    ],
  ])('%s', (_name, old, next) => {
    expect(between(old, next, request).changes.filter(({ breaking }) => breaking)).toEqual([]);
  });
});

describe.each(['request', 'response'] as const)('what a variant of a %s marks', (direction) => {
  const losses = (old: Json, next: Json) =>
    told(between(old, next, { direction })).filter((line) => !line.includes('annotation_changed'));

  test.each(variantRows)('goes from the variants $name', ({ with: withProperty, ...paths }) => {
    const lost = losses(withProperty(text), withProperty(markedFor(direction)));
    expect(lost).toEqual(losses(withProperty(text), withProperty(false)));
    const path = paths[direction];
    expect(lost).toEqual(path === null ? lost.filter(isNoBreak) : [`! property_removed ${path}`]);
  });

  test.each(variantRows.filter(({ name }) => !name.includes('may overlap')))(
    'may come back to variants $name',
    ({ with: withProperty }) => {
      const { changes } = between(withProperty(markedFor(direction)), withProperty(text), {
        direction,
      });
      expect(changes.filter(({ breaking }) => breaking)).toEqual([]);
    },
  );

  test.each(mapRows)('goes: the properties %s', (_name, withMap) => {
    expect(between(withMap(text), withMap(markedFor(direction)), { direction }).isBreaking).toBe(
      true,
    );
  });

  test.each(mapRows)(
    'stays away where something else changes: the properties %s',
    (_name, withMap) => {
      const schema = withMap(markedFor(direction));
      expect(
        told(between(object({ a: schema }), object({ a: schema, b: text }), { direction })),
      ).toEqual(['property_added $.properties.b']);
    },
  );

  test.each(variantRows)('stays away where something else changes in variants $name', (row) => {
    const schema = row.with(markedFor(direction));
    const comparison = between(object({ a: schema }), object({ a: schema, b: text }), {
      direction,
    });
    expect(told(comparison)).toEqual(['property_added $.properties.b']);
  });
});

function isNoBreak(line: string): boolean {
  return !line.startsWith('!');
}
