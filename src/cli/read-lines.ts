import { isUtf8 } from 'node:buffer';

type InputLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'too_long' }
  | { readonly kind: 'not_utf8' };

const newline = 0x0a;

/**
 * Splits a byte stream into lines. A line that is too long is reported and skipped, never buffered.
 */
export async function* readLines(
  input: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const finish = (): InputLine => {
    const bytes = size > maxBytes ? null : joined(parts, size);
    parts = [];
    size = 0;
    if (bytes === null) return { kind: 'too_long' };
    if (!isUtf8(bytes)) return { kind: 'not_utf8' };
    return { kind: 'line', text: decoder.decode(bytes) };
  };
  const take = (part: Uint8Array) => {
    size += part.length;
    if (size > maxBytes) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      take(bytes.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    take(bytes.subarray(start));
  }
  if (size > 0) yield finish();
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
