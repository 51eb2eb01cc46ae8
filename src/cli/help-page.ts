// docs/command-line.md, made from the output of `--help`, so that the two always agree.

import type { Command } from 'commander';
import { buildProgram, type CommandRow } from './command-line.ts';

/** The help of every command, in the order in which users meet them. */
export async function commandLinePage(rows: readonly CommandRow[]): Promise<string> {
  const silent = { write: () => true, on: () => silent } as unknown as NodeJS.WritableStream;
  const io = { stdin: noInput(), stdout: silent, stderr: silent, env: {}, version: '' };
  const program = await buildProgram(rows, io, 'all');
  const pages = program.commands.flatMap((command) => [
    ...section(`## concordat ${command.name()}`, command),
    ...command.commands.flatMap((word) =>
      section(`### concordat ${command.name()} ${word.name()}`, word),
    ),
  ]);
  return ['```text', helpOf(program), '```', '', ...pages].join('\n').trimEnd();
}

function section(heading: string, command: Command): readonly string[] {
  const summary = `${capital(command.summary())}.`;
  return [heading, '', summary, '', '```text', helpOf(command), '```', ''];
}

/** Includes the text after the options, which `helpInformation` omits. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

async function* noInput(): AsyncGenerator<string> {
  // Printing help reads no input.
}
