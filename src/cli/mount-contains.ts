import { type Command, Option } from 'commander';
import type { CommandContext } from './command-line.ts';
import { dialectOption, wholeNumber } from './options.ts';

/** `concordat contains`. */
export function mountContains(command: Command, context: CommandContext): void {
  command
    .description(
      'Prints yes, no with a counterexample, or undecided with a reason.\n' +
        'With --ndjson it reads questions {id, a, b, dialect?, formats?, closed?}, one a line, on\n' +
        'standard input, and writes {id, verdict, witness?, reason?, micros}, one a line, in order.',
    )
    .argument('[a]', 'is every value of this schema ...')
    .argument('[b]', '... a value of this one?')
    .option('--closed', 'treat a as its producer does: it emits only declared properties')
    .option('--no-formats', 'treat format as an annotation')
    .addOption(dialectOption())
    .addOption(
      new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'),
    )
    .option('--steps <count>', 'maximum number of steps for a question', wholeNumber(1))
    .option('--ndjson', 'answer questions from standard input')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ concordat contains narrow.json wide.json\n' +
        '  $ concordat contains --ndjson < questions.ndjson > answers.ndjson',
    )
    .action((a: string | undefined, b: string | undefined, options: object) =>
      context.run(async () => {
        const { runContains } = await import('./contains-command.ts');
        return runContains([a, b], options, context.io, (message) => command.error(message));
      }),
    );
}
