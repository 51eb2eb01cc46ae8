// Each format beside another reading of its specification: what is said to be of it is of it there too,
// and what is said not to be is not. What validators differ in is left open.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findFormat } from '../../../src/core/schema/formats/formats.ts';
import { randomFrom } from '../laws/values.ts';
import { editedText, judges, misjudged } from './judges.ts';

const runs = Number(process.env.FORMAT_RUNS ?? 2_000);
const seed = Number(process.env.LAW_SEED ?? 1);

// One of the judges prints why it refuses a name.
beforeAll(() => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
});
afterAll(() => {
  vi.restoreAllMocks();
});

test.each(Object.entries(judges))('%s', (name, judge) => {
  const format = findFormat(name);
  if (format === null) throw new Error(`${name} is no format`);
  const random = randomFrom(seed);
  let decided = 0;
  for (let run = 0; run < runs; run++) {
    const text = editedText(format.samples, random);
    const own = format.isMember(text);
    if (own === undefined || misjudged[format.name]?.test(text)) continue;
    decided++;
    expect({ text, own }).toEqual({ text, own: judge(text) });
  }
  expect(decided / runs).toBeGreaterThan(0.5);
});
