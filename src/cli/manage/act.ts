// A command that asks a registry for one thing, as a row: its words, its options, and what it says.
// `concordat proposal publish <proposal>` is a row of the command `proposal`.

import { type Command, Option } from 'commander';
import type { Client } from '../../wire/client.ts';
import type { CommandContext, CommandMount } from '../command-line.ts';
import { CommandFailure, exitCode, wrongUsage } from '../exit-code.ts';
import {
  addAll,
  connectionOptions,
  environmentOption,
  formatOption,
  type RegistryOptions,
} from '../options.ts';
import { writeText } from '../output.ts';
import { connect } from '../registry/connect.ts';

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** What is asked of a registry, and by what words. */
export interface Asked {
  readonly client: Client;
  /** The argument, or nothing where the act takes none. */
  readonly name: string;
  /** The text of an option, where it was given. */
  readonly text: (option: string) => string | undefined;
  readonly flag: (option: string) => boolean;
  /** The environment of assets that are named by their FQN. */
  readonly environment: string;
}

interface Told {
  /** What `--format json` prints: the answer of the API as it is. */
  readonly answer: unknown;
  readonly lines: readonly string[];
}

export interface Act {
  /** The word after the command; of a command that is one act it is absent. */
  readonly word?: string;
  readonly summary: string;
  /** The argument and what it is. */
  readonly argument?: readonly [name: string, what: string];
  readonly options?: readonly (readonly [flags: string, what: string])[];
  /** Assets are named, so that their environment may be. */
  readonly hasEnvironment?: boolean;
  readonly example: string;
  readonly run: (asked: Asked) => Promise<Told>;
}

/** A command whose acts are words of its own. */
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

/** A command that is one act. */
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
    run(async () => {
      const name = act.argument === undefined ? '' : String(given[0]);
      // Commander hands on the options behind the arguments.
      const options = given[act.argument === undefined ? 0 : 1] as Options & RegistryOptions;
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
    }),
  );
}

/** No file was read: what a registry does not accept came with the command line. */
function refuseUsage(error: unknown): never {
  const isInput = error instanceof CommandFailure && error.code === exitCode.unreadableInput;
  throw isInput ? wrongUsage(error.message) : error;
}

function examplesOf(acts: readonly Act[]): string {
  return ['', 'Examples:', ...acts.map(({ example }) => `  $ concordat ${example}`)].join('\n');
}
