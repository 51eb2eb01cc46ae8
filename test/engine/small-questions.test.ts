// Questions answered without a thread get the same answer as in a thread.

import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ContractTerms } from '../../src/core/comparison.ts';
import type { Json } from '../../src/core/value/json.ts';
import { startComparePool } from '../../src/engine/compare-pool.ts';
import { answerSmallHere, compareSmallHere } from '../../src/engine/small-questions.ts';
import type { Examination } from '../../src/registry/ports.ts';
import { codeOf } from '../registry/world.ts';

const pool = startComparePool({ workers: 1, stepBudget: 400_000 });
afterAll(() => pool.stop());

const took: number[] = [];
const engine = answerSmallHere(pool, (seconds) => took.push(seconds));

function question(old: Json | null, next: Json): Examination {
  return { old: old === null ? null : termsOf(old), next: termsOf(next), options: {} };
}

function termsOf(schema: Json): ContractTerms {
  return { schema, compatibilityMode: 'backward', guarantees: null, direction: 'data' };
}

const order: Json = { type: 'object', properties: { id: { type: 'integer' } } };
const orderWithNote: Json = {
  type: 'object',
  properties: { id: { type: 'integer' }, note: { type: 'string' } },
};

describe('a small question', () => {
  beforeEach(async () => {
    // The first question in a dialect goes to a thread; meanwhile its metaschema is compiled.
    await engine.examine(question(null, true));
    await setImmediate();
    took.length = 0;
  });

  test.each([
    ['of a first schema', question(null, order)],
    ['of an added property', question(order, orderWithNote)],
    ['of a removed property', question(orderWithNote, order)],
    ['of another type', question(order, { type: 'string' })],
    ['of what is no schema', question(order, { type: 'text' })],
  ])('%s is answered at once, as a thread answers it', async (_what, asked) => {
    const answer = await engine.examine(asked);
    expect(took).toHaveLength(1);
    const byThread = await pool.examine(asked);
    expect(codeOf(answer)).toBe(codeOf(byThread));
    expect(withoutSteps(answer)).toEqual(withoutSteps(byThread));
  });

  test('in a dialect that nobody spoke before goes to a thread, and the next one does not', async () => {
    const asked = question(null, { $schema: 'http://json-schema.org/draft-06/schema#' });
    expect(codeOf(await engine.examine(asked))).toBe('ok');
    expect(took).toHaveLength(0);
    await setImmediate();
    expect(codeOf(await engine.examine(asked))).toBe('ok');
    expect(took).toHaveLength(1);
  });

  test('that takes many steps gets the answer of a thread', async () => {
    const branches = Array.from({ length: 40 }, (_, at) => ({
      type: 'object',
      properties: { kind: { enum: [`k${at}`, `k${at + 1}`] }, size: { minimum: at } },
    }));
    const asked = question({ anyOf: branches }, { anyOf: branches.toReversed().slice(1) });
    const answer = await engine.examine(asked);
    expect(took).toHaveLength(1);
    expect(withoutSteps(answer)).toEqual(withoutSteps(await pool.examine(asked)));
  });
});

describe('what goes to the threads untried', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => [`property_${at}`, { type: 'string' }]);

  test.each([
    ['a large schema', question(order, { properties: Object.fromEntries(names) })],
    ['a small one beside a large one', question({ properties: Object.fromEntries(names) }, order)],
    ['a pattern', question(null, { type: 'string', pattern: '^(a+)+$' })],
    ['a pattern of names', question(null, { patternProperties: { '^x': true } })],
  ])('%s', async (_what, asked) => {
    await engine.examine(question(null, true));
    await setImmediate();
    took.length = 0;
    expect(codeOf(await engine.examine(asked))).toBe('ok');
    expect(took).toHaveLength(0);
  });
});

describe('many comparisons', () => {
  test('are answered in their order, and the small ones without a thread', async () => {
    const asked: number[] = [];
    const engine = compareSmallHere({
      ...pool,
      compareMany: (tasks) => {
        asked.push(tasks.length);
        return pool.compareMany(tasks);
      },
    });
    const guaranteeMode = 'notify' as const;
    const large = { properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
    const pairs: [Json, Json][] = [
      [order, orderWithNote],
      [large, order],
      [orderWithNote, order],
      [order, large],
    ];
    const tasks = pairs.map(([old, next]) => ({
      old: termsOf(old),
      next: termsOf(next),
      guaranteeMode,
    }));
    const answers = await engine.compareMany(tasks);
    expect(asked).toEqual([2]);
    expect(withoutSteps(answers)).toEqual(withoutSteps(await pool.compareMany(tasks)));
  });
});

/** The number of steps depends on earlier questions. */
function withoutSteps(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer, (key, value) => (key === 'steps' ? undefined : value)));
}
