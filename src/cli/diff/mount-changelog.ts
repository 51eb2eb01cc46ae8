import type { Command } from 'commander';
import type { CommandContext } from '../command-line.ts';
import { addAll, comparingOptions } from '../options.ts';
import type { DiffOptions } from './diff-options.ts';

/** `concordat changelog`. */
export function mountChangelog(command: Command, context: CommandContext): void {
  command
    .description(
      'Writes what changed between two versions as release notes in Markdown: breaking changes first,\n' +
        'then what is deprecated, added and changed. Reads what diff reads. Exit code 0, or 3 if a part could\n' +
        'not be read.',
    )
    .argument('<inputs...>', 'two files or folders, REF:path, two refs, or paths for --against')
    .option('--against <ref>', 'compare paths with the point where this branch forked off');
  addAll(command, comparingOptions());
  command.addHelpText('after', examples).action((inputs: string[], options: DiffOptions) =>
    context.run(async () => {
      const { runDiff } = await import('./diff-command.ts');
      const { io } = context;
      const asked = { ...options, format: 'changelog', failOn: 'never', ignore: false } as const;
      // Without a registry: two versions of files are compared, whatever the settings are.
      return runDiff(inputs, asked, { ...io, env: { ...io.env, CONCORDAT_URL: undefined } });
    }),
  );
}

const examples = `
Examples:
  $ concordat changelog v1.4.0 v1.5.0 contracts/
  $ concordat changelog openapi-v1.yaml openapi-v2.yaml > CHANGES.md`;
