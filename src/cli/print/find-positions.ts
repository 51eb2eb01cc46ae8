// Findings for the formats of code hosts: one per change, with its file and line.

import type { DiffReport, ReportedChange, ReportItem } from '../diff/report.ts';
import { openLines } from '../input/find-line.ts';
import { listed } from '../output.ts';
import { acceptedText, shortJson } from './words.ts';

export interface Finding {
  readonly item: ReportItem;
  readonly change: ReportedChange;
  readonly file: string;
  readonly line: number;
  /** `error`: an unaccepted break; `warning`: needs attention; `note`: for information. */
  readonly level: 'error' | 'warning' | 'note';
  /** Sentences: the change, the affected consumers, and the example that breaks. */
  readonly message: string;
}

/** Findings for breaks, accepted breaks and warnings; compatible changes have none. */
export async function findFindings(report: DiffReport): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const findLine = openLines();
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
    ...(change.accepted === undefined ? [] : [capitalized(acceptedText(change.accepted))]),
  ].join(' ');
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
