// The command line: selects the command and decides the exit code. Only the selected command is
// built; the others are a name and a summary, so none waits for another's code to load.

import { Command, CommanderError } from 'commander';
import { CommandFailure, type ExitCode, exitCode } from './exit-code.ts';
import { type OutputStream, printable, watchOutput, writeText } from './output.ts';

export interface CommandLineIo {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  readonly version: string;
}

export interface Environment {
  readonly [name: string]: string | undefined;
}

/** What a command needs to do its work and to end with a code. */
export interface CommandContext {
  readonly io: CommandLineIo;
  /** Runs a command's work and keeps its exit code. */
  readonly run: (work: () => Promise<ExitCode>) => Promise<void>;
  /** The program with every command built, for completion. */
  readonly wholeProgram: () => Promise<Command>;
}

/** Gives a command its options and its action. */
export type CommandMount = (command: Command, context: CommandContext) => void;

export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** Loads the command's code. */
  readonly load: () => Promise<CommandMount>;
}

/**
 * Runs one command line, without the program's name, and returns its exit code.
 *
 * @example await runCommandLine(['diff', 'old.json', 'new.json'], io, commands) // 1 if it breaks
 */
export async function runCommandLine(
  argv: readonly string[],
  io: CommandLineIo,
  rows: readonly CommandRow[],
): Promise<ExitCode> {
  let code: ExitCode = exitCode.fine;
  const run: CommandContext['run'] = async (work) => {
    code = await work();
  };
  const output = watchOutput(io.stdout);
  watchOutput(io.stderr);
  const program = await buildProgram(rows, io, commandAsked(argv), run);
  try {
    await program.parseAsync([...argv], { from: 'user' }).catch(endOfHelp);
    await output.mustBeWritten();
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return exitCode.wrongUsage;
    if (!(error instanceof CommandFailure)) throw error;
    // If the message cannot be written, the exit code still reports the failure.
    await writeText(io.stderr, `${printable(error.message)}\n`).catch(() => {});
    return error.code;
  }
}

/** Commander throws even after help or the version, which are successes. */
function endOfHelp(error: unknown): void {
  if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
}

/** The program with one of its commands built, or all of them: for help pages and completion. */
export async function buildProgram(
  rows: readonly CommandRow[],
  io: CommandLineIo,
  asked: string | 'all',
  run: CommandContext['run'] = async (work) => void (await work()),
): Promise<Command> {
  const program = programFor(io);
  const wholeProgram = () => buildProgram(rows, io, 'all', run);
  const context: CommandContext = { io, run, wholeProgram };
  for (const { name, summary, load } of rows) {
    const command = program.command(name).summary(summary);
    if (asked !== 'all' && asked !== name) continue;
    const mount = await load();
    mount(command, context);
  }
  return program;
}

/** `help diff` also asks for diff. */
function commandAsked(argv: readonly string[]): string {
  const [first = '', second = ''] = argv.filter((argument) => !argument.startsWith('-'));
  return first === 'help' ? second : first;
}

function programFor(io: CommandLineIo): Command {
  const program = new Command('concordat');
  // So that `register --version 2.0.0` is refused: it would print the program's version and do nothing.
  program.enablePositionalOptions();
  return program
    .description(
      'A data contract registry: it shows producers what a change breaks, and asks the consumers first.',
    )
    .version(io.version)
    .exitOverride()
    .showHelpAfterError('Run the command with --help to see its options.')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // One width for every terminal: docs/command-line.md is made of the same text.
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    })
    .addHelpText('after', programHelp);
}

const helpWidth = 100;

const programHelp = `
Exit codes:
  0  fine
  1  breaking (diff, impact, publish, import), or not contained (contains)
  2  wrong usage: an option, a name or a key that is not right
  3  input that cannot be read, or of which a part that may have changed was not read
  4  registry not reachable

Start here:
  $ concordat diff old.json new.json           what changed, and does it break?
  $ concordat diff --against main contracts/   what would merging this branch break?
  $ concordat diff --help                      every way to ask`;
