// Who waits for a connection, how long, and who is refused. The clock is the test's.

import type { DatabasePool } from 'slonik';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openConnectionQueue } from '../../src/store/postgres/connection-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue for one connection; each caller gives it back when the test says so. */
function openQueue() {
  const held: ((lockTimeout?: Error) => void)[] = [];
  const waits: number[] = [];
  // Stands for the connection, which this test does not need.
  const pool = {
    connect: () =>
      new Promise<void>((done, fail) => held.push((error) => (error ? fail(error) : done()))),
  };
  const queue = openConnectionQueue(pool as unknown as DatabasePool, 1, (seconds) =>
    waits.push(seconds),
  );
  const call = (standstillMs: number, atMostMs: number) => {
    const settled: string[] = [];
    queue
      .poolFor({ standstillMs, atMostMs, lockMs: 0 })
      .connect(async () => {})
      .then(
        () => settled.push('served'),
        (error: Error) => settled.push(error.message),
      );
    return settled;
  };
  return { call, waits, giveBack: (lockTimeout?: Error) => held.shift()?.(lockTimeout) };
}

test('A caller is refused once no connection was given back for as long as it waits', async () => {
  const { call, waits } = openQueue();
  const first = call(2_000, 20_000);
  const second = call(2_000, 20_000);
  const patient = call(45_000, 120_000);
  await vi.advanceTimersByTimeAsync(1_990);
  expect([first, second, patient]).toEqual([[], [], []]);
  await vi.advanceTimersByTimeAsync(20);
  expect(second).toEqual([expect.stringMatching(/^No connection became free in 2\d{3} ms\.$/)]);
  expect([first, patient]).toEqual([[], []]);
  expect(waits).toEqual([0, expect.closeTo(2, 1)]);
});

test('While connections are given back callers wait their turn, up to a limit', async () => {
  const { call, giveBack } = openQueue();
  const callers = Array.from({ length: 30 }, () => call(2_000, 20_000));
  const last = callers.at(-1);
  for (let second = 0; second < 19; second++) {
    await vi.advanceTimersByTimeAsync(1_000);
    giveBack();
  }
  expect(callers.filter((settled) => settled[0] === 'served')).toHaveLength(18);
  expect(last).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(last).toEqual([expect.stringMatching(/^No connection became free in 20\d{3} ms\.$/)]);
});

test('Who gave up waiting for a lock gives its connection on, but nobody waits longer for that', async () => {
  const { call, giveBack } = openQueue();
  const callers = Array.from({ length: 3 }, () => call(2_000, 20_000));
  await vi.advanceTimersByTimeAsync(1_500);
  giveBack(Object.assign(new Error('No lock.'), { code: '55P03' }));
  await vi.advanceTimersByTimeAsync(600);
  expect(callers).toEqual([
    ['No lock.'],
    [],
    [expect.stringMatching(/^No connection became free in 2\d{3} ms\.$/)],
  ]);
  giveBack();
  await vi.advanceTimersByTimeAsync(0);
  expect(callers[1]).toEqual(['served']);
});

test('A caller that was refused does not take the connection that becomes free later', async () => {
  const { call, giveBack } = openQueue();
  const first = call(2_000, 20_000);
  const refused = call(2_000, 20_000);
  await vi.advanceTimersByTimeAsync(2_010);
  const later = call(2_000, 20_000);
  giveBack();
  await vi.advanceTimersByTimeAsync(0);
  giveBack();
  await vi.advanceTimersByTimeAsync(0);
  expect([first, later]).toEqual([['served'], ['served']]);
  expect(refused).toHaveLength(1);
});
