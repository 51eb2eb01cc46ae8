import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import { addAll, connectionOptions, formatOption, wholeNumber } from '../options.ts';
import type { SearchOptions } from './search-command.ts';

/** `concordat search`. */
export function mountSearch(command: Command, context: CommandContext): void {
  command
    .description(
      'Searches a registry for assets, fields of contracts, teams and proposals by the beginning of their\n' +
        'names and by words, and prints the best results first.',
    )
    .argument('<words...>', 'the words to search for');
  addAll(command, [
    new Option(
      '--types <types>',
      'what to search for, with commas: asset, field, team, proposal, user',
    ),
    new Option('--limit <number>', 'the maximum number of results of each type, at most 50')
      .argParser(wholeNumber(1, 50))
      .default(10),
    formatOption(),
    new Option('--json', 'the same as --format json').implies({ format: 'json' }),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((asked: string[], options: SearchOptions) =>
    context.run(async () => {
      const { runSearch } = await import('./search-command.ts');
      return runSearch(asked, options, context.io);
    }),
  );
}

const examples = `
Examples:
  $ concordat search customer email
  $ concordat search orders --types asset,proposal
  $ concordat search email --types field --json`;
