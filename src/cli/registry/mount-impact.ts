import type { Command } from 'commander';
import type { CommandContext } from '../command-line.ts';
import type { DiffOptions } from '../diff/diff-options.ts';
import {
  acceptanceOptions,
  addAll,
  baseOption,
  dbtOptions,
  dialectOption,
  kindOption,
  namingOptions,
  registryOptions,
  reportOptions,
  stateOption,
} from '../options.ts';

/** `concordat impact`. */
export function mountImpact(command: Command, context: CommandContext): void {
  command
    .description(
      'Shows what publishing these files would do to each consumer, and which assets depend on what\n' +
        'breaks. Nothing is changed. Exit code 1: a consumer breaks by what it has said that it reads, or\n' +
        'a change breaks and a consumer has not said what it reads. For files that are imported, only\n' +
        'breaking changes are listed; use diff to list all changes.',
    )
    .argument('<files...>', 'files of any kind that diff reads, folders, or - for standard input');
  addAll(command, [
    kindOption(),
    ...namingOptions(),
    ...dbtOptions(),
    stateOption(),
    dialectOption(),
    baseOption(),
    ...reportOptions(),
    ...acceptanceOptions(),
    ...registryOptions(),
  ]);
  command.addHelpText('after', examples).action((files: string[], options: DiffOptions) =>
    context.run(async () => {
      const { diffWithRegistry } = await import('./diff-registry.ts');
      return diffWithRegistry(files, options, context.io, 'impact');
    }),
  );
}

const examples = `
Examples:
  $ export CONCORDAT_URL=https://registry.example.com CONCORDAT_KEY=cdt_live_...
  $ concordat impact target/manifest.json
  $ concordat impact --state prod-artifacts target/manifest.json
  $ concordat impact --asset shop.public.orders orders.schema.json
  $ concordat impact --format markdown openapi.yaml > comment.md`;
