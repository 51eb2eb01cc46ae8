import { gzipSync } from 'node:zlib';
import { compressionsAlgorithmsByBitmask } from '@platformatic/kafka';
import { expect, test } from 'vitest';
import {
  boundUnpacking,
  renewUnpacking,
  UnpacksTooLarge,
} from '../../src/cli/check/bound-unpacking.ts';

/** A record as it stands in a batch: its length, attributes, time, place, key, value and headers. */
function record(headers: number): Buffer {
  const inside = Buffer.concat([
    Buffer.from([0, 0, 0, 1, 4, 0x7b, 0x7d]),
    Buffer.from([((2 * headers) & 0x7f) | 0x80, (2 * headers) >> 7]),
    Buffer.alloc(2 * headers, 1),
  ]);
  const length = 2 * inside.length;
  const written = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
  return Buffer.concat([Buffer.from(written), inside]);
}

test.each([
  ['records', 0, 299_000, 301_000],
  ['headers', 1_000, 298, 301],
])('A batch of very many %s is not read', (_, headers, few, many) => {
  boundUnpacking();
  const unpack = (count: number) => {
    renewUnpacking();
    const records = Buffer.concat(Array.from({ length: count }, () => record(headers)));
    return compressionsAlgorithmsByBitmask[1]?.decompressSync(gzipSync(records)).length;
  };
  expect(unpack(few)).toBeGreaterThan(few);
  expect(() => unpack(many)).toThrow(UnpacksTooLarge);
});
