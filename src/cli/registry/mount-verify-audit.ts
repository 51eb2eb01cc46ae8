import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Authenticator, type HeadReference, parseHead } from '../../core/audit/seal.ts';
import type { CommandContext, CommandMount } from '../command-line.ts';
import { addAll, connectionOptions, formatOption } from '../options.ts';
import type { VerifyAuditOptions } from './verify-audit-command.ts';

/** `concordat verify-audit`; what holds the key of the trail is handed in. */
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
      'Says whether the audit trail is what was written: the sealed range, the tail that is not sealed\n' +
        'yet, and the first event that was altered, removed, added or swapped. With a file it reads an\n' +
        'export (GET /api/v1/audit/events/export) and asks nobody; without one it asks the registry. A\n' +
        'tail that was cut off is found given a head that was kept elsewhere. With AUDIT_KEY set, heads\n' +
        'of an export are held against it.',
    )
    .argument('[export]', 'a file, or - for standard input');
  addAll(command, [
    new Option('--head <head>', 'a head that the trail must still hold: sequence:hash').argParser(
      toHead,
    ),
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
  throw new InvalidArgumentError('It must be a sequence, a colon and a hash, as the log has it.');
}

const examples = `
Examples:
  $ concordat verify-audit --registry https://registry.example.com
  $ concordat verify-audit --head 90210:4f0e... audit.ndjson
  $ AUDIT_KEY=... concordat verify-audit --format json - < audit.ndjson

Exit codes: 0 intact, 1 not intact, 3 an export that cannot be read or was cut short.`;
