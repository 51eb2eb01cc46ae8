import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import {
  addAll,
  connectionOptions,
  environmentOption,
  formatOption,
  wholeNumber,
} from '../options.ts';
import type { AckOptions } from './ack-command.ts';

/** `concordat ack`. */
export function mountAck(command: Command, context: CommandContext): void {
  command
    .description(
      'Answers a proposal for a consumer: approved, migrating (until a date), or blocked with a\n' +
        'reason. A new answer of a team replaces its previous one.',
    )
    .argument('<proposal>', 'id of a proposal, or FQN of its asset');
  addAll(command, [
    new Option('--response <answer>', 'answer of the team')
      .choices(['approved', 'migrating', 'blocked'])
      .default('approved'),
    new Option('--notes <text>', 'note for the producer; required for blocked'),
    new Option('--until <date>', 'with migrating: last day that the old version is needed'),
    new Option('--team <team>', 'team that answers; required if the key acts for several teams'),
    new Option('--round <number>', 'answer only if the proposal is still in this round').argParser(
      wholeNumber(1),
    ),
    new Option('--reason <text>', 'reason why an administrator answers for another team'),
    environmentOption(),
    formatOption(),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((proposal: string, options: AckOptions) =>
    context.run(async () => {
      const { runAck } = await import('./ack-command.ts');
      return runAck(proposal, options, context.io);
    }),
  );
}

const examples = `
Examples:
  $ concordat ack shop.public.orders --notes "We read email_hash since May."
  $ concordat ack shop.public.orders --response migrating --until 2026-12-31
  $ concordat ack shop.public.orders --response blocked --notes "The report of March needs it."`;
