// A comment on a merge request, which states what breaks, which consumers it affects, and an
// example that breaks, in that order. Text from users is escaped.

import { definitionText, exampleText, placeText, sentenceOf } from '../../core/diff/change-text.ts';
import { type SharedChange, splitChanges } from '../../core/diff/shared-changes.ts';
import {
  countItems,
  type DiffReport,
  inOrder,
  type ReportedChange,
  type ReportItem,
} from '../diff/report.ts';
import { counted, listed, listedFirst, maxNames } from '../output.ts';
import { markdownCode, markdownText } from './escape.ts';
import { acceptedText, consumerLines, headline, suggestionLines, verdictOf } from './words.ts';

/** GitHub accepts 65,536 characters in a comment; the remaining items are counted. */
const maxLength = 60_000;
/** Warnings leave room for what breaks. */
const maxTailLength = 20_000;
/** Further breaks of one contract are only counted. */
const maxChanges = 20;

export function toMarkdown(report: DiffReport): string {
  const isBroken = report.items.some(({ isBreaking }) => isBreaking);
  const isOpen = report.problems.some(({ leavesUnread }) => leavesUnread);
  const mark = isBroken ? '❌' : isOpen ? '⚠️' : '✅';
  const counts = countItems(report.items);
  const sides = `${markdownCode(report.old)} → ${markdownCode(report.next)}`;
  const totals = `${counts.new} new, ${counts.modified} modified, ${counts.removed} removed, ${counts.unchanged} unchanged`;
  const head = [`### ${mark} ${headline(report)}`, '', `${sides}: ${totals}.`, ''];
  const items = inOrder(report.items).filter(({ changeKind }) => changeKind !== 'unchanged');
  const { shared, own } = splitChanges<ReportedChange, ReportItem>(report.items);
  const isBreaking = (item: ReportItem) => item.changes.some(({ breaking }) => breaking);
  const breaking = items
    .filter(isBreaking)
    .map((item) => ({ ...item, changes: own.get(item) ?? [] }));
  const others = items.filter((item) => !isBreaking(item));
  const sections = [
    ...sharedSection(shared.filter(({ change }) => change.breaking)),
    ...breaking.filter(isBreaking).map(breakingSection),
    ...compatibleSection(others),
  ];
  return `${withinLimit(head, sections, tailOf(report)).join('\n').trimEnd()}\n`;
}

/** Each break of a shared definition once, with the contracts that reach it. */
function sharedSection(
  shared: readonly SharedChange<ReportedChange>[],
): readonly (readonly string[])[] {
  if (shared.length === 0) return [];
  const shown = shared.slice(0, maxChanges).map(({ change, definition, places }) => {
    const [first, ...rest] = places.map(({ name }) => markdownCode(name));
    const where = listed([
      first ?? '',
      ...(rest.length > 0 ? [counted(rest.length, 'other')] : []),
    ]);
    const text = `${markdownText(sentenceOf(change))} (${markdownCode(change.type)})`;
    return `- ${markdownCode(definitionText(definition))}: ${text}, in ${counted(places.length, 'contract')}: ${where}`;
  });
  const more = shared.length - shown.length;
  const last = more > 0 ? [`- and ${counted(more, 'more breaking change')}`] : [];
  return [['#### Shared definitions', '', ...shown, ...last, '']];
}

function breakingSection(item: ReportItem): readonly string[] {
  const breaking = item.changes.filter((change) => change.breaking);
  const shown = breaking.slice(0, maxChanges);
  const rest = breaking.length - shown.length;
  const more = item.changes.length - breaking.length;
  return [
    `#### ${markdownCode(item.name)}: ${markdownText(verdictOf(item))}`,
    '',
    ...hitLines(item),
    ...(item.agreement === undefined ? [] : [markdownText(item.agreement), '']),
    ...shown.flatMap(changeLines),
    ...(rest > 0 ? [`- and ${counted(rest, 'more breaking change')}`] : []),
    ...(more > 0
      ? [`- and ${counted(more, 'change')} that ${more === 1 ? 'does' : 'do'} not break`]
      : []),
    '',
    ...suggestionLines(item).flatMap((line, index, { length }) =>
      index === length - 1 ? ['', markdownText(line), ''] : [markdownText(line)],
    ),
  ];
}

