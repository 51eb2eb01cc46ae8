import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTeller } from '../../../src/controller/cluster/tell-events.ts';
import { ManualClock } from '../support/manual-clock.ts';

test('the first news is told at once; while more waits a fifth of the time is spent on it', async () => {
  const { clock, teller, told, write } = openNews();
  for (const name of ['a', 'b', 'c']) await teller.tell(write(name, 10));
  await turn();
  expect(told).toEqual(['a']);
  clock.advance(39);
  await turn();
  expect(told).toEqual(['a']);
  clock.advance(1);
  await turn();
  expect(told).toEqual(['a', 'b']);
  clock.advance(40);
  await turn();
  expect(told).toEqual(['a', 'b', 'c']);
  expect(clock.waiting).toBe(0);
  await teller.tell(write('d', 10));
  await turn();
  expect(told).toEqual(['a', 'b', 'c', 'd']);
});

test('a process that stops tells what waits, without rests, for five seconds', async () => {
  const { teller, told, write } = openNews();
  for (const name of ['a', 'b', 'c']) await teller.tell(write(name, 10));
  await teller.stop();
  expect(told).toEqual(['a', 'b', 'c']);

  const slow = openNews();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await slow.teller.tell(slow.write(name, 2_000));
  await slow.teller.stop();
  expect(slow.told).toEqual(['a', 'b', 'c', 'd']);
});

test('what cannot be written is reported and not said again; a stop gives up there', async () => {
  const { teller, told, errors, write } = openNews();
  const fail = async () => {
    throw new Error('no such namespace');
  };
  for (const one of [fail, write('a', 0), fail, write('b', 0)]) await teller.tell(one);
  await teller.stop();
  expect(told).toEqual(['a']);
  expect(errors).toHaveLength(2);
});

test('where ten thousand wait, whoever has more waits for room', async () => {
  const { clock, teller, write } = openNews();
  for (let index = 0; index <= 10_000; index++) await teller.tell(write('news', 1));
  let hasRoom = false;
  const asked = teller.tell(write('one more', 1)).then(() => {
    hasRoom = true;
  });
  await turn();
  expect(hasRoom).toBe(false);
  clock.advance(4);
  await asked;
  expect(hasRoom).toBe(true);
});

/** Each write advances a manual clock by its duration. */
function openNews() {
  const clock = new ManualClock();
  const told: string[] = [];
  const errors: unknown[] = [];
  const teller = openTeller(clock, (error) => errors.push(error));
  const write = (name: string, tookMs: number) => async () => {
    clock.advance(tookMs);
    told.push(name);
  };
  return { clock, teller, told, errors, write };
}
