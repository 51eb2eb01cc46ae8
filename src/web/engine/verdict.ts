// The engine's verdict on a schema or a need while it is edited: the messages between the page and
// its worker.

import type {
  Change,
  CompatibilityMode,
  ContractTerms,
  GuaranteeMode,
} from '../../core/comparison.ts';
import type { ConsumerVerdict, FoundFields, StatedNeed, UnmetNeed } from '../../core/need.ts';
import type { Asks } from '../../core/proposal.ts';
import type { Json } from '../../core/value/json.ts';
import type { ReadQuestion } from '../editor/read-text.ts';

export interface ChangeQuestion {
  readonly old: ContractTerms;
  readonly next: ContractTerms;
}

export interface NeedQuestion {
  readonly stated: StatedNeed;
  readonly contract: ContractTerms;
}

/** Asks whether an open proposal would need the answer of a consumer that states this need. */
export interface AskingQuestion {
  /** Null: everything. */
  readonly wish: StatedNeed | null;
  readonly found: FoundFields | null;
  readonly asks: Asks;
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly guaranteeMode: GuaranteeMode;
}

export interface AskingCheck {
  readonly isAsked: boolean;
  readonly verdict: ConsumerVerdict | null;
}

/** A schema as YAML. */
interface PrintQuestion {
  readonly print: Json;
}

export type Asked = ChangeQuestion | NeedQuestion | AskingQuestion | ReadQuestion | PrintQuestion;

/** The id stands in the answer. */
export type EngineQuestion = { readonly id: number } & Asked;

export interface Verdict {
  readonly isBreaking: boolean;
  readonly changes: readonly Change[];
  readonly bump: 'none' | 'patch' | 'minor' | 'major';
  readonly bumpReason: string;
  readonly undecidedCount: number;
  /** Whether the change would break under each mode. */
  readonly breaksUnder: Readonly<Record<CompatibilityMode, boolean>>;
}

/** Whether a contract meets a need. */
export type NeedCheck =
  | { readonly kind: 'met' }
  | ({ readonly kind: 'unmet' } & UnmetNeed)
  | { readonly kind: 'refused'; readonly message: string };

/** As text: values passed to a worker are copied, which numbers past 2^53 do not survive. */
export type EngineAnswer =
  | { readonly id: number; readonly ok: true; readonly answerText: string }
  | { readonly id: number; readonly ok: false };

export const modes: readonly CompatibilityMode[] = ['backward', 'forward', 'full', 'none'];
