import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import {
  addAll,
  connectionOptions,
  environmentOption,
  formatOption,
  toSeconds,
} from '../options.ts';
import type { StatusOptions } from './status-command.ts';

/** `concordat status`. */
export function mountStatus(command: Command, context: CommandContext): void {
  command
    .description(
      'Shows whether a registry is ready, its open proposals with the answers of their consumers, and\n' +
        'the contracts of its folders, repositories and clusters that are not ready. With FQNs, also\n' +
        'shows the version, consumers and open proposals of those assets.',
    )
    .argument('[assets...]', 'FQNs of assets');
  addAll(command, [
    new Option('--team <team>', 'only proposals that this team must answer'),
    new Option('--watch', 'keep watching and print changes; stop with Ctrl-C'),
    new Option('--interval <seconds>', 'time between two checks').argParser(toSeconds).default(5),
    environmentOption(),
    formatOption(),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((assets: string[], options: StatusOptions) =>
    context.run(async () => {
      const { runStatus } = await import('./status-command.ts');
      return runStatus(assets, options, context.io);
    }),
  );
}

const examples = `
Examples:
  $ concordat status
  $ concordat status shop.public.orders shop.public.customers
  $ concordat status --team finance --watch`;
