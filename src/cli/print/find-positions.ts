// What the forms for code hosts are made from: one finding a change, with the file and the line that
// it is shown at.

import type { DiffReport, ReportedChange, ReportItem } from '../diff/report.ts';
import { findLine } from '../input/find-line.ts';
import { listed } from '../output.ts';
import { shortJson } from './words.ts';

export interface Finding {
  readonly item: ReportItem;
  readonly change: ReportedChange;
  readonly file: string;
  readonly line: number;
  /** Breaks and nobody accepted it; somebody should look; or it is told. */
  readonly level: 'error' | 'warning' | 'note';
  /** In sentences: what, whom it hits, and the value that shows it. */
  readonly message: string;
}

/** Breaking changes, those that were accepted, and warnings; what is fine is no finding. */
export async function findFindings(report: DiffReport): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const item of report.items) {
    for (const change of item.changes) {
      const level = levelOf(change);
      if (level === null) continue;
      const line = await findLine(item.origin, change.path);
      const { file } = item.origin;
      findings.push({ item, change, file, line, level, message: messageOf(item, change) });
    }
  }
  return findings;
}

function levelOf({ breaking, accepted, warning }: ReportedChange): Finding['level'] | null {
  if (breaking) return accepted === undefined ? 'error' : 'note';
  return warning === undefined ? null : 'warning';
}

function messageOf(item: ReportItem, change: ReportedChange): string {
  const names = item.consumers?.names ?? [];
  return [
    `${item.name}: ${change.description.replaceAll('`', '')}.`,
    ...(change.warning === undefined ? [] : [`${change.warning}.`]),
    ...(change.breaking && names.length > 0 ? [`It hits ${listed(names)}.`] : []),
    ...(change.witness === undefined ? [] : [`For example ${shortJson(change.witness)}`]),
    ...(change.accepted === undefined
      ? []
      : [`Accepted until ${change.accepted.until}: ${change.accepted.reason}`]),
  ].join(' ');
}
