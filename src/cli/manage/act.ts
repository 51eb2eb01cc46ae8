// Commands that make one request to a registry, as rows: their words, options and output.
// `concordat proposal publish <proposal>` is a row of the command `proposal`.

import { type Command, Option } from 'commander';
import type { Client } from '../../wire/client.ts';
import type { CommandContext, CommandLineIo, CommandMount } from '../command-line.ts';
import { CommandFailure, type ExitCode, exitCode, wrongUsage } from '../exit-code.ts';
import {
  addAll,
  connectionOptions,
  environmentOption,
  formatOption,
  type RegistryOptions,
} from '../options.ts';
import { writeText } from '../output.ts';
import { connect } from '../registry/connection/connect.ts';

export type ActOptions = Readonly<Record<string, string | boolean | number | undefined>> &
  RegistryOptions;

/** The client, argument and options that an act gets. */
export interface Asked {
  readonly client: Client;
  /** The argument; empty if the act takes none. */
  readonly name: string;
  /** The value of an option, if it was given. */
  readonly text: (option: string) => string | undefined;
  readonly flag: (option: string) => boolean;
  /** The environment for assets named by their FQN. */
  readonly environment: string;
}

interface Told {
  /** The API's response, which `--format json` prints unchanged. */
  readonly answer: unknown;
  readonly lines: readonly string[];
}

export interface Act {
  /** The word after the command; absent if the command is a single act. */
  readonly word?: string;
  readonly summary: string;
  /** The name and the description of the argument. */
  readonly argument?: readonly [name: string, what: string];
  readonly options?: readonly (readonly [flags: string, what: string])[];
  /** The act names assets, so it takes an environment. */
  readonly hasEnvironment?: boolean;
  readonly example: string;
  readonly run: (asked: Asked) => Promise<Told>;
}

/** A command whose acts are subcommands. */
export function mountActs(description: string, acts: readonly Act[]): CommandMount {
  return (command, context) => {
    command.description(description);
    for (const act of acts) {
      const own = command.command(act.word ?? '').summary(act.summary);
      mountOne(own, act, context);
    }
    command.addHelpText('after', examplesOf(acts));
  };
}

/** A command that is a single act. */
export function mountAct(act: Act): CommandMount {
  return (command, context) => mountOne(command, act, context);
}

function mountOne(command: Command, act: Act, { io, run }: CommandContext): void {
  command.description(`${act.summary.charAt(0).toUpperCase()}${act.summary.slice(1)}.`);
  if (act.argument !== undefined) command.argument(...act.argument);
  addAll(command, [
    ...(act.options ?? []).map(([flags, what]) => new Option(flags, what)),
    ...(act.hasEnvironment ? [environmentOption()] : []),
    formatOption(),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examplesOf([act])).action((...given: unknown[]) =>
    run(() => {
      const name = act.argument === undefined ? '' : String(given[0]);
      // Commander passes the options after the arguments.
      const options = given[act.argument === undefined ? 0 : 1] as ActOptions;
      return runAct(act, name, options, io);
    }),
  );
}

/** Makes the request of an act, and prints the answer. */
export async function runAct(
  act: Pick<Act, 'run'>,
  name: string,
  options: ActOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const asked: Asked = {
    client: connect(options, io).client,
    name,
    text: (option) => {
      const value = options[option];
      return typeof value === 'string' ? value : undefined;
    },
    flag: (option) => options[option] === true,
    environment: String(options.environment ?? 'production'),
  };
  const { answer, lines } = await act.run(asked).catch(refuseUsage);
  const isJson = options.format === 'json';
  const text = isJson ? JSON.stringify(answer, null, 2) : lines.join('\n');
  await writeText(io.stdout, `${text}\n`);
  return exitCode.fine;
}

/** No file was read, so a refused value came from the command line. */
function refuseUsage(error: unknown): never {
  const isInput = error instanceof CommandFailure && error.code === exitCode.unreadableInput;
  throw isInput ? wrongUsage(error.message) : error;
}

function examplesOf(acts: readonly Act[]): string {
  return ['', 'Examples:', ...acts.map(({ example }) => `  $ concordat ${example}`)].join('\n');
}
