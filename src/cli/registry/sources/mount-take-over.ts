import { type Command, Option } from 'commander';
import type { CommandContext } from '../../command-line.ts';
import { addAll, connectionOptions, environmentOption, formatOption } from '../../options.ts';
import type { TakeOverOptions } from './take-over-command.ts';

/** `concordat take-over`. */
export function mountTakeOver(command: Command, context: CommandContext): void {
  command
    .description(
      'Hands the contracts and registrations of a source that is gone, such as a cluster that was\n' +
        'rebuilt, to another source with the same objects. Without --yes, shows what would change.\n' +
        'Sources are named by id, identity or place, as `concordat status --format json` shows them.',
    )
    .argument('<source>', 'source that is gone');
  addAll(command, [
    new Option('--to <source>', 'source that takes over').makeOptionMandatory(),
    new Option('--reason <text>', 'reason, kept in the audit trail').makeOptionMandatory(),
    new Option('--asset <fqn>', 'take over only this asset and its registrations'),
    new Option('--yes', 'change it; without this option nothing is changed'),
    environmentOption(),
    formatOption(),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((source: string, options: TakeOverOptions) =>
    context.run(async () => {
      const { runTakeOver } = await import('./take-over-command.ts');
      return runTakeOver(source, options, context.io);
    }),
  );
}

const examples = `
Examples:
  $ concordat take-over eu-west --to eu-west-2 --reason "The cluster was rebuilt."
  $ concordat take-over eu-west --to eu-west-2 --reason "The cluster was rebuilt." --yes
  $ concordat take-over eu-west --to eu-west-2 --asset shop.orders --reason "It moved." --yes`;
