// Limits what compressed batches of Kafka unpack to. The client unpacks each batch as a whole, and a
// hostile producer can pack gigabytes into a kilobyte, so the client's table of compressions is bounded here.

import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { compressionsAlgorithmsByBitmask } from '@platformatic/kafka';

/** The limit for all batches of one answer, unpacked. */
export const maxUnpackedBytes = 32 * 1024 * 1024;
/** The limit for their records and headers: each takes a few hundred bytes, however small it is. */
const maxParts = 300_000;

/** Thrown for a batch that exceeds a limit when it is unpacked. */
export class UnpacksTooLarge extends Error {
  /** The client would repeat the request otherwise. */
  readonly canRetry = false;
}

const left = { bytes: maxUnpackedBytes, parts: maxParts };

/** Called before each request, because an answer may have many batches. */
export function renewUnpacking(): void {
  left.bytes = maxUnpackedBytes;
  left.parts = maxParts;
}

type Unpack = (packed: Buffer) => Buffer;

/** By the number of the compression, as a batch has it. */
const packings: Readonly<Record<number, (unpack: Unpack) => Unpack>> = {
  1: () => (packed) => gunzipSync(packed, { maxOutputLength: Math.max(left.bytes, 1) }),
  2: (unpack) => knownBefore(unpack, unpackedSnappy),
  3: (unpack) => knownBefore(unpack, unpackedLz4),
  4: () => (packed) => zstdDecompressSync(packed, { maxOutputLength: Math.max(left.bytes, 1) }),
};

let isBounded = false;

/** Replaces the client's unpacking functions by bounded ones. Further calls have no effect. */
export function boundUnpacking(): void {
  if (isBounded) return;
  isBounded = true;
  for (const [number, bound] of Object.entries(packings)) {
    const known = compressionsAlgorithmsByBitmask[number];
    if (known === undefined) throw new Error(`The client does not know the compression ${number}.`);
    const unpack = bound(known.decompressSync);
    Object.assign(known, { decompressSync: (packed: Buffer) => withinBounds(unpack, packed) });
  }
}

function withinBounds(unpack: Unpack, packed: Buffer): Buffer {
  try {
    const unpacked = unpack(packed);
    left.bytes -= unpacked.length;
    left.parts -= partsOf(unpacked);
    if (left.bytes < 0 || left.parts < 0) throw new UnpacksTooLarge();
    return unpacked;
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? new UnpacksTooLarge() : error;
  }
}

/** For compressions whose data states the unpacked size, or a limit of it. */
function knownBefore(unpack: Unpack, sizeOf: (packed: Buffer) => number): Unpack {
  return (packed) => {
    if (sizeOf(packed) > left.bytes) throw new UnpacksTooLarge();
    return unpack(packed);
  };
}

/** Java writes snappy as chunks with their lengths, after a head of 16 bytes. */
const chunked = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);

function unpackedSnappy(packed: Buffer): number {
  if (!packed.subarray(0, chunked.length).equals(chunked)) return readNumber(packed, 0).value;
  let size = 0;
  for (let at = 16; at + 4 <= packed.length; at += 4 + packed.readUInt32BE(at)) {
    size += readNumber(packed, at + 4).value;
  }
  return size;
}

const lz4Frame = 0x184d2204;
/** The maximum number of bytes that one byte of lz4 unpacks to. */
const mostOfLz4 = 255;

/** Frames of blocks. The head of a frame states the largest size of its blocks. */
function unpackedLz4(packed: Buffer): number {
  let size = 0;
  let at = 0;
  while (at + 7 <= packed.length && packed.readUInt32LE(at) === lz4Frame) {
    const flags = packed.readUInt8(at + 4);
    const largest = 2 ** (8 + 2 * ((packed.readUInt8(at + 5) >> 4) & 7));
    const has = (bit: number) => (flags & (1 << bit)) !== 0;
    at += 7 + (has(3) ? 8 : 0) + (has(0) ? 4 : 0);
    while (at + 4 <= packed.length) {
      const head = packed.readUInt32LE(at);
      at += 4;
      if (head === 0) break;
      const length = head & 0x7fffffff;
      size += head > 0x7fffffff ? length : Math.min(largest, mostOfLz4 * length);
      at += length + (has(4) ? 4 : 0);
    }
    at += has(2) ? 4 : 0;
  }
  return size + mostOfLz4 * Math.max(packed.length - at, 0);
}

/** The number of records and of their headers. */
function partsOf(records: Buffer): number {
  let parts = 0;
  let at = 0;
  while (at < records.length) {
    const length = readSigned(records, at);
    // The attributes take a byte; then there are the time, the place, the key and the value.
    let inside = skipNumber(records, skipNumber(records, length.next + 1));
    for (const _ of ['key', 'value']) {
      const bytes = readSigned(records, inside);
      inside = bytes.next + Math.max(bytes.value, 0);
    }
    parts += 1 + Math.max(readSigned(records, inside).value, 0);
    // The client refuses what is no record.
    at = length.next + Math.max(length.value, 1);
  }
  return parts;
}

function skipNumber(bytes: Buffer, at: number): number {
  let next = at;
  while ((bytes[next] ?? 0) > 0x7f) next++;
  return next + 1;
}

/** Reads a number with seven bits in each byte, the lowest bits first. */
function readNumber(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  const next = skipNumber(bytes, at);
  let value = 0;
  for (let each = next - 1; each >= at; each--) value = value * 128 + ((bytes[each] ?? 0) & 0x7f);
  return { value, next };
}

function readSigned(bytes: Buffer, at: number) {
  const { value, next } = readNumber(bytes, at);
  return { value: value % 2 === 0 ? value / 2 : -(value + 1) / 2, next };
}
