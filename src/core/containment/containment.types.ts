// The engine's question and its three answers. See ../../../docs/compatibility.md.

import type { Dialect } from '../schema/dialects.ts';
import type { Json } from '../value/json.ts';

export interface ContainmentQuestion {
  /** The question: is every value of `a` ... */
  readonly a: Json;
  /** ... also a value of `b`? */
  readonly b: Json;
  readonly dialect?: Dialect;
  /** Whether `format` is an assertion. Default true. */
  readonly formats?: boolean;
  /** Whether to read `a` as its producer: closed(a) instead of Valid(a). */
  readonly closed?: boolean;
  /** The number of steps after which the question is undecided. */
  readonly stepBudget?: number;
}

export type ContainmentAnswer =
  | { readonly verdict: 'yes'; readonly steps: number }
  | {
      readonly verdict: 'no';
      readonly steps: number;
      /** A whole value, from the root, that is in a and not in b. The validator has checked it. */
      readonly witness: Json;
    }
  | {
      readonly verdict: 'undecided';
      readonly steps: number;
      /** The JSON path in `a` or `b` of what could not be decided. */
      readonly place: string;
      readonly reason: string;
    };
