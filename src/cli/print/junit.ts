import {
  breakingOf,
  type DiffReport,
  type ReportedChange,
  type ReportItem,
} from '../diff/report.ts';
import { xmlText } from './escape.ts';
import { acceptedText, hitSentence, shortJson, verdictOf } from './words.ts';

/** One test case per contract: a break is a failure, and an unreadable contract is an error. */
export function toJunit(report: DiffReport): string {
  const unread = report.problems.filter(({ leavesUnread }) => leavesUnread);
  const failures = report.items.filter(({ isBreaking }) => isBreaking).length;
  const tests = report.items.length + unread.length;
  const counts = `tests="${tests}" failures="${failures}" errors="${unread.length}" skipped="0"`;
  const told = [
    ...report.problems.filter(({ leavesUnread }) => !leavesUnread),
    ...report.notices,
  ].map(({ file, message }) => `${file}: ${message}`);
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="concordat" ${counts}>`,
    `  <testsuite name="${xmlText(`${report.old} to ${report.next}`)}" ${counts}>`,
    ...report.items.flatMap(caseOf),
    ...unread.flatMap(({ file, place, code, message }) => [
      `    <testcase classname="${xmlText(file)}" name="${xmlText(place)}">`,
      `      <error type="${xmlText(code)}" message="${xmlText(message)}"/>`,
      '    </testcase>',
    ]),
    ...(told.length === 0 ? [] : [`    <system-out>${xmlText(told.join('\n'))}</system-out>`]),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

function caseOf(item: ReportItem): readonly string[] {
  const start = `    <testcase classname="${xmlText(item.origin.file)}" name="${xmlText(item.name)}"`;
  const breaking = breakingOf(item);
  const accepted = item.changes.filter((change) => change.accepted !== undefined);
  const [first] = breaking;
  if (first === undefined && accepted.length === 0) return [`${start}/>`];
  const hit = hitSentence(item);
  const text = [...(hit === null ? [] : [hit]), ...breaking.map(sentenceOf)].join('\n');
  return [
    `${start}>`,
    ...(first === undefined
      ? []
      : [
          `      <failure type="${first.type}" message="${xmlText(verdictOf(item))}">${xmlText(text)}</failure>`,
        ]),
    ...(accepted.length === 0
      ? []
      : [`      <system-out>${xmlText(accepted.map(sentenceOf).join('\n'))}</system-out>`]),
    '    </testcase>',
  ];
}

function sentenceOf({ type, description, witness, accepted }: ReportedChange): string {
  const shown = witness === undefined ? '' : `, for example ${shortJson(witness)}`;
  const until = accepted === undefined ? '' : ` (${acceptedText(accepted)})`;
  return `${type}: ${description}${shown}${until}`;
}
