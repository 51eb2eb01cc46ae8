// `--comment`: keeps a report as a comment on the pull or merge request of the job. A failure is
// reported in one line and does not change the exit code.

import type { CommandLineIo } from '../command-line.ts';
import type { DiffReport } from '../diff/report.ts';
import { printable } from '../output.ts';
import { toMarkdown } from '../print/markdown.ts';
import { useProxyOf } from '../use-proxy.ts';
import { findConversation } from './forge.ts';
import { keepComment } from './keep-comment.ts';

export async function commentOnJob(
  report: DiffReport,
  { comment: name, timeout }: { readonly comment: string; readonly timeout: number },
  io: CommandLineIo,
): Promise<void> {
  const conversation = await findConversation(io.env);
  if (typeof conversation === 'string') {
    io.stderr.write(`No comment was written: ${conversation}.\n`);
    return;
  }
  useProxyOf(io.env);
  const { items, problems, notices } = report;
  const isSilent =
    problems.length + notices.length === 0 &&
    items.every(({ changeKind }) => changeKind === 'unchanged');
  const text = isSilent ? null : toMarkdown(report);
  const timeoutMs = Math.min(timeout, maxTimeoutSeconds) * 1000;
  const failure = await keepComment(conversation, { name, text, timeoutMs });
  if (failure !== null) io.stderr.write(`${printable(failure)}\n`);
}

/** A job waits less for a comment than for the registry. */
const maxTimeoutSeconds = 20;
