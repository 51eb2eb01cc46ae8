// UUIDv7: the time comes first, so later ids sort later and indexes grow at one end.

import { randomFillSync } from 'node:crypto';

/** Random bytes are generated for many ids at once, because each call has a fixed cost. */
const pool = Buffer.alloc(16 * 256);
let used = pool.length;
let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7. Within a process each id is greater than the one before: the 12 bits after the time
 * count up within a millisecond, and overflow into the next one.
 */
export function newUuid(nowMs: number = Date.now()): string {
  if (used >= pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, used + 16);
  used += 16;
  if (nowMs > lastMs) {
    lastMs = nowMs;
    // Starts in the lower half of the range, which leaves room to count within a millisecond.
    counter = bytes.readUInt16BE(6) & 0x7ff;
  } else if (++counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
