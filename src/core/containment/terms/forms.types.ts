// How the engine represents sets of JSON values.
//
// A TERM is a set of values of any kind: a schema node, the complement of a term, a conjunction. A
// FORM is what a term says about one kind of value (its strings, for example), unfolded one level:
// a formula of atoms in which "not" stands on atoms only. What an atom says about items and
// properties is a term again. So a recursive schema is unfolded only as far as the search looks.
//
// Both are hash-consed per store: equal ones are one object, and are compared by identity.

import type { ContentKeys } from '../../same/content-key.ts';
import type { SchemaNode, SchemaResource } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { Rational } from '../../value/rational.ts';
import type { Kind } from '../../value/value-key.ts';
import type { KnownShapes } from './apart.ts';
import type { KnownKinds } from './node-kinds.ts';

export type { Kind };

export type Term = {
  readonly id: number;
  /** Filled by `formOf`. */
  readonly forms: Partial<Record<Kind, Form>>;
  negation: Term | undefined;
} & (
  | { readonly tag: 'all' }
  | { readonly tag: 'none' }
  | {
      readonly tag: 'node';
      readonly node: SchemaNode;
      /** The resources with dynamic anchors that were entered so far, the outermost first. */
      readonly scope: readonly SchemaResource[];
      /**
       * Whether it evaluates properties without declaring its place, as a schema under `if` does.
       */
      readonly isWeak: boolean;
    }
  | { readonly tag: 'not'; readonly term: Term }
  | { readonly tag: 'both'; readonly terms: readonly Term[] }
  | { readonly tag: 'either'; readonly terms: readonly Term[] }
  | { readonly tag: 'const'; readonly value: Json }
  /** closed(the conjunction of these nodes), or a set around it: see evaluated.ts. */
  | { readonly tag: 'closed'; readonly terms: readonly Term[] }
);

export type TermBody = Term extends infer T
  ? T extends Term
    ? Omit<T, 'id' | 'forms' | 'negation'>
    : never
  : never;

export type NodeTerm = Extract<Term, { tag: 'node' }>;

export type Form = Everything | Nothing | And | Or | AtMostOne | TwoOf | Approximation | Atom;

interface Identified {
  readonly id: number;
  negation: Form | undefined;
}
type Everything = Identified & { readonly tag: 'everything' };
type Nothing = Identified & { readonly tag: 'nothing' };
type And = Identified & { readonly tag: 'and'; readonly parts: readonly Form[] };
export type Or = Identified & { readonly tag: 'or'; readonly parts: readonly Form[] };
/**
 * No two of the parts hold; together with `or` this is oneOf. The pairs are too many to write out.
 */
export type AtMostOne = Identified & {
  readonly tag: 'at_most_one';
  readonly parts: readonly Form[];
};
export type TwoOf = Identified & { readonly tag: 'two_of'; readonly parts: readonly Form[] };
/** A set that is only known to lie between two others. */
type Approximation = Identified & {
  readonly tag: 'approximation';
  /** Identifies the set. */
  readonly name: string;
  readonly over: Form;
  readonly under: Form;
};

export type Atom = Identified & AtomBody;
export type AtomOf<Tag extends AtomBody['tag']> = Extract<Atom, { tag: Tag }>;

/** In pairs: the second is the complement of the first. */
export type AtomBody =
  | { readonly tag: 'values'; readonly values: ReadonlyMap<string, Json> }
  | { readonly tag: 'other_values'; readonly values: ReadonlyMap<string, Json> }
  | { readonly tag: 'low'; readonly bound: Rational; readonly isOpen: boolean }
  | { readonly tag: 'high'; readonly bound: Rational; readonly isOpen: boolean }
  | { readonly tag: 'multiple'; readonly of: Rational }
  | { readonly tag: 'no_multiple'; readonly of: Rational }
  | { readonly tag: 'min_length'; readonly count: number }
  | { readonly tag: 'max_length'; readonly count: number }
  | { readonly tag: 'pattern'; readonly source: string }
  | { readonly tag: 'no_pattern'; readonly source: string }
  | { readonly tag: 'format'; readonly name: string }
  | { readonly tag: 'no_format'; readonly name: string }
  | { readonly tag: 'min_items'; readonly count: number }
  | { readonly tag: 'max_items'; readonly count: number }
  /** Every item at an index from `from` up to, but not including, `to` is in the term. */
  | { readonly tag: 'each_item'; readonly from: number; readonly to: number; readonly term: Term }
  | { readonly tag: 'some_item'; readonly from: number; readonly to: number; readonly term: Term }
  /** At least (at most) `count` items are in the term. */
  | { readonly tag: 'min_count'; readonly count: number; readonly term: Term }
  | { readonly tag: 'max_count'; readonly count: number; readonly term: Term }
  | { readonly tag: 'unique' }
  | { readonly tag: 'repeated' }
  | { readonly tag: 'min_keys'; readonly count: number }
  | { readonly tag: 'max_keys'; readonly count: number }
  /** The property is absent or in the term. */
  | { readonly tag: 'property'; readonly key: string; readonly term: Term }
  /** The property is present and in the term. */
  | { readonly tag: 'has'; readonly key: string; readonly term: Term }
  /** Every property whose key is in the region (a form of strings) is in the term. */
  | { readonly tag: 'each_key'; readonly region: Form; readonly term: Term }
  | { readonly tag: 'some_key'; readonly region: Form; readonly term: Term }
  /** A set that is not known: an external reference, a pattern that cannot be read. */
  | {
      readonly tag: 'unknown';
      readonly name: string;
      readonly place: string;
      readonly reason: string;
    }
  | {
      readonly tag: 'not_unknown';
      readonly name: string;
      readonly place: string;
      readonly reason: string;
    };

/** Holds the terms and forms of one question, or of one comparison. */
export interface Store {
  nextId: number;
  readonly forms: Map<string, Form>;
  readonly terms: Map<string, Term>;
  readonly nodeTerms: Map<SchemaNode, Term>;
  readonly kinds: KnownKinds;
  readonly shapes: KnownShapes;
  readonly nodeIds: Map<SchemaNode, number>;
  readonly resources: Map<SchemaResource, number>;
  readonly contentKeys: ContentKeys;
  /**
   * The node of the first document that says the same, if there is one; otherwise the node itself.
   * So unchanged nodes of both documents are one.
   */
  readonly twinOf: (node: SchemaNode) => SchemaNode;
  readonly everything: Form;
  readonly nothing: Form;
  readonly all: Term;
  readonly none: Term;
}
