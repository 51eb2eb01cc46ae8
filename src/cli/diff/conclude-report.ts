// Finishes a command from its report: acceptances, output, additional output files, exit code.

import { writeFile } from 'node:fs/promises';
import type { CommandLineIo } from '../command-line.ts';
import { CommandFailure, type ExitCode, exitCode } from '../exit-code.ts';
import { readTextFile } from '../input/read-text.ts';
import type { SourceFile } from '../input/subject.ts';
import type { RegistryOptions, ReportOptions } from '../options.ts';
import { paintFor, writeText } from '../output.ts';
import { type FormatContext, formatReport } from '../print/formats.ts';
import { type DiffReport, isRefused } from './report.ts';

interface AcceptanceSource {
  /** Reads a file of the new side; null if it does not exist. */
  readonly readBeside: (name: string) => Promise<SourceFile | null>;
  readonly isWhole: boolean;
}

interface ConcludeOptions extends ReportOptions, Pick<RegistryOptions, 'timeout'> {
  readonly ignore: boolean;
  readonly ignoreFile?: string;
}

export async function concludeReport(
  found: DiffReport,
  acceptance: AcceptanceSource,
  options: ConcludeOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const report = options.ignore ? await withAcceptances(found, acceptance, options) : found;
  const code = codeOf(report, options.failOn);
  const context: FormatContext = {
    paint: paintFor(io.stdout, io.env),
    version: io.version,
    isBlocking: code === exitCode.breaking,
    showsAll: options.show === 'all',
  };
  for (const { format, path } of options.report ?? []) {
    const plain = { ...context, paint: (_style: unknown, text: string) => text };
    await writeReport(path, await formatReport(report, format, plain));
  }
  await writeText(io.stdout, await formatReport(report, options.format, context));
  const { comment, timeout } = options;
  if (comment !== undefined) {
    const { commentOnJob } = await import('../forge/comment-on-job.ts');
    await commentOnJob(report, { comment, timeout }, io);
  }
  return code;
}

async function withAcceptances(
  report: DiffReport,
  { readBeside, isWhole }: AcceptanceSource,
  { ignoreFile }: ConcludeOptions,
): Promise<DiffReport> {
  const file =
    ignoreFile === undefined
      ? await readBeside('.concordat-ignore')
      : { path: ignoreFile, name: ignoreFile, isNamed: true, text: await readTextFile(ignoreFile) };
  if (file === null) return report;
  const { acceptBreaks } = await import('./accepted-breaks.ts');
  const today = new Date().toISOString().slice(0, 10);
  return acceptBreaks(report, file, { today, isWhole });
}

/**
 * A break is reported as a break even if other files are unreadable; without a break these are
 * never a success.
 */
function codeOf(report: DiffReport, failOn: ReportOptions['failOn']): ExitCode {
  const isBreaking = report.items.some((item) =>
    isRefused(item, failOn === 'may_break' ? 'may_break' : 'breaking'),
  );
  const isChanged = report.items.some(({ changeKind }) => changeKind !== 'unchanged');
  if (failOn !== 'never' && isBreaking) return exitCode.breaking;
  if (failOn === 'any' && isChanged) return exitCode.breaking;
  const isOpen = report.problems.some(({ leavesUnread }) => leavesUnread);
  return isOpen ? exitCode.unreadableInput : exitCode.fine;
}

async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(exitCode.wrongUsage, `${path} cannot be written: ${reason}`);
  }
}
