// The commands and their options as plain rows, for completion and the page in docs.

import type { Command, Option } from 'commander';

export interface CommandModel {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionModel[];
  /**
   * Its subcommands, and the choices of its arguments if they are fixed; empty if they are files or
   * names.
   */
  readonly choices: readonly string[];
}

export interface OptionModel {
  readonly names: readonly string[];
  readonly text: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export function modelOf(program: Command): readonly CommandModel[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: [...optionsOf(command), helpOption],
    choices: [
      ...command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
      ...command.commands.map((word) => word.name()),
    ],
  }));
}

/** Includes the options of subcommands, each once. */
function optionsOf(command: Command): readonly OptionModel[] {
  const all = [command, ...command.commands].flatMap((each) => each.options.map(optionOf));
  return [...new Map(all.map((option) => [option.names.join(), option])).values()];
}

const helpOption: OptionModel = {
  names: ['-h', '--help'],
  text: 'display help for command',
  takesValue: false,
  choices: [],
};

function optionOf(option: Option): OptionModel {
  const names = [option.short, option.long].filter((name) => name !== undefined && name !== null);
  return {
    names,
    text: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  };
}
