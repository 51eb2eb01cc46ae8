import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Authenticator, type HeadReference, parseHead } from '../../core/audit/seal.ts';
import type { CommandContext, CommandMount } from '../command-line.ts';
import { addAll, connectionOptions, formatOption } from '../options.ts';
import type { VerifyAuditOptions } from './verify-audit-command.ts';

/** `concordat verify-audit`. The authenticator with the trail's key is an argument. */
export function mountVerifyAudit(authenticatorOf: (key: string) => Authenticator): CommandMount {
  return (command, context) => mount(command, context, authenticatorOf);
}

function mount(
  command: Command,
  context: CommandContext,
  authenticatorOf: (key: string) => Authenticator,
): void {
  command
    .description(
      'Verifies the audit trail. Prints the sealed range, the events that are not sealed yet, and the\n' +
        'events that were altered, removed, added or swapped. With a file, it verifies an export (GET\n' +
        '/api/v1/audit/events/export) offline; without a file, it asks the registry. To detect a\n' +
        'truncated trail, pass a checkpoint that you kept with --head. If AUDIT_KEY is set, the\n' +
        'checkpoints of an export are checked against it.',
    )
    .argument('[export]', 'a file, or - for standard input');
  addAll(command, [
    new Option(
      '--head <head>',
      'checkpoint that the trail must still contain: sequence:hash',
    ).argParser(toHead),
    formatOption(),
    ...connectionOptions(),
  ]);
  command
    .addHelpText('after', examples)
    .action((file: string | undefined, options: VerifyAuditOptions) =>
      context.run(async () => {
        const { runVerifyAudit } = await import('./verify-audit-command.ts');
        return runVerifyAudit(file, options, context.io, authenticatorOf);
      }),
    );
}

function toHead(text: string): HeadReference {
  const head = parseHead(text);
  if (head !== null) return head;
  throw new InvalidArgumentError('Use <sequence>:<hash>, as printed in the log.');
}

const examples = `
Examples:
  $ concordat verify-audit --registry https://registry.example.com
  $ concordat verify-audit --head 90210:4f0e... audit.ndjson
  $ AUDIT_KEY=... concordat verify-audit --format json - < audit.ndjson

Exit codes: 0 intact, 1 not intact, 3 an export that cannot be read or was cut short.`;
