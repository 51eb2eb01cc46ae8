// `concordat validate`: holds values against a contract, one at a time.

import { createReadStream } from 'node:fs';
import type { CheckedValue, Fault } from '../../core/checks/find-faults.ts';
import { openCheck } from '../../core/checks/open-check.ts';
import { type Json, parseJson } from '../../core/value/json.ts';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, exitCode, wrongUsage } from '../exit-code.ts';
import { readTextFile } from '../input/read-text.ts';
import { counted, type Paint, paintFor, printable, writeText } from '../output.ts';
import { UnreadableInput } from '../read-input.ts';
import { readLines } from '../read-lines.ts';
import { findTerms, type TermsOptions } from './find-terms.ts';

export interface ValidateOptions extends TermsOptions {
  readonly format: 'text' | 'json';
  readonly show: number;
}

/** As many as the registry takes in a body. */
const maxLineBytes = 64 * 1024 * 1024;

export async function runValidate(
  contract: string,
  data: string,
  options: ValidateOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const { terms } = await findTerms(contract, options, io);
  const check = openCheck(terms);
  if (check === null) {
    throw wrongUsage(`${contract} describes no ${options.part}. Leave out --part.`);
  }
  const paint = paintFor(io.stdout, io.env);
  const counts = { valid: 0, invalid: 0, undecided: 0 };
  let shown = 0;
  for await (const value of readValues(data, io)) {
    const checked = value.ok ? check(value.value) : value.checked;
    counts[checked.verdict]++;
    if (checked.verdict === 'valid' || shown === options.show) continue;
    shown++;
    const told =
      options.format === 'json'
        ? `${JSON.stringify({ [value.unit]: value.number, ...checked })}\n`
        : linesOf(`${value.unit} ${value.number}`, checked, paint);
    if (!(await writeText(io.stdout, told))) break;
  }
  const isFine = counts.invalid + counts.undecided === 0;
  await writeText(
    io.stdout,
    options.format === 'json'
      ? `${JSON.stringify(counts)}\n`
      : summaryOf(counts, shown, isFine, paint),
  );
  return isFine ? exitCode.fine : exitCode.breaking;
}

type ReadValue = { readonly unit: 'line' | 'item'; readonly number: number } & (
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly checked: CheckedValue }
);

async function* readValues(data: string, io: CommandLineIo): AsyncGenerator<ReadValue> {
  if (data.endsWith('.json')) {
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
    } else if (line.text.trim() !== '') {
      const parsed = parseJson(line.text);
      yield parsed.ok
        ? { ...at, ok: true, value: parsed.value }
        : { ...at, ok: false, checked: unread(`is not JSON: ${parsed.message}`) };
    }
  }
}

/** A line that is no value breaks every contract. */
function unread(message: string): CheckedValue {
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

function linesOf(place: string, { verdict, faults }: CheckedValue, paint: Paint): string {
  if (verdict === 'undecided') {
    return `${paint('yellow', '?')} ${place}: the contract cannot be evaluated for this value\n`;
  }
  return faults
    .map((fault) => `${paint('red', '✗')} ${printable(`${place}: ${sentenceOf(fault)}`)}\n`)
    .join('');
}

function sentenceOf({ path, message, value }: Fault): string {
  const found = value === undefined ? '' : `, not ${shortened(value)}`;
  return `${path} ${message}${found}`;
}

const maxShown = 80;

function shortened(value: Json): string {
  const characters = [...JSON.stringify(value)];
  return characters.length <= maxShown
    ? characters.join('')
    : `${characters.slice(0, maxShown).join('')}…`;
}

function summaryOf(
  { valid, invalid, undecided }: Readonly<Record<CheckedValue['verdict'], number>>,
  shown: number,
  isFine: boolean,
  paint: Paint,
): string {
  const all = counted(valid + invalid + undecided, 'value');
  if (isFine) return `${paint('green', `${all}, all valid.`)}\n`;
  const hidden = invalid + undecided - shown;
  const parts = [
    `${valid} valid`,
    ...(invalid === 0 ? [] : [`${invalid} not valid`]),
    ...(undecided === 0 ? [] : [`${undecided} undecided`]),
  ];
  const more = hidden === 0 ? '' : ` ${counted(hidden, 'value')} not shown; see --show.`;
  return `${paint('red', `${all}: ${parts.join(', ')}.`)}${more}\n`;
}
