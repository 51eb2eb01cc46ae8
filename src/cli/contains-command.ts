import type { ContainmentAnswer } from '../core/containment/containment.types.ts';
import { contains } from '../core/containment/contains.ts';
import type { Dialect } from '../core/schema/dialects.ts';
import type { Json } from '../core/value/json.ts';
import type { CommandLineIo } from './command-line.ts';
import { answerLines } from './contains-lines.ts';
import { type ExitCode, exitCode } from './exit-code.ts';
import { type Paint, paintFor, writeText } from './output.ts';
import { readContractFile, UnreadableInput } from './read-input.ts';

interface ContainsOptions {
  readonly closed?: boolean;
  readonly formats?: boolean;
  readonly dialect?: Dialect;
  readonly format?: 'text' | 'json';
  readonly steps?: number;
  readonly ndjson?: boolean;
}

/** `concordat contains A B`, or with --ndjson reads questions from standard input. */
export async function runContains(
  paths: readonly (string | undefined)[],
  options: ContainsOptions,
  io: CommandLineIo,
  refuseUsage: (message: string) => never,
): Promise<ExitCode> {
  const [aPath, bPath] = paths;
  if (options.ndjson === true) {
    if (aPath !== undefined)
      refuseUsage('error: --ndjson reads standard input. Remove the file arguments.');
    await answerLines(io, options.steps);
    return exitCode.fine;
  }
  if (aPath === undefined || bPath === undefined) {
    return refuseUsage('error: give two files, or use --ndjson.');
  }
  let schemas: readonly [Json, Json];
  try {
    schemas = [(await readContractFile(aPath)).schema, (await readContractFile(bPath)).schema];
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    await writeText(io.stderr, `${error.message}\n`);
    return exitCode.unreadableInput;
  }
  const answer = contains({
    a: schemas[0],
    b: schemas[1],
    ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
    ...(options.formats === false ? { formats: false } : {}),
    ...(options.closed === true ? { closed: true } : {}),
    ...(options.steps === undefined ? {} : { stepBudget: options.steps }),
  });
  const text =
    options.format === 'json'
      ? `${JSON.stringify(answer, null, 2)}\n`
      : answerText(answer, paintFor(io.stdout, io.env));
  await writeText(io.stdout, text);
  return answer.verdict === 'yes' ? exitCode.fine : exitCode.breaking;
}

function answerText(answer: ContainmentAnswer, paint: Paint): string {
  switch (answer.verdict) {
    case 'yes':
      return `${paint('green', 'yes')}\n`;
    case 'no':
      return `${paint('red', 'no')}: a has ${JSON.stringify(answer.witness)}, b refuses it\n`;
    case 'undecided':
      return `${paint('yellow', 'undecided')} at ${answer.place}: ${answer.reason}\n`;
    default:
      return answer satisfies never;
  }
}
