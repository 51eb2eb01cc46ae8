// The program of the package `concordat`: the commands that need no server of their own. The image has
// the others.

import packageFile from '../../../package.json' with { type: 'json' };
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { commands } from '../../../src/cli/commands.ts';
import { exitCode } from '../../../src/cli/exit-code.ts';

const { argv, env, stdin, stdout, stderr } = process;
const io = { stdin, stdout, stderr, env, version: packageFile.version };
process.exitCode = await runCommandLine(argv.slice(2), io, commands).catch((error: unknown) => {
  stderr.write(`${explainMissing(error) ?? stackOf(error)}\n`);
  return exitCode.unreadableInput;
});

/** What only some commands need is not installed with the package. */
function explainMissing(error: unknown): string | null {
  const [, name] = /^Cannot find package '([^']+)'/.exec(messageOf(error)) ?? [];
  const versions: Readonly<Record<string, string | undefined>> = packageFile.dependencies;
  const version = name === undefined ? undefined : versions[name];
  if (version === undefined) return null;
  return (
    `This command needs the package ${name}, which is not installed with concordat. ` +
    `Install it beside concordat: npm install ${name}@${version}`
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
