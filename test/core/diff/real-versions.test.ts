// Successive versions of schemas as they were published: nearly all are decided, and each "no" has a
// value that another validator accepts by the old version and refuses by the new one.

import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { type RealPair, realPairs } from '../../../bench/peers/real-pairs.ts';
import { testedFamilies } from '../../../bench/peers/real-sources.ts';
import { contains } from '../../../src/core/containment/contains.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { between } from './support/terms.ts';

const leastDecided = 0.9;

let pairs: readonly RealPair[] = [];

beforeAll(async () => {
  pairs = await realPairs(({ family }) => testedFamilies.has(family));
});

/** Compiled by another validator, which knows nothing of the engine. */
function accepts(schema: Json): (value: Json) => boolean {
  const ajv = new Ajv({ strict: false, logger: false, validateSchema: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema as object);
  return (value) => validate(value) === true;
}

describe('Real versions', () => {
  test('every family is there', () => {
    expect(new Set(pairs.map(({ family }) => family))).toEqual(testedFamilies);
    expect(pairs.length).toBeGreaterThan(60);
  });

  test('nearly all are decided, and each "no" is confirmed by another validator', () => {
    const unconfirmed: string[] = [];
    let decidedCount = 0;
    for (const { name, old, next, dialect } of pairs) {
      const answer = contains({ a: old, b: next, dialect });
      if (answer.verdict !== 'undecided') decidedCount++;
      if (answer.verdict !== 'no') continue;
      const { witness } = answer;
      if (!accepts(old)(witness) || accepts(next)(witness)) unconfirmed.push(name);
    }
    expect(unconfirmed).toEqual([]);
    expect(decidedCount / pairs.length).toBeGreaterThanOrEqual(leastDecided);
  });

  test('a diff that breaks says where, with values that another validator confirms', () => {
    const unconfirmed: string[] = [];
    let shownCount = 0;
    for (const { name, old, next, dialect } of pairs) {
      const { changes, isBreaking } = between(old, next, { dialect });
      expect(changes.some(({ breaking }) => breaking)).toBe(isBreaking);
      const shown = new Set(
        changes.flatMap(({ witness }) => (witness === undefined ? [] : [witness])),
      );
      const [isOld, isNew] = shown.size === 0 ? [] : [accepts(old), accepts(next)];
      for (const witness of shown) {
        shownCount++;
        if (isOld?.(witness) !== true || isNew?.(witness) !== false) unconfirmed.push(name);
      }
    }
    expect(unconfirmed).toEqual([]);
    expect(shownCount).toBeGreaterThan(15);
  });
});