function hitLines(item: ReportItem): readonly string[] {
  const { consumers, downstream } = item;
  const lines: string[] = [];
  const verdicts = consumerLines(item);
  if (consumers !== null && verdicts.length === 0) {
    const who = names(consumers.names, 'other team');
    const declared = consumers.from === 'declared' ? ' (as declared in the file)' : '';
    lines.push(
      consumers.names.length === 0
        ? 'It has no registered consumers.'
        : `**It hits** ${who}${declared}.`,
    );
  }
  if (downstream.length > 0) {
    lines.push(
      `Downstream: ${names(
        downstream.map(({ fqn }) => fqn),
        'other asset',
      )}.`,
    );
  }
  const marks = { breaks: '❌', may_break: '❔', unaffected: '✅' };
  const each = verdicts.slice(0, maxNames).map(({ verdict, text, shown }) => {
    const value = shown === undefined ? '' : ` ${markdownCode(shown)}`;
    return `- ${marks[verdict]} ${markdownText(text)}${value}`;
  });
  const rest = verdicts.length - each.length;
  if (rest > 0) each.push(`- and ${counted(rest, 'other team')}`);
  return [
    ...(each.length === 0 ? [] : [...each, '']),
    ...(lines.length === 0 ? [] : [lines.join(' '), '']),
  ];
}

function names(all: readonly string[], noun: string): string {
  return listedFirst(all.map(markdownCode), noun);
}

function changeLines(change: ReportedChange): readonly string[] {
  const { accepted } = change;
  const example = exampleText(change);
  return [
    `- ${accepted === undefined ? '' : '(accepted) '}${sentence(change)}`,
    ...(example === undefined ? [] : [`  for example ${markdownCode(example)}`]),
    ...(accepted === undefined ? [] : [`  ${markdownText(acceptedText(accepted))}`]),
  ].map((line, index, { length }) => (index < length - 1 ? `${line}  ` : line));
}

function compatibleSection(items: readonly ReportItem[]): readonly (readonly string[])[] {
  if (items.length === 0) return [];
  return [
    [
      '<details>',
      `<summary>${counted(items.length, 'contract')} changed without breaking</summary>`,
      '',
    ],
    ...items.map((item) => [
      `- ${markdownCode(item.name)}: ${markdownText(verdictOf(item))}`,
      ...item.changes
        .slice(0, maxChanges)
        .map((change) => `  - ${sentence(change)}${warningOf(change)}`),
    ]),
    ['', '</details>', ''],
  ];
}

function sentence(change: ReportedChange): string {
  const text = sentenceOf(change);
  const place = text === change.description ? '' : `${markdownCode(placeText(change.path))}: `;
  return `${place}${markdownText(text)} (${markdownCode(change.type)})`;
}

function warningOf({ warning }: ReportedChange): string {
  return warning === undefined ? '' : `. ${markdownText(warning)}`;
}

function tailOf({ problems, notices }: DiffReport): readonly string[] {
  const told = [
    ...problems.map(({ file, place, message }) => ({ where: `${file}, ${place}`, message })),
    ...notices.map(({ file, line, message }) => ({ where: `${file}, line ${line}`, message })),
  ];
  if (told.length === 0) return [];
  const lines = told
    .slice(0, maxChanges)
    .map(({ where, message }) => `- ${markdownCode(where)}: ${markdownText(message)}`);
  let length = 0;
  const shown = lines.filter((line) => {
    length += line.length + 1;
    return length <= maxTailLength;
  });
  const rest = told.length - shown.length;
  return ['**Warnings**', '', ...shown, ...(rest > 0 ? [`- and ${rest} more`] : [])];
}

/** Includes only whole sections, because half of one would leave a list or a fold open. */
function withinLimit(
  head: readonly string[],
  sections: readonly (readonly string[])[],
  tail: readonly string[],
): readonly string[] {
  const lengthOf = (lines: readonly string[]) => lines.join('\n').length + 1;
  const lines = [...head];
  let left = maxLength - lengthOf(head) - lengthOf(tail);
  let isFolded = false;
  for (const [index, section] of sections.entries()) {
    left -= lengthOf(section);
    if (left < 0) {
      const rest = sections.length - index;
      const fold = isFolded ? ['', '</details>', ''] : [];
      return [
        ...lines,
        ...fold,
        `And ${rest} more: run \`concordat diff\` to see all.`,
        '',
        ...tail,
      ];
    }
    if (section[0] === '<details>') isFolded = true;
    lines.push(...section);
  }
  return [...lines, ...tail];
}
