import { expect, test } from 'vitest';
import { startResync } from '../../../src/controller/resync.ts';
import { ManualClock } from '../support/manual-clock.ts';

function open(keys: Set<number>) {
  const clock = new ManualClock();
  const looks: number[] = [];
  const end = startResync({
    clock,
    everyMs: 60_000,
    keys: () => keys,
    look: (key) => looks.push(key),
  });
  const during = (ms: number) => {
    const before = looks.length;
    clock.advance(ms);
    return looks.slice(before);
  };
  return { end, during };
}

const numbers = (count: number) => new Set(Array.from({ length: count }, (_, index) => index));

test('each object has its turn once in the time: some at once, a sixth of a minute apart', () => {
  const { during } = open(numbers(6_000));
  const seconds = Array.from({ length: 60 }, () => during(1_000));
  const turns = seconds.filter((looks) => looks.length > 0);
  expect(turns.map((looks) => looks.length)).toEqual(Array(6).fill(1_000));
  expect(new Set(turns.flat()).size).toBe(6_000);
  expect(during(60_000)).toEqual([...numbers(6_000)]);
});

test('what is new has its turn in the next round', () => {
  const keys = numbers(3);
  const { during } = open(keys);
  keys.add(7);
  expect(during(60_000)).toEqual([0, 1, 2]);
  expect(during(60_000)).toEqual([0, 1, 2, 7]);
});

test('ends when it is told to', () => {
  const { end, during } = open(numbers(10));
  end();
  expect(during(120_000)).toEqual([]);
});
