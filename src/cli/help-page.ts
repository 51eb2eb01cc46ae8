// docs/command-line.md, made from what `--help` says: the page and the program cannot disagree.

import { buildProgram, type CommandRow } from './command-line.ts';

/** Every command's help, in the order in which people meet them. */
export async function commandLinePage(rows: readonly CommandRow[]): Promise<string> {
  const silent = { write: () => true, on: () => silent } as unknown as NodeJS.WritableStream;
  const io = { stdin: noInput(), stdout: silent, stderr: silent, env: {}, version: '' };
  const program = await buildProgram(rows, io, 'all');
  const pages = program.commands.flatMap((command) => [
    `## concordat ${command.name()}`,
    '',
    `${capital(command.summary())}.`,
    '',
    '```text',
    helpOf(command),
    '```',
    '',
  ]);
  return ['```text', helpOf(program), '```', '', ...pages].join('\n').trimEnd();
}

/** With what stands after the options, which `helpInformation` leaves out. */
function helpOf(command: {
  configureOutput: (configuration: { writeOut: (text: string) => void }) => unknown;
  outputHelp: () => void;
}): string {
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
