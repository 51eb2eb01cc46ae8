// What OpenAPI marks, where it depends on the branch of a value, or where something else depends on it.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/core/value/json.ts';
import {
  breakingMarks,
  either,
  of,
  type Row,
  request,
  shown,
  text,
} from '../support/marked-rows.ts';
import { between, object } from '../support/terms.ts';

describe('a change of what is sent asks', () => {
  test.each(breakingMarks)('%s', (_name, old, next) => {
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
