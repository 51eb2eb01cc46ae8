// What a comparison says. Settled once for the engine, the registry, the command line and the page.

import type { Dialect } from './schema/dialects.ts';
import type { Json } from './value/json.ts';

export type CompatibilityMode = 'backward' | 'forward' | 'full' | 'none';

/**
 * Who writes the values that a schema describes, and so which way "compatible" points:
 * `data` is data at rest, produced by the owner, kept and read by consumers;
 * `request` is written by consumers, read by the owner (OpenAPI requests, GraphQL inputs and enums);
 * `response` is written by the owner, read by consumers on the spot (OpenAPI responses, GraphQL outputs);
 * `operation` is an object whose properties `request` and `response` are each of their own kind.
 */
export type Direction = 'data' | 'request' | 'response' | 'operation';

export type GuaranteeMode = 'notify' | 'strict' | 'ignore';

/** The free form of `service.md`; core/guarantees.ts reads it. */
export type Guarantees = { readonly [key: string]: Json };

/** What a contract promises: everything a version is compared by. */
export interface ContractTerms {
  readonly schema: Json;
  readonly compatibilityMode: CompatibilityMode;
  readonly guarantees: Guarantees | null;
  readonly direction: Direction;
  /** Used where the schema has no `$schema`. */
  readonly dialect?: Dialect;
  /** Definitions with an `x-type` are types with a contract of their own, and compared by name. */
  readonly hasNamedTypes?: true;
  /** Its request holds an operation's parameters by place, whatever the response looks like. */
  readonly hasPlaces?: true;
}

export type GuaranteeKind = 'freshness' | 'volume' | 'nullability' | 'accepted_values' | 'custom';

export type ChangeType =
  | 'property_added'
  | 'property_removed'
  | 'property_renamed'
  | 'required_added'
  | 'required_removed'
  | 'type_changed'
  | 'type_widened'
  | 'type_narrowed'
  | 'nullable_added'
  | 'nullable_removed'
  | 'enum_values_added'
  | 'enum_values_removed'
  | 'constraint_tightened'
  | 'constraint_relaxed'
  | 'format_changed'
  | 'default_added'
  | 'default_removed'
  | 'default_changed'
  | 'additional_properties_closed'
  | 'additional_properties_opened'
  | 'union_member_added'
  | 'union_member_removed'
  | 'schema_narrowed'
  | 'schema_widened'
  | 'schema_changed'
  | 'annotation_changed'
  | 'compatibility_undecided'
  | 'compatibility_mode_relaxed'
  | 'contract_deprecated'
  | 'asset_moved'
  | 'guarantee_mode_lowered'
  | 'removed'
  | `${GuaranteeKind}_${'added' | 'removed' | 'relaxed' | 'tightened'}`;

/** One change, as it stands in every answer: JSON as it is, so no crossing is needed. */
export interface Change {
  readonly type: ChangeType;
  /** `$.properties.lines.items.properties.sku`: the deepest place that explains the change. */
  readonly path: string;
  /** What a person needs to know, with the value that breaks where there is one. */
  readonly description: string;
  readonly breaking: boolean;
  /** Not breaking, but somebody should look. */
  readonly warning?: string;
  readonly old?: Json;
  readonly new?: Json;
  /** A whole value, from the root, that one side has and the other refuses. */
  readonly witness?: Json;
}

export type Bump = 'none' | 'patch' | 'minor' | 'major';

export interface Comparison {
  /** In a stable order, breaking ones first. */
  readonly changes: readonly Change[];
  /** Under the mode asked. True exactly when one of `changes` is breaking. */
  readonly isBreaking: boolean;
  /** Under mode backward, whatever the mode asked: it decides the version. */
  readonly breaksBackward: boolean;
  /** What the version must do at least, and why, in a sentence. */
  readonly bump: Bump;
  readonly bumpReason: string;
  /** How many questions were undecided, and the steps all of them took. */
  readonly undecidedCount: number;
  readonly steps: number;
}

export interface CompareOptions {
  readonly guaranteeMode?: GuaranteeMode;
  readonly stepBudget?: number;
}
