// Release notes in Markdown: what changed for the readers of each contract, in words, without examples
// and without verdicts.

import { placeText, sentenceOf } from '../../core/diff/change-text.ts';
import type { DiffReport, ReportedChange, ReportItem } from '../diff/report.ts';
import { counted } from '../output.ts';
import { markdownCode, markdownText } from './escape.ts';

const headings = ['Breaking', 'Deprecated', 'Added', 'Changed'] as const;
type Heading = (typeof headings)[number];

const contracts = { new: 'New', removed: 'Removed' } as const;

/** @example toChangelog(report) // '# Changes from 1.json to 2.json\n\n## `orders` ...' */
export function toChangelog(report: DiffReport): string {
  const head = `# Changes from ${markdownCode(report.old)} to ${markdownCode(report.next)}`;
  const whole = Object.entries(contracts).flatMap(([kind, heading]) =>
    section(
      `## ${heading}`,
      report.items
        .filter((item) => item.changeKind === kind)
        .map((item) => markdownCode(item.name)),
    ),
  );
  const modified = report.items.filter(({ changeKind }) => changeKind === 'modified');
  const each = modified.flatMap((item) => itemLines(item));
  const unread = report.problems.map(
    ({ file, place, message }) => `${markdownCode(`${file}, ${place}`)}: ${markdownText(message)}`,
  );
  const lines = [...whole, ...each, ...section('## Not read', unread)];
  return `${[head, '', ...(lines.length === 0 ? ['Nothing changed.', ''] : lines)].join('\n').trimEnd()}\n`;
}

function itemLines(item: ReportItem): readonly string[] {
  const told = item.changes.filter((change) => headingOf(change) !== null);
  const rest = item.changes.length - told.length;
  const sections = headings.flatMap((heading) =>
    section(
      `### ${heading}`,
      told.filter((change) => headingOf(change) === heading).map(changeLine),
    ),
  );
  const more = rest === 0 ? [] : [`${counted(rest, 'description')} changed.`, ''];
  return [`## ${markdownCode(item.name)}`, '', ...sections, ...more];
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [heading, '', ...lines.map((line) => `- ${line}`), ''];
}

/** Null for descriptions, titles and examples, which are only counted. */
function headingOf(change: ReportedChange): Heading | null {
  if (change.breaking) return 'Breaking';
  if (change.type === 'annotation_changed') return isDeprecation(change) ? 'Deprecated' : null;
  return change.type.endsWith('_added') ? 'Added' : 'Changed';
}

/** An annotation that changed is named first in the sentence. */
function isDeprecation(change: ReportedChange): boolean {
  return change.new === true && sentenceOf(change).startsWith('deprecated ');
}

function changeLine(change: ReportedChange): string {
  if (change.type === 'annotation_changed') return markdownCode(placeText(change.path));
  return `${markdownCode(placeText(change.path))}: ${markdownText(sentenceOf(change))}`;
}
