import { createHash } from 'node:crypto';

/** Returns the same id for the same name, for sources that give their objects none. */
export function stableUuid(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(parts.join('\n')).digest().subarray(0, 16);
  // Version 8 is for custom ids.
  bytes.writeUInt8(0x80 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts
    .slice(1)
    .map((end, index) => hex.slice(cuts[index], end))
    .join('-');
}
