import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import {
  addAll,
  assetOption,
  connectionOptions,
  dialectOption,
  environmentOption,
  formatOption,
  modeOption,
} from '../options.ts';
import type { PublishOptions } from './publish-command.ts';

/** `concordat publish`. */
export function mountPublish(command: Command, context: CommandContext): void {
  command
    .description(
      'Publishes JSON Schemas and DataContract manifests. What nobody can feel is active at once. What\n' +
        'breaks becomes a proposal that the registered consumers answer first: the exit code is 1 then,\n' +
        'and nothing has changed yet. The same contract again changes nothing.',
    )
    .argument('<files...>', 'JSON Schemas, DataContracts, folders, or - for standard input')
    .addOption(assetOption())
    .addOption(
      new Option('--owner <team>', 'creates the asset for this team, where there is none'),
    );
  addAll(command, [
    modeOption('the compatibility mode (default: that of the active contract)'),
    new Option('--contract-version <version>', 'ask for a version, such as 2.0.0'),
    new Option('--supersede', 'take the place of an open proposal'),
    new Option('--dry-run', 'answer as the real call would, and write nothing'),
    new Option('--commit <id>', 'the commit it comes from'),
    new Option('--fail-on <what>', 'what makes the exit code 1')
      .choices(['breaking', 'never'])
      .default('breaking'),
    dialectOption(),
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
