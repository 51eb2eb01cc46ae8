// One query for simultaneous callers: held here, so that the test decides who asks when.

import { expect, test } from 'vitest';
import { askTogether } from '../../src/store/postgres/ask-together.ts';

/** Queries that wait until the test answers them, in the order of their calls. */
function openQuestions() {
  const asked: { question: string; answer: (text: string) => void; fail: () => void }[] = [];
  const ask = askTogether(
    (question: string) =>
      new Promise<string>((done, reject) => {
        asked.push({ question, answer: done, fail: () => reject(new Error('It is away.')) });
      }),
  );
  return { asked, ask };
}

test('Callers that ask during a query share the next one, which began after they asked', async () => {
  const { asked, ask } = openQuestions();
  const first = ask('all');
  const others = [ask('all'), ask('all'), ask('all')];
  expect(asked).toHaveLength(1);
  asked[0]?.answer('before');
  expect(await first).toBe('before');
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.answer('after');
  expect(await Promise.all(others)).toEqual(['after', 'after', 'after']);
  const later = ask('all');
  expect(asked).toHaveLength(3);
  asked[2]?.answer('later');
  expect(await later).toBe('later');
});

test('Different questions do not wait for each other', () => {
  const { asked, ask } = openQuestions();
  void ask('all');
  void ask('of a team');
  expect(asked.map(({ question }) => question)).toEqual(['all', 'of a team']);
});

test('A failed query fails for its callers, and the next one runs', async () => {
  const { asked, ask } = openQuestions();
  const first = ask('all');
  const second = ask('all');
  asked[0]?.fail();
  await expect(first).rejects.toThrow('It is away.');
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.answer('after');
  expect(await second).toBe('after');
});
