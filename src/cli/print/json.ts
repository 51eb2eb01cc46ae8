import { type SharedChange, splitChanges } from '../../core/diff/shared-changes.ts';
import {
  breakingOf,
  countItems,
  type DiffReport,
  type ReportedChange,
  type ReportItem,
} from '../diff/report.ts';

/** The shape of the registry's own diffs, with the additional facts of the command line. */
export function toJsonText(report: DiffReport, isBlocking: boolean): string {
  const summary = countItems(report.items);
  const isChanged = summary.new + summary.modified + summary.removed > 0;
  const isOpen = report.problems.some(({ leavesUnread }) => leavesUnread);
  const { shared, own } = splitChanges<ReportedChange, ReportItem>(report.items);
  const document = {
    status:
      summary.breaking > 0
        ? 'breaking_changes_detected'
        : isOpen
          ? 'not_all_read'
          : isChanged
            ? 'changes_detected'
            : 'no_changes',
    from: report.old,
    to: report.next,
    summary,
    blocking: isBlocking,
    ...(shared.length === 0 ? {} : { shared_changes: shared.map(toSharedChange) }),
    items: report.items.map((item) => toItem(item, own.get(item) ?? [])),
    problems: report.problems.map(({ file, place, code, message, leavesUnread }) => {
      return { file, place, code, message, leaves_unread: leavesUnread };
    }),
    notices: report.notices,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * The most items of a shared change that have its path. In an API whose objects lead to each other, a path has
 * hundreds of letters, and hundreds of operations reach each change.
 */
const maxPaths = 50;

function toSharedChange({ change, placeCount, places }: SharedChange<ReportedChange>): object {
  const items = places.map(({ name, path }, index) =>
    index < maxPaths ? { name, path } : { name },
  );
  return { ...change, place_count: placeCount, items };
}

/** Changes of definitions that other items reach too are among the shared ones. */
function toSuggestion(suggestion: ReportItem['suggestion']): object | null {
  if (suggestion == null) return null;
  const { edits, schema, isWhole } = suggestion;
  return { edits, is_compatible: isWhole, schema };
}

function toItem(item: ReportItem, own: readonly ReportedChange[]): object {
  const { consumers, downstream } = item;
  return {
    name: item.name,
    fqn: item.fqn,
    file: item.origin.file,
    change_type: item.changeKind,
    schema_change_type: item.isBreaking ? 'breaking' : 'none',
    compatibility_mode: item.mode,
    breaks_backward: item.breaksBackward,
    version_bump: item.bump,
    version_bump_reason: item.bumpReason,
    undecided_count: item.undecidedCount,
    breaking_changes: breakingOf({ ...item, changes: own }).map(({ description }) => description),
    changes: own,
    ...(own.length < item.changes.length
      ? { shared_change_count: item.changes.length - own.length }
      : {}),
    ...(consumers === null ? {} : { consumers: consumers.names, consumers_from: consumers.from }),
    ...(consumers?.verdicts === undefined ? {} : { consumer_verdicts: consumers.verdicts }),
    ...(item.agreement !== undefined && { agreement: item.agreement }),
    ...(item.suggestion !== undefined && { suggestion: toSuggestion(item.suggestion) }),
    ...(downstream.length === 0 ? {} : { downstream }),
  };
}
