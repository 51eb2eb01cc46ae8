// The values of a file, one at a time.

import { createReadStream } from 'node:fs';
import type { CheckedValue } from '../../core/checks/find-faults.ts';
import { type Json, parseJson } from '../../core/value/json.ts';
import type { CommandLineIo } from '../command-line.ts';
import { readTextFile } from '../input/read-text.ts';
import { UnreadableInput } from '../read-input.ts';
import { readLines } from '../read-lines.ts';

/** The largest value that is held in memory. */
const maxLineBytes = 64 * 1024 * 1024;

type ReadValue = { readonly unit: 'line' | 'item'; readonly number: number } & (
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly checked: CheckedValue }
);

/** Lines of NDJSON; of a file that ends with .json, the value, or each item of a list. */
export async function* readValues(
  data: string,
  io: Pick<CommandLineIo, 'stdin'>,
): AsyncGenerator<ReadValue> {
  if (/\.json$/i.test(data)) {
    const parsed = parseJson(await readTextFile(data));
    if (!parsed.ok) throw new UnreadableInput(`${data}: ${parsed.message}`);
    const items = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
    for (const [index, value] of items.entries()) {
      yield { unit: 'item', number: index + 1, ok: true, value };
    }
    return;
  }
  let number = 0;
  for await (const line of readLines(data === '-' ? io.stdin : openFile(data), maxLineBytes)) {
    number++;
    const at = { unit: 'line', number } as const;
    if (line.kind === 'too_long') {
      yield { ...at, ok: false, checked: unread(`is longer than ${maxLineBytes} bytes`) };
    } else if (line.kind === 'not_utf8') {
      yield { ...at, ok: false, checked: notText };
    } else if (line.text.trim() !== '') {
      const parsed = parseJson(line.text);
      yield parsed.ok
        ? { ...at, ok: true, value: parsed.value }
        : { ...at, ok: false, checked: unread(`is not JSON: ${parsed.message}`) };
    }
  }
}

/** Other bytes would be read as signs that stand for something unknown, which many patterns accept. */
export const notText = unread('is not JSON: it is not UTF-8');

/** What is no value breaks every contract. */
export function unread(message: string): CheckedValue {
  return { verdict: 'invalid', faults: [{ path: '$', rule: 'json', message }] };
}

async function* openFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableInput(`${path} cannot be read: ${reason}.`);
  }
}
