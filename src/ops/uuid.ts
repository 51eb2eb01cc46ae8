// UUIDv7: the time in front, so that ids made later sort later and indexes grow at one end.

import { randomFillSync } from 'node:crypto';

/** Random bytes are drawn for many ids at once: a call costs more than the bytes. */
const pool = Buffer.alloc(16 * 256);
let used = pool.length;
let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7. Within one process each is greater than the one before: 12 bits behind the time count
 * up within a millisecond, and borrow from the next one when they run over.
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
    // Half of the range, so that a millisecond has room to count in.
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
