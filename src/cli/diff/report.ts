// The common input of every output format: each compared item, its changes, and the consumers that
// they affect.

import type { Bump, Change, CompatibilityMode } from '../../core/comparison.ts';
import type { Suggestion } from '../../core/diff/suggest.ts';
import type { CandidateTerms } from '../../core/import/candidate.ts';
import type { ConsumerVerdict } from '../../core/need.ts';
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
  /** The asset whose consumers a break is about, for asking a registry; null if no file names it. */
  readonly heldBy?: { readonly fqn: string; readonly environment: string | null } | null;
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
  /** How it would be compatible, if that was asked; null if nothing was found. */
  readonly suggestion?: Suggestion | null;
  /** What the new version would be, for asking a registry; absent if nothing was compared. */
  readonly terms?: CandidateTerms;
  /** Who has agreed to what breaks and who has not, if a registry was asked. */
  readonly agreement?: string;
  /** Assets derived from it, if a registry was asked. */
  readonly downstream: readonly DownstreamAsset[];
  /** The place to show: the new file, or the old one for a removed item. */
  readonly origin: Origin;
}

export interface Consumers {
  readonly names: readonly string[];
  /** `registry`: the registered consumers; `declared`: those that the file names. */
  readonly from: 'registry' | 'declared';
  /** What the change does to each consumer, if a registry was asked. */
  readonly verdicts?: readonly ConsumerLine[];
}

export interface ConsumerLine extends ConsumerVerdict {
  readonly team: string;
  /** Whether the team has said what it reads. */
  readonly origin: 'declared' | 'found' | 'none';
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
  /** The last day on which the acceptance holds: 2026-12-31. Null if its consumers have agreed. */
  readonly until: string | null;
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

/**
 * Whether the result is a failure: a break, unless all consumers are proven unaffected; and a
 * compatible change that breaks a consumer by what it has said that it reads.
 */
export function isRefused(item: ReportItem, failOn: 'breaking' | 'may_break'): boolean {
  const { isBreaking, consumers } = item;
  const verdicts = consumers?.verdicts ?? [];
  if (verdicts.length === 0) return isBreaking;
  return verdicts.some(({ verdict, origin }) => {
    if (verdict === 'breaks') return true;
    if (verdict === 'unaffected') return false;
    return origin === 'none' ? isBreaking : failOn === 'may_break';
  });
}

/** Breaking items first, then changed ones; otherwise in the order of the files. */
export function inOrder(items: readonly ReportItem[]): readonly ReportItem[] {
  const rank = ({ isBreaking, changeKind }: ReportItem) => {
    if (isBreaking) return 0;
    return { removed: 1, modified: 2, new: 3, unchanged: 4 }[changeKind];
  };
  return items.toSorted((a, b) => rank(a) - rank(b));
}
