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
      'Imports dbt manifests, OpenAPI documents, GraphQL schemas and ODCS contracts, and the results\n' +
        'of a dbt run (run_results.json). Each file is one transaction: all of it, or nothing; the same\n' +
        'file again changes nothing. DataContracts and bare JSON Schemas are published instead.',
    )
    .argument('<files...>', 'files, or - for standard input')
    .addOption(
      new Option('--owner <team>', 'owns what names no owner of its own: name, slug or id'),
    );
  addAll(command, [
    new Option('--conflict <mode>', 'what becomes of assets that exist')
      .choices(['ignore', 'overwrite', 'fail'])
      .default('ignore'),
    new Option('--publish', 'publish the schemas as contracts'),
    new Option('--no-publish', 'leave contracts alone (OpenAPI publishes them by default)'),
    new Option(
      '--propose',
      'propose what breaks to its consumers (what --publish does, except for dbt)',
    ),
    new Option('--no-propose', 'fail where something breaks'),
    new Option('--register-consumers', 'register the consumers that the file declares'),
    new Option('--infer-consumers', 'dbt: register the owners of models that reference a model'),
    new Option('--prune <how>', 'what becomes of assets that vanished from the file').choices([
      'report',
      'deprecate',
    ]),
    new Option('--partial', 'leave out an asset whose change breaks, instead of refusing all'),
    new Option('--dry-run', 'answer as the real import would, and write nothing'),
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
