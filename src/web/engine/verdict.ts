// The engine's verdict on a schema while it is edited: the messages between the page and its
// worker.

import type { Change, CompatibilityMode, ContractTerms } from '../../core/comparison.ts';

export interface VerdictQuestion {
  readonly id: number;
  readonly old: ContractTerms;
  readonly next: ContractTerms;
}

export interface Verdict {
  readonly isBreaking: boolean;
  readonly changes: readonly Change[];
  readonly bump: 'none' | 'patch' | 'minor' | 'major';
  readonly bumpReason: string;
  readonly undecidedCount: number;
  /** Whether the change would break under each mode. */
  readonly breaksUnder: Readonly<Record<CompatibilityMode, boolean>>;
}

/** As text: values passed to a worker are copied, which numbers past 2^53 do not survive. */
export type VerdictAnswer =
  | { readonly id: number; readonly ok: true; readonly verdictText: string }
  | { readonly id: number; readonly ok: false };

export const modes: readonly CompatibilityMode[] = ['backward', 'forward', 'full', 'none'];
