// The common input of every output format: each compared item, its changes, and the consumers that
// they affect.

import type { Bump, Change, CompatibilityMode } from '../../core/comparison.ts';
import type { InputProblem, Origin } from '../input/subject.ts';

export interface DiffReport {
  /** What was compared, in words for people. */
  readonly old: string;
  readonly next: string;
  /** The user named two files, which are compared with each other whatever their names. */
  readonly isPair: boolean;
  /** In the order of the files. */
  readonly items: readonly ReportItem[];
  readonly problems: readonly InputProblem[];
  /** Problems with the acceptances, as sentences. */
  readonly notices: readonly Notice[];
}

export interface Notice {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export type ChangeKind = 'new' | 'modified' | 'unchanged' | 'removed';

export interface ReportItem {
  readonly name: string;
  readonly fqn: string | null;
  readonly changeKind: ChangeKind;
  /** Null if nothing was compared. */
  readonly mode: CompatibilityMode | null;
  readonly changes: readonly ReportedChange[];
  /** Whether any break is not accepted. */
  readonly isBreaking: boolean;
  readonly breaksBackward: boolean;
  readonly bump: Bump;
  readonly bumpReason: string;
  readonly undecidedCount: number;
  /** Null if its consumers are unknown. */
  readonly consumers: Consumers | null;
  /** Assets derived from it, if a registry was asked. */
  readonly downstream: readonly DownstreamAsset[];
  /** The place to show: the new file, or the old one for a removed item. */
  readonly origin: Origin;
}

export interface Consumers {
  readonly names: readonly string[];
  /** `registry`: the registered consumers; `declared`: those that the file names. */
  readonly from: 'registry' | 'declared';
}

export interface DownstreamAsset {
  readonly fqn: string;
  readonly owner: string;
  readonly depth: number;
}

export interface ReportedChange extends Change {
  readonly accepted?: Accepted;
}

export interface Accepted {
  readonly reason: string;
  /** The last day on which the acceptance holds: 2026-12-31. */
  readonly until: string;
}

interface Counts {
  readonly new: number;
  readonly modified: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly breaking: number;
}

export function countItems(items: readonly ReportItem[]): Counts {
  const count = (kind: ChangeKind) => items.filter(({ changeKind }) => changeKind === kind).length;
  return {
    new: count('new'),
    modified: count('modified'),
    unchanged: count('unchanged'),
    removed: count('removed'),
    breaking: items.filter(({ isBreaking }) => isBreaking).length,
  };
}

/** Breaks that are not accepted. */
export function breakingOf(item: ReportItem): readonly ReportedChange[] {
  return item.changes.filter(({ breaking, accepted }) => breaking && accepted === undefined);
}

/** Breaking items first, then changed ones; otherwise in the order of the files. */
export function inOrder(items: readonly ReportItem[]): readonly ReportItem[] {
  const rank = ({ isBreaking, changeKind }: ReportItem) => {
    if (isBreaking) return 0;
    return { removed: 1, modified: 2, new: 3, unchanged: 4 }[changeKind];
  };
  return items.toSorted((a, b) => rank(a) - rank(b));
}
