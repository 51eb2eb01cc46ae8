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

/**
 * Unicode assigned some after the judge's tables were made, and the judge looks at directions before it
 * maps a mathematical alef to the letter.
 */
const misread = /\u0897|\u0c5c|\u0cdc|[\u1acf-\u1aeb]|\u1c8a|[\u2135-\u2138]|\ua7cd|\ua7cf|\ua7db/;

test('each character of the first plane in an internationalized name', () => {
  const format = findFormat('idn-hostname');
  const differing: string[] = [];
  let decided = 0;
  for (let code = 0; code <= 0xffff; code++) {
    const char = String.fromCharCode(code);
    const own = char.isWellFormed() ? format?.isMember(`a${char}`) : undefined;
    if (own === undefined || misread.test(char)) continue;
    decided++;
    if (judges['idn-hostname']?.(`a${char}`) !== own) differing.push(code.toString(16));
  }
  expect(differing).toEqual([]);
  expect(decided).toBeGreaterThan(30_000);
});
