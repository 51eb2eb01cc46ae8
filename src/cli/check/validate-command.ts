// `concordat validate`: holds values against a contract, one at a time.

import type { CheckedValue, Fault } from '../../core/checks/find-faults.ts';
import { openCheck } from '../../core/checks/open-check.ts';
import type { Json } from '../../core/value/json.ts';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, wrongUsage } from '../exit-code.ts';
import { counted, type Paint, paintFor, printable, writeText } from '../output.ts';
import { concludeCheck, findTerms, type TermsOptions } from './find-terms.ts';
import { readValues } from './read-values.ts';

export interface ValidateOptions extends TermsOptions {
  readonly format: 'text' | 'json';
  readonly show: number;
}

export async function runValidate(
  contract: string,
  data: string,
  options: ValidateOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const { terms, unread } = await findTerms(contract, options, io);
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
  return concludeCheck(isFine, unread, io);
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
