import { definitionText, exampleText, placeText, sentenceOf } from '../../core/diff/change-text.ts';
import { type SharedChange, splitChanges } from '../../core/diff/shared-changes.ts';
import {
  breakingOf,
  countItems,
  type DiffReport,
  inOrder,
  type ReportedChange,
  type ReportItem,
} from '../diff/report.ts';
import { counted, listed, type Paint, printable } from '../output.ts';
import {
  acceptedText,
  consumerLines,
  headline,
  hitSentence,
  suggestionLines,
  verdictOf,
} from './words.ts';

/**
 * The output for a terminal or a log. Every line starts with a marker of ours, so that user text
 * cannot imitate one.
 */
export function toText(report: DiffReport, paint: Paint, showsAll: boolean): string {
  const [only, ...others] = report.items;
  const isOne = report.isPair && others.length === 0;
  const isOpen = report.problems.some(({ leavesUnread }) => leavesUnread);
  const shown = { paint, showsAll };
  const body = isOne && only !== undefined ? oneText(only, shown, isOpen) : manyText(report, shown);
  const told = [
    ...report.problems.map(
      ({ file, place, message }) => `! ${printable(`${file}, ${place}: ${message}`)}`,
    ),
    ...report.notices.map(
      ({ file, line, message }) => `! ${printable(`${file}, line ${line}: ${message}`)}`,
    ),
  ];
  if (told.length === 0) return body;
  const verdict = isOpen && !report.items.some(({ isBreaking }) => isBreaking);
  const lines = [...told, ...(verdict ? [`= ${headline(report)}.`] : [])];
  return `${body}\n${lines.map((line) => paint('yellow', line)).join('\n')}\n`;
}

interface Shown {
  readonly paint: Paint;
  /** Whether compatible changes are listed, too. */
  readonly showsAll: boolean;
}

function oneText(item: ReportItem, shown: Shown, isOpen: boolean): string {
  const { paint } = shown;
  if (item.changes.length === 0 && item.bump === 'none') {
    return `${isOpen ? paint('yellow', noneRead) : paint('green', 'No changes.')}\n`;
  }
  const lines = [isOpen && !item.isBreaking ? paint('yellow', someRead) : verdictText(item, paint)];
  if (item.changeKind !== 'removed') {
    lines.push(`Next version: ${paint('bold', item.bump)}, because ${item.bumpReason}`);
  }
  const hit = hitSentence(item);
  if (hit !== null) lines.push(printable(hit));
  lines.push(...consumerTexts(item, paint));
  if (item.changes.length > 0) lines.push('');
  lines.push(...changeLines(item.changes, shown, ''), '', ...suggestionTexts(item, paint, ''));
  return lines.join('\n');
}

const noneRead = 'No changes in what was read.';
const someRead = 'Compatible in what was read.';

function verdictText(item: ReportItem, paint: Paint): string {
  const { mode, changes, isBreaking } = item;
  const breaking = breakingOf(item).length;
  const total = counted(changes.length, 'change');
  if (isBreaking) return paint('red', `Breaking under ${mode}: ${breaking} of ${total}.`);
  const accepted = changes.filter((change) => change.accepted !== undefined).length;
  if (accepted > 0) {
    return paint('yellow', `Accepted under ${mode}: ${accepted} of ${total} would break.`);
  }
  return paint('green', `Compatible under ${mode}: ${total}.`);
}

function manyText(report: DiffReport, shown: Shown): string {
  const { paint } = shown;
  const changed = inOrder(report.items).filter(({ changeKind }) => changeKind !== 'unchanged');
  const counts = countItems(report.items);
  const summary = [
    `${counted(report.items.length, 'contract')} compared`,
    ...(counts.breaking > 0 ? [paint('red', `${counts.breaking} breaking`)] : []),
    `${counts.new} new`,
    `${counts.modified} modified`,
    `${counts.removed} removed`,
    `${counts.unchanged} unchanged`,
  ];
  const { shared, own } = splitChanges<ReportedChange, ReportItem>(report.items);
  const { list, rest } = withOwnChanges(changed, own, shown);
  const items = list.map((item) => itemText(item, own.get(item) ?? [], shown));
  const blocks = [...sharedText(shared, shown), ...items, ...rest];
  return `${[...blocks, `= ${summary.join(', ')}.`].join('\n')}\n`;
}

/**
 * Contracts in which nothing but shared definitions changed are counted, unless it is known who
 * consumes them. So are those in which only descriptions and the like changed, if there are many: in
 * GraphQL each type that refers to a changed one has such a change.
 */
function withOwnChanges(
  changed: readonly ReportItem[],
  own: ReadonlyMap<ReportItem, readonly ReportedChange[]>,
  { paint, showsAll }: Shown,
): { readonly list: readonly ReportItem[]; readonly rest: readonly string[] } {
  const mayBeCounted = showsAll
    ? []
    : changed.filter(({ changes, consumers }) => changes.length > 0 && consumers === null);
  const others = mayBeCounted.filter((item) => (own.get(item)?.length ?? 0) === 0);
  const annotated = mayBeCounted.filter(
    (item) => !others.includes(item) && item.changes.every(isNote),
  );
  const counts: readonly (readonly [items: readonly ReportItem[], how: string])[] = [
    [others, 'by the definitions above'],
    [annotated.length > maxCompatible ? annotated : [], 'in descriptions and other annotations'],
  ];
  const left = new Set(counts.flatMap(([items]) => items));
  const rest = counts.flatMap(([items, how]) => {
    if (items.length === 0) return [];
    const breaking = items.filter(({ isBreaking }) => isBreaking).length;
    const line = `${counted(items.length, 'contract')} changed only ${how}, ${breaking} of them breaking: see --show all`;
    return [paint(breaking > 0 ? 'red' : 'dim', `${breaking > 0 ? '✗' : '~'} ${line}`), ''];
  });
  return { list: changed.filter((item) => !left.has(item)), rest };
}

