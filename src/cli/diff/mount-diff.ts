import type { Command } from 'commander';
import type { CommandContext } from '../command-line.ts';
import {
  acceptanceOptions,
  addAll,
  comparingOptions,
  registryOptions,
  reportOptions,
  stateOption,
} from '../options.ts';
import type { DiffOptions } from './diff-options.ts';

/** `concordat diff`. */
export function mountDiff(command: Command, context: CommandContext): void {
  command
    .description(
      'Compares the current version with a new one. Prints the changes, whether they break, an example\n' +
        'for each break, and the affected consumers where they are known. Files may be JSON\n' +
        'Schemas, DataContracts, dbt manifests, OpenAPI, Swagger and AsyncAPI documents, GraphQL SDL or\n' +
        'introspections, ODCS contracts, Data Contract Specifications or CustomResourceDefinitions; the kind\n' +
        'of a file is detected from its content. A file of another kind is refused, and a part that was not\n' +
        'read and is not the same on both sides ends with 3, or with 1 if what was read breaks. Schemas\n' +
        'may refer to files in their folder and below --base. The mode of the old contract applies, so that\n' +
        'weakening the mode and breaking the contract in one step is not allowed.',
    )
    .argument('[inputs...]', 'two files or folders, REF:path, two refs, or paths for --against')
    .option(
      '--against <ref>',
      'compare paths with the point where this branch, tag or commit forked off',
    )
    .option('--head <ref>', 'with --against: compare this ref instead of the work tree')
    .option(
      '--suggest',
      'for JSON Schemas and DataContracts: also print edits that would make the new version compatible',
    )
    .option(
      '--agreements',
      'with --against: also ask the registry whom a break affects, and accept it if all of them have agreed',
    )
    .option('--staged', 'compare staged files with HEAD or --against, for a pre-commit hook')
    .addOption(stateOption());
  addAll(command, [
    ...comparingOptions(),
    ...reportOptions(),
    ...acceptanceOptions(),
    ...registryOptions(),
  ]);
  command.addHelpText('after', examples).action((inputs: string[], options: DiffOptions) =>
    context.run(async () => {
      const { runDiff } = await import('./diff-command.ts');
      return runDiff(inputs, options, context.io);
    }),
  );
}

const examples = `
Examples:
  Two files, whatever they are called:
  $ concordat diff orders-v1.json orders-v2.json
  $ concordat diff main:openapi.yaml openapi.yaml

  What this branch would break, in every contract of a folder:
  $ concordat diff --against main contracts/
  $ concordat diff --against origin/main --format markdown > comment.md

  Two refs, or what is about to be committed:
  $ concordat diff v1.4.0 v1.5.0 contracts/
  $ concordat diff --staged contracts/

  The models of a pull request, beside the manifest of production:
  $ concordat diff --state prod-artifacts
  $ concordat diff --state prod-artifacts --registry https://registry.example.com target/manifest.json

  A file beside what a registry has, with the consumers it hits:
  $ concordat diff --registry https://registry.example.com target/manifest.json
  $ concordat diff --registry https://registry.example.com --asset shop.public.orders orders.json

Accepted breaks stand in .concordat-ignore, each with a reason and the last day it holds:
  - asset: shop.public.orders        # an FQN, a name or a file; * stands for anything
    change: property_removed         # may be left out: any change
    path: $.properties.email         # may be left out: anywhere
    reason: Analytics reads email_hash since May.
    until: 2026-12-31`;
