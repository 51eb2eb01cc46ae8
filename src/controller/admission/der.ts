// The part of DER that certificates need. Pure.

export function sequence(...members: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...members);
}

export function set(...members: readonly Uint8Array[]): Buffer {
  return tagged(0x31, ...members);
}

/** A constructed, context-specific element: `[3]`. */
export function context(number: number, ...members: readonly Uint8Array[]): Buffer {
  return tagged(0xa0 | number, ...members);
}

/** A primitive, context-specific element. */
export function contextBytes(number: number, bytes: Uint8Array): Buffer {
  return tagged(0x80 | number, bytes);
}

export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0x00]));
}

/** A non-negative integer from bytes, the most significant first. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const short = start < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(start));
  const isNegative = short.readUInt8(0) >= 0x80;
  return tagged(0x02, isNegative ? Buffer.concat([Buffer.from([0]), short]) : short);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return tagged(0x04, bytes);
}

export function utf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, 'utf8'));
}

/** @example objectIdentifier('1.2.840.10045.4.3.2') */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Certificates require a two-digit year until 2049. */
export function time(moment: Date): Buffer {
  const digits = moment.toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '');
  return moment.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2), 'ascii'))
    : tagged(0x18, Buffer.from(digits, 'ascii'));
}

function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function base128(number: number): readonly number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(0x80 | (rest % 128));
  }
  return digits;
}
