import { expect, test } from 'vitest';
import { afterNews } from '../../src/ops/after-news.ts';

function open() {
  const state = { time: 0, isListening: true, runs: 0, fails: false };
  let tell = () => {};
  const run = afterNews({
    news: {
      onHeard: (hear) => {
        tell = hear;
        return () => {};
      },
      isListening: () => state.isListening,
    },
    work: async () => {
      state.runs += 1;
      if (state.fails) throw new Error('Postgres is away.');
    },
    anywayMs: 5_000,
    clock: () => state.time,
  });
  const runsOf = async () => {
    const before = state.runs;
    await run().catch(() => {});
    return state.runs - before;
  };
  return { state, runsOf, tell: () => tell() };
}

test('What was committed before the start is worked at, then nothing until something is heard', async () => {
  const { runsOf, tell } = open();
  expect(await runsOf()).toBe(1);
  expect(await runsOf()).toBe(0);
  tell();
  expect(await runsOf()).toBe(1);
  expect(await runsOf()).toBe(0);
});

test('Where something could have been missed, or nothing was heard for long, it is worked at', async () => {
  const { state, runsOf } = open();
  await runsOf();
  state.isListening = false;
  expect(await runsOf()).toBe(1);
  state.isListening = true;
  state.time = 4_999;
  expect(await runsOf()).toBe(0);
  state.time = 5_000;
  expect(await runsOf()).toBe(1);
});

test('What failed is done again, and what comes while it is done is not forgotten', async () => {
  const { state, runsOf, tell } = open();
  state.fails = true;
  expect(await runsOf()).toBe(1);
  state.fails = false;
  const underWay = runsOf();
  tell();
  expect(await underWay).toBe(1);
  expect(await runsOf()).toBe(1);
  expect(await runsOf()).toBe(0);
});
