// The columns of a table, as far as a check needs to know them.

import type { Rational } from '../../value/rational.ts';

/** How the values of a column read as JSON. Null is null in each of them. */
export type ColumnKind =
  | ExactKind
  | { readonly kind: 'double' | 'single' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'text' }
  /** Read as text in ISO form, in UTC. */
  | { readonly kind: 'date' | 'timestamp' }
  | { readonly kind: 'uuid' }
  /** Compared only as JSON. */
  | { readonly kind: 'json' }
  /** The text of a file without types: a number or a boolean if it is written like one. */
  | { readonly kind: 'cell' };

export interface ExactKind {
  readonly kind: 'exact';
  /** All numbers of the type are multiples of it, such as 0.01; null if they may be any. */
  readonly step: Rational | null;
  readonly least: Rational | null;
  readonly greatest: Rational | null;
  /** Whether the type has NaN and infinity, which are no JSON numbers. */
  readonly hasNan: boolean;
}

export interface SourceColumn {
  readonly name: string;
  readonly type: ColumnKind;
  /** The type by its name in the source, to write literals of it. */
  readonly sqlType: string;
  /** Set if some of several files have no such column: one of them, and which rows are of such a file. */
  readonly missing?: { readonly in: string; readonly rows: string };
}
