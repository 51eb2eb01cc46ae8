import type { DiffReport } from '../diff/report.ts';
import { githubMessage, githubProperty } from './escape.ts';
import { findFindings } from './find-positions.ts';
import { headline } from './words.ts';

const commands = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** Workflow commands: GitHub shows each as an annotation at its line of the pull request. */
export async function toGithub(report: DiffReport): Promise<string> {
  const findings = await findFindings(report);
  const lines = [
    ...findings.map(({ file, line, level, change, message }) => {
      const title = level === 'error' ? `Breaking: ${change.type}` : change.type;
      return command(commands[level], { file, line, title }, message);
    }),
    ...report.problems.map(({ file, place, message, leavesUnread }) => {
      const level = leavesUnread ? 'error' : 'warning';
      return command(level, { file, line: 1, title: 'Not read' }, `${place}: ${message}`);
    }),
    ...report.notices.map(({ file, line, message }) =>
      command('warning', { file, line, title: 'Acceptance' }, message),
    ),
  ];
  // This summary line also appears in the step's log, so it must not look like a command.
  return `${[...lines, `Concordat: ${githubMessage(headline(report))}.`].join('\n')}\n`;
}

function command(
  name: 'error' | 'warning' | 'notice',
  at: { readonly file: string; readonly line: number; readonly title: string },
  message: string,
): string {
  const file = githubProperty(at.file);
  return `::${name} file=${file},line=${at.line},title=${githubProperty(at.title)}::${githubMessage(message)}`;
}
