import { type Command, Option } from 'commander';
import type { CommandContext } from '../../command-line.ts';
import {
  addAll,
  baseOption,
  connectionOptions,
  dbtOptions,
  dialectOption,
  environmentOption,
  formatOption,
  kindOption,
  namingOptions,
} from '../../options.ts';
import type { DeployOptions } from './deploy-command.ts';

/** `concordat can-i-deploy`. */
export function mountDeploy(command: Command, context: CommandContext): void {
  command
    .description(
      'Answers, for the contracts in these files, whether each consumer can read what would be published.\n' +
        'With --needs, answers for a consumer: whether the contracts in force meet what it reads. Nothing\n' +
        'is changed. Exit code 0: yes; 1: no.',
    )
    .argument('[files...]', 'files of any kind that diff reads, or folders');
  addAll(command, [
    new Option(
      '--needs <file>',
      'JSON or YAML: what a consumer reads, by FQN: fields or a schema, and guarantees',
    ),
    new Option('--asset <fqn>', 'the asset of a JSON Schema file'),
    environmentOption(),
    kindOption(),
    ...namingOptions(),
    ...dbtOptions(),
    dialectOption(),
    baseOption(),
    formatOption(),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((files: string[], options: DeployOptions) =>
    context.run(async () => {
      const { runDeploy } = await import('./deploy-command.ts');
      return runDeploy(files, options, context.io);
    }),
  );
}

const examples = `
Examples:
  $ concordat can-i-deploy --environment production contracts/
  $ concordat can-i-deploy --needs needs.yaml

needs.yaml:
  shop.public.orders:
    fields: [$.id, $.total]`;
