// Types of the cases of a place; evaluated.ts explains how they are made.

import type { Form, Term } from './forms.types.ts';

export interface Case {
  readonly forms: readonly Form[];
  /**
   * Forms which say that no other branch holds that would describe a part which this case may leave
   * open, and what a producer writes where the other forms leave it open. Without these forms the case
   * has more values than its schema.
   */
  readonly alone: readonly Form[];
  /** The keys that the case evaluates, described by a form that its strings match. */
  readonly region: Form;
  /** More keys, each of which is evaluated if a form of the object holds. */
  readonly keysIf: ReadonlyMap<string, Form>;
  /**
   * Keys for which the forms completely state what a producer writes. No other case may add to
   * them.
   */
  readonly settled: ReadonlySet<string>;
  /** Whether every key is evaluated in the sense of `unevaluatedProperties`. */
  readonly hasAllKeys: boolean;
  /** Whether every key is evaluated by a schema that says something. */
  readonly closesAllKeys: boolean;
  /**
   * Whether a schema here has `properties` or `patternProperties`, so that the place is not
   * free-form.
   */
  readonly declares: boolean;
  /** The number of evaluated items from the first on. Items that match are evaluated as well. */
  readonly itemCount: number;
  readonly matching: readonly Term[];
  /**
   * Whether `contains` may evaluate what is inside an item. Closed items are then not told apart
   * from open ones.
   */
  readonly looksInside: boolean;
}

export interface Cases {
  readonly list: readonly Case[];
  /** Whether the cases together are exactly the set, and not a larger one. */
  readonly isExact: boolean;
}
