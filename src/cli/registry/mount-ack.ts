import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import { addAll, connectionOptions, environmentOption, formatOption } from '../options.ts';
import type { AckOptions } from './ack-command.ts';

/** `concordat ack`. */
export function mountAck(command: Command, context: CommandContext): void {
  command
    .description(
      'Answers a proposal as one of its consumers: approved, migrating (until a date), or blocked with\n' +
        'a reason. A second answer of the same team takes the place of its first.',
    )
    .argument('<proposal>', 'the id of a proposal, or the FQN of the asset that it is about');
  addAll(command, [
    new Option('--response <answer>', 'what the team says')
      .choices(['approved', 'migrating', 'blocked'])
      .default('approved'),
    new Option('--notes <text>', 'what there is to say; needed with blocked'),
    new Option('--until <date>', 'with migrating: until when the old version is read'),
    new Option('--team <team>', 'who answers; needed of a key for several teams'),
    new Option(
      '--round <number>',
      'the round of the proposal that was read; a later one is not answered',
    ).argParser(Number),
    new Option('--reason <text>', 'why an administrator answers for another team'),
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