function isNote({ type, warning }: ReportedChange): boolean {
  return type === 'annotation_changed' && warning === undefined;
}

/** The contracts that are named beside a shared change. */
const maxPlaces = 3;

/** Lists each shared change once: breaks first, then warnings. The other changes are only counted. */
function sharedText(
  shared: readonly SharedChange<ReportedChange>[],
  shown: Shown,
): readonly string[] {
  if (shared.length === 0) return [];
  const { paint } = shown;
  const byChange = new Map(shared.map((each) => [each.change, each]));
  const lines = changeLines([...byChange.keys()], shown, '  ', (change) => {
    const each = byChange.get(change);
    return each === undefined ? null : { place: definitionText(each.definition), ...each };
  });
  return [paint('bold', 'Shared definitions, each change once:'), ...lines, ''];
}

function whereText({ places, placeCount }: SharedChange<ReportedChange>): string {
  const named = places.slice(0, maxPlaces).map(({ name }) => name);
  const rest = places.length - named.length;
  const list = listed(rest > 0 ? [...named, counted(rest, 'other')] : named);
  const count = placeCount === places.length ? '' : `, ${counted(placeCount, 'place')}`;
  return `in ${counted(places.length, 'contract')}${count}: ${list}`;
}

function itemText(item: ReportItem, own: readonly ReportedChange[], shown: Shown): string {
  const { paint } = shown;
  const file = item.name === item.origin.file ? '' : ` (${item.origin.file})`;
  const head = `${markOf(item, paint)} ${paint('bold', printable(item.name))}${printable(file)}: ${verdictOf(item)}`;
  const hit = hitSentence(item);
  return [
    head,
    ...(hit === null ? [] : [`    ${printable(hit)}`]),
    ...consumerTexts(item, paint),
    ...(item.agreement === undefined ? [] : [`    ${printable(item.agreement)}`]),
    ...changeLines(
      own.filter(({ type }) => type !== 'removed'),
      shown,
      '  ',
    ),
    ...suggestionTexts(item, paint, '  '),
    ...(own.length < item.changes.length
      ? [
          paint(
            'dim',
            `  · and ${counted(item.changes.length - own.length, 'place')} of the definitions above`,
          ),
        ]
      : []),
    ...(item.changes.length > 0 ? [''] : []),
  ].join('\n');
}

function consumerTexts(item: ReportItem, paint: Paint): readonly string[] {
  const marks = {
    breaks: paint('red', '✗'),
    may_break: paint('yellow', '?'),
    unaffected: paint('green', '✓'),
  };
  return consumerLines(item).map(({ verdict, text, shown }) => {
    return `    ${marks[verdict]} ${printable(shown === undefined ? text : `${text} ${shown}`)}`;
  });
}

function markOf(item: ReportItem, paint: Paint): string {
  if (item.isBreaking) return paint('red', '✗');
  return { new: '+', modified: '~', removed: '-', unchanged: '=' }[item.changeKind];
}

function suggestionTexts(item: ReportItem, paint: Paint, indent: string): readonly string[] {
  const lines = suggestionLines(item).map((line) => `${indent}${printable(line)}`);
  return lines.length === 0 ? [] : [paint('bold', `${indent}To make it compatible:`), ...lines, ''];
}

/** As many compatible changes are listed if there is nothing else to see. */
const maxCompatible = 10;

/** Breaks first, then what needs attention; the rest is counted. */
function changeLines(
  changes: readonly ReportedChange[],
  { paint, showsAll }: Shown,
  indent: string,
  sharedOf: SharedOf = () => null,
): readonly string[] {
  const isUrgent = ({ breaking, warning }: ReportedChange) => breaking || warning !== undefined;
  const urgent = changes.filter(isUrgent);
  const others = changes.filter((change) => !isUrgent(change));
  const limit = showsAll ? others.length : urgent.length > 0 ? 0 : maxCompatible;
  const rest = counted(Math.max(0, others.length - limit), 'compatible change');
  return [
    ...[...urgent, ...others.slice(0, limit)].map((each) =>
      changeText(each, paint, indent, sharedOf(each)),
    ),
    ...(others.length > limit ? [paint('dim', `${indent}· and ${rest}: see --show all`)] : []),
  ];
}

/** Finds the shared definition in which a change was made. Null: the change is reported by itself. */
type SharedOf = (
  change: ReportedChange,
) => (SharedChange<ReportedChange> & { readonly place: string }) | null;

function changeText(
  change: ReportedChange,
  paint: Paint,
  indent: string,
  shared: ReturnType<SharedOf>,
): string {
  const { accepted, warning } = change;
  const mark =
    change.breaking && accepted === undefined
      ? paint('red', '✗')
      : warning !== undefined || accepted !== undefined
        ? paint('yellow', '!')
        : '·';
  const place = paint('bold', printable(shared?.place ?? placeText(change.path)));
  const example = exampleText(change);
  return [
    `${indent}${mark} ${place}: ${printable(sentenceOf(change))} ${paint('dim', `[${change.type}]`)}`,
    ...(shared === null ? [] : [`${indent}    ${printable(whereText(shared))}`]),
    ...(warning === undefined ? [] : [`${indent}    ${paint('yellow', printable(warning))}`]),
    ...(example === undefined
      ? []
      : [`${indent}    ${paint('dim', `for example ${printable(example)}`)}`]),
    ...(accepted === undefined ? [] : [`${indent}    ${printable(acceptedText(accepted))}`]),
  ].join('\n');
}
