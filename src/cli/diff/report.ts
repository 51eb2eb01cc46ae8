// What every form of output is made from: each thing compared, what changed in it, and whom it hits.

import type { Bump, Change, CompatibilityMode } from '../../core/comparison.ts';
import type { InputProblem, Origin } from '../input/subject.ts';

export interface DiffReport {
  /** What was compared with what, for people. */
  readonly old: string;
  readonly next: string;
  /** Two files were named: they are each other's counterparts, and need no names. */
  readonly isPair: boolean;
  /** In the order of the files. */
  readonly items: readonly ReportItem[];
  readonly problems: readonly InputProblem[];
  /** What is wrong with the acceptances, in sentences. */
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
  /** Null where there was nothing to judge by. */
  readonly mode: CompatibilityMode | null;
  readonly changes: readonly ReportedChange[];
  /** Whether a change breaks that nobody accepted. */
  readonly isBreaking: boolean;
  readonly breaksBackward: boolean;
  readonly bump: Bump;
  readonly bumpReason: string;
  readonly undecidedCount: number;
  /** Null where nobody said who reads it. */
  readonly consumers: Consumers | null;
  /** Assets made from it, where a registry was asked. */
  readonly downstream: readonly DownstreamAsset[];
  /** Where to point: the new file, or the old one where the new one has it no more. */
  readonly origin: Origin;
}

export interface Consumers {
  readonly names: readonly string[];
  /** `registry` knows who registered; `declared` is what the file says. */
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
  /** The last day on which it holds: 2026-12-31. */
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

/** What is left after what somebody accepted. */
export function breakingOf(item: ReportItem): readonly ReportedChange[] {
  return item.changes.filter(({ breaking, accepted }) => breaking && accepted === undefined);
}

/** Breaking ones first, then what changed otherwise; else in the order of the files. */
export function inOrder(items: readonly ReportItem[]): readonly ReportItem[] {
  const rank = ({ isBreaking, changeKind }: ReportItem) => {
    if (isBreaking) return 0;
    return { removed: 1, modified: 2, new: 3, unchanged: 4 }[changeKind];
  };
  return items.toSorted((a, b) => rank(a) - rank(b));
}
