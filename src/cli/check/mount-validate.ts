import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import {
  addAll,
  connectionOptions,
  dialectOption,
  environmentOption,
  formatOption,
  wholeNumber,
} from '../options.ts';
import { boundYoungGeneration } from './bound-young-generation.ts';
import type { ValidateOptions } from './validate-command.ts';

/** `concordat validate`. */
export function mountValidate(command: Command, context: CommandContext): void {
  command
    .description(
      'Checks values against a contract, and prints what is wrong with each, and where. Reads one JSON\n' +
        'value a line (NDJSON), in constant memory; of a file that ends with .json, one value, or each\n' +
        'item of a list. Ends with 1 if a value is not valid.',
    )
    .argument(
      '<contract>',
      'a file with a contract (DataContract, JSON Schema, ODCS, OpenAPI and more), or the FQN of an asset',
    )
    .argument('[data]', 'a file of values; - or nothing reads standard input', '-');
  addAll(command, [...termsOptions(), showOption(), formatOption(), ...connectionOptions()]);
  command
    .addHelpText('after', examples)
    .action((contract: string, data: string, options: ValidateOptions) =>
      context.run(async () => {
        boundYoungGeneration();
        const { runValidate } = await import('./validate-command.ts');
        return runValidate(contract, data, options, context.io);
      }),
    );
}

/** Which contract, and which part of it. */
export function termsOptions(): readonly Option[] {
  return [
    new Option('--asset <name>', 'of a file with several contracts: the FQN or name of one'),
    new Option('--contract-version <version>', 'a version in the registry, such as 1.2.0').default(
      'latest',
    ),
    environmentOption(),
    new Option('--part <part>', 'of an operation: what the values are').choices([
      'request',
      'response',
    ]),
    dialectOption(),
  ];
}

function showOption(): Option {
  return new Option('--show <count>', 'how many values with faults are printed')
    .argParser(wholeNumber(0))
    .default(20);
}

const examples = `
Examples:
  $ concordat validate contracts/orders.yaml orders.ndjson
  $ kcat -C -t orders -e | concordat validate shop.public.orders --registry https://registry.example.com`;
