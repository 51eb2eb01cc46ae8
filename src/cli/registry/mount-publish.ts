import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import {
  addAll,
  assetOption,
  baseOption,
  connectionOptions,
  dialectOption,
  environmentOption,
  formatOption,
  modeOption,
  toDay,
} from '../options.ts';
import type { PublishOptions } from './publish-command.ts';

/** `concordat publish`. */
export function mountPublish(command: Command, context: CommandContext): void {
  command
    .description(
      'Publishes JSON Schemas and DataContract manifests. Compatible changes are published immediately.\n' +
        'A breaking change becomes a proposal that the registered consumers must answer first; the exit\n' +
        'code is then 1. Publishing the same contract again changes nothing.',
    )
    .argument('<files...>', 'JSON Schemas, DataContracts, folders, or - for standard input')
    .addOption(assetOption())
    .addOption(new Option('--owner <team>', 'create a missing asset with this owner'));
  addAll(command, [
    modeOption('compatibility mode (default: the mode of the active contract)'),
    new Option('--contract-version <version>', 'version to publish, such as 2.0.0'),
    new Option('--supersede', 'replace an open proposal'),
    new Option('--reason <text>', 'why a breaking change is made, for the consumers'),
    new Option('--contact <who>', 'whom the consumers may ask about a breaking change'),
    new Option('--answer-by <date>', 'last day for their answers, such as 2030-01-31').argParser(
      toDay,
    ),
    new Option('--migration <text>', 'how the consumers move to the new version'),
    new Option('--migrate-by <date>', 'last day of the old version, such as 2030-03-31').argParser(
      toDay,
    ),
    new Option('--dry-run', 'show the result without writing anything'),
    new Option('--commit <id>', 'commit that the files come from'),
    new Option('--fail-on <what>', 'which result sets exit code 1')
      .choices(['breaking', 'never'])
      .default('breaking'),
    dialectOption(),
    baseOption(),
    environmentOption(),
    formatOption(),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((files: string[], options: PublishOptions) =>
    context.run(async () => {
      const { runPublish } = await import('./publish-command.ts');
      return runPublish(files, options, context.io);
    }),
  );
}

const examples = `
Examples:
  $ concordat publish --asset shop.public.orders orders.schema.json
  $ concordat publish --owner shop --commit "$(git rev-parse HEAD)" contracts/
  $ concordat publish --dry-run contracts/orders.yaml`;
