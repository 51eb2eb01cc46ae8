// `concordat verify-audit`: verifies the trail in the registry, or an export on any machine.

import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { AuditReport } from '../../core/audit/check-audit.ts';
import { type Authenticator, formatHead, type HeadReference } from '../../core/audit/seal.ts';
import { startExportCheck } from '../../wire/audit-export.ts';
import type { CommandLineIo } from '../command-line.ts';
import { CommandFailure, type ExitCode, exitCode } from '../exit-code.ts';
import { whyUnread } from '../input/read-text.ts';
import type { RegistryOptions } from '../options.ts';
import { counted, printable, writeText } from '../output.ts';
import { readLines } from '../read-lines.ts';
import { connect, mustAnswer } from './connection/connect.ts';

export interface VerifyAuditOptions extends RegistryOptions {
  readonly head?: HeadReference;
  readonly format: 'text' | 'json';
}

/** The result of the registry's verification, or of an export's. */
interface Verification {
  readonly intact: boolean;
  readonly findings: readonly {
    readonly kind: string;
    readonly sequence: number | null;
    readonly event_id: string | null;
    readonly message: string;
  }[];
  readonly findings_total: number;
  readonly sealed: {
    readonly first_sequence: number;
    readonly last_sequence: number;
    readonly head: string;
    readonly sealed_at: string | null;
  } | null;
  readonly unsealed: { readonly events: number; readonly oldest: string | null };
  readonly heads: { readonly total: number; readonly authenticated: number };
}

export async function runVerifyAudit(
  file: string | undefined,
  options: VerifyAuditOptions,
  io: CommandLineIo,
  authenticatorOf: (key: string) => Authenticator,
): Promise<ExitCode> {
  const found =
    file === undefined
      ? await verifyInRegistry(options, io)
      : await checkExport(file, options, io, authenticatorOf);
  const text =
    options.format === 'json' ? `${JSON.stringify(found, null, 2)}\n` : verificationText(found);
  await writeText(io.stdout, text);
  return found.intact ? exitCode.fine : exitCode.breaking;
}

async function verifyInRegistry(
  options: VerifyAuditOptions,
  io: CommandLineIo,
): Promise<Verification> {
  const { client } = connect(options, io);
  const query = options.head === undefined ? {} : { head: formatHead(options.head) };
  return mustAnswer(await client.verifyAudit({ query }));
}

/** An event contains the largest request a few times over. */
const maxLineBytes = 64 * 1024 * 1024;

async function checkExport(
  file: string,
  { head }: VerifyAuditOptions,
  io: CommandLineIo,
  authenticatorOf: (key: string) => Authenticator,
): Promise<Verification> {
  const key = io.env.AUDIT_KEY || undefined;
  const check = startExportCheck({
    sha256: (text) => hash('sha256', text, 'hex'),
    ...(head === undefined ? {} : { expected: [head] }),
    ...(key === undefined ? {} : { authenticator: authenticatorOf(key) }),
  });
  const lines = readLines(file === '-' ? io.stdin : createReadStream(file), maxLineBytes);
  try {
    // One line at a time, because a trail of years does not fit in memory.
    for await (const line of lines) {
      if (line.kind === 'too_long') throw unreadable(file, 'a line is too long.');
      if (line.kind === 'not_utf8') throw unreadable(file, 'a line is not UTF-8.');
      check.takeLine(line.text);
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw unreadable(file, `it cannot be read: ${whyUnread(error)}.`);
  }
  const finished = check.finish();
  if (!finished.ok) throw unreadable(file, finished.message);
  return toVerification(finished.report);
}

function unreadable(file: string, message: string): CommandFailure {
  return new CommandFailure(exitCode.unreadableInput, `${file}: ${message}`);
}

function toVerification(report: AuditReport): Verification {
  const { sealed, unsealed } = report;
  return {
    intact: report.isIntact,
    findings: report.findings.map(({ kind, sequence, eventId, message }) => {
      return { kind, sequence, event_id: eventId, message };
    }),
    findings_total: report.findingCount,
    sealed:
      sealed === null
        ? null
        : {
            first_sequence: sealed.firstSequence,
            last_sequence: sealed.lastSequence,
            head: formatHead({ sequence: sealed.lastSequence, hash: sealed.lastHash }),
            sealed_at: sealed.sealedAt,
          },
    unsealed: { events: unsealed.count, oldest: unsealed.oldest },
    heads: { total: report.heads.count, authenticated: report.heads.authenticated },
  };
}

function verificationText(found: Verification): string {
  const { sealed, unsealed, heads, findings, findings_total: total } = found;
  const rest = total - findings.length;
  return `${[
    found.intact
      ? 'The audit trail is intact.'
      : `The audit trail is NOT intact: ${counted(total, 'finding')}.`,
    sealed === null
      ? 'Nothing is sealed yet.'
      : `Sealed: ${sealed.first_sequence} to ${sealed.last_sequence}, checkpoint ${sealed.head} (store it outside the database).`,
    `Not sealed yet: ${counted(unsealed.events, 'event')}.`,
    `Checkpoints: ${heads.total}; the key confirms ${heads.authenticated}.`,
    ...findings.map(
      ({ kind, sequence, message }) =>
        `✗ ${kind}${sequence === null ? '' : ` at ${sequence}`}: ${printable(message)}`,
    ),
    ...(rest > 0 ? [`and ${rest} more.`] : []),
  ].join('\n')}\n`;
}
