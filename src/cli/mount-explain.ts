import type { Command } from 'commander';
import { changeRules } from '../core/diff/change-rules.ts';
import type { CommandContext } from './command-line.ts';
import { exitCode, wrongUsage } from './exit-code.ts';
import { writeText } from './output.ts';
import { ruleText } from './print/rule.ts';

/** `concordat explain`. */
export function mountExplain(command: Command, { io, run }: CommandContext): void {
  command
    .description(
      'Prints what a type of change means, when it breaks, what to do instead, and an example.\n' +
        'Without a type, it lists all of them. docs/rules.md has the same text.',
    )
    .argument('[type]', 'a type of change, such as property_removed')
    .addHelpText('after', '\nExamples:\n  $ concordat explain property_removed')
    .action((type: string | undefined) =>
      run(async () => {
        await writeText(io.stdout, explain(type));
        return exitCode.fine;
      }),
    );
}

function explain(type: string | undefined): string {
  if (type === undefined) return `${[...changeRules.keys()].join('\n')}\n`;
  const rule = changeRules.get(type);
  if (rule === undefined) {
    throw wrongUsage(
      `There is no type of change "${type}". Run \`concordat explain\` to list them.`,
    );
  }
  return ruleText(type, rule);
}
