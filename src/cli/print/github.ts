import type { DiffReport } from '../diff/report.ts';
import { counted } from '../output.ts';
import { githubMessage, githubProperty } from './escape.ts';
import { findFindings } from './find-positions.ts';
import { headline } from './words.ts';

const commands = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** GitHub shows ten annotations of a step and fifty of a job; the others are only in its log. */
const maxOfFile = 10;
const maxInAll = 50;

/**
 * Workflow commands: GitHub shows each as an annotation at its line of the pull request. Breaks come
 * first, so that they are among those that are shown.
 */
export async function toGithub(report: DiffReport): Promise<string> {
  const all = await findFindings(report);
  const levels = ['error', 'warning', 'note'];
  const ordered = all.toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
  const byFile = Map.groupBy(ordered, ({ file }) => file);
  const firsts = new Set([...byFile.values()].flatMap((found) => found.slice(0, maxOfFile)));
  const shown = ordered.filter((each) => firsts.has(each)).slice(0, maxInAll);
  const rest = all.length - shown.length;
  const lines = [
    ...shown.map(({ file, line, level, change, message }) => {
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
  const more = rest > 0 ? ` ${counted(rest, 'more finding')} without an annotation.` : '';
  return `${[...lines, `Concordat: ${githubMessage(headline(report))}.${more}`].join('\n')}\n`;
}

function command(
  name: 'error' | 'warning' | 'notice',
  at: { readonly file: string; readonly line: number; readonly title: string },
  message: string,
): string {
  const file = githubProperty(at.file);
  return `::${name} file=${file},line=${at.line},title=${githubProperty(at.title)}::${githubMessage(message)}`;
}
