import { Argument, type Command } from 'commander';
import type { CommandContext } from '../command-line.ts';
import { exitCode } from '../exit-code.ts';
import { writeText } from '../output.ts';
import { modelOf } from './command-model.ts';
import { completionScript, type Shell, shells } from './scripts.ts';

/** `concordat completion`. */
export function mountCompletion(command: Command, context: CommandContext): void {
  command
    .description('Prints a shell script that completes commands, options and their values.')
    .addArgument(new Argument('<shell>', 'your shell').choices([...shells]))
    .addHelpText('after', examples)
    .action((shell: Shell) =>
      context.run(async () => {
        const program = await context.wholeProgram();
        await writeText(context.io.stdout, completionScript(shell, modelOf(program)));
        return exitCode.fine;
      }),
    );
}

const examples = `
Examples:
  $ concordat completion bash > /etc/bash_completion.d/concordat
  $ concordat completion zsh > "\${fpath[1]}/_concordat"
  $ concordat completion fish > ~/.config/fish/completions/concordat.fish`;
