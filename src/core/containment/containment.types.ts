// The question the engine answers, and its three answers. See ../../../docs/compatibility.md.

import type { Dialect } from '../schema/dialects.ts';
import type { Json } from '../value/json.ts';

export interface ContainmentQuestion {
  /** Is every value of `a` ... */
  readonly a: Json;
  /** ... in `b`? */
  readonly b: Json;
  readonly dialect?: Dialect;
  /** Whether `format` is an assertion. Default true. */
  readonly formats?: boolean;
  /** Read `a` as its producer: closed(a) instead of Valid(a). */
  readonly closed?: boolean;
  /** The steps a question may take before it is undecided. */
  readonly stepBudget?: number;
}

export type ContainmentAnswer =
  | { readonly verdict: 'yes'; readonly steps: number }
  | {
      readonly verdict: 'no';
      readonly steps: number;
      /** A whole value, from the root: in a, not in b. Checked by the validator before it is given. */
      readonly witness: Json;
    }
  | {
      readonly verdict: 'undecided';
      readonly steps: number;
      /** JSON path in `a` or `b` of what could not be decided. */
      readonly place: string;
      readonly reason: string;
    };
