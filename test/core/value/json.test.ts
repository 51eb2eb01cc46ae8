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

test.each([
  ['{"a": 1,\n}', 'line 1 column 8'],
  ['[\n  "x,]",\n  2,  ]', 'line 3 column 4'],
  ['{"a": ",}", "b": [,]}', 'line 1 column 19'],
])('a comma that nothing follows is named in %j', (text, place) => {
  const read = parseJson(text);
  expect(read.ok ? null : read.message).toBe(`Nothing follows the comma at ${place}. Remove it.`);
});

test.each([
  ...['{"a": 1 "b": 2}', '{"a": ",}"', '"\\"', ''],
  ...['{"a": 1, /* x, } */ "b": 2}', '{"a": "b,\n "c": "d,}"}', '<p>{a,\n}</p>', '{"a": 1,} x'],
])('no comma is blamed in %j', (text) => {
  const read = parseJson(text);
  expect(read.ok ? null : read.message).not.toMatch(/comma at/);
});

test('a text that is no JSON is read in time, whatever it looks like', () => {
  const texts = ['"\\"'.repeat(300_000), `${',  '.repeat(300_000)}x`, '"'.repeat(900_001)];
  texts.push(`["${'y'.repeat(20_000_000)}",]`, `[${'1,'.repeat(300_000)}]`);
  expect(texts.map((text) => parseJson(text).ok)).toEqual(texts.map(() => false));
});
