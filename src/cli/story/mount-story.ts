import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import { exitCode, wrongUsage } from '../exit-code.ts';
import { UnreadableInput } from '../read-input.ts';

const acts = {
  break: 'Three orders break their contract again.',
  repair: 'All orders match their contract again.',
} as const;

/** `concordat story`. */
export function mountStory(command: Command, { io, run }: CommandContext): void {
  command
    .description(
      'Changes the table behind the demo data of `concordat serve --story`, as the job that loads it would:\n' +
        'break puts three wrong orders into it, repair corrects them. Check it with `concordat check`.',
    )
    .addArgument(
      command.createArgument('<act>', 'what happens to the table').choices(Object.keys(acts)),
    )
    .addOption(
      new Option('--source <source>', 'the database of the table (default: CONCORDAT_SOURCE)'),
    )
    .addHelpText('after', '\nExamples:\n  $ concordat story repair')
    .action((act: keyof typeof acts, { source }: { source?: string }) =>
      run(async () => {
        const url = source ?? io.env.CONCORDAT_SOURCE ?? '';
        if (url === '')
          throw wrongUsage('No source was given. Use --source, or set CONCORDAT_SOURCE.');
        const { breakStoryTable, repairStoryTable } = await import('./story-table.ts');
        await (act === 'break' ? breakStoryTable(url) : repairStoryTable(url)).catch((error) => {
          throw new UnreadableInput(
            `The table of the demo data cannot be changed: ${String(error)}. Start make run, and use the address of its database warehouse.`,
          );
        });
        io.stdout.write(`${acts[act]}\n`);
        return exitCode.fine;
      }),
    );
}
