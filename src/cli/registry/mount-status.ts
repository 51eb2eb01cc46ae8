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
      'Whether a registry is ready, what waits for answers in it (every open proposal with who has\n' +
        'answered what), and which contracts of its folders, repositories and clusters are not ready.\n' +
        'With FQNs, those assets: their version, their consumers, what waits.',
    )
    .argument('[assets...]', 'FQNs of assets');
  addAll(command, [
    new Option('--team <team>', 'only proposals that wait for this team'),
    new Option('--watch', 'look again and again, and print what changed; Ctrl-C ends it'),
    new Option('--interval <seconds>', 'between two looks').argParser(toSeconds).default(5),
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
