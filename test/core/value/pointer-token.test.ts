import { expect, test } from 'vitest';
import {
  percentDecoded,
  readPointerToken,
  writePointerToken,
  writeUriToken,
} from '../../../src/core/value/pointer-token.ts';

test.each([
  ['plain', 'plain', 'plain'],
  ['a/b~c', 'a~1b~0c', 'a~1b~0c'],
  ['~1', '~01', '~01'],
  ['a b#é%', 'a b#é%', 'a%20b%23%C3%A9%25'],
])('the name %j is a token of a pointer, and of the fragment of a URI', (name, token, inUri) => {
  expect(writePointerToken(name)).toBe(token);
  expect(readPointerToken(token)).toBe(name);
  expect(writeUriToken(name)).toBe(inUri);
  expect(readPointerToken(percentDecoded(inUri))).toBe(name);
});

test('what no URI can hold is written all the same', () => {
  expect(writeUriToken('a\ud800')).toBe('a%EF%BF%BD');
});

test.each(['100%', '%zz', '%ff', 'a%2'])(
  '%j is not percent-encoded, so it is taken as it is',
  (text) => {
    expect(percentDecoded(text)).toBe(text);
  },
);
