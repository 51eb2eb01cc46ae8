// The result of a comparison: one definition for the engine, the registry, the command line and the
// page.

import type { Dialect } from './schema/dialects.ts';
import type { Json } from './value/json.ts';

export type CompatibilityMode = 'backward' | 'forward' | 'full' | 'none';

/**
 * Who writes the values of a schema, and so which changes are compatible. `data` is data at rest,
 * produced by the owner, stored and read by consumers. `request` is written by consumers and read
 * by the owner (OpenAPI requests, GraphQL inputs and enums). `response` is written by the owner and
 * read by consumers at once (OpenAPI responses, GraphQL outputs). `operation` is an object whose
 * properties `request` and `response` each have their own direction.
 */
export type Direction = 'data' | 'request' | 'response' | 'operation';

export type GuaranteeMode = 'notify' | 'strict' | 'ignore';

/** The free form of `service.md`; core/guarantees.ts reads it. */
export type Guarantees = { readonly [key: string]: Json };

/** The content of a contract: everything that versions are compared by. */
export interface ContractTerms {
  readonly schema: Json;
  readonly compatibilityMode: CompatibilityMode;
  readonly guarantees: Guarantees | null;
  readonly direction: Direction;
  /** Used if the schema has no `$schema`. */
  readonly dialect?: Dialect;
  /** Definitions with an `x-type` are types with their own contract, and are compared by name. */
  readonly hasNamedTypes?: true;
  /**
   * Its request groups the operation's parameters by location, whatever the response looks like.
   */
  readonly hasPlaces?: true;
  /** The release that stored it did not read variants that only a discriminator leads to. */
  readonly hasUnreadVariants?: true;
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
  | 'needs_mode_loosened'
  | 'removed'
  | `${GuaranteeKind}_${'added' | 'removed' | 'relaxed' | 'tightened'}`;

/** One change, in the form of every response: plain JSON, so it needs no conversion. */
export interface Change {
  readonly type: ChangeType;
  /** `$.properties.lines.items.properties.sku`: the deepest location that explains the change. */
  readonly path: string;
  /**
   * `$.$defs.Money.properties.amount`: the same location where it is written, if that is in a
   * definition that other places of the schema may use, too.
   */
  readonly definition?: string;
  /** The sentence for people, with the value that breaks if there is one. */
  readonly description: string;
  readonly breaking: boolean;
  /** Not breaking, but deserves attention. */
  readonly warning?: string;
  readonly old?: Json;
  readonly new?: Json;
  /** A complete value that one side accepts and the other refuses. */
  readonly witness?: Json;
}

export type Bump = 'none' | 'patch' | 'minor' | 'major';

export interface Comparison {
  /** In a stable order, breaking changes first. */
  readonly changes: readonly Change[];
  /** Under the requested mode. True exactly if one of `changes` is breaking. */
  readonly isBreaking: boolean;
  /** Under mode backward, whatever mode was requested, because it decides the version. */
  readonly breaksBackward: boolean;
  /** The smallest allowed version step, with the reason as a sentence. */
  readonly bump: Bump;
  readonly bumpReason: string;
  /** The number of undecided questions, and the steps of all questions together. */
  readonly undecidedCount: number;
  readonly steps: number;
}

export interface CompareOptions {
  readonly guaranteeMode?: GuaranteeMode;
  readonly stepBudget?: number;
}
