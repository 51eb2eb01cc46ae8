import { createHash } from 'node:crypto';
import type { DiffReport } from '../diff/report.ts';
import { visible } from './escape.ts';
import { findFindings } from './find-positions.ts';

const severities = { error: 'critical', warning: 'minor', note: 'info' } as const;

interface Issue {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: 'info' | 'minor' | 'major' | 'critical' | 'blocker';
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

/** GitLab's Code Quality report, which GitLab compares with that of the target branch. */
export async function toGitlab(report: DiffReport): Promise<string> {
  const findings = await findFindings(report);
  const seen = new Map<string, number>();
  const issue = (
    check: string,
    severity: Issue['severity'],
    at: { readonly file: string; readonly line: number; readonly key: string },
    description: string,
  ): Issue => {
    // Makes two findings of one type at one place distinct, because GitLab identifies them only by
    // this key.
    const key = `${check}\0${at.file}\0${at.key}`;
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    return {
      description: visible(description),
      check_name: check,
      fingerprint: createHash('sha256').update(`${key}\0${count}`).digest('hex'),
      severity,
      location: { path: at.file, lines: { begin: at.line } },
    };
  };
  const issues = [
    ...findings.map(({ file, line, level, item, change, message }) =>
      issue(
        change.type,
        severities[level],
        { file, line, key: `${item.name}\0${change.path}` },
        message,
      ),
    ),
    ...report.problems.map(({ file, place, code, message, leavesUnread }) =>
      issue(
        code.toLowerCase(),
        leavesUnread ? 'critical' : 'minor',
        { file, line: 1, key: `${place}\0${message}` },
        `${place}: ${message}`,
      ),
    ),
    ...report.notices.map(({ file, line, message }) =>
      issue('acceptance', 'minor', { file, line, key: message }, message),
    ),
  ];
  return `${JSON.stringify(issues, null, 2)}\n`;
}
