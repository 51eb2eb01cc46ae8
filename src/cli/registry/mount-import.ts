import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import {
  addAll,
  connectionOptions,
  dbtOptions,
  environmentOption,
  formatOption,
  kindOption,
  namingOptions,
} from '../options.ts';
import type { ImportOptions } from './import-command.ts';

/** `concordat import`. */
export function mountImport(command: Command, context: CommandContext): void {
  command
    .description(
      'Imports dbt manifests, OpenAPI documents, GraphQL schemas, ODCS contracts, and the results\n' +
        'of a dbt run (run_results.json). Each file is imported in one transaction; importing the same\n' +
        'file again changes nothing. To publish DataContracts and bare JSON Schemas, use publish.',
    )
    .argument('<files...>', 'files, or - for standard input')
    .addOption(new Option('--owner <team>', 'default owner of assets: name, slug or id'));
  addAll(command, [
    new Option('--service <service>', 'service that new assets belong to: name or id'),
    new Option('--conflict <mode>', 'what to do with existing assets')
      .choices(['ignore', 'overwrite', 'fail'])
      .default('ignore'),
    new Option('--publish', 'publish the schemas as contracts'),
    new Option('--no-publish', 'do not publish contracts (OpenAPI publishes them by default)'),
    new Option(
      '--propose',
      'propose breaking changes to consumers (implied by --publish, except for dbt)',
    ),
    new Option('--no-propose', 'fail if a change is breaking'),
    new Option('--register-consumers', 'register the consumers that the file declares'),
    new Option('--infer-consumers', 'dbt: register the owners of models that reference a model'),
    new Option('--prune <how>', 'what to do with assets that are missing from the file').choices([
      'report',
      'deprecate',
    ]),
    new Option(
      '--partial',
      'skip assets with breaking changes instead of refusing the whole import',
    ),
    new Option('--dry-run', 'show the result without writing anything'),
    kindOption(),
    ...namingOptions(),
    ...dbtOptions(),
    environmentOption(),
    formatOption(),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((files: string[], options: ImportOptions) =>
    context.run(async () => {
      const { runImport } = await import('./import-command.ts');
      return runImport(files, options, context.io);
    }),
  );
}

const examples = `
Examples:
  $ concordat import --owner data-platform --publish --propose target/manifest.json
  $ concordat import --owner shop --naming path --dry-run openapi.yaml
  $ concordat import target/run_results.json`;
