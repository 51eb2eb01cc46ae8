// JSON text is read without rounding a number, whatever stands around it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExactNumber, parseJson } from '../../../src/core/value/json.ts';

function parsed(text: string) {
  const read = parseJson(text);
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

test.each([
  '9007199254740993',
  '-9223372036854775808',
  '0.12345678901234567890',
  '1e400',
  '1e-400',
  '123456789012345678e2',
])('%s is kept as its text', (text) => {
  expect(isExactNumber(parsed(text))).toBe(true);
  expect(JSON.stringify(parsed(`{"a":["x",${text}]}`))).toBe(`{"a":["x",${text}]}`);
});

test.each([
  '0',
  '-0.5',
  '1795255453.7020736',
  '1e3',
  '1.50E+2',
  '9007199254740992',
  '100000000000000000000',
])('%s is a number as it is', (text) => {
  expect(parsed(text)).toBe(Number(text));
});

test('digits and brackets in strings count for nothing, however they are escaped', () => {
  const text = String.raw`{"a\\":"9007199254740993]]}\"[{","b":"\\","c":"1e999"}`;
  expect(parseJson(text, 1)).toEqual({
    ok: true,
    value: JSON.parse(text),
    hasExactNumbers: false,
  });
});

test('text that nests too deep, or is no JSON, is told', () => {
  expect(parseJson('[[[1]]]', 2)).toMatchObject({ ok: false, reason: 'too_deep' });
  expect(parseJson('[[1]]', 2)).toEqual({
    ok: true,
    value: [[1]],
    hasExactNumbers: false,
  });
  expect(parseJson('{"a":"')).toMatchObject({ ok: false, reason: 'syntax' });
  expect(parseJson('{"a":12345678901234567890')).toMatchObject({ ok: false, reason: 'syntax' });
});

test('law: what JSON.parse reads without rounding, parseJson reads alike', () => {
  const law = fc.property(fc.json(), (text) => {
    expect(JSON.stringify(parsed(text))).toBe(JSON.stringify(JSON.parse(text)));
  });
  fc.assert(law, { numRuns: 2_000 });
});

test('law: an integer of any length comes back as it was', () => {
  const law = fc.property(fc.bigInt(), fc.string(), (number, name) => {
    const text = `{${JSON.stringify(name)}:[${number}]}`;
    const value = parsed(text);
    const [[only] = []] = Object.values(value as Record<string, unknown[]>);
    const told = isExactNumber(only) ? only.rawJSON : String(BigInt(Number(only)));
    expect(told).toBe(String(number));
  });
  fc.assert(law, { numRuns: 2_000 });
});
