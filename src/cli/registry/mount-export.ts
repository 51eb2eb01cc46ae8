import { type Command, Option } from 'commander';
import { exportFormats } from '../../core/export/export-format.ts';
import type { CommandContext } from '../command-line.ts';
import { addAll, connectionOptions, environmentOption } from '../options.ts';
import type { ExportOptions } from './export-command.ts';

/** `concordat export`. */
export function mountExport(command: Command, context: CommandContext): void {
  command
    .description(
      'Prints a contract from a registry as a DataContract manifest (ready for git), as an ODCS document,\n' +
        'as plain JSON Schema, or as types for a program in TypeScript or Python.',
    )
    .argument('<asset>', 'the FQN of an asset, or the id of a contract');
  addAll(command, [
    new Option('--format <format>', 'output format').choices(exportFormats).default('yaml'),
    new Option('--contract-version <version>', 'a version, such as 1.2.0').default('latest'),
    environmentOption(),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((asset: string, options: ExportOptions) =>
    context.run(async () => {
      const { runExport } = await import('./export-command.ts');
      return runExport(asset, options, context.io);
    }),
  );
}

const examples = `
Examples:
  $ concordat export shop.public.orders > contracts/orders.yaml
  $ concordat export shop.public.orders --format odcs --contract-version 1.2.0
  $ concordat export shop.public.orders --format python > orders.py`;
