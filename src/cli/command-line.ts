// The command line: what it is given, the commands that need only core, and how it ends. Each
// command's code is loaded when it is asked for, so that none waits for what another needs.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type ExitCode, exitCode } from './exit-code.ts';
import { isClosedPipe, type OutputStream } from './output.ts';

export interface CommandLineIo {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Of the environment, what printing looks at. */
  readonly env: { readonly NO_COLOR?: string | undefined };
  readonly version: string;
}

/** What a command needs to do its work and to end with a code. */
export interface CommandContext {
  readonly io: CommandLineIo;
  /** Runs a command's work and keeps the code it answers. */
  readonly run: (work: () => Promise<ExitCode>) => Promise<void>;
}

/** Adds a command that needs more than core and wire: the composition root hands them in. */
export type CommandMount = (program: Command, context: CommandContext) => void;

/**
 * Runs one command line, without the name of the program, and answers its exit code.
 *
 * @example await runCommandLine(['diff', 'old.json', 'new.json'], io) // 1 where it breaks
 */
export async function runCommandLine(
  argv: readonly string[],
  io: CommandLineIo,
  mounts: readonly CommandMount[] = [],
): Promise<ExitCode> {
  let code: ExitCode = exitCode.fine;
  const context: CommandContext = {
    io,
    run: async (work) => {
      code = await work();
    },
  };
  const program = programFor(io);
  for (const stream of [io.stdout, io.stderr]) stream.on('error', ignoreClosedPipe);
  for (const mount of [mountDiff, mountContains, ...mounts]) mount(program, context);
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCode.fine : exitCode.wrongUsage;
    }
    if (isClosedPipe(error)) return exitCode.fine;
    throw error;
  }
  return code;
}

function ignoreClosedPipe(error: unknown): void {
  if (!isClosedPipe(error)) throw error;
}

function programFor(io: CommandLineIo): Command {
  return new Command('concordat')
    .description(
      'A data contract registry: tells producers what a change breaks, and asks the consumers first.',
    )
    .version(io.version)
    .exitOverride()
    .showHelpAfterError('Run the command with --help to see what it takes.')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', exitCodesHelp);
}

const exitCodesHelp = `
Exit codes:
  0  fine
  1  breaking (diff), or not contained (contains)
  2  wrong usage
  3  input that cannot be read or parsed
  4  registry not reachable`;

const dialects = [
  'draft-04',
  'draft-06',
  'draft-07',
  '2019-09',
  '2020-12',
  'openapi-3.0',
  'openapi-3.1',
];

function dialectOption(): Option {
  const text = 'what a schema without $schema is written in (default: 2020-12)';
  return new Option('--dialect <dialect>', text).choices(dialects);
}

const mountDiff: CommandMount = (program, context) => {
  program
    .command('diff')
    .summary('what changed between two schemas, and whether it breaks')
    .description(
      'Compares two files: JSON Schemas (JSON or YAML), or DataContract manifests.\n' +
        'The mode of the old contract judges, so that loosening and breaking in one step does not pass.',
    )
    .argument('<old>', 'the file that is in force')
    .argument('<new>', 'the file that would replace it')
    .addOption(
      new Option(
        '--mode <mode>',
        "judge under this mode instead of the old contract's own (backward where it names none)",
      ).choices(['backward', 'forward', 'full', 'none']),
    )
    .addOption(
      new Option('--direction <direction>', 'who writes the values: see docs/compatibility.md')
        .choices(['data', 'request', 'response', 'operation'])
        .default('data'),
    )
    .addOption(
      new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'),
    )
    .addOption(
      new Option('--fail-on <what>', 'what makes the exit code 1')
        .choices(['breaking', 'any', 'never'])
        .default('breaking'),
    )
    .addOption(dialectOption())
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ concordat diff orders-v1.json orders-v2.json\n' +
        '  $ concordat diff --mode forward --format json old.yaml new.yaml',
    )
    .action((oldPath: string, newPath: string, options: object) =>
      context.run(async () => {
        const { runDiff } = await import('./diff-command.ts');
        return runDiff(oldPath, newPath, options, context.io);
      }),
    );
};

const mountContains: CommandMount = (program, context) => {
  program
    .command('contains')
    .summary('whether every value of one schema is a value of another')
    .description(
      'Answers yes, no with a value that shows it, or undecided with a reason.\n' +
        'With --ndjson it reads questions {id, a, b, dialect?, formats?, closed?}, one a line, on\n' +
        'standard input, and writes {id, verdict, witness?, reason?, micros}, one a line, in order.',
    )
    .argument('[a]', 'is every value of this schema ...')
    .argument('[b]', '... a value of this one?')
    .option('--closed', 'read a as its producer: only what it declares is emitted')
    .option('--no-formats', 'read format as an annotation')
    .addOption(dialectOption())
    .addOption(
      new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'),
    )
    .option('--steps <count>', 'how many steps a question may take', toStepBudget)
    .option('--ndjson', 'answer questions from standard input')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ concordat contains narrow.json wide.json\n' +
        '  $ concordat contains --ndjson < questions.ndjson > answers.ndjson',
    )
    .action((a: string | undefined, b: string | undefined, options: object, command: Command) =>
      context.run(async () => {
        const { runContains } = await import('./contains-command.ts');
        return runContains([a, b], options, context.io, (message) => command.error(message));
      }),
    );
};

function toStepBudget(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError('It must be a whole number above zero.');
  }
  return count;
}
